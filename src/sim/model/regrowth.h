// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// After how many steps an item that was collected grows back. The public part, `jbw_regrowth`, is in
/// jbw/config.h.
#ifndef JBW_SIM_MODEL_REGROWTH_H
#define JBW_SIM_MODEL_REGROWTH_H

#include "base/alloc.h"
#include "jbw/config.h"

/// A law with what drawing from it needs.
typedef struct jbw_regrowth_model {
    jbw_regrowth law;
    double rate; // Geometric: -log(1 - 1 / mean); infinite for a mean of 1
} jbw_regrowth_model;

/// Reads a law from its text; NULL means never. The arena is for what parsing needs.
jbw_status jbw_regrowth_compile(const char *text, jbw_arena *arena, jbw_regrowth *out,
                                jbw_error *error);

/// Prepares drawing from a law.
jbw_regrowth_model jbw_regrowth_model_of(jbw_regrowth law);

/// After how many steps an item grows back that was collected in a cell in the step that took the
/// clock to `time`. It must grow back at all.
uint64_t jbw_regrowth_draw(const jbw_regrowth_model *regrowth, uint64_t seed, jbw_position cell,
                           uint64_t time);

#endif
