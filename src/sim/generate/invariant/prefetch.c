// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/generate/invariant/prefetch.h"

#include <string.h>

enum {
    NEAR_STRIDES = 4,   // guesses straight ahead, before all others
    ALL_STRIDES = 8,    // all guesses straight ahead
    SAME_STRIDES = 2,   // an agent does not move farther than this between two notes
    LEASH_FRACTION = 2, // a track remembers this part of a stride of its path
    CACHE_SHARE = 8,    // prefetched blocks may fill this part of the cache
    MOST_NEEDED = 64,   // regions that are needed now
    MOST_GUESSES = JBW_MOST_WANTS - MOST_NEEDED,
};

// ---- guessing ----

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

// the place at distance `far` from `place`, in the direction from `from` to `to`
static jbw_position go(jbw_position place, jbw_position from, jbw_position to, int64_t far)
{
    const int64_t length = distance(from, to);
    if (length == 0) return place;
    return (jbw_position){place.x + (to.x - from.x) * far / length,
                          place.y + (to.y - from.y) * far / length};
}

void jbw_prefetch_note(jbw_prefetch *prefetch, jbw_position cell, int64_t stride)
{
    int nearest = -1;
    for (int i = 0; i < prefetch->track_count; i++) {
        const int64_t far = distance(prefetch->tracks[i].place, cell);
        if (far <= SAME_STRIDES * stride &&
            (nearest < 0 || far < distance(prefetch->tracks[nearest].place, cell)))
            nearest = i;
    }
    jbw_prefetch_track track = {cell, cell};
    if (nearest >= 0) {
        const int64_t leash = stride / LEASH_FRACTION;
        track.from = prefetch->tracks[nearest].from;
        if (distance(track.from, cell) > leash) track.from = go(cell, cell, track.from, leash);
    } else {
        if (prefetch->track_count < JBW_MOST_TRACKS) prefetch->track_count++;
        nearest = prefetch->track_count - 1; // the oldest track is forgotten
    }
    memmove(prefetch->tracks + 1, prefetch->tracks, (size_t)nearest * sizeof *prefetch->tracks);
    prefetch->tracks[0] = track;
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

static bool is_moving(const jbw_prefetch_track *track)
{
    return distance(track->from, track->place) > 0;
}

// guesses from stride `first` to `last` ahead, all tracks in turn
static void add_straight(guesses *g, const jbw_prefetch *prefetch, int64_t stride, int first,
                         int last)
{
    for (int k = first; k <= last; k++) {
        for (int i = 0; i < prefetch->track_count; i++) {
            const jbw_prefetch_track *track = &prefetch->tracks[i];
            if (is_moving(track)) add(g, go(track->place, track->from, track->place, k * stride));
        }
    }
}

static void add_sides(guesses *g, const jbw_prefetch_track *track, int64_t stride)
{
    const int64_t x = track->place.x - track->from.x;
    const int64_t y = track->place.y - track->from.y;
    const jbw_position origin = {0, 0};
    add(g, go(track->place, origin, (jbw_position){-y, x}, stride));
    add(g, go(track->place, origin, (jbw_position){y, -x}, stride));
}

static void add_all_around(guesses *g, jbw_position place, int64_t stride)
{
    static const int x[] = {1, 0, -1, 0, 1, -1, -1, 1};
    static const int y[] = {0, 1, 0, -1, 1, 1, -1, -1};
    for (int i = 0; i < 8; i++)
        add(g, (jbw_position){place.x + x[i] * stride, place.y + y[i] * stride});
}

size_t jbw_prefetch_guess(const jbw_prefetch *prefetch, int64_t stride, jbw_position *places,
                          size_t capacity, size_t *sure_count)
{
    guesses g = {.places = places, .capacity = capacity};
    add_straight(&g, prefetch, stride, 1, NEAR_STRIDES);
    *sure_count = g.count;
    for (int i = 0; i < prefetch->track_count; i++) {
        const jbw_prefetch_track *track = &prefetch->tracks[i];
        if (is_moving(track))
            add_sides(&g, track, stride);
        else
            add_all_around(&g, track->place, stride);
    }
    add_straight(&g, prefetch, stride, NEAR_STRIDES + 1, ALL_STRIDES);
    return g.count;
}

// ---- telling ----

int64_t jbw_prefetch_stride(const jbw_block_builder *builder)
{
    return builder->plan->stages[builder->plan->stage_count - 1].side;
}

bool jbw_prefetch_need(jbw_prefetch_needs *needs, const jbw_map *map, const jbw_patch_store *store,
                       jbw_patch_range range)
{
    if (needs->count == MOST_NEEDED) return false;
    if (!jbw_patch_range_is_at_hand(map, store, range))
        needs->regions[needs->count++] = jbw_patch_range_region(map, range);
    return true;
}

void jbw_prefetch_tell(const jbw_prefetch *prefetch, const jbw_map *map,
                       const jbw_patch_store *store, jbw_block_builder *builder,
                       jbw_prefetch_needs *needs)
{
    jbw_position places[MOST_GUESSES];
    const size_t room =
        builder->cache.budget / CACHE_SHARE / jbw_block_builder_largest(builder->plan);
    size_t straight_count;
    const size_t place_count =
        jbw_prefetch_guess(prefetch, jbw_prefetch_stride(builder), places,
                           room < MOST_GUESSES ? room : MOST_GUESSES, &straight_count);

    size_t count = needs->count;
    size_t sure_count = count;
    for (size_t i = 0; i < place_count; i++) {
        const jbw_patch_range near = jbw_patch_range_near(map, places[i]);
        if (!jbw_patch_range_is_at_hand(map, store, near))
            needs->regions[count++] = jbw_patch_range_region(map, near);
        if (i < straight_count) sure_count = count;
    }
    jbw_block_builder_want(builder, needs->regions, count, sure_count);
}
