// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The smallest rectangle around some cells, for pictures of where agents are or were.
#ifndef JBW_CLI_BOUNDS_H
#define JBW_CLI_BOUNDS_H

#include <stdbool.h>

#include "jbw/types.h"

/// Both corners are inside. All zero is empty.
typedef struct jbw_bounds {
    jbw_position low;
    jbw_position high;
    bool has_cells;
} jbw_bounds;

void jbw_bounds_add(jbw_bounds *bounds, jbw_position cell);

/// The region to draw: with a margin on each side, but at most `max_side` cells in each direction
/// around the centre. Empty bounds are drawn around the origin.
jbw_region jbw_bounds_region(const jbw_bounds *bounds, int64_t margin, int64_t max_side);

#endif
