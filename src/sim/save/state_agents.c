// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Reads the agents of a world.

#include "sim/map/position.h"
#include "sim/save/state.h"
#include "sim/save/state_reader.h"
#include "sim/world/edit.h"

// an index from -1 to count - 1, saved plus one
static int read_index(jbw_state_reader *r, int count)
{
    const uint64_t index1 = jbw_read_varint(&r->in);
    if (index1 > (uint64_t)count) {
        jbw_state_fail(r, "an agent's result has an unknown action or item type");
        return -1;
    }
    return (int)index1 - 1;
}

static jbw_outcome read_outcome(jbw_state_reader *r)
{
    const uint8_t outcome = jbw_read_u8(&r->in);
    // only a body of its own lacks an action
    const jbw_outcome last =
        r->model->body_count > 1 ? JBW_OUTCOME_NOT_ABLE : JBW_OUTCOME_END_OF_WORLD;
    if (outcome > last) jbw_state_fail(r, "unknown outcome");
    return (jbw_outcome)outcome;
}

static jbw_agent_result read_result(jbw_state_reader *r)
{
    jbw_agent_result result = {.time = jbw_read_varint(&r->in)};
    result.action = read_index(r, r->model->action_count);
    result.outcome = read_outcome(r);
    const uint8_t moved = jbw_read_u8(&r->in);
    result.moved = moved != 0;
    result.item = read_outcome(r);
    result.collected = read_index(r, r->model->type_count);
    result.dropped = read_index(r, r->model->type_count);
    result.position_before = jbw_state_read_position(r);
    result.position = jbw_state_read_position(r);
    if (result.time > r->world->time || moved > 1 ||
        !jbw_position_is_in_world(result.position_before) ||
        !jbw_position_is_in_world(result.position))
        jbw_state_fail(r, "an agent's result is impossible");
    return result;
}

// Stepping relies on all patches near an agent being final, and generates patches only when an
// agent comes near another one.
static bool is_near_final_patches(jbw_state_reader *r, jbw_position cell)
{
    const jbw_generator *generator = &r->world->generator;
    if (!jbw_position_is_in_world(cell)) return false;
    if (!jbw_generator_has_history(generator)) return jbw_state_make_near(r, cell);
    return jbw_generator_is_near_made(generator, &r->world->map, cell);
}

// what an agent said, heard and read in the latest step
static bool read_words(jbw_state_reader *r, jbw_agent *agent)
{
    const jbw_agents *agents = &r->world->agents;
    const int symbols = r->model->voice.symbols;
    if (symbols > 0) {
        uint32_t *heard = jbw_agents_heard(agents, agent);
        const uint64_t said = jbw_read_varint(&r->in);
        if (said > (uint64_t)symbols) return jbw_state_fail(r, "an agent said an unknown symbol");
        agent->result.said = (int)said;
        for (int s = 0; s < symbols; s++) {
            const uint64_t count = jbw_read_varint(&r->in);
            if (count > UINT32_MAX) return jbw_state_fail(r, "an agent heard too many others");
            heard[s] = (uint32_t)count;
        }
    }
    return !r->model->has_texts ||
           jbw_state_read_text(r, jbw_agents_texts(agents, agent)->collected);
}

static bool read_living(jbw_state_reader *r, jbw_agent *agent)
{
    agent->position = jbw_state_read_position(r);
    agent->start = jbw_state_read_position(r);
    const uint8_t direction = jbw_read_u8(&r->in);
    agent->direction = (jbw_direction)(direction & 3);
    agent->result = read_result(r);
    uint64_t *inventory = jbw_agents_inventory(&r->world->agents, agent);
    for (int t = 0; t < r->model->inventory_size; t++) inventory[t] = jbw_read_varint(&r->in);
    if (r->model->body_count > 1) agent->body = jbw_read_u8(&r->in);
    if (!read_words(r, agent)) return false;
    if (r->status || !r->in.ok) return jbw_state_fail(r, "invalid agent");
    if (agent->body >= r->model->body_count)
        return jbw_state_fail(r, "an agent has an unknown body");
    agent->view = jbw_bodies_view(r->model, agent->body, inventory);
    if (direction > JBW_LEFT) return jbw_state_fail(r, "an agent has an unknown direction");
    if (!jbw_position_is_in_world(agent->start))
        return jbw_state_fail(r, "an agent started outside of the world");
    if (!is_near_final_patches(r, agent->position))
        return jbw_state_fail(r, "an agent is near patches that are missing or not final");
    return true;
}

