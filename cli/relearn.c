// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "relearn.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "jbw/jbw.h"
#include "progress.h"
#include "run.h"

static const char verb[] = "replay";

enum { MAX_SETTINGS = 64, SETTINGS_SIZE = 2000 };

typedef struct pupil {
    jbw_recording *recording;
    const char *path;
    jbw_reward *reward;
    jbw_policy *policy;
    jbw_agent_id agent;
    size_t next_mark;
    uint64_t step_count;
    uint64_t hash_count; // of weights that agreed
} pupil;

static jbw_verb_status fail(const pupil *p, jbw_status status, const jbw_error *error)
{
    return jbw_verb_fail(verb, "%s: %s", p->path,
                         error->text[0] ? error->text : jbw_status_text(status));
}

// ---- the policy at the beginning ----

static const char *text_of(const pupil *p, const char *name)
{
    const jbw_note *note = jbw_recording_note(p->recording, name);
    return note ? note->bytes : NULL;
}

static jbw_status create_policy(pupil *p, const char *agent, jbw_error *error)
{
    const jbw_world *world = jbw_recording_world(p->recording);
    const jbw_model *model = jbw_world_model(world);
    uint64_t time;
    jbw_note mark;
    const jbw_status status = jbw_recording_read_mark(p->recording, 0, &time, &mark, error);
    if (status && status != JBW_NOT_FOUND) return status;
    if (!status && strcmp(mark.name, JBW_RUN_NOTE_POLICY) == 0) {
        p->next_mark = 1;
        return jbw_policy_load(mark.bytes, mark.size, model, p->reward, &p->policy, error);
    }
    char text[SETTINGS_SIZE] = "";
    const char *saved = text_of(p, JBW_RUN_NOTE_SETTINGS);
    if (saved) snprintf(text, sizeof text, "%s", saved);
    jbw_policy_setting settings[MAX_SETTINGS];
    const jbw_policy_options options = {.reward = p->reward,
                                        .seed = jbw_world_seed(world),
                                        .settings = settings,
                                        .setting_count =
                                            jbw_run_read_settings(text, settings, MAX_SETTINGS)};
    return jbw_policy_create(agent, model, &options, &p->policy, error);
}

static jbw_verb_status begin(pupil *p)
{
    const char *agent = text_of(p, JBW_RUN_NOTE_AGENT);
    const char *reward = text_of(p, JBW_RUN_NOTE_REWARD);
    if (!agent || !reward)
        return jbw_verb_reject(verb, "%s: --relearn needs a recording of jbw run", p->path);
    const jbw_world *world = jbw_recording_world(p->recording);
    jbw_error error = {0};
    jbw_status status =
        jbw_reward_compile(jbw_world_model(world), reward, NULL, 0, &p->reward, &error);
    if (!status) status = create_policy(p, agent, &error);
    if (status) return fail(p, status, &error);
    if (jbw_world_agents(world, &p->agent, 1) != 1)
        return jbw_verb_reject(verb, "%s: --relearn needs a world with one agent", p->path);
    return JBW_VERB_OK;
}

// ---- living again ----

// compares the marks of this time
static jbw_verb_status compare_marks(pupil *p)
{
    const uint64_t now = jbw_world_time(jbw_recording_world(p->recording));
    for (;; p->next_mark++) {
        uint64_t time;
        jbw_note mark;
        jbw_error error = {0};
        const jbw_status status =
            jbw_recording_read_mark(p->recording, p->next_mark, &time, &mark, &error);
        if (status == JBW_NOT_FOUND || (!status && time > now)) return JBW_VERB_OK;
        if (status) return fail(p, status, &error);
        if (time != now || strcmp(mark.name, JBW_RUN_MARK_WEIGHTS) != 0) continue;
        char text[24];
        snprintf(text, sizeof text, "%016" PRIx64, jbw_policy_hash(p->policy));
        if (mark.size != strlen(text) || memcmp(mark.bytes, text, mark.size) != 0)
            return jbw_verb_fail(verb,
                                 "%s: at time %" PRIu64 " the weights have hash %s, but %.*s was "
                                 "recorded",
                                 p->path, now, text, (int)(mark.size < 40 ? mark.size : 40),
                                 (const char *)mark.bytes);
        p->hash_count++;
    }
}

// one action of the policy, and the operations up to the recorded one; `*is_end` at the end
static jbw_verb_status live_step(pupil *p, bool *is_end)
{
    jbw_world *world = jbw_recording_world(p->recording);
    const uint64_t time = jbw_world_time(world);
    jbw_error error = {0};
    int action;
    jbw_status status = jbw_policy_choose(p->policy, world, p->agent, &action);
    if (status) return fail(p, status, &error);
    // at the end there is no action to compare with; acting may have learnt, but nobody looks
    jbw_operation operation = {0};
    while (!status && operation.kind != JBW_OPERATION_ACT)
        status = jbw_recording_next(p->recording, &operation, &error);
    *is_end = status == JBW_NOT_FOUND;
    if (*is_end) return JBW_VERB_OK;
    if (status) return fail(p, status, &error);
    if (operation.action != action)
        return jbw_verb_fail(
            verb, "%s: at time %" PRIu64 " the policy takes action %d, but %d was recorded",
            p->path, time, action, operation.action);
    world = jbw_recording_world(p->recording);
    jbw_policy_reward(p->policy, jbw_agent_reward(world, p->agent, p->reward));
    p->step_count++;
    return compare_marks(p);
}

static jbw_verb_status live(pupil *p, uint64_t to)
{
    const jbw_recording_info info = jbw_recording_get_info(p->recording);
    jbw_progress progress;
    jbw_progress_begin(&progress, "learning again", info.last_time - info.first_time);
    jbw_verb_status status = JBW_VERB_OK;
    bool is_end = false;
    const uint64_t last = to < info.last_time ? to : info.last_time;
    while (!status && !is_end && jbw_world_time(jbw_recording_world(p->recording)) < last) {
        status = live_step(p, &is_end);
        jbw_progress_update(&progress, p->step_count);
    }
    jbw_progress_end(&progress);
    return status;
}

jbw_verb_status jbw_relearn(jbw_recording *recording, const char *path, uint64_t to)
{
    pupil p = {.recording = recording, .path = path};
    jbw_verb_status status = begin(&p);
    if (!status) status = live(&p, to);
    if (!status) {
        printf("%s, learnt again by %s\n", path, jbw_policy_get_name(p.policy));
        printf("  actions        %" PRIu64 " are those recorded\n", p.step_count);
        if (jbw_policy_is_learner(p.policy))
            printf("  weights        %016" PRIx64 ", %" PRIu64
                   " recorded hashes of weights agree\n",
                   jbw_policy_hash(p.policy), p.hash_count);
        printf("  time           %" PRIu64 "\n", jbw_world_time(jbw_recording_world(recording)));
        printf("  hash           %016" PRIx64 "\n", jbw_world_hash(jbw_recording_world(recording)));
    }
    jbw_policy_destroy(p.policy);
    jbw_reward_destroy(p.reward);
    return status;
}
