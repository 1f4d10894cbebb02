// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Clients: a world that is served elsewhere, used much as one that is here. docs/clients.md is a
/// guide, docs/protocol.md tells what goes over the wire.
///
/// A client belongs to one thread at a time, and has no thread of its own: what arrives is taken in
/// during calls. Different clients may live in different threads. Every call ends, by an answer or by
/// JBW_TIMED_OUT.
///
/// A connection that was lost is made again by the next call, for as long as the options allow. The
/// agents that this client had become active again, and subscriptions go on. A call that was under
/// way is then made again if that does no harm; if it might (adding an agent, an edit, a step) it is
/// JBW_NO_CONNECTION, and whether it was done is not known. An action that was under way may be lost:
/// its observation is what the agent perceives now, and says so by `is_resumed`.
#ifndef JBW_CLIENT_H
#define JBW_CLIENT_H

#include "jbw/agent.h"
#include "jbw/base.h"
#include "jbw/types.h"
#include "jbw/world.h"

JBW_BEGIN_DECLS

typedef struct jbw_client jbw_client;

/// Told when a lost connection is back, and at which time the world goes on: earlier than before if
/// the server had to start again from a saved world. It must not use the client.
typedef void jbw_resume_function(uint64_t time, void *user);

/// Asked about ten times a second while a call waits: true ends it, as if it had timed out. It must
/// not use the client.
typedef bool jbw_stop_function(void *user);

/// How to connect; all zero is fine. Times are in seconds.
typedef struct jbw_client_options {
    const char *token;      ///< NULL: only to watch
    const char *name;       ///< for the server's log; NULL means "jbw"
    const char *ca_file;    ///< wss: whom to trust, a PEM file; NULL means the system's list
    bool is_unchecked;      ///< wss: trust anybody
    double connect_timeout; ///< for connecting once; zero means 10
    double answer_timeout;  ///< for an answer; zero means 30
    double turn_timeout;    ///< for a step that others must agree to; zero means 600
    double reconnect_time;  ///< for making a lost connection again; zero means 60, negative never
    uint64_t frame_bytes;   ///< of frames that wait to be read; zero means 64 MiB
    jbw_resume_function *on_resume; ///< may be NULL
    void *resume_user;
    jbw_stop_function *should_stop; ///< may be NULL
    void *stop_user;
    jbw_allocator allocator;
} jbw_client_options;

/// Connects to "ws://host:port" or "wss://host:port". On failure `*out` is NULL and `error` (may be
/// NULL) says why, also by the server's own words. Options may be NULL, and are copied.
JBW_API jbw_status jbw_client_connect(const char *url, const jbw_client_options *options,
                                      jbw_client **out, jbw_error *error);

/// Says goodbye and ends a client. Its agents become inactive, and wait for their token. NULL is
/// fine.
JBW_API void jbw_client_close(jbw_client *client);

/// What went wrong in the latest call that failed; lives as long as the client.
JBW_API const jbw_error *jbw_client_error(const jbw_client *client);

/// What a client may do; bits.
typedef enum jbw_permission {
    JBW_MAY_WATCH = 1,
    JBW_MAY_ACT = 2,     ///< add agents, and act with them
    JBW_MAY_EDIT = 4,    ///< place and remove items, explore
    JBW_MAY_CONTROL = 8, ///< pause, step, set the rate, ask for the hash
    JBW_MAY_SAVE = 16,
} jbw_permission;

/// What is known without asking.
typedef struct jbw_client_info {
    const char *server;    ///< its name and version
    const char *name;      ///< that goes with the token; empty without one
    uint32_t permissions;  ///< jbw_permission bits
    uint32_t agents_most;  ///< how many agents the token may have
    uint64_t seed;         ///< of the world
    uint64_t time;         ///< of the world, as the latest answer told it
    uint64_t started_time; ///< of the world when the server started
    uint64_t resume_count; ///< how often a lost connection was made again
    uint64_t resume_time;  ///< of the world, when that happened last
    double turn_timeout;   ///< seconds after which the server goes on without an agent; zero: never
} jbw_client_info;

/// The texts live until the next call.
JBW_API jbw_client_info jbw_client_get_info(const jbw_client *client);

/// Appends the world file that the world was made from, complete, as YAML.
JBW_API jbw_status jbw_client_get_world_file(jbw_client *client, jbw_buffer *out);

/// The model of the world that is served: names, shapes, what rewards and policies need. It is made
/// from the world file when first asked for, and lives as long as the client. NULL if that fails,
/// such as for want of the functions that the world's owner has added.
JBW_API const jbw_model *jbw_client_model(jbw_client *client);

// ---- agents ----

/// As the functions of agent.h. An agent's owner is the token; `jbw_client_agents` are those that
/// this client has added or activated.
JBW_API jbw_status jbw_client_add_agent(jbw_client *client, const jbw_agent_options *options,
                                        jbw_agent_id *out);
