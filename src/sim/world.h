// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A world: the map of one seed, and what lives in it.
#ifndef JBW_SIM_WORLD_H
#define JBW_SIM_WORLD_H

#include "sim/frontier.h"

struct jbw_world {
    const jbw_model *model;
    uint64_t seed;
    jbw_map map;
    jbw_frontier frontier;
};

#endif
