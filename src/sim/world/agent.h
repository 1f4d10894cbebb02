// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The agents of a world: where they are, what they carry and what they have requested.
///
/// Agents live in slots that are reused. An id names a slot and a generation, which tells the
/// agents of one slot apart. `order` lists the slots in the order in which their agents were added.
/// The agents in a patch form a doubly linked list that starts at the patch.
#ifndef JBW_SIM_WORLD_AGENT_H
#define JBW_SIM_WORLD_AGENT_H

#include "jbw/agent.h"
#include "sim/map/map.h"
#include "sim/world/crowd.h"

typedef struct jbw_agent {
    jbw_position position;
    jbw_position start;
    jbw_direction direction;
    uint32_t generation;
    uint8_t body;
    bool is_alive;
    bool is_active;
    bool has_request;
    int request;
    uint8_t say;             // a symbol, with its request
    uint8_t text_at;         // which of its texts is that of its request
    const jbw_outlook *view; // how it sees now: by its body and what it carries
    uint64_t sequence;       // of its request: later requests have larger numbers
    uint32_t rank;           // position in `order`, valid only within jbw_world_act
    jbw_agent_result result;

    uint32_t next;           // agent in its patch, slot plus one; 0 is none
    uint32_t previous;       // likewise
    jbw_patch *around[9];    // cached: the patch of its cell and the eight neighbors, row by row
    uint64_t around_version; // version of the map that `around` is from; 0: not cached

    // while a step is being resolved
    const jbw_model_action *doing; // what it does: its request, or nothing if it is not able to
    jbw_position target;
    bool is_moving;
    jbw_agent_result next_result;
} jbw_agent;

/// The texts of an agent, in a world where items carry texts; all end with a zero.
typedef struct jbw_agent_texts {
    char requests[2][JBW_MAX_TEXT + 1]; // of its latest request and of the one before it
    char collected[JBW_MAX_TEXT + 1];   // of the item that it collected in the latest step
} jbw_agent_texts;

/// A request in the queue. It is outdated once the agent has made another one.
typedef struct jbw_queued_request {
    uint32_t slot;
    uint64_t sequence;
} jbw_queued_request;

/// The request that an agent had before its latest one.
typedef struct jbw_previous_request {
    bool has_request;
    uint8_t say;
    uint8_t text_at;
    int request;
    uint64_t sequence;
} jbw_previous_request;

/// What every step uses comes first.
typedef struct jbw_agents {
    const jbw_model *model;
    jbw_agent *slots;
    size_t slot_count; // ever used, also those that are free now
    uint32_t *order;   // (count)
    size_t count;
    size_t active_count;
    size_t waiting_count;         // active agents without a request
    jbw_agent_texts *texts;       // (slot_capacity); NULL if no items carry texts
    jbw_queued_request *requests; // oldest first
    size_t request_count;
    size_t request_capacity;
    uint64_t next_sequence;
    jbw_crowd crowd;

    const jbw_allocator *allocator; // of the arrays for slots, of `order` and `requests`
    uint32_t full_slots;            // all slots before this one are in use
    size_t slot_capacity;
    size_t order_capacity;
    uint64_t *inventories; // (slot_capacity x inventory_size of the model)
    uint32_t *heard;       // (slot_capacity x symbols of the model); NULL if there are none
} jbw_agents;

/// `near` allocates what every step uses; it must outlive them.
void jbw_agents_init(jbw_agents *agents, const jbw_model *model, const jbw_allocator *near);
void jbw_agents_deinit(jbw_agents *agents);

/// The bytes that a pocket (base/pocket.h) needs for what every step uses of a lone agent.
size_t jbw_agents_pocket(const jbw_model *model);

/// Makes freshly initialized agents a copy of others; `map` is a copy of their map. False when
/// memory runs out; deinitialize them then.
bool jbw_agents_copy(jbw_agents *agents, const jbw_map *map, const jbw_agents *from);

/// The agent with this id, or NULL.
static inline jbw_agent *jbw_agents_find(const jbw_agents *agents, jbw_agent_id id)
{
    if (id.index1 == 0 || id.index1 > agents->slot_count) return NULL;
    jbw_agent *agent = &agents->slots[id.index1 - 1];
    return agent->is_alive && agent->generation == id.generation ? agent : NULL;
}

/// The id of the agent in a slot.
jbw_agent_id jbw_agents_id(const jbw_agents *agents, uint32_t slot);

