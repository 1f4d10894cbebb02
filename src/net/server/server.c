// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "jbw/server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "net/game/notes.h"
#include "net/server/server_internal.h"

enum {
    REQUEST_RING_SIZE = 1 << 20,
    ANSWER_RING_SIZE = 1 << 22,
};

// ---- starting ----

static void on_saved(void *user)
{
    jbw_server *server = user;
    jbw_bell_ring(&server->bell);
}

// the network thread makes frames, the other one answers queries
static void on_made(void *user)
{
    jbw_server *server = user;
    jbw_bell_ring(&server->bell);
    jbw_listener_wake(server->listener);
}

static bool init_shared(jbw_server *server)
{
    jbw_looking_init(&server->looking);
    server->texts = calloc(1, sizeof *server->texts);
    server->has_bell = jbw_bell_init(&server->bell);
    server->has_info_mutex = pthread_mutex_init(&server->info_mutex, NULL) == 0;
    return server->texts && server->has_bell && server->has_info_mutex &&
           jbw_ring_init(&server->requests, REQUEST_RING_SIZE) &&
           jbw_ring_init(&server->watch_requests, REQUEST_RING_SIZE) &&
           jbw_ring_init(&server->answers, ANSWER_RING_SIZE);
}

static jbw_status make_game(jbw_server *server, jbw_world *world, jbw_error *error)
{
    const jbw_server_options *o = &server->options;
    const jbw_game_options options = {
        .keys = &server->keys,
        .is_paused = o->is_paused,
        .rate = o->rate,
        .turn_timeout = o->turn_timeout * JBW_MILLISECOND,
        .deactivates = o->deactivates,
        .is_view = server->is_view,
        .player = server->player,
        .frame_rate = (float)o->frame_rate,
        .save_every = o->save_every,
        .saver = server->saver,
        .looking = &server->looking,
        .maker = server->maker,
        .world_file = o->world_file,
        .reward = o->reward,
        .notes = o->notes,
        .note_count = o->note_count,
        .residents = o->residents,
        .resident_count = o->resident_count,
        .answer = jbw_server_answer,
        .add_stats = jbw_server_add_stats,
        .user = server,
    };
    return jbw_game_create(world, &options, jbw_clock_now(), &server->game, error);
}

// opens the save file and the recording, and creates the game between them
static jbw_status open_files(jbw_server *server, jbw_world *world, jbw_error *error)
{
    const jbw_server_options *o = &server->options;
    jbw_status status = JBW_OK;
    if (o->save_path) status = jbw_saver_create(o->save_path, on_saved, server, &server->saver);
    if (!status) status = make_game(server, world, error);
    if (!status && o->record_path)
        status = jbw_recorder_create(world, o->record_path, o->may_replace_record, NULL,
                                     &server->recorder, error);
    return status;
}

static jbw_status start(jbw_server *server, jbw_world *world, const jbw_server_options *options,
                        jbw_error *error)
{
    if (!init_shared(server)) return JBW_OUT_OF_MEMORY;
    server->model = jbw_world_model(world);
    server->started = jbw_clock_now();
    server->spin_wait = jbw_spin_wait_make();
    jbw_status status = jbw_server_set_options(server, options, error);
    if (!status && jbw_model_generation(server->model) == JBW_GENERATION_INVARIANT)
        status = jbw_terrain_maker_create(server->model, jbw_world_seed(world),
                                          jbw_world_patch_store(world), &server->looking, on_made,
                                          server, &server->maker);
    if (status) return status;
    if (server->is_view) {
        jbw_view_copy *copy = jbw_view_copy_create(world, ++server->copy_number);
        if (!copy) return JBW_OUT_OF_MEMORY;
        atomic_store(&server->copy, copy);
        server->change_shown = jbw_world_time(world);
        server->last_copy = server->started;
        status = make_game(server, copy->world, error);
    } else {
        status = open_files(server, world, error);
    }
    if (!status) server->info = jbw_game_get_info(server->game);
    if (!status) status = jbw_listener_create(server, &server->listener, error);
    if (!status && !server->is_view) {
        if (!server->player) server->world = world;
        if (!jbw_world_thread_start(server)) status = JBW_OUT_OF_MEMORY;
    }
    return status;
}

