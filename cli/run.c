// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "run.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "agents_reward.h"

enum { MAX_NOTES = 7, SEED_SIZE = 24, SETTINGS_SIZE = 2000, MAX_SETTINGS = 64 };

static const char verb[] = "run";

static jbw_verb_status fail_memory(void)
{
    return jbw_verb_fail(verb, "%s", jbw_status_text(JBW_OUT_OF_MEMORY));
}

// the text of a note, or NULL; loaded notes end in a zero
static const char *text_of_note(const jbw_run *run, const char *name)
{
    const jbw_note *note = jbw_loaded_note(&run->source.loaded, name);
    return note ? note->bytes : NULL;
}

// ---- the world ----

static jbw_verb_status load_world(jbw_world_source *source, const jbw_run_request *request)
{
    source->memory_limit = request->memory_limit;
    const jbw_verb_status status =
        jbw_world_source_load(source, verb, request->load, request->memory_budget);
    if (status) return status;
    if (request->world && source->loaded.model)
        return jbw_verb_reject(verb, "%s holds a different world than %s, or different settings",
                               request->load, request->world);
    const uint64_t seed = jbw_world_seed(source->world);
    if (request->seed != 0 && request->seed != seed)
        return jbw_verb_reject(verb, "--seed %" PRIu64 ": %s has seed %" PRIu64, request->seed,
                               request->load, seed);
    return JBW_VERB_OK;
}

static jbw_verb_status open_world(jbw_run *run, const jbw_run_request *request)
{
    jbw_world_source *source = &run->source;
    jbw_verb_status status = JBW_VERB_OK;
    if (request->world) status = jbw_world_source_read(source, request->world, &request->settings);
    if (!status)
        status = request->load ? load_world(source, request)
                               : jbw_world_source_create(source, verb, request->seed);
    if (status) return status;
    run->world = source->world;
    status = jbw_atlas_request_attach(&request->atlas, verb, run->world);
    if (status) return status;
    return jbw_start_generation_threads(run->world, verb, request->generation_threads);
}

static jbw_verb_status name_world(jbw_run *run, const jbw_run_request *request)
{
    const char *saved = text_of_note(run, JBW_RUN_NOTE_WORLD);
    const char *name = request->world ? request->world : saved ? saved : "a snapshot";
    run->world_name = malloc(strlen(name) + 1);
    if (!run->world_name) return fail_memory();
    memcpy(run->world_name, name, strlen(name) + 1);
    return JBW_VERB_OK;
}

// ---- the agent ----

// the one active agent, or a new one if there is none
static jbw_verb_status find_agent(jbw_run *run)
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
    if (active_count > 1)
        return jbw_verb_reject(verb, "the world has %zu active agents, expected at most one",
                               active_count);
    if (active_count == 1) return JBW_VERB_OK;
    const jbw_status status = jbw_world_add_agent(run->world, NULL, &run->agent);
    if (status) return jbw_verb_fail(verb, "the agent: %s", jbw_status_text(status));
    return JBW_VERB_OK;
}

static jbw_verb_status open_reward(jbw_run *run, const jbw_run_request *request)
{
    const char *saved = text_of_note(run, JBW_RUN_NOTE_REWARD);
    return jbw_reward_for_agents(verb, jbw_world_model(run->world),
                                 request->reward ? request->reward : saved, &run->reward,
                                 &run->reward_text);
}

bool jbw_run_print_settings(const jbw_policy *policy, char *out, size_t capacity)
{
    size_t used = 0;
    char value[64];
    jbw_policy_setting_info info;
    for (size_t i = 0; jbw_policy_describe_setting(jbw_policy_get_name(policy), i, &info); i++) {
        if (!info.is_saved) continue;
        jbw_policy_get_setting(policy, i, value, sizeof value);
        used += (size_t)snprintf(out + used, capacity - used, "%s%s=%s", used > 0 ? " " : "",
                                 info.name, value);
        if (used >= capacity) return false;
    }
    return used > 0;
}

