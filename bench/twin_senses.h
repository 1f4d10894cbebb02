// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The slow twin of perception: the paper's vision and scent, as plain loops over cells that query
/// the world through its public functions. Scent assumes that items have always been there.
#ifndef JBW_BENCH_TWIN_SENSES_H
#define JBW_BENCH_TWIN_SENSES_H

#include "jbw/jbw.h"

typedef struct twin_senses twin_senses;

/// NULL when memory runs out. The config must outlive the senses.
twin_senses *twin_senses_create(const jbw_config *config);
void twin_senses_destroy(twin_senses *senses);

/// Computes what an agent at a cell sees and smells, if it is alone in the world.
void twin_senses_perceive(twin_senses *senses, const jbw_world *world, jbw_position cell,
                          jbw_direction direction, float *vision, float *scent);

#endif
