// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "bounds.h"

void jbw_bounds_add(jbw_bounds *bounds, jbw_position cell)
{
    if (!bounds->has_cells) *bounds = (jbw_bounds){.low = cell, .high = cell, .has_cells = true};
    if (cell.x < bounds->low.x) bounds->low.x = cell.x;
    if (cell.y < bounds->low.y) bounds->low.y = cell.y;
    if (cell.x > bounds->high.x) bounds->high.x = cell.x;
    if (cell.y > bounds->high.y) bounds->high.y = cell.y;
}

jbw_region jbw_bounds_region(const jbw_bounds *bounds, int64_t margin, int64_t max_side)
{
    const jbw_position low = bounds->low;
    const jbw_position high = bounds->high;
    int64_t width = high.x - low.x + 2 * margin;
    int64_t height = high.y - low.y + 2 * margin;
    if (width > max_side) width = max_side;
    if (height > max_side) height = max_side;
    return (jbw_region){(low.x + high.x - width) / 2, (low.y + high.y - height) / 2, width, height};
}
