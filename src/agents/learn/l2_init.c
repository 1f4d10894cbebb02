// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "agents/learn/l2_init.h"

void jbw_l2_init_add(double weight, const float *initial, jbw_parameters *p)
{
    const float factor = (float)(2.0 * weight);
    // rounded one by one: some processors compute a whole expression more exactly
    for (size_t i = 0; i < p->count; i++) {
        const float away = p->weights[i] - initial[i];
        const float pull = factor * away;
        p->gradients[i] += pull;
    }
}
