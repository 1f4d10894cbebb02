// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The hash of a world covers everything that its future depends on and nothing else: no padding, no
// caches, no events that can no longer be smelled.

#include <string.h>

#include "base/hash.h"
#include "sim/map/change_runs.h"
#include "sim/map/growth.h"
#include "sim/map/texts.h"
#include "sim/world/world.h"

static void hash_position(jbw_hasher *hasher, jbw_position position)
{
    jbw_hash_u64(hasher, (uint64_t)position.x);
    jbw_hash_u64(hasher, (uint64_t)position.y);
}

// ---- what grows back: the same whether or not patches are settled ----

static void hash_growth(jbw_hasher *hasher, jbw_growth_walk walk)
{
    jbw_growth growth;
    while (jbw_growth_walk_next(&walk, &growth)) {
        jbw_hash_u64(hasher, growth.cell);
        jbw_hash_u64(hasher, growth.kind);
        jbw_hash_u64(hasher, growth.time);
    }
}

static void hash_rows(jbw_hasher *hasher, const jbw_map *map, const jbw_patch *patch)
{
    uint8_t buffer[JBW_MAX_PATCH_SIZE];
    const int size = map->model->patch_size;
    for (int row = 0; row < size; row++)
        jbw_hash_bytes(hasher, jbw_growth_row(map, patch, row, buffer), (size_t)size);
}

static uint64_t hash_growth_at(const jbw_map *map, jbw_position at)
{
    jbw_hasher hasher = jbw_hash_begin(0);
    hash_position(&hasher, at);
    hash_growth(&hasher, jbw_growth_walk_at(map, at));
    return hasher.value;
}

// a sum over the patches of an invariant world in which something grows, in memory or not
static void hash_all_growth(jbw_hasher *hasher, const jbw_map *map)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < map->patch_count; i++)
        if (jbw_growth_size(jbw_growth_walk_patch(map, map->patches[i])) > 0)
            sum += hash_growth_at(map, map->patches[i]->at);
    for (size_t i = 0; i < map->evicted_growth.slot_count; i++) {
        const jbw_evicted_patch *kept = &map->evicted_growth.slots[i];
        if (kept->size != 0 && jbw_growth_size(jbw_growth_walk_at(map, kept->at)) > 0)
            sum += hash_growth_at(map, kept->at);
    }
    jbw_hash_u64(hasher, sum);
}

// ---- texts that items carry ----

static void hash_texts(jbw_hasher *hasher, jbw_patch_texts texts)
{
    jbw_hash_u64(hasher, texts.size);
    if (texts.size > 0) jbw_hash_bytes(hasher, texts.bytes, texts.size);
}

static uint64_t hash_texts_at(const jbw_map *map, jbw_position at)
{
    jbw_hasher hasher = jbw_hash_begin(0);
    hash_position(&hasher, at);
    hash_texts(&hasher, jbw_texts_at(map, at));
    return hasher.value;
}

// a sum over the patches of an invariant world in which there are texts, in memory or not
static void hash_all_texts(jbw_hasher *hasher, const jbw_map *map)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < map->patch_count; i++)
        if (map->patches[i]->content->text_size > 0) sum += hash_texts_at(map, map->patches[i]->at);
    for (size_t i = 0; i < map->evicted_texts.slot_count; i++)
        if (map->evicted_texts.slots[i].size != 0)
            sum += hash_texts_at(map, map->evicted_texts.slots[i].at);
    jbw_hash_u64(hasher, sum);
}

// ---- worlds with history: all patches ----

static void hash_changes(jbw_hasher *hasher, const jbw_world *world, const jbw_patch *patch)
{
    const jbw_content *content = patch->content;
    uint64_t count = 0;
    for (size_t i = 0; i < content->undo_count; i++)
        count += !jbw_growth_is_back(&world->map, content, content->undo[i].cell);
    jbw_hash_u64(hasher, count);
    for (size_t i = 0; i < content->undo_count; i++) {
        if (jbw_growth_is_back(&world->map, content, content->undo[i].cell)) continue;
        jbw_hash_u64(hasher, content->undo[i].cell);
        jbw_hash_u64(hasher, content->undo[i].generated);
    }
    if (world->model->is_growing) hash_growth(hasher, jbw_growth_walk_patch(&world->map, patch));
    if (world->model->has_texts) hash_texts(hasher, jbw_texts_of(patch));

    // events matter as long as they can be smelled
    const uint64_t memory = (uint64_t)world->model->scent.memory;
    const jbw_event *event;
    for (uint64_t ticket = patch->first_event; ticket != 0; ticket = event->next) {
        event = jbw_events_get(&world->map.events, ticket);
        if (world->time - event->time >= memory) continue;
        jbw_hash_u64(hasher, event->time);
        jbw_hash_u64(hasher, event->cell);
        jbw_hash_u64(hasher, event->source);
        jbw_hash_u64(hasher, (uint64_t)event->sign);
    }
}

