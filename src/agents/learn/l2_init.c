// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "agents/learn/l2_init.h"

void jbw_l2_init_add(double weight, const float *initial, jbw_parameters *p)
{
    const float factor = (float)(2.0 * weight);
    for (size_t i = 0; i < p->count; i++) p->gradients[i] += factor * (p->weights[i] - initial[i]);
}
