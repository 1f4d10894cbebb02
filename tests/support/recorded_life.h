// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Lives to be recorded: a random little world, and everything that can be done to one, by chance.
/// The same seed gives the same life on every processor. Without cmocka, so that it runs there.
#ifndef JBW_TESTS_RECORDED_LIFE_H
#define JBW_TESTS_RECORDED_LIFE_H

#include "jbw/agent.h"
#include "jbw/config.h"
#include "jbw/world.h"

enum { LIFE_TYPES = 4, LIFE_ACTIONS = 14, LIFE_MAX_AGENTS = 12 };

/// A config that points into itself: not to be copied.
typedef struct life_config {
    jbw_config config;
    jbw_item_type items[LIFE_TYPES];
    jbw_interaction interaction;
    jbw_item_count cost;
    jbw_action actions[LIFE_ACTIONS];
} life_config;

/// splitmix64
uint64_t life_draw(uint64_t *random);
uint64_t life_below(uint64_t *random, uint64_t bound);

void life_config_draw(life_config *out, uint64_t *random);

/// Does something to the world, which need not succeed: agents come, go, rest and act, alone and
/// together, items are put and taken away, patches are made final, time goes on.
void life_do_something(jbw_world *world, uint64_t *random);

#endif
