// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Positions of cells and patches: comparing, hashing, and where the world ends.
#ifndef JBW_SIM_MAP_POSITION_H
#define JBW_SIM_MAP_POSITION_H

#include <stdbool.h>

#include "base/rng.h"
#include "jbw/types.h"

static inline bool jbw_position_is_same(jbw_position a, jbw_position b)
{
    return a.x == b.x && a.y == b.y;
}

/// Orders positions by row, then by column.
static inline int jbw_position_compare(jbw_position a, jbw_position b)
{
    if (a.y != b.y) return a.y < b.y ? -1 : 1;
    return a.x < b.x ? -1 : a.x > b.x;
}

/// A hash for tables in memory. Nothing that is saved may depend on it.
static inline uint64_t jbw_position_hash(jbw_position position)
{
    return jbw_mix64((uint64_t)position.x * UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)position.y);
}

/// Whether a cell lies in the world, which ends at JBW_MAX_COORDINATE in each direction.
static inline bool jbw_position_is_in_world(jbw_position cell)
{
    return cell.x >= -JBW_MAX_COORDINATE && cell.x <= JBW_MAX_COORDINATE &&
           cell.y >= -JBW_MAX_COORDINATE && cell.y <= JBW_MAX_COORDINATE;
}

#endif
