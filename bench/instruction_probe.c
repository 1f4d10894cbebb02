// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// A fixed amount of work, whose instructions scripts/instructions counts with callgrind. Each
// figure has a function of its own, which callgrind finds by name: the names must not occur in the
// library, since callgrind adds up functions of the same name, and the script compiles this file
// without optimization, so that none of them is merged or inlined. The probe prints how many units
// of work each of them did. It uses only the public API, so it compiles for other versions, too.
//
//     instruction_probe WORLD                 all figures
//     instruction_probe WORLD STEPS SEED      an agent's steps only, as many, in the world of a seed

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "jbw/jbw.h"

enum {
    STEPS = 10000,    // of the agent
    SIDE = 48,        // cells from the origin within which it stays; generated before
    COLUMNS = 20,     // of patches, on a walk in a frontier world
    FEW_COLUMNS = 8,  // in an invariant world, where a patch costs more
    VISION = 1 << 16, // floats, more than any shipped world needs
};

static void require(jbw_status status, const char *what)
{
    if (!status) return;
    fprintf(stderr, "%s: %s\n", what, jbw_status_text(status));
    exit(1);
}

// ---- the figures ----

static jbw_status probe_act(jbw_world *world, jbw_agent_id agent, int action)
{
    return jbw_agent_act(world, agent, action, NULL);
}

static jbw_status probe_see(jbw_world *world, jbw_agent_id agent, float *vision)
{
    return jbw_agent_perceive(world, agent, vision, NULL);
}

static jbw_status probe_see_occluded(jbw_world *world, jbw_agent_id agent, float *vision)
{
    return jbw_agent_perceive(world, agent, vision, NULL);
}

static jbw_status probe_smell(jbw_world *world, jbw_agent_id agent, float *scent)
{
    return jbw_agent_perceive(world, agent, NULL, scent);
}

static jbw_status probe_propose(jbw_world *world, jbw_position cell)
{
    return jbw_world_explore(world, &cell, 1);
}

static jbw_status probe_make_patch(jbw_world *world, jbw_position cell)
{
    return jbw_world_explore(world, &cell, 1);
}

// ---- the work ----

/// A world, and the model that it needs.
typedef struct subject {
    jbw_model *model;
    jbw_world *world;
} subject;

static subject open_world(const char *name, uint64_t seed, const jbw_override *overrides,
                          size_t count)
{
    const jbw_world_file_options options = {.overrides = overrides, .override_count = count};
    jbw_config *config;
    subject s;
    require(jbw_world_file_read(name, &options, &config, NULL), name);
    require(jbw_model_create(config, &s.model, NULL), name);
    require(jbw_world_create(s.model, seed, &s.world), name);
    jbw_config_free(config);
    return s;
}

static void close_world(subject *s)
{
    jbw_world_destroy(s->world);
    jbw_model_destroy(s->model);
}

static void print_units(const char *function, uint64_t units)
{
    printf("%s %" PRIu64 "\n", function, units);
}

// a random action, or a turn where the agent would leave the area
static int choose_action(const jbw_world *world, jbw_agent_id agent, uint32_t *random)
{
    enum { FORWARD, LEFT, ACTIONS = 3 }; // the shipped worlds have forward, left and right
    jbw_agent_state state = {0};
    require(jbw_agent_get_state(world, agent, &state), "agent");
    *random = *random * 1664525 + 1013904223;
    const int64_t outward = state.direction == JBW_UP      ? state.position.y
                            : state.direction == JBW_RIGHT ? state.position.x
                            : state.direction == JBW_DOWN  ? -state.position.y
                                                           : -state.position.x;
    const int action = (int)((*random >> 16) % ACTIONS);
    return action == FORWARD && outward >= SIDE ? LEFT : action;
}

static void generate_area(jbw_world *world)
{
    for (int64_t y = -SIDE; y <= SIDE; y += SIDE / 2)
        for (int64_t x = -SIDE; x <= SIDE; x += SIDE / 2)
            require(jbw_world_explore(world, &(jbw_position){x, y}, 1), "area");
}

// an agent that walks at random in an area that is generated before
static void step(const char *name, long steps, uint64_t seed)
{
    static float vision[VISION];
    float scent[JBW_MAX_DIMENSIONS];
    uint32_t random = 1;
    jbw_agent_id agent;
    subject s = open_world(name, seed, NULL, 0);
    jbw_world *world = s.world;
    generate_area(world);
    require(jbw_world_add_agent(world, NULL, &agent), "agent");
    for (long i = 0; i < steps; i++) {
        require(probe_act(world, agent, choose_action(world, agent, &random)), "act");
        require(probe_see(world, agent, vision), "see");
        require(probe_smell(world, agent, scent), "smell");
    }
    close_world(&s);
    print_units("probe_act", (uint64_t)steps);
    print_units("probe_see", (uint64_t)steps);
    print_units("probe_smell", (uint64_t)steps);
}

static void step_occluded(const char *name)
{
    static const jbw_override occluded[] = {{"agent.field_of_view", "90"},
                                            {"agent.visual_occlusion", "true"}};
    static float vision[VISION];
    uint32_t random = 1;
    jbw_agent_id agent;
    subject s = open_world(name, 1, occluded, 2);
    jbw_world *world = s.world;
    generate_area(world);
    require(jbw_world_add_agent(world, NULL, &agent), "agent");
    for (int i = 0; i < STEPS; i++) {
        require(jbw_agent_act(world, agent, choose_action(world, agent, &random), NULL), "act");
        require(probe_see_occluded(world, agent, vision), "see");
    }
    close_world(&s);
    print_units("probe_see_occluded", STEPS);
}

static void walk_frontier(const char *name)
{
    subject s = open_world(name, 1, NULL, 0);
    jbw_world *world = s.world;
    const int64_t side = jbw_model_patch_size(s.model);
    for (int64_t i = 0; i < COLUMNS; i++)
        require(probe_propose(world, (jbw_position){i * side, 0}), "propose");
    const jbw_world_stats stats = jbw_world_get_stats(world);
    close_world(&s);
    print_units("probe_propose", stats.proposal_count);
}

static void walk_invariant(const char *name)
{
    static const jbw_override invariant = {.key = "generation", .value = "invariant"};
    subject s = open_world(name, 1, &invariant, 1);
    jbw_world *world = s.world;
    const int64_t side = jbw_model_patch_size(s.model);
    for (int64_t i = 0; i < FEW_COLUMNS; i++)
        require(probe_make_patch(world, (jbw_position){i * side, 0}), "make_patch");
    const jbw_world_stats stats = jbw_world_get_stats(world);
    close_world(&s);
    print_units("probe_make_patch", stats.sampling_count);
}

int main(int argc, char **argv)
{
    if (argc == 4) {
        step(argv[1], strtol(argv[2], NULL, 10), strtoull(argv[3], NULL, 10));
        return 0;
    }
    if (argc != 2) {
        fprintf(stderr, "usage: %s WORLD [STEPS SEED]\n", argv[0]);
        return 2;
    }
    step(argv[1], STEPS, 1);
    step_occluded(argv[1]);
    walk_frontier(argv[1]);
    walk_invariant(argv[1]);
    return 0;
}