size_t jbw_run_read_settings(char *text, jbw_policy_setting *out, size_t capacity)
{
    size_t count = 0;
    for (char *at = text; *at != '\0' && count < capacity; count++) {
        char *end = at + strcspn(at, " ");
        char *equals = memchr(at, '=', (size_t)(end - at));
        if (!equals) break;
        *equals = '\0';
        out[count] = (jbw_policy_setting){at, equals + 1};
        at = end;
        if (*at == ' ') *at++ = '\0';
    }
    return count;
}

// whether all settings that are given are of this process alone
static bool are_local(const char *policy_name, const jbw_settings *given)
{
    size_t count = 0;
    jbw_policy_setting_info info;
    for (size_t i = 0; jbw_policy_describe_setting(policy_name, i, &info); i++)
        for (size_t k = 0; k < given->count && !info.is_saved; k++)
            if (strcmp(given->overrides[k].key, info.name) == 0) count++;
    return count == given->count;
}

// with the settings that are given, or else those that the recording of a run has
static jbw_status create_policy(jbw_run *run, const char *name, const jbw_settings *given,
                                jbw_error *error)
{
    jbw_policy_setting settings[MAX_SETTINGS + sizeof given->overrides / sizeof *given->overrides];
    size_t count = 0;
    char text[SETTINGS_SIZE] = "";
    const char *saved_name = text_of_note(run, JBW_RUN_NOTE_AGENT);
    const char *saved = text_of_note(run, JBW_RUN_NOTE_SETTINGS);
    if (are_local(name, given) && saved && saved_name && strcmp(saved_name, name) == 0) {
        snprintf(text, sizeof text, "%s", saved);
        count = jbw_run_read_settings(text, settings, MAX_SETTINGS);
    }
    for (size_t i = 0; i < given->count; i++)
        settings[count++] =
            (jbw_policy_setting){given->overrides[i].key, given->overrides[i].value};
    const jbw_policy_options options = {.reward = run->reward,
                                        .seed = jbw_world_seed(run->world),
                                        .settings = settings,
                                        .setting_count = count};
    return jbw_policy_create(name, jbw_world_model(run->world), &options, &run->policy, error);
}

// the saved one; what is given is of this process
static jbw_status load_policy(jbw_run *run, const jbw_note *saved, const jbw_settings *given,
                              jbw_error *error)
{
    jbw_status status = jbw_policy_load(saved->bytes, saved->size, jbw_world_model(run->world),
                                        run->reward, &run->policy, error);
    for (size_t i = 0; i < given->count && !status; i++)
        status = jbw_policy_change_setting(
            run->policy, &(jbw_policy_setting){given->overrides[i].key, given->overrides[i].value},
            error);
    return status;
}

static jbw_verb_status open_policy(jbw_run *run, const jbw_run_request *request)
{
    const char *saved_name = text_of_note(run, JBW_RUN_NOTE_AGENT);
    const jbw_note *saved = jbw_loaded_note(&run->source.loaded, JBW_RUN_NOTE_POLICY);
    const char *name = request->agent ? request->agent : saved_name ? saved_name : "greedy";
    const bool resumes = saved && saved_name && strcmp(name, saved_name) == 0;
    if (resumes && !are_local(name, &request->agent_settings))
        return jbw_verb_reject(verb, "--agent-set: %s holds an agent with settings of its own",
                               request->load);
    jbw_error error = {0};
    const jbw_status status = resumes ? load_policy(run, saved, &request->agent_settings, &error)
                                      : create_policy(run, name, &request->agent_settings, &error);
    jbw_loaded_drop_note(&run->source.loaded, JBW_RUN_NOTE_POLICY); // a learner's is large
    if (!status && jbw_policy_agent_count(run->policy) != 1)
        return jbw_verb_reject(verb, "--agent-set: worlds: found %zu, but there is one world",
                               jbw_policy_agent_count(run->policy));
    if (!status) return JBW_VERB_OK;
    if (status == JBW_INVALID_ARGUMENT) return jbw_verb_reject(verb, "--agent-set: %s", error.text);
    if (resumes && status != JBW_OUT_OF_MEMORY)
        return jbw_verb_reject(verb, "%s: %s", request->load, error.text);
    if (status == JBW_NOT_FOUND || status == JBW_UNSUPPORTED)
        return jbw_verb_reject(verb, "--agent %s: %s", name, error.text);
    return jbw_verb_fail(verb, "--agent %s: %s", name, error.text);
}

// ---- the log ----

