// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/world/agent.h"

#include <string.h>

#include "base/pocket.h"
#include "sim/map/position.h"

// ---- arrays with an entry for each slot ----

/// The arrays, in the order in which they are freed, and the bytes that a slot takes in each.
enum { SLOTS, INVENTORIES, HEARD, TEXTS, ARRAY_COUNT };

typedef struct slot_arrays {
    void *arrays[ARRAY_COUNT];
    size_t sizes[ARRAY_COUNT]; // zero: the model does without this array
} slot_arrays;

static slot_arrays arrays_of(const jbw_agents *agents)
{
    const jbw_model *model = agents->model;
    return (slot_arrays){
        .arrays = {agents->slots, agents->inventories, agents->heard, agents->texts},
        .sizes = {sizeof *agents->slots,
                  (size_t)model->inventory_size * sizeof *agents->inventories,
                  (size_t)model->voice.symbols * sizeof *agents->heard,
                  model->has_texts ? sizeof *agents->texts : 0}};
}

static void free_arrays(const slot_arrays *a, size_t capacity, const jbw_allocator *allocator)
{
    for (int i = 0; i < ARRAY_COUNT; i++) jbw_free(allocator, a->arrays[i], capacity * a->sizes[i]);
}

void jbw_agents_init(jbw_agents *agents, const jbw_model *model, const jbw_allocator *near)
{
    *agents = (jbw_agents){.model = model, .next_sequence = 1, .allocator = near};
}

size_t jbw_agents_pocket(const jbw_model *model)
{
    const jbw_agents none = {.model = model};
    const slot_arrays arrays = arrays_of(&none);
    return jbw_pocket_piece(arrays.sizes[SLOTS]) + jbw_pocket_piece(arrays.sizes[INVENTORIES]) +
           jbw_pocket_piece(JBW_GROW_LEAST * sizeof *none.order) +
           jbw_pocket_piece(JBW_GROW_LEAST * sizeof *none.requests);
}

void jbw_agents_deinit(jbw_agents *agents)
{
    if (!agents->model) return;
    const jbw_allocator *allocator = agents->allocator;
    const slot_arrays arrays = arrays_of(agents);
    free_arrays(&arrays, agents->slot_capacity, allocator);
    jbw_free(allocator, agents->order, agents->order_capacity * sizeof(uint32_t));
    jbw_free(allocator, agents->requests, agents->request_capacity * sizeof(jbw_queued_request));
    jbw_crowd_deinit(&agents->crowd, &agents->model->allocator);
    *agents = (jbw_agents){0};
}

jbw_agent_id jbw_agents_id(const jbw_agents *agents, uint32_t slot)
{
    return (jbw_agent_id){.index1 = slot + 1, .generation = agents->slots[slot].generation};
}

static uint32_t slot_of(const jbw_agents *agents, const jbw_agent *agent)
{
    return (uint32_t)(agent - agents->slots);
}

uint64_t *jbw_agents_inventory(const jbw_agents *agents, const jbw_agent *agent)
{
    return agents->inventories +
           (size_t)slot_of(agents, agent) * (size_t)agents->model->inventory_size;
}

uint32_t *jbw_agents_heard(const jbw_agents *agents, const jbw_agent *agent)
{
    return agents->heard + (size_t)slot_of(agents, agent) * (size_t)agents->model->voice.symbols;
}

jbw_agent_texts *jbw_agents_texts(const jbw_agents *agents, const jbw_agent *agent)
{
    return &agents->texts[slot_of(agents, agent)];
}

static bool grow_slots(jbw_agents *agents)
{
    // all grow together or not at all
    const jbw_allocator *allocator = agents->allocator;
    const size_t old = agents->slot_capacity;
    const size_t larger = old == 0 ? 1 : old < 4 ? 4 : old * 2; // many worlds have one agent
    const slot_arrays before = arrays_of(agents);
    slot_arrays after = before;
    bool has_all = true;
    for (int i = 0; i < ARRAY_COUNT; i++) {
        after.arrays[i] = NULL;
        if (i >= HEARD && after.sizes[i] == 0) continue;
        after.arrays[i] = jbw_alloc_zero(allocator, larger, after.sizes[i]);
        has_all = has_all && after.arrays[i];
    }
    if (!has_all) {
        free_arrays(&after, larger, allocator);
        return false;
    }
    for (int i = 0; i < ARRAY_COUNT; i++)
        if (old * after.sizes[i] > 0)
            memcpy(after.arrays[i], before.arrays[i], old * after.sizes[i]);
    free_arrays(&before, old, allocator);
    agents->slots = after.arrays[SLOTS];
    agents->inventories = after.arrays[INVENTORIES];
    agents->heard = after.arrays[HEARD];
    agents->texts = after.arrays[TEXTS];
    agents->slot_capacity = larger;
    return true;
}

bool jbw_agents_reserve(jbw_agents *agents)
{
    const jbw_allocator *allocator = agents->allocator;
    if (agents->count == agents->slot_capacity && !grow_slots(agents)) return false;
    return JBW_GROW(allocator, agents->order, agents->order_capacity, agents->count + 1);
}

