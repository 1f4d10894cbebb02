// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// A world that its owner steps and that can be watched, as world.view() of Python does it: what that
// costs the owner's thread, per step, while nobody watches and while one page does.

#define _GNU_SOURCE // for RUSAGE_THREAD; NOLINT(bugprone-reserved-identifier)

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/resource.h>

#include "bench.h"
#include "jbw/agent.h"
#include "jbw/client.h"
#include "jbw/server.h"

enum {
    STEPS = 1000000, // in a measurement: a few frames long
    MEASUREMENTS = 4,
    FRAMES = 30,  // per second
    AROUND = 128, // cells that the page sees in each direction
    CIRCLE = 12,  // steps to a corner: nothing needs to be generated
    WAYS = 3,     // alone, attached, watched
};

typedef struct stage {
    jbw_world *world;
    jbw_agent_id agent;
    jbw_server *server;
    jbw_client *page;
    pthread_t thread;
    atomic_bool is_over;
    atomic_ullong frame_count;
} stage;

static void offer(jbw_world *world, void *user)
{
    jbw_server_publish(user, world);
}

static void *watch(void *user)
{
    stage *s = user;
    jbw_frame frame;
    while (!s->is_over)
        if (!jbw_client_next_frame(s->page, 0.01, &frame)) s->frame_count++;
    return NULL;
}

static bool open_page(stage *s)
{
    char url[64];
    snprintf(url, sizeof url, "ws://127.0.0.1:%d", jbw_server_port(s->server));
    const jbw_client_options options = {.reconnect_time = -1};
    const jbw_subscription what = {.topic = JBW_TOPIC_PATCHES,
                                   .region = {-AROUND, -AROUND, 2 * AROUND, 2 * AROUND},
                                   .rate = FRAMES};
    uint32_t subscription;
    return !jbw_client_connect(url, &options, &s->page, NULL) &&
           !jbw_client_subscribe(s->page, &what, &subscription) &&
           pthread_create(&s->thread, NULL, watch, s) == 0;
}

static double own_cpu(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
}

// seconds of this thread per step
static double measure(const stage *s)
{
    enum { FORWARD, LEFT };
    const double start = own_cpu();
    for (int i = 0; i < STEPS; i++)
        jbw_agent_act(s->world, s->agent, i % CIRCLE == CIRCLE - 1 ? LEFT : FORWARD, NULL);
    return (own_cpu() - start) / STEPS;
}

static bool run(stage *s, const jbw_bench_options *options, double best[WAYS], double *frames)
{
    const jbw_server_options view = {.frame_rate = FRAMES};
    for (int i = 0; i < MEASUREMENTS * options->repeats; i++) {
        // in turn, so that a noisy machine is noisy for all
        for (int way = 0; way < WAYS; way++) {
            jbw_error error = {0};
            if (way > 0 && jbw_server_attach(s->world, &view, &s->server, &error)) {
                fprintf(stderr, "jbw bench: %s\n", error.text);
                return false;
            }
            jbw_world_on_step(s->world, way > 0 ? offer : NULL, s->server);
            s->is_over = false;
            s->frame_count = 0;
            if (way == 2 && !open_page(s)) return false;
            const double begin = jbw_bench_now();
            const double cpu = measure(s);
            const double seconds = jbw_bench_now() - begin;
            if (cpu < best[way]) best[way] = cpu;
            if (way == 2) {
                s->is_over = true;
                pthread_join(s->thread, NULL);
                if ((double)s->frame_count / seconds > *frames)
                    *frames = (double)s->frame_count / seconds;
                jbw_client_close(s->page);
                s->page = NULL;
            }
            jbw_world_on_step(s->world, NULL, NULL);
            jbw_server_destroy(s->server);
            s->server = NULL;
        }
    }
    return true;
}

bool jbw_bench_view(const jbw_bench_options *options)
{
    const char *name = options->only ? options->only : "paper-code";
    jbw_config *config = NULL;
    jbw_model *model = NULL;
    stage s = {0};
    if (!jbw_bench_open(name, &config, &model)) return false;
    double best[WAYS] = {1e9, 1e9, 1e9};
    double frames = 0.0;
    bool is_good = !jbw_world_create(model, options->seed, &s.world) &&
                   !jbw_world_add_agent(s.world, NULL, &s.agent);
    if (is_good) {
        measure(&s); // what lies around is generated
        is_good = run(&s, options, best, &frames);
    }
    if (is_good) {
        jbw_report_begin(options, "view", name);
        jbw_report_figure(options, "world_cpu_us_per_step_alone", 1e6 * best[0]);
        jbw_report_figure(options, "world_cpu_us_per_step_attached", 1e6 * best[1]);
        jbw_report_figure(options, "world_cpu_us_per_step_watched", 1e6 * best[2]);
        jbw_report_figure(options, "attached_cost_percent", 100.0 * (best[1] / best[0] - 1.0));
        jbw_report_figure(options, "watched_cost_percent", 100.0 * (best[2] / best[0] - 1.0));
        jbw_report_figure(options, "frames_per_second", frames);
        jbw_report_end(options);
    }
    jbw_world_destroy(s.world);
    jbw_model_destroy(model);
    jbw_config_free(config);
    return is_good;
}
