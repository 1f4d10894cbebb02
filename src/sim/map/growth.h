// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Cells in which an item grows back that was generated there and collected. No clock touches patches
/// that nobody visits: an entry says when its item is due, and a patch is brought up to date
/// ("settled") when an agent comes near or a user changes it. Whoever looks at a patch that is not
/// settled finds out from the entries what is there now.
///
///     growing    the cell is empty, and the item is there at its time; then the entry is as good as
///     returned   the item came back at its time, which can be smelled for a while; then it is over
///     covered    another item lies in the cell, and the item waits for it to go
///
/// Entries are kept apart from changes (change.h) and events (event.h): a cell in which an item grows
/// counts as unchanged in runs (change_runs.h). So nothing is left of an entry that is over, even if
/// its patch is not in memory.
///
///     bytes   count; then for each entry 3 (cells after that of the entry before) + kind, and its
///             time; all varints
#ifndef JBW_SIM_MAP_GROWTH_H
#define JBW_SIM_MAP_GROWTH_H

#include "base/bytes.h"
#include "sim/map/map.h"

typedef enum jbw_growth_kind {
    JBW_GROWTH_GROWING,
    JBW_GROWTH_COVERED,
    JBW_GROWTH_RETURNED,
} jbw_growth_kind;

struct jbw_growth {
    uint64_t time; // when it is due, or when it came back
    uint16_t cell;
    uint8_t type; // of the generated item; unknown in bytes
    uint8_t kind;
};

/// Whether an item is there by `time`, though its entry still says that it grows.
static inline bool jbw_growth_is_due(const jbw_growth *growth, uint64_t time)
{
    return growth->kind == JBW_GROWTH_GROWING && growth->time <= time;
}

// ---- the entries of a patch in memory: by cell, then by time ----

/// Makes room for `count` more entries in a patch that owns its content. False when memory runs out.
bool jbw_growth_reserve(jbw_map *map, jbw_patch *patch, size_t count);

/// The entry of a cell in which an item grows, covered or not, or NULL.
jbw_growth *jbw_growth_find(const jbw_content *content, int cell);

/// Whether the item of a changed cell is there by the time of the map, though the patch is not settled.
static inline bool jbw_growth_is_back(const jbw_map *map, const jbw_content *content, int cell)
{
    if (content->settle_time > map->time) return false;
    const jbw_growth *growth = jbw_growth_find(content, cell);
    return growth && jbw_growth_is_due(growth, map->time);
}

/// Adds an entry for a cell that has just become empty. There must be room.
void jbw_growth_begin(jbw_patch *patch, int cell, int item_type, uint64_t due);

/// Follows a change of a cell at `time`, to an item type plus one or to empty: items cover a growing
/// cell or set it free, and one of the type that grows there takes its place.
void jbw_growth_follow(jbw_patch *patch, int cell, uint8_t content, uint64_t time);

/// Removes entries that are over, and finds out when the patch has to be settled again.
void jbw_growth_forget(const jbw_map *map, jbw_patch *patch, uint64_t time);

/// A row of cells as they are at the time of the map: the patch's own, or `buffer`, filled in.
const uint8_t *jbw_growth_row(const jbw_map *map, const jbw_patch *patch, int row,
                              uint8_t buffer[JBW_MAX_PATCH_SIZE]);

// ---- entries as they are at the time of the map, in memory or in bytes ----

/// Iterates over them, without those that are over. All zero has none.
typedef struct jbw_growth_walk {
    const jbw_map *map;
    const jbw_content *content; // of a patch in memory; otherwise NULL
    size_t done;
    jbw_reader in; // bytes, and how many entries are left in them
    uint64_t left;
    int cell;
} jbw_growth_walk;

jbw_growth_walk jbw_growth_walk_patch(const jbw_map *map, const jbw_patch *patch);
jbw_growth_walk jbw_growth_walk_bytes(const jbw_map *map, const uint8_t *bytes, size_t size);

/// Those of a patch wherever they are.
jbw_growth_walk jbw_growth_walk_at(const jbw_map *map, jbw_position at);

/// Gets the next entry; false at the end. If the bytes are invalid, `walk->in.ok` is false then.
bool jbw_growth_walk_next(jbw_growth_walk *walk, jbw_growth *out);

/// The same for every entry as it is kept.
bool jbw_growth_walk_kept(jbw_growth_walk *walk, jbw_growth *out);

/// The size of these entries in bytes; zero if there are none.
size_t jbw_growth_size(jbw_growth_walk walk);

/// Writes them to memory with enough room, and returns the end of what it wrote.
uint8_t *jbw_growth_put(jbw_growth_walk walk, uint8_t *at);

// ---- patches that leave memory and come back ----

/// Keeps the entries of a patch that is about to leave the map, and clears a few elsewhere that are
/// over. False when memory runs out.
bool jbw_growth_evict(jbw_map *map, const jbw_patch *patch);

/// How many entries are kept for a patch.
size_t jbw_growth_evicted_count(const jbw_map *map, jbw_position at);

/// Gives kept entries back to a patch that was just generated and changed. There must be room.
void jbw_growth_restore(jbw_map *map, jbw_patch *patch);

#endif
