// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "bench.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

const jbw_bench jbw_benches[] = {
    {"generate", false, jbw_bench_generate, "making new patches on a straight walk"},
    {"step", false, jbw_bench_step, "agents that move, see and smell"},
    {"batch", false, jbw_bench_batch, "many worlds at once, with one thread and two"},
    {"save", false, jbw_bench_save, "saving, reading and copying a thousand patches"},
#ifdef JBW_HAS_NET
    {"net", false, jbw_bench_net, "a world that is served: turns, crowds and viewers"},
    {"view", false, jbw_bench_view, "a world of one's own that others may watch"},
#endif
    {"lifetime", true, jbw_bench_lifetime, "the same after ten million steps lived"},
    {"straight", true, jbw_bench_straight, "ten million steps straight on in an invariant world"},
    {"memory", true, jbw_bench_memory, "a long straight walk, and what it leaves in memory"},
};
const size_t jbw_bench_count = sizeof jbw_benches / sizeof *jbw_benches;

double jbw_bench_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

bool jbw_bench_open(const char *world, jbw_config **config, jbw_model **model)
{
    jbw_error error;
    *config = NULL;
    *model = NULL;
    if (!jbw_world_file_read(world, NULL, config, &error) &&
        !jbw_model_create(*config, model, &error))
        return true;
    fprintf(stderr, "jbw bench: %s: %s\n", world, error.text);
    jbw_config_free(*config);
    return false;
}

void jbw_report_begin(const jbw_bench_options *options, const char *bench, const char *world)
{
    if (options->is_json)
        printf("{\"bench\": \"%s\", \"world\": \"%s\"", bench, world);
    else
        printf("%s, %s\n", bench, world);
}

void jbw_report_figure(const jbw_bench_options *options, const char *name, double value)
{
    if (options->is_json) {
        printf(", \"%s\": %.6g", name, value);
        return;
    }
    const int decimals = fabs(value) >= 100.0 || value == floor(value) ? 0
                         : fabs(value) >= 1                            ? 1
                                                                       : 3;
    printf("    %-28s %15.*f\n", name, decimals, value);
}

void jbw_report_text(const jbw_bench_options *options, const char *name, const char *text)
{
    if (options->is_json)
        printf(", \"%s\": \"%s\"", name, text);
    else
        printf("    %-28s %15s\n", name, text);
}

void jbw_report_end(const jbw_bench_options *options)
{
    if (options->is_json) printf("}");
    printf("\n");
    fflush(stdout);
}
