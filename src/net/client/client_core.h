// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What the files of the client share.
///
///     a public function --jbw_client_ask--> link --> server
///     its `take`        <---- by request number ---- link <--
///
/// An answer is taken where it arrives, straight into the caller's memory: `take` is called while
/// the message still lies in the link's buffer.
#ifndef JBW_NET_CLIENT_CLIENT_CORE_H
#define JBW_NET_CLIENT_CLIENT_CORE_H

#include "base/alloc.h"
#include "jbw/client.h"
#include "net/client/link.h"
#include "net/wire/message.h"

/// Takes what an answer says. JBW_INVALID_DATA if it makes no sense.
typedef jbw_status jbw_take_function(jbw_client *client, const jbw_message *answer, void *user);

/// A request that was sent, or its outcome.
typedef struct jbw_call {
    struct jbw_call *next;
    uint32_t request;
    jbw_message_type answer; ///< what it should be
    jbw_take_function *take; ///< may be NULL
    void *user;
    bool is_done;
    bool is_lost; ///< the connection broke before an answer came
    jbw_status status;
    jbw_error error;
} jbw_call;

/// An agent that this client has added or activated.
typedef struct jbw_own_agent {
    jbw_agent_id id;
    bool is_active;
    bool has_asked;
    uint64_t asked_time; ///< of the world when it asked
} jbw_own_agent;

typedef struct jbw_own_subscription {
    uint32_t request;
    jbw_subscription what;
    bool is_known; ///< the server has agreed to it
} jbw_own_subscription;

/// A frame that nobody has read yet.
typedef struct jbw_waiting_frame {
    struct jbw_waiting_frame *next;
    size_t size;
    uint64_t missed; ///< frames given up just before it
    uint8_t bytes[];
} jbw_waiting_frame;

struct jbw_client {
    jbw_client_options options;
    jbw_allocator allocator;
    jbw_arena texts; // what the options point at
    jbw_link *link;
    jbw_scratch scratch;
    jbw_error error;
    uint32_t last_request;
    jbw_call *calls; // newest first; those that were posted stay until they are collected

    // what the welcome said
    jbw_arena welcome_texts;
    jbw_client_info info;
    size_t side;
    size_t colors;
    size_t scents;
    size_t item_count;
    int64_t patch_size;
    uint32_t region_cells_most;
    uint32_t smell_cells_most;
    uint32_t list_most;
    bool has_been_welcome;

    jbw_own_agent *agents;
    size_t agent_count;
    size_t agent_capacity;
    jbw_agent_id *left; // of the token, at the first welcome
    size_t left_count;
    size_t left_capacity;

    jbw_own_subscription *subscriptions;
    size_t subscription_count;
    size_t subscription_capacity;
    jbw_waiting_frame *frames; // oldest first
    jbw_waiting_frame **frames_end;
    uint64_t frame_bytes;
    uint64_t missed;
    jbw_waiting_frame *frame; // that was given out last
    jbw_scratch frame_scratch;
    jbw_arena frame_parts;

    jbw_model *model; // or NULL as long as nobody asked
    bool is_stopped;  // the user wants this call to end
};

typedef enum jbw_wait_kind {
    JBW_WAIT_ANSWER, ///< the server does it at once
    JBW_WAIT_TURN,   ///< others have to act first
} jbw_wait_kind;

/// How to ask.
typedef struct jbw_question {
    jbw_message_type answer;
    jbw_take_function *take; ///< may be NULL
    void *user;
    bool can_repeat; ///< asking twice does no harm
    jbw_wait_kind wait;
} jbw_question;

/// Sets the client's error and returns the status.
jbw_status jbw_client_fail(jbw_client *client, jbw_status status, const char *format, ...)
    JBW_PRINTF(3, 4);

/// Connects if there is no connection, also again.
jbw_status jbw_client_restore(jbw_client *client);

/// Sends a request and waits for its answer.
jbw_status jbw_client_ask(jbw_client *client, jbw_message *request, const jbw_question *question);

/// Sends a request, and puts `call` into the list of those under way.
jbw_status jbw_client_begin(jbw_client *client, jbw_message *request, jbw_call *call);

/// Waits until a call is done, or some time has passed; then takes it out of the list.
jbw_status jbw_client_finish(jbw_client *client, jbw_call *call, int64_t deadline);

/// Takes a call out of the list.
void jbw_client_drop(jbw_client *client, jbw_call *call);

/// To be called first by what waits.
void jbw_client_begin_waiting(jbw_client *client);

/// True if waiting is over: the deadline has passed, or the user wants it to end.
bool jbw_client_is_over(const jbw_client *client, int64_t deadline);

/// Serves the link once; calls that were under way when it broke are done, and lost.
void jbw_client_serve(jbw_client *client, int64_t deadline);

/// The time until which such an answer is waited for.
int64_t jbw_client_deadline(const jbw_client *client, jbw_wait_kind wait);
int64_t jbw_client_deadline_in(double seconds);

// ---- client_agents.c ----

/// Notes what belongs to the token, at a welcome.
bool jbw_client_note_agents(jbw_client *client, const jbw_wire_welcome *welcome);

/// Makes the agents active again that were so before the connection was lost.
jbw_status jbw_client_restore_agents(jbw_client *client);

/// Reads an observation into the caller's; false if it does not fit.
bool jbw_client_take_observation(const jbw_client *client, const jbw_wire_observation *from,
                                 uint64_t time, jbw_observation *to);

// ---- client_frames.c ----

/// Keeps a frame until it is read.
void jbw_client_keep_frame(jbw_client *client, const void *bytes, size_t size);

/// Subscribes anew, after the connection was lost.
jbw_status jbw_client_restore_subscriptions(jbw_client *client);

void jbw_client_free_frames(jbw_client *client);

#endif
