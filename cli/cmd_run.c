// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "jbw/jbw.h"
#include "options.h"
#include "progress.h"
#include "run_log.h"

/// What the command line asks for.
typedef struct request {
    const char *world;
    const char *agent;
    const char *reward;
    const char *csv;
    const char *plot;
    const char *map;
    uint64_t seed;
    uint64_t steps;
    uint64_t window;
    jbw_settings settings;
} request;

/// An agent in a world, under a reward.
typedef struct run {
    jbw_config *config;
    jbw_model *model;
    jbw_reward *reward;
    jbw_policy *policy;
    jbw_world *world;
    jbw_agent_id agent;
    float *vision;
    jbw_run_log log;
    double seconds;
} run;

static volatile sig_atomic_t is_interrupted;

static void interrupt(int signal_number)
{
    (void)signal_number;
    is_interrupted = 1;
}

static int fail(const char *what, const char *why)
{
    fprintf(stderr, "jbw run: %s: %s\n", what, why);
    return JBW_EXIT_FAILED;
}

// a reward, an agent: wrong names and expressions are bad usage
static int open_task(run *r, const request *q)
{
    jbw_error error = {0};
    jbw_status status = jbw_reward_compile(r->model, q->reward, NULL, 0, &r->reward, &error);
    if (status == JBW_INVALID_EXPRESSION) {
        fprintf(stderr, "--reward:%d:%d: error: %s\n", error.line, error.column, error.text);
        return JBW_EXIT_USAGE;
    }
    if (status) return fail("--reward", error.text);
    status = jbw_policy_create(q->agent, r->model, r->reward, q->seed, &r->policy, &error);
    if (status == JBW_NOT_FOUND || status == JBW_UNSUPPORTED) {
        fprintf(stderr, "jbw run: --agent %s: %s\n", q->agent, error.text);
        return JBW_EXIT_USAGE;
    }
    return status ? fail("--agent", error.text) : -1;
}

static int open_run(run *r, const request *q)
{
    int code = jbw_load_world(q->world, &q->settings, &r->config);
    if (code >= 0) return code;
    jbw_error error = {0};
    if (jbw_model_create(r->config, &r->model, &error)) return fail(q->world, error.text);
    code = open_task(r, q);
    if (code >= 0) return code;

    const size_t side = (size_t)jbw_model_vision_side(r->model);
    r->vision = calloc(side * side * (size_t)jbw_model_color_dimensions(r->model), sizeof(float));
    if (!r->vision || !jbw_run_log_init(&r->log, q->steps, (size_t)q->window, q->map != NULL))
        return fail("memory", jbw_status_text(JBW_OUT_OF_MEMORY));
    if (q->csv) {
        r->log.csv = fopen(q->csv, "w");
        if (!r->log.csv) return fail(q->csv, "cannot be written");
        fprintf(r->log.csv, "time,reward_rate,total_reward\n");
    }
    jbw_status status = jbw_world_create(r->model, q->seed, &r->world);
    if (!status) status = jbw_world_add_agent(r->world, NULL, &r->agent);
    return status ? fail(q->world, jbw_status_text(status)) : -1;
}

static void close_run(run *r)
{
    if (r->log.csv) fclose(r->log.csv);
    jbw_run_log_deinit(&r->log);
    free(r->vision);
    jbw_world_destroy(r->world);
    jbw_policy_destroy(r->policy);
    jbw_reward_destroy(r->reward);
    jbw_model_destroy(r->model);
    jbw_config_free(r->config);
}

static jbw_status take_step(run *r)
{
    const uint64_t time = jbw_world_time(r->world);
    jbw_status status = jbw_agent_perceive(r->world, r->agent, r->vision, NULL);
    if (status) return status;
    const int action = jbw_policy_act(r->policy, time, r->vision);
    status = jbw_agent_act(r->world, r->agent, action, NULL);
    if (status) return status;
    jbw_agent_result result;
    jbw_agent_get_result(r->world, r->agent, &result);
    const double reward = jbw_agent_reward(r->world, r->agent, r->reward);
    return jbw_run_log_add(&r->log, reward, result.collected, result.position, time + 1)
               ? JBW_OK
               : JBW_OUT_OF_MEMORY;
}