// ---- agents by patch ----

static void link_to_patch(jbw_agents *agents, jbw_agent *agent, jbw_patch *patch)
{
    agent->previous = 0;
    agent->next = patch->first_agent;
    if (agent->next) agents->slots[agent->next - 1].previous = slot_of(agents, agent) + 1;
    patch->first_agent = slot_of(agents, agent) + 1;
}

static void unlink_from_patch(jbw_agents *agents, const jbw_agent *agent, jbw_patch *patch)
{
    if (agent->previous)
        agents->slots[agent->previous - 1].next = agent->next;
    else
        patch->first_agent = agent->next;
    if (agent->next) agents->slots[agent->next - 1].previous = agent->previous;
}

static jbw_patch *patch_of(const jbw_map *map, jbw_position cell)
{
    return jbw_map_find(map, jbw_map_patch_of(map, cell));
}

static uint32_t find_free_slot(const jbw_agents *agents)
{
    uint32_t slot = agents->full_slots;
    while (slot < agents->slot_count && agents->slots[slot].is_alive) slot++;
    return slot;
}

jbw_agent_id jbw_agents_next_id(const jbw_agents *agents)
{
    const uint32_t slot = find_free_slot(agents);
    const bool is_new = slot == agents->slot_count;
    const uint32_t generation = is_new ? 0 : agents->slots[slot].generation;
    return (jbw_agent_id){.index1 = slot + 1, .generation = generation + 1};
}

jbw_agent_id jbw_agents_add(jbw_agents *agents, const jbw_map *map, jbw_position position,
                            jbw_direction direction, int body)
{
    const uint32_t slot = find_free_slot(agents);
    if (slot == agents->slot_count) agents->slot_count++;
    agents->full_slots = slot + 1;
    if (agents->crowd.is_filled) jbw_crowd_enter(&agents->crowd, position);

    jbw_agent *agent = &agents->slots[slot];
    *agent = (jbw_agent){
        .position = position,
        .start = position,
        .direction = direction,
        .generation = agent->generation + 1,
        .body = (uint8_t)body,
        .view = agents->model->bodies[body].view,
        .is_alive = true,
        .is_active = true,
        .result = {.action = -1,
                   .collected = -1,
                   .dropped = -1,
                   .position_before = position,
                   .position = position},
    };
    memset(jbw_agents_inventory(agents, agent), 0,
           (size_t)agents->model->inventory_size * sizeof(uint64_t));
    if (agents->heard)
        memset(jbw_agents_heard(agents, agent), 0,
               (size_t)agents->model->voice.symbols * sizeof *agents->heard);
    if (agents->texts) *jbw_agents_texts(agents, agent) = (jbw_agent_texts){0};
    link_to_patch(agents, agent, patch_of(map, position));
    agents->order[agents->count++] = slot;
    agents->active_count++;
    agents->waiting_count++;
    return jbw_agents_id(agents, slot);
}

bool jbw_agents_make_room(jbw_agents *agents, size_t slot_count, size_t count, size_t request_count)
{
    const jbw_allocator *allocator = agents->allocator;
    if (!JBW_GROW(allocator, agents->order, agents->order_capacity, count) ||
        !JBW_GROW(allocator, agents->requests, agents->request_capacity, request_count))
        return false;
    while (agents->slot_capacity < slot_count)
        if (!grow_slots(agents)) return false;
    return true;
}

void jbw_agents_link(jbw_agents *agents, const jbw_map *map)
{
    for (size_t i = 0; i < agents->count; i++) {
        jbw_agent *agent = &agents->slots[agents->order[i]];
        agent->around_version = 0;
        link_to_patch(agents, agent, patch_of(map, agent->position));
    }
}

bool jbw_agents_copy(jbw_agents *agents, const jbw_map *map, const jbw_agents *from)
{
    if (!jbw_agents_make_room(agents, from->slot_count, from->count, from->request_count))
        return false;
    const slot_arrays to = arrays_of(agents);
    const slot_arrays of = arrays_of(from);
    for (int i = 0; i < ARRAY_COUNT; i++)
        if (from->slot_count * of.sizes[i] > 0)
            memcpy(to.arrays[i], of.arrays[i], from->slot_count * of.sizes[i]);
    if (from->count > 0) memcpy(agents->order, from->order, from->count * sizeof *from->order);
    if (from->request_count > 0)
        memcpy(agents->requests, from->requests, from->request_count * sizeof *from->requests);
    agents->slot_count = from->slot_count;
    agents->count = from->count;
    agents->active_count = from->active_count;
    agents->waiting_count = from->waiting_count;
    agents->request_count = from->request_count;
    agents->next_sequence = from->next_sequence;
    jbw_agents_link(agents, map);
    return true;
}

// withdraws the request of an agent, if it has one
static void withdraw(jbw_agents *agents, jbw_agent *agent)
{
    if (!agent->has_request) return;
    agent->has_request = false;
    agents->waiting_count++;
}

