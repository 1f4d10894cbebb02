// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Small value types. This header does not include the rest of the API.
#ifndef JBW_TYPES_H
#define JBW_TYPES_H

#include <stdint.h>

/// The position of a cell: x grows to the right, y grows up. Also that of a patch, in units of
/// patches.
typedef struct jbw_position {
    int64_t x;
    int64_t y;
} jbw_position;

/// The cells in [x, x + width) x [y, y + height).
typedef struct jbw_region {
    int64_t x;
    int64_t y;
    int64_t width;
    int64_t height;
} jbw_region;

/// The largest absolute coordinate of a cell, so that sums of coordinates never overflow.
#define JBW_MAX_COORDINATE (INT64_C(1) << 60)

/// The last time of a world, so that sums of times never overflow. It takes no step after that.
#define JBW_MAX_TIME (UINT64_C(1) << 62)

/// The direction an agent faces. Turning right leads to the next one.
typedef enum jbw_direction {
    JBW_UP,
    JBW_RIGHT,
    JBW_DOWN,
    JBW_LEFT,
} jbw_direction;

/// Identifies an agent of a world. All zero is no agent. Ids are never reused, so that of a removed
/// agent is detected.
typedef struct jbw_agent_id {
    uint32_t index1;     ///< its slot, counted from one
    uint32_t generation; ///< increases when the slot is reused
} jbw_agent_id;

/// How far a patch has been generated.
typedef enum jbw_patch_state {
    JBW_PATCH_MISSING, ///< not generated yet; never in an invariant world
    JBW_PATCH_SAMPLED, ///< has items, which may still be sampled again
    JBW_PATCH_FINAL,   ///< its generated items no longer change
} jbw_patch_state;

/// What an agent can do. `JBW_ACTION_DROP` also has an item type.
typedef enum jbw_action_kind {
    JBW_ACTION_NO_OP,
    JBW_ACTION_MOVE_FORWARD,
    JBW_ACTION_MOVE_BACKWARD,
    JBW_ACTION_MOVE_LEFT,
    JBW_ACTION_MOVE_RIGHT,
    JBW_ACTION_TURN_LEFT,
    JBW_ACTION_TURN_RIGHT,
    JBW_ACTION_TURN_AROUND,
    JBW_ACTION_COLLECT,
    JBW_ACTION_DROP,
} jbw_action_kind;

/// The outcome of an action, or of reaching a cell with an item.
typedef enum jbw_outcome {
    JBW_OUTCOME_NONE,             ///< there was no request, or no item
    JBW_OUTCOME_DONE,             ///< it was carried out
    JBW_OUTCOME_BLOCKED_BY_ITEM,  ///< a blocking item is in the way
    JBW_OUTCOME_BLOCKED_BY_AGENT, ///< an agent that did not leave is in the way
    JBW_OUTCOME_LOST,             ///< another agent got the cell or the item
    JBW_OUTCOME_NOTHING_THERE,    ///< no item to collect
    JBW_OUTCOME_UNCOLLECTABLE,    ///< items of this type cannot be collected
    JBW_OUTCOME_LACKS_ITEMS,   ///< requirements or costs are not met, or there is nothing to drop
    JBW_OUTCOME_CELL_OCCUPIED, ///< cannot drop: the cell already has an item, or all cells around
    JBW_OUTCOME_END_OF_WORLD,  ///< beyond the largest coordinate
    JBW_OUTCOME_NOT_ABLE,      ///< the agent's body lacks this action
} jbw_outcome;

/// What happens when several agents want to enter the same cell.
typedef enum jbw_collision {
    JBW_COLLISION_FIRST,  ///< the earliest request wins
    JBW_COLLISION_RANDOM, ///< one of them wins, chosen uniformly at random
    JBW_COLLISION_ALLOW,  ///< agents may share cells
} jbw_collision;

/// How the map is generated.
typedef enum jbw_generation {
    JBW_GENERATION_FRONTIER,  ///< as in the paper: patches are sampled when agents come near
    JBW_GENERATION_INVARIANT, ///< every cell depends only on config, seed and position
} jbw_generation;

/// How agents collect items.
typedef enum jbw_collection {
    JBW_COLLECTION_AUTOMATIC, ///< by entering the item's cell
    JBW_COLLECTION_MANUAL,    ///< only by the Collect action
} jbw_collection;

#endif
