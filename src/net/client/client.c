// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "jbw/client.h"

#include <string.h>

#include "net/client/client_internal.h"

enum {
    FIRST_PAUSE = 20000, // microseconds between two attempts to connect; doubles up to the last
    LAST_PAUSE = 500000,
};

static const double default_connect_timeout = 10.0;
static const double default_answer_timeout = 30.0;
static const double default_turn_timeout = 600.0;
static const double default_reconnect_time = 60.0;
static const uint64_t default_frame_bytes = UINT64_C(64) * 1048576;

// ---- connecting ----

static jbw_status take_welcome(jbw_client *client, const jbw_message *answer, void *user)
{
    (void)user;
    const jbw_wire_welcome *w = &answer->welcome;
    jbw_client_info *info = &client->info;
    const jbw_part_axes axes = {.side = w->vision_side,
                                .colors = w->color_dimensions,
                                .scents = w->scent_dimensions,
                                .item_types = w->items_count,
                                // `features` has these
                                .bodies = client->axes.bodies,
                                .symbols = client->axes.symbols};
    const bool has_same_shape =
        memcmp(&client->axes, &axes, sizeof axes) == 0 && info->seed == w->seed;
    if (client->has_been_welcome && !has_same_shape) return JBW_UNSUPPORTED;

    jbw_arena_deinit(&client->welcome_texts);
    info->server = jbw_arena_text(&client->welcome_texts, w->server.at, w->server.length);
    info->name = jbw_arena_text(&client->welcome_texts, w->name.at, w->name.length);
    if (!info->server || !info->name || !jbw_client_note_agents(client, w))
        return JBW_OUT_OF_MEMORY;
    info->permissions = w->permissions;
    info->agents_most = w->agents_most;
    info->seed = w->seed;
    info->time = w->time;
    info->started_time = w->started_time;
    info->turn_timeout = 1e-3 * w->turn_timeout;
    client->axes = axes;
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
        .hello = {.version_least = JBW_PROTOCOL_WITHOUT_WORDS,
                  .version_most = JBW_PROTOCOL_VERSION,
                  .token = jbw_text_field(client->options.token),
                  .client = jbw_text_field(client->options.name)},
    };
    const jbw_question question = {.answer = JBW_MESSAGE_WELCOME, .take = take_welcome};
    const jbw_status status = jbw_client_ask_once(client, &hello, &question, is_lost);
    if (status == JBW_UNSUPPORTED && client->has_been_welcome)
        return jbw_client_fail(client, status, "the server now serves another world");
    return status;
}

static jbw_status take_features(jbw_client *client, const jbw_message *answer, void *user)
{
    (void)user;
    const jbw_wire_features *f = &answer->features;
    if (f->symbols > JBW_MAX_SYMBOLS || f->bodies_count < 1) return JBW_INVALID_DATA;
    const bool is_same =
        client->axes.symbols == f->symbols && client->axes.bodies == f->bodies_count;
    if (client->has_been_welcome && !is_same) return JBW_UNSUPPORTED;
    client->axes.symbols = f->symbols;
    client->axes.bodies = f->bodies_count;
    client->knows_words = true;
    client->has_texts =
        f->carries_text.count > 0 && memchr(f->carries_text.at, 1, f->carries_text.count) != NULL;
    return JBW_OK;
}

// an older server refuses the question: its agents are all alike and silent
static jbw_status ask_features(jbw_client *client, bool *is_lost)
{
    jbw_message request = {.type = JBW_MESSAGE_GET_FEATURES};
    const jbw_question question = {.answer = JBW_MESSAGE_FEATURES, .take = take_features};
    const jbw_status status = jbw_client_ask_once(client, &request, &question, is_lost);
    if (status != JBW_UNSUPPORTED) return status;
    if (client->has_been_welcome && client->knows_words)
        return jbw_client_fail(client, status, "the server now serves another world");
    client->axes.bodies = 1;
    return JBW_OK;
}

static jbw_status connect_once(jbw_client *client, bool *is_hopeless)
{
    bool is_lost = true;
    jbw_status status = jbw_link_open(
        client->link, jbw_client_deadline_in(client->options.connect_timeout), &client->error);
    if (!status) status = say_hello(client, &is_lost);
    if (!status) status = ask_features(client, &is_lost);
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
    for (size_t i = 0; i < client->agent_count; i++) client->agents[i].has_acted = false;
    if (client->options.on_resume)
        client->options.on_resume(client->info.time, client->options.resume_user);
}

jbw_status jbw_client_restore(jbw_client *client)
{
    if (jbw_link_is_open(client->link)) return JBW_OK;
    jbw_client_lose_calls(client);
    if (client->options.reconnect_time < 0.0)
        return jbw_client_fail(client, JBW_NO_CONNECTION, "connection lost: %s",
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
            jbw_client_wait(client, end);
    }
}

// ---- opening and closing ----

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
        .receive = jbw_client_receive,
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
    // free the calls that were posted but never collected
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

jbw_part_axes jbw_client_axes(const jbw_client *client)
{
    return client->axes;
}
