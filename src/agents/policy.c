// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "agents/policy.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

static const jbw_policy_kind *const kinds[] = {
    &jbw_policy_greedy, &jbw_policy_random, &jbw_policy_forward,
    &jbw_policy_oracle, &jbw_policy_ppo,    &jbw_policy_dqn,
};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

static const jbw_policy_kind *find_kind(const char *name, jbw_error *error)
{
    const char *names[KIND_COUNT];
    for (size_t i = 0; i < KIND_COUNT; i++) {
        names[i] = kinds[i]->name;
        if (strcmp(names[i], name) == 0) return kinds[i];
    }
    const char *near = jbw_nearest_name(name, strlen(name), names, KIND_COUNT);
    if (near)
        jbw_error_set(error, 0, 0, "unknown policy '%s', did you mean '%s'?", name, near);
    else
        jbw_error_set(error, 0, 0, "unknown policy '%s'", name);
    return NULL;
}

// ---- creating and destroying ----

static size_t vision_size(const jbw_policy *policy)
{
    return jbw_model_part(policy->model, JBW_PART_VISION).size;
}

static jbw_status init_policy(jbw_policy *policy, const jbw_policy_options *options,
                              jbw_error *error)
{
    const jbw_policy_kind *kind = policy->kind;
    if (kind->sees) {
        policy->vision = jbw_alloc_zero(&policy->allocator, 1, vision_size(policy));
        if (!policy->vision) return JBW_OUT_OF_MEMORY;
    }
    if (options->setting_count > 0 && !kind->settings) {
        jbw_error_set(error, 0, 0, "the policy '%s' has no settings", kind->name);
        return JBW_INVALID_ARGUMENT;
    }
    return kind->init ? kind->init(policy, options, error) : JBW_OK;
}

jbw_status jbw_policy_create(const char *name, const jbw_model *model,
                             const jbw_policy_options *options, jbw_policy **out, jbw_error *error)
{
    static const jbw_policy_options default_options = {0};
    if (!options) options = &default_options;
    if (!out) return JBW_INVALID_ARGUMENT;
    *out = NULL;
    if (!name || !model) {
        jbw_error_set(error, 0, 0, "a policy needs a name and a model");
        return JBW_INVALID_ARGUMENT;
    }
    const jbw_policy_kind *kind = find_kind(name, error);
    if (!kind) return JBW_NOT_FOUND;

    const jbw_allocator allocator = jbw_model_allocator(model);
    jbw_policy *policy = jbw_alloc_zero(&allocator, 1, kind->size);
    jbw_status status = JBW_OUT_OF_MEMORY;
    jbw_error why = {0};
    if (policy) {
        policy->kind = kind;
        policy->model = model;
        policy->reward = options->reward;
        policy->allocator = allocator;
        policy->rng = jbw_rng_open(options->seed, 0, 0, JBW_PURPOSE_POLICY);
        status = init_policy(policy, options, &why);
    }
    if (status) {
        if (why.text[0] == '\0') jbw_error_set_status(&why, status);
        if (error) *error = why;
        jbw_policy_destroy(policy);
        return status;
    }
    *out = policy;
    return JBW_OK;
}

void jbw_policy_destroy(jbw_policy *policy)
{
    if (!policy) return;
    if (policy->kind->deinit) policy->kind->deinit(policy);
    const jbw_allocator allocator = policy->allocator;
    jbw_free(&allocator, policy->vision, policy->vision ? vision_size(policy) : 0);
    jbw_free(&allocator, policy, policy->kind->size);
}

// ---- living ----

size_t jbw_policy_agent_count(const jbw_policy *policy)
{
    return policy->kind->agent_count ? policy->kind->agent_count(policy) : 1;
}

jbw_observation jbw_policy_wants(jbw_policy *policy)
{
    return jbw_policy_wants_for(policy, 0);
}

jbw_observation jbw_policy_wants_for(jbw_policy *policy, size_t agent)
{
    if (agent >= jbw_policy_agent_count(policy)) return (jbw_observation){0};
    if (policy->kind->wants) return policy->kind->wants(policy, agent);
    return (jbw_observation){.vision = policy->vision, .body = jbw_policy_body(policy)};
}

int jbw_policy_act(jbw_policy *policy, uint64_t time, const jbw_observation *seen)
{
    static const jbw_observation nothing = {0};
    if (jbw_policy_agent_count(policy) != 1) return -1;
    return policy->kind->act(policy, time, seen ? seen : &nothing);
}

