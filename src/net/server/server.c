// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "jbw/server.h"

#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/alloc.h"
#include "base/text.h"
#include "jbw/agent.h"
#include "jbw/reward.h"
#include "net/server/server_parts.h"

enum {
    REQUEST_RING_SIZE = 1 << 20,
    ANSWER_RING_SIZE = 1 << 22,
    REQUESTS_AT_ONCE = 256,
    WATCHERS_SHARE = 5,  // one part in so many of the world's time
    PICTURES_SHARE = 50, // likewise, for making pictures
    DEFAULT_FRAME_RATE = 30,
    DEFAULT_CLIENTS = 1000,
};

static const uint64_t second = 1000000000;
static const uint64_t millisecond = 1000000;

// ---- pictures ----

jbw_picture *jbw_picture_make(const jbw_world *world, uint64_t number)
{
    jbw_picture *picture = calloc(1, sizeof *picture);
    if (!picture) return NULL;
    picture->number = number;
    if (!jbw_world_clone(world, &picture->world)) return picture;
    free(picture);
    return NULL;
}

void jbw_picture_destroy(jbw_picture *picture)
{
    if (!picture) return;
    jbw_world_destroy(picture->world);
    free(picture);
}

// processor time of this thread, which does not count while others are given the processor
static uint64_t own_cpu(void)
{
    struct timespec used;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used) != 0) return 0;
    return (uint64_t)used.tv_sec * second + (uint64_t)used.tv_nsec;
}

// Puts a picture into the mailbox, if the one before was taken. Making it costs the world's thread
// something, the more the larger the world: it gets no more than its share of the time.
static bool make_picture(jbw_server *server, const jbw_world *world, uint64_t now,
                         const jbw_game_info *info)
{
    server->next_picture = now + server->frame_interval;
    if (atomic_load(&server->picture)) return false;
    const uint64_t cpu = own_cpu();
    jbw_picture *picture = jbw_picture_make(world, ++server->picture_number);
    if (!picture) return false;
    picture->is_paused = info->is_paused;
    picture->rate = info->rate;
    picture->steps_per_second = info->steps_per_second;
    const uint64_t cost = own_cpu() - cpu;
    if (cost * PICTURES_SHARE > server->frame_interval)
        server->next_picture = now + cost * PICTURES_SHARE;
    server->change_shown = info->change_count;
    atomic_store(&server->picture, picture);
    jbw_count(&server->counters.pictures, 1);
    jbw_listener_wake(server->listener);
    return true;
}

// ---- answers ----

static void put_bytes(uint8_t *at, const uint8_t *bytes, size_t size)
{
    memcpy(at + JBW_WIRE_HEADROOM, bytes, size);
}

// many bytes go by themselves
static uint8_t *set_apart(const uint8_t *bytes, size_t size)
{
    uint8_t *memory = malloc(JBW_WIRE_HEADROOM + size);
    if (memory) put_bytes(memory, bytes, size);
    return memory;
}

static void send_answer(void *user, uint32_t connection, const uint8_t *bytes, size_t size,
                        bool is_final)
{
    jbw_server *server = user;
    jbw_reply reply = {.connection = connection,
                       .size = (uint32_t)size,
                       .is_final = is_final,
                       .is_apart = size >= JBW_APART_SIZE};
    if (reply.is_apart && !(reply.apart = set_apart(bytes, size))) {
        // nobody is left waiting: without its answer the connection makes no sense
        reply.is_apart = false;
        reply.is_final = true;
        reply.size = 0;
        size = 0;
    }
    const size_t record_size =
        sizeof reply + (reply.is_apart ? 0 : (size_t)JBW_WIRE_HEADROOM + size);
    uint8_t *record;
    while (!(record = jbw_ring_reserve(&server->answers, record_size))) {
        // the network never waits for the world, so there will be room
        jbw_listener_wake(server->listener);
        sched_yield();
    }
    memcpy(record, &reply, sizeof reply);
    if (!reply.is_apart && size > 0) put_bytes(record + sizeof reply, bytes, size);
    jbw_ring_commit(&server->answers);
    server->has_answered = true;
}

