// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// A world served over loopback by a server in this process: the duration of a turn for one client,
// the agent steps per second for many clients, and the cost of viewers.

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "jbw/client.h"
#include "jbw/server.h"

enum {
    CLIENTS = 64,       // that act at the same time
    VIEWERS = 20,       // that watch
    FRAMES = 30,        // per second, for each viewer
    SQUARE = 12,        // agents walk in squares of this side, so that little is generated
    WARM_TURNS = 500,   // of one client
    TURNS = 2000,       // of one client, per measurement; short ones find quiet moments
    CROWD_TURNS = 160,  // of many clients, per measurement
    MAX_BATCH = 16,     // actions that a client sends at once
    MEASUREMENTS = 20,  // per repeat
    PAIRS = 4,          // of measurements with and without viewers, per repeat
    WATCHED_TURNS = 300 // thousands of steps, per such measurement
};

static const char secret[] = "a-token-for-the-benchmark";

// ---- the server ----

typedef struct stage {
    jbw_config *config;
    jbw_model *model;
    jbw_server *server;
    char url[64];
} stage;

static void close_stage(stage *s)
{
    jbw_server_destroy(s->server);
    jbw_model_destroy(s->model);
    jbw_config_free(s->config);
}

static bool open_stage(stage *s, const char *world_name, uint64_t seed)
{
    *s = (stage){0};
    if (!jbw_bench_open(world_name, NULL, 0, &s->config, &s->model)) return false;
    const jbw_token token = {
        .name = "bench", .secret = secret, .permissions = 31, .agents_most = 1000};
    const jbw_server_options options = {.tokens = &token,
                                        .token_count = 1,
                                        .frame_rate = FRAMES,
                                        .world_file = jbw_shipped_world_text(world_name)};
    jbw_world *world = NULL;
    jbw_error error = {0};
    const bool is_good = !jbw_world_create(s->model, seed, &world) &&
                         !jbw_server_create(world, &options, &s->server, &error);
    if (is_good) {
        snprintf(s->url, sizeof s->url, "ws://127.0.0.1:%d", jbw_server_port(s->server));
        return true;
    }
    fprintf(stderr, "jbw bench: %s\n", error.text);
    jbw_world_destroy(world);
    close_stage(s);
    return false;
}

static jbw_client *connect_to(const stage *s, const char *token)
{
    jbw_client *client;
    jbw_error error = {0};
    const jbw_client_options options = {.token = token, .reconnect_time = -1};
    if (jbw_client_connect(s->url, &options, &client, &error))
        fprintf(stderr, "jbw bench: %s\n", error.text);
    return client;
}

// ---- clients ----

/// A client with one agent, and the buffers for what it perceives.
typedef struct player {
    jbw_client *client;
    jbw_agent_id agent;
    jbw_client_observation observation;
    int turn;
} player;

static void close_player(player *p)
{
    jbw_client_close(p->client);
    free(p->observation.parts.vision);
    free(p->observation.parts.scent);
}

static bool open_player(player *p, const stage *s)
{
    const size_t side = (size_t)jbw_model_vision_side(s->model);
    const size_t colors = (size_t)jbw_model_color_dimensions(s->model);
    const size_t scents = (size_t)jbw_model_scent_dimensions(s->model);
    *p = (player){.client = connect_to(s, secret)};
    p->observation.parts.vision = calloc(side * side * colors, sizeof(float));
    p->observation.parts.scent = calloc(scents + 1, sizeof(float));
    return p->client && p->observation.parts.vision && p->observation.parts.scent &&
           !jbw_client_add_agent(p->client, NULL, &p->agent);
}

static int next_action(player *p)
{
    enum { FORWARD, LEFT };
    return p->turn++ % SQUARE == SQUARE - 1 ? LEFT : FORWARD;
}

// processor time of all threads but this one, which are the server's
static double server_cpu(void)
{
    return jbw_bench_process_cpu() - jbw_bench_thread_cpu();
}

// ---- one client ----

typedef struct round_trip {
    double rate; // turns per second
    double cpu;  // processor time of the server, in seconds per turn
} round_trip;

