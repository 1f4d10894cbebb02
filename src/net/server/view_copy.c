// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "net/server/view_copy.h"

#include <stdlib.h>

#include "net/server/server_internal.h"

enum { TIME_SHARE = 50 }; // copying takes at most a fiftieth of the time

jbw_view_copy *jbw_view_copy_create(const jbw_world *world, uint64_t number)
{
    jbw_view_copy *copy = calloc(1, sizeof *copy);
    if (!copy) return NULL;
    copy->number = number;
    if (!jbw_world_clone(world, &copy->world)) return copy;
    free(copy);
    return NULL;
}

void jbw_view_copy_destroy(jbw_view_copy *copy)
{
    if (!copy) return;
    jbw_world_destroy(copy->world);
    free(copy);
}

bool jbw_server_send_copy(jbw_server *server, const jbw_world *world, uint64_t now,
                          const jbw_game_info *info)
{
    server->next_copy = now + server->frame_interval;
    if (atomic_load(&server->copy)) return false;
    const uint64_t cpu = jbw_clock_thread_cpu();
    jbw_view_copy *copy = jbw_view_copy_create(world, ++server->copy_number);
    if (!copy) return false;
    copy->is_paused = info->is_paused;
    copy->rate = info->rate;
    copy->steps_per_second = info->steps_per_second;
    // the larger the world, the longer a copy takes, and the longer until the next one
    const uint64_t cost = jbw_clock_thread_cpu() - cpu;
    if (cost * TIME_SHARE > server->frame_interval) server->next_copy = now + cost * TIME_SHARE;
    server->change_shown = info->change_count;
    atomic_store(&server->copy, copy);
    jbw_count(&server->counters.copies, 1);
    jbw_listener_wake(server->listener);
    return true;
}

// ---- attached worlds ----

bool jbw_server_publish(jbw_server *server, const jbw_world *world)
{
    // most calls end here: the network thread watches the clock and the viewers
    if (!atomic_load_explicit(&server->is_copy_wanted, memory_order_relaxed)) return false;
    atomic_store_explicit(&server->is_copy_wanted, false, memory_order_relaxed);
    const uint64_t now = jbw_clock_now();
    const uint64_t time = jbw_world_time(world);
    const uint64_t steps = time > server->change_shown ? time - server->change_shown : 0;
    const uint64_t elapsed = now > server->last_copy ? now - server->last_copy : 1;
    const jbw_game_info info = {.time = time,
                                .steps_per_second =
                                    (double)steps * (double)JBW_SECOND / (double)elapsed,
                                .change_count = time};
    if (!jbw_server_send_copy(server, world, now, &info)) return false;
    server->last_copy = now;
    return true;
}
