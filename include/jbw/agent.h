// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Agents: adding and removing them, acting, and perceiving. The world is turn-based: it steps when
/// all active agents have requested an action.
#ifndef JBW_AGENT_H
#define JBW_AGENT_H

#include "jbw/base.h"
#include "jbw/types.h"
#include "jbw/world.h"

JBW_BEGIN_DECLS

/// Where to add an agent. All zero means the default place: facing up, on the first free cell of a
/// square spiral around the origin, (0, 0), (1, 0), (1, 1), (0, 1), (-1, 1), and so on. A cell is
/// free if it holds no blocking item and, unless agents may share cells, no agent.
typedef struct jbw_agent_options {
    bool has_position;
    jbw_position position;
    jbw_direction direction;
    bool is_forced; ///< accept a cell that is not free
    int body;       ///< 0 is that of `agent` in the world file; those of `bodies` count from 1
} jbw_agent_options;

/// Adds an agent, and makes the patches around it final. `options` may be NULL. Without
/// `is_forced`, a cell that is not free is JBW_CELL_BLOCKED. An unknown body is JBW_INVALID_ARGUMENT.
/// On failure nothing has changed, except that patches may have become final.
JBW_API jbw_status jbw_world_add_agent(jbw_world *world, const jbw_agent_options *options,
                                       jbw_agent_id *out);

/// Removes an agent together with its inventory. If it was the last agent that the world waited
/// for, the world steps.
JBW_API jbw_status jbw_world_remove_agent(jbw_world *world, jbw_agent_id agent);

/// Activates or deactivates an agent. The world waits for active agents only; an inactive agent
/// stays in its cell and does nothing. Deactivating an agent cancels its request, and if it was the
/// last agent that the world waited for, the world steps.
JBW_API jbw_status jbw_agent_set_active(jbw_world *world, jbw_agent_id agent, bool is_active);

/// The number of agents in the world. Writes up to `capacity` ids to `out`, in the order in which
/// the agents were added.
JBW_API size_t jbw_world_agents(const jbw_world *world, jbw_agent_id *out, size_t capacity);

/// Requests an action, an index into the config's list of actions. A second request replaces the
/// first and counts as the latest. Once all active agents have requested an action, the world steps
/// and `*stepped` (may be NULL) is true. If the agent is inactive, the call is
/// JBW_INVALID_ARGUMENT. An action that its body lacks may be requested: the agent then does nothing,
/// with the outcome JBW_OUTCOME_NOT_ABLE.
JBW_API jbw_status jbw_agent_act(jbw_world *world, jbw_agent_id agent, int action, bool *stepped);

/// Requests actions for several agents at once. They count as requested in the order in which the
/// agents were added. Either all requests are made or none. An agent that is listed twice is
/// JBW_INVALID_ARGUMENT.
JBW_API jbw_status jbw_world_act(jbw_world *world, const jbw_agent_id *agents, const int *actions,
                                 size_t count, bool *stepped);

/// What an agent asks for. All zero but the action is an action alone.
typedef struct jbw_request {
    int action; ///< an index into the config's list of actions
    int say;    ///< a symbol that it says, from 1, or 0 if it is silent
    /// What the item carries that the action drops; NULL or empty for no text. UTF-8 of at most
    /// JBW_MAX_TEXT bytes, and only for an action that drops an item which may carry a text.
    const char *text;
} jbw_request;

/// Requests an action, as `jbw_agent_act` does, with what is said and written. A symbol that does
/// not exist, or a text that is not possible, is JBW_INVALID_ARGUMENT.
JBW_API jbw_status jbw_agent_request(jbw_world *world, jbw_agent_id agent,
                                     const jbw_request *request, bool *stepped);

/// The requests of several agents: (count) each. `say` and `texts` may be NULL, for silence and for
/// no texts.
typedef struct jbw_requests {
    const int *actions;
    const int *say;
    const char *const *texts;
} jbw_requests;

/// Requests actions for several agents at once, as `jbw_world_act` does.
JBW_API jbw_status jbw_world_request(jbw_world *world, const jbw_agent_id *agents,
                                     const jbw_requests *requests, size_t count, bool *stepped);

/// Finds out whether a request is possible for the agents of a model. If not, `error` (may be NULL)
/// says why.
JBW_API jbw_status jbw_model_check_request(const jbw_model *model, const jbw_request *request,
                                           jbw_error *error);

/// Steps the world now. Agents that have not requested an action do nothing. Here, as in every call
/// that steps, JBW_OUT_OF_RANGE at JBW_MAX_TIME.
JBW_API jbw_status jbw_world_step(jbw_world *world);

/// The number of steps taken so far.
JBW_API uint64_t jbw_world_time(const jbw_world *world);

