// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// What worlds ask of an atlas. Whatever goes wrong here, a world makes the patch itself.

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "atlas/atlas.h"
#include "base/error.h"
#include "jbw/patch_store.h"

enum {
    PAUSE = 256,        // patches that are not added after a failure
    ATTEMPTS = 4,       // a file can vanish each time it is opened, but why should it
    CHECK_SHARE = 64,   // the folder is measured each time this part of its limit was added
    PRUNE_SHARE = 8,    // and this part of its limit is freed at once
    TOUCH_FINDS = 1024, // a file that is read this often is touched again
};

// the patches of one world and seed; several worlds may share it
typedef struct view {
    jbw_atlas *atlas;
    atomic_int reference_count;
    jbw_tile_name name; // of its tiles, but for the place
    jbw_tile_shape shape;
    uint8_t *world; // what decides its cells
    size_t world_size;
} view;

// ---- open tiles; all of these under the lock of the atlas ----

static bool is_same_name(const jbw_tile_name *a, const jbw_tile_name *b)
{
    return a->place.x == b->place.x && a->place.y == b->place.y && a->seed == b->seed &&
           memcmp(a->world, b->world, sizeof a->world) == 0;
}

static void unlist(jbw_atlas *atlas, size_t index)
{
    jbw_open_tile *tile = atlas->tiles[index];
    atlas->tile_count--;
    memmove(atlas->tiles + index, atlas->tiles + index + 1,
            (atlas->tile_count - index) * sizeof(jbw_open_tile *));
    tile->is_listed = false;
    if (tile->user_count == 0) jbw_open_tile_destroy(tile);
}

static void list_first(jbw_atlas *atlas, jbw_open_tile *tile)
{
    memmove(atlas->tiles + 1, atlas->tiles, atlas->tile_count * sizeof(jbw_open_tile *));
    atlas->tiles[0] = tile;
    atlas->tile_count++;
}

static void open_file(jbw_atlas *atlas, jbw_open_tile *tile, jbw_tile_result *result)
{
    char path[JBW_ATLAS_PATH_SIZE];
    jbw_folder_tile_path(atlas->root, &tile->file.name, path);
    *result = jbw_tile_file_open(&tile->file, path, atlas->is_read_only);
    if (!*result && !atlas->is_read_only) jbw_tile_file_touch(&tile->file);
}

// The tile with a name, first in the list; a new one if there is none. NULL when memory runs out. It
// may not be open: then `is_new` tells whether it was looked for just now.
static jbw_open_tile *find_tile(const view *v, jbw_position place, bool *is_new,
                                jbw_tile_result *result)
{
    jbw_atlas *atlas = v->atlas;
    jbw_tile_name name = v->name;
    name.place = place;
    *is_new = false;
    for (size_t i = 0; i < atlas->tile_count; i++) {
        jbw_open_tile *tile = atlas->tiles[i];
        if (!is_same_name(&tile->file.name, &name)) continue;
        memmove(atlas->tiles + 1, atlas->tiles, i * sizeof(jbw_open_tile *));
        atlas->tiles[0] = tile;
        return tile;
    }
    jbw_open_tile *tile = calloc(1, sizeof *tile);
    if (!tile) return NULL;
    if (atlas->tile_count == JBW_OPEN_TILES) unlist(atlas, atlas->tile_count - 1);
    jbw_tile_file_init(&tile->file, &name, v->shape);
    tile->is_listed = true;
    list_first(atlas, tile);
    open_file(atlas, tile, result);
    *is_new = true;
    return tile;
}

// ---- using a tile ----

// The tile at a place, to be let go; NULL if it is not open and cannot be opened, for the reason in
// `result`.
static jbw_open_tile *acquire(const view *v, jbw_position place, jbw_tile_result *result)
{
    pthread_mutex_lock(&v->atlas->mutex);
    bool is_new;
    *result = JBW_TILE_FOUND;
    jbw_open_tile *tile = find_tile(v, place, &is_new, result);
    if (!tile) *result = JBW_TILE_REFUSED;
    if (tile && !is_new && !jbw_tile_file_is_open(&tile->file)) open_file(v->atlas, tile, result);
    if (*result)
        tile = NULL;
    else
        tile->user_count++;
    pthread_mutex_unlock(&v->atlas->mutex);
    return tile;
}

