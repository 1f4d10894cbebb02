// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The numbers of rewards: those that are written out, and those that change with the world's time,
/// such as `Wave[100000, -1, 1]`. A changing number holds no state: it is a function of the time.
#ifndef JBW_SIM_REWARD_REWARD_NUMBER_H
#define JBW_SIM_REWARD_REWARD_NUMBER_H

#include "base/alloc.h"
#include "sim/model/expr.h"

/// The most steps of a period, of a part of a schedule, and of a whole schedule.
#define JBW_MAX_SCHEDULE_STEPS (UINT64_C(1) << 62)
#define JBW_MAX_SCHEDULE_TOTAL (UINT64_C(1) << 63)

typedef enum jbw_changing_kind {
    JBW_CHANGING_WAVE,
    JBW_CHANGING_SQUARE,
    JBW_CHANGING_STEPS,
    JBW_CHANGING_DRIFT,
} jbw_changing_kind;

/// A value that holds from a time on.
typedef struct jbw_changing_stage {
    uint64_t begin;
    double value;
} jbw_changing_stage;

typedef struct jbw_changing_number {
    jbw_changing_kind kind;
    uint64_t seed;              // DRIFT
    uint64_t steps;             // WAVE, SQUARE: the period; DRIFT: between two knots
    double low;                 // WAVE, SQUARE, DRIFT
    double high;                // the same
    uint32_t stage_count;       // STEPS: at least one
    jbw_changing_stage *stages; // STEPS: the first begins at 0, the others later and later
} jbw_changing_number;

/// The value at a time.
double jbw_changing_at(const jbw_changing_number *number, uint64_t time);

/// Reads a number that is written out, of any size up to 1e9; zero has no sign.
jbw_status jbw_reward_read_fixed(const jbw_expr *expr, double *out, jbw_error *error);

/// Reads a number of steps, from 1 to 2^62.
jbw_status jbw_reward_read_steps(const jbw_expr *expr, uint64_t *out, jbw_error *error);

/// Reads a seed, from 0 to 2^63 - 1.
jbw_status jbw_reward_read_seed(const jbw_expr *expr, uint64_t *out, jbw_error *error);

/// Reads a number of either sort: `*value` if it is written out, then `*changing` is NULL; otherwise
/// `*changing`, in the arena.
jbw_status jbw_reward_read_number(const jbw_expr *expr, jbw_arena *arena, double *value,
                                  jbw_changing_number **changing, jbw_error *error);

/// Replaces a number by its negative.
void jbw_changing_negate(jbw_changing_number *number);

#endif
