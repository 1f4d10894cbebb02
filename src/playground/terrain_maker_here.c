// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "playground/terrain_maker_here.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

enum { KEPT = 1024, LISTS = 16 }; // patches that nobody has fetched yet; a viewer has eight lists

typedef struct here_list {
    uint32_t connection;
    uint32_t purpose;
    size_t count; // zero: free
    size_t next;
    jbw_position patches[JBW_WANTED_MOST];
} here_list;

struct jbw_terrain_maker {
    jbw_world *world; // of its own: nothing ever happens in it
    size_t patch_size;
    uint8_t *hidden; // (patch_cells)
    here_list lists[LISTS];
    size_t turn;          // the list to work on next
    jbw_position *places; // (KEPT), a ring
    uint8_t *cells;       // (KEPT x patch_cells)
    size_t kept_count;
    size_t kept_next;
    uint64_t made_count;
    uint64_t news_count;
};

jbw_status jbw_terrain_maker_create(const jbw_model *model, uint64_t seed,
                                    const jbw_patch_store *store, jbw_looking *looking,
                                    jbw_made_function *on_made, void *user, jbw_terrain_maker **out)
{
    (void)looking;
    (void)on_made;
    (void)user;
    *out = NULL;
    jbw_terrain_maker *maker = calloc(1, sizeof *maker);
    if (!maker) return JBW_OUT_OF_MEMORY;
    maker->patch_size = (size_t)jbw_model_patch_size(model);
    const size_t count = maker->patch_size * maker->patch_size;
    maker->hidden = malloc(count);
    maker->places = calloc(KEPT, sizeof *maker->places);
    maker->cells = malloc(KEPT * count);
    jbw_status status = jbw_world_create(model, seed, &maker->world);
    if (!status && store) status = jbw_world_set_patch_store(maker->world, store);
    if (!maker->hidden || !maker->places || !maker->cells) status = JBW_OUT_OF_MEMORY;
    if (status)
        jbw_terrain_maker_destroy(maker);
    else
        *out = maker;
    return status;
}

void jbw_terrain_maker_stop(jbw_terrain_maker *maker)
{
    (void)maker;
}

void jbw_terrain_maker_destroy(jbw_terrain_maker *maker)
{
    if (!maker) return;
    jbw_world_destroy(maker->world);
    free(maker->hidden);
    free(maker->places);
    free(maker->cells);
    free(maker);
}

// ---- the patches that were made ----

// the place of a patch in the ring, or KEPT
static size_t find_kept(const jbw_terrain_maker *maker, jbw_position patch)
{
    for (size_t i = 0; i < maker->kept_count; i++)
        if (maker->places[i].x == patch.x && maker->places[i].y == patch.y) return i;
    return KEPT;
}

static void make(jbw_terrain_maker *maker, jbw_position patch)
{
    const int64_t size = (int64_t)maker->patch_size;
    const size_t count = maker->patch_size * maker->patch_size;
    const jbw_region region = {patch.x * size, patch.y * size, size, size};
    const size_t at = maker->kept_next;
    uint8_t *cells = maker->cells + at * count;
    // a failure leaves the place without a patch
    maker->places[at] = (jbw_position){INT64_MAX, INT64_MAX};
    if (maker->kept_count < KEPT) maker->kept_count++;
    const jbw_region_planes planes = {.items = cells, .hidden = maker->hidden};
    if (jbw_world_read_planes(maker->world, region, &planes)) return;
    for (size_t i = 0; i < count; i++) cells[i] |= maker->hidden[i];
    maker->places[at] = patch;
    maker->kept_next = (at + 1) % KEPT;
    maker->made_count++;
}

bool jbw_terrain_maker_work(jbw_terrain_maker *maker)
{
    for (size_t i = 0; i < LISTS; i++) {
        maker->turn = (maker->turn + 1) % LISTS;
        here_list *list = &maker->lists[maker->turn];
        if (list->count == 0) continue;
        const jbw_position patch = list->patches[list->next++];
        if (list->next == list->count) list->count = 0;
        if (find_kept(maker, patch) == KEPT) make(maker, patch);
        maker->news_count++;
        return true;
    }
    return false;
}

bool jbw_terrain_maker_get(jbw_terrain_maker *maker, jbw_position patch, uint8_t *cells)
{
    const size_t count = maker->patch_size * maker->patch_size;
    const size_t at = find_kept(maker, patch);
    if (at == KEPT) return false;
    memcpy(cells, maker->cells + at * count, count);
    return true;
}

// ---- the patches that are wanted ----

static here_list *find_list(jbw_terrain_maker *maker, uint32_t connection, uint32_t purpose)
{
    for (size_t i = 0; i < LISTS; i++) {
        here_list *list = &maker->lists[i];
        if (list->count > 0 && list->connection == connection && list->purpose == purpose)
            return list;
    }
    return NULL;
}

void jbw_terrain_maker_want(jbw_terrain_maker *maker, uint32_t connection, uint32_t purpose,
                            const jbw_position *patches, size_t count)
{
    here_list *list = find_list(maker, connection, purpose);
    for (size_t i = 0; !list && count > 0 && i < LISTS; i++)
        if (maker->lists[i].count == 0) list = &maker->lists[i];
    if (!list) return;
    if (count > JBW_WANTED_MOST) count = JBW_WANTED_MOST;
    list->connection = connection;
    list->purpose = purpose;
    list->count = count;
    list->next = 0;
    if (count > 0) memcpy(list->patches, patches, count * sizeof *patches);
}

bool jbw_terrain_maker_is_at(jbw_terrain_maker *maker, uint32_t connection, uint32_t purpose)
{
    return find_list(maker, connection, purpose) != NULL;
}

void jbw_terrain_maker_forget(jbw_terrain_maker *maker, uint32_t connection)
{
    for (size_t i = 0; i < LISTS; i++)
        if (maker->lists[i].connection == connection) maker->lists[i].count = 0;
}

uint64_t jbw_terrain_maker_news(const jbw_terrain_maker *maker)
{
    return maker->news_count;
}

uint64_t jbw_terrain_maker_count(const jbw_terrain_maker *maker)
{
    return maker->made_count;
}