void jbw_policy_act_all(jbw_policy *policy, uint64_t time, const jbw_observation *seen,
                        int *actions)
{
    if (policy->kind->act_all)
        policy->kind->act_all(policy, seen, actions);
    else
        actions[0] = policy->kind->act(policy, time, seen);
}

void jbw_policy_reward(jbw_policy *policy, double reward)
{
    if (jbw_policy_agent_count(policy) == 1) jbw_policy_reward_all(policy, &reward);
}

void jbw_policy_reward_all(jbw_policy *policy, const double *rewards)
{
    if (policy->kind->reward) policy->kind->reward(policy, rewards);
}

jbw_status jbw_policy_choose(jbw_policy *policy, jbw_world *world, jbw_agent_id agent, int *action)
{
    if (jbw_policy_agent_count(policy) != 1) return JBW_INVALID_ARGUMENT;
    if (policy->kind->choose) return policy->kind->choose(policy, world, agent, action);
    const jbw_observation wanted = jbw_policy_wants(policy);
    const jbw_status status = jbw_agent_observe(world, agent, &wanted);
    if (!status) *action = jbw_policy_act(policy, jbw_world_time(world), &wanted);
    return status;
}

jbw_status jbw_policy_step(jbw_policy *policy, jbw_world *world, jbw_agent_id agent, double *reward)
{
    int action;
    jbw_status status = jbw_policy_choose(policy, world, agent, &action);
    if (status) return status;
    status = jbw_agent_act(world, agent, action, NULL);
    if (status) return status;
    const double earned = policy->reward ? jbw_agent_reward(world, agent, policy->reward) : 0.0;
    jbw_policy_reward(policy, earned);
    if (reward) *reward = earned;
    return JBW_OK;
}

// ---- learning ----

bool jbw_policy_is_learner(const jbw_policy *policy)
{
    return policy->kind->is_learner;
}

void jbw_policy_set_learning(jbw_policy *policy, bool is_learning)
{
    if (policy->kind->set_learning) policy->kind->set_learning(policy, is_learning);
}

uint64_t jbw_policy_hash(const jbw_policy *policy)
{
    return policy->kind->hash ? policy->kind->hash(policy) : 0;
}

bool jbw_policy_get_weights(const jbw_policy *policy, size_t index, jbw_policy_weights *out)
{
    return policy->kind->weights && policy->kind->weights(policy, index, out);
}

bool jbw_policy_get_metric(const jbw_policy *policy, size_t index, jbw_policy_metric *out)
{
    return policy->kind->metric && policy->kind->metric(policy, index, out);
}

// ---- settings ----

static size_t setting_count(const jbw_policy_kind *kind)
{
    return kind->settings ? jbw_setting_count(kind->settings) : 0;
}

bool jbw_policy_describe_setting(const char *policy_name, size_t index,
                                 jbw_policy_setting_info *out)
{
    const jbw_policy_kind *kind = find_kind(policy_name, NULL);
    if (!kind || index >= setting_count(kind)) return false;
    const jbw_setting *setting = &kind->settings[index];
    *out = (jbw_policy_setting_info){
        .name = setting->name, .about = setting->about, .is_saved = !setting->is_local};
    jbw_setting_allowed(setting, out->allowed, sizeof out->allowed);
    return true;
}

bool jbw_policy_get_setting(const jbw_policy *policy, size_t index, char *out, size_t capacity)
{
    const jbw_policy_kind *kind = policy->kind;
    if (index >= setting_count(kind)) return false;
    char text[JBW_SETTING_TEXT_SIZE];
    jbw_setting_print(&kind->settings[index], (const char *)policy + kind->settings_offset, text);
    snprintf(out, capacity, "%s", text);
    return true;
}

