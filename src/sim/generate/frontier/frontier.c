// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/generate/frontier/frontier.h"

#include <stdlib.h>
#include <string.h>

#include "sim/map/change.h"
#include "sim/map/position.h"

void jbw_frontier_init(jbw_frontier *frontier, const jbw_model *model)
{
    *frontier = (jbw_frontier){.model = model, .owner = jbw_pool_join(model->samplers)};
}

void jbw_frontier_deinit(jbw_frontier *frontier)
{
    const jbw_model *model = frontier->model;
    if (!model) return;
    const jbw_allocator *allocator = &model->allocator;
    jbw_free(allocator, frontier->needed, frontier->needed_capacity * sizeof(jbw_position));
    jbw_free(allocator, frontier->entries, frontier->entry_capacity * sizeof(jbw_frontier_entry));
    jbw_free(allocator, frontier->patches, frontier->patch_capacity * sizeof(jbw_patch *));
    jbw_free(allocator, frontier->kept, frontier->kept_capacity * sizeof(jbw_kept_patch));
    jbw_free(allocator, frontier->kept_cells, frontier->kept_cells_capacity);
    jbw_pool_leave(model->samplers, frontier->owner);
    *frontier = (jbw_frontier){0};
}

size_t jbw_frontier_bytes(const jbw_frontier *frontier)
{
    const bool is_kept = jbw_pool_keeps(frontier->model->samplers, frontier->owner);
    return (is_kept ? sizeof(jbw_sampler) + frontier->sampler_bytes : 0) +
           frontier->needed_capacity * sizeof(jbw_position) +
           frontier->entry_capacity * sizeof(jbw_frontier_entry) +
           frontier->patch_capacity * sizeof(jbw_patch *) +
           frontier->kept_capacity * sizeof(jbw_kept_patch) + frontier->kept_cells_capacity;
}

// ---- the sampler ----

static void destroy_sampler(jbw_pooled *object)
{
    jbw_sampler *sampler = (jbw_sampler *)object; // its first member
    const jbw_allocator allocator = sampler->model->allocator;
    jbw_sampler_deinit(sampler);
    jbw_free(&allocator, sampler, sizeof *sampler);
}

// Takes a sampler out of the model's pool, or makes one. The energies of the latest sampling are
// still there unless another world has used it. False when memory runs out.
static bool take_sampler(jbw_frontier *frontier)
{
    const jbw_model *model = frontier->model;
    jbw_sampler *sampler = (jbw_sampler *)jbw_pool_take(model->samplers, frontier->owner);
    if (!sampler) {
        sampler = jbw_alloc(&model->allocator, sizeof *sampler);
        if (!sampler) {
            jbw_pool_give(model->samplers, frontier->owner, NULL);
            return false;
        }
        jbw_sampler_init(sampler, model);
        sampler->pooled.destroy = destroy_sampler;
    }
    if (sampler->pooled.owner != frontier->owner) jbw_sampler_forget(sampler);
    sampler->interrupt = frontier->interrupt;
    frontier->sampler = sampler;
    return true;
}

// Energies pay for the next sampling nearby. A world that has sampled once, around its first agent, may
// wait for that forever: then it takes a tenth of the memory, unless other worlds can use the sampler.
static void give_sampler(jbw_frontier *frontier)
{
    jbw_pool *pool = frontier->model->samplers;
    jbw_pooled *sampler = &frontier->sampler->pooled;
    frontier->sampler_bytes = jbw_sampler_bytes(frontier->sampler);
    frontier->sampler = NULL;
    if (frontier->sampling_count == 0 && !jbw_pool_is_shared(pool)) {
        destroy_sampler(sampler);
        sampler = NULL;
    }
    jbw_pool_give(pool, frontier->owner, sampler);
}

// ---- choosing patches ----

