// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// sequences [COUNT]: random worlds with random actions and edits, and a hash of each, one per line:
/// the hash of the world, and of all that its agents perceived. The same program is compiled for this
/// machine and to WebAssembly, and has to print the same (scripts/test).
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "jbw/agent.h"
#include "jbw/observation.h"
#include "jbw/state.h"
#include "jbw/world.h"
#include "support/random.h"
#include "support/random_world.h"

enum { CHANGES = 24, LOOK_EVERY = 6, VALUES_MOST = 65 * 65 * 4 };

// what all agents see and smell
static void perceive(jbw_world *world, jbw_hasher *hasher)
{
    static float vision[VALUES_MOST];
    float scent[JBW_MAX_DIMENSIONS] = {0};
    jbw_agent_id agents[RANDOM_WORLD_MAX_AGENTS];
    const size_t all = jbw_world_agents(world, agents, RANDOM_WORLD_MAX_AGENTS);
    for (size_t i = 0; i < all && i < RANDOM_WORLD_MAX_AGENTS; i++) {
        memset(vision, 0, sizeof vision);
        if (jbw_agent_perceive(world, agents[i], vision, scent)) continue;
        jbw_hash_bytes(hasher, vision,
                       jbw_model_part(jbw_world_model(world), JBW_PART_VISION).size);
        jbw_hash_bytes(hasher, scent, sizeof scent);
    }
}

// false if something went wrong
static bool run(uint64_t number)
{
    random_world_config drawn;
    uint64_t random = number;
    random_world_config_draw(&drawn, &random);
    if (number % 20 == 0) drawn.config.generation = JBW_GENERATION_INVARIANT;
    if (number % 3 == 0) drawn.items[1].regrows = "Geometric[15]";
    if (number % 5 == 0) drawn.items[3].season = (jbw_season){30, 0, 15};
    jbw_model *model = NULL;
    jbw_world *world = NULL;
    jbw_status status = jbw_model_create(&drawn.config, &model, NULL);
    if (!status) status = jbw_world_create(model, number, &world);
    if (!status) {
        jbw_hasher hasher = jbw_hash_begin(number);
        for (int i = 0; i < CHANGES; i++) {
            random_world_change(world, &random);
            if (i % LOOK_EVERY == 0) perceive(world, &hasher);
        }
        printf("%" PRIu64 " %016" PRIx64 " %016" PRIx64 "\n", number, jbw_world_hash(world),
               hasher.value);
    }
    jbw_world_destroy(world);
    jbw_model_destroy(model);
    return status == JBW_OK;
}

int main(int argc, char **argv)
{
    const uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 1000;
    for (uint64_t number = 0; number < count; number++)
        if (!run(number)) return 1;
    return fflush(stdout) || ferror(stdout) ? 1 : 0;
}
