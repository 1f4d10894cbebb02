// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The results of a run: a summary, a plot, a map.

#include <inttypes.h>
#include <stdio.h>

#include "bounds.h"
#include "run.h"
#include "verb.h"

void jbw_run_print(const jbw_run *run, bool is_interrupted)
{
    const jbw_run_log *log = &run->log;
    const jbw_model *model = jbw_world_model(run->world);
    const jbw_world_stats stats = jbw_world_get_stats(run->world);
    jbw_agent_state state;
    jbw_agent_get_state(run->world, run->agent, &state);
    printf("%s in %s, seed %" PRIu64 "%s\n", jbw_policy_get_name(run->policy), run->world_name,
           jbw_world_seed(run->world), is_interrupted ? ", interrupted" : "");
    printf("  reward         %s\n", run->reward_text);
    printf("  steps          %" PRIu64 " in %.1f s, %.0f per second\n", run->steps, run->seconds,
           run->seconds > 0.0 ? (double)run->steps / run->seconds : 0.0);
    printf("  time           %" PRIu64 "\n", jbw_world_time(run->world));
    printf("  total reward   %.6g, %.6g per step\n", log->total,
           log->steps > 0 ? log->total / (double)log->steps : 0.0);
    printf("  reward rate    %.6g over the last %zu steps\n", jbw_run_log_rate(log), log->filled);
    printf("  collected     ");
    for (int t = 0; t < jbw_model_item_type_count(model); t++)
        if (log->collected[t] > 0)
            printf(" %s %" PRIu64, jbw_model_item_name(model, t), log->collected[t]);
    printf("\n  position       (%" PRId64 ", %" PRId64 ")\n", state.position.x, state.position.y);
    printf("  map            %" PRIu64 " patches, %" PRIu64 " final, %.1f MB\n", stats.patch_count,
           stats.final_patch_count, (double)stats.map_bytes / 1e6);
    printf("  hash           %016" PRIx64 "\n", jbw_world_hash(run->world));
    jbw_policy_metric updates;
    if (jbw_policy_is_learner(run->policy) && jbw_policy_get_metric(run->policy, 0, &updates))
        printf("  weights        %016" PRIx64 " after %.0f updates, learner version %d\n",
               jbw_policy_hash(run->policy), updates.value, JBW_LEARNER_VERSION);
}

static bool fail(const char *option, const char *reason)
{
    jbw_verb_fail("run", "%s: %s", option, reason);
    return false;
}

static bool write_plot(const jbw_run *run, const char *path)
{
    char title[200];
    snprintf(title, sizeof title, "%s in %s, seed %" PRIu64, jbw_policy_get_name(run->policy),
             run->world_name, jbw_world_seed(run->world));
    char label[64];
    snprintf(label, sizeof label, "reward rate, %zu-step window", run->log.window);
    const jbw_plot_series series = {.name = run->reward_text,
                                    .x = run->log.times,
                                    .y = run->log.rates,
                                    .count = run->log.point_count,
                                    .color = {31, 102, 178}};
    const jbw_plot plot = {
        .title = title, .x_label = "step", .y_label = label, .series = &series, .series_count = 1};
    jbw_error error = {0};
    if (jbw_plot_write_png(&plot, path, &error)) return fail("--plot", error.text);
    printf("  plot           %s\n", path);
    return true;
}

// the cells that the agent went through
static jbw_region region_of_path(const jbw_run *run)
{
    enum { MARGIN = 16, MAX_SIDE = 2048 };
    const bool is_resumed = run->steps < run->log.steps;
    jbw_bounds bounds = {0};
    if (!is_resumed) jbw_bounds_add(&bounds, (jbw_position){0, 0}); // where it started
    for (size_t i = 0; i < run->log.path_count; i++) jbw_bounds_add(&bounds, run->log.path[i]);
    return jbw_bounds_region(&bounds, MARGIN, MAX_SIDE);
}

static bool write_map(const jbw_run *run, const char *path)
{
    const jbw_region region = region_of_path(run);
    const int64_t longer = region.width > region.height ? region.width : region.height;
    const jbw_picture_options options = {.scale = longer <= 512    ? 3
                                                  : longer <= 1024 ? 2
                                                                   : 1,
                                         .path = run->log.path,
                                         .path_count = run->log.path_count};
    jbw_error error = {0};
    if (jbw_picture_write_png(run->world, region, &options, path, &error))
        return fail("--map", error.text);
    printf("  map picture    %s\n", path);
    return true;
}

bool jbw_run_draw(const jbw_run *run, const jbw_run_request *request)
{
    bool is_good = true;
    if (request->plot && !write_plot(run, request->plot)) is_good = false;
    if (request->map && !write_map(run, request->map)) is_good = false;
    return is_good;
}
