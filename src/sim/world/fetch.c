// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Thousands of worlds do not fit into the caches of a processor, so each step would begin by waiting
// for memory, one line after the other. Whoever knows which world comes next can ask for its lines
// ahead. What is fetched here is only a guess: where it is wrong, a step waits as it did before.

#include "jbw/fetch.h"
#include "jbw/place.h"

#include <stddef.h>

#include "sim/world/world.h"

enum {
    LINE = 64,
    FEW_AGENTS = 4, // with more of them, the lines of a world do not arrive in time anyway
};

static inline void fetch(const void *place)
{
#if defined(__GNUC__)
    __builtin_prefetch(place);
#else
    (void)place;
#endif
}

static void fetch_bytes(const void *start, size_t size)
{
    for (size_t i = 0; start && i < size; i += LINE) fetch((const char *)start + i);
}

static void fetch_between(const void *start, const void *end)
{
    for (uintptr_t at = (uintptr_t)start / LINE * LINE; at < (uintptr_t)end; at += LINE)
        fetch((const void *)at);
}

static size_t agent_count_of(const jbw_world *world)
{
    const size_t count = world->agents.slot_count;
    return count < FEW_AGENTS ? count : FEW_AGENTS;
}

// ---- the stages; each reads what the one before has fetched ----

// This one reads nothing: it would have to wait for what it read.
static void fetch_world(const jbw_world *world, size_t size)
{
    fetch_between(&world->generator.patch_cache, &world->agents.crowd.is_filled);
    fetch_between(&world->step.collected_count, &world->map.presence.hidden);
    fetch_between(&world->sight.square, &world->scent.turning);
    fetch_between(world->pocket_bytes, (const char *)world + size);
}

// Not what few steps use: memory can bring only so many lines per step, whoever asks for them.
static void fetch_agents(const jbw_world *world, size_t size)
{
    (void)size;
    const jbw_agents *agents = &world->agents;
    const jbw_events *events = &world->map.events;
    if (agents->slot_count > 1) { // those of a lone agent are in the pocket
        fetch_bytes(agents->slots, agent_count_of(world) * sizeof *agents->slots);
        fetch(agents->order);
        fetch(agents->requests);
        fetch(world->step.acting);
    }
    if (events->end > events->first) {
        fetch(jbw_events_get(events, events->first));
        fetch(jbw_events_get(events, events->end));
    }
    fetch(world->generator.patch_cache);
}

static bool knows_around(const jbw_world *world, const jbw_agent *agent)
{
    return agent->is_alive && agent->around_version != 0 &&
           agent->around_version == world->map.version;
}

// how far from an agent its next step is likely to read patches
static int reach_of(const jbw_world *world)
{
    const int reach = world->model->scent.is_on ? world->model->scent.response.reach : 0;
    const int range = world->model->vision.range;
    return jbw_sight_is_kept(&world->sight, &world->map) || reach > range ? reach : range;
}

static void fetch_patches(const jbw_world *world, size_t size)
{
    (void)size;
    for (size_t i = 0; i < agent_count_of(world); i++) {
        const jbw_agent *agent = &world->agents.slots[i];
        if (!knows_around(world, agent)) continue;
        const int range = reach_of(world);
        const jbw_surroundings near = jbw_map_surroundings(&world->map, agent->position, range);
        for (int row = near.first_row; row <= near.last_row; row++)
            for (int column = near.first_column; column <= near.last_column; column++)
                fetch_bytes(agent->around[3 * row + column], offsetof(jbw_patch, stream));
        jbw_scent_fetch(&world->scent, agent->position, JBW_SCENT_SLOT);
    }
}

// the rows of a patch that an agent sees
static void fetch_cells(const jbw_world *world, const jbw_patch *patch, jbw_position cell)
{
    const int size = world->model->patch_size;
    const int64_t range = world->model->vision.range;
    const jbw_position origin = jbw_map_origin(&world->map, patch->at);
    const int64_t left = cell.x - range > origin.x ? cell.x - range - origin.x : 0;
    const int64_t right = cell.x + range - origin.x < size ? cell.x + range - origin.x : size - 1;
    const int64_t bottom = cell.y - range > origin.y ? cell.y - range - origin.y : 0;
    const int64_t top = cell.y + range - origin.y < size ? cell.y + range - origin.y : size - 1;
    if (size <= LINE / 2) { // several rows share a line
        if (bottom <= top)
            fetch_bytes(patch->cells + bottom * size, (size_t)((top - bottom + 1) * size));
        return;
    }
    for (int64_t y = bottom; y <= top; y++) {
        fetch(patch->cells + y * size + left);
        fetch(patch->cells + y * size + right);
    }
}

static void fetch_sights(const jbw_world *world, size_t size)
{
    (void)size;
    for (size_t i = 0; i < agent_count_of(world); i++) {
        const jbw_agent *agent = &world->agents.slots[i];
        if (!knows_around(world, agent)) continue;
        jbw_scent_fetch(&world->scent, agent->position, JBW_SCENT_VALUES);
        if (jbw_sight_is_kept(&world->sight, &world->map)) {
            int index;
            fetch(jbw_agents_find_cell(&world->map, agent, agent->position, &index)->cells + index);
            continue;
        }
        const int range = world->model->vision.range;
        const jbw_surroundings near = jbw_map_surroundings(&world->map, agent->position, range);
        for (int row = near.first_row; row <= near.last_row; row++) {
            for (int column = near.first_column; column <= near.last_column; column++) {
                const jbw_patch *patch = agent->around[3 * row + column];
                if (patch) fetch_cells(world, patch, agent->position);
            }
        }
    }
}

void jbw_world_fetch(const jbw_world *world, size_t size, int stage)
{
    // by pointers: as one function, all stages would save the registers that the largest of them needs
    static void (*const stages[])(const jbw_world *, size_t) = {fetch_world, fetch_agents,
                                                                fetch_patches, fetch_sights};
    _Static_assert(sizeof stages / sizeof *stages == JBW_FETCH_STAGES, "one function for each");
    if (stage >= 0 && stage < JBW_FETCH_STAGES) stages[stage](world, size);
}
