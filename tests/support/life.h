// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Worlds in which a lot goes on, call by call and by chance, yet the same again whenever it begins
/// with the same number; and all that can be seen of a world. Without cmocka, so that it runs on
/// processors that have none.
#ifndef JBW_TESTS_LIFE_H
#define JBW_TESTS_LIFE_H

#include <stdbool.h>
#include <stdint.h>

#include "jbw/config.h"
#include "jbw/world.h"

/// A config whose agents can do everything, and have colour and scent to do it with.
jbw_config life_config(const jbw_config *from);

/// A small world: every kind of rule, little patches, few proposals.
jbw_config life_small_config(void);

/// A whole number below `bound`.
uint32_t life_draw(uint64_t *random, uint32_t bound);

/// Makes one call that may change the world: agents act, come, go, rest, and the map is edited. What
/// it does depends on nothing but the world and the number. True if a call failed for a reason that
/// it should not fail for.
bool life_call(jbw_world *world, uint64_t *random);

/// Makes so many calls. False if one failed.
bool life_go_on(jbw_world *world, uint64_t *random, int count);

/// Everything that can be asked about a world, as hashes.
typedef struct life_view {
    uint64_t hash;   // that of the library
    uint64_t agents; // their ids, states, results, inventories
    uint64_t senses; // what they see and smell
    uint64_t map;    // what is around them
    uint64_t stats;  // what was counted
} life_view;

life_view life_look(jbw_world *world);

/// What is different between two views, or NULL.
const char *life_difference(const life_view *a, const life_view *b);

#endif
