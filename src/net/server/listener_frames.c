// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Frames never stand in a queue: they are made when the connection can take one, from the newest picture.

#include "net/server/listener_parts.h"

static void send_frame(jbw_connection *c, jbw_watch *watch, uint64_t now)
{
    static const uint8_t headroom[JBW_WIRE_HEADROOM];
    jbw_listener *l = c->listener;
    l->frame.size = 0;
    watch->due = now + watch->interval;
    if (!jbw_buffer_append(&l->frame, headroom, sizeof headroom) ||
        !jbw_watch_make_frame(watch, l->picture, &l->host.scratch, &l->frame))
        return;
    jbw_count(&l->server->counters.frames, 1);
    if (!jbw_connection_write(c, l->frame.bytes + JBW_WIRE_HEADROOM,
                              l->frame.size - JBW_WIRE_HEADROOM))
        jbw_connection_drop(c);
}

// Sends the frames that are due, as long as the connection can take them. Returns when to look again.
uint64_t jbw_connection_send_frames(jbw_connection *c, uint64_t now)
{
    jbw_listener *l = c->listener;
    uint64_t next = UINT64_MAX;
    if (!l->picture || c->session.is_over) return next;
    for (size_t i = 0; i < JBW_SUBSCRIPTIONS_MOST; i++) {
        jbw_watch *watch = &c->session.watches[i];
        if (!jbw_watch_is_behind(watch, l->picture)) continue;
        if (now < watch->due) {
            next = jbw_earlier(next, watch->due);
        } else if (jbw_connection_can_send_frame(c)) {
            send_frame(c, watch, now);
            if (jbw_watch_is_behind(watch, l->picture)) next = jbw_earlier(next, watch->due);
        } else {
            lws_callback_on_writable(c->wsi);
        }
    }
    return next;
}

uint64_t jbw_listener_send_frames(jbw_listener *l, uint64_t now)
{
    uint64_t next = UINT64_MAX;
    if (l->host.subscription_count == 0) return next;
    for (size_t i = 0; i < l->slot_count; i++)
        if (l->slots[i].client)
            next = jbw_earlier(next, jbw_connection_send_frames(l->slots[i].client, now));
    return next;
}

void jbw_listener_take_picture(jbw_listener *l)
{
    jbw_server *server = l->server;
    if (!atomic_load_explicit(&server->picture, memory_order_relaxed)) return;
    jbw_picture *picture = atomic_exchange(&server->picture, NULL);
    if (!picture) return;
    if (server->is_view) {
        jbw_game_show(server->game, picture->world);
        const jbw_game_info info = jbw_game_get_info(server->game);
        pthread_mutex_lock(&server->info_mutex);
        server->info = info;
        server->info.steps_per_second = picture->steps_per_second;
        pthread_mutex_unlock(&server->info_mutex);
    }
    if (l->picture) jbw_world_pass_on(l->picture->world, picture->world);
    jbw_picture_destroy(l->picture);
    l->picture = picture;
    l->host.world_time = jbw_world_time(picture->world);
}

// Asks the owner of an attached world for a picture, when one is due and somebody is there to see it.
// Returns when to ask again.
uint64_t jbw_listener_want_picture(jbw_listener *l, uint64_t now)
{
    jbw_server *server = l->server;
    if (!server->is_view) return UINT64_MAX;
    if (l->client_count == 0) {
        atomic_store_explicit(&server->is_wanted, false, memory_order_relaxed);
        return UINT64_MAX;
    }
    const uint64_t due =
        jbw_earlier(atomic_load(&server->next_picture), now + server->frame_interval);
    if (now < due) return due;
    if (now < l->next_peek) return l->next_peek;
    l->next_peek = now + server->frame_interval;
    atomic_store_explicit(&server->is_wanted, true, memory_order_relaxed);
    if (server->options.peek) server->options.peek(server, server->options.peek_user);
    return l->next_peek;
}
