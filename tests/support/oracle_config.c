// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "support/oracle_config.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "support/random.h"

const char *const oracle_item_names[ORACLE_CONFIG_TYPES] = {"A", "B", "C", "D", "E"};

static size_t draw_counts(uint64_t *random, int type_count, jbw_item_count *out)
{
    if (!random_chance(random, 18)) return 0;
    const int first = random_between(random, 0, type_count - 1);
    out[0] = (jbw_item_count){oracle_item_names[first], (uint64_t)random_between(random, 1, 2)};
    if (type_count < 2 || random_chance(random, 70)) return 1;
    out[1] = (jbw_item_count){oracle_item_names[(first + 1) % type_count], 1};
    return 2;
}

static void draw_item(oracle_config *r, uint64_t *random, int type, int type_count)
{
    jbw_item_type *item = &r->items[type];
    *item = (jbw_item_type){.name = oracle_item_names[type]};
    for (int i = 0; i < ORACLE_CONFIG_DIMENSIONS; i++) {
        r->colors[type][i] = random_real(random, -0.2, 1);
        r->scents[type][i] = random_chance(random, 70) ? random_real(random, -1, 3) : 0;
    }
    if (random_chance(random, 95)) item->color = r->colors[type];
    if (random_chance(random, 85)) item->scent = r->scents[type];
    item->occlusion = random_chance(random, 30)   ? 1
                      : random_chance(random, 70) ? random_real(random, 0, 1)
                                                  : 0;
    item->blocks_movement = random_chance(random, 30);
    item->is_uncollectable = random_chance(random, 20);

    snprintf(r->intensities[type], sizeof r->intensities[type], "Constant[%.3f]",
             random_real(random, -6, -1.5));
    item->intensity = r->intensities[type];
    item->interactions = r->interactions[type];
    if (random_chance(random, 50)) {
        snprintf(r->expressions[type][0], sizeof r->expressions[type][0],
                 "PiecewiseBox[%d, %d, %.2f, %.2f]", random_between(random, 2, 10),
                 random_between(random, 11, 40), random_real(random, -2, 0.5),
                 random_real(random, -1, 0.2));
        r->interactions[type][item->interaction_count++] = (jbw_interaction){
            oracle_item_names[random_between(random, 0, type_count - 1)], r->expressions[type][0]};
    }
    item->requirements = r->requirements[type];
    item->requirement_count = draw_counts(random, type_count, r->requirements[type]);
    item->costs = r->costs[type];
    item->cost_count = draw_counts(random, type_count, r->costs[type]);
    if (item->requirement_count && random_chance(random, 30)) {
        // what is required is also used up, or a part of it
        item->cost_count = 1;
        r->costs[type][0] = (jbw_item_count){r->requirements[type][0].item, 1};
    }
}

static void draw_actions(oracle_config *r, uint64_t *random, int type_count)
{
    static const jbw_action_kind plain[] = {
        JBW_ACTION_MOVE_FORWARD, JBW_ACTION_MOVE_BACKWARD, JBW_ACTION_MOVE_LEFT,
        JBW_ACTION_MOVE_RIGHT,   JBW_ACTION_TURN_LEFT,     JBW_ACTION_TURN_RIGHT,
        JBW_ACTION_TURN_AROUND,  JBW_ACTION_COLLECT,       JBW_ACTION_NO_OP,
    };
    size_t count = 0;
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        if (i == 0 || random_chance(random, 85)) r->actions[count++].kind = plain[i];
    for (int i = 0; i < type_count; i++)
        if (random_chance(random, 85))
            r->actions[count++] = (jbw_action){JBW_ACTION_DROP, oracle_item_names[i]};

    // shuffled: the number of an action is its position in the list
    for (size_t i = count; i > 1; i--) {
        const size_t k = (size_t)random_below(random, (uint32_t)i);
        const jbw_action swapped = r->actions[k];
        r->actions[k] = r->actions[i - 1];
        r->actions[i - 1] = swapped;
    }
    r->config.agent.actions = r->actions;
    r->config.agent.action_count = count;
}

static void draw_scent_physics(oracle_config *r, uint64_t *random)
{
    static const double physics[][2] = {{0.4, 0.14}, {0.9, 0.02},  {0.95, 0},     {0, 0},
                                        {0, 0.2},    {0.3, -0.05}, {0.99, 0.001}, {-0.5, 0.1}};
    r->config.scent_decay = 0.2;
    r->config.scent_diffusion = 0.05;
    const int kind = random_between(random, 0, 99);
    if (kind < 15) {
        // those of the paper, and extremes
        const double *chosen = physics[random_between(random, 0, 7)];
        r->config.scent_decay = chosen[0];
        r->config.scent_diffusion = chosen[1];
    } else if (kind < 50) {
        r->config.scent_decay = random_real(random, 0, 0.4);
        r->config.scent_diffusion = random_real(random, 0, 0.08);
    }
}

