// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What the bytes of all learners have in common.
#ifndef JBW_AGENTS_LEARN_SAVE_H
#define JBW_AGENTS_LEARN_SAVE_H

#include "base/bytes.h"
#include "base/rng.h"
#include "nn/parameters.h"

void jbw_write_floats(jbw_writer *writer, const float *values, size_t count);
void jbw_read_floats(jbw_reader *reader, float *values, size_t count);

void jbw_write_rng(jbw_writer *writer, const jbw_rng *rng);
jbw_rng jbw_read_rng(jbw_reader *reader);

/// Weights, and what the optimizer remembers of them. The number of weights is not part of it.
void jbw_write_parameters(jbw_writer *writer, const jbw_parameters *parameters, bool is_amsgrad);
void jbw_read_parameters(jbw_reader *reader, jbw_parameters *parameters, bool is_amsgrad);

#endif
