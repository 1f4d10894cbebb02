// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "jbw/client.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "net/client/client_core.h"

enum {
    FIRST_PAUSE = 20000, // microseconds between two tries to connect; then twice as many, up to
    LAST_PAUSE = 500000,
    STOP_PAUSE = 100000, // between two questions whether to stop
};

static const double default_connect_timeout = 10.0;
static const double default_answer_timeout = 30.0;
static const double default_turn_timeout = 600.0;
static const double default_reconnect_time = 60.0;
static const uint64_t default_frame_bytes = UINT64_C(64) * 1048576;

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
    const double most = 1e9; // some thirty years
    if (!(seconds > 0.0)) return jbw_link_now();
    return jbw_link_now() + (int64_t)(1e6 * (seconds < most ? seconds : most));
}

int64_t jbw_client_deadline(const jbw_client *client, jbw_wait_kind wait)
{
    return jbw_client_deadline_in(wait == JBW_WAIT_TURN ? client->options.turn_timeout
                                                        : client->options.answer_timeout);
}

// ---- what arrives ----

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
    // a server that is shutting down will be back, or not: as if the connection were lost
    call->is_lost = error->code == JBW_ERROR_CLOSING;
    jbw_error_set(&call->error, 0, 0, "%.*s", (int)error->text.length, error->text.at);
}

static void receive(const void *bytes, size_t size, void *user)
{
    jbw_client *client = user;
    jbw_message message;
    jbw_scratch_reset(&client->scratch);
    const jbw_status status = jbw_message_decode(bytes, size, &client->scratch, &message);
    if (!status && message.type == JBW_MESSAGE_FRAME) {
        jbw_client_keep_frame(client, bytes, size);
        return;
    }

    // an answer that nobody waits for any more came too late
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
        jbw_error_set(&call->error, 0, 0, "the server's answer makes no sense");
}

// ---- calls ----

void jbw_client_drop(jbw_client *client, jbw_call *call)
{
    jbw_call **at = &client->calls;
    while (*at && *at != call) at = &(*at)->next;
    if (*at) *at = call->next;
}