static void show_progress(run *r, jbw_progress *progress, uint64_t done)
{
    if (!progress->is_shown) return;
    char in_force[80];
    jbw_reward_print_at(r->reward, jbw_world_time(r->world), in_force, sizeof in_force);
    snprintf(progress->note, sizeof progress->note, "%.0f steps/s, reward rate %.4f, %s",
             jbw_progress_rate(progress, done), jbw_run_log_rate(&r->log), in_force);
    jbw_progress_update(progress, done);
}

static int live(run *r, uint64_t steps)
{
    enum { STEPS_BETWEEN_LOOKS = 1024 };
    signal(SIGINT, interrupt);
    signal(SIGTERM, interrupt);
    jbw_progress progress;
    jbw_progress_begin(&progress, "running", steps);
    const double start = jbw_progress_now();
    jbw_status status = JBW_OK;
    for (uint64_t i = 0; i < steps && !status && !is_interrupted; i++) {
        status = take_step(r);
        if (i % STEPS_BETWEEN_LOOKS == 0) show_progress(r, &progress, i);
    }
    r->seconds = jbw_progress_now() - start;
    jbw_progress_end(&progress);
    return status ? fail("step", jbw_status_text(status)) : JBW_EXIT_GOOD;
}

static void print_summary(const run *r, const request *q)
{
    const jbw_run_log *log = &r->log;
    const jbw_world_stats stats = jbw_world_get_stats(r->world);
    jbw_agent_state state;
    jbw_agent_get_state(r->world, r->agent, &state);
    char text[400];
    jbw_reward_print(r->reward, text, sizeof text);
    printf("%s in %s, seed %" PRIu64 "%s\n", q->agent, q->world, q->seed,
           is_interrupted ? ", interrupted" : "");
    printf("  reward         %s\n", text);
    printf("  steps          %" PRIu64 " in %.1f s, %.0f per second\n", log->steps, r->seconds,
           r->seconds > 0.0 ? (double)log->steps / r->seconds : 0.0);
    printf("  total reward   %.6g, %.6g per step\n", log->total,
           log->steps > 0 ? log->total / (double)log->steps : 0.0);
    printf("  reward rate    %.6g over the last %zu steps\n", jbw_run_log_rate(log), log->filled);
    printf("  collected     ");
    for (int t = 0; t < jbw_model_item_type_count(r->model); t++)
        if (log->collected[t] > 0)
            printf(" %s %" PRIu64, jbw_model_item_name(r->model, t), log->collected[t]);
    printf("\n  position       (%" PRId64 ", %" PRId64 ")\n", state.position.x, state.position.y);
    printf("  map            %" PRIu64 " patches, %" PRIu64 " final, %.1f MB\n", stats.patch_count,
           stats.final_patch_count, (double)stats.map_bytes / 1e6);
    printf("  hash           %016" PRIx64 "\n", jbw_world_hash(r->world));
}

static int write_plot(const run *r, const request *q)
{
    char title[200];
    snprintf(title, sizeof title, "%s in %s, seed %" PRIu64, q->agent, q->world, q->seed);
    char label[64];
    snprintf(label, sizeof label, "reward rate, %" PRIu64 "-step window", q->window);
    const jbw_plot_series series = {.name = q->reward,
                                    .x = r->log.times,
                                    .y = r->log.rates,
                                    .count = r->log.point_count,
                                    .color = {31, 102, 178}};
    const jbw_plot plot = {
        .title = title, .x_label = "step", .y_label = label, .series = &series, .series_count = 1};
    jbw_error error = {0};
    if (jbw_plot_write_png(&plot, q->plot, &error)) return fail(q->plot, error.text);
    printf("  plot           %s\n", q->plot);
    return JBW_EXIT_GOOD;
}

// the square around where the agent went, at most so large that it can be looked at
static jbw_region region_of_path(const run *r)
{
    enum { MARGIN = 16, MOST = 2048 };
    jbw_position low = {0, 0};
    jbw_position high = {0, 0};
    for (size_t i = 0; i < r->log.path_count; i++) {
        const jbw_position p = r->log.path[i];
        if (p.x < low.x) low.x = p.x;
        if (p.y < low.y) low.y = p.y;
        if (p.x > high.x) high.x = p.x;
        if (p.y > high.y) high.y = p.y;
    }
    int64_t width = high.x - low.x + 2 * MARGIN;
    int64_t height = high.y - low.y + 2 * MARGIN;
    if (width > MOST) width = MOST;
    if (height > MOST) height = MOST;
    return (jbw_region){(low.x + high.x - width) / 2, (low.y + high.y - height) / 2, width, height};
}