void jbw_agents_set_active(jbw_agents *agents, jbw_agent *agent, bool is_active)
{
    if (agent->is_active == is_active) return;
    withdraw(agents, agent);
    agent->is_active = is_active;
    if (is_active) {
        agents->active_count++;
        agents->waiting_count++;
    } else {
        agents->active_count--;
        agents->waiting_count--;
    }
}

size_t jbw_agents_remove(jbw_agents *agents, const jbw_map *map, jbw_agent *agent)
{
    jbw_agents_set_active(agents, agent, false);
    unlink_from_patch(agents, agent, patch_of(map, agent->position));
    agent->is_alive = false;
    jbw_crowd_leave(&agents->crowd, agent->position);

    const uint32_t slot = slot_of(agents, agent);
    if (slot < agents->full_slots) agents->full_slots = slot;
    size_t place = 0;
    while (agents->order[place] != slot) place++;
    agents->count--;
    memmove(agents->order + place, agents->order + place + 1,
            (agents->count - place) * sizeof *agents->order);
    return place;
}

void jbw_agents_put_back(jbw_agents *agents, const jbw_map *map, jbw_agent *agent,
                         const jbw_agent *before, size_t place)
{
    *agent = *before;
    jbw_crowd_note_move(&agents->crowd);
    link_to_patch(agents, agent, patch_of(map, agent->position));
    memmove(agents->order + place + 1, agents->order + place,
            (agents->count - place) * sizeof *agents->order);
    agents->order[place] = slot_of(agents, agent);
    agents->count++;
    if (!agent->is_active) return;
    agents->active_count++;
    if (!agent->has_request) agents->waiting_count++;
}

bool jbw_agents_reserve_requests(jbw_agents *agents, size_t count)
{
    // outdated requests pile up when agents replace theirs; drop them when there are many
    if (agents->request_count >= 2 * agents->count + 16) {
        size_t kept = 0;
        for (size_t i = 0; i < agents->request_count; i++)
            if (jbw_agents_request_is_current(agents, &agents->requests[i]))
                agents->requests[kept++] = agents->requests[i];
        agents->request_count = kept;
    }
    return JBW_GROW(agents->allocator, agents->requests, agents->request_capacity,
                    agents->request_count + count);
}

bool jbw_agents_request_is_current(const jbw_agents *agents, const jbw_queued_request *request)
{
    const jbw_agent *agent = &agents->slots[request->slot];
    return agent->is_alive && agent->has_request && agent->sequence == request->sequence;
}

jbw_previous_request jbw_agents_request(jbw_agents *agents, jbw_agent *agent,
                                        const jbw_request *request)
{
    const jbw_previous_request previous = {agent->has_request, agent->say, agent->text_at,
                                           agent->request, agent->sequence};
    if (!agent->has_request) agents->waiting_count--;
    agent->has_request = true;
    agent->request = request->action;
    agent->say = (uint8_t)request->say;
    if (agents->texts) {
        // not over the text of the previous request, which may have to come back
        agent->text_at = !agent->text_at;
        char *text = jbw_agents_texts(agents, agent)->requests[agent->text_at];
        const size_t length = request->text ? strlen(request->text) : 0;
        if (length > 0) memcpy(text, request->text, length);
        text[length] = '\0';
    }
    agent->sequence = agents->next_sequence++;
    agents->requests[agents->request_count++] =
        (jbw_queued_request){.slot = slot_of(agents, agent), .sequence = agent->sequence};
    return previous;
}

void jbw_agents_undo_request(jbw_agents *agents, jbw_agent *agent, jbw_previous_request previous)
{
    agents->request_count--;
    agents->next_sequence--;
    if (!previous.has_request) agents->waiting_count++;
    agent->has_request = previous.has_request;
    agent->request = previous.request;
    agent->say = previous.say;
    agent->text_at = previous.text_at;
    agent->sequence = previous.sequence;
}

void jbw_agents_move(jbw_agents *agents, const jbw_map *map, jbw_agent *agent,
                     jbw_position position)
{
    const jbw_position before = jbw_map_patch_of(map, agent->position);
    const jbw_position after = jbw_map_patch_of(map, position);
    agent->position = position;
    jbw_crowd_note_move(&agents->crowd);
    if (jbw_position_is_same(before, after)) return;
    unlink_from_patch(agents, agent, jbw_map_find(map, before));
    link_to_patch(agents, agent, jbw_map_find(map, after));
    agent->around_version = 0;
}

jbw_patch *const *jbw_agents_around(const jbw_map *map, jbw_agent *agent)
{
    if (agent->around_version != map->version) {
        jbw_map_find_around(map, jbw_map_patch_of(map, agent->position), agent->around);
        agent->around_version = map->version;
    }
    return agent->around;
}

bool jbw_agents_find_crowd(jbw_agents *agents)
{
    jbw_crowd *crowd = &agents->crowd;
    jbw_crowd_refresh(crowd);
    if (!jbw_crowd_must_fill(crowd)) return true;
    if (!jbw_crowd_empty(crowd, agents->count, &agents->model->allocator)) return false;
    for (size_t i = 0; i < agents->count; i++)
        jbw_crowd_enter(crowd, agents->slots[agents->order[i]].position);
    return true;
}
