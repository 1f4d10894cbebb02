// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "nn/optimizer.h"

#include <float.h>

#include "base/dmath.h"
#include "nn/loops.h"

double jbw_optimizer_step(const jbw_nn *nn, jbw_optimizer *o, jbw_parameters *p)
{
    const double norm = jbw_sqrt(nn->path->sum_of_squares(p->count, p->gradients));
    if (!(norm <= DBL_MAX)) return norm; // infinite, or not a number: it would destroy all weights
    const bool is_clipped = o->largest_norm > 0.0 && norm > o->largest_norm;
    o->step_count++;
    o->mean_power *= o->mean_decay;
    o->square_power *= o->square_decay;
    const jbw_adam_step step = {
        .weights = p->weights,
        .gradients = p->gradients,
        .mean = p->mean,
        .square = p->square,
        .largest = o->is_amsgrad ? p->largest : NULL,
        .count = p->count,
        .gradient_scale = is_clipped ? (float)(o->largest_norm / norm) : 1.0f,
        .rate = (float)(o->rate / (1.0 - o->mean_power)),
        .mean_decay = (float)o->mean_decay,
        .mean_rest = (float)(1.0 - o->mean_decay),
        .square_decay = (float)o->square_decay,
        .square_rest = (float)(1.0 - o->square_decay),
        .root_correction = (float)(1.0 / jbw_sqrt(1.0 - o->square_power)),
        .epsilon = (float)o->epsilon,
    };
    jbw_nn_adam(nn, &step);
    return norm;
}