static int write_map(const run *r, const request *q)
{
    const jbw_region region = region_of_path(r);
    const int64_t longer = region.width > region.height ? region.width : region.height;
    const jbw_picture_options options = {.scale = longer <= 512    ? 3
                                                  : longer <= 1024 ? 2
                                                                   : 1,
                                         .path = r->log.path,
                                         .path_count = r->log.path_count};
    jbw_error error = {0};
    if (jbw_picture_write_png(r->world, region, &options, q->map, &error))
        return fail(q->map, error.text);
    printf("  map picture    %s\n", q->map);
    return JBW_EXIT_GOOD;
}

static int finish(run *r, const request *q)
{
    print_summary(r, q);
    int code = JBW_EXIT_GOOD;
    if (r->log.csv) {
        FILE *csv = r->log.csv;
        r->log.csv = NULL;
        const bool is_bad = ferror(csv) != 0;
        if (fclose(csv) != 0 || is_bad) code = fail(q->csv, "cannot be written");
    }
    if (q->plot && write_plot(r, q) != JBW_EXIT_GOOD) code = JBW_EXIT_FAILED;
    if (q->map && write_map(r, q) != JBW_EXIT_GOOD) code = JBW_EXIT_FAILED;
    return code;
}

int jbw_cmd_run(int argc, char **argv)
{
    request q = {.agent = "greedy", .steps = 1000000};
    const jbw_option options[] = {
        {"--agent", JBW_OPTION_TEXT, &q.agent, "NAME", "greedy, random or forward (greedy)"},
        {"--reward", JBW_OPTION_TEXT, &q.reward, "EXPR",
         "such as 'Collect[JellyBean] & Avoid[Onion]'; by default collecting the first item"},
        {"--steps", JBW_OPTION_SEED, &q.steps, "N", "how many steps (1000000)"},
        {"--seed", JBW_OPTION_SEED, &q.seed, "S", "the seed of world and agent (0)"},
        {"--window", JBW_OPTION_SEED, &q.window, "N",
         "steps that the reward rate is taken over (a tenth of the steps, at most 100000)"},
        {"--csv", JBW_OPTION_TEXT, &q.csv, "FILE", "write the reward rate as it goes"},
        {"--plot", JBW_OPTION_TEXT, &q.plot, "FILE", "draw it into a PNG file"},
        {"--map", JBW_OPTION_TEXT, &q.map, "FILE", "draw map and path into a PNG file"},
        jbw_option_set(&q.settings),
    };
    jbw_command_line line = {
        .verb = "run",
        .usage = "WORLD [OPTIONS]",
        .purpose = "Lets an agent live in a world under a reward, and tells how it fared. An\n"
                   "interrupt ends the run early, with everything that was learned until then.\n",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .least_arguments = 1,
        .most_arguments = 1,
        .arguments = &q.world,
    };
    const int code = jbw_command_line_parse(&line, argc, argv);
    if (code >= 0) return code;
    if (q.window == 0) q.window = q.steps / 10 < 100000 ? q.steps / 10 : 100000;
    if (q.window == 0) q.window = 1;
    if (q.window > 100000000) {
        fprintf(stderr, "jbw run: --window: expected at most 100000000\n");
        return JBW_EXIT_USAGE;
    }

    run r = {0};
    char default_reward[160];
    int result = -1;
    if (!q.reward) {
        jbw_config *config = NULL;
        result = jbw_load_world(q.world, &q.settings, &config);
        if (result < 0 && config->item_count > 0)
            snprintf(default_reward, sizeof default_reward, "Collect[%s]", config->items[0].name);
        else
            snprintf(default_reward, sizeof default_reward, "Zero");
        q.reward = default_reward;
        jbw_config_free(config);
    }
    if (result < 0) result = open_run(&r, &q);
    if (result < 0) {
        result = live(&r, q.steps);
        const int finished = finish(&r, &q);
        if (result == JBW_EXIT_GOOD) result = finished;
    }
    close_run(&r);
    return result;
}
