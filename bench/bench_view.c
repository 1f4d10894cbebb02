// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// A world that a program steps while browsers may watch, as with world.view() in Python: what that
// costs the stepping thread per step, with no page open and with one.

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "bench.h"
#include "jbw/agent.h"
#include "jbw/client.h"
#include "jbw/server.h"

enum {
    STEPS = 1000000,  // per measurement, which lasts a few frames
    MEASUREMENTS = 4, // per repeat
    FRAMES = 30,      // per second
    AROUND = 128,     // cells that the page sees in each direction
    SQUARE = 12,      // side of the square in which the agent walks, where all is generated
};

/// How the world is stepped.
typedef enum way {
    WAY_ALONE,
    WAY_ATTACHED, // to a server
    WAY_WATCHED,  // by one page
    WAY_COUNT,
} way;

typedef struct stage {
    jbw_world *world;
    jbw_agent_id agent;
    jbw_server *server;
    jbw_client *page;
    pthread_t thread;
    atomic_bool is_over;
    atomic_ullong frame_count;
} stage;

static void publish(jbw_world *world, void *user)
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

// processor time of this thread, in seconds per step
static double measure(const stage *s)
{
    enum { FORWARD, LEFT };
    const double start = jbw_bench_thread_cpu();
    for (int i = 0; i < STEPS; i++)
        jbw_agent_act(s->world, s->agent, i % SQUARE == SQUARE - 1 ? LEFT : FORWARD, NULL);
    return (jbw_bench_thread_cpu() - start) / STEPS;
}

static bool start(stage *s, way how)
{
    const jbw_server_options view = {.frame_rate = FRAMES};
    jbw_error error = {0};
    s->is_over = false;
    s->frame_count = 0;
    if (how == WAY_ALONE) return true;
    if (jbw_server_attach(s->world, &view, &s->server, &error)) {
        fprintf(stderr, "jbw bench: %s\n", error.text);
        return false;
    }
    jbw_world_on_step(s->world, publish, s->server);
    if (how == WAY_ATTACHED || open_page(s)) return true;
    fprintf(stderr, "jbw bench: no connection to the server\n");
    return false;
}

static void stop(stage *s, way how)
{
    if (how == WAY_WATCHED) {
        s->is_over = true;
        pthread_join(s->thread, NULL);
        jbw_client_close(s->page);
        s->page = NULL;
    }
    jbw_world_on_step(s->world, NULL, NULL);
    jbw_server_destroy(s->server);
    s->server = NULL;
}

static bool run(stage *s, int repeats, double best[WAY_COUNT], double *frame_rate)
{
    for (int i = 0; i < MEASUREMENTS * repeats; i++) {
        // in turn, so that noise on the machine affects all of them
        for (way how = WAY_ALONE; how < WAY_COUNT; how++) {
            if (!start(s, how)) return false;
            const double begin = jbw_bench_now();
            jbw_bench_keep_least(&best[how], measure(s));
            const double seconds = jbw_bench_now() - begin;
            stop(s, how);
            const double frames_per_second = (double)s->frame_count / seconds;
            if (frames_per_second > *frame_rate) *frame_rate = frames_per_second;
        }
    }
    return true;
}

static void report_view(jbw_report *report, const char *world, const double best[WAY_COUNT],
                        double frame_rate)
{
    const double alone = best[WAY_ALONE];
    const double attached = best[WAY_ATTACHED];
    const double watched = best[WAY_WATCHED];
    jbw_report_begin(report, "view", world);
    jbw_report_figure(report, "world_cpu_us_per_step_alone", 1e6 * alone);
    jbw_report_figure(report, "world_cpu_us_per_step_attached", 1e6 * attached);
    jbw_report_figure(report, "world_cpu_us_per_step_watched", 1e6 * watched);
    jbw_report_figure(report, "attached_cost_percent", 100.0 * (attached / alone - 1.0));
    jbw_report_figure(report, "watched_cost_percent", 100.0 * (watched / alone - 1.0));
    jbw_report_figure(report, "frames_per_second", frame_rate);
    jbw_report_end(report);
}

bool jbw_bench_view(const jbw_bench_options *options)
{
    const char *name = options->world ? options->world : "paper-code";
    jbw_config *config;
    jbw_model *model;
    stage s = {0};
    if (!jbw_bench_open(name, NULL, 0, &config, &model)) return false;
    double best[WAY_COUNT] = {0};
    double frame_rate = 0.0;
    bool is_good = !jbw_world_create(model, options->seed, &s.world) &&
                   !jbw_world_add_agent(s.world, NULL, &s.agent);
    if (is_good) {
        measure(&s); // generates the surroundings
        is_good = run(&s, options->repeats, best, &frame_rate);
    }
    if (is_good) report_view(options->report, name, best, frame_rate);
    jbw_client_close(s.page); // of a start that failed
    jbw_server_destroy(s.server);
    jbw_world_destroy(s.world);
    jbw_model_destroy(model);
    jbw_config_free(config);
    return is_good;
}
