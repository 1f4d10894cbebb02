// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Clients: use a world that a server runs much like a world of your own. docs/clients.md is a
/// guide, docs/protocol.md specifies the messages.
///
/// A client may be used by one thread at a time. It has no thread of its own: messages are
/// processed during calls. Every call returns, with an answer or with JBW_TIMED_OUT.
///
/// If the connection was lost, the next call reconnects, within the limits that the options set.
/// The client then reactivates its agents and renews its subscriptions. A call that was interrupted
/// is repeated if that is harmless. If it is not (adding an agent, an edit, a step) the call
/// returns JBW_NO_CONNECTION, and it is unknown whether it took effect. An action that was in
/// progress may be lost: its observation is what the agent perceives after reconnecting, with
/// `is_resumed` set.
#ifndef JBW_CLIENT_H
#define JBW_CLIENT_H

#include "jbw/agent.h"
#include "jbw/base.h"
#include "jbw/observation.h"
#include "jbw/types.h"
#include "jbw/world.h"

JBW_BEGIN_DECLS

typedef struct jbw_client jbw_client;

/// Called after reconnecting, with the time of the world. That is earlier than before if the server
/// was restarted from a saved world. Must not use the client.
typedef void jbw_resume_function(uint64_t time, void *user);

/// Called about ten times a second while a call waits. Returning true makes the call time out. Must
/// not use the client.
typedef bool jbw_stop_function(void *user);

/// How to connect; all zero is fine. Times are in seconds.
typedef struct jbw_client_options {
    const char *token;      ///< NULL permits watching only
    const char *name;       ///< for the server's log; NULL means "jbw"
    const char *ca_file;    ///< wss: trusted certificates, a PEM file; NULL means the system's
    bool is_unchecked;      ///< wss: accept any certificate
    double connect_timeout; ///< for one attempt to connect; zero means 10
    double answer_timeout;  ///< for an answer; zero means 30
    double turn_timeout;    ///< for a step, which needs the actions of others; zero means 600
    double reconnect_time;  ///< for reconnecting; zero means 60, negative means never
    uint64_t frame_bytes;   ///< limit for unread frames; zero means 64 MiB
    jbw_resume_function *on_resume; ///< may be NULL
    void *resume_user;
    jbw_stop_function *should_stop; ///< may be NULL
    void *stop_user;
    jbw_allocator allocator;
} jbw_client_options;

/// Connects to "ws://host:port" or "wss://host:port". Options may be NULL, and are copied. On
/// failure `*out` is NULL and `error` (may be NULL) says why, including the server's own message.
JBW_API jbw_status jbw_client_connect(const char *url, const jbw_client_options *options,
                                      jbw_client **out, jbw_error *error);

/// Disconnects and destroys a client. Its agents become inactive and still belong to their token.
/// NULL is fine.
JBW_API void jbw_client_close(jbw_client *client);

/// The error of the latest call that failed. Lives as long as the client.
JBW_API const jbw_error *jbw_client_error(const jbw_client *client);

/// What a token permits; bits.
typedef enum jbw_permission {
    JBW_MAY_WATCH = 1,
    JBW_MAY_ACT = 2,     ///< add agents, and act with them
    JBW_MAY_EDIT = 4,    ///< place and remove items, explore
    JBW_MAY_CONTROL = 8, ///< pause, step, set the rate, get the hash
    JBW_MAY_SAVE = 16,
} jbw_permission;

/// What a client knows without asking the server.
typedef struct jbw_client_info {
    const char *server;    ///< name and version of the server
    const char *name;      ///< that the server has for the token; empty without a token
    uint32_t permissions;  ///< jbw_permission bits
    uint32_t agents_most;  ///< limit for the number of agents of the token
    uint64_t seed;         ///< of the world
    uint64_t time;         ///< of the world, according to the latest answer
    uint64_t started_time; ///< of the world when the server started
    uint64_t resume_count; ///< how often this client has reconnected
    uint64_t resume_time;  ///< of the world, when it last reconnected
    double
        turn_timeout; ///< seconds after which the server no longer waits for an agent; zero: never
} jbw_client_info;

