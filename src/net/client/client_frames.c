// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Subscriptions and their frames. Frames are queued undecoded until they are read, up to a limit.

#include <string.h>

#include "net/client/client_internal.h"

// ---- the queue ----

static void free_frame(jbw_client *client, jbw_waiting_frame *frame)
{
    if (frame) jbw_free(&client->allocator, frame, sizeof *frame + frame->size);
}

static jbw_waiting_frame *pop_frame(jbw_client *client)
{
    jbw_waiting_frame *frame = client->frames;
    if (!frame) return NULL;
    client->frames = frame->next;
    if (!client->frames) client->frames_end = &client->frames;
    client->frame_bytes -= frame->size;
    return frame;
}

void jbw_client_keep_frame(jbw_client *client, const void *bytes, size_t size)
{
    // drop the oldest frames; the next one that is read says how many
    while (client->frames && client->frame_bytes + size > client->options.frame_bytes) {
        jbw_waiting_frame *old = pop_frame(client);
        const uint64_t missed = old->missed + 1;
        free_frame(client, old);
        if (client->frames)
            client->frames->missed += missed;
        else
            client->missed += missed;
    }
    jbw_waiting_frame *frame = jbw_alloc(&client->allocator, sizeof *frame + size);
    if (!frame) {
        client->missed++;
        return;
    }
    *frame = (jbw_waiting_frame){.size = size, .missed = client->missed};
    client->missed = 0;
    memcpy(frame->bytes, bytes, size);
    *client->frames_end = frame;
    client->frames_end = &frame->next;
    client->frame_bytes += size;
}

void jbw_client_free_frames(jbw_client *client)
{
    while (client->frames) free_frame(client, pop_frame(client));
    free_frame(client, client->frame);
    client->frame = NULL;
    jbw_scratch_deinit(&client->frame_scratch);
    jbw_arena_deinit(&client->frame_parts);
    jbw_free(&client->allocator, client->subscriptions,
             client->subscription_capacity * sizeof *client->subscriptions);
}

// ---- subscribing ----

// worlds without bodies, voices and texts have the shorter frames
static bool has_words(const jbw_client *client)
{
    return client->axes.bodies > 1 || client->axes.symbols > 0 || client->has_texts;
}

static jbw_message make_subscribe(const jbw_client *client, const jbw_own_subscription *s)
{
    const float no_limit = 1e6F;
    return (jbw_message){
        .type = JBW_MESSAGE_SUBSCRIBE,
        .request = s->request,
        .subscribe = {.topic = (uint8_t)s->what.topic,
                      .region = s->what.region,
                      .detail = (uint8_t)s->what.detail,
                      .agent = s->what.agent,
                      .wants = JBW_WANT_VISION | JBW_WANT_SCENT |
                               (has_words(client) ? JBW_WANT_WORDS : 0),
                      .rate_most = s->what.rate > 0.0F ? s->what.rate : no_limit},
    };
}

jbw_status jbw_client_subscribe(jbw_client *client, const jbw_subscription *what,
                                uint32_t *subscription)
{
    *subscription = 0;
    if (!JBW_GROW(&client->allocator, client->subscriptions, client->subscription_capacity,
                  client->subscription_count + 1))
        return jbw_client_fail(client, JBW_OUT_OF_MEMORY, "out of memory");
    jbw_client_begin_waiting(client);
    jbw_status status = jbw_client_restore(client);
    if (status) return status;

    // not by jbw_client_ask, which may repeat a request: frames carry the number of this very one
    const jbw_own_subscription own = {.request = ++client->last_request, .what = *what};
    jbw_message request = make_subscribe(client, &own);
    const jbw_question question = {.answer = JBW_MESSAGE_OK};
    status = jbw_client_ask_once(client, &request, &question, NULL);
    if (status) return status;
    client->subscriptions[client->subscription_count++] = own;
    *subscription = own.request;
    return JBW_OK;
}

jbw_status jbw_client_restore_subscriptions(jbw_client *client)
{
    for (size_t i = 0; i < client->subscription_count; i++) {
        jbw_message request = make_subscribe(client, &client->subscriptions[i]);
        const jbw_question question = {.answer = JBW_MESSAGE_OK};
        const jbw_status status = jbw_client_ask_once(client, &request, &question, NULL);
        // a subscription that is refused now, because its agent is gone, gets no more frames
        if (status == JBW_NO_CONNECTION || status == JBW_TIMED_OUT || status == JBW_OUT_OF_MEMORY)
            return status;
    }
    return JBW_OK;
}

jbw_status jbw_client_unsubscribe(jbw_client *client, uint32_t subscription)
{
    size_t i = 0;
    while (i < client->subscription_count && client->subscriptions[i].request != subscription) i++;
    if (i == client->subscription_count)
        return jbw_client_fail(client, JBW_NOT_FOUND, "unknown subscription");
    client->subscriptions[i] = client->subscriptions[--client->subscription_count];
    jbw_message request = {.type = JBW_MESSAGE_UNSUBSCRIBE,
                           .unsubscribe = {.subscription = subscription}};
    const jbw_question question = {.answer = JBW_MESSAGE_OK, .can_repeat = false};
    const jbw_status status = jbw_client_ask(client, &request, &question);
    // a new connection starts without it
    return status == JBW_NO_CONNECTION && jbw_link_is_open(client->link) ? JBW_OK : status;
}

// ---- reading ----

static bool is_subscribed(const jbw_client *client, uint32_t subscription)
{
    for (size_t i = 0; i < client->subscription_count; i++)
        if (client->subscriptions[i].request == subscription) return true;
    return false;
}