static void tell_network(jbw_server *server)
{
    if (server->has_answered) jbw_listener_wake(server->listener);
    server->has_answered = false;
}

// ---- stats ----

double jbw_server_world_cpu(const jbw_server *server)
{
    struct timespec used;
    if (!atomic_load(&server->has_world_clock) || clock_gettime(server->world_clock, &used) != 0)
        return 0.0;
    const uint64_t idle = atomic_load_explicit(&server->idle_cpu, memory_order_relaxed);
    const double seconds = (double)used.tv_sec + (double)used.tv_nsec / 1e9 - (double)idle / 1e9;
    return seconds > 0.0 ? seconds : 0.0;
}

jbw_game_info jbw_server_info(const jbw_server *server)
{
    pthread_mutex_t *mutex = (pthread_mutex_t *)&server->info_mutex;
    pthread_mutex_lock(mutex);
    const jbw_game_info info = server->info;
    pthread_mutex_unlock(mutex);
    return info;
}

static void add_stats(void *user, jbw_wire_stats *stats)
{
    const jbw_server *server = user;
    const jbw_counters *c = &server->counters;
    stats->uptime = (double)(jbw_clock_now() - server->started) / (double)second;
    stats->world_cpu = jbw_server_world_cpu(server);
    stats->client_count = (uint32_t)atomic_load(&c->clients);
    stats->subscription_count = (uint32_t)atomic_load(&c->subscriptions);
    stats->bytes_received = atomic_load(&c->bytes_received);
    stats->bytes_sent = atomic_load(&c->bytes_sent);
    stats->refused_count += atomic_load(&c->refused);
    stats->dropped_count = atomic_load(&c->dropped);
}

static void set_failure(jbw_server *server, jbw_status status, const jbw_error *error)
{
    pthread_mutex_lock(&server->info_mutex);
    if (!server->status) {
        server->status = status;
        if (error) server->error = *error;
        if (server->error.text[0] == '\0')
            jbw_error_set(&server->error, 0, 0, "%s", jbw_status_text(status));
    }
    pthread_mutex_unlock(&server->info_mutex);
}

// ---- the world's thread ----

static void do_job(jbw_server *server, const uint8_t *record, uint64_t now)
{
    jbw_job job;
    memcpy(&job, record, sizeof job);
    if (job.is_forget)
        jbw_game_forget(server->game, job.connection, now);
    else
        jbw_game_receive(server->game, job.connection, job.key, record + sizeof job, job.size, now);
}

static bool do_requests(jbw_server *server, uint64_t now)
{
    size_t size;
    const uint8_t *record;
    size_t count = 0;
    for (; count < REQUESTS_AT_ONCE && (record = jbw_ring_peek(&server->requests, &size));
         count++) {
        do_job(server, record, now);
        jbw_ring_release(&server->requests);
    }
    jbw_count(&server->counters.requests, count);
    return count > 0;
}

// one at a time, and then not before the world has had its share
static bool do_look(jbw_server *server, uint64_t now)
{
    size_t size;
    if (now < server->watchers_wait) return false;
    const uint8_t *record = jbw_ring_peek(&server->looks, &size);
    if (!record) return false;
    do_job(server, record, now);
    jbw_ring_release(&server->looks);
    const uint64_t end = jbw_clock_now();
    server->watchers_wait = end + (WATCHERS_SHARE - 1) * (end - now);
    jbw_count(&server->counters.requests, 1);
    return true;
}

static void note_info(jbw_server *server)
{
    const jbw_game_info info = jbw_game_get_info(server->game);
    pthread_mutex_lock(&server->info_mutex);
    server->info = info;
    pthread_mutex_unlock(&server->info_mutex);
    if (info.status) set_failure(server, info.status, NULL);
    jbw_error error = {0};
    const jbw_status status =
        server->recorder ? jbw_recorder_status(server->recorder, &error) : JBW_OK;
    if (status) set_failure(server, status, &error);
}

