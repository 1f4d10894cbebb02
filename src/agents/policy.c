// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "agents/policy.h"

#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

static const jbw_policy_kind *const kinds[] = {
    &jbw_policy_greedy,
    &jbw_policy_random,
    &jbw_policy_forward,
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

jbw_status jbw_policy_create(const char *name, const jbw_model *model, const jbw_reward *reward,
                             uint64_t seed, jbw_policy **out, jbw_error *error)
{
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
    if (policy) {
        policy->kind = kind;
        policy->model = model;
        policy->allocator = allocator;
        policy->rng = jbw_rng_open(seed, 0, 0, JBW_PURPOSE_POLICY);
        status = kind->init ? kind->init(policy, reward, error) : JBW_OK;
    }
    if (status == JBW_OUT_OF_MEMORY) jbw_error_set_status(error, status);
    if (status) {
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
    jbw_free(&allocator, policy, policy->kind->size);
}

int jbw_policy_act(jbw_policy *policy, uint64_t time, const float *vision)
{
    return policy->kind->act(policy, time, vision);
}

// ---- saving ----

// of the saved bytes; increase it when they change
enum { SAVED_VERSION = 1, MAX_NAME = 63 };

jbw_status jbw_policy_save(const jbw_policy *policy, jbw_buffer *out)
{
    const size_t size = out->size;
    jbw_writer writer = jbw_writer_begin(out);
    jbw_write_u8(&writer, SAVED_VERSION);
    jbw_write_text(&writer, policy->kind->name);
    jbw_write_u64(&writer, policy->rng.state);
    jbw_write_u64(&writer, policy->rng.step);
    if (policy->kind->save) policy->kind->save(policy, &writer);
    if (writer.ok) return JBW_OK;
    out->size = size;
    return JBW_OUT_OF_MEMORY;
}

static jbw_status fail_load(jbw_error *error, const char *why)
{
    jbw_error_set(error, 0, 0, "the saved policy %s", why);
    return JBW_INVALID_DATA;
}

static jbw_status load_into(jbw_policy *policy, jbw_reader *reader, jbw_error *error)
{
    policy->rng.state = jbw_read_u64(reader);
    policy->rng.step = jbw_read_u64(reader);
    if (policy->rng.step % 2 == 0) reader->ok = false;
    if (reader->ok && policy->kind->load) policy->kind->load(policy, reader);
    if (!reader->ok) return fail_load(error, "is damaged, or was made for another world");
    if (jbw_reader_left(reader) > 0) return fail_load(error, "has data after its end");
    return JBW_OK;
}

jbw_status jbw_policy_load(const void *bytes, size_t size, const jbw_model *model,
                           const jbw_reward *reward, jbw_policy **out, jbw_error *error)
{
    if (!out) return JBW_INVALID_ARGUMENT;
    *out = NULL;
    jbw_reader reader = jbw_reader_begin(bytes, size);
    if (jbw_read_u8(&reader) != SAVED_VERSION) return fail_load(error, "has an unknown version");
    const size_t length = jbw_read_count(&reader, 1);
    const uint8_t *text = jbw_read_bytes(&reader, length);
    char name[MAX_NAME + 1] = {0};
    if (!text || length > MAX_NAME) return fail_load(error, "is damaged: it has no name");
    memcpy(name, text, length);
    jbw_status status = jbw_policy_create(name, model, reward, 0, out, error);
    if (status == JBW_NOT_FOUND) return JBW_INVALID_DATA;
    if (!status) status = load_into(*out, &reader, error);
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
