// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Requests and their answers: sending, waiting, and repeating after the connection was lost.

#include <stdarg.h>
#include <stdio.h>

#include "base/text.h"
#include "net/client/client_internal.h"

enum { STOP_PAUSE = 100000 }; // microseconds between two checks whether the user wants to stop

jbw_status jbw_client_fail(jbw_client *client, jbw_status status, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    client->error = (jbw_error){0};
    vsnprintf(client->error.text, sizeof client->error.text, format, arguments);
    va_end(arguments);
    return status;
}

int64_t jbw_client_deadline_in(double seconds)
{
    const double most = 1e9; // about thirty years
    if (!(seconds > 0.0)) return jbw_link_now();
    return jbw_link_now() + (int64_t)(1e6 * (seconds < most ? seconds : most));
}

int64_t jbw_client_deadline(const jbw_client *client, jbw_wait_kind wait)
{
    return jbw_client_deadline_in(wait == JBW_WAIT_TURN ? client->options.turn_timeout
                                                        : client->options.answer_timeout);
}

// ---- answers ----

static jbw_status status_of_code(unsigned code)
{
    switch (code) {
    case JBW_ERROR_BAD_TOKEN:
    case JBW_ERROR_NOT_PERMITTED:
    case JBW_ERROR_NOT_YOURS:
    case JBW_ERROR_TOO_MANY: return JBW_NOT_PERMITTED;
    case JBW_ERROR_NO_SUCH_AGENT: return JBW_NO_SUCH_AGENT;
    case JBW_ERROR_INVALID_ARGUMENT:
    case JBW_ERROR_INACTIVE:
    case JBW_ERROR_REPLACED:
    case JBW_ERROR_TOO_LARGE: return JBW_INVALID_ARGUMENT;
    case JBW_ERROR_OUT_OF_RANGE: return JBW_OUT_OF_RANGE;
    case JBW_ERROR_CELL_BLOCKED: return JBW_CELL_BLOCKED;
    case JBW_ERROR_NOT_FOUND: return JBW_NOT_FOUND;
    case JBW_ERROR_CLOSING: return JBW_NO_CONNECTION;
    case JBW_ERROR_OUT_OF_MEMORY: return JBW_OUT_OF_MEMORY;
    case JBW_ERROR_VERSION:
    case JBW_ERROR_UNKNOWN_MESSAGE:
    case JBW_ERROR_UNSUPPORTED: return JBW_UNSUPPORTED;
    case JBW_ERROR_FAILED: return JBW_WRITE_FAILED;
    case JBW_ERROR_CUT: return JBW_TIMED_OUT;
    default: return JBW_INVALID_DATA;
    }
}

static jbw_call *find_call(jbw_client *client, uint32_t request)
{
    for (jbw_call *call = client->calls; call; call = call->next)
        if (call->request == request && !call->is_done) return call;
    return NULL;
}

static void take_error(jbw_call *call, const jbw_wire_error *error)
{
    call->status = status_of_code(error->code);
    // a server that shuts down may come back: treat this like a lost connection
    call->is_lost = error->code == JBW_ERROR_CLOSING;
    jbw_error_set(&call->error, 0, 0, "%.*s", (int)error->text.length, error->text.at);
}

void jbw_client_receive(const void *bytes, size_t size, void *user)
{
    jbw_client *client = user;
    jbw_message message;
    jbw_scratch_reset(&client->scratch);
    const jbw_status status = jbw_message_decode(bytes, size, &client->scratch, &message);
    if (!status && (message.type == JBW_MESSAGE_FRAME || message.type == JBW_MESSAGE_SCENE)) {
        jbw_client_keep_frame(client, bytes, size);
        return;
    }

    // ignore an answer that came too late: its call has been given up
    jbw_call *call = find_call(client, message.request);
    if (!call) return;
    call->is_done = true;
    call->status = status;
    if (!status && message.type == JBW_MESSAGE_ERROR)
        take_error(call, &message.error);
    else if (!status && message.type != call->answer)
        call->status = JBW_INVALID_DATA;
    else if (!status && call->take)
        call->status = call->take(client, &message, call->user);
    if (call->status && !call->error.text[0])
        jbw_error_set(&call->error, 0, 0, "invalid answer from the server");
}

// ---- calls ----

void jbw_client_drop(jbw_client *client, jbw_call *call)
{
    jbw_call **at = &client->calls;
    while (*at && *at != call) at = &(*at)->next;
    if (*at) *at = call->next;
}