// by row, then column
static int compare_entries(const void *a, const void *b)
{
    const jbw_frontier_entry *p = a;
    const jbw_frontier_entry *q = b;
    if (p->group != q->group) return p->group < q->group ? -1 : 1;
    return jbw_position_compare(p->at, q->at);
}

static bool is_final(const jbw_map *map, jbw_position at)
{
    const jbw_patch *patch = jbw_map_find(map, at);
    return patch && patch->is_final;
}

// appends those of the (at most four) patches needed by an agent that are not final
static size_t append_needed(const jbw_map *map, jbw_position cell, jbw_position *needed,
                            size_t count)
{
    const int64_t size = map->model->patch_size;
    const jbw_position corner = {cell.x - size / 2, cell.y - size / 2};
    const jbw_position opposite = {corner.x + size - 1, corner.y + size - 1};
    const jbw_position low = jbw_map_patch_of(map, corner);
    const jbw_position high = jbw_map_patch_of(map, opposite);
    for (int64_t y = low.y; y <= high.y; y++)
        for (int64_t x = low.x; x <= high.x; x++)
            if (!is_final(map, (jbw_position){x, y})) needed[count++] = (jbw_position){x, y};
    return count;
}

bool jbw_frontier_is_explored(const jbw_map *map, jbw_position cell)
{
    jbw_position needed[4];
    return append_needed(map, cell, needed, 0) == 0;
}

// lists the needed patches and their neighbours that are not final, each once, by row and column
static size_t list_entries(jbw_frontier *frontier, const jbw_map *map, size_t needed_count)
{
    jbw_frontier_entry *entries = frontier->entries;
    size_t count = 0;
    for (size_t i = 0; i < needed_count; i++) {
        for (int j = 0; j < 9; j++) {
            const jbw_position at = {frontier->needed[i].x + j % 3 - 1,
                                     frontier->needed[i].y + j / 3 - 1};
            if (!is_final(map, at)) entries[count++] = (jbw_frontier_entry){.at = at};
        }
    }
    qsort(entries, count, sizeof *entries, compare_entries);
    size_t unique = 0;
    for (size_t i = 0; i < count; i++)
        if (unique == 0 || !jbw_position_is_same(entries[i].at, entries[unique - 1].at))
            entries[unique++] = entries[i];
    return unique;
}

// finds patches, or creates them without putting them into the map
static bool make_patches(jbw_frontier *frontier, const jbw_map *map, uint64_t seed, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        jbw_frontier_entry *entry = &frontier->entries[i];
        entry->patch = jbw_map_find(map, entry->at);
        if (entry->patch && !jbw_map_own(map, entry->patch)) return false;
        if (entry->patch) continue;
        entry->patch = jbw_map_new_patch(map, entry->at, seed);
        entry->is_new = true;
        if (!entry->patch) return false;
    }
    return true;
}

static void discard_new_patches(jbw_frontier *frontier, const jbw_map *map, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (frontier->entries[i].is_new) jbw_map_free_patch(map, frontier->entries[i].patch);
}

