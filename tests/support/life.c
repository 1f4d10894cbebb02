// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "support/life.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "jbw/agent.h"
#include "support/random.h"
#include "support/words.h"

enum { MOST_AGENTS = 12, MAX_AGENTS = 64 };

// ---- configs ----

jbw_config life_config(const jbw_config *from)
{
    static const double color[JBW_MAX_DIMENSIONS] = {0.3, 0.2, 0.1};
    static const double scent[JBW_MAX_DIMENSIONS] = {0.5, 0.25, 0.125};
    static jbw_action actions[] = {
        {JBW_ACTION_MOVE_FORWARD, NULL}, {JBW_ACTION_MOVE_BACKWARD, NULL},
        {JBW_ACTION_MOVE_LEFT, NULL},    {JBW_ACTION_MOVE_RIGHT, NULL},
        {JBW_ACTION_TURN_LEFT, NULL},    {JBW_ACTION_TURN_RIGHT, NULL},
        {JBW_ACTION_TURN_AROUND, NULL},  {JBW_ACTION_COLLECT, NULL},
        {JBW_ACTION_NO_OP, NULL},        {JBW_ACTION_DROP, NULL}};
    jbw_config config = *from;
    actions[9].item = config.items[0].name;
    config.agent.actions = actions;
    config.agent.action_count = sizeof actions / sizeof actions[0];
    config.agent.color = color;
    config.agent.scent = scent;
    config.agent.visual_occlusion = true;
    config.agent.field_of_view = 200;
    config.collision = JBW_COLLISION_RANDOM;
    return config;
}

jbw_config life_small_config(void)
{
    static const double red[] = {1, 0};
    static const double green[] = {0, 1};
    static const jbw_item_count two_apples[] = {{"Apple", 2}};
    static const jbw_item_count one_tool[] = {{"Tool", 1}};
    static const jbw_interaction apart[] = {{"Apple", "PiecewiseBox[2, 9, -1, -3]"},
                                            {"Wall", "Cross[3, 4, 1, -2, -4, -1]"}};
    static const jbw_item_type items[] = {
        {.name = "Apple",
         .color = red,
         .scent = red,
         .intensity = "Constant[-2]",
         .interactions = apart,
         .interaction_count = 2},
        {.name = "Wall",
         .color = green,
         .occlusion = 0.5,
         .blocks_movement = true,
         .is_uncollectable = true,
         .intensity = "Constant[-4]"},
        {.name = "Tool",
         .scent = green,
         .intensity = "RadialHash[20, 5, -3, 1]",
         .costs = two_apples,
         .cost_count = 1},
        {.name = "Gold",
         .color = red,
         .intensity = "Constant[-5]",
         .requirements = one_tool,
         .requirement_count = 1},
    };
    jbw_config config = jbw_config_default();
    config.patch_size = 11;
    config.mh_iterations = 300;
    config.color_dimensions = 2;
    config.scent_dimensions = 2;
    config.scent_decay = 0.3;
    config.scent_diffusion = 0.05;
    config.items = items;
    config.item_count = sizeof items / sizeof items[0];
    config.agent.vision_range = 4;
    return life_config(&config);
}

jbw_config life_growing_config(void)
{
    enum { TYPES = 4 };
    static jbw_item_type items[TYPES];
    jbw_config config = life_small_config();
    memcpy(items, config.items, sizeof items);
    items[0].regrows = "Uniform[1, 12]";
    items[2].regrows = "Geometric[4]";
    items[3].regrows = "Constant[3]";
    items[0].has_text = true;
    items[2].has_text = true;
    config.agent.voice = (jbw_voice){.symbols = 3, .range = 5};
    config.items = items;
    return config;
}

// ---- what happens ----

static int draw_action(const jbw_world *world, uint64_t *random)
{
    const uint32_t count = (uint32_t)jbw_model_action_count(jbw_world_model(world));
    return random_below(random, 2) ? 0 : (int)random_below(random, count);
}

static jbw_position draw_near(const jbw_world *world, uint64_t *random, jbw_agent_id agent)
{
    jbw_agent_state state = {0};
    jbw_agent_get_state(world, agent, &state);
    const int dx = random_between(random, -4, 4);
    const int dy = random_between(random, -4, 4);
    return (jbw_position){state.position.x + dx, state.position.y + dy};
}

