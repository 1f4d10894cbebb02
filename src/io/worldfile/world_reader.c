// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "io/worldfile/world_reader.h"

#include <string.h>

#include "io/worldfile/world_file.h"
#include "io/worldfile/yaml_values.h"

#define WORD_COUNT(words) (sizeof(words) / sizeof *(words))

// --- values of certain keys ---------------------------------------------------------------------

static void read_collectable(jbw_value_reader *r, jbw_yaml_node *node, void *target)
{
    bool is_collectable = true;
    jbw_value_bool(r, node, &is_collectable);
    *(bool *)target = !is_collectable;
}

static void read_collision(jbw_value_reader *r, jbw_yaml_node *node, void *target)
{
    const int index =
        jbw_value_word(r, node, "collision", jbw_collision_words, WORD_COUNT(jbw_collision_words));
    if (index >= 0) *(jbw_collision *)target = (jbw_collision)index;
}

static void read_collection(jbw_value_reader *r, jbw_yaml_node *node, void *target)
{
    const int index = jbw_value_word(r, node, "collection", jbw_collection_words,
                                     WORD_COUNT(jbw_collection_words));
    if (index >= 0) *(jbw_collection *)target = (jbw_collection)index;
}

static void read_generation(jbw_value_reader *r, jbw_yaml_node *node, void *target)
{
    const int index = jbw_value_word(r, node, "generation", jbw_generation_words,
                                     WORD_COUNT(jbw_generation_words));
    if (index >= 0) *(jbw_generation *)target = (jbw_generation)index;
}

static void read_color(jbw_value_reader *r, jbw_yaml_node *node, void *target)
{
    jbw_value_vector(r, node, target, r->color_dimensions, "color_dimensions");
}

static void read_scent(jbw_value_reader *r, jbw_yaml_node *node, void *target)
{
    jbw_value_vector(r, node, target, r->scent_dimensions, "scent_dimensions");
}

static void read_intensity(jbw_value_reader *r, jbw_yaml_node *node, void *target)
{
    *(const char **)target = jbw_value_expression(r, node, "Constant[1.5]");
}

static void read_regrows(jbw_value_reader *r, jbw_yaml_node *node, void *target)
{
    *(const char **)target = jbw_value_expression(r, node, "Uniform[100, 900]");
}

// --- items --------------------------------------------------------------------------------------

// an item type cannot refer to more item types and kinds than a world can have
static size_t count_names(jbw_value_reader *r, jbw_yaml_node *node, const char *expected)
{
    if (!jbw_value_is_mapping(r, node, expected)) return 0;
    if (node->count <= JBW_MAX_ITEM_NAMES) return node->count;
    jbw_value_complain(r, node, "found %zu items, expected at most %d", node->count,
                       JBW_MAX_ITEM_NAMES);
    return 0;
}

static void read_counts(jbw_value_reader *r, jbw_yaml_node *node, const jbw_item_count **out,
                        size_t *out_count)
{
    const size_t count = count_names(r, node, "a mapping such as {Axe: 1}");
    jbw_item_count *counts = jbw_value_take(r, count, sizeof *counts);
    if (!counts) return;
    for (size_t i = 0; i < count; i++) {
        const jbw_yaml_node *name = node->pairs[i].key;
        int64_t value;
        if (!jbw_value_whole(r, node->pairs[i].value, 1, UINT32_MAX, &value)) continue;
        const char *item = jbw_value_take_text(r, name->text, name->length);
        if (!item) return;
        counts[(*out_count)++] = (jbw_item_count){.item = item, .count = (uint64_t)value};
    }
    *out = counts;
}

static void read_requires(jbw_value_reader *r, jbw_yaml_node *node, void *target)
{
    jbw_item_type *type = target;
    read_counts(r, node, &type->requirements, &type->requirement_count);
}

static void read_costs(jbw_value_reader *r, jbw_yaml_node *node, void *target)
{
    jbw_item_type *type = target;
    read_counts(r, node, &type->costs, &type->cost_count);
}

static void read_requires_ever(jbw_value_reader *r, jbw_yaml_node *node, void *target)
{
    jbw_item_type *type = target;
    read_counts(r, node, &type->ever_requirements, &type->ever_requirement_count);
}

static void read_drops(jbw_value_reader *r, jbw_yaml_node *node, void *target)
{
    jbw_item_type *type = target;
    read_counts(r, node, &type->drops, &type->drop_count);
}

