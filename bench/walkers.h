// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Many worlds with an agent in each that acts at random, observed with all that agents perceive.
#ifndef JBW_BENCH_WALKERS_H
#define JBW_BENCH_WALKERS_H

#include "bench.h"

typedef struct walkers {
    jbw_batch *batch;
    size_t count;
    float *vision;
    float *scent;
    double *reward;
    int64_t *positions;
    int32_t *actions; // of one step
    uint64_t random;
    double seconds; // spent in steps so far
} walkers;

/// Creates the worlds, with seeds from `seed` on, and one thread. `atlas` may be NULL. Close it also
/// after a failure.
jbw_status walkers_open(walkers *c, const jbw_model *model, size_t count, uint64_t seed,
                        jbw_atlas *atlas);
void walkers_close(walkers *c);

/// Takes some steps, and adds the processor time they take to `seconds`.
jbw_status walkers_step(walkers *c, int64_t steps);

#endif
