// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A server: clients watch a world, act in it and change it over WebSockets. docs/serving.md is a
/// guide, docs/protocol.md specifies the messages.
///
/// There are three kinds. `jbw_server_create` gives a world to the server, whose own thread steps
/// it whenever all active agents have acted. `jbw_server_attach` lets clients watch a world that
/// the caller keeps stepping; this costs next to nothing while nobody watches. `jbw_server_play`
/// plays a recording, in which viewers can jump to any time.
#ifndef JBW_SERVER_H
#define JBW_SERVER_H

#include "jbw/base.h"
#include "jbw/client.h"
#include "jbw/policy.h"
#include "jbw/snapshot.h"
#include "jbw/world.h"

JBW_BEGIN_DECLS

typedef struct jbw_server jbw_server;

/// What a client with this token may do.
typedef struct jbw_token {
    const char *name;     ///< of its owner: 1 to 63 letters, digits, '.', '-' or '_'
    const char *secret;   ///< 8 to 200 printable characters without spaces
    uint32_t permissions; ///< jbw_permission bits
    uint32_t agents_most; ///< number of agents in the world at one time
} jbw_token;

/// Tokens read from a file.
typedef struct jbw_tokens {
    jbw_token *tokens;
    size_t count;
} jbw_tokens;

/// Reads a file of tokens, one per line: "NAME SECRET PERMISSIONS [AGENTS]". Permissions are, for
/// example, "act", "act,edit,control,save" or "all"; the default number of agents is one. A word
/// that starts with '#' starts a comment. JBW_INVALID_DATA if the file is malformed; `error` has
/// the line.
JBW_API jbw_status jbw_tokens_read(const char *path, jbw_tokens *out, jbw_error *error);

/// Frees the tokens. All zero is fine.
JBW_API void jbw_tokens_free(jbw_tokens *tokens);

/// Called in a thread of the server when viewers of an attached world need a new copy. If the owner
/// can tell that nothing uses the world right now, and can keep it that way, it calls
/// `jbw_server_publish` from here. So viewers see changes even while the world takes no steps. It
/// must not block.
typedef void jbw_peek_function(jbw_server *server, void *user);

/// An agent that the server itself lets act, with a policy, beside those of clients. It acts at the
/// beginning of each turn, and clients have no hold on it.
typedef struct jbw_resident {
    jbw_agent_id agent;       ///< in the world that is served
    jbw_policy *policy;       ///< used by a thread of the server until it stops
    const jbw_reward *reward; ///< what the policy is rewarded for; NULL is zero, always
} jbw_resident;

/// Creates the residents again that a server has saved with its world, with policies that continue
/// where they were. `notes` are those of the snapshot; the model and the reward (may be NULL) must
/// outlive the policies. There may be none. JBW_INVALID_DATA if the note is damaged.
JBW_API jbw_status jbw_residents_load(const jbw_note *notes, size_t note_count,
                                      const jbw_model *model, const jbw_reward *reward,
                                      jbw_resident **out, size_t *count, jbw_error *error);

/// Frees what `jbw_residents_load` has made, with the policies. NULL and zero are fine.
JBW_API void jbw_residents_free(jbw_resident *residents, size_t count);

/// How to serve. All zero is fine; everything is copied, except policies and rewards of residents.
typedef struct jbw_server_options {
    const char *host; ///< address or name to listen on; NULL means 127.0.0.1
    int port;         ///< zero: any free port
    const char *cert; ///< PEM file with a certificate: serve over TLS; NULL for no TLS
    const char *key;  ///< PEM file with its private key
    const jbw_token *tokens;
    size_t token_count;
    const char *const *origins; ///< of other web pages that may connect, as "https://host:port"
    size_t origin_count;
    uint32_t clients_most; ///< zero means 1,000; fewer if the system allows fewer descriptors
    size_t client_memory;  ///< bytes that all clients together may take; zero means 256 MB
    double frame_rate;     ///< frames per second for viewers; zero means 30

    bool is_paused;        ///< start paused
    double rate;           ///< upper limit of steps per second; zero: as fast as agents act
    uint32_t turn_timeout; ///< milliseconds after which the world steps even if some agents have
                           ///< not acted; zero: never
    bool deactivates;      ///< deactivate those agents, too

    const char *save_path;   ///< file to save the world to; NULL: none
    uint64_t save_every;     ///< steps between saves; zero: only on request and at the end
    double save_timeout;     ///< seconds that stopping tries to save if it fails; zero means 60,
                             ///< negative: one attempt, however long it takes
    const char *record_path; ///< file to record everything that happens to; NULL: none
    bool may_replace_record; ///< overwrite an existing recording
    const char *world_file;  ///< text of the world file, for clients; NULL: taken from the notes
    const jbw_note *notes;   ///< of the snapshot that the world came from, with agent ownership
    size_t note_count;
    const jbw_resident *residents; ///< agents that the server lets act; for `jbw_server_create`
    size_t resident_count;

    const char *reward; ///< the reward that the page plots at first; NULL: taken from the note
                        ///< "run.reward" of the snapshot or recording

    jbw_peek_function *peek; ///< for an attached world; NULL: viewers see only what is published
    void *peek_user;         ///< passed to `peek`
} jbw_server_options;