/// The strings are valid until the next call.
JBW_API jbw_client_info jbw_client_get_info(const jbw_client *client);

/// The lengths that the shapes of observations depend on: see jbw_part_describe.
JBW_API jbw_part_axes jbw_client_axes(const jbw_client *client);

/// Appends the complete world file of the served world, as YAML.
JBW_API jbw_status jbw_client_get_world_file(jbw_client *client, jbw_buffer *out);

/// The model of the served world, for names, shapes, rewards and policies. The first call creates
/// it from the world file; it lives as long as the client. NULL on failure, for example if the
/// world uses functions that are not built in.
JBW_API const jbw_model *jbw_client_model(jbw_client *client);

// ---- agents ----

/// Like jbw_world_add_agent and jbw_world_remove_agent. Agents belong to the token that added them.
JBW_API jbw_status jbw_client_add_agent(jbw_client *client, const jbw_agent_options *options,
                                        jbw_agent_id *out);
JBW_API jbw_status jbw_client_remove_agent(jbw_client *client, jbw_agent_id agent);

/// Like jbw_agent_set_active. A client that activates an agent of its token takes it over.
JBW_API jbw_status jbw_client_set_active(jbw_client *client, jbw_agent_id agent, bool is_active);

/// The number of agents that this client has added or taken over. Writes up to `capacity` of them
/// to `out`.
JBW_API size_t jbw_client_agents(const jbw_client *client, jbw_agent_id *out, size_t capacity);

/// The same for the agents that the token already had when this client connected: those that
/// earlier clients left behind.
JBW_API size_t jbw_client_left_agents(const jbw_client *client, jbw_agent_id *out, size_t capacity);

/// All agents of the world, in the order in which they were added.
JBW_API jbw_status jbw_client_all_agents(jbw_client *client, jbw_agent_id *out, size_t capacity,
                                         size_t *count);

/// Requests an action. Returns at once while another active agent of this client has not acted yet;
/// otherwise waits for the step. `*stepped` (may be NULL) says which.
JBW_API jbw_status jbw_client_act(jbw_client *client, jbw_agent_id agent, int action,
                                  bool *stepped);

/// The same with what is said and written, as in jbw_agent_request. A server that is too old for it is
/// JBW_UNSUPPORTED, unless the request is an action alone.
JBW_API jbw_status jbw_client_request(jbw_client *client, jbw_agent_id agent,
                                      const jbw_request *request, bool *stepped);

/// An agent as the server describes it. `parts` is an input: it says which parts of the observation
/// to fetch and where to write them. Everything else is an output.
typedef struct jbw_client_observation {
    jbw_observation parts; ///< NULL pointers are not fetched, and cost nothing

    jbw_agent_id agent;
    uint64_t time; ///< of the world
    jbw_position position;
    jbw_direction direction;
    bool is_active;
    bool is_resumed; ///< the client had to reconnect, and the action may be lost
    jbw_agent_result result;
} jbw_client_observation;

/// Requests an action, waits for the step, and observes the agent, in one round trip. A part that
/// servers do not send (`start`) is JBW_UNSUPPORTED, here and in the functions below.
JBW_API jbw_status jbw_client_act_and_observe(jbw_client *client, jbw_agent_id agent, int action,
                                              jbw_client_observation *observation);

/// The same with what is said and written.
JBW_API jbw_status jbw_client_request_and_observe(jbw_client *client, jbw_agent_id agent,
                                                  const jbw_request *request,
                                                  jbw_client_observation *observation);

/// The same for several agents together, (count) each, also in one round trip.
JBW_API jbw_status jbw_client_act_together(jbw_client *client, const jbw_agent_id *agents,
                                           const int *actions, size_t count,
                                           jbw_client_observation *observations);

JBW_API jbw_status jbw_client_request_together(jbw_client *client, const jbw_agent_id *agents,
                                               const jbw_requests *requests, size_t count,
                                               jbw_client_observation *observations);

