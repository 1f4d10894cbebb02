// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The network thread's side of the rings: requests go to the world thread, answers come back.

#include <stdlib.h>
#include <string.h>

#include "net/server/listener_internal.h"

static jbw_ring *ring_of(const jbw_listener *l, int key)
{
    const bool only_watches =
        key < 0 || l->shared.keys->keys[key].permissions == JBW_PERMISSION_WATCH;
    return only_watches ? &l->server->watch_requests : &l->server->requests;
}

static bool put_job(jbw_listener *l, const jbw_job *job, const uint8_t *bytes)
{
    jbw_ring *ring = ring_of(l, job->key);
    uint8_t *record = jbw_ring_reserve(ring, sizeof *job + job->size);
    if (!record) return false;
    memcpy(record, job, sizeof *job);
    if (bytes) memcpy(record + sizeof *job, bytes, job->size);
    jbw_ring_commit(ring);
    l->forwarded++;
    return true;
}

// marks a connection whose queued answers are to be sent once all answers have been taken
static void note_answered(jbw_listener *l, jbw_connection *c)
{
    if (c->is_answered) return;
    c->is_answered = true;
    l->answered[l->answered_count++] = c;
}

static void take_answer(jbw_listener *l, jbw_connection *c, const jbw_reply *reply, uint8_t *bytes)
{
    if (c->session.in_flight > 0) c->session.in_flight--;
    // queue small answers, to send them together; others go out right away
    if (reply->is_final || reply->is_apart || c->is_closing ||
        (!c->is_answered && !jbw_connection_can_send(c))) {
        jbw_connection_send(c, bytes, reply->size, reply->is_final);
        jbw_connection_regulate(c);
    } else if (jbw_connection_enqueue(c, bytes, reply->size, false)) {
        note_answered(l, c);
    } else {
        jbw_connection_drop(c);
    }
}

void jbw_listener_take_answers(jbw_listener *l)
{
    size_t size;
    uint8_t *record;
    while ((record = jbw_ring_peek(&l->server->answers, &size))) {
        jbw_reply reply;
        memcpy(&reply, record, sizeof reply);
        jbw_connection *c = jbw_connection_find(l, reply.connection);
        uint8_t *bytes = (reply.is_apart ? reply.apart : record + sizeof reply) + JBW_WIRE_HEADROOM;
        if (c) take_answer(l, c, &reply, bytes);
        if (reply.is_apart) free(reply.apart);
        jbw_ring_release(&l->server->answers);
    }
    for (size_t i = 0; i < l->answered_count; i++) jbw_connection_send_queue(l->answered[i]);
    l->answered_count = 0;
}

bool jbw_listener_forward(void *user, uint32_t connection, int key, const uint8_t *bytes,
                          size_t size)
{
    jbw_listener *l = user;
    if (!l->server->is_view) {
        const jbw_job job = {.connection = connection, .key = key, .size = (uint32_t)size};
        return put_job(l, &job, bytes);
    }
    jbw_game_receive(l->server->game, connection, key, bytes, size, jbw_clock_now());
    jbw_listener_take_answers(l);
    return true;
}

bool jbw_listener_forward_forget(jbw_listener *l, jbw_slot *s, int key)
{
    const jbw_job job = {.connection = jbw_connection_id(l, s), .key = key, .is_forget = true};
    if (!l->server->is_view) return put_job(l, &job, NULL);
    jbw_game_forget(l->server->game, job.connection, key, jbw_clock_now());
    return true;
}

void jbw_listener_answer(void *user, uint32_t connection, const uint8_t *bytes, size_t size,
                         bool is_final)
{
    static const uint8_t headroom[JBW_WIRE_HEADROOM];
    jbw_listener *l = user;
    jbw_connection *c = jbw_connection_find(l, connection);
    if (!c) return;
    l->frame.size = 0;
    if (jbw_buffer_append(&l->frame, headroom, sizeof headroom) &&
        jbw_buffer_append(&l->frame, bytes, size))
        jbw_connection_send(c, l->frame.bytes + JBW_WIRE_HEADROOM, size, is_final);
    else
        jbw_connection_drop(c); // it would wait for ever
}
