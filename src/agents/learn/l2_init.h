// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Regularisation towards the first weights (Kumar, Marklund and Van Roy 2023): the loss grows by
/// weight |w - w_0|^2, so weights that the loss does not need return to where learning was easy.
#ifndef JBW_AGENTS_LEARN_L2_INIT_H
#define JBW_AGENTS_LEARN_L2_INIT_H

#include "nn/parameters.h"

/// Adds 2 weight (w - w_0) to the gradients; `initial` are the first weights.
void jbw_l2_init_add(double weight, const float *initial, jbw_parameters *parameters);

#endif