static void read_interactions(jbw_value_reader *r, jbw_yaml_node *node, void *target)
{
    jbw_item_type *type = target;
    const size_t count =
        count_names(r, node, "a mapping such as {Wall: \"PiecewiseBox[10, 100, 2, -100]\"}");
    jbw_interaction *interactions = jbw_value_take(r, count, sizeof *interactions);
    if (!interactions) return;
    for (size_t i = 0; i < count; i++) {
        const jbw_yaml_node *name = node->pairs[i].key;
        const char *expression =
            jbw_value_expression(r, node->pairs[i].value, "PiecewiseBox[10, 100, 2, -100]");
        if (!expression) continue;
        const char *item = jbw_value_take_text(r, name->text, name->length);
        if (!item) return;
        interactions[type->interaction_count++] =
            (jbw_interaction){.item = item, .expression = expression};
    }
    type->interactions = interactions;
}

static void read_time(jbw_value_reader *r, jbw_yaml_node *node, void *target)
{
    int64_t value;
    if (jbw_value_whole(r, node, 0, (int64_t)JBW_MAX_TIME, &value))
        *(uint64_t *)target = (uint64_t)value;
}

static void read_period(jbw_value_reader *r, jbw_yaml_node *node, void *target)
{
    int64_t value;
    if (jbw_value_whole(r, node, 2, (int64_t)JBW_MAX_TIME, &value))
        *(uint64_t *)target = (uint64_t)value;
}

static size_t count_problems(const jbw_value_reader *r)
{
    return r->problems->count + r->problems->left_off;
}

// reads a mapping in which no key may be missing; false after complaining
static bool read_all_keys(jbw_value_reader *r, jbw_yaml_node *node, const jbw_value_key *keys,
                          size_t count, const char *expected, void *target)
{
    if (node->kind != JBW_YAML_MAPPING) {
        jbw_value_complain_kind(r, node, expected);
        return false;
    }
    const size_t problem_count = count_problems(r);
    jbw_value_keys(r, node, keys, count, target);
    for (size_t k = 0; k < count && count_problems(r) == problem_count; k++)
        if (!jbw_yaml_find(node, keys[k].name, strlen(keys[k].name)))
            jbw_value_complain(r, node, "'%s' is missing, expected %s", keys[k].name, expected);
    return count_problems(r) == problem_count;
}

static void read_season(jbw_value_reader *r, jbw_yaml_node *node, void *target)
{
    static const jbw_value_key keys[] = {
        {"period", read_period, offsetof(jbw_season, period)},
        {"from", read_time, offsetof(jbw_season, from)},
        {"to", read_time, offsetof(jbw_season, to)},
    };
    // do not complain about what is left of it as well
    if (!read_all_keys(r, node, keys, WORD_COUNT(keys),
                       "a mapping such as {period: 1000, from: 0, to: 500}", target))
        *(jbw_season *)target = (jbw_season){0};
}

static void read_items(jbw_value_reader *r, jbw_yaml_node *node, void *target)
{
    static const jbw_value_key keys[] = {
        {"color", read_color, offsetof(jbw_item_type, color)},
        {"scent", read_scent, offsetof(jbw_item_type, scent)},
        {"occlusion", jbw_value_number, offsetof(jbw_item_type, occlusion)},
        {"blocks_movement", jbw_value_bool, offsetof(jbw_item_type, blocks_movement)},
        {"collectable", read_collectable, offsetof(jbw_item_type, is_uncollectable)},
        {"intensity", read_intensity, offsetof(jbw_item_type, intensity)},
        {"interactions", read_interactions, 0},
        {"requires", read_requires, 0},
        {"costs", read_costs, 0},
        {"requires_ever", read_requires_ever, 0},
        {"drops", read_drops, 0},
        {"season", read_season, offsetof(jbw_item_type, season)},
        {"regrows", read_regrows, offsetof(jbw_item_type, regrows)},
        {"text", jbw_value_bool, offsetof(jbw_item_type, has_text)},
    };
    jbw_config *config = target;
    if (!jbw_value_is_mapping(r, node, "a mapping of items")) return;
    jbw_item_type *items = jbw_value_take(r, node->count, sizeof *items);
    if (!items) return;
    for (size_t i = 0; i < node->count; i++) {
        const jbw_yaml_node *name = node->pairs[i].key;
        items[i].name = jbw_value_take_text(r, name->text, name->length);
        if (!items[i].name) return;
        if (jbw_value_is_mapping(r, node->pairs[i].value, "a mapping such as {color: [1, 0, 0]}"))
            jbw_value_keys(r, node->pairs[i].value, keys, sizeof keys / sizeof *keys, &items[i]);
    }
    config->items = items;
    config->item_count = node->count;
}

