// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "io/draw/trail.h"

#include <math.h>

#include "base/alloc.h"
#include "io/draw/color.h"
#include "io/draw/palette.h"

enum {
    LINK_UP = 1,
    LINK_RIGHT = 2,
    LINK_DOWN = 4,
    LINK_LEFT = 8,
    ONE_VISIT = 16,

    MAX_JOIN = 64, // a longer jump leaves a gap
};

static const jbw_color path_color = {16, 20, 36}; // darker than any item of the shipped worlds

// --- following the path -------------------------------------------------------------------------

static bool is_within(jbw_region box, jbw_position at)
{
    return at.x >= box.x && at.x < box.x + box.width && at.y >= box.y && at.y < box.y + box.height;
}

// positions may be anything, so their difference may overflow an int64_t
static uint64_t distance(int64_t a, int64_t b)
{
    return a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
}

static bool are_joined(jbw_position a, jbw_position b)
{
    const uint64_t dx = distance(a.x, b.x);
    const uint64_t dy = distance(a.y, b.y);
    return dx <= MAX_JOIN && dy <= MAX_JOIN && dx + dy <= MAX_JOIN;
}

static int64_t clamp(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

// The part of the region that the path can touch. A line between two positions stays in their
// bounding box. Gaps may make the result larger than necessary, never smaller.
static jbw_region find_box(const jbw_position *path, size_t path_count, jbw_region region)
{
    if (path_count == 0) return (jbw_region){0, 0, 0, 0};
    jbw_position low = path[0];
    jbw_position high = path[0];
    for (size_t i = 1; i < path_count; i++) {
        if (path[i].x < low.x) low.x = path[i].x;
        if (path[i].x > high.x) high.x = path[i].x;
        if (path[i].y < low.y) low.y = path[i].y;
        if (path[i].y > high.y) high.y = path[i].y;
    }
    const jbw_position last = {region.x + region.width - 1, region.y + region.height - 1};
    if (high.x < region.x || high.y < region.y || low.x > last.x || low.y > last.y)
        return (jbw_region){0, 0, 0, 0};
    low = (jbw_position){clamp(low.x, region.x, last.x), clamp(low.y, region.y, last.y)};
    high = (jbw_position){clamp(high.x, region.x, last.x), clamp(high.y, region.y, last.y)};
    return (jbw_region){low.x, low.y, high.x - low.x + 1, high.y - low.y + 1};
}

static void visit(jbw_trail *trail, jbw_position at, int links, bool is_arrival, uint8_t fresh)
{
    if (!is_within(trail->box, at)) return;
    const int64_t index = (at.y - trail->box.y) * trail->box.width + at.x - trail->box.x;
    uint8_t *cell = &trail->cells[index];
    *cell = (uint8_t)(*cell | links);
    if (trail->fresh) trail->fresh[index] = fresh;
    if (is_arrival && *cell < 15 * ONE_VISIT) *cell = (uint8_t)(*cell + ONE_VISIT);
}

// Goes from cell to cell, each time along the axis that lags behind, so that the line stays close
// to the straight one.
static void join(jbw_trail *trail, jbw_position from, jbw_position to, uint8_t fresh)
{
    const int64_t all_x = (int64_t)distance(from.x, to.x);
    const int64_t all_y = (int64_t)distance(from.y, to.y);
    int64_t done_x = 0;
    int64_t done_y = 0;
    jbw_position at = from;
    while (done_x < all_x || done_y < all_y) {
        if ((2 * done_x + 1) * all_y < (2 * done_y + 1) * all_x) {
            const bool goes_right = to.x > at.x;
            visit(trail, at, goes_right ? LINK_RIGHT : LINK_LEFT, false, fresh);
            at.x += goes_right ? 1 : -1;
            visit(trail, at, goes_right ? LINK_LEFT : LINK_RIGHT, true, fresh);
            done_x++;
        } else {
            const bool goes_up = to.y > at.y;
            visit(trail, at, goes_up ? LINK_UP : LINK_DOWN, false, fresh);
            at.y += goes_up ? 1 : -1;
            visit(trail, at, goes_up ? LINK_DOWN : LINK_UP, true, fresh);
            done_y++;
        }
    }
}

static void follow(jbw_trail *trail, const jbw_position *path, size_t path_count)
{
    visit(trail, path[0], 0, true, 0);
    for (size_t i = 1; i < path_count; i++) {
        const uint8_t fresh = (uint8_t)((double)i / (double)(path_count - 1) * 255.0);
        if (are_joined(path[i - 1], path[i]))
            join(trail, path[i - 1], path[i], fresh); // does nothing if the agent stayed
        else
            visit(trail, path[i], 0, true, fresh);
    }
}

// the line is in the middle of a cell: [line_from, line_to)
static void choose_width(jbw_trail *trail)
{
    const int scale = trail->scale;
    int width = scale < 3 ? scale : scale < 8 ? 1 : scale / 4;
    if (trail->fresh && scale >= 3) width = scale < 12 ? 2 : scale / 6;
    if ((scale - width) % 2 != 0) width++;
    trail->line_from = (scale - width) / 2;
    trail->line_to = trail->line_from + width;
}

static void find_center(const jbw_trail *trail, jbw_region region, jbw_position at, double out[2])
{
    const double scale = trail->scale;
    out[0] = ((double)(at.x - region.x) + 0.5) * scale;
    out[1] = ((double)(region.y + region.height - 1 - at.y) + 0.5) * scale;
}

bool jbw_trail_init(jbw_trail *trail, const jbw_position *path, size_t path_count, size_t memory,
                    jbw_region region, int scale, const jbw_allocator *allocator)
{
    if (memory > 0 && path_count > memory) {
        path += path_count - memory;
        path_count = memory;
    }
    *trail = (jbw_trail){.allocator = allocator, .scale = scale};
    trail->box = find_box(path, path_count, region);
    if (trail->box.width == 0) return true;
    trail->size = (size_t)trail->box.width * (size_t)trail->box.height;
    trail->cells = jbw_alloc_zero(allocator, trail->size, 1);
    if (memory > 0) trail->fresh = jbw_alloc_zero(allocator, trail->size, 1);
    if (!trail->cells || (memory > 0 && !trail->fresh)) {
        jbw_trail_deinit(trail);
        return false;
    }
    follow(trail, path, path_count);
    choose_width(trail);
    if (trail->fresh) return true; // an agent is at its end

    const jbw_position end = path[path_count - 1];
    trail->has_start = is_within(region, path[0]);
    trail->has_end = is_within(region, end);
    if (trail->has_start) find_center(trail, region, path[0], trail->start);
    if (trail->has_end) find_center(trail, region, end, trail->end);
    trail->radius = scale < 8 ? 6.0 : 0.75 * scale;
    return true;
}

void jbw_trail_deinit(jbw_trail *trail)
{
    jbw_free(trail->allocator, trail->cells, trail->size);
    jbw_free(trail->allocator, trail->fresh, trail->size);
    *trail = (jbw_trail){0};
}

// --- painting -----------------------------------------------------------------------------------

// The weight of the line's colour in a pixel, out of 255; greater where there were more visits, or
// where the path is fresh.
static int weight_at(const jbw_trail *trail, int64_t index, int column, int cell_row)
{
    const uint8_t cell = trail->cells[index];
    const bool is_left = column < trail->line_from;
    const bool is_right = column >= trail->line_to;
    const bool is_above = cell_row < trail->line_from;
    const bool is_below = cell_row >= trail->line_to;
    if ((is_left || is_right) && (is_above || is_below)) return 0;
    if (is_left && !(cell & LINK_LEFT)) return 0;
    if (is_right && !(cell & LINK_RIGHT)) return 0;
    if (is_above && !(cell & LINK_UP)) return 0;
    if (is_below && !(cell & LINK_DOWN)) return 0;
    if (trail->fresh) return 20 + trail->fresh[index] * 7 / 8;
    const int visits = cell / ONE_VISIT;
    return 185 + 4 * visits;
}

static int to_weight(double coverage)
{
    return coverage <= 0.0 ? 0 : coverage >= 1.0 ? 255 : (int)(coverage * 255.0 + 0.5);
}

// A disc with a white edge, visible on any background. A ring also has a white centre.
static void paint_mark(const jbw_trail *trail, const double center[2], bool is_ring,
                       double pixel_row, int64_t pixel_width, uint8_t *pixels)
{
    const double edge = trail->radius + 1.0 + trail->radius * 0.2;
    const double hole = is_ring ? trail->radius * 0.5 : -1.0;
    const double dy = pixel_row + 0.5 - center[1];
    if (fabs(dy) > edge + 1.0) return;
    const int64_t from = clamp((int64_t)(center[0] - edge - 1.0), 0, pixel_width);
    const int64_t to = clamp((int64_t)(center[0] + edge + 2.0), 0, pixel_width);
    for (int64_t i = from; i < to; i++) {
        const double dx = (double)i + 0.5 - center[0];
        const double away = sqrt(dx * dx + dy * dy);
        uint8_t *pixel = &pixels[3 * i];
        jbw_pixel_blend(pixel, jbw_white_color, to_weight(edge + 0.5 - away));
        jbw_pixel_blend(pixel, path_color, to_weight(trail->radius + 0.5 - away));
        if (is_ring) jbw_pixel_blend(pixel, jbw_white_color, to_weight(hole + 0.5 - away));
    }
}

void jbw_trail_paint_row(const jbw_trail *trail, jbw_region region, int64_t y, int cell_row,
                         uint8_t *pixels)
{
    const jbw_region box = trail->box;
    if (y >= box.y && y < box.y + box.height) {
        const int64_t first = (y - box.y) * box.width;
        const jbw_color color = trail->fresh ? jbw_trail_color : path_color;
        uint8_t *out = &pixels[(box.x - region.x) * trail->scale * 3];
        for (int64_t i = 0; i < box.width; i++, out += 3 * (size_t)trail->scale) {
            if (trail->cells[first + i] == 0) continue;
            for (int column = 0; column < trail->scale; column++) {
                const int weight = weight_at(trail, first + i, column, cell_row);
                if (weight != 0) jbw_pixel_blend(&out[3 * (size_t)column], color, weight);
            }
        }
    }

    const double pixel_row = (double)((region.y + region.height - 1 - y) * trail->scale + cell_row);
    const int64_t pixel_width = region.width * trail->scale;
    if (trail->has_start) paint_mark(trail, trail->start, true, pixel_row, pixel_width, pixels);
    if (trail->has_end) paint_mark(trail, trail->end, false, pixel_row, pixel_width, pixels);
}
