// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// What the Worker calls. There is one playground at a time; a call that fails leaves the old one.
// Texts and bytes go through memory that the Worker allocates here.

#include <stdlib.h>
#include <string.h>

#include "jbw/agent.h"
#include "playground/export.h"
#include "playground/playground.h"

static jbw_playground *current;
static jbw_error problem;
static const jbw_buffer *saved;
static jbw_buffer encoded;

static int replace(jbw_status status, jbw_playground *made)
{
    if (status) return (int)status;
    jbw_playground_destroy(current);
    current = made;
    saved = NULL;
    return 0;
}

JBW_EXPORT("allocate") void *jbw_export_allocate(size_t size);
void *jbw_export_allocate(size_t size)
{
    return malloc(size ? size : 1);
}

JBW_EXPORT("release") void jbw_export_release(void *memory);
void jbw_export_release(void *memory)
{
    free(memory);
}

JBW_EXPORT("create")
int jbw_export_create(const uint8_t *like, size_t size, uint64_t seed, size_t agent_count,
                      const char *policy, const char *reward);
int jbw_export_create(const uint8_t *like, size_t size, uint64_t seed, size_t agent_count,
                      const char *policy, const char *reward)
{
    jbw_playground *made;
    const jbw_playground_life life = {policy, reward};
    problem = (jbw_error){0};
    const jbw_status status =
        jbw_playground_create(like, size, seed, agent_count, &life, &made, &problem);
    return replace(status, made);
}

JBW_EXPORT("load")
int jbw_export_load(const uint8_t *snapshot, size_t size, const char *policy, const char *reward);
int jbw_export_load(const uint8_t *snapshot, size_t size, const char *policy, const char *reward)
{
    jbw_playground *made;
    const jbw_playground_life life = {policy, reward};
    problem = (jbw_error){0};
    return replace(jbw_playground_load(snapshot, size, &life, &made, &problem), made);
}

JBW_EXPORT("set_life")
int jbw_export_set_life(const char *policy, const char *reward, bool is_driven);
int jbw_export_set_life(const char *policy, const char *reward, bool is_driven)
{
    const jbw_playground_life life = {policy, reward};
    problem = (jbw_error){0};
    return current ? (int)jbw_playground_set_life(current, &life, is_driven, &problem) : 0;
}

// ---- errors ----

JBW_EXPORT("problem_text") const char *jbw_export_problem_text(void);
const char *jbw_export_problem_text(void)
{
    return problem.text;
}

JBW_EXPORT("problem_column") int jbw_export_problem_column(void);
int jbw_export_problem_column(void)
{
    return problem.column;
}

// ---- living ----

JBW_EXPORT("connect") void jbw_export_connect(void);
void jbw_export_connect(void)
{
    if (current) jbw_playground_connect(current);
}

JBW_EXPORT("receive") void jbw_export_receive(const uint8_t *bytes, size_t size);
void jbw_export_receive(const uint8_t *bytes, size_t size)
{
    if (current) jbw_playground_receive(current, bytes, size);
}

JBW_EXPORT("run") double jbw_export_run(double until, bool stops_at_frame);
double jbw_export_run(double until, bool stops_at_frame)
{
    return current ? jbw_playground_run(current, until, stops_at_frame) : -1.0;
}

// ---- saving ----

JBW_EXPORT("save") size_t jbw_export_save(const char *note);
size_t jbw_export_save(const char *note)
{
    problem = (jbw_error){0};
    saved = NULL;
    if (current && jbw_playground_save(current, note, &saved, &problem)) saved = NULL;
    return saved ? saved->size : 0;
}

JBW_EXPORT("saved_bytes") const uint8_t *jbw_export_saved_bytes(void);
const uint8_t *jbw_export_saved_bytes(void)
{
    return saved ? saved->bytes : NULL;
}

// the world as bytes that another can be created like
JBW_EXPORT("encode") size_t jbw_export_encode(void);
size_t jbw_export_encode(void)
{
    problem = (jbw_error){0};
    encoded.size = 0;
    return current && !jbw_world_encode(jbw_playground_world(current), &encoded) ? encoded.size : 0;
}

JBW_EXPORT("encoded_bytes") const uint8_t *jbw_export_encoded_bytes(void);
const uint8_t *jbw_export_encoded_bytes(void)
{
    return encoded.bytes;
}

JBW_EXPORT("note") const char *jbw_export_note(void);
const char *jbw_export_note(void)
{
    return current ? jbw_playground_note(current) : "";
}

JBW_EXPORT("reward") const char *jbw_export_reward(void);
const char *jbw_export_reward(void)
{
    return current ? jbw_playground_reward(current) : "";
}

JBW_EXPORT("time") double jbw_export_time(void);
double jbw_export_time(void)
{
    return current ? (double)jbw_world_time(jbw_playground_world(current)) : 0.0;
}

JBW_EXPORT("seed") uint64_t jbw_export_seed(void);
uint64_t jbw_export_seed(void)
{
    return current ? jbw_world_seed(jbw_playground_world(current)) : 0;
}

JBW_EXPORT("is_invariant") bool jbw_export_is_invariant(void);
bool jbw_export_is_invariant(void)
{
    if (!current) return false;
    const jbw_model *model = jbw_world_model(jbw_playground_world(current));
    return jbw_model_generation(model) == JBW_GENERATION_INVARIANT;
}
