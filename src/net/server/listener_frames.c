// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Frames are never queued: each is made from the newest copy, when the connection can accept it.
// Connections take turns, one frame each, while looking has time left.

#include "net/server/listener_internal.h"

static void send_frame(jbw_connection *c, jbw_watch *watch, uint64_t now)
{
    static const uint8_t headroom[JBW_WIRE_HEADROOM];
    jbw_listener *l = c->listener;
    l->frame.size = 0;
    watch->due = now + watch->interval;
    if (!jbw_buffer_append(&l->frame, headroom, sizeof headroom) ||
        !jbw_watch_make_frame(watch, l->copy, &l->shared.scratch, &l->frame))
        return;
    jbw_count(&l->server->counters.frames, 1);
    if (!jbw_connection_write(c, l->frame.bytes + JBW_WIRE_HEADROOM,
                              l->frame.size - JBW_WIRE_HEADROOM))
        jbw_connection_drop(c);
    jbw_connection_note_memory(c);
}

// sends a frame, and pays for the time it took
static void pay_for_frame(jbw_connection *c, jbw_watch *watch, uint64_t now)
{
    jbw_looking *looking = &c->listener->server->looking;
    const uint64_t cpu = jbw_clock_thread_cpu();
    send_frame(c, watch, now);
    jbw_looking_use(looking, JBW_LOOKING_FRAMES, now, jbw_clock_thread_cpu() - cpu);
}

uint64_t jbw_connection_send_frame(jbw_connection *c, uint64_t now)
{
    const jbw_listener *l = c->listener;
    uint64_t next = UINT64_MAX;
    bool is_sent = false;
    if (!l->copy || c->session.is_over) return next;
    const size_t first = c->watch_turn;
    for (size_t i = 0; i < JBW_SUBSCRIPTIONS_MOST; i++) {
        const size_t at = (first + i) % JBW_SUBSCRIPTIONS_MOST;
        jbw_watch *watch = &c->session.watches[at];
        if (!jbw_watch_is_behind(watch, l->copy)) continue;
        if (is_sent || now < watch->due) {
            next = jbw_earlier(next, watch->due > now ? watch->due : now);
        } else if (jbw_connection_can_send_frame(c)) {
            pay_for_frame(c, watch, now);
            is_sent = true;
            c->watch_turn = at + 1;
            if (jbw_watch_is_behind(watch, l->copy)) next = jbw_earlier(next, watch->due);
        } else {
            lws_callback_on_writable(c->wsi);
        }
    }
    return next;
}

uint64_t jbw_listener_send_frames(jbw_listener *l, uint64_t now)
{
    uint64_t next = UINT64_MAX;
    if (l->shared.subscription_count == 0) return next;
    const jbw_terrain_maker *maker = l->server->maker;
    const uint64_t news = maker ? jbw_terrain_maker_news(maker) : 0;
    if (now < l->next_frame && news == l->news_seen) return l->next_frame;
    l->news_seen = news;
    for (size_t i = 0; i < l->slot_count; i++) {
        const size_t at = (l->frame_turn + i) % l->slot_count;
        jbw_connection *c = l->slots[at].client;
        if (!c || !c->session.has_said_hello) continue;
        const uint64_t due = jbw_looking_due(&l->server->looking, JBW_LOOKING_FRAMES, now);
        if (due > now) {
            // whose turn it would be now gets it then
            l->frame_turn = at;
            l->next_frame = jbw_earlier(next, due);
            return l->next_frame;
        }
        next = jbw_earlier(next, jbw_connection_send_frame(c, now));
    }
    l->next_frame = next;
    return next;
}

void jbw_listener_take_copy(jbw_listener *l)
{
    jbw_server *server = l->server;
    if (!atomic_load_explicit(&server->copy, memory_order_relaxed)) return;
    jbw_view_copy *copy = atomic_exchange(&server->copy, NULL);
    if (!copy) return;
    if (server->is_view) {
        jbw_game_show(server->game, copy->world);
        jbw_game_info info = jbw_game_get_info(server->game);
        info.steps_per_second = copy->steps_per_second;
        jbw_server_set_info(server, &info);
    }
    if (l->copy) jbw_world_pass_on(l->copy->world, copy->world);
    jbw_view_copy_destroy(l->copy);
    l->copy = copy;
    l->next_frame = 0;
    l->shared.world_time = jbw_world_time(copy->world);
}

uint64_t jbw_listener_request_copy(jbw_listener *l, uint64_t now)
{
    jbw_server *server = l->server;
    if (!server->is_view) return UINT64_MAX;
    if (l->client_count == 0) {
        atomic_store_explicit(&server->is_copy_wanted, false, memory_order_relaxed);
        return UINT64_MAX;
    }
    const uint64_t due = jbw_earlier(atomic_load(&server->next_copy), now + server->frame_interval);
    if (now < due) return due;
    if (now < l->next_peek) return l->next_peek;
    l->next_peek = now + server->frame_interval;
    atomic_store_explicit(&server->is_copy_wanted, true, memory_order_relaxed);
    if (server->options.peek) server->options.peek(server, server->options.peek_user);
    return l->next_peek;
}
