// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The client's struct, and the functions that its files share.
///
///     public function --jbw_client_ask--> link --> server
///     its `take`      <--- matched by request number --- link <--
///
/// `take` runs when the answer arrives, while the message is still in the link's buffer, and copies
/// what it needs straight into the caller's memory.
#ifndef JBW_NET_CLIENT_CLIENT_INTERNAL_H
#define JBW_NET_CLIENT_CLIENT_INTERNAL_H

#include "base/alloc.h"
#include "jbw/client.h"
#include "net/client/link.h"
#include "net/wire/message.h"

/// Takes the contents of an answer. JBW_INVALID_DATA if it is inconsistent.
typedef jbw_status jbw_take_function(jbw_client *client, const jbw_message *answer, void *user);

/// A request in flight, or its outcome.
typedef struct jbw_call {
    struct jbw_call *next;
    uint32_t request;
    jbw_message_type answer; ///< the expected type
    jbw_take_function *take; ///< may be NULL
    void *user;
    bool is_done;
    bool is_lost; ///< the connection broke before the answer arrived
    jbw_status status;
    jbw_error error;
} jbw_call;

/// An agent that this client has added or activated. The client tracks which of its agents have
/// acted, to know whether the world can step.
typedef struct jbw_own_agent {
    jbw_agent_id id;
    bool is_active;
    bool has_acted;
    uint64_t acted_time; ///< world time when it acted
} jbw_own_agent;

typedef struct jbw_own_subscription {
    uint32_t request;
    jbw_subscription what;
} jbw_own_subscription;

/// A frame that has not been read yet.
typedef struct jbw_waiting_frame {
    struct jbw_waiting_frame *next;
    size_t size;
    uint64_t missed; ///< frames dropped just before it
    uint8_t bytes[];
} jbw_waiting_frame;

struct jbw_client {
    jbw_client_options options;
    jbw_allocator allocator;
    jbw_arena texts; // strings of the options
    jbw_link *link;
    jbw_scratch scratch;
    jbw_error error;
    uint32_t last_request;
    jbw_call *calls; // newest first; posted calls stay until they are collected

    // from `welcome`
    jbw_arena welcome_texts;
    jbw_client_info info;
    jbw_part_axes axes; // of the parts of observations
    bool knows_words;   // the server does: it has answered `get_features`
    bool has_texts;     // some items may carry one
    int64_t patch_size;
    uint32_t region_cells_most;
    uint32_t smell_cells_most;
    uint32_t list_most;
    bool has_been_welcome;

    jbw_own_agent *agents;
    size_t agent_count;
    size_t agent_capacity;
    jbw_agent_id *left; // the token's agents in the latest welcome
    size_t left_count;
    size_t left_capacity;

    jbw_own_subscription *subscriptions;
    size_t subscription_count;
    size_t subscription_capacity;
    jbw_waiting_frame *frames; // oldest first
    jbw_waiting_frame **frames_end;
    uint64_t frame_bytes;
    uint64_t missed;
    jbw_waiting_frame *frame; // the one returned last
    jbw_scratch frame_scratch;
    jbw_arena frame_parts;

    jbw_model *model; // NULL until it is needed
    bool is_stopped;  // the user wants the current call to end
};

typedef enum jbw_wait_kind {
    JBW_WAIT_ANSWER, ///< the server answers at once
    JBW_WAIT_TURN,   ///< other agents have to act first
} jbw_wait_kind;

/// How to send a request and handle its answer.
typedef struct jbw_question {
    jbw_message_type answer;
    jbw_take_function *take; ///< may be NULL
    void *user;
    bool can_repeat; ///< sending it twice does no harm
    jbw_wait_kind wait;
} jbw_question;

/// Sets the client's error and returns the status.
jbw_status jbw_client_fail(jbw_client *client, jbw_status status, const char *format, ...)
    JBW_PRINTF(3, 4);

// ---- requests: client_calls.c ----

