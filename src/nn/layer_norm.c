// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "nn/layer_norm.h"

#include "base/dmath.h"

jbw_layer_norm jbw_layer_norm_make(jbw_parameters *parameters, int count, int groups)
{
    const size_t gain = jbw_parameters_take(parameters, (size_t)count);
    const size_t offset = jbw_parameters_take(parameters, (size_t)count);
    return (jbw_layer_norm){.count = count, .groups = groups, .gain = gain, .offset = offset};
}

void jbw_layer_norm_begin(const jbw_layer_norm *norm, jbw_parameters *parameters)
{
    for (int i = 0; i < norm->count; i++) {
        parameters->weights[norm->gain + (size_t)i] = 1.0f;
        parameters->weights[norm->offset + (size_t)i] = 0.0f;
    }
}

typedef struct group_moments {
    double mean;
    double scale; // one over the deviation
} group_moments;

static group_moments moments_of(int count, const float *x)
{
    double mean = 0.0;
    for (int i = 0; i < count; i++) mean += (double)x[i];
    mean /= count;
    double variance = 0.0;
    for (int i = 0; i < count; i++) variance += ((double)x[i] - mean) * ((double)x[i] - mean);
    return (group_moments){mean, 1.0 / jbw_sqrt(variance / count + 1e-5)};
}

// ---- forward ----

void jbw_layer_norm_forward(const jbw_layer_norm *norm, const float *weights, int rows,
                            const float *x, float *y)
{
    const float *gain = weights + norm->gain;
    const float *offset = weights + norm->offset;
    for (int g = 0; g < rows * norm->groups; g++, x += norm->count, y += norm->count) {
        const group_moments m = moments_of(norm->count, x);
        for (int i = 0; i < norm->count; i++) {
            const double normal = ((double)x[i] - m.mean) * m.scale;
            y[i] = (float)((double)gain[i] * normal + (double)offset[i]);
        }
    }
}

// ---- backward ----

// With n the normalised x and d = gain dy: dx = scale (d - mean(d) - n mean(d n)).
static void group_back(const jbw_layer_norm *norm, const float *gain, const float *x, float *dy,
                       double *gain_sums, double *offset_sums)
{
    const group_moments m = moments_of(norm->count, x);
    double sum = 0.0;
    double normal_sum = 0.0;
    for (int i = 0; i < norm->count; i++) {
        const double normal = ((double)x[i] - m.mean) * m.scale;
        const double d = (double)gain[i] * (double)dy[i];
        gain_sums[i] += normal * (double)dy[i];
        offset_sums[i] += (double)dy[i];
        sum += d;
        normal_sum += d * normal;
    }
    for (int i = 0; i < norm->count; i++) {
        const double normal = ((double)x[i] - m.mean) * m.scale;
        const double d = (double)gain[i] * (double)dy[i];
        dy[i] = (float)(m.scale * (d - sum / norm->count - normal * (normal_sum / norm->count)));
    }
}

void jbw_layer_norm_backward(const jbw_layer_norm *norm, jbw_parameters *parameters, int rows,
                             const float *x, jbw_rows dy)
{
    double gain_sums[JBW_LAYER_NORM_MOST] = {0};
    double offset_sums[JBW_LAYER_NORM_MOST] = {0};
    for (int row = 0; row < rows; row++) {
        float *at = dy.at + row * dy.stride;
        for (int g = 0; g < norm->groups; g++, at += norm->count, x += norm->count)
            group_back(norm, parameters->weights + norm->gain, x, at, gain_sums, offset_sums);
    }
    for (int i = 0; i < norm->count; i++) {
        parameters->gradients[norm->gain + (size_t)i] = (float)gain_sums[i];
        parameters->gradients[norm->offset + (size_t)i] = (float)offset_sums[i];
    }
}