// a few glances, which cost less than one look at the clock
static bool has_work(void *user)
{
    enum { GLANCES = 16 };
    jbw_server *server = user;
    for (int i = 0; i < GLANCES; i++) {
        if (jbw_ring_length(&server->requests) > 0 || atomic_load(&server->is_stopping))
            return true;
        jbw_pause();
    }
    return false;
}

// looks out for a moment, if that has paid lately; false if nothing came
static bool look_out(jbw_server *server, uint64_t until)
{
    const uint64_t cpu = own_cpu();
    const bool has_come = jbw_spin_wait_try(&server->spin_wait, until, has_work, server);
    atomic_fetch_add_explicit(&server->idle_cpu, own_cpu() - cpu, memory_order_relaxed);
    return has_come;
}

static void *run_world(void *user)
{
    jbw_server *server = user;
    uint64_t next_note = 0;
    if (pthread_getcpuclockid(pthread_self(), &server->world_clock) == 0)
        atomic_store(&server->has_world_clock, true);
    while (!atomic_load(&server->is_stopping)) {
        uint64_t now = jbw_clock_now();
        bool is_busy = do_requests(server, now);
        is_busy |= do_look(server, now);
        uint64_t next = jbw_game_tick(server->game, now);
        tell_network(server);

        if (atomic_load_explicit(&server->counters.subscriptions, memory_order_relaxed) > 0) {
            const jbw_game_info info = jbw_game_get_info(server->game);
            if (info.change_count != server->change_shown || server->picture_number == 0) {
                if (now >= server->next_picture)
                    make_picture(server, jbw_game_world(server->game), now, &info);
                next = jbw_earlier(next, server->next_picture);
            }
        }
        if (now >= next_note) {
            note_info(server);
            next_note = now + 50 * millisecond;
        }
        if (is_busy) continue;
        if (jbw_ring_length(&server->looks) > 0) next = jbw_earlier(next, server->watchers_wait);
        now = jbw_clock_now();
        next = jbw_earlier(next, next_note + second);
        if (now < next && !look_out(server, next)) jbw_bell_wait(&server->bell, next);
    }
    jbw_game_close(server->game);
    tell_network(server);
    atomic_store(&server->has_world_clock, false);
    return NULL;
}

// ---- options ----

static bool copy_text(jbw_server *server, const char **text)
{
    if (!*text) return true;
    *text = jbw_arena_text(server->texts, *text, strlen(*text));
    return *text != NULL;
}

static const jbw_note *find_note(const jbw_server_options *options, const char *name)
{
    for (size_t i = 0; i < options->note_count; i++)
        if (strcmp(options->notes[i].name, name) == 0) return &options->notes[i];
    return NULL;
}

static bool copy_notes(jbw_server *server)
{
    jbw_server_options *o = &server->options;
    jbw_note *notes = jbw_arena_alloc(server->texts, o->note_count + 1, sizeof *notes);
    if (!notes) return false;
    for (size_t i = 0; i < o->note_count; i++) {
        const jbw_note *from = &o->notes[i];
        notes[i].name = jbw_arena_text(server->texts, from->name, strlen(from->name));
        notes[i].bytes = jbw_arena_text(server->texts, from->bytes, from->size);
        notes[i].size = from->size;
        if (!notes[i].name || !notes[i].bytes) return false;
    }
    o->notes = notes;
    const jbw_note *world_file = find_note(o, "server.world_file");
    const jbw_note *reward = find_note(o, "run.reward");
    if (!o->world_file && world_file) o->world_file = world_file->bytes; // a zero stands behind it
    if (!o->reward && reward) o->reward = reward->bytes;
    return true;
}

static bool copy_origins(jbw_server *server)
{
    jbw_server_options *o = &server->options;
    const char **origins = jbw_arena_alloc(server->texts, o->origin_count + 1, sizeof *origins);
    if (!origins) return false;
    for (size_t i = 0; i < o->origin_count; i++) {
        origins[i] = o->origins[i];
        if (!copy_text(server, &origins[i])) return false;
    }
    o->origins = origins;
    return true;
}