// scent must not reach farther than one patch
static bool scent_goes_far(const jbw_config *config)
{
    return fabs(config->scent_decay) + 4 * fabs(config->scent_diffusion) > 0.75;
}

void oracle_config_draw(oracle_config *r, uint64_t *random)
{
    memset(r, 0, sizeof *r);
    r->config = jbw_config_default();
    jbw_config *c = &r->config;
    c->scent_dimensions = random_between(random, random_chance(random, 10) ? 0 : 1, 3);
    c->color_dimensions = random_between(random, 1, ORACLE_CONFIG_DIMENSIONS);
    draw_scent_physics(r, random);
    c->patch_size = random_between(random, scent_goes_far(c) ? 26 : 14, 40);
    c->mh_iterations = random_between(random, 100, 500);
    c->collision = (jbw_collision)random_between(random, 0, 2);
    c->collection = (jbw_collection)random_chance(random, 40);

    const int type_count = random_between(random, 1, ORACLE_CONFIG_TYPES);
    for (int i = 0; i < type_count; i++) draw_item(r, random, i, type_count);
    c->items = r->items;
    c->item_count = (size_t)type_count;

    static const double views[] = {360, 180, 90, 60, 270, 1, 359.5};
    for (int i = 0; i < ORACLE_CONFIG_DIMENSIONS; i++) {
        r->colors[ORACLE_CONFIG_TYPES][i] = random_real(random, 0, 1);
        r->scents[ORACLE_CONFIG_TYPES][i] = random_real(random, -2, 2);
    }
    c->agent.color = random_chance(random, 80) ? r->colors[ORACLE_CONFIG_TYPES] : NULL;
    c->agent.scent = random_chance(random, 60) ? r->scents[ORACLE_CONFIG_TYPES] : NULL;
    c->agent.vision_range =
        random_chance(random, 5) ? (c->patch_size - 1) / 2 : random_between(random, 0, 6);
    c->agent.field_of_view = random_chance(random, 70) ? views[random_between(random, 0, 6)]
                                                       : random_real(random, 0.5, 360);
    c->agent.visual_occlusion = random_chance(random, 60);
    draw_actions(r, random, type_count);
}

// for how many steps a season and its pause have to last
static int least_season(const jbw_config *config)
{
    const double kept = fabs(config->scent_decay) + 4 * fabs(config->scent_diffusion);
    const double memory = kept > 0 ? log(1e-5 * (1 - kept)) / log(kept) + 1 : 1;
    return (int)(memory / 8) + 1;
}

static void draw_regrowth(oracle_config *r, uint64_t *random, size_t type)
{
    char *text = r->regrowth[type];
    const int low = random_between(random, 1, random_chance(random, 30) ? 2 : 15);
    const int kind = random_between(random, 0, 2);
    if (kind == 0)
        snprintf(text, sizeof r->regrowth[type], "Constant[%d]", low);
    else if (kind == 1)
        snprintf(text, sizeof r->regrowth[type], "Uniform[%d, %d]", low,
                 low + random_between(random, 0, 15));
    else
        snprintf(text, sizeof r->regrowth[type], "Geometric[%d]", low);
    jbw_item_type *item = &r->items[type];
    item->regrows = text;
    // many of them, which can be collected
    snprintf(r->intensities[type], sizeof r->intensities[type], "Constant[%.3f]",
             random_real(random, -2, 0.5));
    if (random_chance(random, 80)) item->requirement_count = item->cost_count = 0;
    if (r->config.mh_iterations < 1000) r->config.mh_iterations *= 3;
}

void oracle_config_add_time(oracle_config *r, uint64_t *random)
{
    if (random_chance(random, 30)) {
        r->config.generation = JBW_GENERATION_INVARIANT;
        // generating interactions takes long
        const bool has_interactions = random_chance(random, 3);
        for (size_t i = 0; i < r->config.item_count && !has_interactions; i++)
            r->items[i].interaction_count = 0;
    }
    for (size_t i = 0; i < r->config.item_count; i++) {
        if (!r->items[i].is_uncollectable && random_chance(random, 75)) draw_regrowth(r, random, i);
        if (random_chance(random, 40)) continue;
        const int least = r->items[i].scent ? least_season(&r->config) : 1;
        const int lasts = random_between(random, least, least + 12);
        const int pauses = random_between(random, least, least + 12);
        const int period = lasts + pauses;
        const int from = random_between(random, 0, period - 1);
        jbw_season *season = &r->items[i].season;
        season->period = (uint64_t)period;
        season->from = (uint64_t)from;
        season->to = (season->from + (uint64_t)lasts) % season->period;
        if (season->to == 0 && random_chance(random, 50)) season->to = season->period;
    }
}