static jbw_frontier_entry *find_entry(const jbw_frontier *frontier, size_t count, jbw_position at)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int order = jbw_position_compare(frontier->entries[middle].at, at);
        if (order == 0) return &frontier->entries[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

// Numbers the groups from one, and returns the size of the largest. Groups do not interact, so they
// are sampled one after the other. The result is the same as sampling all of them in turn, and
// agents far apart need no more memory than one.
static size_t find_groups(jbw_frontier *frontier, size_t count)
{
    size_t largest = 0;
    uint32_t group = 0;
    for (size_t i = 0; i < count; i++) {
        if (frontier->entries[i].group != 0) continue;
        group++;
        size_t size = 0;
        frontier->entries[i].group = group;
        frontier->patches[size++] = frontier->entries[i].patch;
        for (size_t k = 0; k < size; k++) {
            const jbw_position center = frontier->patches[k]->at;
            for (int j = 0; j < 9; j++) {
                const jbw_position at = {center.x + j % 3 - 1, center.y + j / 3 - 1};
                jbw_frontier_entry *entry = find_entry(frontier, count, at);
                if (!entry || entry->group != 0) continue;
                entry->group = group;
                frontier->patches[size++] = entry->patch;
            }
        }
        if (size > largest) largest = size;
    }
    return largest;
}

// ---- undoing an interrupted sampling ----

// keeps what the patches hold that will be sampled again
static bool keep(jbw_frontier *frontier, const jbw_map *map, size_t count)
{
    const jbw_allocator *allocator = &map->model->allocator;
    const size_t cells = (size_t)map->model->patch_cells;
    frontier->kept_count = 0;
    if (!frontier->interrupt.function) return true;
    for (size_t i = 0; i < count; i++) {
        jbw_patch *patch = frontier->entries[i].patch;
        if (frontier->entries[i].is_new) continue;
        const size_t kept = frontier->kept_count;
        if (!JBW_GROW(allocator, frontier->kept, frontier->kept_capacity, kept + 1) ||
            !JBW_GROW(allocator, frontier->kept_cells, frontier->kept_cells_capacity,
                      (kept + 1) * cells))
            return false;
        frontier->kept[kept] = (jbw_kept_patch){patch, patch->stream};
        memcpy(frontier->kept_cells + kept * cells, patch->cells, cells);
        frontier->kept_count = kept + 1;
    }
    return true;
}

static void restore(const jbw_frontier *frontier, jbw_map *map, size_t old_patch_count)
{
    const size_t cells = (size_t)map->model->patch_cells;
    for (size_t i = 0; i < frontier->kept_count; i++) {
        jbw_patch *patch = frontier->kept[i].patch;
        patch->stream = frontier->kept[i].stream;
        memcpy(patch->cells, frontier->kept_cells + i * cells, cells);
    }
    jbw_map_drop(map, old_patch_count);
}

// ---- sampling ----

// removes copied items from cells where their intensity is never
static void remove_impossible(const jbw_model *model, uint64_t seed, jbw_patch *patch)
{
    const int size = model->patch_size;
    const jbw_position origin = {patch->at.x * size, patch->at.y * size};
    for (int i = 0; i < model->patch_cells; i++) {
        if (patch->cells[i] == 0) continue;
        const jbw_intensity *intensity = &model->items[patch->cells[i] - 1].intensity;
        const jbw_position cell = {origin.x + i % size, origin.y + i / size};
        if (intensity->has_never &&
            jbw_intensity_is_never(jbw_intensity_value(intensity, seed, cell)))
            patch->cells[i] = 0;
    }
}

// inserts the new patches, each as a copy of a random patch that was in the map before
static void insert_new_patches(jbw_frontier *frontier, jbw_map *map, uint64_t seed, size_t count)
{
    const size_t old_count = map->patch_count;
    for (size_t i = 0; i < count; i++) {
        if (!frontier->entries[i].is_new) continue;
        jbw_patch *patch = frontier->entries[i].patch;
        if (old_count > 0) {
            jbw_rng stream = jbw_rng_open(seed, patch->at.x, patch->at.y, JBW_PURPOSE_COPY);
            const uint32_t chosen = jbw_rng_below(&stream, (uint32_t)old_count);
            const uint8_t *source = jbw_patch_generated(map, map->patches[chosen], patch->cells);
            if (source != patch->cells)
                memcpy(patch->cells, source, (size_t)map->model->patch_cells);
            if (map->model->has_never) remove_impossible(map->model, seed, patch);
        }
        jbw_map_insert(map, patch);
    }
}

static bool sample_groups(jbw_frontier *frontier, const jbw_map *map, size_t count)
{
    bool is_done = true;
    qsort(frontier->entries, count, sizeof *frontier->entries, compare_entries);
    for (size_t i = 0; i < count && is_done;) {
        const uint32_t group = frontier->entries[i].group;
        size_t size = 0;
        for (; i < count && frontier->entries[i].group == group; i++)
            frontier->patches[size++] = frontier->entries[i].patch;
        is_done = jbw_sampler_run(frontier->sampler, map, frontier->patches, size,
                                  map->model->mh_iterations);
    }
    jbw_sampler_trim(frontier->sampler);
    return is_done;
}

// allocates everything, so that nothing can fail once the map changes
static bool prepare(jbw_frontier *frontier, jbw_map *map, uint64_t seed, size_t needed_count,
                    size_t *entry_count)
{
    const jbw_allocator *allocator = &map->model->allocator;
    const size_t most = needed_count * 9;
    if (!JBW_GROW(allocator, frontier->entries, frontier->entry_capacity, most) ||
        !JBW_GROW(allocator, frontier->patches, frontier->patch_capacity, most))
        return false;

    const size_t count = list_entries(frontier, map, needed_count);
    *entry_count = count;
    if (make_patches(frontier, map, seed, count) && jbw_map_reserve(map, count) &&
        keep(frontier, map, count) &&
        jbw_sampler_reserve(frontier->sampler, find_groups(frontier, count)))
        return true;
    discard_new_patches(frontier, map, count);
    return false;
}

// samples the patches that are needed and their neighbours
static jbw_status sample(jbw_frontier *frontier, jbw_map *map, uint64_t seed, size_t needed_count,
                         size_t *count)
{
    if (!prepare(frontier, map, seed, needed_count, count)) return JBW_OUT_OF_MEMORY;
    jbw_sampler *sampler = frontier->sampler;
    const size_t old_patch_count = map->patch_count;
    sampler->seed = seed;
    sampler->proposal_count = 0;
    sampler->accepted_count = 0;
    jbw_sampler_begin(sampler, old_patch_count);
    insert_new_patches(frontier, map, seed, *count);
    if (!sample_groups(frontier, map, *count)) {
        restore(frontier, map, old_patch_count);
        return JBW_INTERRUPTED;
    }
    frontier->proposal_count += sampler->proposal_count;
    frontier->accepted_count += sampler->accepted_count;
    return JBW_OK;
}

static jbw_status make_final(jbw_frontier *frontier, jbw_map *map, uint64_t seed,
                             size_t needed_count)
{
    frontier->sampled_count = 0;
    if (needed_count == 0) return JBW_OK;
    if (!take_sampler(frontier)) return JBW_OUT_OF_MEMORY;
    size_t count;
    const jbw_status status = sample(frontier, map, seed, needed_count, &count);
    give_sampler(frontier);
    if (status) return status;
    for (size_t i = 0; i < needed_count; i++) {
        jbw_patch *patch = jbw_map_find(map, frontier->needed[i]);
        if (patch->is_final) continue; // listed twice
        patch->is_final = true;
        map->final_count++;
    }
    frontier->sampling_count++;
    frontier->sampled_count = count;
    return JBW_OK;
}

static bool reserve_needed(jbw_frontier *frontier, const jbw_map *map, size_t count)
{
    return JBW_GROW(&map->model->allocator, frontier->needed, frontier->needed_capacity, count);
}

jbw_status jbw_frontier_explore(jbw_frontier *frontier, jbw_map *map, uint64_t seed,
                                const jbw_position *cells, size_t count)
{
    size_t needed_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (!reserve_needed(frontier, map, needed_count + 4)) return JBW_OUT_OF_MEMORY;
        needed_count = append_needed(map, cells[i], frontier->needed, needed_count);
    }
    return make_final(frontier, map, seed, needed_count);
}

jbw_status jbw_frontier_finalize(jbw_frontier *frontier, jbw_map *map, uint64_t seed,
                                 jbw_position patch)
{
    frontier->sampled_count = 0;
    if (is_final(map, patch)) return JBW_OK;
    if (!reserve_needed(frontier, map, 1)) return JBW_OUT_OF_MEMORY;
    frontier->needed[0] = patch;
    return make_final(frontier, map, seed, 1);
}
