// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The agents of a world, where they are and what they have asked for.
///
/// Agents live in slots, which are used again; an id names a slot and which of its tenants is
/// meant. `order` lists the slots in the order in which their agents were added. The agents that
/// stand in a patch form a list that begins at the patch.
#ifndef JBW_SIM_WORLD_AGENT_H
#define JBW_SIM_WORLD_AGENT_H

#include "jbw/agent.h"
#include "sim/map/map.h"

typedef struct jbw_agent {
    jbw_position position;
    jbw_position start;
    jbw_direction direction;
    uint32_t generation;
    bool is_alive;
    bool is_active;
    bool has_request;
    int request;
    uint64_t sequence; // when it asked: later is larger
    uint32_t rank;     // among all agents, set and used by jbw_world_act
    jbw_agent_result result;

    uint32_t next; // in its patch, counted from one; 0 is none
    uint32_t previous;
    jbw_patch *around[9];    // the patches of its cell and neighbours, row by row
    uint64_t around_version; // of the map when that was found; 0: look again

    // while a step is being resolved
    jbw_position target;
    bool is_moving;
    jbw_agent_result next_result;
} jbw_agent;

/// A request that was made; void if the agent has made another one since.
typedef struct jbw_agent_request {
    uint32_t slot;
    uint64_t sequence;
} jbw_agent_request;

/// What an agent has asked for.
typedef struct jbw_request_state {
    bool has_request;
    int request;
    uint64_t sequence;
} jbw_request_state;

typedef struct jbw_agents {
    const jbw_model *model;
    jbw_agent *slots;
    size_t slot_count; // used so far, living or not
    size_t slot_capacity;
    uint64_t *inventories; // (slot_capacity x type_count)
    uint32_t *order;       // (count)
    size_t count;
    size_t order_capacity;
    size_t active_count;
    size_t waiting_count; // active ones that have not asked yet

    jbw_agent_request *requests; // oldest first
    size_t request_count;
    size_t request_capacity;
    uint64_t next_sequence;
} jbw_agents;

void jbw_agents_init(jbw_agents *agents, const jbw_model *model);
void jbw_agents_deinit(jbw_agents *agents);

/// The agent with that id, or NULL.
jbw_agent *jbw_agents_find(const jbw_agents *agents, jbw_agent_id id);

/// The id of the agent in a slot.
jbw_agent_id jbw_agents_id(const jbw_agents *agents, uint32_t slot);

/// The id that the next agent to be added gets.
jbw_agent_id jbw_agents_next_id(const jbw_agents *agents);

/// Makes agents that were just initialised copies of others, in a map that is a copy too. False when
/// memory runs out; then they are to be deinitialised.
bool jbw_agents_copy(jbw_agents *agents, const jbw_map *map, const jbw_agents *from);

/// Makes room for agents that are to be filled in. False when memory runs out.
bool jbw_agents_make_room(jbw_agents *agents, size_t slot_count, size_t count,
                          size_t request_count);

/// Lists agents that were filled in at the patches where they stand, which must be there.
void jbw_agents_link(jbw_agents *agents, const jbw_map *map);

/// Makes room, so that adding one more cannot fail. False when memory runs out.
bool jbw_agents_reserve(jbw_agents *agents);

/// Adds an active agent in a patch that is there. There must be room.
jbw_agent_id jbw_agents_add(jbw_agents *agents, const jbw_map *map, jbw_position position,
                            jbw_direction direction);

/// Removes an agent and returns its place in the order. With that, and the agent as it was before,
/// `jbw_agents_put_back` undoes it.
size_t jbw_agents_remove(jbw_agents *agents, const jbw_map *map, jbw_agent *agent);
void jbw_agents_put_back(jbw_agents *agents, const jbw_map *map, jbw_agent *agent,
                         const jbw_agent *before, size_t place);

/// Makes room for so many requests. False when memory runs out.
bool jbw_agents_reserve_requests(jbw_agents *agents, size_t count);

/// Notes a request and returns what the agent had asked for before. There must be room.
jbw_request_state jbw_agents_request(jbw_agents *agents, jbw_agent *agent, int action);

/// Undoes the latest request.
void jbw_agents_undo_request(jbw_agents *agents, jbw_agent *agent, jbw_request_state before);

/// True if a request still stands.
bool jbw_agents_is_valid(const jbw_agents *agents, const jbw_agent_request *request);

/// Makes an agent active or inactive, which takes back what it asked for.
void jbw_agents_set_active(jbw_agents *agents, jbw_agent *agent, bool is_active);

/// Puts an agent into another cell.
void jbw_agents_move(jbw_agents *agents, const jbw_map *map, jbw_agent *agent,
                     jbw_position position);

/// The patches around an agent.
jbw_patch *const *jbw_agents_around(const jbw_map *map, jbw_agent *agent);

/// What an agent carries: (type_count).
uint64_t *jbw_agents_inventory(const jbw_agents *agents, const jbw_agent *agent);

/// True if an agent stands in that cell.
bool jbw_agents_occupy(const jbw_agents *agents, const jbw_map *map, jbw_position cell);

#endif