// --- kinds --------------------------------------------------------------------------------------

static bool read_members(jbw_value_reader *r, jbw_yaml_node *node, jbw_kind *kind)
{
    if (node->kind != JBW_YAML_LIST) {
        jbw_value_complain_kind(r, node, "a list of items such as [JellyBean, Banana]");
        return false;
    }
    const char **members = jbw_value_take(r, node->count, sizeof *members);
    if (!members) return false;
    for (size_t i = 0; i < node->count; i++) {
        jbw_yaml_node *member = node->pairs[i].value;
        if (member->kind != JBW_YAML_TEXT) {
            jbw_value_complain_kind(r, member, "the name of an item or kind");
            return false;
        }
        members[i] = jbw_value_take_text(r, member->text, member->length);
        if (!members[i]) return false;
    }
    kind->members = members;
    kind->member_count = node->count;
    return true;
}

static void read_kinds(jbw_value_reader *r, jbw_yaml_node *node, void *target)
{
    jbw_config *config = target;
    if (!jbw_value_is_mapping(r, node, "a mapping such as {Fruit: [JellyBean, Banana]}")) return;
    jbw_kind *kinds = jbw_value_take(r, node->count, sizeof *kinds);
    if (!kinds) return;
    for (size_t i = 0; i < node->count; i++) {
        const jbw_yaml_node *name = node->pairs[i].key;
        kinds[i].name = jbw_value_take_text(r, name->text, name->length);
        if (!kinds[i].name) return;
        // without this kind, every mention of it would be wrong
        if (!read_members(r, node->pairs[i].value, &kinds[i])) node->is_faulty = true;
    }
    config->kinds = kinds;
    config->kind_count = node->count;
}

// --- agents -------------------------------------------------------------------------------------

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

// removes white space from both ends
static void trim(const char **text, size_t *length)
{
    for (; *length > 0 && is_space(**text); (*length)--) (*text)++;
    while (*length > 0 && is_space((*text)[*length - 1])) (*length)--;
}

// `MoveForward`, or `Drop[Onion]` with any spacing
static bool parse_action(jbw_value_reader *r, jbw_yaml_node *node, jbw_action *out)
{
    enum { KIND_COUNT = JBW_ACTION_DROP + 1 };
    const char *names[KIND_COUNT];
    for (int kind = 0; kind < KIND_COUNT; kind++)
        names[kind] = jbw_action_kind_name((jbw_action_kind)kind);

    if (node->kind != JBW_YAML_TEXT) {
        jbw_value_complain_kind(r, node, "an action such as MoveForward");
        return false;
    }
    const char *name = node->text;
    size_t length = node->length;
    trim(&name, &length);
    const char *bracket = memchr(name, '[', length);
    const char *item = NULL;
    size_t item_length = 0;
    if (bracket) {
        if (name[length - 1] != ']') {
            jbw_value_complain_kind(r, node, "a ']' at its end");
            return false;
        }
        item = bracket + 1;
        item_length = (size_t)(name + length - 1 - item);
        trim(&item, &item_length);
        length = (size_t)(bracket - name);
        trim(&name, &length);
    }

    for (int kind = 0; kind < KIND_COUNT; kind++) {
        if (strlen(names[kind]) != length || memcmp(names[kind], name, length) != 0) continue;
        *out = (jbw_action){.kind = (jbw_action_kind)kind};
        const bool is_drop = kind == JBW_ACTION_DROP;
        if (is_drop && item_length > 0) {
            out->item = jbw_value_take_text(r, item, item_length);
            return out->item != NULL;
        }
        if (!is_drop && !bracket) return true;
        jbw_value_complain_kind(r, node,
                                is_drop ? "the item to drop, as in Drop[Onion]"
                                        : "no brackets: only Drop has an item");
        return false;
    }
    jbw_value_complain_unknown(r, node, "action", name, length, names, KIND_COUNT);
    return false;
}

static void read_action_list(jbw_value_reader *r, jbw_yaml_node *node, const jbw_action **out,
                             size_t *out_count)
{
    if (node->kind != JBW_YAML_LIST) {
        jbw_value_complain_kind(r, node, "a list of actions");
        return;
    }
    jbw_action *actions = jbw_value_take(r, node->count, sizeof *actions);
    if (!actions) return;
    size_t count = 0;
    for (size_t i = 0; i < node->count; i++)
        if (parse_action(r, node->pairs[i].value, &actions[count])) count++;
    if (count == 0 && node->count > 0)
        return; // all are faulty: do not jbw_value_complain about an empty list as well
    *out = actions;
    *out_count = count;
}

