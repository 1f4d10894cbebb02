// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

const jbw_bench jbw_benches[] = {
    {"generate", false, jbw_bench_generate,
     "generating patches of both kinds of maps, and the slow twin"},
    {"step", false, jbw_bench_step, "agents that move, see and smell, and the slow twin"},
    {"known", false, jbw_bench_known,
     "a walk through terrain that is there, with and without scent"},
    {"batch", false, jbw_bench_batch, "many worlds at once, on one thread and on two"},
    {"many", false, jbw_bench_many, "4,096 worlds, and how much of the speed of 64 they keep"},
    {"learn", false, jbw_bench_learn, "a life that learns, and the slow twin"},
    {"save", false, jbw_bench_save, "saving, loading and copying a thousand patches"},
#ifdef JBW_NET
    {"net", false, jbw_bench_net, "a served world: one client, many clients, viewers"},
    {"view", false, jbw_bench_view, "a world that browsers watch while its program steps it"},
#endif
    {"lifetime", true, jbw_bench_lifetime, "the speed of steps after ten million steps"},
    {"straight", true, jbw_bench_straight, "ten million steps straight ahead in invariant worlds"},
    {"young", true, jbw_bench_young,
     "young worlds: memory; with --atlas, speed beside known terrain"},
    {"memory", true, jbw_bench_memory, "memory after a million steps straight ahead"},
};
const size_t jbw_bench_count = sizeof jbw_benches / sizeof *jbw_benches;

bool jbw_bench_each(const jbw_bench_options *options, const char *const *worlds, size_t count,
                    bool (*measure)(const char *world, const jbw_bench_options *options))
{
    for (size_t i = 0; i < count; i++) {
        if (options->world && strcmp(options->world, worlds[i]) != 0) continue;
        if (!measure(worlds[i], options)) return false;
    }
    return true;
}

bool jbw_bench_open(const char *world, const jbw_override *overrides, size_t override_count,
                    jbw_config **config, jbw_model **model)
{
    const jbw_world_file_options options = {.overrides = overrides,
                                            .override_count = override_count};
    jbw_error error;
    *config = NULL;
    *model = NULL;
    if (!jbw_world_file_read(world, &options, config, &error) &&
        !jbw_model_create(*config, model, &error))
        return true;
    fprintf(stderr, "jbw bench: %s: %s\n", world, error.text);
    jbw_config_free(*config);
    *config = NULL;
    return false;
}

bool jbw_bench_open_passable(const char *world, const jbw_override *overrides,
                             size_t override_count, jbw_config **config, jbw_model **model)
{
    static jbw_item_type items[JBW_MAX_ITEM_TYPES];
    if (!jbw_bench_open(world, overrides, override_count, config, model)) return false;
    jbw_config passable = **config;
    for (size_t i = 0; i < passable.item_count; i++) {
        items[i] = passable.items[i];
        items[i].blocks_movement = false;
    }
    passable.items = items;
    jbw_model_destroy(*model);
    const jbw_status status = jbw_model_create(&passable, model, NULL);
    if (!status) return true;
    jbw_config_free(*config);
    return jbw_bench_fail(world, status);
}

bool jbw_bench_fail(const char *world, jbw_status status)
{
    fprintf(stderr, "jbw bench: %s: %s\n", world, jbw_status_text(status));
    return false;
}

static double seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double jbw_bench_now(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

double jbw_bench_thread_cpu(void)
{
    return seconds_of(CLOCK_THREAD_CPUTIME_ID);
}

double jbw_bench_process_cpu(void)
{
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

void jbw_bench_keep_least(double *least, double seconds)
{
    if (*least == 0.0 || seconds < *least) *least = seconds;
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

void jbw_bench_sort(double *values, size_t count)
{
    qsort(values, count, sizeof *values, compare_doubles);
}