// somebody asks for it, so it should be one
static jbw_status check_reward(const jbw_model *model, const char *text, jbw_error *error)
{
    jbw_reward *reward = NULL;
    jbw_error found = {0};
    const jbw_status status =
        text ? jbw_reward_compile(model, text, NULL, 0, &reward, &found) : JBW_OK;
    jbw_reward_destroy(reward);
    if (status)
        jbw_error_set(error, found.line, found.column, "reward:%d:%d: %s", found.line, found.column,
                      found.text);
    return status;
}

static jbw_status copy_options(jbw_server *server, const jbw_server_options *options,
                               jbw_error *error)
{
    jbw_server_options *o = &server->options;
    if (options) *o = *options;
    if (!o->host) o->host = "127.0.0.1";
    if (o->clients_most == 0) o->clients_most = DEFAULT_CLIENTS;
    if (o->frame_rate == 0.0) o->frame_rate = DEFAULT_FRAME_RATE;
    const bool is_good = o->port >= 0 && o->port < 65536 && o->clients_most <= 60000 &&
                         o->frame_rate >= 0.01 && o->frame_rate <= 1000.0 &&
                         (o->rate == 0.0 || (o->rate >= 1e-3 && o->rate <= 1e9)) &&
                         !o->cert == !o->key;
    if (!is_good) {
        jbw_error_set(error, 0, 0, "an option of the server is out of range");
        return JBW_INVALID_ARGUMENT;
    }
    server->frame_interval = (uint64_t)(1e9 / o->frame_rate);
    jbw_status status = jbw_keys_init(&server->keys, o->tokens, o->token_count, error);
    if (!status && !server->player) status = check_reward(server->model, o->reward, error);
    if (status) return status;
    const char **texts[] = {&o->host,        &o->cert,       &o->key,   &o->save_path,
                            &o->record_path, &o->world_file, &o->reward};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!copy_text(server, texts[i])) return JBW_OUT_OF_MEMORY;
    return copy_origins(server) && copy_notes(server) ? JBW_OK : JBW_OUT_OF_MEMORY;
}

// ---- beginning ----

static void ring_bell(void *user)
{
    jbw_server *server = user;
    jbw_bell_ring(&server->bell);
}

static bool init_shared(jbw_server *server)
{
    server->texts = calloc(1, sizeof *server->texts);
    server->has_bell = jbw_bell_init(&server->bell);
    server->has_info_mutex = pthread_mutex_init(&server->info_mutex, NULL) == 0;
    return server->texts && server->has_bell && server->has_info_mutex &&
           jbw_ring_init(&server->requests, REQUEST_RING_SIZE) &&
           jbw_ring_init(&server->looks, REQUEST_RING_SIZE) &&
           jbw_ring_init(&server->answers, ANSWER_RING_SIZE);
}

static jbw_status make_game(jbw_server *server, jbw_world *world, jbw_error *error)
{
    const jbw_server_options *o = &server->options;
    const jbw_game_options options = {
        .keys = &server->keys,
        .is_paused = o->is_paused,
        .rate = o->rate,
        .turn_timeout = o->turn_timeout * millisecond,
        .deactivates = o->deactivates,
        .is_view = server->is_view,
        .player = server->player,
        .frame_rate = (float)o->frame_rate,
        .save_every = o->save_every,
        .saver = server->saver,
        .world_file = o->world_file,
        .notes = o->notes,
        .note_count = o->note_count,
        .answer = send_answer,
        .add_stats = add_stats,
        .user = server,
    };
    return jbw_game_create(world, &options, jbw_clock_now(), &server->game, error);
}

static jbw_status start_world(jbw_server *server)
{
    // signals are for the threads of the program
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    server->has_world_thread = pthread_create(&server->world_thread, NULL, run_world, server) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return server->has_world_thread ? JBW_OK : JBW_OUT_OF_MEMORY;
}