static void read_actions(jbw_value_reader *r, jbw_yaml_node *node, void *target)
{
    jbw_agent_config *agent = target;
    read_action_list(r, node, &agent->actions, &agent->action_count);
}

// --- tools and bodies ---------------------------------------------------------------------------

static void read_vision_range(jbw_value_reader *r, jbw_yaml_node *node, void *target)
{
    jbw_sight_keys *sight = target;
    jbw_value_int(r, node, &sight->vision_range);
    sight->has_vision_range = !node->is_faulty;
}

static void read_field_of_view(jbw_value_reader *r, jbw_yaml_node *node, void *target)
{
    jbw_sight_keys *sight = target;
    jbw_value_number(r, node, &sight->field_of_view);
    sight->has_field_of_view = !node->is_faulty;
}

static void read_visual_occlusion(jbw_value_reader *r, jbw_yaml_node *node, void *target)
{
    jbw_sight_keys *sight = target;
    jbw_value_bool(r, node, &sight->visual_occlusion);
    sight->has_visual_occlusion = !node->is_faulty;
}

static void read_tools(jbw_value_reader *r, jbw_yaml_node *node, void *target)
{
    static const jbw_value_key keys[] = {
        {"vision_range", read_vision_range, offsetof(jbw_tool, sight)},
        {"field_of_view", read_field_of_view, offsetof(jbw_tool, sight)},
        {"visual_occlusion", read_visual_occlusion, offsetof(jbw_tool, sight)},
    };
    jbw_agent_config *agent = target;
    if (!jbw_value_is_mapping(r, node, "a mapping such as {Telescope: {vision_range: 14}}")) return;
    jbw_tool *tools = jbw_value_take(r, node->count, sizeof *tools);
    if (!tools) return;
    for (size_t i = 0; i < node->count; i++) {
        const jbw_yaml_node *name = node->pairs[i].key;
        tools[i].item = jbw_value_take_text(r, name->text, name->length);
        if (!tools[i].item) return;
        if (jbw_value_is_mapping(r, node->pairs[i].value, "a mapping such as {vision_range: 14}"))
            jbw_value_keys(r, node->pairs[i].value, keys, WORD_COUNT(keys), &tools[i]);
    }
    agent->tools = tools;
    agent->tool_count = node->count;
}

static void read_body_actions(jbw_value_reader *r, jbw_yaml_node *node, void *target)
{
    jbw_body *body = target;
    if (node->kind == JBW_YAML_LIST && node->count == 0)
        jbw_value_complain(r, node, "found no actions, expected some of agent.actions");
    else
        read_action_list(r, node, &body->actions, &body->action_count);
}

static void read_bodies(jbw_value_reader *r, jbw_yaml_node *node, void *target)
{
    static const jbw_value_key keys[] = {
        {"color", read_color, offsetof(jbw_body, color)},
        {"scent", read_scent, offsetof(jbw_body, scent)},
        {"vision_range", read_vision_range, offsetof(jbw_body, sight)},
        {"field_of_view", read_field_of_view, offsetof(jbw_body, sight)},
        {"visual_occlusion", read_visual_occlusion, offsetof(jbw_body, sight)},
        {"actions", read_body_actions, 0},
    };
    jbw_config *config = target;
    if (!jbw_value_is_mapping(r, node, "a mapping such as {Scout: {vision_range: 8}}")) return;
    jbw_body *bodies = jbw_value_take(r, node->count, sizeof *bodies);
    if (!bodies) return;
    for (size_t i = 0; i < node->count; i++) {
        const jbw_yaml_node *name = node->pairs[i].key;
        bodies[i].name = jbw_value_take_text(r, name->text, name->length);
        if (!bodies[i].name) return;
        if (jbw_value_is_mapping(r, node->pairs[i].value, "a mapping such as {vision_range: 8}"))
            jbw_value_keys(r, node->pairs[i].value, keys, WORD_COUNT(keys), &bodies[i]);
    }
    config->bodies = bodies;
    config->body_count = node->count;
}