static void let_go(jbw_atlas *atlas, jbw_open_tile *tile, bool is_gone)
{
    pthread_mutex_lock(&atlas->mutex);
    tile->user_count--;
    if (tile->is_listed && is_gone) {
        size_t index = 0;
        while (atlas->tiles[index] != tile) index++;
        unlist(atlas, index);
    } else if (!tile->is_listed && tile->user_count == 0) {
        jbw_open_tile_destroy(tile);
    }
    pthread_mutex_unlock(&atlas->mutex);
}

// ---- finding ----

static void count_find(jbw_atlas *atlas, jbw_tile_result result)
{
    pthread_mutex_lock(&atlas->mutex);
    if (result == JBW_TILE_FOUND)
        atlas->counts.found++;
    else
        atlas->counts.missing++;
    if (result == JBW_TILE_DAMAGED) atlas->counts.damaged++;
    pthread_mutex_unlock(&atlas->mutex);
}

static bool find(void *user, jbw_position patch, uint8_t *cells)
{
    view *v = user;
    jbw_tile_result result;
    jbw_open_tile *tile = acquire(v, jbw_tile_of(patch), &result);
    if (tile) {
        result = jbw_tile_file_find(&tile->file, patch, cells, NULL);
        if (!v->atlas->is_read_only &&
            atomic_fetch_add_explicit(&tile->find_count, 1, memory_order_relaxed) % TOUCH_FINDS ==
                TOUCH_FINDS - 1)
            jbw_tile_file_touch(&tile->file);
        let_go(v->atlas, tile, false);
    }
    count_find(v->atlas, result);
    return result == JBW_TILE_FOUND;
}

static bool has(void *user, jbw_position patch)
{
    view *v = user;
    pthread_mutex_lock(&v->atlas->mutex);
    bool is_new;
    jbw_tile_result result;
    const jbw_open_tile *tile = find_tile(v, jbw_tile_of(patch), &is_new, &result);
    const bool is_there =
        tile && jbw_tile_file_is_open(&tile->file) && jbw_tile_file_has(&tile->file, patch);
    pthread_mutex_unlock(&v->atlas->mutex);
    return is_there;
}

// ---- adding ----

static bool create_tile(const view *v, const jbw_tile_name *name, bool replaces)
{
    jbw_atlas *atlas = v->atlas;
    char path[JBW_ATLAS_PATH_SIZE];
    jbw_tile_file file;
    jbw_tile_file_init(&file, name, v->shape);
    jbw_folder_tile_path(atlas->root, name, path);
    atlas->unchecked_bytes += JBW_TILE_EMPTY_BYTES;
    return jbw_folder_prepare(atlas->root, name, v->world, v->world_size) &&
           jbw_folder_create_tile(&file, path, replaces);
}

static jbw_tile_added add(const view *v, jbw_position patch, const uint8_t *cells, size_t *bytes)
{
    jbw_tile_name name = v->name;
    name.place = jbw_tile_of(patch);
    char path[JBW_ATLAS_PATH_SIZE];
    jbw_folder_tile_path(v->atlas->root, &name, path);
    for (int i = 0; i < ATTEMPTS; i++) {
        jbw_tile_result result;
        jbw_open_tile *tile = acquire(v, name.place, &result);
        bool replaces = result == JBW_TILE_DAMAGED;
        if (tile) {
            const jbw_tile_added added = jbw_tile_file_add(&tile->file, path, patch, cells, bytes);
            replaces = added == JBW_TILE_IS_BROKEN;
            let_go(v->atlas, tile, replaces || added == JBW_TILE_IS_GONE);
            if (!replaces && added != JBW_TILE_IS_GONE) return added;
        }
        if (result == JBW_TILE_REFUSED || !create_tile(v, &name, replaces)) break;
    }
    return JBW_TILE_FAILED;
}

