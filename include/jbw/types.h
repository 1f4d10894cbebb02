// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Small value types. Stands alone, so that code can hold a position without the whole API.
#ifndef JBW_TYPES_H
#define JBW_TYPES_H

#include <stdint.h>

/// A cell: x grows to the right, y grows up. Also names a patch, in units of patches.
typedef struct jbw_position {
    int64_t x;
    int64_t y;
} jbw_position;

/// Cells [x, x + width) times [y, y + height).
typedef struct jbw_region {
    int64_t x;
    int64_t y;
    int64_t width;
    int64_t height;
} jbw_region;

/// No cell of a world lies farther from the origin than this along an axis, so that sums of
/// coordinates never overflow.
#define JBW_MAX_COORDINATE (INT64_C(1) << 60)

/// Where an agent looks. Turning right goes to the next one.
typedef enum jbw_direction {
    JBW_UP,
    JBW_RIGHT,
    JBW_DOWN,
    JBW_LEFT,
} jbw_direction;

/// An agent of a world. All zero is no agent. An id is never used again, so one whose agent is gone
/// is noticed.
typedef struct jbw_agent_id {
    uint32_t index1;     ///< its place, counted from one
    uint32_t generation; ///< which of the agents that have had this place
} jbw_agent_id;

/// How far a patch has come.
typedef enum jbw_patch_state {
    JBW_PATCH_MISSING, ///< nobody has come near: nothing is known of it
    JBW_PATCH_SAMPLED, ///< has items, but they may still be sampled again
    JBW_PATCH_FINAL,   ///< its generated items never change any more
} jbw_patch_state;

/// What an agent can be asked to do. `JBW_ACTION_DROP` also names an item type.
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

/// What became of a request, or of an item that an agent came upon.
typedef enum jbw_outcome {
    JBW_OUTCOME_NONE,             ///< nothing was asked for, or there was nothing
    JBW_OUTCOME_DONE,             ///< it happened
    JBW_OUTCOME_BLOCKED_BY_ITEM,  ///< a blocking item is in the way
    JBW_OUTCOME_BLOCKED_BY_AGENT, ///< the cell is held by an agent that did not leave
    JBW_OUTCOME_LOST,             ///< another agent got the cell, or the item
    JBW_OUTCOME_NOTHING_THERE,    ///< no item to collect
    JBW_OUTCOME_UNCOLLECTABLE,    ///< items of this type cannot be collected
    JBW_OUTCOME_LACKS_ITEMS,      ///< requirements or costs are not met, or nothing to drop
    JBW_OUTCOME_CELL_OCCUPIED,    ///< an item is already where one was to be dropped
    JBW_OUTCOME_END_OF_WORLD,     ///< farther out than coordinates go
} jbw_outcome;

/// What happens when several agents ask for one cell.
typedef enum jbw_collision {
    JBW_COLLISION_FIRST,  ///< the earliest request wins
    JBW_COLLISION_RANDOM, ///< one of them wins, chosen uniformly
    JBW_COLLISION_ALLOW,  ///< agents may share cells
} jbw_collision;

/// How the map comes to be.
typedef enum jbw_generation {
    JBW_GENERATION_FRONTIER,  ///< as the paper has it: patches are sampled when agents come near
    JBW_GENERATION_INVARIANT, ///< every cell is a function of config, seed and place alone
} jbw_generation;

/// How agents come by items.
typedef enum jbw_collection {
    JBW_COLLECTION_AUTOMATIC, ///< by entering the item's cell
    JBW_COLLECTION_MANUAL,    ///< only by the Collect action
} jbw_collection;

#endif
