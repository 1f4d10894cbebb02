// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "support/random_world.h"

#include "jbw/agent.h"
#include "support/random.h"
#include "support/words.h"

// ---- the world ----

void random_world_config_draw(random_world_config *out, uint64_t *random)
{
    static const double colors[RANDOM_WORLD_TYPES + 1][2] = {
        {1, 0}, {0, 1}, {0.5, 0.5}, {0.2, 0}, {0, 0.1}};
    static const char *const names[RANDOM_WORLD_TYPES] = {"Bean", "Onion", "Wall", "Key"};
    static const jbw_action_kind kinds[] = {
        JBW_ACTION_MOVE_FORWARD, JBW_ACTION_MOVE_BACKWARD, JBW_ACTION_MOVE_LEFT,
        JBW_ACTION_MOVE_RIGHT,   JBW_ACTION_TURN_LEFT,     JBW_ACTION_TURN_RIGHT,
        JBW_ACTION_TURN_AROUND,  JBW_ACTION_COLLECT,       JBW_ACTION_NO_OP};
    enum { KINDS = sizeof kinds / sizeof *kinds };
    *out = (random_world_config){.config = jbw_config_default()};
    jbw_config *c = &out->config;
    c->patch_size = 14 + (int)random_below(random, 12);
    c->mh_iterations = 60 + (int)random_below(random, 200);
    c->color_dimensions = 2;
    c->scent_dimensions = (int)random_below(random, 3);
    c->scent_decay = 0.2;
    c->scent_diffusion = 0.05;
    c->collision = (jbw_collision)random_below(random, 3);
    c->collection = (jbw_collection)random_below(random, 2);
    for (int i = 0; i < RANDOM_WORLD_TYPES; i++)
        out->items[i] = (jbw_item_type){.name = names[i],
                                        .color = colors[i],
                                        .scent = colors[i],
                                        .intensity = i == 0 ? "Constant[-2]" : "Constant[-3.5]"};
    out->items[2].blocks_movement = true;
    out->interaction = (jbw_interaction){"Bean", "PiecewiseBox[3, 9, 1, -0.5]"};
    out->items[0].interactions = &out->interaction;
    out->items[0].interaction_count = 1;
    out->cost = (jbw_item_count){"Bean", 1};
    out->items[3].costs = &out->cost;
    out->items[3].cost_count = 1;
    c->items = out->items;
    c->item_count = RANDOM_WORLD_TYPES;

    size_t count = 0;
    for (; count < KINDS; count++) out->actions[count].kind = kinds[count];
    for (int i = 0; i < RANDOM_WORLD_TYPES; i++)
        out->actions[count++] = (jbw_action){JBW_ACTION_DROP, names[i]};
    c->agent.actions = out->actions;
    c->agent.action_count = count;
    c->agent.color = colors[RANDOM_WORLD_TYPES];
    c->agent.scent = random_below(random, 2) ? colors[RANDOM_WORLD_TYPES] : NULL;
    c->agent.vision_range = (int)random_below(random, 5);
    c->agent.field_of_view = 200;
}

// ---- changes ----

static jbw_position draw_cell(uint64_t *random, int spread)
{
    jbw_position cell;
    cell.x = (int64_t)random_below(random, (uint32_t)(2 * spread + 1)) - spread;
    cell.y = (int64_t)random_below(random, (uint32_t)(2 * spread + 1)) - spread;
    return cell;
}

static jbw_agent_id draw_agent(const jbw_world *world, uint64_t *random)
{
    jbw_agent_id ids[RANDOM_WORLD_MAX_AGENTS];
    size_t count = jbw_world_agents(world, ids, RANDOM_WORLD_MAX_AGENTS);
    if (count > RANDOM_WORLD_MAX_AGENTS) count = RANDOM_WORLD_MAX_AGENTS;
    const uint64_t pick = random_next(random);
    return count > 0 ? ids[pick % count] : (jbw_agent_id){0};
}

static int draw_action(const jbw_world *world, uint64_t *random)
{
    const uint32_t count = (uint32_t)jbw_model_action_count(jbw_world_model(world));
    return random_below(random, 2) ? 0 : (int)random_below(random, count);
}

static void add_agent(jbw_world *world, uint64_t *random)
{
    if (jbw_world_agents(world, NULL, 0) >= RANDOM_WORLD_MAX_AGENTS) return;
    jbw_agent_options options = {0};
    options.has_position = random_below(random, 3) > 0;
    options.direction = (jbw_direction)random_below(random, 4);
    options.is_forced = random_below(random, 4) == 0;
    options.position = draw_cell(random, 8);
    const int body_count = jbw_model_body_count(jbw_world_model(world));
    if (body_count > 1) options.body = (int)random_below(random, (uint32_t)body_count);
    jbw_agent_id id;
    jbw_world_add_agent(world, &options, &id);
}

// some or all of the active agents, now and then in reverse order
static void act_together(jbw_world *world, uint64_t *random)
{
    jbw_agent_id ids[RANDOM_WORLD_MAX_AGENTS];
    jbw_agent_id chosen[RANDOM_WORLD_MAX_AGENTS];
    int actions[RANDOM_WORLD_MAX_AGENTS];
    const size_t count = jbw_world_agents(world, ids, RANDOM_WORLD_MAX_AGENTS);
    const uint32_t skip = random_below(random, 3);
    const bool is_reversed = random_below(random, 4) == 0;
    size_t chosen_count = 0;
    for (size_t i = 0; i < count; i++) {
        const jbw_agent_id id = ids[is_reversed ? count - 1 - i : i];
        jbw_agent_state state;
        jbw_agent_get_state(world, id, &state);
        const int action = draw_action(world, random);
        if (!state.is_active || (skip == 0 && random_below(random, 2))) continue;
        chosen[chosen_count] = id;
        actions[chosen_count++] = action;
    }
    words_act(world, random, chosen, actions, chosen_count);
}

static void explore(jbw_world *world, uint64_t *random)
{
    jbw_position cells[3];
    const uint32_t count = 1 + random_below(random, 3);
    for (uint32_t i = 0; i < count; i++) cells[i] = draw_cell(random, 60);
    jbw_world_explore(world, cells, count);
}

void random_world_change(jbw_world *world, uint64_t *random)
{
    const uint32_t kind = random_below(random, 100);
    const jbw_agent_id agent = draw_agent(world, random);
    const jbw_position cell = draw_cell(random, 9);
    const int type = (int)random_below(random, RANDOM_WORLD_TYPES);
    if (kind < 6) {
        add_agent(world, random);
    } else if (kind < 8) {
        jbw_world_remove_agent(world, agent);
    } else if (kind < 12) {
        jbw_agent_set_active(world, agent, random_below(random, 3) > 0);
    } else if (kind < 17) {
        words_place(world, random, type, cell);
    } else if (kind < 22) {
        jbw_world_remove_item(world, cell);
    } else if (kind < 24) {
        explore(world, random);
    } else if (kind < 25) {
        jbw_world_finalize_patch(world, draw_cell(random, 4));
    } else if (kind < 28) {
        jbw_world_step(world);
    } else if (kind < 60) {
        act_together(world, random);
    } else {
        const int action = draw_action(world, random);
        words_act(world, random, &agent, &action, 1);
    }
}