// `player` is NULL or owns the world; the server takes ownership of it, even on failure
static jbw_status make_server(jbw_world *world, jbw_player *player,
                              const jbw_server_options *options, bool is_view, jbw_server **out,
                              jbw_error *error)
{
    *out = NULL;
    jbw_server *server = aligned_alloc(64, (sizeof *server + 63) / 64 * 64);
    if (!server) {
        jbw_player_destroy(player);
        return JBW_OUT_OF_MEMORY;
    }
    memset(server, 0, sizeof *server);
    server->is_view = is_view;
    server->player = player;
    const jbw_status status = start(server, world, options, error);
    if (status) {
        if (error && error->text[0] == '\0')
            jbw_error_set(error, 0, 0, "%s", jbw_status_text(status));
        server->world = NULL; // still belongs to the caller
        jbw_server_destroy(server);
        return status;
    }
    *out = server;
    return JBW_OK;
}

jbw_status jbw_server_create(jbw_world *world, const jbw_server_options *options, jbw_server **out,
                             jbw_error *error)
{
    if (error) *error = (jbw_error){0};
    return make_server(world, NULL, options, false, out, error);
}

jbw_status jbw_server_attach(jbw_world *world, const jbw_server_options *options, jbw_server **out,
                             jbw_error *error)
{
    if (error) *error = (jbw_error){0};
    return make_server(world, NULL, options, true, out, error);
}

jbw_status jbw_server_play(const char *path, const jbw_server_options *options, jbw_server **out,
                           jbw_error *error)
{
    if (error) *error = (jbw_error){0};
    *out = NULL;
    jbw_player *player;
    jbw_status status = jbw_player_create(path, &player, error);
    if (status) return status;
    jbw_server_options play = options ? *options : (jbw_server_options){0};
    status = jbw_server_check_reward(jbw_world_model(jbw_player_world(player)), play.reward, error);
    if (status) {
        jbw_player_destroy(player);
        return status;
    }
    if (!play.reward) play.reward = jbw_player_note(player, JBW_NOTE_REWARD);
    play.save_path = NULL;
    play.record_path = NULL;
    return make_server(jbw_player_world(player), player, &play, false, out, error);
}

// ---- stopping ----

// Saves the world, again and again if need be. Pages are still served meanwhile.
static jbw_status save_at_end(jbw_server *server, jbw_error *error)
{
    const struct timespec pause = {.tv_nsec = 200 * JBW_MILLISECOND};
    const double timeout = server->options.save_timeout;
    const uint64_t until =
        timeout < 0.0 ? UINT64_MAX / 2 : jbw_clock_now() + (uint64_t)(timeout * 1e9);
    for (;;) {
        const jbw_status status = jbw_game_save(server->game, until, error);
        const jbw_game_info info = jbw_game_get_info(server->game);
        jbw_server_set_info(server, &info);
        jbw_server_flush_answers(server);
        const uint64_t next = jbw_clock_now() + (uint64_t)pause.tv_nsec;
        if (!status || timeout < 0.0 || next >= until) return status;
        nanosleep(&pause, NULL);
    }
}

jbw_status jbw_server_stop(jbw_server *server, jbw_error *error)
{
    if (error) *error = (jbw_error){0};
    if (server->is_stopped) return JBW_OK;
    server->is_stopped = true;
    jbw_world_thread_stop(server);
    jbw_terrain_maker_stop(server->maker);
    jbw_status status = JBW_OK;
    if (server->game && !server->is_view && server->world) status = save_at_end(server, error);
    jbw_error recorder_error = {0};
    const jbw_status recorder_status = jbw_recorder_close(server->recorder, &recorder_error);
    server->recorder = NULL;
    if (recorder_status && !status) {
        status = recorder_status;
        if (error) *error = recorder_error;
    }
    jbw_listener_destroy(server->listener);
    server->listener = NULL;
    return status;
}