/// The state of an agent.
typedef struct jbw_agent_state {
    jbw_position position;
    jbw_direction direction;
    jbw_position start; ///< the cell where it was added
    bool is_active;
    bool has_request;
    int request;      ///< the requested action, if there is one
    int body;         ///< as in jbw_agent_options
    int say;          ///< what it says with that, or 0
    const char *text; ///< what it writes with that, or an empty text; valid until the world changes
} jbw_agent_state;

JBW_API jbw_status jbw_agent_get_state(const jbw_world *world, jbw_agent_id agent,
                                       jbw_agent_state *out);

/// What an agent did in the latest step.
typedef struct jbw_agent_result {
    uint64_t time;       ///< of the world after the step; zero if there was no step yet
    int action;          ///< the requested action, or -1
    jbw_outcome outcome; ///< of that action
    bool moved;          ///< the agent is in another cell than before
    jbw_outcome item;    ///< of collecting, be it automatic after a move or by Collect
    int collected;       ///< item type, or -1
    int dropped;         ///< item type, or -1
    int said;            ///< a symbol, from 1, or 0
    jbw_position position_before;
    jbw_position position;
} jbw_agent_result;

JBW_API jbw_status jbw_agent_get_result(const jbw_world *world, jbw_agent_id agent,
                                        jbw_agent_result *out);

/// The number of items that an agent carries: (item types). Valid until the world changes. NULL if
/// there is no such agent.
JBW_API const uint64_t *jbw_agent_inventory(const jbw_world *world, jbw_agent_id agent);

/// The number of items that an agent has collected since it was added, whatever became of them:
/// (item types). Valid until the world changes. NULL if there is no such agent, or if no item type
/// has `ever_requirements`, since it is not counted then.
JBW_API const uint64_t *jbw_agent_ever_collected(const jbw_world *world, jbw_agent_id agent);

/// How many others an agent heard say each symbol in the latest step: (symbols), the first one is
/// symbol 1. Valid until the world changes. NULL if there is no such agent, or agents have no voice.
JBW_API const uint32_t *jbw_agent_heard(const jbw_world *world, jbw_agent_id agent);

/// The text that an agent reads: that of the item in its cell, or else of the item that it collected
/// in the latest step. Writes an empty one if there is none.
JBW_API jbw_status jbw_agent_read(const jbw_world *world, jbw_agent_id agent,
                                  char text[JBW_MAX_TEXT + 1]);

// Each of the next three functions is about one or two parts of an observation. jbw_agent_observe
// (observation.h) writes any parts in one call.

/// Writes what an agent sees and smells now; either may be NULL. `vision`: (2 R + 1, 2 R + 1,
/// color_dimensions) for vision range R, in the agent's own frame: row 0 is farthest ahead, column
/// 0 is leftmost. `scent`: (scent_dimensions). Changes nothing except caches. Out of memory is
/// possible only for the first scent in a copied world.
JBW_API jbw_status jbw_agent_perceive(jbw_world *world, jbw_agent_id agent, float *vision,
                                      float *scent);

/// Writes the items that an agent sees now: (2 R + 1, 2 R + 1) in the same frame, item type plus
/// one, or 0 if the cell is empty or entirely hidden. Changes nothing except caches.
JBW_API jbw_status jbw_agent_see_items(jbw_world *world, jbw_agent_id agent, uint8_t *items);

/// Writes the fraction of each cell that an agent sees now, after field of view and occlusion: (2 R
/// + 1, 2 R + 1) in the same frame, from 0 to 1. Changes nothing except caches.
JBW_API jbw_status jbw_agent_see_fractions(jbw_world *world, jbw_agent_id agent, float *fractions);

/// Writes the scent of any cell now: (scent_dimensions). Changes nothing except caches.
JBW_API jbw_status jbw_world_smell(jbw_world *world, jbw_position cell, float *scent);

/// Places an item in an empty cell, or removes the item of a cell, effective immediately. The patch
/// is made final first. Placing in an occupied cell is JBW_CELL_BLOCKED, removing from an empty one
/// is JBW_NOT_FOUND.
JBW_API jbw_status jbw_world_place_item(jbw_world *world, int item_type, jbw_position cell);
JBW_API jbw_status jbw_world_remove_item(jbw_world *world, jbw_position cell);

/// Places an item with a text, as in a `jbw_request`; it stays until the item is collected or removed. A text
/// that is not possible is JBW_INVALID_ARGUMENT.
JBW_API jbw_status jbw_world_place_text(jbw_world *world, int item_type, jbw_position cell,
                                        const char *text);

/// Called after each step, before the function that caused the step returns. It may read the world
/// but not change it.
typedef void jbw_step_function(jbw_world *world, void *user);

/// Sets the function that is called after each step; NULL for none.
JBW_API void jbw_world_on_step(jbw_world *world, jbw_step_function *function, void *user);

JBW_END_DECLS

#endif