JBW_API jbw_status jbw_client_remove_agent(jbw_client *client, jbw_agent_id agent);

/// Activating an agent that belongs to the token makes it this client's.
JBW_API jbw_status jbw_client_set_active(jbw_client *client, jbw_agent_id agent, bool is_active);

/// The number of agents that are this client's, up to `capacity` of which go to `out`.
JBW_API size_t jbw_client_agents(const jbw_client *client, jbw_agent_id *out, size_t capacity);

/// The same for those that belonged to the token when it connected, whoever had added them: what an
/// earlier client has left.
JBW_API size_t jbw_client_left_agents(const jbw_client *client, jbw_agent_id *out, size_t capacity);

/// All agents of the world, in the order in which they were added.
JBW_API jbw_status jbw_client_all_agents(jbw_client *client, jbw_agent_id *out, size_t capacity,
                                         size_t *count);

/// Asks for an action. As long as another active agent of this client has not asked yet, it returns
/// at once; otherwise it waits for the step. `*stepped` (may be NULL) tells which.
JBW_API jbw_status jbw_client_act(jbw_client *client, jbw_agent_id agent, int action,
                                  bool *stepped);

/// What is known of an agent. The pointers say where the parts are to be written; NULL leaves a part
/// out, and then it costs nothing. All zero asks for the rest only.
typedef struct jbw_observation {
    float *vision;       ///< (side, side, color_dimensions)
    float *scent;        ///< (scent_dimensions)
    uint8_t *items;      ///< (side, side): as jbw_agent_see_items
    uint64_t *inventory; ///< (item types)

    jbw_agent_id agent;
    uint64_t time; ///< of the world
    jbw_position position;
    jbw_direction direction;
    bool is_active;
    bool is_resumed; ///< the connection was lost meanwhile, and the action may be lost with it
    jbw_agent_result result;
} jbw_observation;

/// Asks for an action, waits for the step, and tells what the agent then perceives: one round trip.
JBW_API jbw_status jbw_client_act_and_observe(jbw_client *client, jbw_agent_id agent, int action,
                                              jbw_observation *observation);

/// The same for several agents together, (count) each, also in one round trip.
JBW_API jbw_status jbw_client_act_together(jbw_client *client, const jbw_agent_id *agents,
                                           const int *actions, size_t count,
                                           jbw_observation *observations);

/// What an agent perceives now; anybody's.
JBW_API jbw_status jbw_client_observe(jbw_client *client, jbw_agent_id agent,
                                      jbw_observation *observation);
JBW_API jbw_status jbw_client_perceive(jbw_client *client, jbw_agent_id agent, float *vision,
                                       float *scent);
JBW_API jbw_status jbw_client_get_state(jbw_client *client, jbw_agent_id agent,
                                        jbw_agent_state *out);
JBW_API jbw_status jbw_client_get_result(jbw_client *client, jbw_agent_id agent,
                                         jbw_agent_result *out);

/// Writes (item types) numbers.
JBW_API jbw_status jbw_client_get_inventory(jbw_client *client, jbw_agent_id agent, uint64_t *out);

// ---- the world ----

JBW_API jbw_status jbw_client_get_time(jbw_client *client, uint64_t *time);
JBW_API jbw_status jbw_client_get_hash(jbw_client *client, uint64_t *time, uint64_t *hash);

/// As jbw_world_read_region. A region that is too large for one message is read in bands, between
/// which the world may take steps.
JBW_API jbw_status jbw_client_read_region(jbw_client *client, jbw_region region, uint8_t *items,
                                          uint8_t *states);

/// The scent of a region: (height, width, scent_dimensions), the lowest row first; in bands, too.
JBW_API jbw_status jbw_client_smell(jbw_client *client, jbw_region region, float *scent);

JBW_API jbw_status jbw_client_place_item(jbw_client *client, int item_type, jbw_position cell);
JBW_API jbw_status jbw_client_remove_item(jbw_client *client, jbw_position cell);
JBW_API jbw_status jbw_client_explore(jbw_client *client, const jbw_position *positions,
                                      size_t count);

/// Pausing keeps requests, and takes no steps but those asked for by `jbw_client_step`.
JBW_API jbw_status jbw_client_pause(jbw_client *client, bool is_paused);

/// Takes steps now. Agents that have not asked for anything do nothing.
JBW_API jbw_status jbw_client_step(jbw_client *client, uint32_t count);

/// So many steps per second at most; zero: as fast as agents ask.
JBW_API jbw_status jbw_client_set_rate(jbw_client *client, double steps_per_second);

/// Saves the world to the server's own file; `*time` (may be NULL) is the world's then.
JBW_API jbw_status jbw_client_save(jbw_client *client, uint64_t *time);

