// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"

// what a run keeps with its snapshots and recordings; docs/recordings.md lists them
#define NOTE_WORLD "run.world"
#define NOTE_AGENT "run.agent"
#define NOTE_REWARD "run.reward"
#define NOTE_SEED "run.seed"
#define NOTE_POLICY "run.policy"
#define NOTE_LOG "run.log"

enum { PLAIN_NOTES = 4, ALL_NOTES = 6, SEED_SIZE = 24 };

static int fail(const char *what, const char *why)
{
    fprintf(stderr, "jbw run: %s: %s\n", what, why);
    return JBW_EXIT_FAILED;
}

static int fail_usage(const char *what, const char *why)
{
    fail(what, why);
    return JBW_EXIT_USAGE;
}

static int fail_memory(void)
{
    return fail("memory", jbw_status_text(JBW_OUT_OF_MEMORY));
}

static const jbw_model *model_of(const jbw_run *run)
{
    return run->world ? jbw_world_model(run->world) : run->model;
}

// a note as text, or NULL; loaded notes have a zero behind them
static const char *text_of_note(const jbw_run *run, const char *name)
{
    const jbw_note *note = jbw_loaded_note(&run->loaded, name);
    return note ? note->bytes : NULL;
}

// ---- the world ----

static int begin_model(jbw_run *run, const jbw_run_request *request)
{
    const int code = jbw_load_world(request->world, &request->settings, &run->config);
    if (code >= 0) return code;
    jbw_error error = {0};
    if (jbw_model_create(run->config, &run->model, &error)) return fail(request->world, error.text);
    return -1;
}

static int begin_world(jbw_run *run, const jbw_run_request *request)
{
    const jbw_status status = jbw_world_create(run->model, request->seed, &run->world);
    return status ? fail(request->world, jbw_status_text(status)) : -1;
}

static int load_world(jbw_run *run, const jbw_run_request *request)
{
    const jbw_load_options options = {.model = run->model, .memory_budget = request->memory_budget};
    jbw_error error = {0};
    const jbw_status status = jbw_snapshot_read(request->load, &options, &run->loaded, &error);
    if (status) {
        fprintf(stderr, "jbw run: %s\n", error.text);
        return status == JBW_OUT_OF_MEMORY ? JBW_EXIT_FAILED : JBW_EXIT_USAGE;
    }
    if (request->world && run->loaded.model) {
        fprintf(stderr, "jbw run: %s holds another world than %s, or one with other settings\n",
                request->load, request->world);
        return JBW_EXIT_USAGE;
    }
    run->world = run->loaded.world;
    run->loaded.world = NULL;
    const uint64_t seed = jbw_world_seed(run->world);
    if (request->seed != 0 && request->seed != seed) {
        fprintf(stderr, "jbw run: --seed %" PRIu64 ": %s is of seed %" PRIu64 "\n", request->seed,
                request->load, seed);
        return JBW_EXIT_USAGE;
    }
    return -1;
}

static int start_threads(jbw_run *run, const jbw_run_request *request)
{
    const jbw_status status =
        jbw_world_set_generation_threads(run->world, request->generation_threads);
    return status ? fail("--generation-threads", jbw_status_text(status)) : -1;
}

// the one agent that is waited for, or a new one if there is none
static int find_agent(jbw_run *run)
{
    const size_t count = jbw_world_agents(run->world, NULL, 0);
    jbw_agent_id *ids = calloc(count + 1, sizeof *ids);
    if (!ids) return fail_memory();
    jbw_world_agents(run->world, ids, count);
    size_t active_count = 0;
    for (size_t i = 0; i < count; i++) {
        jbw_agent_state state;
        if (jbw_agent_get_state(run->world, ids[i], &state) || !state.is_active) continue;
        run->agent = ids[i];
        active_count++;
    }
    free(ids);
    if (active_count > 1) {
        fprintf(stderr, "jbw run: the world has %zu active agents, expected one at most\n",
                active_count);
        return JBW_EXIT_USAGE;
    }
    if (active_count == 1) return -1;
    const jbw_status status = jbw_world_add_agent(run->world, NULL, &run->agent);
    return status ? fail("the agent", jbw_status_text(status)) : -1;
}

// ---- the task ----

