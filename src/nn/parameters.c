// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "nn/parameters.h"

#include <math.h>
#include <string.h>

#include "base/dmath.h"
#include "base/hash.h"
#include "nn/floats.h"

size_t jbw_parameters_take(jbw_parameters *parameters, size_t count)
{
    const size_t first = parameters->count;
    parameters->count += count;
    return first;
}

bool jbw_parameters_init(jbw_parameters *p, const jbw_allocator *allocator)
{
    float **const arrays[] = {&p->weights, &p->gradients, &p->mean, &p->square, &p->largest};
    bool has_room = true;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        *arrays[i] = jbw_floats_alloc(allocator, p->count);
        has_room = has_room && *arrays[i];
    }
    return has_room;
}

void jbw_parameters_deinit(jbw_parameters *p, const jbw_allocator *allocator)
{
    float *const arrays[] = {p->weights, p->gradients, p->mean, p->square, p->largest};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        jbw_floats_free(allocator, arrays[i], p->count);
    *p = (jbw_parameters){0};
}

double jbw_glorot_limit(int fan_in, int fan_out)
{
    return jbw_sqrt(6.0 / (double)(fan_in + fan_out));
}

float jbw_glorot_draw(double limit, jbw_rng *rng)
{
    return (float)((2.0 * jbw_rng_unit(rng) - 1.0) * limit);
}

void jbw_parameters_glorot(jbw_parameters *parameters, size_t first, size_t count, int fan_in,
                           int fan_out, jbw_rng *rng)
{
    const double limit = jbw_glorot_limit(fan_in, fan_out);
    for (size_t i = 0; i < count; i++) parameters->weights[first + i] = jbw_glorot_draw(limit, rng);
}

uint64_t jbw_parameters_hash(const jbw_parameters *parameters)
{
    jbw_hasher hasher = jbw_hash_begin(parameters->count);
    for (size_t i = 0; i < parameters->count; i++) {
        uint32_t bits = 0x7fc00000; // the bits of "not a number" differ between processors
        if (!isnan(parameters->weights[i])) memcpy(&bits, &parameters->weights[i], sizeof bits);
        jbw_hash_u64(&hasher, bits);
    }
    return hasher.value;
}
