// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What smelling needs of a config, worked out once: the steady state around each kind of source.
#ifndef JBW_SIM_MODEL_SCENT_MODEL_H
#define JBW_SIM_MODEL_SCENT_MODEL_H

#include "jbw/config.h"
#include "jbw/world.h"
#include "sim/model/scent_response.h"

/// Scent is worked out in tiles of this many cells on each side (sim/sense/scent.h).
enum { JBW_SCENT_TILE = 8 };

typedef struct jbw_scent_model {
    bool is_on;        // some source has a scent
    bool agents_smell; // agents have one
    int memory;        // how many steps a change is noticed
    jbw_scent_response response;
    double *units; // (scent_dimensions): what one unit of the kernels is worth

    // by item type: the steady state around it, (scent_dimensions x side x kernel_stride), with
    // JBW_SCENT_TILE zeros before and behind each row; NULL if it has no scent
    const int32_t **kernels;
    const int32_t *agent_kernel;
    int kernel_stride;
} jbw_scent_model;

/// Fills the tables of a model whose items are there. JBW_OUT_OF_MEMORY at worst: the config was checked.
jbw_status jbw_scent_model_build(jbw_model *model, const jbw_config *config);

#endif