// keeps the folder within its limit
static void check_limit(jbw_atlas *atlas, size_t added)
{
    pthread_mutex_lock(&atlas->mutex);
    const uint64_t limit = atlas->limit;
    pthread_mutex_unlock(&atlas->mutex);
    atlas->unchecked_bytes += added;
    if (atlas->is_checked && atlas->unchecked_bytes <= limit / CHECK_SHARE) return;
    atlas->is_checked = true;
    atlas->unchecked_bytes = 0;
    jbw_tile_list list;
    uint64_t removed;
    uint64_t bytes;
    if (!jbw_folder_list(atlas->root, false, &list)) return;
    if (list.bytes > limit)
        jbw_folder_prune(atlas->root, &list, limit - limit / PRUNE_SHARE, &removed, &bytes);
    jbw_tile_list_deinit(&list);
}

// false if adding failed a short while ago
static bool is_ready_to_add(jbw_atlas *atlas)
{
    pthread_mutex_lock(&atlas->mutex);
    const bool is_ready = atlas->pause == 0;
    if (!is_ready) {
        atlas->pause--;
        atlas->counts.failed++;
    }
    pthread_mutex_unlock(&atlas->mutex);
    return is_ready;
}

static void offer(void *user, jbw_position patch, const uint8_t *cells)
{
    view *v = user;
    jbw_atlas *atlas = v->atlas;
    if (atlas->is_read_only || !is_ready_to_add(atlas)) return;
    size_t bytes = 0;
    pthread_mutex_lock(&atlas->add_mutex);
    const jbw_tile_added added = add(v, patch, cells, &bytes);
    if (added == JBW_TILE_ADDED) check_limit(atlas, bytes);
    pthread_mutex_unlock(&atlas->add_mutex);

    pthread_mutex_lock(&atlas->mutex);
    if (added == JBW_TILE_ADDED) {
        atlas->counts.added++;
        atlas->counts.bytes += bytes;
    } else if (added != JBW_TILE_WAS_THERE) {
        atlas->counts.failed++;
        atlas->pause = PAUSE;
    }
    pthread_mutex_unlock(&atlas->mutex);
}

// ---- worlds ----

static void retain(void *user)
{
    atomic_fetch_add(&((view *)user)->reference_count, 1);
}

static void release(void *user)
{
    view *v = user;
    if (atomic_fetch_sub(&v->reference_count, 1) > 1) return;
    jbw_atlas_release(v->atlas);
    free(v->world);
    free(v);
}

// NULL, with a status, if it cannot be made
static view *create_view(const jbw_world *world, jbw_atlas *atlas, jbw_status *status,
                         jbw_error *error)
{
    const jbw_model *model = jbw_world_model(world);
    jbw_buffer bytes = {0};
    *status = jbw_model_write_generation(model, &bytes, error);
    if (*status) return NULL;
    view *v = calloc(1, sizeof *v);
    if (!v) {
        jbw_buffer_free(&bytes);
        *status = jbw_error_set_status(error, JBW_OUT_OF_MEMORY);
        return NULL;
    }
    v->atlas = atlas;
    v->reference_count = 1;
    v->name.seed = jbw_world_seed(world);
    jbw_hash_name(bytes.bytes, bytes.size, v->name.world);
    v->shape.patch_size = jbw_model_patch_size(model);
    v->shape.type_count = jbw_model_item_type_count(model);
    v->world = bytes.bytes; // of malloc
    v->world_size = bytes.size;
    jbw_atlas_retain(atlas);
    return v;
}

jbw_status jbw_world_set_atlas(jbw_world *world, jbw_atlas *atlas, jbw_error *error)
{
    if (error) *error = (jbw_error){0};
    if (!atlas) {
        (void)jbw_world_set_patch_store(world, NULL); // a world that cannot have one has none
        return JBW_OK;
    }
    jbw_status status;
    view *v = create_view(world, atlas, &status, error);
    if (!v) return status;
    const jbw_patch_store store = {
        .user = v, .find = find, .has = has, .offer = offer, .retain = retain, .release = release};
    status = jbw_world_set_patch_store(world, &store);
    release(v); // the world holds it
    return status;
}

jbw_status jbw_atlas_attach(jbw_world *world, void *atlas)
{
    const jbw_status status = jbw_world_set_atlas(world, atlas, NULL);
    return status == JBW_UNSUPPORTED ? JBW_OK : status;
}
