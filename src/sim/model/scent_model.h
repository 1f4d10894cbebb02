// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The part of a model that smelling needs: the steady state around each kind of source, computed
/// once.
#ifndef JBW_SIM_MODEL_SCENT_MODEL_H
#define JBW_SIM_MODEL_SCENT_MODEL_H

#include "jbw/config.h"
#include "jbw/world.h"
#include "sim/model/scent_response.h"

/// Scent is cached in tiles with this many cells on each side (sim/sense/scent.h).
enum { JBW_SCENT_TILE = 8 };

typedef struct jbw_scent_model {
    bool is_on;        // items or agents have a scent
    bool agents_smell; // agents have a scent
    int season_count;  // of the types with a scent, those that have seasons
    int memory;        // for how many steps a change can be smelled
    jbw_scent_response response;
    double *units; // (scent_dimensions): value of one unit of the kernels

    // by item type: the steady state around an item, (scent_dimensions x side x kernel_stride),
    // with JBW_SCENT_TILE zeros before and after each row; NULL if the type has no scent
    const int32_t **kernels;
    const int32_t **body_kernels; // the same by body
    int kernel_stride;
} jbw_scent_model;

/// Fills the tables of a model whose items are there. The config must be valid, so only memory can
/// run out.
jbw_status jbw_scent_model_build(jbw_model *model, const jbw_config *config);

#endif
