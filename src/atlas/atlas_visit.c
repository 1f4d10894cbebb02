// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Everything that is in an atlas, and pruning.

#include <stdlib.h>
#include <string.h>

#include "atlas/atlas.h"
#include "jbw/patch_store.h"

// ---- pruning ----

jbw_status jbw_atlas_prune(jbw_atlas *atlas, uint64_t limit, jbw_atlas_pruned *out)
{
    jbw_atlas_pruned pruned = {0};
    if (out) *out = pruned;
    if (atlas->is_read_only) return JBW_NOT_PERMITTED;
    jbw_tile_list list;
    if (!jbw_folder_list(atlas->root, true, &list)) return JBW_OUT_OF_MEMORY;
    const uint64_t count = list.count;
    const uint64_t bytes = list.bytes;
    jbw_folder_prune(atlas->root, &list, limit, &pruned.file_count, &pruned.bytes);
    pruned.left_file_count = count - pruned.file_count;
    pruned.left_bytes = bytes - pruned.bytes;
    jbw_tile_list_deinit(&list);
    if (out) *out = pruned;
    return JBW_OK;
}

// ---- visiting ----

typedef struct visit {
    const jbw_atlas *atlas;
    const jbw_atlas_visitor *to;
    char name[JBW_WORLD_NAME_SIZE]; // of the world
    jbw_atlas_world world;
    bool has_world; // it has begun
    jbw_model *model;
    uint8_t *cells; // of the world's shape
} visit;

// false if that ended the visit
static bool end_world(visit *v)
{
    const bool goes_on =
        !v->has_world || !v->to->on_world_end || v->to->on_world_end(v->to->user, &v->world);
    v->has_world = false;
    jbw_model_destroy(v->model);
    free(v->cells);
    v->model = NULL;
    v->cells = NULL;
    return goes_on;
}

// reads what a world is; without a model if that is damaged or unknown
static jbw_status begin_world(visit *v, const uint8_t name[JBW_HASH_NAME_SIZE])
{
    if (!end_world(v)) return JBW_INTERRUPTED;
    jbw_folder_world_name(name, v->name);
    jbw_buffer bytes = {0};
    jbw_status status =
        jbw_folder_read_world(v->atlas->root, name, &bytes) ? JBW_OK : JBW_OUT_OF_MEMORY;
    if (!status && bytes.size > 0)
        status = jbw_model_read_generation(bytes.bytes, bytes.size, NULL, &v->model, NULL);
    jbw_buffer_free(&bytes);
    if (status == JBW_OUT_OF_MEMORY) return status;
    if (v->model) {
        const size_t side = (size_t)jbw_model_patch_size(v->model);
        v->cells = malloc(side * side);
        if (!v->cells) return JBW_OUT_OF_MEMORY;
    }
    v->world = (jbw_atlas_world){.name = v->name, .model = v->model};
    v->has_world = true;
    if (v->to->on_world && !v->to->on_world(v->to->user, &v->world)) return JBW_INTERRUPTED;
    return JBW_OK;
}

static bool visit_patches(const visit *v, jbw_tile_file *tile, const jbw_atlas_file *file)
{
    for (size_t slot = 0; slot < JBW_TILE_SLOTS; slot++) {
        const jbw_position place = jbw_tile_patch_at(tile->name.place, slot);
        size_t bytes;
        const jbw_tile_result result = jbw_tile_file_find(tile, place, v->cells, &bytes);
        if (result == JBW_TILE_MISSING) continue;
        const jbw_atlas_patch patch = {.file = file,
                                       .place = place,
                                       .bytes = bytes,
                                       .cells = result == JBW_TILE_FOUND ? v->cells : NULL};
        if (!v->to->on_patch(v->to->user, &patch)) return false;
    }
    return true;
}

static bool visit_tile(const visit *v, const jbw_listed_tile *listed)
{
    char path[JBW_ATLAS_PATH_SIZE];
    jbw_folder_tile_path(v->atlas->root, &listed->name, path);
    jbw_tile_file tile;
    jbw_tile_shape shape = {0};
    if (v->model) {
        shape.patch_size = jbw_model_patch_size(v->model);
        shape.type_count = jbw_model_item_type_count(v->model);
    }
    jbw_tile_file_init(&tile, &listed->name, shape);
    jbw_tile_result result = JBW_TILE_FOUND;
    if (v->model) result = jbw_tile_file_open(&tile, path, true);
    if (result == JBW_TILE_MISSING) return true; // removed meanwhile
    const jbw_atlas_file file = {.world = &v->world,
                                 .seed = listed->name.seed,
                                 .path = path,
                                 .bytes = listed->bytes,
                                 .is_good = result == JBW_TILE_FOUND};
    bool goes_on = !v->to->on_file || v->to->on_file(v->to->user, &file);
    if (goes_on && v->to->on_patch && jbw_tile_file_is_open(&tile))
        goes_on = visit_patches(v, &tile, &file);
    jbw_tile_file_close(&tile);
    return goes_on;
}

jbw_status jbw_atlas_visit(const jbw_atlas *atlas, const jbw_atlas_visitor *visitor)
{
    jbw_tile_list list;
    if (!jbw_folder_list(atlas->root, false, &list)) return JBW_OUT_OF_MEMORY;
    visit v = {.atlas = atlas, .to = visitor};
    jbw_status status = JBW_OK;
    for (size_t i = 0; i < list.count && !status; i++) {
        const jbw_listed_tile *tile = &list.tiles[i];
        const bool is_next =
            i == 0 || memcmp(tile->name.world, tile[-1].name.world, JBW_HASH_NAME_SIZE) != 0;
        if (is_next) status = begin_world(&v, tile->name.world);
        if (!status && !visit_tile(&v, tile)) status = JBW_INTERRUPTED;
    }
    if (!end_world(&v) && !status) status = JBW_INTERRUPTED;
    jbw_tile_list_deinit(&list);
    return status;
}