static void lose_calls(jbw_client *client)
{
    for (jbw_call *call = client->calls; call; call = call->next) {
        if (call->is_done) continue;
        call->is_done = true;
        call->is_lost = true;
        call->status = JBW_NO_CONNECTION;
        jbw_error_set(&call->error, 0, 0, "the connection was lost: %s",
                      jbw_link_problem(client->link));
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

// waits for the link, asking the user now and then
static void wait_a_while(jbw_client *client, int64_t deadline)
{
    const jbw_client_options *o = &client->options;
    const int64_t pause = o->should_stop ? jbw_link_now() + STOP_PAUSE : deadline;
    jbw_link_wait(client->link, deadline < pause ? deadline : pause);
    if (o->should_stop && jbw_link_now() >= pause && o->should_stop(o->stop_user))
        client->is_stopped = true;
}

void jbw_client_serve(jbw_client *client, int64_t deadline)
{
    if (jbw_link_is_open(client->link)) wait_a_while(client, deadline);
    if (!jbw_link_is_open(client->link)) lose_calls(client);
}

jbw_status jbw_client_begin(jbw_client *client, jbw_message *request, jbw_call *call)
{
    if (request->request == 0) request->request = ++client->last_request;
    if (client->last_request == 0) request->request = ++client->last_request; // zero is nobody's
    call->request = request->request;
    jbw_buffer *buffer = jbw_link_begin(client->link);
    if (!jbw_message_encode(request, buffer))
        return jbw_client_fail(client, JBW_INVALID_ARGUMENT, "the request cannot be written");
    call->next = client->calls;
    client->calls = call;
    const jbw_status status = jbw_link_send(client->link);
    if (status == JBW_NO_CONNECTION) {
        lose_calls(client);
        return JBW_OK; // told by the call
    }
    if (status) {
        jbw_client_drop(client, call);
        return jbw_client_fail(client, status, "the request could not be sent");
    }
    return JBW_OK;
}

jbw_status jbw_client_finish(jbw_client *client, jbw_call *call, int64_t deadline)
{
    while (!call->is_done && !jbw_client_is_over(client, deadline))
        jbw_client_serve(client, deadline);
    jbw_client_drop(client, call);
    if (!call->is_done) return jbw_client_fail(client, JBW_TIMED_OUT, "no answer came in time");
    if (call->status) client->error = call->error;
    return call->status;
}

// asks once, over the connection that there is
static jbw_status ask_once(jbw_client *client, jbw_message *request, const jbw_question *question,
                           bool *is_lost)
{
    jbw_call call = {.answer = question->answer, .take = question->take, .user = question->user};
    *is_lost = false;
    jbw_status status = jbw_client_begin(client, request, &call);
    if (status) return status;
    status = jbw_client_finish(client, &call, jbw_client_deadline(client, question->wait));
    *is_lost = call.is_lost;
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
        status = ask_once(client, request, question, &is_lost);
        if (!is_lost) return status;

        // come back before telling, so that the caller can go on
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

// ---- connecting ----

static char *keep_text(jbw_arena *arena, jbw_field_text text)
{
    return jbw_arena_text(arena, text.at, text.length);
}

static jbw_status take_welcome(jbw_client *client, const jbw_message *answer, void *user)
{
    (void)user;
    const jbw_wire_welcome *w = &answer->welcome;
    jbw_client_info *info = &client->info;
    const bool has_same_shape = client->side == w->vision_side &&
                                client->colors == w->color_dimensions &&
                                client->scents == w->scent_dimensions &&
                                client->item_count == w->items_count && info->seed == w->seed;
    if (client->has_been_welcome && !has_same_shape) return JBW_UNSUPPORTED;

    jbw_arena_deinit(&client->welcome_texts);
    info->server = keep_text(&client->welcome_texts, w->server);
    info->name = keep_text(&client->welcome_texts, w->name);
    if (!info->server || !info->name || !jbw_client_note_agents(client, w))
        return JBW_OUT_OF_MEMORY;
    info->permissions = w->permissions;
    info->agents_most = w->agents_most;
    info->seed = w->seed;
    info->time = w->time;
    info->started_time = w->started_time;
    info->turn_timeout = 1e-3 * w->turn_timeout;
    client->side = w->vision_side;
    client->colors = w->color_dimensions;
    client->scents = w->scent_dimensions;
    client->item_count = w->items_count;
    client->patch_size = w->patch_size;
    client->region_cells_most = w->region_cells_most;
    client->smell_cells_most = w->smell_cells_most;
    client->list_most = w->list_most;
    return JBW_OK;
}

static jbw_status say_hello(jbw_client *client, bool *is_lost)
{
    jbw_message hello = {
        .type = JBW_MESSAGE_HELLO,
        .hello = {.version_least = JBW_PROTOCOL_VERSION,
                  .version_most = JBW_PROTOCOL_VERSION,
                  .token = jbw_text_field(client->options.token),
                  .client = jbw_text_field(client->options.name)},
    };
    const jbw_question question = {.answer = JBW_MESSAGE_WELCOME, .take = take_welcome};
    const jbw_status status = ask_once(client, &hello, &question, is_lost);
    if (status == JBW_UNSUPPORTED && client->has_been_welcome)
        return jbw_client_fail(client, status, "another world is served there now");
    return status;
}

static jbw_status connect_once(jbw_client *client, bool *is_hopeless)
{
    bool is_lost = true;
    jbw_status status = jbw_link_open(
        client->link, jbw_client_deadline_in(client->options.connect_timeout), &client->error);
    if (!status) status = say_hello(client, &is_lost);
    if (!status && client->has_been_welcome) {
        status = jbw_client_restore_agents(client);
        if (!status) status = jbw_client_restore_subscriptions(client);
        is_lost = true;
    }
    *is_hopeless = status && !is_lost && status != JBW_TIMED_OUT;
    if (status) jbw_link_close(client->link, jbw_link_now());
    return status;
}

static void note_resumption(jbw_client *client)
{
    client->info.resume_count++;
    client->info.resume_time = client->info.time;
    for (size_t i = 0; i < client->agent_count; i++) client->agents[i].has_asked = false;
    if (client->options.on_resume)
        client->options.on_resume(client->info.time, client->options.resume_user);
}

jbw_status jbw_client_restore(jbw_client *client)
{
    if (jbw_link_is_open(client->link)) return JBW_OK;
    lose_calls(client);
    if (client->options.reconnect_time < 0.0)
        return jbw_client_fail(client, JBW_NO_CONNECTION, "the connection was lost: %s",
                               jbw_link_problem(client->link));
    const int64_t deadline = jbw_client_deadline_in(client->options.reconnect_time);
    for (int64_t pause = FIRST_PAUSE;; pause = pause < LAST_PAUSE / 2 ? 2 * pause : LAST_PAUSE) {
        bool is_hopeless;
        const jbw_status status = connect_once(client, &is_hopeless);
        if (!status) {
            note_resumption(client);
            return JBW_OK;
        }
        if (is_hopeless || jbw_client_is_over(client, deadline - pause)) return status;
        for (const int64_t end = jbw_link_now() + pause; !jbw_client_is_over(client, end);)
            wait_a_while(client, end);
    }
}

// ---- making and ending ----

static double value_or(double value, double otherwise)
{
    return value == 0.0 ? otherwise : value;
}

static bool copy_options(jbw_client *client, const jbw_client_options *options)
{
    jbw_client_options *o = &client->options;
    const char *token = options->token ? options->token : "";
    const char *name = options->name ? options->name : "jbw";
    *o = *options;
    o->token = jbw_arena_text(&client->texts, token, strlen(token));
    o->name = jbw_arena_text(&client->texts, name, strlen(name));
    if (options->ca_file)
        o->ca_file = jbw_arena_text(&client->texts, options->ca_file, strlen(options->ca_file));
    o->connect_timeout = value_or(o->connect_timeout, default_connect_timeout);
    o->answer_timeout = value_or(o->answer_timeout, default_answer_timeout);
    o->turn_timeout = value_or(o->turn_timeout, default_turn_timeout);
    o->reconnect_time = value_or(o->reconnect_time, default_reconnect_time);
    if (o->frame_bytes == 0) o->frame_bytes = default_frame_bytes;
    return o->token && o->name && (!options->ca_file || o->ca_file);
}

static jbw_status build(jbw_client *client, const char *url, const jbw_client_options *options)
{
    client->texts.allocator = client->allocator;
    client->welcome_texts.allocator = client->allocator;
    client->frame_parts.allocator = client->allocator;
    client->scratch.allocator = client->allocator;
    client->frame_scratch.allocator = client->allocator;
    client->frames_end = &client->frames;
    if (!copy_options(client, options)) return JBW_OUT_OF_MEMORY;
    const jbw_link_options link = {
        .ca_file = client->options.ca_file,
        .is_unchecked = client->options.is_unchecked,
        .receive = receive,
        .user = client,
        .allocator = client->allocator,
    };
    const jbw_status status = jbw_link_create(url, &link, &client->link, &client->error);
    bool is_hopeless;
    return status ? status : connect_once(client, &is_hopeless);
}

jbw_status jbw_client_connect(const char *url, const jbw_client_options *options, jbw_client **out,
                              jbw_error *error)
{
    static const jbw_client_options defaults;
    if (!options) options = &defaults;
    *out = NULL;
    jbw_client *client = jbw_alloc_zero(&options->allocator, 1, sizeof *client);
    if (!client) return JBW_OUT_OF_MEMORY;
    client->allocator = options->allocator;
    const jbw_status status = build(client, url, options);
    if (status) {
        if (!client->error.text[0]) jbw_client_fail(client, status, "%s", jbw_status_text(status));
        if (error) *error = client->error;
        jbw_client_close(client);
        return status;
    }
    client->has_been_welcome = true;
    *out = client;
    return JBW_OK;
}

static void say_goodbye(jbw_client *client)
{
    jbw_message goodbye = {.type = JBW_MESSAGE_GOODBYE};
    jbw_client_begin_waiting(client);
    jbw_call call = {.answer = JBW_MESSAGE_OK};
    if (!jbw_client_begin(client, &goodbye, &call))
        jbw_client_finish(client, &call, jbw_client_deadline_in(1.0));
}

void jbw_client_close(jbw_client *client)
{
    if (!client) return;
    if (client->has_been_welcome && jbw_link_is_open(client->link)) say_goodbye(client);
    // calls that were posted and never collected
    const jbw_allocator allocator = client->allocator;
    while (client->calls) {
        jbw_call *call = client->calls;
        client->calls = call->next;
        jbw_free(&allocator, call, sizeof *call);
    }
    jbw_link_destroy(client->link);
    jbw_client_free_frames(client);
    jbw_scratch_deinit(&client->scratch);
    jbw_free(&allocator, client->agents, client->agent_capacity * sizeof *client->agents);
    jbw_free(&allocator, client->left, client->left_capacity * sizeof *client->left);
    jbw_arena_deinit(&client->texts);
    jbw_arena_deinit(&client->welcome_texts);
    jbw_model_destroy(client->model);
    jbw_free(&allocator, client, sizeof *client);
}

const jbw_error *jbw_client_error(const jbw_client *client)
{
    return &client->error;
}

jbw_client_info jbw_client_get_info(const jbw_client *client)
{
    return client->info;
}