static jbw_verb_status load_log(jbw_run *run, const jbw_run_request *request, const jbw_note *saved)
{
    const jbw_status status =
        jbw_run_log_load(&run->log, saved->bytes, saved->size, request->map != NULL);
    if (status == JBW_OUT_OF_MEMORY) return fail_memory();
    if (status)
        return jbw_verb_reject(verb, "%s: its note " JBW_RUN_NOTE_LOG " is damaged", request->load);
    if (request->window > 0 && request->window != run->log.window)
        return jbw_verb_reject(verb, "--window %" PRIu64 ": %s has a window of %zu steps",
                               request->window, request->load, run->log.window);
    if (request->every > 0) run->log.interval = request->every;
    return JBW_VERB_OK;
}

static jbw_verb_status start_log(jbw_run *run, const jbw_run_request *request)
{
    enum { ROWS = 2000, MAX_DEFAULT_WINDOW = 100000 };
    uint64_t window = request->window;
    if (window == 0) window = request->steps / 10;
    if (request->window == 0 && window > MAX_DEFAULT_WINDOW) window = MAX_DEFAULT_WINDOW;
    if (window == 0) window = 1;
    uint64_t every = request->every > 0 ? request->every : request->steps / ROWS;
    if (every == 0) every = 1;
    const bool has_path = request->map != NULL;
    return jbw_run_log_init(&run->log, every, (size_t)window, has_path) ? JBW_VERB_OK
                                                                        : fail_memory();
}

static jbw_verb_status open_log(jbw_run *run, const jbw_run_request *request)
{
    const jbw_note *saved = jbw_loaded_note(&run->source.loaded, JBW_RUN_NOTE_LOG);
    const jbw_verb_status status = saved ? load_log(run, request, saved) : start_log(run, request);
    if (status || !request->csv) return status;
    const bool is_open = jbw_run_log_open_csv(&run->log, request->csv, request->load != NULL,
                                              jbw_world_time(run->world));
    if (is_open) return JBW_VERB_OK;
    return jbw_verb_fail(verb, "%s: cannot be written%s", request->csv,
                         request->load ? ", or was not written by --csv" : "");
}

// ---- opening and closing ----

jbw_verb_status jbw_run_open(jbw_run *run, const jbw_run_request *request)
{
    jbw_verb_status status = open_world(run, request);
    if (!status) status = name_world(run, request);
    if (!status) status = open_reward(run, request);
    if (!status) status = open_policy(run, request);
    if (!status) status = open_log(run, request);
    if (!status) status = find_agent(run);
    return status;
}

void jbw_run_close(jbw_run *run)
{
    jbw_recorder_close(run->recorder, NULL);
    if (run->log.csv) fclose(run->log.csv);
    jbw_run_log_deinit(&run->log);
    free(run->world_name);
    free(run->reward_text);
    jbw_policy_destroy(run->policy);
    jbw_reward_destroy(run->reward);
    jbw_world_source_close(&run->source);
}

// ---- stepping ----

jbw_status jbw_run_step(jbw_run *run)
{
    double reward;
    const jbw_status status = jbw_policy_step(run->policy, run->world, run->agent, &reward);
    if (status) return status;
    run->steps++;
    jbw_agent_result result;
    jbw_agent_get_result(run->world, run->agent, &result);
    return jbw_run_log_add(&run->log, reward, result.collected, result.position,
                           jbw_world_time(run->world))
               ? JBW_OK
               : JBW_OUT_OF_MEMORY;
}

// ---- saving and recording ----

static jbw_note text_note(const char *name, const char *text)
{
    return (jbw_note){.name = name, .bytes = text, .size = strlen(text)};
}

// the texts of notes that do not change during a run
typedef struct note_texts {
    char seed[SEED_SIZE];
    char settings[SETTINGS_SIZE];
} note_texts;

