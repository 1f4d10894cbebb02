// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Small questions about places.
#ifndef JBW_SIM_MAP_POSITION_H
#define JBW_SIM_MAP_POSITION_H

#include <stdbool.h>

#include "jbw/types.h"

static inline bool jbw_position_is_same(jbw_position a, jbw_position b)
{
    return a.x == b.x && a.y == b.y;
}

/// True if a cell lies in the world, which ends at JBW_MAX_COORDINATE in each direction.
static inline bool jbw_position_is_in_world(jbw_position cell)
{
    return cell.x >= -JBW_MAX_COORDINATE && cell.x <= JBW_MAX_COORDINATE &&
           cell.y >= -JBW_MAX_COORDINATE && cell.y <= JBW_MAX_COORDINATE;
}

#endif