static int open_reward(jbw_run *run, const jbw_run_request *request)
{
    char default_reward[160] = "Zero";
    if (jbw_model_item_type_count(model_of(run)) > 0)
        snprintf(default_reward, sizeof default_reward, "Collect[%s]",
                 jbw_model_item_name(model_of(run), 0));
    const char *saved = text_of_note(run, NOTE_REWARD);
    const char *text = request->reward ? request->reward : saved ? saved : default_reward;

    jbw_error error = {0};
    const jbw_status status =
        jbw_reward_compile(model_of(run), text, NULL, 0, &run->reward, &error);
    if (status == JBW_INVALID_EXPRESSION) {
        fprintf(stderr, "--reward:%d:%d: error: %s\n", error.line, error.column, error.text);
        return JBW_EXIT_USAGE;
    }
    if (status) return fail("--reward", error.text);
    const size_t length = jbw_reward_print(run->reward, NULL, 0);
    run->reward_text = malloc(length + 1);
    if (!run->reward_text) return fail_memory();
    jbw_reward_print(run->reward, run->reward_text, length + 1);
    return -1;
}

static int open_policy(jbw_run *run, const jbw_run_request *request)
{
    const char *saved_name = text_of_note(run, NOTE_AGENT);
    const jbw_note *saved = jbw_loaded_note(&run->loaded, NOTE_POLICY);
    const char *name = request->agent ? request->agent : saved_name ? saved_name : "greedy";
    const bool goes_on = saved && saved_name && strcmp(name, saved_name) == 0;
    jbw_error error = {0};
    const jbw_status status =
        goes_on ? jbw_policy_load(saved->bytes, saved->size, model_of(run), run->reward,
                                  &run->policy, &error)
                : jbw_policy_create(name, model_of(run), run->reward, jbw_world_seed(run->world),
                                    &run->policy, &error);
    if (!status) return -1;
    if (goes_on) return fail_usage(request->load, error.text);
    fprintf(stderr, "jbw run: --agent %s: %s\n", name, error.text);
    return status == JBW_NOT_FOUND || status == JBW_UNSUPPORTED ? JBW_EXIT_USAGE : JBW_EXIT_FAILED;
}

// ---- the log ----

static int load_log(jbw_run *run, const jbw_run_request *request, const jbw_note *saved)
{
    const jbw_status status =
        jbw_run_log_load(&run->log, saved->bytes, saved->size, request->map != NULL);
    if (status == JBW_OUT_OF_MEMORY) return fail_memory();
    if (status) return fail_usage(request->load, "its note " NOTE_LOG " is damaged");
    if (request->window > 0 && request->window != run->log.window) {
        fprintf(stderr, "jbw run: --window %" PRIu64 ": %s has a window of %zu steps\n",
                request->window, request->load, run->log.window);
        return JBW_EXIT_USAGE;
    }
    if (request->every > 0) run->log.interval = request->every;
    return -1;
}

static int begin_log(jbw_run *run, const jbw_run_request *request)
{
    enum { ROWS = 2000, DEFAULT_MOST_WINDOW = 100000 };
    uint64_t window = request->window;
    if (window == 0) window = request->steps / 10;
    if (request->window == 0 && window > DEFAULT_MOST_WINDOW) window = DEFAULT_MOST_WINDOW;
    if (window == 0) window = 1;
    uint64_t every = request->every > 0 ? request->every : request->steps / ROWS;
    if (every == 0) every = 1;
    return jbw_run_log_init(&run->log, every, (size_t)window, request->map != NULL) ? -1
                                                                                    : fail_memory();
}

static int open_log(jbw_run *run, const jbw_run_request *request)
{
    const jbw_note *saved = jbw_loaded_note(&run->loaded, NOTE_LOG);
    const int code = saved ? load_log(run, request, saved) : begin_log(run, request);
    if (code >= 0 || !request->csv) return code;
    const bool is_open = jbw_run_log_open_csv(&run->log, request->csv, request->load != NULL,
                                              jbw_world_time(run->world));
    if (is_open) return -1;
    return fail(request->csv,
                request->load ? "cannot be written, or is no file of --csv" : "cannot be written");
}

// ---- opening and closing ----

static int name_world(jbw_run *run, const jbw_run_request *request)
{
    const char *saved = text_of_note(run, NOTE_WORLD);
    const char *name = request->world ? request->world : saved ? saved : "a snapshot";
    run->world_name = malloc(strlen(name) + 1);
    if (!run->world_name) return fail_memory();
    memcpy(run->world_name, name, strlen(name) + 1);
    return -1;
}

static int open_vision(jbw_run *run)
{
    const size_t side = (size_t)jbw_model_vision_side(model_of(run));
    const size_t colors = (size_t)jbw_model_color_dimensions(model_of(run));
    run->vision = calloc(side * side * colors, sizeof(float));
    return run->vision ? -1 : fail_memory();
}