static bool measure_turns(player *p, double *times, int count, round_trip *out)
{
    const double cpu = server_cpu();
    const double start = jbw_bench_now();
    double last = start;
    for (int i = 0; i < count; i++) {
        if (jbw_client_act_and_observe(p->client, p->agent, next_action(p), &p->observation))
            return false;
        const double time = jbw_bench_now();
        times[i] = time - last;
        last = time;
    }
    out->rate = count / (last - start);
    out->cpu = (server_cpu() - cpu) / count;
    return true;
}

// The median is over all turns; rates, here and below, are those of the best measurement.
static bool measure_one(const stage *s, const char *world, const jbw_bench_options *options,
                        double *rate)
{
    player p;
    const int measurement_count = MEASUREMENTS * options->repeats;
    const size_t turn_count = (size_t)measurement_count * TURNS;
    double *times = calloc(turn_count, sizeof *times);
    round_trip best = {0};
    round_trip warm;
    bool is_good = open_player(&p, s) && times && measure_turns(&p, times, WARM_TURNS, &warm);
    for (int i = 0; i < measurement_count && is_good; i++) {
        round_trip r;
        is_good = measure_turns(&p, times + (size_t)i * TURNS, TURNS, &r);
        if (is_good && r.rate > best.rate) best = r;
    }
    if (is_good) is_good = !jbw_client_remove_agent(p.client, p.agent);
    close_player(&p);
    if (is_good) {
        jbw_report *report = options->report;
        jbw_bench_sort(times, turn_count);
        jbw_report_begin(report, "net", world);
        jbw_report_parameter(report, "clients", 1);
        jbw_report_figure(report, "round_trip_us_median", 1e6 * times[turn_count / 2]);
        jbw_report_figure(report, "round_trip_us_p10", 1e6 * times[turn_count / 10]);
        jbw_report_figure(report, "round_trip_us_p99", 1e6 * times[turn_count * 99 / 100]);
        jbw_report_figure(report, "agent_steps_per_second", best.rate);
        jbw_report_figure(report, "server_cpu_us_per_agent_step", 1e6 * best.cpu);
        jbw_report_end(report);
        *rate = best.rate;
    }
    free(times);
    return is_good;
}

// ---- many clients ----

/// Many clients with two batches of actions each: the server works on one while the client handles
/// the other.
typedef struct crowd {
    player players[CLIENTS];
    int batch; // actions per batch
    jbw_client_observation observations[CLIENTS][2][MAX_BATCH];
    uint32_t tickets[CLIENTS][2][MAX_BATCH];
} crowd;

static void close_crowd(crowd *c)
{
    for (int i = 0; i < CLIENTS; i++) close_player(&c->players[i]);
    free(c);
}

static crowd *open_crowd(const stage *s, int batch)
{
    crowd *c = calloc(1, sizeof *c);
    if (!c) return NULL;
    c->batch = batch;
    for (int i = 0; i < CLIENTS; i++) {
        if (!open_player(&c->players[i], s)) {
            close_crowd(c);
            return NULL;
        }
        // all share the same arrays
        for (int k = 0; k < 2 * MAX_BATCH; k++)
            c->observations[i][k / MAX_BATCH][k % MAX_BATCH] = c->players[i].observation;
    }
    return c;
}

static bool post_batch(crowd *c, int which)
{
    for (int i = 0; i < CLIENTS; i++) {
        player *p = &c->players[i];
        int actions[MAX_BATCH];
        for (int k = 0; k < c->batch; k++) actions[k] = next_action(p);
        if (jbw_client_post_acts(p->client, p->agent, actions, (size_t)c->batch,
                                 c->observations[i][which], c->tickets[i][which]))
            return false;
    }
    return true;
}

static bool collect_from(crowd *c, int client, int which)
{
    for (int k = 0; k < c->batch; k++)
        if (jbw_client_collect(c->players[client].client, c->tickets[client][which][k]))
            return false;
    return true;
}

static bool collect_batch(crowd *c, int which)
{
    for (int i = 0; i < CLIENTS; i++)
        if (!collect_from(c, i, which)) return false;
    return true;
}