/// Starts serving a world. The server takes ownership of the world; its model must outlive the
/// server. Agents already in the world become inactive until their owners activate them, except
/// residents. On failure `*out` is NULL, the world still belongs to the caller, and `error` (may be
/// NULL) says why.
JBW_API jbw_status jbw_server_create(jbw_world *world, const jbw_server_options *options,
                                     jbw_server **out, jbw_error *error);

/// Starts showing a world that still belongs to the caller. Clients may only watch. Options for
/// stepping, saving and recording are ignored.
JBW_API jbw_status jbw_server_attach(jbw_world *world, const jbw_server_options *options,
                                     jbw_server **out, jbw_error *error);

/// Call this after each step of an attached world, in the thread that steps it: makes a copy for
/// viewers if there are any and one is due. True if it did. You may pass another world of the same
/// model from then on. Must not be called from two threads at the same time.
JBW_API bool jbw_server_publish(jbw_server *server, const jbw_world *world);

/// Starts playing a recording. Any client may pause, step, set the rate and jump to any time, for
/// all viewers at once. Options for saving and recording are ignored.
JBW_API jbw_status jbw_server_play(const char *path, const jbw_server_options *options,
                                   jbw_server **out, jbw_error *error);

/// The address of the web page, such as "http://127.0.0.1:8765/". Lives as long as the server.
JBW_API const char *jbw_server_url(const jbw_server *server);
JBW_API int jbw_server_port(const jbw_server *server);

/// JBW_OK, or the first failure of a step in the world thread. A save that fails is none, since it is
/// tried again, nor is a recording, since the world goes on without it: see `jbw_server_stats`.
JBW_API jbw_status jbw_server_status(jbw_server *server, jbw_error *error);

/// Statistics of a server.
typedef struct jbw_server_stats {
    uint64_t time; ///< world time
    uint64_t step_count;
    uint64_t timeout_count; ///< steps taken without waiting for every agent
    uint32_t agent_count;
    uint32_t active_count;
    uint32_t client_count;
    uint32_t subscription_count;
    uint64_t connection_count; ///< since the server started
    uint64_t request_count;
    uint64_t frame_count;
    uint64_t copy_count; ///< copies of the world made for viewers
    uint64_t bytes_received;
    uint64_t bytes_sent;
    uint64_t refused_count; ///< requests answered with an error
    uint64_t dropped_count; ///< connections closed for malformed messages or for not reading
    uint64_t saved_time;    ///< world time of the latest save
    uint32_t save_failures; ///< failed saves since then; the server keeps trying
    char save_error[200];   ///< why the latest one failed; empty if none did
    char record_error[200]; ///< why nothing is recorded any more; empty if recording works
    double world_cpu;       ///< processor time of the world thread in seconds
} jbw_server_stats;

JBW_API jbw_server_stats jbw_server_get_stats(const jbw_server *server);

/// Stops stepping, saves the world if there is a file for it, finishes the recording, and closes
/// all connections. Returns the first failure of these. A save that fails is tried again until it
/// succeeds or `save_timeout` is over. JBW_TIMED_OUT means that the disk is still writing; then
/// destroying the server waits for it. The world can be inspected afterwards. Further calls do
/// nothing.
JBW_API jbw_status jbw_server_stop(jbw_server *server, jbw_error *error);

/// The served world. NULL before `jbw_server_stop`, and for attached worlds and recordings.
JBW_API jbw_world *jbw_server_world(jbw_server *server);

/// Stops the server if it still runs, and destroys it together with its world. NULL is fine.
JBW_API void jbw_server_destroy(jbw_server *server);

JBW_END_DECLS

#endif