static void read_voice(jbw_value_reader *r, jbw_yaml_node *node, void *target)
{
    static const jbw_value_key keys[] = {
        {"symbols", jbw_value_int, offsetof(jbw_voice, symbols)},
        {"range", jbw_value_int, offsetof(jbw_voice, range)},
    };
    jbw_voice *voice = target;
    const bool is_good = read_all_keys(r, node, keys, WORD_COUNT(keys),
                                       "a mapping such as {symbols: 4, range: 6}", target);
    if (is_good && voice->symbols != 0) return;
    // a voice without symbols would not be checked: in C, it stands for none
    if (is_good)
        jbw_value_complain(r, jbw_yaml_find(node, "symbols", strlen("symbols"))->value,
                           "found 0, expected a whole number from 1 to %d", JBW_MAX_SYMBOLS);
    *voice = (jbw_voice){0};
}

static void read_agent(jbw_value_reader *r, jbw_yaml_node *node, void *target)
{
    static const jbw_value_key keys[] = {
        {"color", read_color, offsetof(jbw_agent_config, color)},
        {"scent", read_scent, offsetof(jbw_agent_config, scent)},
        {"vision_range", jbw_value_int, offsetof(jbw_agent_config, vision_range)},
        {"field_of_view", jbw_value_number, offsetof(jbw_agent_config, field_of_view)},
        {"visual_occlusion", jbw_value_bool, offsetof(jbw_agent_config, visual_occlusion)},
        {"actions", read_actions, 0},
        {"tools", read_tools, 0},
        {"voice", read_voice, offsetof(jbw_agent_config, voice)},
    };
    if (jbw_value_is_mapping(r, node, "a mapping such as {vision_range: 8}"))
        jbw_value_keys(r, node, keys, sizeof keys / sizeof *keys, target);
}

// --- the world ----------------------------------------------------------------------------------

// the length of vectors, or -1 if the document gives no valid one
static int usable_dimensions(const jbw_yaml_node *node, int value)
{
    return node->is_faulty || value < 0 || value > JBW_MAX_DIMENSIONS ? -1 : value;
}

static void read_scent_dimensions(jbw_value_reader *r, jbw_yaml_node *node, void *target)
{
    jbw_value_int(r, node, target);
    r->scent_dimensions = usable_dimensions(node, *(const int *)target);
}

static void read_color_dimensions(jbw_value_reader *r, jbw_yaml_node *node, void *target)
{
    jbw_value_int(r, node, target);
    r->color_dimensions = usable_dimensions(node, *(const int *)target);
}

static void read_patch_size(jbw_value_reader *r, jbw_yaml_node *node, void *target)
{
    jbw_value_int(r, node, target);
    if (node->is_faulty) *(int *)target = JBW_MAX_PATCH_SIZE; // so that no reach is too far
}

static void read_scent_rate(jbw_value_reader *r, jbw_yaml_node *node, void *target)
{
    jbw_value_number(r, node, target);
    if (node->is_faulty) *(double *)target = 0.0; // so that the other rate is never too large
}

void jbw_world_reader_fill(jbw_config *config, jbw_yaml_node *root, jbw_arena *arena,
                           jbw_problems *problems)
{
    static const jbw_value_key keys[] = {
        {"scent_dimensions", read_scent_dimensions, offsetof(jbw_config, scent_dimensions)},
        {"color_dimensions", read_color_dimensions, offsetof(jbw_config, color_dimensions)},
        {"patch_size", read_patch_size, offsetof(jbw_config, patch_size)},
        {"mh_iterations", jbw_value_int, offsetof(jbw_config, mh_iterations)},
        {"scent_decay", read_scent_rate, offsetof(jbw_config, scent_decay)},
        {"scent_diffusion", read_scent_rate, offsetof(jbw_config, scent_diffusion)},
        {"collision", read_collision, offsetof(jbw_config, collision)},
        {"collection", read_collection, offsetof(jbw_config, collection)},
        {"generation", read_generation, offsetof(jbw_config, generation)},
        {"memory_budget", jbw_value_int, offsetof(jbw_config, memory_budget)},
        {"maturity", jbw_value_number, offsetof(jbw_config, maturity)},
        {"agent", read_agent, offsetof(jbw_config, agent)},
        {"bodies", read_bodies, 0},
        {"kinds", read_kinds, 0},
        {"items", read_items, 0},
    };
    jbw_value_reader r = {
        .arena = arena,
        .problems = problems,
        .color_dimensions = config->color_dimensions,
        .scent_dimensions = config->scent_dimensions,
    };
    if (root->kind == JBW_YAML_NULL)
        jbw_value_complain(&r, root, "the file is empty, expected keys such as items");
    else if (jbw_value_is_mapping(&r, root, "a mapping with keys such as items"))
        jbw_value_keys(&r, root, keys, sizeof keys / sizeof *keys, config);
}