// appends to the intensity of a type
JBW_PRINTF(3, 4) static void add_term(oracle_config *r, size_t type, const char *format, ...)
{
    char *text = r->intensities[type];
    const size_t length = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + length, sizeof r->intensities[type] - length, format, arguments);
    va_end(arguments);
}

static void add_biome(oracle_config *r, size_t type, int thousandths, bool is_never, double value)
{
    if (is_never)
        add_term(r, type, ", (0.%03d, never)", thousandths);
    else
        add_term(r, type, ", (0.%03d, %.3f)", thousandths, value);
}

static void add_biomes(oracle_config *r, uint64_t *random, size_t type, int scale,
                       const int *shares)
{
    const double value = random_real(random, 0, 2);
    const int never = random_between(random, 0, 3); // or in none of the three
    add_term(r, type, " + Biome[%d, %d", scale, random_between(random, 0, 1));
    add_biome(r, type, shares[0], never == 0, value);
    add_biome(r, type, shares[1], never == 1, -value);
    add_biome(r, type, 1000 - shares[0] - shares[1], never == 2, 0);
    add_term(r, type, "]");
}

void oracle_config_add_space(oracle_config *r, uint64_t *random)
{
    static const int scales[] = {2, 7, 12, 16, 25};
    jbw_config *c = &r->config;
    // generating takes long: small patches
    const int size = scent_goes_far(c) ? 26 : random_between(random, 14, 18);
    if (c->patch_size > size) c->patch_size = size;
    if (c->agent.vision_range > (c->patch_size - 1) / 2)
        c->agent.vision_range = (c->patch_size - 1) / 2;
    const int scale = scales[random_between(random, 0, 4)]; // so that types share borders
    const int first = random_between(random, 200, 600);
    const int shares[2] = {first, random_between(random, 100, 300)};
    // an invariant map with interactions takes seconds then: test_dynamics_twin.c compares some
    for (size_t i = 0; i < c->item_count; i++)
        if (c->generation == JBW_GENERATION_INVARIANT && c->items[i].interaction_count) return;
    for (size_t i = 0; i < c->item_count; i++) {
        if (random_chance(random, 60)) add_biomes(r, random, i, scale, shares);
        if (random_chance(random, 30))
            add_term(r, i, " + Noise[%d, %d, -2, 3]", scales[random_between(random, 0, 4)],
                     random_between(random, 0, 1));
    }
}

// ---- things ----

static const char *const kind_names[ORACLE_CONFIG_KINDS] = {"Kind", "Sort", "Lot"};

// a kind may hold kinds that are listed after it, or before it, but not both
static void draw_kinds(oracle_config *r, uint64_t *random)
{
    const int count = random_between(random, 1, ORACLE_CONFIG_KINDS);
    const bool looks_ahead = random_chance(random, 50);
    for (int k = 0; k < count; k++) {
        jbw_kind *kind = &r->kinds[k];
        *kind = (jbw_kind){.name = kind_names[k], .members = r->members[k]};
        for (int other = 0; other < count; other++)
            if ((looks_ahead ? other > k : other < k) && random_chance(random, 50))
                r->members[k][kind->member_count++] = kind_names[other];
        const int first = random_between(random, 0, (int)r->config.item_count - 1);
        for (int i = 0; i < (int)r->config.item_count; i++)
            if (i == 0 || random_chance(random, 40))
                r->members[k][kind->member_count++] =
                    oracle_item_names[(first + i) % (int)r->config.item_count];
    }
    r->config.kinds = r->kinds;
    r->config.kind_count = (size_t)count;
}

// some of what is asked for is of a kind
static void add_kind_counts(const oracle_config *r, uint64_t *random, jbw_item_count *counts,
                            size_t *count)
{
    for (size_t k = 0; k < r->config.kind_count && *count < 4; k++) {
        if (!random_chance(random, 25)) continue;
        const uint64_t number = (uint64_t)random_between(random, 1, 3);
        counts[(*count)++] = (jbw_item_count){r->kinds[k].name, number};
    }
    if (*count > 1 && random_chance(random, 50)) {
        const jbw_item_count last = counts[*count - 1];
        counts[*count - 1] = counts[0];
        counts[0] = last;
    }
}