/// How the server is doing.
typedef struct jbw_client_stats {
    uint64_t time;
    uint64_t step_count;    ///< since it started
    uint64_t timeout_count; ///< of steps that did not wait for everybody
    double uptime;          ///< seconds
    double world_cpu;       ///< seconds of processor time of the world's thread
    uint32_t agent_count;
    uint32_t active_count;
    uint32_t client_count;
    uint32_t subscription_count;
    uint64_t patch_count;
    uint64_t final_patch_count;
    uint64_t map_bytes;
    bool is_paused;
    double rate;
    uint64_t saved_time;
} jbw_client_stats;

JBW_API jbw_status jbw_client_get_stats(jbw_client *client, jbw_client_stats *out);

// ---- many requests at once ----

/// Sends what `jbw_client_act_and_observe` would, and returns at once. `observation` must stay until
/// `jbw_client_collect` has been called with the ticket, which waits for it to be filled. Any number
/// may be under way; they may be collected in any order. Those of one agent are done in as many steps,
/// one after another, and up to 64 may wait behind the first.
JBW_API jbw_status jbw_client_post_act(jbw_client *client, jbw_agent_id agent, int action,
                                       jbw_observation *observation, uint32_t *ticket);

/// The same for `count` actions of an agent, in as many steps, sent in one piece. If it fails, those
/// with a ticket that is not zero are under way.
JBW_API jbw_status jbw_client_post_acts(jbw_client *client, jbw_agent_id agent, const int *actions,
                                        size_t count, jbw_observation *observations,
                                        uint32_t *tickets);

/// The same as `jbw_client_post_act` for `jbw_client_observe`.
JBW_API jbw_status jbw_client_post_observe(jbw_client *client, jbw_agent_id agent,
                                           jbw_observation *observation, uint32_t *ticket);

/// Waits for an answer. A ticket is good for one call, unless that is JBW_TIMED_OUT. A connection
/// that was lost meanwhile is JBW_NO_CONNECTION for all that was under way.
JBW_API jbw_status jbw_client_collect(jbw_client *client, uint32_t ticket);

/// Sends what is waiting to be sent and takes in what has arrived, waiting at most so long; and
/// tells whether an answer is there. No such ticket counts as there.
JBW_API bool jbw_client_is_ready(jbw_client *client, uint32_t ticket, double seconds);

// ---- frames ----

/// What to be told of, now and then.
typedef enum jbw_topic {
    JBW_TOPIC_EVERYTHING, ///< the clock, and all agents
    JBW_TOPIC_PATCHES,    ///< the patches of a region that have changed, and the agents there
    JBW_TOPIC_ONE_AGENT,  ///< an agent, and what it perceives
} jbw_topic;

typedef struct jbw_subscription {
    jbw_topic topic;
    jbw_region region;  ///< of patches to be told of, in cells
    int detail;         ///< squares of 2 to this power are told by the mean of their colours
    jbw_agent_id agent; ///< to be told of
    float rate;         ///< frames per second at most; zero: as many as the server makes
} jbw_subscription;

/// An agent as drawn on a map.
typedef struct jbw_agent_mark {
    jbw_agent_id agent;
    jbw_position position;
    jbw_direction direction;
    bool is_active;
    int action;    ///< in the latest step, or -1
    int collected; ///< in the latest step, the item type, or -1
} jbw_agent_mark;

/// The items of a patch.
typedef struct jbw_patch_view {
    jbw_position patch; ///< in units of patches
    jbw_patch_state state;
    /// The lowest row first; NULL if the patch is missing. (side, side): item types plus one, 0 where
    /// there is none. With a detail, (side, side, 4): red, green and blue of a square's items, summed up
    /// and divided by its cells, and the share of cells with an item, from 0 to 255.
    const uint8_t *items;
    int side;
    int channels; ///< 1, or 4 with a detail
} jbw_patch_view;

/// What a subscription was told.
typedef struct jbw_frame {
    uint32_t subscription;
    uint64_t time;
    bool is_paused;
    double rate;
    double steps_per_second;
    uint32_t agent_count; ///< in the world
    uint64_t missed;      ///< frames that were given up since the one before: nobody had read them
    const jbw_agent_mark *agents;
    size_t mark_count;
    const jbw_patch_view *patches;
    size_t patch_count;
    const jbw_observation *observation; ///< of the agent, with vision and scent; or NULL
} jbw_frame;

JBW_API jbw_status jbw_client_subscribe(jbw_client *client, const jbw_subscription *what,
                                        uint32_t *subscription);
JBW_API jbw_status jbw_client_unsubscribe(jbw_client *client, uint32_t subscription);

/// The next frame, waiting for it at most so long; JBW_TIMED_OUT if there is none. What it points at
/// lives until the next call.
JBW_API jbw_status jbw_client_next_frame(jbw_client *client, double seconds, jbw_frame *out);

JBW_END_DECLS

#endif