/// Observes any agent of the world as it is now.
JBW_API jbw_status jbw_client_observe(jbw_client *client, jbw_agent_id agent,
                                      jbw_client_observation *observation);

/// Like jbw_agent_perceive, jbw_agent_get_state and jbw_agent_get_result. What an agent is about to say
/// and write is not told: `say` and `text` of a state are empty.
JBW_API jbw_status jbw_client_perceive(jbw_client *client, jbw_agent_id agent, float *vision,
                                       float *scent);
JBW_API jbw_status jbw_client_get_state(jbw_client *client, jbw_agent_id agent,
                                        jbw_agent_state *out);
JBW_API jbw_status jbw_client_get_result(jbw_client *client, jbw_agent_id agent,
                                         jbw_agent_result *out);

/// Writes the number of items that an agent carries: (item types).
JBW_API jbw_status jbw_client_get_inventory(jbw_client *client, jbw_agent_id agent, uint64_t *out);

// ---- the world ----

JBW_API jbw_status jbw_client_get_time(jbw_client *client, uint64_t *time);
JBW_API jbw_status jbw_client_get_hash(jbw_client *client, uint64_t *time, uint64_t *hash);

/// Like jbw_world_read_region. A region that is too large for one message is read in bands; the
/// world may step in between.
JBW_API jbw_status jbw_client_read_region(jbw_client *client, jbw_region region, uint8_t *items,
                                          uint8_t *states);

/// Like jbw_world_read_planes, in bands as well. An older server does not know them: JBW_UNSUPPORTED.
JBW_API jbw_status jbw_client_read_planes(jbw_client *client, jbw_region region,
                                          const jbw_region_planes *planes);

/// Like jbw_world_inspect. An older server does not know it: JBW_UNSUPPORTED.
JBW_API jbw_status jbw_client_inspect(jbw_client *client, jbw_position cell, jbw_cell_info *out);

/// The scent of a region: (height, width, scent_dimensions), lowest row first. Large regions are
/// read in bands, too.
JBW_API jbw_status jbw_client_smell(jbw_client *client, jbw_region region, float *scent);

JBW_API jbw_status jbw_client_place_item(jbw_client *client, int item_type, jbw_position cell);
JBW_API jbw_status jbw_client_place_text(jbw_client *client, int item_type, jbw_position cell,
                                         const char *text);
JBW_API jbw_status jbw_client_remove_item(jbw_client *client, jbw_position cell);
JBW_API jbw_status jbw_client_explore(jbw_client *client, const jbw_position *positions,
                                      size_t count);

/// Pauses or resumes the world. A paused world keeps requested actions, and steps only when
/// `jbw_client_step` is called.
JBW_API jbw_status jbw_client_pause(jbw_client *client, bool is_paused);

/// Steps the world now. Agents that have not requested an action do nothing.
JBW_API jbw_status jbw_client_step(jbw_client *client, uint32_t count);

/// Limits the number of steps per second; zero means no limit.
JBW_API jbw_status jbw_client_set_rate(jbw_client *client, double steps_per_second);

/// Saves the world to the server's own file. `*time` (may be NULL) is the time of the saved world.
JBW_API jbw_status jbw_client_save(jbw_client *client, uint64_t *time);