/// Sends a request and waits for its answer. Restores the connection if it breaks, and repeats the
/// request if it may be repeated.
jbw_status jbw_client_ask(jbw_client *client, jbw_message *request, const jbw_question *question);

/// The same for requests that are answered by `ok`.
jbw_status jbw_client_ask_ok(jbw_client *client, jbw_message request, bool can_repeat);

/// Sends a request over the current connection only, and waits for its answer. `*is_lost` (may be
/// NULL) tells whether the connection broke.
jbw_status jbw_client_ask_once(jbw_client *client, jbw_message *request,
                               const jbw_question *question, bool *is_lost);

/// Sends a request, and adds `call` to the calls in flight.
jbw_status jbw_client_begin(jbw_client *client, jbw_message *request, jbw_call *call);

/// Waits until a call is done or the deadline has passed, then removes it from the list.
jbw_status jbw_client_finish(jbw_client *client, jbw_call *call, int64_t deadline);

/// Removes a call from the list.
void jbw_client_drop(jbw_client *client, jbw_call *call);

/// Fails all calls in flight: the connection is lost.
void jbw_client_lose_calls(jbw_client *client);

/// Handles a message from the server; called by the link, whose `user` is the client.
void jbw_client_receive(const void *bytes, size_t size, void *user);

/// Must be called before waiting starts.
void jbw_client_begin_waiting(jbw_client *client);

/// True if waiting is over: the deadline has passed, or the user wants to stop.
bool jbw_client_is_over(const jbw_client *client, int64_t deadline);

/// Runs the link once. If the link is broken, all calls in flight are lost.
void jbw_client_serve(jbw_client *client, int64_t deadline);

/// Waits on the link, open or not, checking now and then whether the user wants to stop.
void jbw_client_wait(jbw_client *client, int64_t deadline);

/// The deadline for an answer of this kind, and the deadline after a number of seconds.
int64_t jbw_client_deadline(const jbw_client *client, jbw_wait_kind wait);
int64_t jbw_client_deadline_in(double seconds);

// ---- client.c ----

/// Connects if there is no connection, and then restores agents and subscriptions.
jbw_status jbw_client_restore(jbw_client *client);

// ---- client_agents.c ----

/// Stores the list of the token's agents in a welcome.
bool jbw_client_note_agents(jbw_client *client, const jbw_wire_welcome *welcome);

/// Reactivates the agents that were active before the connection was lost.
jbw_status jbw_client_restore_agents(jbw_client *client);

/// Records that an agent has acted in the current step.
void jbw_client_note_acted(jbw_client *client, jbw_agent_id agent);

/// True if another agent of this client has yet to act.
bool jbw_client_others_must_act(const jbw_client *client, jbw_agent_id agent);

// ---- client_observe.c ----

/// The bits of the parts that the server has to send, and the type of its answer.
uint8_t jbw_client_wants(const jbw_client *client, const jbw_observation *parts);
jbw_message_type jbw_client_answer_to(unsigned wants);

/// False, with an error, if a part is wanted that no message has.
bool jbw_client_can_observe(jbw_client *client, const jbw_client_observation *o, size_t count);

/// Copies `count` elements into the caller's array (NULL: not wanted). False unless there are as
/// many as expected.
bool jbw_client_take_list(void *to, const void *from, size_t count, size_t expected, size_t size);

/// Copies an observation into the caller's, with words or NULL; false if it does not fit.
bool jbw_client_take_observation(const jbw_client *client, const jbw_wire_observation *from,
                                 const jbw_wire_words *words, uint64_t time,
                                 jbw_client_observation *to);

// ---- client_frames.c ----

/// Queues a frame until it is read.
void jbw_client_keep_frame(jbw_client *client, const void *bytes, size_t size);

/// Subscribes again after the connection was lost.
jbw_status jbw_client_restore_subscriptions(jbw_client *client);

void jbw_client_free_frames(jbw_client *client);

#endif
