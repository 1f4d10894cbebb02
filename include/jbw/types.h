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

/// What happens when several agents ask for one cell.
typedef enum jbw_collision {
    JBW_COLLISION_FIRST,  ///< the earliest request wins
    JBW_COLLISION_RANDOM, ///< one of them wins, chosen uniformly
    JBW_COLLISION_ALLOW,  ///< agents may share cells
} jbw_collision;

/// How agents come by items.
typedef enum jbw_collection {
    JBW_COLLECTION_AUTOMATIC, ///< by entering the item's cell
    JBW_COLLECTION_MANUAL,    ///< only by the Collect action
} jbw_collection;

#endif