// Makes those notes, at most MAX_NOTES - 2, and returns their number.
static size_t make_fixed_notes(const jbw_run *run, note_texts *texts, jbw_note *out)
{
    size_t count = 0;
    snprintf(texts->seed, sizeof texts->seed, "%" PRIu64, jbw_world_seed(run->world));
    out[count++] = text_note(JBW_RUN_NOTE_WORLD, run->world_name);
    out[count++] = text_note(JBW_RUN_NOTE_AGENT, jbw_policy_get_name(run->policy));
    if (jbw_run_print_settings(run->policy, texts->settings, sizeof texts->settings))
        out[count++] = text_note(JBW_RUN_NOTE_SETTINGS, texts->settings);
    out[count++] = text_note(JBW_RUN_NOTE_REWARD, run->reward_text);
    out[count++] = text_note(JBW_RUN_NOTE_SEED, texts->seed);
    return count;
}

static jbw_status send_policy(void *user, jbw_sink sink)
{
    return jbw_policy_send(user, sink);
}

bool jbw_run_save(jbw_run *run, const char *path)
{
    note_texts texts;
    jbw_note notes[MAX_NOTES];
    jbw_buffer log = {0};
    jbw_error error = {0};
    size_t count = make_fixed_notes(run, &texts, notes);
    jbw_status status = jbw_run_log_save(&run->log, &log) ? JBW_OK : JBW_OUT_OF_MEMORY;
    if (status) snprintf(error.text, sizeof error.text, "%s", jbw_status_text(status));
    if (run->log.csv) fflush(run->log.csv); // a resumed run does not write these rows again
    if (!status) {
        const jbw_long_note policy = {JBW_RUN_NOTE_POLICY, send_policy, run->policy};
        notes[count++] = (jbw_note){JBW_RUN_NOTE_LOG, log.bytes, log.size};
        status = jbw_snapshot_write_long(run->world, notes, count, &policy, path, &error);
    }
    jbw_buffer_free(&log);
    if (status)
        jbw_verb_fail(verb, "not saved at time %" PRIu64 ": %s", jbw_world_time(run->world),
                      error.text);
    return status == JBW_OK;
}

// ---- marks of learners ----

static uint64_t updates_of(const jbw_policy *policy)
{
    jbw_policy_metric updates = {0};
    return jbw_policy_get_metric(policy, 0, &updates) ? (uint64_t)updates.value : 0;
}

void jbw_run_mark_weights(jbw_run *run)
{
    const uint64_t updates = updates_of(run->policy);
    if (!run->recorder || updates == run->updates) return;
    char text[24];
    snprintf(text, sizeof text, "%016" PRIx64, jbw_policy_hash(run->policy));
    const jbw_note mark = text_note(JBW_RUN_MARK_WEIGHTS, text);
    jbw_recorder_mark(run->recorder, &mark, NULL); // its failures are reported with the others
    run->updates = updates;
}

// a life that has begun before its recording: what it had learnt by then
static jbw_status mark_policy(jbw_run *run, jbw_error *error)
{
    run->updates = updates_of(run->policy);
    jbw_buffer policy = {0};
    jbw_status status = jbw_policy_save(run->policy, &policy);
    const jbw_note mark = {JBW_RUN_NOTE_POLICY, policy.bytes, policy.size};
    if (!status) status = jbw_recorder_mark(run->recorder, &mark, error);
    jbw_buffer_free(&policy);
    return status;
}

jbw_verb_status jbw_run_record(jbw_run *run, const jbw_run_request *request)
{
    enum { FLUSH_EVERY = 10000 }; // steps, a fraction of a second
    note_texts texts;
    jbw_note notes[MAX_NOTES];
    const size_t count = make_fixed_notes(run, &texts, notes);
    const jbw_recorder_options options = {
        .flush_every = FLUSH_EVERY, .notes = notes, .note_count = count};
    jbw_error error = {0};
    const bool resumes = request->load && !request->is_forced && access(request->record, F_OK) == 0;
    jbw_status status =
        resumes ? jbw_recorder_append(run->world, request->record, &options, &run->recorder, &error)
                : jbw_recorder_create(run->world, request->record, request->is_forced, &options,
                                      &run->recorder, &error);
    const bool is_learner = jbw_policy_is_learner(run->policy);
    if (!status && is_learner && !resumes && request->load) status = mark_policy(run, &error);
    if (!status) return JBW_VERB_OK;
    if (status == JBW_INVALID_ARGUMENT || status == JBW_INVALID_DATA)
        return jbw_verb_reject(verb, "%s", error.text);
    return jbw_verb_fail(verb, "%s", error.text);
}