// Takes `turns` steps with each client. With batches of one, a client has one action pending at a
// time, which could depend on what it perceived; with larger batches, actions are sent ahead.
static bool crowd_turns(crowd *c, int turns)
{
    const bool is_ahead = c->batch > 1;
    const int rounds = turns / c->batch;
    if (is_ahead && !post_batch(c, 0)) return false;
    for (int i = 0; i < rounds; i++) {
        if (!is_ahead && (!post_batch(c, 0) || !collect_batch(c, 0))) return false;
        if (!is_ahead) continue;
        if (i + 1 < rounds && !post_batch(c, (i + 1) % 2)) return false;
        if (!collect_batch(c, i % 2)) return false;
    }
    return true;
}

static bool measure_crowd(const stage *s, const char *world, const jbw_bench_options *options,
                          double single_rate, int batch)
{
    crowd *c = open_crowd(s, batch);
    bool is_good = c && crowd_turns(c, WARM_TURNS / 10);
    double best = 0.0;
    double cpu = 0.0;
    for (int i = 0; i < MEASUREMENTS * options->repeats && is_good; i++) {
        const double cpu_before = server_cpu();
        const double start = jbw_bench_now();
        is_good = crowd_turns(c, CROWD_TURNS);
        const double rate = (double)CROWD_TURNS * CLIENTS / (jbw_bench_now() - start);
        if (rate <= best) continue;
        best = rate;
        cpu = (server_cpu() - cpu_before) / ((double)CROWD_TURNS * CLIENTS);
    }
    for (int i = 0; i < CLIENTS && is_good; i++)
        is_good = !jbw_client_remove_agent(c->players[i].client, c->players[i].agent);
    if (c) close_crowd(c);
    if (!is_good) return false;
    jbw_report *report = options->report;
    jbw_report_begin(report, "net", world);
    jbw_report_parameter(report, "clients", CLIENTS);
    jbw_report_parameter(report, "actions_under_way", batch > 1 ? 2 * batch : 1);
    jbw_report_figure(report, "agent_steps_per_second", best);
    jbw_report_figure(report, "ratio_to_one_client", best / single_rate);
    jbw_report_figure(report, "server_cpu_us_per_agent_step", 1e6 * cpu);
    jbw_report_end(report);
    return true;
}

// ---- many agents of one client ----

static bool measure_together(const stage *s, const char *world, const jbw_bench_options *options,
                             double single_rate)
{
    player players[CLIENTS] = {0};
    jbw_agent_id ids[CLIENTS];
    int actions[CLIENTS];
    jbw_client_observation seen[CLIENTS];
    bool is_good = open_player(&players[0], s);
    jbw_client *client = players[0].client;
    ids[0] = players[0].agent;
    for (int i = 1; i < CLIENTS && is_good; i++)
        is_good = !jbw_client_add_agent(client, NULL, &ids[i]);
    double best = 0.0;
    for (int i = 0; i < MEASUREMENTS * options->repeats && is_good; i++) {
        const double start = jbw_bench_now();
        for (int turn = 0; turn < CROWD_TURNS && is_good; turn++) {
            for (int k = 0; k < CLIENTS; k++) {
                actions[k] = next_action(&players[k]);
                seen[k] = players[0].observation; // all share the same arrays
            }
            is_good = !jbw_client_act_together(client, ids, actions, CLIENTS, seen);
        }
        const double rate = (double)CROWD_TURNS * CLIENTS / (jbw_bench_now() - start);
        if (rate > best) best = rate;
    }
    for (int i = 0; i < CLIENTS && is_good; i++) is_good = !jbw_client_remove_agent(client, ids[i]);
    close_player(&players[0]);
    if (!is_good) return false;
    jbw_report *report = options->report;
    jbw_report_begin(report, "net", world);
    jbw_report_parameter(report, "clients", 1);
    jbw_report_parameter(report, "agents", CLIENTS);
    jbw_report_figure(report, "agent_steps_per_second", best);
    jbw_report_figure(report, "ratio_to_one_agent", best / single_rate);
    jbw_report_end(report);
    return true;
}

// ---- viewers ----

/// Clients that watch, on a thread of their own.
typedef struct audience {
    pthread_t thread;
    jbw_client *viewers[VIEWERS];
    atomic_bool is_over;
    uint64_t frame_count;
    bool has_failed;
} audience;

