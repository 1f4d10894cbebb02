// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Random small worlds, and random changes to them. The same number gives the same world and the
/// same changes on every processor; the golden recording was made with them. Needs no cmocka.
#ifndef JBW_TESTS_RANDOM_WORLD_H
#define JBW_TESTS_RANDOM_WORLD_H

#include "jbw/config.h"
#include "jbw/world.h"

enum { RANDOM_WORLD_TYPES = 4, RANDOM_WORLD_ACTIONS = 14, RANDOM_WORLD_MAX_AGENTS = 12 };

/// A config that points into itself: do not copy it.
typedef struct random_world_config {
    jbw_config config;
    jbw_item_type items[RANDOM_WORLD_TYPES];
    jbw_interaction interaction;
    jbw_item_count cost;
    jbw_action actions[RANDOM_WORLD_ACTIONS];
} random_world_config;

void random_world_config_draw(random_world_config *out, uint64_t *random);

/// Makes one random call, which may fail: agents come, go, rest and act, alone and together, items
/// are placed and removed, patches become final, time passes.
void random_world_change(jbw_world *world, uint64_t *random);

#endif