jbw_status jbw_policy_change_setting(jbw_policy *policy, const jbw_policy_setting *setting,
                                     jbw_error *error)
{
    const jbw_policy_kind *kind = policy->kind;
    const char *name = setting->name ? setting->name : "";
    for (size_t i = 0; i < setting_count(kind); i++) {
        const jbw_setting *found = &kind->settings[i];
        if (!found->is_local || strcmp(found->name, name) != 0) continue;
        void *fields = (char *)policy + kind->settings_offset;
        char before[JBW_SETTING_TEXT_SIZE];
        jbw_setting_print(found, fields, before);
        jbw_status status = jbw_setting_read(kind->settings, setting, fields, error);
        if (status) return status;
        status = kind->apply_local(policy, error);
        if (status)
            jbw_setting_read(kind->settings, &(jbw_policy_setting){name, before}, fields, NULL);
        return status;
    }
    jbw_error_set(error, 0, 0, "the policy '%s' has no setting '%.100s' that can change",
                  kind->name, name);
    return JBW_INVALID_ARGUMENT;
}

// ---- saving ----

// of the saved bytes; increase it when they change. Version 1 had no settings.
enum { SAVED_VERSION = 2, MAX_NAME = 63 };

static void save(const jbw_policy *policy, jbw_writer *writer)
{
    const jbw_policy_kind *kind = policy->kind;
    jbw_write_u8(writer, SAVED_VERSION);
    jbw_write_text(writer, kind->name);
    if (kind->is_learner) jbw_write_varint(writer, JBW_LEARNER_VERSION);
    size_t saved_count = 0;
    for (size_t i = 0; i < setting_count(kind); i++) saved_count += !kind->settings[i].is_local;
    jbw_write_varint(writer, saved_count);
    for (size_t i = 0; i < setting_count(kind); i++) {
        if (kind->settings[i].is_local) continue;
        char value[JBW_SETTING_TEXT_SIZE];
        jbw_setting_print(&kind->settings[i], (const char *)policy + kind->settings_offset, value);
        jbw_write_text(writer, kind->settings[i].name);
        jbw_write_text(writer, value);
    }
    jbw_write_u64(writer, policy->rng.state);
    jbw_write_u64(writer, policy->rng.step);
    if (kind->save) kind->save(policy, writer);
}

jbw_status jbw_policy_save(const jbw_policy *policy, jbw_buffer *out)
{
    const size_t size = out->size;
    jbw_writer writer = jbw_writer_begin(out);
    save(policy, &writer);
    if (writer.ok) return JBW_OK;
    out->size = size;
    return JBW_OUT_OF_MEMORY;
}

// passes everything on, and remembers whether that failed
typedef struct watched_sink {
    jbw_sink to;
    bool has_refused;
} watched_sink;

static bool pass_on(void *user, const void *bytes, size_t size)
{
    watched_sink *sink = user;
    sink->has_refused = !sink->to.take(sink->to.user, bytes, size);
    return !sink->has_refused;
}

jbw_status jbw_policy_send(const jbw_policy *policy, jbw_sink sink)
{
    watched_sink watched = {.to = sink};
    jbw_buffer piece = {.allocator = policy->allocator};
    jbw_writer writer = jbw_writer_begin_sink(&piece, (jbw_sink){pass_on, &watched});
    save(policy, &writer);
    jbw_writer_finish(&writer);
    jbw_buffer_free(&piece);
    if (writer.ok) return JBW_OK;
    return watched.has_refused ? JBW_WRITE_FAILED : JBW_OUT_OF_MEMORY;
}

static jbw_status fail_load(jbw_error *error, const char *why)
{
    jbw_error_set(error, 0, 0, "the saved policy %s", why);
    return JBW_INVALID_DATA;
}

// a text of at most MAX_NAME bytes, with a terminating zero
static bool read_name(jbw_reader *reader, char out[MAX_NAME + 1])
{
    const size_t length = jbw_read_count(reader, 1);
    const uint8_t *text = jbw_read_bytes(reader, length);
    if (!text || length > MAX_NAME) return false;
    memcpy(out, text, length);
    out[length] = '\0';
    return true;
}

static jbw_status load_state(jbw_policy *policy, jbw_reader *reader, jbw_error *error)
{
    policy->rng.state = jbw_read_u64(reader);
    policy->rng.step = jbw_read_u64(reader);
    if (policy->rng.step % 2 == 0) reader->ok = false;
    if (reader->ok && policy->kind->load) policy->kind->load(policy, reader);
    if (!reader->ok) return fail_load(error, "is damaged, or was made for another world");
    if (jbw_reader_left(reader) > 0) return fail_load(error, "has data after its end");
    return JBW_OK;
}