/// Statistics of a server.
typedef struct jbw_client_stats {
    uint64_t time;
    uint64_t step_count;    ///< since the server started
    uint64_t timeout_count; ///< steps that did not wait for all agents
    double uptime;          ///< seconds
    double world_cpu;       ///< processor time of the world's thread, in seconds
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

/// Like jbw_client_act_and_observe, but returns as soon as the request is sent. `observation` must
/// stay valid until `jbw_client_collect`, which waits for the answer, has been called with the
/// ticket. Any number of requests may be in progress, and they may be collected in any order.
/// Actions of the same agent are taken in consecutive steps; up to 64 of them may be queued behind
/// the first.
JBW_API jbw_status jbw_client_post_act(jbw_client *client, jbw_agent_id agent, int action,
                                       jbw_client_observation *observation, uint32_t *ticket);

/// The same for `count` actions of an agent in consecutive steps, sent together. On failure,
/// actions whose ticket is not zero are in progress.
JBW_API jbw_status jbw_client_post_acts(jbw_client *client, jbw_agent_id agent, const int *actions,
                                        size_t count, jbw_client_observation *observations,
                                        uint32_t *tickets);

/// The same with what is said and written.
JBW_API jbw_status jbw_client_post_requests(jbw_client *client, jbw_agent_id agent,
                                            const jbw_requests *requests, size_t count,
                                            jbw_client_observation *observations,
                                            uint32_t *tickets);

/// Like jbw_client_observe, but returns as soon as the request is sent.
JBW_API jbw_status jbw_client_post_observe(jbw_client *client, jbw_agent_id agent,
                                           jbw_client_observation *observation, uint32_t *ticket);

/// Waits for the answer to a request. Each ticket can be collected once; after JBW_TIMED_OUT it can
/// be collected again. If the connection was lost, all requests in progress are JBW_NO_CONNECTION.
JBW_API jbw_status jbw_client_collect(jbw_client *client, uint32_t ticket);

/// Sends and receives what is pending, for at most that many seconds. True if the answer has
/// arrived, or there is no such ticket.
JBW_API bool jbw_client_is_ready(jbw_client *client, uint32_t ticket, double seconds);

// ---- frames ----

/// What a subscription is about.
typedef enum jbw_topic {
    JBW_TOPIC_EVERYTHING, ///< the clock, and all agents
    JBW_TOPIC_PATCHES,    ///< the changed patches of a region, and the agents there
    JBW_TOPIC_ONE_AGENT,  ///< one agent, and what it perceives
} jbw_topic;

typedef struct jbw_subscription {
    jbw_topic topic;
    jbw_region region;  ///< for patches; in cells
    int detail;         ///< for patches: send the mean color of squares of 2^detail cells; 0: items
    jbw_agent_id agent; ///< for one agent
    float rate;         ///< limit for the frames per second; zero: no limit
} jbw_subscription;

/// An agent as drawn on a map.
typedef struct jbw_agent_mark {
    jbw_agent_id agent;
    jbw_position position;
    jbw_direction direction;
    bool is_active;
    int action;    ///< in the latest step, or -1
    int collected; ///< item type collected in the latest step, or -1
    int body;      ///< as in jbw_agent_options
    int said;      ///< a symbol in the latest step, from 1, or 0
} jbw_agent_mark;

/// The items of a patch.
typedef struct jbw_patch_view {
    jbw_position patch; ///< in units of patches
    jbw_patch_state state;
    /// Lowest row first; NULL if the patch is missing. Without detail (side, side): item type plus
    /// one, or 0. With detail (side, side, 4): the colors of the items in a square, summed and
    /// divided by its number of cells, as red, green and blue, and the fraction of cells with an
    /// item, from 0 to 255.
    const uint8_t *items;
    int side;
    int channels; ///< 1, or 4 with detail
} jbw_patch_view;

/// A message of a subscription.
typedef struct jbw_frame {
    uint32_t subscription;
    uint64_t time;
    bool is_paused;
    double rate;
    double steps_per_second;
    uint32_t agent_count; ///< in the world
    uint64_t missed;      ///< frames dropped since the previous one, because they were not read
    const jbw_agent_mark *agents;
    size_t mark_count;
    const jbw_patch_view *patches;
    size_t patch_count;
    /// With vision and scent, and in worlds with bodies, voices or texts with these; NULL unless the
    /// topic is one agent.
    const jbw_client_observation *observation;
} jbw_frame;

JBW_API jbw_status jbw_client_subscribe(jbw_client *client, const jbw_subscription *what,
                                        uint32_t *subscription);
JBW_API jbw_status jbw_client_unsubscribe(jbw_client *client, uint32_t subscription);

/// Waits for the next frame, for at most that many seconds; then it is JBW_TIMED_OUT. What the
/// frame points to is valid until the next call.
JBW_API jbw_status jbw_client_next_frame(jbw_client *client, double seconds, jbw_frame *out);

JBW_END_DECLS

#endif