static bool take_marks(jbw_client *client, const jbw_wire_frame *from, const jbw_wire_scene *scene,
                       jbw_frame *to)
{
    const size_t count = from->agents_count;
    if (scene && (scene->bodies.count != count || scene->said.count != count)) return false;
    jbw_agent_mark *marks =
        jbw_arena_alloc(&client->frame_parts, from->agents_count, sizeof *marks);
    if (!marks) return false;
    for (size_t i = 0; i < from->agents_count; i++) {
        const jbw_wire_agent_mark *m = &from->agents[i];
        marks[i] = (jbw_agent_mark){.agent = m->agent,
                                    .position = m->position,
                                    .direction = (jbw_direction)m->direction,
                                    .is_active = m->is_active,
                                    .action = m->action,
                                    .collected = m->collected,
                                    .body = scene ? scene->bodies.at[i] : 0,
                                    .said = scene ? scene->said.at[i] : 0};
    }
    to->agents = marks;
    to->mark_count = from->agents_count;
    return true;
}

// bytes per cell, or per square of cells
static size_t bytes_per_square(const jbw_client *client, uint32_t subscription)
{
    for (size_t i = 0; i < client->subscription_count; i++)
        if (client->subscriptions[i].request == subscription)
            return client->subscriptions[i].what.detail > 0 ? 4 : 1;
    return 1;
}

static int side_of(size_t cells)
{
    int side = 0;
    while ((size_t)(side + 1) * (size_t)(side + 1) <= cells) side++;
    return side;
}

static bool take_patches(jbw_client *client, const jbw_wire_frame *from, jbw_frame *to)
{
    jbw_patch_view *patches =
        jbw_arena_alloc(&client->frame_parts, from->patches_count, sizeof *patches);
    if (!patches) return false;
    const size_t unit = bytes_per_square(client, to->subscription);
    for (size_t i = 0; i < from->patches_count; i++) {
        const jbw_wire_patch *p = &from->patches[i];
        const bool has_items = p->items.count > 0;
        patches[i] = (jbw_patch_view){.patch = p->position,
                                      .state = (jbw_patch_state)p->state,
                                      .items = has_items ? p->items.at : NULL,
                                      .side = side_of(p->items.count / unit),
                                      .channels = (int)unit};
    }
    to->patches = patches;
    to->patch_count = from->patches_count;
    return true;
}

static bool take_agent(jbw_client *client, const jbw_wire_frame *from, const jbw_wire_scene *scene,
                       jbw_frame *to)
{
    if (from->observations_count == 0) return true;
    if (scene && scene->words_count != from->observations_count) return false;
    jbw_client_observation *o = jbw_arena_alloc(&client->frame_parts, 1, sizeof *o);
    if (!o) return false;
    const size_t vision = jbw_part_describe(&client->axes, JBW_PART_VISION).count;
    const size_t scent = jbw_part_describe(&client->axes, JBW_PART_SCENT).count;
    o->parts.vision = jbw_arena_alloc(&client->frame_parts, vision + 1, sizeof *o->parts.vision);
    o->parts.scent = jbw_arena_alloc(&client->frame_parts, scent + 1, sizeof *o->parts.scent);
    if (scene) {
        o->parts.heard =
            jbw_arena_alloc(&client->frame_parts, client->axes.symbols + 1, sizeof *o->parts.heard);
        o->parts.text = jbw_arena_alloc(&client->frame_parts, JBW_MAX_TEXT + 1, 1);
        o->parts.body = jbw_arena_alloc(&client->frame_parts, 1, 1);
        if (!o->parts.heard || !o->parts.text || !o->parts.body) return false;
    }
    to->observation = o;
    return o->parts.vision && o->parts.scent &&
           jbw_client_take_observation(client, &from->observations[0],
                                       scene ? &scene->words[0] : NULL, from->time, o);
}

static jbw_status read_frame(jbw_client *client, jbw_frame *out)
{
    jbw_message message;
    jbw_scratch_reset(&client->frame_scratch);
    jbw_arena_deinit(&client->frame_parts);
    const jbw_status status = jbw_message_decode(client->frame->bytes, client->frame->size,
                                                 &client->frame_scratch, &message);
    if (status) return jbw_client_fail(client, status, "invalid frame from the server");
    // a scene begins with a frame
    const jbw_wire_frame *from = &message.frame;
    const jbw_wire_scene *scene = message.type == JBW_MESSAGE_SCENE ? &message.scene : NULL;
    *out = (jbw_frame){.subscription = message.request,
                       .time = from->time,
                       .is_paused = from->is_paused,
                       .rate = from->rate,
                       .steps_per_second = from->steps_per_second,
                       .agent_count = from->agent_count,
                       .missed = client->frame->missed};
    if (take_marks(client, from, scene, out) && take_patches(client, from, out) &&
        take_agent(client, from, scene, out))
        return JBW_OK;
    return jbw_client_fail(client, JBW_OUT_OF_MEMORY, "cannot store a frame");
}

jbw_status jbw_client_next_frame(jbw_client *client, double seconds, jbw_frame *out)
{
    *out = (jbw_frame){0};
    const int64_t deadline = jbw_client_deadline_in(seconds);
    jbw_client_begin_waiting(client);
    for (;;) {
        free_frame(client, client->frame);
        client->frame = pop_frame(client);
        if (client->frame) {
            const jbw_status status = read_frame(client, out);
            // skip frames that were in flight when their subscription ended
            if (!status && !is_subscribed(client, out->subscription)) continue;
            return status;
        }
        const jbw_status status = jbw_client_restore(client);
        if (status) return status;
        if (client->frames) continue; // arrived while the connection was being restored
        const bool is_last = jbw_client_is_over(client, deadline);
        jbw_client_serve(client, deadline);
        if (is_last && !client->frames)
            return jbw_client_fail(client, JBW_TIMED_OUT, "timed out waiting for a frame");
    }
}