static void hash_map(jbw_hasher *hasher, const jbw_world *world)
{
    // in the order of creation: a new patch starts as a copy of an earlier one, chosen by number
    jbw_hash_u64(hasher, world->map.patch_count);
    for (size_t i = 0; i < world->map.patch_count; i++) {
        const jbw_patch *patch = world->map.patches[i];
        jbw_hash_u64(hasher, (uint64_t)patch->at.x);
        jbw_hash_u64(hasher, (uint64_t)patch->at.y);
        jbw_hash_u64(hasher, patch->is_final);
        // the stream of a final patch is never used again
        jbw_hash_u64(hasher, patch->is_final ? 0 : patch->stream.state);
        if (world->model->is_growing)
            hash_rows(hasher, &world->map, patch);
        else
            jbw_hash_bytes(hasher, patch->cells, (size_t)world->model->patch_cells);
        hash_changes(hasher, world, patch);
    }
}

// ---- invariant worlds: only what differs from what was generated ----

static uint64_t hash_runs(jbw_position at, jbw_change_runs runs)
{
    jbw_hasher hasher = jbw_hash_begin(0);
    hash_position(&hasher, at);
    jbw_change_runs_hash(runs, &hasher);
    return hasher.value;
}

// a sum, so that it does not matter which patches are in memory, nor in which order
static void hash_differences(jbw_hasher *hasher, const jbw_world *world)
{
    const jbw_map *map = &world->map;
    uint64_t sum = 0;
    uint64_t count = map->evicted.count;
    for (size_t i = 0; i < map->patch_count; i++) {
        const jbw_patch *patch = map->patches[i];
        if (!jbw_change_runs_any(world->model, patch)) continue;
        sum += hash_runs(patch->at, jbw_change_runs_of_patch(world->model, patch));
        count++;
    }
    for (size_t i = 0; i < map->evicted.slot_count; i++) {
        const jbw_evicted_patch *evicted = &map->evicted.slots[i];
        if (evicted->size == 0) continue;
        sum += hash_runs(evicted->at, jbw_change_runs_of_evicted(world->model, evicted));
    }
    jbw_hash_u64(hasher, count);
    jbw_hash_u64(hasher, sum);
    if (world->model->is_growing) hash_all_growth(hasher, map);
    if (world->model->has_texts) hash_all_texts(hasher, map);

    const jbw_events *events = &map->events;
    const uint64_t memory = (uint64_t)world->model->scent.memory;
    for (uint64_t ticket = events->first; ticket < events->end; ticket++) {
        const jbw_event *event = jbw_events_get(events, ticket);
        if (world->time - event->time >= memory) continue;
        jbw_hash_u64(hasher, event->time);
        hash_position(hasher, map->patches[event->patch]->at);
        jbw_hash_u64(hasher, event->cell);
        jbw_hash_u64(hasher, event->source);
        jbw_hash_u64(hasher, (uint64_t)event->sign);
    }
}

static void hash_agents(jbw_hasher *hasher, const jbw_world *world)
{
    const jbw_agents *agents = &world->agents;
    // generations of all slots, because future ids depend on them
    jbw_hash_u64(hasher, agents->slot_count);
    for (size_t i = 0; i < agents->slot_count; i++)
        jbw_hash_u64(hasher, agents->slots[i].generation);

    jbw_hash_u64(hasher, agents->count);
    for (size_t i = 0; i < agents->count; i++) {
        const jbw_agent *agent = &agents->slots[agents->order[i]];
        const uint64_t *inventory = jbw_agents_inventory(agents, agent);
        jbw_hash_u64(hasher, agents->order[i]);
        hash_position(hasher, agent->position);
        hash_position(hasher, agent->start);
        jbw_hash_u64(hasher, agent->direction);
        jbw_hash_u64(hasher, agent->is_active);
        if (world->model->body_count > 1) jbw_hash_u64(hasher, agent->body);
        for (int t = 0; t < world->model->inventory_size; t++) jbw_hash_u64(hasher, inventory[t]);
    }
    for (size_t i = 0; i < agents->request_count; i++) {
        const jbw_queued_request *request = &agents->requests[i];
        if (!jbw_agents_request_is_current(agents, request)) continue;
        jbw_hash_u64(hasher, request->slot);
        const jbw_agent *agent = &agents->slots[request->slot];
        jbw_hash_u64(hasher, (uint64_t)agent->request);
        if (!world->model->has_texts) continue;
        const char *text = jbw_agents_request_text(agents, agent);
        hash_texts(hasher, (jbw_patch_texts){(const uint8_t *)text, strlen(text)});
    }
}

uint64_t jbw_world_hash(const jbw_world *world)
{
    jbw_hasher hasher = jbw_hash_begin(world->seed);
    jbw_hash_u64(&hasher, world->time);
    if (jbw_generator_has_history(&world->generator))
        hash_map(&hasher, world);
    else
        hash_differences(&hasher, world);
    hash_agents(&hasher, world);
    return hasher.value;
}
