// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "agents/learn/shrink_perturb.h"

void jbw_shrink_perturb(double shrink, double perturb, jbw_network *network, float *fresh,
                        jbw_rng *rng)
{
    jbw_network newborn = *network; // the same layers, with weights of their own
    newborn.parameters.weights = fresh;
    jbw_network_begin(&newborn, rng);
    jbw_parameters *p = &network->parameters;
    for (size_t i = 0; i < p->count; i++)
        p->weights[i] = (float)(shrink * (double)p->weights[i] + perturb * (double)fresh[i]);
}
