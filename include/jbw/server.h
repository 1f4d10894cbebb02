// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A server: lets others watch a world, act in it and change it, over WebSockets. docs/serving.md is
/// a guide, docs/protocol.md tells what goes over the wire.
///
/// There are three ways. `jbw_server_create` hands a world over to the server, whose own thread steps
/// it when all agents have asked. `jbw_server_attach` lets others only watch a world that its owner
/// goes on stepping; as long as nobody watches that costs next to nothing. `jbw_server_play` shows a
/// recording, and viewers go to and fro in it.
#ifndef JBW_SERVER_H
#define JBW_SERVER_H

#include "jbw/base.h"
#include "jbw/client.h"
#include "jbw/snapshot.h"
#include "jbw/world.h"

JBW_BEGIN_DECLS

typedef struct jbw_server jbw_server;

/// What the bearer of a token may do.
typedef struct jbw_token {
    const char *name;     ///< of its owner: 1 to 63 letters, digits, '.', '-' and '_'
    const char *secret;   ///< 8 to 200 printable characters without spaces
    uint32_t permissions; ///< jbw_permission bits
    uint32_t agents_most; ///< in the world at one time
} jbw_token;

/// Tokens that were read from a file.
typedef struct jbw_tokens {
    jbw_token *tokens;
    size_t count;
} jbw_tokens;

/// Reads a file of tokens: a line for each, "NAME SECRET PERMISSIONS [AGENTS]", with permissions such
/// as "act" or "act,edit,control,save" or "all", and one agent unless said. What follows a '#' at the
/// beginning of a word is a comment. JBW_INVALID_DATA if it is something else; `error` tells the line.
JBW_API jbw_status jbw_tokens_read(const char *path, jbw_tokens *out, jbw_error *error);

/// Frees them. All zero is fine.
JBW_API void jbw_tokens_free(jbw_tokens *tokens);

/// Called while somebody watches an attached world, in a thread of the server, when a new copy would
/// be welcome. An owner who can tell that the world is at rest, and keep it so meanwhile, calls
/// `jbw_server_publish` from here; it must not wait for anything. So viewers see the world as it is
/// also while it takes no steps.
typedef void jbw_peek_function(jbw_server *server, void *user);

/// How to serve; all zero is fine. Everything is copied.
typedef struct jbw_server_options {
    const char *host; ///< to listen at: an address or a name; NULL means 127.0.0.1
    int port;         ///< zero: any that is free
    const char *cert; ///< a PEM file: serve over TLS; NULL for none
    const char *key;  ///< a PEM file that goes with it
    const jbw_token *tokens;
    size_t token_count;
    const char *const *origins; ///< of web pages of others that may connect, as "https://host:port"
    size_t origin_count;
    uint32_t clients_most; ///< zero means 1,000
    double frame_rate;     ///< pictures per second for viewers; zero means 30

    bool is_paused; ///< begin so
    double rate;    ///< steps per second at most; zero: as fast as agents ask
    uint32_t
        turn_timeout; ///< milliseconds until a step is taken without who has not asked; zero: never
    bool deactivates; ///< and then also make those inactive

    const char *save_path;   ///< where to save the world; NULL: nowhere
    uint64_t save_every;     ///< steps between savings; zero: only when asked to, and at the end
    const char *record_path; ///< where to record everything that happens; NULL: nowhere
    bool may_replace_record; ///< a file that is there already
    const char *world_file;  ///< its text, for clients that ask for it; NULL: as the notes say
    const jbw_note *notes;   ///< of the snapshot that the world came from: whose agents are whose
    size_t note_count;

    const char *reward; ///< whose rate the page plots to begin with; NULL: as the note "run.reward"
                        ///< says, also that of a recording

    jbw_peek_function *peek; ///< of an attached world; NULL: only its steps are seen
    void *peek_user;         ///< handed to it
} jbw_server_options;

/// Begins to serve a world, which belongs to the server from now on until it is destroyed; its model
/// must outlive that. Agents that are there are made inactive, and wait for their owners. On failure
/// `*out` is NULL, the world is still the caller's, and `error` (may be NULL) says why.
JBW_API jbw_status jbw_server_create(jbw_world *world, const jbw_server_options *options,
                                     jbw_server **out, jbw_error *error);

/// Begins to show a world that stays the caller's. Who connects may only watch. The options about
/// steps, saving and recording do not count.
JBW_API jbw_status jbw_server_attach(jbw_world *world, const jbw_server_options *options,
                                     jbw_server **out, jbw_error *error);

/// To be called by the owner of an attached world after each step, in the world's thread: makes a
/// copy for viewers if there are any and it is time to. True if it did. Another world of the same
/// model may take the place of the one before. Never from two threads at the same time.
JBW_API bool jbw_server_publish(jbw_server *server, const jbw_world *world);

/// Begins to show a recording. Who connects may pause and step, set the rate and go to any time, for
/// all who watch. The options about steps count, those about saving and recording do not.
JBW_API jbw_status jbw_server_play(const char *path, const jbw_server_options *options,
                                   jbw_server **out, jbw_error *error);

/// Where it listens: "http://127.0.0.1:8765/". Lives as long as the server.
JBW_API const char *jbw_server_url(const jbw_server *server);
JBW_API int jbw_server_port(const jbw_server *server);

/// JBW_OK as long as all is well; otherwise what went wrong in the world's thread: recording, saving,
/// or a step that failed.
JBW_API jbw_status jbw_server_status(jbw_server *server, jbw_error *error);

/// What a server has done.
typedef struct jbw_server_stats {
    uint64_t time; ///< of the world
    uint64_t step_count;
    uint64_t timeout_count; ///< steps that did not wait for everybody
    uint32_t agent_count;
    uint32_t active_count;
    uint32_t client_count;
    uint32_t subscription_count;
    uint64_t connection_count; ///< that there were
    uint64_t request_count;
    uint64_t frame_count;
    uint64_t copy_count; ///< copies of the world that were made for viewers
    uint64_t bytes_received;
    uint64_t bytes_sent;
    uint64_t refused_count; ///< requests answered by an error
    uint64_t dropped_count; ///< connections ended for what they sent, or for not reading
    uint64_t saved_time;
    double world_cpu; ///< seconds of processor time of the world's thread
} jbw_server_stats;

JBW_API jbw_server_stats jbw_server_get_stats(const jbw_server *server);

/// Takes no more steps, saves the world if there is somewhere to, ends the recording and all
/// connections. A failure of these is told. May be called once; the world can be looked at afterwards.
JBW_API jbw_status jbw_server_stop(jbw_server *server, jbw_error *error);

/// The world that is served; only after `jbw_server_stop`, and for an attached server NULL.
JBW_API jbw_world *jbw_server_world(jbw_server *server);

/// Stops a server, if that has not been done, and ends it, and the world with it. NULL is fine.
JBW_API void jbw_server_destroy(jbw_server *server);

JBW_END_DECLS

#endif