static bool read_slot(jbw_state_reader *r, jbw_agent *agent)
{
    const uint64_t generation = jbw_read_varint(&r->in);
    const uint8_t flags = jbw_read_u8(&r->in);
    agent->generation = (uint32_t)generation;
    agent->is_alive = (flags & JBW_STATE_IS_ALIVE) != 0;
    agent->is_active = (flags & JBW_STATE_IS_ACTIVE) != 0;
    if (generation < 1 || generation > UINT32_MAX)
        return jbw_state_fail(r, "an agent has an invalid id");
    if (flags > (JBW_STATE_IS_ALIVE | JBW_STATE_IS_ACTIVE) ||
        (agent->is_active && !agent->is_alive))
        return jbw_state_fail(r, "an agent has an unknown flag");
    return !agent->is_alive || read_living(r, agent);
}

// the slots of all living agents, each once
static bool read_order(jbw_state_reader *r, size_t count)
{
    jbw_agents *agents = &r->world->agents;
    for (size_t i = 0; i < count; i++) {
        const uint64_t slot = jbw_read_varint(&r->in);
        // `rank` is unused between steps; here it marks the agents that were listed
        if (!r->in.ok || slot >= agents->slot_count || !agents->slots[slot].is_alive ||
            agents->slots[slot].rank != 0)
            return jbw_state_fail(r, "the order of the agents is invalid");
        agents->slots[slot].rank = 1;
        agents->order[agents->count++] = (uint32_t)slot;
    }
    return true;
}

static bool read_requests(jbw_state_reader *r)
{
    enum { LEAST_REQUEST_BYTES = 2 };
    jbw_agents *agents = &r->world->agents;
    const size_t count = jbw_read_count(&r->in, LEAST_REQUEST_BYTES);
    if (count > agents->active_count)
        return jbw_state_fail(r, "there are more requests than active agents");
    for (size_t i = 0; i < count; i++) {
        const uint64_t slot = jbw_read_varint(&r->in);
        const uint64_t action = jbw_read_varint(&r->in);
        if (!r->in.ok || slot >= agents->slot_count || !agents->slots[slot].is_active ||
            agents->slots[slot].has_request || action >= (uint64_t)r->model->action_count)
            return jbw_state_fail(r, "invalid request");
        char text[JBW_MAX_TEXT + 1] = "";
        jbw_request request = {.action = (int)action, .text = text};
        const uint64_t say = r->model->voice.symbols > 0 ? jbw_read_varint(&r->in) : 0;
        if (r->model->has_texts && !jbw_state_read_text(r, text)) return false;
        request.say = say <= JBW_MAX_SYMBOLS ? (int)say : -1;
        if (!r->in.ok || jbw_model_check_request(r->model, &request, NULL))
            return jbw_state_fail(r, "invalid request");
        jbw_agents_request(agents, &agents->slots[slot], &request);
    }
    // otherwise the world would have taken a step
    if (agents->active_count > 0 && agents->waiting_count == 0)
        return jbw_state_fail(r, "all agents have requests, but no step was taken");
    return true;
}

static bool reserve_senses(jbw_state_reader *r)
{
    jbw_world *world = r->world;
    const size_t count = world->agents.count;
    if (count == 0) return true;
    const uint64_t events = jbw_edit_life_events(r->model, count);
    if (!jbw_state_charge(r, 2 * events, sizeof(jbw_event)) ||
        !jbw_state_charge(r, 1, jbw_scent_room(r->model, count)))
        return false;
    if (!jbw_edit_reserve_life(world, count) || !jbw_scent_reserve(&world->scent, count))
        return jbw_state_fail_memory(r);
    return true;
}

bool jbw_state_read_agents(jbw_state_reader *r)
{
    enum { LEAST_SLOT_BYTES = 2, LIST_BYTES = 64 };
    jbw_agents *agents = &r->world->agents;
    const size_t slot_count = jbw_read_count(&r->in, LEAST_SLOT_BYTES);
    const size_t types = (size_t)r->model->inventory_size;
    const size_t word_bytes = (size_t)r->model->voice.symbols * sizeof(uint32_t) +
                              (r->model->has_texts ? sizeof(jbw_agent_texts) : 0);
    // growing slots doubles them, and old and new ones exist at the same time
    if (slot_count >= UINT32_MAX) return jbw_state_fail(r, "there are too many agents");
    if (!jbw_state_charge(r, 4 + 3 * (uint64_t)slot_count,
                          sizeof(jbw_agent) + types * sizeof(uint64_t) + word_bytes + LIST_BYTES))
        return false;
    if (!jbw_agents_make_room(agents, slot_count, slot_count, slot_count))
        return jbw_state_fail_memory(r);

    size_t living_count = 0;
    for (size_t i = 0; i < slot_count; i++) {
        jbw_agent *agent = &agents->slots[agents->slot_count++];
        if (!read_slot(r, agent)) return false;
        living_count += agent->is_alive;
        agents->active_count += agent->is_active;
    }
    agents->waiting_count = agents->active_count;
    if (!read_order(r, living_count) || !read_requests(r)) return false;
    jbw_agents_link(agents, &r->world->map);
    return reserve_senses(r);
}
