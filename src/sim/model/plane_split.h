// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// How fields are split into planes (planes.h), and the kernels that result from it.
#ifndef JBW_SIM_MODEL_PLANE_SPLIT_H
#define JBW_SIM_MODEL_PLANE_SPLIT_H

#include "sim/model/model.h"

/// How a field is split.
typedef struct jbw_field_split {
    int32_t factors[JBW_PLANE_TERMS];
    int planes[JBW_PLANE_TERMS];
    int count;
} jbw_field_split;

/// What a value adds to plane `term` of a field.
int32_t jbw_field_part(const jbw_field_split *split, int term, int32_t value);

/// Groups the planes of a model, which are numbered in `splits` (field_count), numbers them anew by
/// groups, and builds the kernels. False when memory runs out.
bool jbw_plane_kernels_build(jbw_model *model, jbw_field_split *splits, int plane_count);

#endif