static void *watch(void *user)
{
    audience *a = user;
    while (!a->is_over && !a->has_failed) {
        for (int i = 0; i < VIEWERS; i++) {
            jbw_frame frame;
            const jbw_status status = jbw_client_next_frame(a->viewers[i], 1e-3, &frame);
            if (!status) a->frame_count++;
            if (status && status != JBW_TIMED_OUT) a->has_failed = true;
        }
    }
    return NULL;
}

static bool open_audience(audience *a, const stage *s)
{
    *a = (audience){0};
    const jbw_subscription what = {
        .topic = JBW_TOPIC_PATCHES, .region = {-128, -128, 256, 256}, .rate = FRAMES};
    for (int i = 0; i < VIEWERS; i++) {
        uint32_t subscription;
        a->viewers[i] = connect_to(s, NULL);
        if (!a->viewers[i] || jbw_client_subscribe(a->viewers[i], &what, &subscription))
            return false;
    }
    return pthread_create(&a->thread, NULL, watch, a) == 0;
}

static void close_audience(audience *a)
{
    a->is_over = true;
    pthread_join(a->thread, NULL);
    for (int i = 0; i < VIEWERS; i++) jbw_client_close(a->viewers[i]);
}

// Processor time of the world's thread in seconds per step, or -1 on failure. Many steps are
// requested at once, so that the thread is always busy and waiting does not count.
static double world_cpu_per_step(jbw_client *client)
{
    enum { STEPS = 1000 };
    jbw_client_stats before;
    jbw_client_stats after;
    if (jbw_client_get_stats(client, &before)) return -1.0;
    for (int i = 0; i < WATCHED_TURNS; i++)
        if (jbw_client_step(client, STEPS)) return -1.0;
    if (jbw_client_get_stats(client, &after)) return -1.0;
    return (after.world_cpu - before.world_cpu) / (double)(after.time - before.time);
}

static bool measure_viewers(const stage *s, const char *world, const jbw_bench_options *options)
{
    player players[CLIENTS] = {0};
    jbw_client *control = connect_to(s, secret);
    bool is_good = control != NULL;
    for (int i = 0; i < CLIENTS && is_good; i++) is_good = open_player(&players[i], s);
    double best[2] = {1e9, 1e9};
    double frames = 0.0;
    // with and without viewers in turn, so that noise on the machine affects both
    for (int i = 0; i < 2 * PAIRS * options->repeats && is_good; i++) {
        audience a;
        const bool is_watched = i % 2 == 1;
        is_good = !is_watched || open_audience(&a, s);
        if (!is_good) break;
        const double start = jbw_bench_now();
        const double cpu = world_cpu_per_step(control);
        const double seconds = jbw_bench_now() - start;
        if (is_watched) close_audience(&a);
        is_good = cpu >= 0.0 && !(is_watched && a.has_failed);
        if (cpu < best[is_watched]) {
            best[is_watched] = cpu;
            if (is_watched) frames = (double)a.frame_count / seconds / VIEWERS;
        }
    }
    for (int i = 0; i < CLIENTS; i++) close_player(&players[i]);
    jbw_client_close(control);
    if (!is_good) return false;
    jbw_report *report = options->report;
    jbw_report_begin(report, "net", world);
    jbw_report_parameter(report, "viewers", VIEWERS);
    jbw_report_figure(report, "frames_per_second", frames);
    jbw_report_figure(report, "world_cpu_us_per_step", 1e6 * best[1]);
    jbw_report_figure(report, "world_cpu_us_per_step_alone", 1e6 * best[0]);
    jbw_report_figure(report, "viewer_cost_percent", 100.0 * (best[1] / best[0] - 1.0));
    jbw_report_end(report);
    return true;
}

bool jbw_bench_net(const jbw_bench_options *options)
{
    const char *world = options->world ? options->world : "paper-code";
    stage s;
    double rate = 1.0;
    if (!open_stage(&s, world, options->seed)) return false;
    const bool is_good =
        measure_one(&s, world, options, &rate) && measure_crowd(&s, world, options, rate, 1) &&
        measure_crowd(&s, world, options, rate, MAX_BATCH) &&
        measure_together(&s, world, options, rate) && measure_viewers(&s, world, options);
    if (!is_good) fprintf(stderr, "jbw bench: the server or one of its clients failed\n");
    close_stage(&s);
    return is_good;
}
