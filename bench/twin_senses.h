// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The slow twin of perception: vision and scent by plain loops over cells, from the paper, asking
/// the world for everything through its public functions. Scent is that of items which have always
/// been there.
#ifndef JBW_BENCH_TWIN_SENSES_H
#define JBW_BENCH_TWIN_SENSES_H

#include "jbw/jbw.h"

typedef struct twin_senses twin_senses;

/// NULL when memory runs out. The config must outlive it.
twin_senses *twin_senses_create(const jbw_config *config);
void twin_senses_destroy(twin_senses *senses);

/// What an agent at a cell, alone in the world, sees and smells.
void twin_senses_perceive(twin_senses *senses, const jbw_world *world, jbw_position cell,
                          jbw_direction direction, float *vision, float *scent);

#endif