static jbw_status add_agent(jbw_world *world, uint64_t *random)
{
    jbw_agent_options options = {0};
    options.position.x = random_between(random, -30, 29);
    options.position.y = random_between(random, -30, 29);
    options.has_position = random_below(random, 2) > 0;
    options.direction = (jbw_direction)random_below(random, 4);
    options.is_forced = random_below(random, 4) == 0;
    jbw_agent_id agent;
    return jbw_world_add_agent(world, &options, &agent);
}

static jbw_status act_together(jbw_world *world, uint64_t *random, const jbw_agent_id *agents,
                               size_t count)
{
    jbw_agent_id asked[MAX_AGENTS];
    int actions[MAX_AGENTS];
    size_t asked_count = 0;
    for (size_t i = 0; i < count; i++) {
        jbw_agent_state state = {0};
        jbw_agent_get_state(world, agents[i], &state);
        if (!state.is_active) continue;
        asked[asked_count] = agents[i];
        actions[asked_count++] = draw_action(world, random);
    }
    return words_act(world, random, asked, actions, asked_count);
}

static jbw_status edit(jbw_world *world, uint64_t *random, jbw_agent_id agent)
{
    const jbw_position cell = draw_near(world, random, agent);
    const uint32_t types = (uint32_t)jbw_model_item_type_count(jbw_world_model(world));
    const jbw_status status = jbw_world_remove_item(world, cell);
    if (status != JBW_NOT_FOUND) return status;
    const int type = (int)random_below(random, types);
    return words_place(world, random, type, cell);
}

// at most MAX_AGENTS of them
static size_t list_agents(const jbw_world *world, jbw_agent_id agents[MAX_AGENTS])
{
    const size_t count = jbw_world_agents(world, agents, MAX_AGENTS);
    return count < MAX_AGENTS ? count : MAX_AGENTS;
}

static jbw_status make_call(jbw_world *world, uint64_t *random)
{
    jbw_agent_id agents[MAX_AGENTS];
    const size_t count = list_agents(world, agents);
    if (count == 0) return add_agent(world, random);
    const jbw_agent_id one = agents[random_below(random, (uint32_t)count)];
    const uint32_t kind = random_below(random, 100);
    if (kind < 3) return count < MOST_AGENTS ? add_agent(world, random) : JBW_OK;
    if (kind < 5) return count > 2 ? jbw_world_remove_agent(world, one) : JBW_OK;
    if (kind < 8) {
        jbw_agent_state state = {0};
        jbw_agent_get_state(world, one, &state);
        return jbw_agent_set_active(world, one, !state.is_active);
    }
    if (kind < 13) return edit(world, random, one);
    if (kind < 14) {
        const jbw_position cell = draw_near(world, random, one);
        return jbw_world_explore(world, &cell, 1);
    }
    if (kind < 17) return jbw_world_step(world);
    if (kind < 50) return act_together(world, random, agents, count);
    const int action = draw_action(world, random);
    return words_act(world, random, &one, &action, 1);
}

bool life_call(jbw_world *world, uint64_t *random)
{
    const jbw_status status = make_call(world, random);
    // inactive agents cannot act, and cells may be occupied
    return !status || status == JBW_INVALID_ARGUMENT || status == JBW_CELL_BLOCKED;
}

bool life_run(jbw_world *world, uint64_t *random, int count)
{
    for (int i = 0; i < count; i++)
        if (!life_call(world, random)) return false;
    return true;
}

// ---- what can be observed ----

static void hash_position(jbw_hasher *hasher, jbw_position position)
{
    jbw_hash_u64(hasher, (uint64_t)position.x);
    jbw_hash_u64(hasher, (uint64_t)position.y);
}