int jbw_run_open(jbw_run *run, const jbw_run_request *request)
{
    int code = request->world ? begin_model(run, request) : -1;
    if (code < 0) code = request->load ? load_world(run, request) : begin_world(run, request);
    if (code < 0) code = start_threads(run, request);
    if (code < 0) code = name_world(run, request);
    if (code < 0) code = open_reward(run, request);
    if (code < 0) code = open_policy(run, request);
    if (code < 0) code = open_vision(run);
    if (code < 0) code = open_log(run, request);
    if (code < 0) code = find_agent(run);
    return code;
}

void jbw_run_close(jbw_run *run)
{
    jbw_recorder_close(run->recorder, NULL);
    if (run->log.csv) fclose(run->log.csv);
    jbw_run_log_deinit(&run->log);
    free(run->vision);
    free(run->world_name);
    free(run->reward_text);
    jbw_world_destroy(run->world);
    jbw_policy_destroy(run->policy);
    jbw_reward_destroy(run->reward);
    jbw_loaded_free(&run->loaded);
    jbw_model_destroy(run->model);
    jbw_config_free(run->config);
}

// ---- living ----

jbw_status jbw_run_step(jbw_run *run)
{
    const uint64_t time = jbw_world_time(run->world);
    jbw_status status = jbw_agent_perceive(run->world, run->agent, run->vision, NULL);
    if (status) return status;
    const int action = jbw_policy_act(run->policy, time, run->vision);
    status = jbw_agent_act(run->world, run->agent, action, NULL);
    if (status) return status;
    run->steps++;
    jbw_agent_result result;
    jbw_agent_get_result(run->world, run->agent, &result);
    const double reward = jbw_agent_reward(run->world, run->agent, run->reward);
    return jbw_run_log_add(&run->log, reward, result.collected, result.position, time + 1)
               ? JBW_OK
               : JBW_OUT_OF_MEMORY;
}

// ---- saving and recording ----

static jbw_note text_note(const char *name, const char *text)
{
    return (jbw_note){.name = name, .bytes = text, .size = strlen(text)};
}

// what does not change while it runs: PLAIN_NOTES of them
static void make_plain_notes(const jbw_run *run, char seed[SEED_SIZE], jbw_note *out)
{
    snprintf(seed, SEED_SIZE, "%" PRIu64, jbw_world_seed(run->world));
    out[0] = text_note(NOTE_WORLD, run->world_name);
    out[1] = text_note(NOTE_AGENT, jbw_policy_get_name(run->policy));
    out[2] = text_note(NOTE_REWARD, run->reward_text);
    out[3] = text_note(NOTE_SEED, seed);
}

bool jbw_run_save(jbw_run *run, const char *path)
{
    char seed[SEED_SIZE];
    jbw_note notes[ALL_NOTES];
    jbw_buffer policy = {0};
    jbw_buffer log = {0};
    jbw_error error = {0};
    make_plain_notes(run, seed, notes);
    jbw_status status = jbw_policy_save(run->policy, &policy);
    if (!status && !jbw_run_log_save(&run->log, &log)) status = JBW_OUT_OF_MEMORY;
    if (status) snprintf(error.text, sizeof error.text, "%s", jbw_status_text(status));
    if (run->log.csv) fflush(run->log.csv); // rows up to here are not made again
    if (!status) {
        notes[4] = (jbw_note){NOTE_POLICY, policy.bytes, policy.size};
        notes[5] = (jbw_note){NOTE_LOG, log.bytes, log.size};
        status = jbw_snapshot_write(run->world, notes, ALL_NOTES, path, &error);
    }
    jbw_buffer_free(&policy);
    jbw_buffer_free(&log);
    run->has_save_failed = status != JBW_OK;
    if (status)
        fprintf(stderr, "jbw run: not saved at time %" PRIu64 ": %s\n", jbw_world_time(run->world),
                error.text);
    return status == JBW_OK;
}

int jbw_run_record(jbw_run *run, const jbw_run_request *request)
{
    enum { FLUSH_EVERY = 10000 }; // a fraction of a second
    char seed[SEED_SIZE];
    jbw_note notes[PLAIN_NOTES];
    make_plain_notes(run, seed, notes);
    const jbw_recorder_options options = {
        .flush_every = FLUSH_EVERY, .notes = notes, .note_count = PLAIN_NOTES};
    jbw_error error = {0};
    const bool goes_on = request->load && !request->is_forced && access(request->record, F_OK) == 0;
    const jbw_status status =
        goes_on ? jbw_recorder_append(run->world, request->record, &options, &run->recorder, &error)
                : jbw_recorder_create(run->world, request->record, request->is_forced, &options,
                                      &run->recorder, &error);
    if (!status) return -1;
    fprintf(stderr, "jbw run: %s\n", error.text);
    return status == JBW_INVALID_ARGUMENT || status == JBW_INVALID_DATA ? JBW_EXIT_USAGE
                                                                        : JBW_EXIT_FAILED;
}