void oracle_config_add_things(oracle_config *r, uint64_t *random)
{
    draw_kinds(r, random);
    for (size_t i = 0; i < r->config.item_count; i++) {
        jbw_item_type *item = &r->items[i];
        add_kind_counts(r, random, r->requirements[i], &item->requirement_count);
        add_kind_counts(r, random, r->costs[i], &item->cost_count);
        if (random_chance(random, 40)) item->requirement_count = item->cost_count = 0;
        const int types = (int)r->config.item_count;
        item->ever_requirements = r->ever[i];
        item->ever_requirement_count = draw_counts(random, types, r->ever[i]);
        add_kind_counts(r, random, r->ever[i], &item->ever_requirement_count);
        item->drops = r->drops[i];
        item->drop_count = draw_counts(random, types, r->drops[i]);
        add_kind_counts(r, random, r->drops[i], &item->drop_count);
        if (random_chance(random, 60)) item->ever_requirement_count = 0;
        if (random_chance(random, 20)) item->drop_count = 0;
    }
}

// ---- bodies and tools ----

static void draw_sight(const jbw_config *config, uint64_t *random, int chance, jbw_sight_keys *out)
{
    static const double views[] = {360, 180, 90, 40, 300};
    const int farthest = (config->patch_size - 1) / 2;
    *out = (jbw_sight_keys){.has_vision_range = random_chance(random, chance),
                            .has_field_of_view = random_chance(random, chance),
                            .has_visual_occlusion = random_chance(random, chance)};
    // without its flag a value means nothing
    out->vision_range = random_between(random, 0, farthest < 7 ? farthest : 7);
    out->field_of_view = views[random_between(random, 0, 4)];
    out->visual_occlusion = random_chance(random, 50);
}

static void draw_body_actions(oracle_config *r, uint64_t *random, int index)
{
    jbw_body *body = &r->bodies[index];
    const jbw_agent_config *agent = &r->config.agent;
    body->actions = r->body_actions[index];
    for (size_t i = agent->action_count; i-- > 0;) // in another order than those of agents
        if (random_chance(random, 60))
            r->body_actions[index][body->action_count++] = agent->actions[i];
    if (body->action_count == 0) r->body_actions[index][body->action_count++] = agent->actions[0];
}

void oracle_config_add_bodies(oracle_config *r, uint64_t *random)
{
    static const char *const names[ORACLE_CONFIG_BODIES] = {"Scout", "Mole", "Ox"};
    jbw_config *c = &r->config;
    c->bodies = r->bodies;
    c->body_count = (size_t)random_between(random, 0, ORACLE_CONFIG_BODIES);
    for (size_t b = 0; b < c->body_count; b++) {
        jbw_body *body = &r->bodies[b];
        *body = (jbw_body){.name = names[b]};
        for (int i = 0; i < ORACLE_CONFIG_DIMENSIONS; i++) {
            r->body_colors[b][i] = random_real(random, -0.5, 1);
            r->body_scents[b][i] = random_chance(random, 80) ? random_real(random, -3, 2) : 0;
        }
        if (random_chance(random, 70)) body->color = r->body_colors[b];
        if (random_chance(random, 70)) body->scent = r->body_scents[b];
        draw_sight(c, random, 60, &body->sight);
        if (random_chance(random, 70)) draw_body_actions(r, random, (int)b);
    }
    c->agent.tools = r->tools;
    const size_t first = (size_t)random_between(random, 0, (int)c->item_count - 1);
    for (size_t i = 0; i < c->item_count && c->agent.tool_count < 3; i++) {
        const size_t type = (first + i) % c->item_count;
        if (r->items[type].is_uncollectable || random_chance(random, 30)) continue;
        jbw_tool *tool = &r->tools[c->agent.tool_count++];
        *tool = (jbw_tool){.item = oracle_item_names[type]};
        // of three tools, the last has one key only: with all of them, there could be too many views
        draw_sight(c, random, c->agent.tool_count < 3 ? 60 : 0, &tool->sight);
        const bool has_any = tool->sight.has_vision_range || tool->sight.has_field_of_view;
        if (!has_any) tool->sight.has_visual_occlusion = true;
    }
}

// ---- words ----

void oracle_config_add_words(oracle_config *r, uint64_t *random)
{
    jbw_config *c = &r->config;
    c->scent_dimensions = 0;
    const int size = random_between(random, 3, 12);
    if (c->patch_size > size) c->patch_size = size;
    if (c->agent.vision_range > (c->patch_size - 1) / 2)
        c->agent.vision_range = (c->patch_size - 1) / 2;
    for (size_t i = 0; i < c->item_count; i++) {
        r->items[i].interaction_count = 0;
        r->items[i].has_text = random_chance(random, 60);
    }
    if (random_chance(random, 15)) return;
    const int range = random_chance(random, 80) ? 6 : c->patch_size;
    c->agent.voice.symbols = random_between(random, 1, 6);
    c->agent.voice.range = random_between(random, 1, range < c->patch_size ? range : c->patch_size);
}