static void hash_agent(jbw_hasher *hasher, const jbw_world *world, jbw_agent_id id)
{
    jbw_agent_state state = {0};
    jbw_agent_result result = {0};
    jbw_agent_get_state(world, id, &state);
    jbw_agent_get_result(world, id, &result);
    jbw_hash_u64(hasher, (uint64_t)id.index1 << 32 | id.generation);
    hash_position(hasher, state.position);
    hash_position(hasher, state.start);
    jbw_hash_u64(hasher, (uint64_t)state.direction);
    jbw_hash_u64(hasher, state.is_active);
    jbw_hash_u64(hasher, state.has_request);
    jbw_hash_u64(hasher, (uint64_t)state.request);
    jbw_hash_u64(hasher, result.time);
    jbw_hash_u64(hasher, (uint64_t)result.action);
    jbw_hash_u64(hasher, (uint64_t)result.outcome);
    jbw_hash_u64(hasher, result.moved);
    jbw_hash_u64(hasher, (uint64_t)result.item);
    jbw_hash_u64(hasher, (uint64_t)result.collected);
    jbw_hash_u64(hasher, (uint64_t)result.dropped);
    hash_position(hasher, result.position_before);
    hash_position(hasher, result.position);
    const uint64_t *inventory = jbw_agent_inventory(world, id);
    const int types = jbw_model_item_type_count(jbw_world_model(world));
    for (int t = 0; t < types; t++) jbw_hash_u64(hasher, inventory[t]);

    // nothing that worlds without words have
    char text[JBW_MAX_TEXT + 1] = "";
    jbw_agent_read(world, id, text);
    if (text[0]) jbw_hash_bytes(hasher, text, strlen(text));
    if (state.text[0]) jbw_hash_bytes(hasher, state.text, strlen(state.text));
    const uint32_t *heard = jbw_agent_heard(world, id);
    if (!heard) return;
    jbw_hash_u64(hasher, (uint64_t)state.say);
    jbw_hash_u64(hasher, (uint64_t)result.said);
    const int symbols = jbw_model_voice(jbw_world_model(world)).symbols;
    for (int s = 0; s < symbols; s++) jbw_hash_u64(hasher, heard[s]);
}

static void hash_floats(jbw_hasher *hasher, const float *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        jbw_hash_u64(hasher, bits);
    }
}

static void hash_senses(jbw_hasher *hasher, jbw_world *world, jbw_agent_id id)
{
    const jbw_model *model = jbw_world_model(world);
    const size_t side = (size_t)jbw_model_vision_side(model);
    const size_t count = side * side * (size_t)jbw_model_color_dimensions(model);
    float scent[JBW_MAX_DIMENSIONS];
    float *vision = malloc(count * sizeof *vision);
    if (!vision) abort();
    jbw_agent_perceive(world, id, vision, scent);
    hash_floats(hasher, vision, count);
    hash_floats(hasher, scent, (size_t)jbw_model_scent_dimensions(model));
    free(vision);
}

static void hash_map(jbw_hasher *hasher, const jbw_world *world, jbw_agent_id id)
{
    enum { SIDE = 48 };
    uint8_t items[SIDE * SIDE];
    uint8_t states[SIDE * SIDE];
    jbw_agent_state state = {0};
    jbw_agent_get_state(world, id, &state);
    const jbw_region region = {state.position.x - SIDE / 2, state.position.y - SIDE / 2, SIDE,
                               SIDE};
    jbw_world_read_region(world, region, items, states);
    jbw_hash_bytes(hasher, items, sizeof items);
    jbw_hash_bytes(hasher, states, sizeof states);
}

life_view life_look(jbw_world *world)
{
    jbw_hasher agents = {0};
    jbw_hasher senses = {0};
    jbw_hasher map = {0};
    jbw_hasher stats = {0};
    jbw_agent_id ids[MAX_AGENTS];
    const size_t count = list_agents(world, ids);
    jbw_hash_u64(&agents, jbw_world_agents(world, NULL, 0));
    for (size_t i = 0; i < count; i++) {
        hash_agent(&agents, world, ids[i]);
        hash_senses(&senses, world, ids[i]);
        hash_map(&map, world, ids[i]);
    }
    const jbw_world_stats s = jbw_world_get_stats(world);
    jbw_hash_u64(&stats, s.patch_count);
    jbw_hash_u64(&stats, s.final_patch_count);
    jbw_hash_u64(&stats, s.sampling_count);
    jbw_hash_u64(&stats, s.proposal_count);
    jbw_hash_u64(&stats, s.accepted_count);
    jbw_hash_u64(&stats, jbw_world_seed(world));
    jbw_hash_u64(&stats, jbw_world_time(world));
    return (life_view){jbw_world_hash(world), agents.value, senses.value, map.value, stats.value};
}

const char *life_difference(const life_view *a, const life_view *b)
{
    if (a->stats != b->stats) return "the counters";
    if (a->map != b->map) return "the map";
    if (a->agents != b->agents) return "the agents";
    if (a->senses != b->senses) return "what agents perceive";
    if (a->hash != b->hash) return "the hash";
    return NULL;
}