static jbw_status open_files(jbw_server *server, jbw_world *world, jbw_error *error)
{
    const jbw_server_options *o = &server->options;
    jbw_status status = JBW_OK;
    if (o->save_path) status = jbw_saver_create(o->save_path, ring_bell, server, &server->saver);
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
    jbw_status status = copy_options(server, options, error);
    if (status) return status;
    if (server->is_view) {
        jbw_picture *picture = jbw_picture_make(world, ++server->picture_number);
        if (!picture) return JBW_OUT_OF_MEMORY;
        atomic_store(&server->picture, picture);
        server->change_shown = jbw_world_time(world);
        server->last_picture = server->started;
        status = make_game(server, picture->world, error);
    } else {
        status = open_files(server, world, error);
    }
    if (!status) server->info = jbw_game_get_info(server->game);
    if (!status) status = jbw_listener_create(server, &server->listener, error);
    if (!status && !server->is_view) {
        if (!server->player) server->world = world;
        status = start_world(server);
    }
    return status;
}

// `player` is NULL, or the one that the world belongs to, and becomes the server's
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
        server->world = NULL; // stays the caller's
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
    status = check_reward(jbw_world_model(jbw_player_world(player)), play.reward, error);
    if (status) {
        jbw_player_destroy(player);
        return status;
    }
    if (!play.reward) play.reward = jbw_player_note(player, "run.reward");
    play.save_path = NULL;
    play.record_path = NULL;
    return make_server(jbw_player_world(player), player, &play, false, out, error);
}

bool jbw_server_publish(jbw_server *server, const jbw_world *world)
{
    // most steps end here: the network's thread looks at the clock and at who is there
    if (!atomic_load_explicit(&server->is_wanted, memory_order_relaxed)) return false;
    atomic_store_explicit(&server->is_wanted, false, memory_order_relaxed);
    const uint64_t now = jbw_clock_now();
    const uint64_t time = jbw_world_time(world);
    const uint64_t steps = time > server->change_shown ? time - server->change_shown : 0;
    const uint64_t elapsed = now > server->last_picture ? now - server->last_picture : 1;
    const jbw_game_info info = {.time = time,
                                .steps_per_second =
                                    (double)steps * (double)second / (double)elapsed,
                                .change_count = time};
    if (!make_picture(server, world, now, &info)) return false;
    server->last_picture = now;
    return true;
}

// ---- end ----

jbw_status jbw_server_stop(jbw_server *server, jbw_error *error)
{
    if (error) *error = (jbw_error){0};
    if (server->is_stopped) return JBW_OK;
    server->is_stopped = true;
    if (server->has_world_thread) {
        atomic_store(&server->is_stopping, true);
        jbw_bell_ring(&server->bell);
        pthread_join(server->world_thread, NULL);
        server->has_world_thread = false;
    }
    jbw_status status = JBW_OK;
    if (server->game && !server->is_view && server->world) {
        status = jbw_game_save(server->game, error);
        server->info = jbw_game_get_info(server->game);
        tell_network(server);
    }
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

// answers that nobody has taken
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
    jbw_game_destroy(server->game);
    jbw_player_destroy(server->player);
    jbw_saver_destroy(server->saver);
    drop_answers(server);
    jbw_picture_destroy(atomic_load(&server->picture));
    jbw_world_destroy(server->world);
    jbw_ring_deinit(&server->requests);
    jbw_ring_deinit(&server->looks);
    jbw_ring_deinit(&server->answers);
    if (server->has_bell) jbw_bell_deinit(&server->bell);
    if (server->has_info_mutex) pthread_mutex_destroy(&server->info_mutex);
    jbw_keys_deinit(&server->keys);
    if (server->texts) jbw_arena_deinit(server->texts);
    free(server->texts);
    free(server);
}

// ---- asking ----

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

jbw_server_stats jbw_server_get_stats(const jbw_server *server)
{
    const jbw_game_info info = jbw_server_info(server);
    const jbw_counters *c = &server->counters;
    return (jbw_server_stats){
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
        .picture_count = atomic_load(&c->pictures),
        .bytes_received = atomic_load(&c->bytes_received),
        .bytes_sent = atomic_load(&c->bytes_sent),
        .refused_count = info.refused_count + atomic_load(&c->refused),
        .dropped_count = atomic_load(&c->dropped),
        .saved_time = info.saved_time,
        .world_cpu = jbw_server_world_cpu(server),
    };
}