// what another version has learnt cannot be continued to the same bits
static jbw_status check_learner(jbw_reader *reader, const char *name, jbw_error *error)
{
    const jbw_policy_kind *kind = find_kind(name, error);
    if (!kind) return JBW_INVALID_DATA;
    if (!kind->is_learner) return JBW_OK;
    const uint64_t version = jbw_read_varint(reader);
    if (version == JBW_LEARNER_VERSION) return JBW_OK;
    jbw_error_set(error, 0, 0,
                  "the saved policy comes from version %llu of the learner, but this library has "
                  "version %d",
                  (unsigned long long)version, JBW_LEARNER_VERSION);
    return JBW_INVALID_DATA;
}

static bool is_local(const char *policy_name, const char *setting_name)
{
    const jbw_policy_kind *kind = find_kind(policy_name, NULL);
    for (size_t i = 0; kind && i < setting_count(kind); i++)
        if (strcmp(kind->settings[i].name, setting_name) == 0) return kind->settings[i].is_local;
    return false;
}

// creates the policy that the name and the settings describe
static jbw_status load_settings(jbw_reader *reader, const char *name, bool has_settings,
                                const jbw_model *model, const jbw_reward *reward, jbw_policy **out,
                                jbw_error *error)
{
    const jbw_status checked = check_learner(reader, name, error);
    if (checked) return checked;
    char texts[2 * JBW_MAX_SETTINGS][MAX_NAME + 1];
    jbw_policy_setting settings[JBW_MAX_SETTINGS];
    const size_t count = has_settings ? jbw_read_count(reader, 2) : 0;
    if (!reader->ok || count > JBW_MAX_SETTINGS) return fail_load(error, "has damaged settings");
    for (size_t i = 0; i < count; i++) {
        // bytes of others must not start threads
        if (!read_name(reader, texts[2 * i]) || !read_name(reader, texts[2 * i + 1]) ||
            is_local(name, texts[2 * i]))
            return fail_load(error, "has damaged settings");
        settings[i] = (jbw_policy_setting){texts[2 * i], texts[2 * i + 1]};
    }
    const jbw_policy_options options = {
        .reward = reward, .settings = settings, .setting_count = count};
    const jbw_status status = jbw_policy_create(name, model, &options, out, error);
    return status == JBW_NOT_FOUND || status == JBW_INVALID_ARGUMENT ? JBW_INVALID_DATA : status;
}

jbw_status jbw_policy_load(const void *bytes, size_t size, const jbw_model *model,
                           const jbw_reward *reward, jbw_policy **out, jbw_error *error)
{
    if (!out) return JBW_INVALID_ARGUMENT;
    *out = NULL;
    jbw_reader reader = jbw_reader_begin(bytes, size);
    const uint8_t version = jbw_read_u8(&reader);
    if (version < 1 || version > SAVED_VERSION) return fail_load(error, "has an unknown version");
    char name[MAX_NAME + 1];
    if (!read_name(&reader, name)) return fail_load(error, "is damaged: it has no name");
    jbw_status status = load_settings(&reader, name, version > 1, model, reward, out, error);
    if (!status) status = load_state(*out, &reader, error);
    if (!status) return JBW_OK;
    jbw_policy_destroy(*out);
    *out = NULL;
    return status;
}

// ---- queries ----

const char *jbw_policy_get_name(const jbw_policy *policy)
{
    return policy->kind->name;
}

const char *jbw_policy_name(size_t index)
{
    return index < KIND_COUNT ? kinds[index]->name : NULL;
}

int jbw_policy_find_action(const jbw_model *model, jbw_action_kind kind)
{
    for (int i = 0; i < jbw_model_action_count(model); i++)
        if (jbw_model_action_kind(model, i) == kind) return i;
    return -1;
}

int jbw_policy_find_able(const jbw_model *model, int body, jbw_action_kind kind)
{
    const int action = jbw_policy_find_action(model, kind);
    return action >= 0 && jbw_model_body_can(model, body, action) ? action : -1;
}

int jbw_policy_first_able(const jbw_model *model, int body)
{
    int action = 0;
    while (!jbw_model_body_can(model, body, action)) action++;
    return action;
}

uint8_t *jbw_policy_body(jbw_policy *policy)
{
    return jbw_model_body_count(policy->model) > 1 ? &policy->body : NULL;
}

int jbw_policy_body_of(const jbw_policy *policy, const jbw_observation *seen)
{
    return seen->body && *seen->body < jbw_model_body_count(policy->model) ? *seen->body : 0;
}