/// The id that the next agent will get.
jbw_agent_id jbw_agents_next_id(const jbw_agents *agents);

/// What an agent carries: (type_count). If the model counts it, what it has ever collected follows.
uint64_t *jbw_agents_inventory(const jbw_agents *agents, const jbw_agent *agent);

/// How many others an agent heard say each symbol in the latest step: (symbols of the model).
uint32_t *jbw_agents_heard(const jbw_agents *agents, const jbw_agent *agent);

/// The texts of an agent, in a world where items carry texts.
jbw_agent_texts *jbw_agents_texts(const jbw_agents *agents, const jbw_agent *agent);

/// The text of an agent's request, or an empty one.
static inline const char *jbw_agents_request_text(const jbw_agents *agents, const jbw_agent *agent)
{
    return agents->texts && agent->has_request
               ? jbw_agents_texts(agents, agent)->requests[agent->text_at]
               : "";
}

// ---- adding and removing ----

/// Makes room for one more agent. False when memory runs out.
bool jbw_agents_reserve(jbw_agents *agents);

/// Adds an active agent. Its patch must be in the map, and there must be room.
jbw_agent_id jbw_agents_add(jbw_agents *agents, const jbw_map *map, jbw_position position,
                            jbw_direction direction, int body);

/// Notes that an agent's inventory has changed: its tools may let it see in another way.
static inline void jbw_agents_note_items(const jbw_agents *agents, jbw_agent *agent)
{
    if (agents->model->tool_count > 0)
        agent->view =
            jbw_bodies_view(agents->model, agent->body, jbw_agents_inventory(agents, agent));
}

/// Removes an agent and returns its position in the order. `jbw_agents_put_back` undoes that, given
/// this position and the agent as it was before.
size_t jbw_agents_remove(jbw_agents *agents, const jbw_map *map, jbw_agent *agent);
void jbw_agents_put_back(jbw_agents *agents, const jbw_map *map, jbw_agent *agent,
                         const jbw_agent *before, size_t place);

/// Makes room for agents that a reader of saved worlds fills in. False when memory runs out.
bool jbw_agents_make_room(jbw_agents *agents, size_t slot_count, size_t count,
                          size_t request_count);

/// Links such agents to their patches, which must be in the map.
void jbw_agents_link(jbw_agents *agents, const jbw_map *map);

// ---- requests ----

/// Makes room for this many more requests. False when memory runs out.
bool jbw_agents_reserve_requests(jbw_agents *agents, size_t count);

/// Records a request that is possible and returns the previous one. There must be room.
jbw_previous_request jbw_agents_request(jbw_agents *agents, jbw_agent *agent,
                                        const jbw_request *request);

/// Undoes the latest request.
void jbw_agents_undo_request(jbw_agents *agents, jbw_agent *agent, jbw_previous_request previous);

/// Whether a queued request is the latest one of its agent.
bool jbw_agents_request_is_current(const jbw_agents *agents, const jbw_queued_request *request);

/// Activates or deactivates an agent. Deactivating withdraws its request.
void jbw_agents_set_active(jbw_agents *agents, jbw_agent *agent, bool is_active);

// ---- places ----

/// Moves an agent to another cell. The patches of both cells must be in the map.
void jbw_agents_move(jbw_agents *agents, const jbw_map *map, jbw_agent *agent,
                     jbw_position position);

/// The patch of an agent's cell and its eight neighbors, row by row; NULL where there is none.
jbw_patch *const *jbw_agents_around(const jbw_map *map, jbw_agent *agent);

/// The patch that contains a cell near an agent, or NULL, and the cell's index in it: mostly the patch
/// that the agent is in, which needs no search.
static inline jbw_patch *jbw_agents_find_cell(const jbw_map *map, const jbw_agent *agent,
                                              jbw_position cell, int *index)
{
    if (agent->around_version != 0 && agent->around_version == map->version) {
        jbw_patch *home = agent->around[4];
        const int size = map->model->patch_size;
        const int64_t x = cell.x - home->at.x * size;
        const int64_t y = cell.y - home->at.y * size;
        if (x >= 0 && x < size && y >= 0 && y < size) {
            *index = (int)y * size + (int)x;
            return home;
        }
    }
    return jbw_map_find_cell(map, cell, index);
}

/// Makes sure that `crowd` has all agents and room for one more. False when memory runs out.
bool jbw_agents_find_crowd(jbw_agents *agents);

#endif
