// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What a learner remembers of its life: the latest steps, to learn from again and again.
///
///     step     | oldest  ...  newest |          observation, moved, action, reward
///     bytes    |######  |   |########|          observations, packed, in a ring
///     states   |  x       x       x  |          of the LSTM before every `spacing`-th step
///
/// Most of what an agent sees is black, so an observation is packed as one bit for each float, which says
/// whether any of its bits is set, followed by the floats that have some. Unpacking gives the same floats
/// to the last bit. The oldest steps are forgotten when there are too many of them, or too many bytes; only
/// sizes count for that, so a replay that was saved and loaded forgets the same steps.
#ifndef JBW_AGENTS_LEARN_REPLAY_H
#define JBW_AGENTS_LEARN_REPLAY_H

#include "base/alloc.h"
#include "base/bytes.h"

typedef struct jbw_replay_options {
    size_t most_steps; // at least 1
    size_t most_bytes; // of packed observations, at least `jbw_replay_largest`
    size_t vision;     // floats of a visual field, and of a scent; may be zero
    size_t scent;
    size_t actions; // at most 256
    size_t state;   // floats of a state of the LSTM; 0: none
    size_t spacing; // of steps whose state is remembered
} jbw_replay_options;

/// What was perceived and done in a step.
typedef struct jbw_replay_step {
    bool moved;
    int action;
    double reward;
} jbw_replay_step;

typedef struct jbw_replay {
    jbw_replay_options options;
    uint64_t oldest, end; // steps [oldest, end) are remembered
    size_t first_byte;    // of the oldest observation
    size_t byte_count;    // of all of them
    uint8_t *bytes;       // (most_bytes)
    size_t *sizes;        // (most_steps) of packed observations
    size_t *places;       // where they begin
    uint8_t *moved;
    uint8_t *actions;
    double *rewards;
    float *states;   // (state_count x state)
    uint8_t *packed; // (jbw_replay_largest) one observation
    size_t state_count;
} jbw_replay;

/// The most bytes that an observation takes.
size_t jbw_replay_largest(const jbw_replay_options *options);

/// False when memory runs out; deinitialize even then.
bool jbw_replay_init(jbw_replay *replay, const jbw_replay_options *options,
                     const jbw_allocator *allocator);
void jbw_replay_deinit(jbw_replay *replay, const jbw_allocator *allocator);

/// Begins the step `end`. `state` is that before the step, NULL without LSTM.
void jbw_replay_observe(jbw_replay *replay, const float *vision, const float *scent, bool moved,
                        const float *state);

/// Completes the newest step.
void jbw_replay_act(jbw_replay *replay, int action);
void jbw_replay_reward(jbw_replay *replay, double reward);

/// A step that is remembered, and what was perceived in it.
jbw_replay_step jbw_replay_step_at(const jbw_replay *replay, uint64_t step);
jbw_replay_step jbw_replay_recall(const jbw_replay *replay, uint64_t step, float *vision,
                                  float *scent);

/// The state before a step, which is a multiple of `spacing`.
const float *jbw_replay_state(const jbw_replay *replay, uint64_t step);

/// As bytes. Loading copes with any bytes, into a replay with the same options that is empty;
/// `reader->ok` is false if they are invalid.
void jbw_replay_save(const jbw_replay *replay, jbw_writer *writer);
void jbw_replay_load(jbw_replay *replay, jbw_reader *reader);

#endif
