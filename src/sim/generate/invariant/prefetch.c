// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/generate/invariant/prefetch.h"

#include <string.h>

enum {
    NEAR_STRIDES = 4,  // straight on, before anything else
    ALL_STRIDES = 8,   // straight on
    SAME_STRIDES = 2,  // nobody goes farther than this between two notes
    LEASH_FRACTION = 2 // what a trail remembers of the way, as part of a stride
};

static int64_t magnitude(int64_t a)
{
    return a < 0 ? -a : a;
}

static int64_t distance(jbw_position a, jbw_position b)
{
    const int64_t x = magnitude(a.x - b.x);
    const int64_t y = magnitude(a.y - b.y);
    return x > y ? x : y;
}

// the place that lies so far from `place` in the direction from `from` to `to`
static jbw_position go(jbw_position place, jbw_position from, jbw_position to, int64_t far)
{
    const int64_t length = distance(from, to);
    if (length == 0) return place;
    return (jbw_position){place.x + (to.x - from.x) * far / length,
                          place.y + (to.y - from.y) * far / length};
}

void jbw_prefetch_note(jbw_prefetch *forecast, jbw_position cell, int64_t stride)
{
    int nearest = -1;
    for (int i = 0; i < forecast->trail_count; i++) {
        const int64_t far = distance(forecast->trails[i].place, cell);
        if (far <= SAME_STRIDES * stride &&
            (nearest < 0 || far < distance(forecast->trails[nearest].place, cell)))
            nearest = i;
    }
    jbw_prefetch_track trail = {cell, cell};
    if (nearest >= 0) {
        const int64_t leash = stride / LEASH_FRACTION;
        trail.from = forecast->trails[nearest].from;
        if (distance(trail.from, cell) > leash) trail.from = go(cell, cell, trail.from, leash);
    } else {
        if (forecast->trail_count < JBW_MOST_TRACKS) forecast->trail_count++;
        nearest = forecast->trail_count - 1; // the oldest one is forgotten
    }
    memmove(forecast->trails + 1, forecast->trails, (size_t)nearest * sizeof *forecast->trails);
    forecast->trails[0] = trail;
}

typedef struct guesses {
    jbw_position *places;
    size_t count;
    size_t capacity;
} guesses;

static void add(guesses *g, jbw_position place)
{
    const jbw_position origin = {0, 0};
    if (g->count < g->capacity && distance(place, origin) <= JBW_MAX_COORDINATE)
        g->places[g->count++] = place;
}

static bool is_moving(const jbw_prefetch_track *trail)
{
    return distance(trail->from, trail->place) > 0;
}

// places from this stride on up to that, those of all trails by turns
static void add_straight(guesses *g, const jbw_prefetch *forecast, int64_t stride, int first,
                         int last)
{
    for (int k = first; k <= last; k++) {
        for (int i = 0; i < forecast->trail_count; i++) {
            const jbw_prefetch_track *trail = &forecast->trails[i];
            if (is_moving(trail)) add(g, go(trail->place, trail->from, trail->place, k * stride));
        }
    }
}

static void add_sides(guesses *g, const jbw_prefetch_track *trail, int64_t stride)
{
    const int64_t x = trail->place.x - trail->from.x;
    const int64_t y = trail->place.y - trail->from.y;
    const jbw_position origin = {0, 0};
    add(g, go(trail->place, origin, (jbw_position){-y, x}, stride));
    add(g, go(trail->place, origin, (jbw_position){y, -x}, stride));
}

static void add_all_around(guesses *g, jbw_position place, int64_t stride)
{
    static const int x[] = {1, 0, -1, 0, 1, -1, -1, 1};
    static const int y[] = {0, 1, 0, -1, 1, 1, -1, -1};
    for (int i = 0; i < 8; i++)
        add(g, (jbw_position){place.x + x[i] * stride, place.y + y[i] * stride});
}

size_t jbw_prefetch_guess(const jbw_prefetch *forecast, int64_t stride, jbw_position *places,
                          size_t capacity, size_t *sure_count)
{
    guesses g = {.places = places, .capacity = capacity};
    add_straight(&g, forecast, stride, 1, NEAR_STRIDES);
    *sure_count = g.count;
    for (int i = 0; i < forecast->trail_count; i++) {
        const jbw_prefetch_track *trail = &forecast->trails[i];
        if (is_moving(trail))
            add_sides(&g, trail, stride);
        else
            add_all_around(&g, trail->place, stride);
    }
    add_straight(&g, forecast, stride, NEAR_STRIDES + 1, ALL_STRIDES);
    return g.count;
}