void jbw_client_lose_calls(jbw_client *client)
{
    for (jbw_call *call = client->calls; call; call = call->next) {
        if (call->is_done) continue;
        call->is_done = true;
        call->is_lost = true;
        call->status = JBW_NO_CONNECTION;
        jbw_error_set(&call->error, 0, 0, "connection lost: %s", jbw_link_problem(client->link));
    }
}

void jbw_client_begin_waiting(jbw_client *client)
{
    client->is_stopped = false;
}

bool jbw_client_is_over(const jbw_client *client, int64_t deadline)
{
    return client->is_stopped || jbw_link_now() >= deadline;
}

void jbw_client_wait(jbw_client *client, int64_t deadline)
{
    const jbw_client_options *o = &client->options;
    const int64_t pause = o->should_stop ? jbw_link_now() + STOP_PAUSE : deadline;
    jbw_link_wait(client->link, deadline < pause ? deadline : pause);
    if (o->should_stop && jbw_link_now() >= pause && o->should_stop(o->stop_user))
        client->is_stopped = true;
}

void jbw_client_serve(jbw_client *client, int64_t deadline)
{
    if (jbw_link_is_open(client->link)) jbw_client_wait(client, deadline);
    if (!jbw_link_is_open(client->link)) jbw_client_lose_calls(client);
}

jbw_status jbw_client_begin(jbw_client *client, jbw_message *request, jbw_call *call)
{
    if (request->request == 0) request->request = ++client->last_request;
    if (client->last_request == 0) request->request = ++client->last_request; // skip zero
    call->request = request->request;
    jbw_buffer *buffer = jbw_link_begin(client->link);
    if (!jbw_message_encode(request, buffer))
        return jbw_client_fail(client, JBW_INVALID_ARGUMENT, "invalid request");
    call->next = client->calls;
    client->calls = call;
    const jbw_status status = jbw_link_send(client->link);
    if (status == JBW_NO_CONNECTION) {
        jbw_client_lose_calls(client);
        return JBW_OK; // the call has failed
    }
    if (status) {
        jbw_client_drop(client, call);
        return jbw_client_fail(client, status, "cannot send the request");
    }
    return JBW_OK;
}

jbw_status jbw_client_finish(jbw_client *client, jbw_call *call, int64_t deadline)
{
    while (!call->is_done && !jbw_client_is_over(client, deadline))
        jbw_client_serve(client, deadline);
    jbw_client_drop(client, call);
    if (!call->is_done)
        return jbw_client_fail(client, JBW_TIMED_OUT, "timed out waiting for an answer");
    if (call->status) client->error = call->error;
    return call->status;
}

jbw_status jbw_client_ask_once(jbw_client *client, jbw_message *request,
                               const jbw_question *question, bool *is_lost)
{
    jbw_call call = {.answer = question->answer, .take = question->take, .user = question->user};
    if (is_lost) *is_lost = false;
    jbw_status status = jbw_client_begin(client, request, &call);
    if (status) return status;
    status = jbw_client_finish(client, &call, jbw_client_deadline(client, question->wait));
    if (is_lost) *is_lost = call.is_lost;
    return status;
}

jbw_status jbw_client_ask(jbw_client *client, jbw_message *request, const jbw_question *question)
{
    const int64_t last = jbw_client_deadline(client, question->wait);
    jbw_client_begin_waiting(client);
    for (;;) {
        jbw_status status = jbw_client_restore(client);
        if (status) return status;
        bool is_lost;
        status = jbw_client_ask_once(client, request, question, &is_lost);
        if (!is_lost) return status;

        // reconnect before reporting the failure, so that the caller can continue
        const jbw_error error = client->error;
        const jbw_status restored = jbw_client_restore(client);
        if (restored) return restored;
        if (!question->can_repeat || jbw_client_is_over(client, last)) {
            client->error = error;
            return status;
        }
        request->request = 0;
    }
}

static jbw_status take_ok(jbw_client *client, const jbw_message *answer, void *user)
{
    (void)user;
    client->info.time = answer->ok.time;
    return JBW_OK;
}

jbw_status jbw_client_ask_ok(jbw_client *client, jbw_message request, bool can_repeat)
{
    const jbw_question question = {
        .answer = JBW_MESSAGE_OK, .take = take_ok, .can_repeat = can_repeat};
    return jbw_client_ask(client, &request, &question);
}
