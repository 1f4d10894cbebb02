// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Agents: how they come and go, what they ask for, what they perceive. The world is turn-based: it
/// takes a step when all active agents have asked for an action.
#ifndef JBW_AGENT_H
#define JBW_AGENT_H

#include "jbw/base.h"
#include "jbw/types.h"
#include "jbw/world.h"

JBW_BEGIN_DECLS

/// Where to add an agent; all zero is the default place: facing up, on the first cell along a square
/// spiral around the origin that holds neither a blocking item nor, unless agents may share cells,
/// an agent. The spiral begins (0, 0), (1, 0), (1, 1), (0, 1), (-1, 1).
typedef struct jbw_agent_options {
    bool has_position;
    jbw_position position;
    jbw_direction direction;
    bool is_forced; ///< accept a cell that is blocked or taken
} jbw_agent_options;

/// Adds an agent, and makes final what it needs. Without `is_forced` a blocked or taken cell is
/// JBW_CELL_BLOCKED. `options` may be NULL. On failure nothing has changed, though patches may have
/// become final.
JBW_API jbw_status jbw_world_add_agent(jbw_world *world, const jbw_agent_options *options,
                                       jbw_agent_id *out);

/// Takes an agent out of the world, with all it has collected. If it was the last one that the
/// others waited for, the world takes its step.
JBW_API jbw_status jbw_world_remove_agent(jbw_world *world, jbw_agent_id agent);

/// Active agents are waited for; inactive ones keep their cells and do nothing. Becoming inactive
/// takes back a request. If the agent was the last one that the others waited for, the world takes
/// its step.
JBW_API jbw_status jbw_agent_set_active(jbw_world *world, jbw_agent_id agent, bool is_active);

/// The number of agents in the world, and their ids in the order in which they were added: up to
/// `capacity` of them go to `out`.
JBW_API size_t jbw_world_agents(const jbw_world *world, jbw_agent_id *out, size_t capacity);

/// Asks for an action, given by its number in the config's list. Asking again replaces the request,
/// which then counts as the latest. The world takes a step once all active agents have asked; then
/// `*stepped` (may be NULL) is true. An inactive agent cannot ask: JBW_INVALID_ARGUMENT.
JBW_API jbw_status jbw_agent_act(jbw_world *world, jbw_agent_id agent, int action, bool *stepped);

/// Asks for the actions of several agents at once; they rank in the order in which the agents were
/// added. All or none are taken; an agent that is named twice is JBW_INVALID_ARGUMENT.
JBW_API jbw_status jbw_world_act(jbw_world *world, const jbw_agent_id *agents, const int *actions,
                                 size_t count, bool *stepped);

/// Takes a step now. Agents that have not asked for anything do nothing.
JBW_API jbw_status jbw_world_step(jbw_world *world);

/// Steps taken so far.
JBW_API uint64_t jbw_world_time(const jbw_world *world);

/// What is known of an agent at any time.
typedef struct jbw_agent_state {
    jbw_position position;
    jbw_direction direction;
    jbw_position start; ///< the cell where it was added
    bool is_active;
    bool has_request;
    int request; ///< an action's number, if there is one
} jbw_agent_state;

JBW_API jbw_status jbw_agent_get_state(const jbw_world *world, jbw_agent_id agent,
                                       jbw_agent_state *out);

/// What an agent did in the latest step.
typedef struct jbw_agent_result {
    uint64_t time;       ///< of the world after that step; zero if the agent has not seen one
    int action;          ///< its number, or -1 if the agent did not ask for any
    jbw_outcome outcome; ///< of the action itself
    bool moved;          ///< it is in another cell than before
    jbw_outcome item;    ///< of collecting: by itself after a move, or by Collect
    int collected;       ///< the item type, or -1
    int dropped;         ///< the item type, or -1
    jbw_position position_before;
    jbw_position position;
} jbw_agent_result;

JBW_API jbw_status jbw_agent_get_result(const jbw_world *world, jbw_agent_id agent,
                                        jbw_agent_result *out);

/// What an agent carries: `item_type_count` numbers, by item type. NULL if there is no such agent.
/// Valid until the world changes.
JBW_API const uint64_t *jbw_agent_inventory(const jbw_world *world, jbw_agent_id agent);

/// Writes what an agent sees and smells now. Either may be NULL.
/// `vision`: (2 R + 1, 2 R + 1, color_dimensions) in the agent's own frame: row 0 is the farthest
/// row ahead, column 0 the leftmost. `scent`: (scent_dimensions). Changes nothing but caches, and
/// cannot run out of memory but for the first scent in a world that is a copy.
JBW_API jbw_status jbw_agent_perceive(jbw_world *world, jbw_agent_id agent, float *vision,
                                      float *scent);

/// Writes which items an agent sees now: (2 R + 1, 2 R + 1) in the same frame, an item's type plus
/// one, 0 where there is none or nothing of the cell is seen. Changes nothing but caches.
JBW_API jbw_status jbw_agent_see_items(jbw_world *world, jbw_agent_id agent, uint8_t *items);

/// Writes how much of each cell an agent sees now, after field of view and occlusion: (2 R + 1,
/// 2 R + 1) numbers from 0 to 1 in the same frame. Changes nothing but caches.
JBW_API jbw_status jbw_agent_see_parts(jbw_world *world, jbw_agent_id agent, float *parts);

/// The scent in any cell now: (scent_dimensions). Changes nothing but caches.
JBW_API jbw_status jbw_world_smell(jbw_world *world, jbw_position cell, float *scent);

/// Puts an item into an empty cell, or takes one out of a cell: between steps, it holds from now
/// on. The patch becomes final first. An occupied cell is JBW_CELL_BLOCKED, an empty one
/// JBW_NOT_FOUND.
JBW_API jbw_status jbw_world_place_item(jbw_world *world, int item_type, jbw_position cell);
JBW_API jbw_status jbw_world_remove_item(jbw_world *world, jbw_position cell);

/// Called after each step, before the function that caused it returns. It may read the world, but
/// not change it.
typedef void jbw_step_function(jbw_world *world, void *user);

/// Sets the function to be called; NULL for none.
JBW_API void jbw_world_on_step(jbw_world *world, jbw_step_function *function, void *user);

JBW_END_DECLS

#endif