jbw_world *jbw_server_world(jbw_server *server)
{
    return server->is_stopped ? server->world : NULL;
}

// frees the answers that the network thread has not taken
static void drop_answers(jbw_server *server)
{
    size_t size;
    const uint8_t *record;
    while (server->answers.bytes && (record = jbw_ring_peek(&server->answers, &size))) {
        jbw_reply reply;
        memcpy(&reply, record, sizeof reply);
        if (reply.is_apart) free(reply.apart);
        jbw_ring_release(&server->answers);
    }
}

void jbw_server_destroy(jbw_server *server)
{
    if (!server) return;
    jbw_server_stop(server, NULL);
    jbw_terrain_maker_destroy(server->maker);
    jbw_game_destroy(server->game);
    jbw_player_destroy(server->player);
    jbw_saver_destroy(server->saver);
    drop_answers(server);
    jbw_view_copy_destroy(atomic_load(&server->copy));
    jbw_world_destroy(server->world);
    jbw_ring_deinit(&server->requests);
    jbw_ring_deinit(&server->watch_requests);
    jbw_ring_deinit(&server->answers);
    if (server->has_bell) jbw_bell_deinit(&server->bell);
    if (server->has_info_mutex) pthread_mutex_destroy(&server->info_mutex);
    jbw_token_set_deinit(&server->keys);
    if (server->texts) jbw_arena_deinit(server->texts);
    free(server->texts);
    free(server);
}

// ---- state ----

const char *jbw_server_url(const jbw_server *server)
{
    return server->url;
}

int jbw_server_port(const jbw_server *server)
{
    return server->port;
}

jbw_status jbw_server_status(jbw_server *server, jbw_error *error)
{
    pthread_mutex_lock(&server->info_mutex);
    const jbw_status status = server->status;
    if (error) *error = server->error;
    pthread_mutex_unlock(&server->info_mutex);
    return status;
}

void jbw_server_copy_record_error(const jbw_server *server, char *out, size_t size)
{
    pthread_mutex_t *mutex = (pthread_mutex_t *)&server->info_mutex;
    pthread_mutex_lock(mutex);
    snprintf(out, size, "%.*s", (int)size - 1, server->record_error.text);
    pthread_mutex_unlock(mutex);
}

jbw_server_stats jbw_server_get_stats(const jbw_server *server)
{
    const jbw_game_info info = jbw_server_info(server);
    const jbw_counters *c = &server->counters;
    jbw_server_stats stats = {
        .time = info.time,
        .step_count = info.step_count,
        .timeout_count = info.timeout_count,
        .agent_count = info.agent_count,
        .active_count = info.active_count,
        .client_count = (uint32_t)atomic_load(&c->clients),
        .subscription_count = (uint32_t)atomic_load(&c->subscriptions),
        .connection_count = atomic_load(&c->connections),
        .request_count = atomic_load(&c->requests),
        .frame_count = atomic_load(&c->frames),
        .copy_count = atomic_load(&c->copies),
        .bytes_received = atomic_load(&c->bytes_received),
        .bytes_sent = atomic_load(&c->bytes_sent),
        .refused_count = info.refused_count + atomic_load(&c->refused),
        .dropped_count = atomic_load(&c->dropped),
        .saved_time = info.saved_time,
        .save_failures = info.save_failures,
        .world_cpu = jbw_server_world_cpu(server),
    };
    memcpy(stats.save_error, info.save_error, sizeof stats.save_error);
    jbw_server_copy_record_error(server, stats.record_error, sizeof stats.record_error);
    return stats;
}
