// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Busy worlds: agents act, come, go and rest, and the map is edited. What happens is random, but
/// the same for the same starting number. Also everything that can be observed about a world, as
/// hashes. Needs no cmocka, so it also runs on processors that have none.
#ifndef JBW_TESTS_LIFE_H
#define JBW_TESTS_LIFE_H

#include <stdbool.h>
#include <stdint.h>

#include "jbw/config.h"
#include "jbw/world.h"

/// A copy of a config whose agents can do everything, and have a colour and a scent.
jbw_config life_config(const jbw_config *from);

/// A small world: every kind of rule, small patches, few iterations.
jbw_config life_small_config(void);

/// The same world, in which what is collected grows back, items carry texts, and agents speak.
jbw_config life_growing_config(void);

/// Makes one random call that may change the world. It depends only on the world and the number.
/// False if the call failed for a reason that it should not fail for.
bool life_call(jbw_world *world, uint64_t *random);

/// Makes that many calls. False if one failed.
bool life_run(jbw_world *world, uint64_t *random, int count);

/// Everything that can be observed about a world, as hashes.
typedef struct life_view {
    uint64_t hash;   // that of the library
    uint64_t agents; // ids, states, results, inventories
    uint64_t senses; // what agents see and smell
    uint64_t map;    // what is around them
    uint64_t stats;  // counters
} life_view;

life_view life_look(jbw_world *world);

/// What differs between two views, or NULL.
const char *life_difference(const life_view *a, const life_view *b);

#endif
