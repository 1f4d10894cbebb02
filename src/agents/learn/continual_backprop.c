// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "agents/learn/continual_backprop.h"

#include <math.h>

// ---- beginning and ending ----

bool jbw_continual_backprop_init(jbw_continual_backprop *cbp, const jbw_network *network,
                                 const jbw_allocator *allocator)
{
    static const jbw_network_pass nothing = {0};
    jbw_units layers[JBW_LAYER_COUNT];
    const int count = jbw_network_units(network, &nothing, layers);
    cbp->unit_count = 0;
    for (int i = 0; i < count; i++) cbp->unit_count += (size_t)layers[i].units;
    cbp->utilities = jbw_alloc_zero(allocator, cbp->unit_count, sizeof *cbp->utilities);
    cbp->ages = jbw_alloc_zero(allocator, cbp->unit_count, sizeof *cbp->ages);
    return cbp->utilities && cbp->ages;
}

void jbw_continual_backprop_deinit(jbw_continual_backprop *cbp, const jbw_allocator *allocator)
{
    jbw_free(allocator, cbp->utilities, cbp->unit_count * sizeof *cbp->utilities);
    jbw_free(allocator, cbp->ages, cbp->unit_count * sizeof *cbp->ages);
}

// ---- utilities ----

// the sum of the sizes of all weights out of a unit
static double weights_out(const jbw_units *layer, const float *weights, int unit)
{
    double sum = 0.0;
    for (int o = 0; o < layer->out_count; o++) {
        for (int place = 0; place < layer->out[o].places; place++) {
            const size_t row = (size_t)place * (size_t)layer->units + (size_t)unit;
            const float *at = weights + layer->out[o].first + row * (size_t)layer->out[o].count;
            for (int k = 0; k < layer->out[o].count; k++) sum += fabs((double)at[k]);
        }
    }
    return sum;
}

// ---- replacing ----

static void set_weight(jbw_parameters *p, size_t index, float weight)
{
    p->weights[index] = weight;
    p->mean[index] = 0.0f;
    p->square[index] = 0.0f;
    p->largest[index] = 0.0f;
}

static void replace(jbw_continual_backprop *cbp, jbw_network *network, const jbw_units *layer,
                    int unit)
{
    jbw_parameters *p = &network->parameters;
    const size_t units = (size_t)layer->units;
    const size_t u = (size_t)unit;
    for (size_t i = 0; i < (size_t)layer->in; i++)
        set_weight(p, layer->in_weights + i * units + u,
                   jbw_glorot_draw(layer->glorot_limit, &cbp->rng));
    set_weight(p, layer->bias + u, 0.0f);
    const jbw_layer_norm *norm = &network->norms[layer->layer];
    if (norm->count > 0) {
        set_weight(p, norm->gain + u, 1.0f);
        set_weight(p, norm->offset + u, 0.0f);
    }
    for (int o = 0; o < layer->out_count; o++) {
        const size_t count = (size_t)layer->out[o].count;
        for (size_t place = 0; place < (size_t)layer->out[o].places; place++)
            for (size_t k = 0; k < count; k++)
                set_weight(p, layer->out[o].first + (place * units + u) * count + k, 0.0f);
    }
    cbp->replaced++;
}

// the least useful unit that has matured, or -1
static int least_useful(const jbw_continual_backprop *cbp, const double *utilities,
                        const uint64_t *ages, int units)
{
    int least = -1;
    for (int u = 0; u < units; u++)
        if (ages[u] > (uint64_t)cbp->maturity && (least < 0 || utilities[u] < utilities[least]))
            least = u;
    return least;
}

void jbw_continual_backprop_step(jbw_continual_backprop *cbp, jbw_network *network,
                                 const jbw_network_pass *pass, int rows)
{
    jbw_units layers[JBW_LAYER_COUNT];
    const int count = jbw_network_units(network, pass, layers);
    double *utilities = cbp->utilities;
    uint64_t *ages = cbp->ages;
    for (int i = 0; i < count; i++) {
        const jbw_units *layer = &layers[i];
        double *owed = &cbp->owed[layer->layer];
        for (int u = 0; u < layer->units; u++) {
            const double use = jbw_units_activity(layer, rows, u) *
                               weights_out(layer, network->parameters.weights, u);
            utilities[u] = cbp->decay * utilities[u] + (1.0 - cbp->decay) * use;
            ages[u]++;
            if (ages[u] > (uint64_t)cbp->maturity) *owed += cbp->rate;
        }
        while (*owed > 1.0) {
            const int unit = least_useful(cbp, utilities, ages, layer->units);
            if (unit < 0) break;
            *owed -= 1.0;
            replace(cbp, network, layer, unit);
            utilities[unit] = 0.0;
            ages[unit] = 0;
        }
        utilities += layer->units;
        ages += layer->units;
    }
}
