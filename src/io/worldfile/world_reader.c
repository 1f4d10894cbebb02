// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "io/worldfile/world_reader.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "io/worldfile/world_file.h"

typedef struct reader {
    jbw_arena *arena;
    jbw_problems *problems;
    int color_dimensions; // negative if unknown, because its key is faulty
    int scent_dimensions;
} reader;

/// Reads the value of a key into `target`, the field at the key's offset.
typedef void read_function(reader *r, jbw_yaml_node *node, void *target);

typedef struct key {
    const char *name;
    read_function *read;
    size_t offset; // of the field
} key;

enum { MAX_KEYS = 16 }; // of a mapping

#define WORD_COUNT(words) (sizeof(words) / sizeof *(words))

// --- reporting problems -------------------------------------------------------------------------

static void complain(reader *r, jbw_yaml_node *node, const char *format, ...) JBW_PRINTF(3, 4);

static void complain(reader *r, jbw_yaml_node *node, const char *format, ...)
{
    char text[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    jbw_problems_add(r->problems, node->place, "%s", text);
    node->is_faulty = true;
}

static void complain_kind(reader *r, jbw_yaml_node *node, const char *expected)
{
    char found[JBW_YAML_DESCRIPTION_SIZE];
    jbw_yaml_describe(node, found);

    // a number or word that would be right without its quotes
    double number;
    const bool is_number = jbw_parse_double(node->text ? node->text : "", node->length, &number);
    const bool is_word =
        node->text && (strcmp(node->text, "true") == 0 || strcmp(node->text, "false") == 0);
    const bool is_only_quoted = node->is_quoted && ((is_number && strstr(expected, "number")) ||
                                                    (is_word && strstr(expected, "true")));
    complain(r, node, "found %s, expected %s%s", found, expected,
             is_only_quoted ? " without quotes" : "");
}

static void join_names(const char *const *names, size_t count, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < count && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", i == 0 ? "" : ", ", names[i]);
}

// returns the name that was probably meant, or NULL
static const char *complain_unknown(reader *r, jbw_yaml_node *node, const char *what,
                                    const char *name, size_t length, const char *const *names,
                                    size_t count)
{
    char quoted[JBW_YAML_DESCRIPTION_SIZE];
    jbw_yaml_quote(name, length, quoted);
    if (r->problems->left_off > 0) { // it will not be kept
        complain(r, node, "unknown %s %s", what, quoted);
        return NULL;
    }
    const char *nearest = jbw_nearest_name(name, length, names, count);
    if (nearest) {
        complain(r, node, "unknown %s %s, did you mean '%s'?", what, quoted, nearest);
    } else {
        char all[300];
        join_names(names, count, all, sizeof all);
        complain(r, node, "unknown %s %s, expected one of %s", what, quoted, all);
    }
    return nearest;
}

static void *take(reader *r, size_t count, size_t size)
{
    void *memory = jbw_arena_alloc(r->arena, count, size);
    if (!memory) jbw_problems_add_out_of_memory(r->problems);
    return memory;
}

static const char *take_text(reader *r, const char *text, size_t length)
{
    const char *copy = jbw_arena_text(r->arena, text, length);
    if (!copy) jbw_problems_add_out_of_memory(r->problems);
    return copy;
}

// --- values -------------------------------------------------------------------------------------

static bool is_bare(const jbw_yaml_node *node)
{
    return node->kind == JBW_YAML_TEXT && !node->is_quoted;
}

static bool parse_number(reader *r, jbw_yaml_node *node, double *out)
{
    if (is_bare(node) && jbw_parse_double(node->text, node->length, out)) return true;
    complain_kind(r, node, "a number");
    return false;
}

static bool parse_whole(reader *r, jbw_yaml_node *node, int64_t low, int64_t high, int64_t *out)
{
    if (!is_bare(node) || !jbw_parse_int64(node->text, node->length, out)) {
        complain_kind(r, node, "a whole number");
        return false;
    }
    if (*out < low || *out > high) {
        char expected[80];
        snprintf(expected, sizeof expected, "a whole number from %lld to %lld", (long long)low,
                 (long long)high);
        complain_kind(r, node, expected);
        return false;
    }
    return true;
}

static void read_int(reader *r, jbw_yaml_node *node, void *target)
{
    int64_t value;
    if (parse_whole(r, node, INT_MIN, INT_MAX, &value)) *(int *)target = (int)value;
}

static void read_number(reader *r, jbw_yaml_node *node, void *target)
{
    double value;
    if (parse_number(r, node, &value)) *(double *)target = value;
}

static void read_bool(reader *r, jbw_yaml_node *node, void *target)
{
    static const char *const words[] = {"false", "true", "False", "True", "FALSE", "TRUE"};
    for (size_t i = 0; is_bare(node) && i < sizeof words / sizeof *words; i++) {
        if (strcmp(node->text, words[i]) != 0) continue;
        *(bool *)target = i % 2 == 1;
        return;
    }
    complain_kind(r, node, "true or false");
}

static void read_collectable(reader *r, jbw_yaml_node *node, void *target)
{
    bool is_collectable = true;
    read_bool(r, node, &is_collectable);
    *(bool *)target = !is_collectable;
}

// the index of a word in a list, or -1 after complaining
static int read_word(reader *r, jbw_yaml_node *node, const char *what, const char *const *words,
                     size_t count)
{
    if (node->kind != JBW_YAML_TEXT) {
        char all[100];
        char expected[120];
        join_names(words, count, all, sizeof all);
        snprintf(expected, sizeof expected, "one of %s", all);
        complain_kind(r, node, expected);
        return -1;
    }
    for (size_t i = 0; i < count; i++)
        if (strcmp(node->text, words[i]) == 0) return (int)i;
    complain_unknown(r, node, what, node->text, node->length, words, count);
    return -1;
}

static void read_collision(reader *r, jbw_yaml_node *node, void *target)
{
    const int index =
        read_word(r, node, "collision", jbw_collision_words, WORD_COUNT(jbw_collision_words));
    if (index >= 0) *(jbw_collision *)target = (jbw_collision)index;
}

static void read_collection(reader *r, jbw_yaml_node *node, void *target)
{
    const int index =
        read_word(r, node, "collection", jbw_collection_words, WORD_COUNT(jbw_collection_words));
    if (index >= 0) *(jbw_collection *)target = (jbw_collection)index;
}

static void read_generation(reader *r, jbw_yaml_node *node, void *target)
{
    const int index =
        read_word(r, node, "generation", jbw_generation_words, WORD_COUNT(jbw_generation_words));
    if (index >= 0) *(jbw_generation *)target = (jbw_generation)index;
}

static void read_vector(reader *r, jbw_yaml_node *node, const double **out, int dimensions,
                        const char *dimensions_key)
{
    if (node->kind != JBW_YAML_LIST) {
        complain_kind(r, node, "a list of numbers");
        return;
    }
    bool is_good = true;
    if (dimensions >= 0 && node->count != (size_t)dimensions) {
        complain(r, node, "found a list of %zu, expected a list of %d numbers, as set by %s",
                 node->count, dimensions, dimensions_key);
        is_good = false;
    }
    double *values = take(r, node->count, sizeof *values);
    if (!values) return;
    for (size_t i = 0; i < node->count; i++)
        if (!parse_number(r, node->pairs[i].value, &values[i])) is_good = false;
    if (is_good && dimensions >= 0) *out = values;
}

static void read_color(reader *r, jbw_yaml_node *node, void *target)
{
    read_vector(r, node, target, r->color_dimensions, "color_dimensions");
}

static void read_scent(reader *r, jbw_yaml_node *node, void *target)
{
    read_vector(r, node, target, r->scent_dimensions, "scent_dimensions");
}

static const char *parse_expression(reader *r, jbw_yaml_node *node, const char *example)
{
    double number;
    char expected[80];
    snprintf(expected, sizeof expected, "an expression such as %s", example);
    if (node->kind != JBW_YAML_TEXT ||
        (is_bare(node) && jbw_parse_double(node->text, node->length, &number))) {
        complain_kind(r, node, expected);
        return NULL;
    }
    return take_text(r, node->text, node->length);
}

static void read_intensity(reader *r, jbw_yaml_node *node, void *target)
{
    *(const char **)target = parse_expression(r, node, "Constant[1.5]");
}

static void read_regrows(reader *r, jbw_yaml_node *node, void *target)
{
    *(const char **)target = parse_expression(r, node, "Uniform[100, 900]");
}

// --- mappings -----------------------------------------------------------------------------------

// `interactions:` with nothing below it is an empty mapping
static bool expect_mapping(reader *r, jbw_yaml_node *node, const char *expected)
{
    if (node->kind == JBW_YAML_MAPPING) return true;
    if (node->kind != JBW_YAML_NULL) complain_kind(r, node, expected);
    return false;
}

// Reads a mapping with known keys, in the order of `keys`, because some depend on earlier ones.
static void read_keys(reader *r, jbw_yaml_node *node, const key *keys, size_t key_count,
                      void *target)
{
    const char *names[MAX_KEYS];
    jbw_yaml_node *values[MAX_KEYS] = {NULL};
    for (size_t k = 0; k < key_count; k++) {
        names[k] = keys[k].name;
        jbw_yaml_pair *pair = jbw_yaml_find(node, names[k], strlen(names[k]));
        if (pair) values[k] = pair->value;
    }
    for (size_t i = 0; i < node->count; i++) {
        jbw_yaml_node *name = node->pairs[i].key;
        size_t k = 0;
        while (k < key_count && strcmp(names[k], name->text) != 0) k++;
        if (k < key_count) continue;

        // continue as if it had been spelt correctly
        const char *nearest =
            complain_unknown(r, name, "key", name->text, name->length, names, key_count);
        for (k = 0; nearest && k < key_count; k++) {
            if (names[k] != nearest || values[k]) continue;
            values[k] = node->pairs[i].value;
            name->text = nearest;
            name->length = strlen(nearest);
        }
    }
    for (size_t k = 0; k < key_count; k++)
        if (values[k]) keys[k].read(r, values[k], (char *)target + keys[k].offset);
}

// an item type cannot refer to more item types than a world can have
static size_t count_names(reader *r, jbw_yaml_node *node, const char *expected)
{
    if (!expect_mapping(r, node, expected)) return 0;
    if (node->count <= JBW_MAX_ITEM_TYPES) return node->count;
    complain(r, node, "found %zu items, expected at most %d", node->count, JBW_MAX_ITEM_TYPES);
    return 0;
}

static void read_counts(reader *r, jbw_yaml_node *node, const jbw_item_count **out,
                        size_t *out_count)
{
    const size_t count = count_names(r, node, "a mapping such as {Axe: 1}");
    jbw_item_count *counts = take(r, count, sizeof *counts);
    if (!counts) return;
    for (size_t i = 0; i < count; i++) {
        const jbw_yaml_node *name = node->pairs[i].key;
        int64_t value;
        if (!parse_whole(r, node->pairs[i].value, 1, UINT32_MAX, &value)) continue;
        const char *item = take_text(r, name->text, name->length);
        if (!item) return;
        counts[(*out_count)++] = (jbw_item_count){.item = item, .count = (uint64_t)value};
    }
    *out = counts;
}

static void read_requires(reader *r, jbw_yaml_node *node, void *target)
{
    jbw_item_type *type = target;
    read_counts(r, node, &type->requirements, &type->requirement_count);
}

static void read_costs(reader *r, jbw_yaml_node *node, void *target)
{
    jbw_item_type *type = target;
    read_counts(r, node, &type->costs, &type->cost_count);
}

static void read_interactions(reader *r, jbw_yaml_node *node, void *target)
{
    jbw_item_type *type = target;
    const size_t count =
        count_names(r, node, "a mapping such as {Wall: \"PiecewiseBox[10, 100, 2, -100]\"}");
    jbw_interaction *interactions = take(r, count, sizeof *interactions);
    if (!interactions) return;
    for (size_t i = 0; i < count; i++) {
        const jbw_yaml_node *name = node->pairs[i].key;
        const char *expression =
            parse_expression(r, node->pairs[i].value, "PiecewiseBox[10, 100, 2, -100]");
        if (!expression) continue;
        const char *item = take_text(r, name->text, name->length);
        if (!item) return;
        interactions[type->interaction_count++] =
            (jbw_interaction){.item = item, .expression = expression};
    }
    type->interactions = interactions;
}

static void read_time(reader *r, jbw_yaml_node *node, void *target)
{
    int64_t value;
    if (parse_whole(r, node, 0, (int64_t)JBW_MAX_TIME, &value))
        *(uint64_t *)target = (uint64_t)value;
}

static void read_period(reader *r, jbw_yaml_node *node, void *target)
{
    int64_t value;
    if (parse_whole(r, node, 2, (int64_t)JBW_MAX_TIME, &value))
        *(uint64_t *)target = (uint64_t)value;
}

static size_t count_problems(const reader *r)
{
    return r->problems->count + r->problems->left_off;
}

static void read_season(reader *r, jbw_yaml_node *node, void *target)
{
    static const key keys[] = {
        {"period", read_period, offsetof(jbw_season, period)},
        {"from", read_time, offsetof(jbw_season, from)},
        {"to", read_time, offsetof(jbw_season, to)},
    };
    static const char expected[] = "a mapping such as {period: 1000, from: 0, to: 500}";
    if (node->kind != JBW_YAML_MAPPING) {
        complain_kind(r, node, expected);
        return;
    }
    const size_t problem_count = count_problems(r);
    read_keys(r, node, keys, WORD_COUNT(keys), target);
    for (size_t k = 0; k < WORD_COUNT(keys) && count_problems(r) == problem_count; k++)
        if (!jbw_yaml_find(node, keys[k].name, strlen(keys[k].name)))
            complain(r, node, "'%s' is missing, expected %s", keys[k].name, expected);
    // do not complain about what is left of it as well
    if (count_problems(r) != problem_count) *(jbw_season *)target = (jbw_season){0};
}

static void read_items(reader *r, jbw_yaml_node *node, void *target)
{
    static const key keys[] = {
        {"color", read_color, offsetof(jbw_item_type, color)},
        {"scent", read_scent, offsetof(jbw_item_type, scent)},
        {"occlusion", read_number, offsetof(jbw_item_type, occlusion)},
        {"blocks_movement", read_bool, offsetof(jbw_item_type, blocks_movement)},
        {"collectable", read_collectable, offsetof(jbw_item_type, is_uncollectable)},
        {"intensity", read_intensity, offsetof(jbw_item_type, intensity)},
        {"interactions", read_interactions, 0},
        {"requires", read_requires, 0},
        {"costs", read_costs, 0},
        {"season", read_season, offsetof(jbw_item_type, season)},
        {"regrows", read_regrows, offsetof(jbw_item_type, regrows)},
    };
    jbw_config *config = target;
    if (!expect_mapping(r, node, "a mapping of items")) return;
    jbw_item_type *items = take(r, node->count, sizeof *items);
    if (!items) return;
    for (size_t i = 0; i < node->count; i++) {
        const jbw_yaml_node *name = node->pairs[i].key;
        items[i].name = take_text(r, name->text, name->length);
        if (!items[i].name) return;
        if (expect_mapping(r, node->pairs[i].value, "a mapping such as {color: [1, 0, 0]}"))
            read_keys(r, node->pairs[i].value, keys, sizeof keys / sizeof *keys, &items[i]);
    }
    config->items = items;
    config->item_count = node->count;
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
static bool parse_action(reader *r, jbw_yaml_node *node, jbw_action *out)
{
    enum { KIND_COUNT = JBW_ACTION_DROP + 1 };
    const char *names[KIND_COUNT];
    for (int kind = 0; kind < KIND_COUNT; kind++)
        names[kind] = jbw_action_kind_name((jbw_action_kind)kind);

    if (node->kind != JBW_YAML_TEXT) {
        complain_kind(r, node, "an action such as MoveForward");
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
            complain_kind(r, node, "a ']' at its end");
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
            out->item = take_text(r, item, item_length);
            return out->item != NULL;
        }
        if (!is_drop && !bracket) return true;
        complain_kind(r, node,
                      is_drop ? "the item to drop, as in Drop[Onion]"
                              : "no brackets: only Drop has an item");
        return false;
    }
    complain_unknown(r, node, "action", name, length, names, KIND_COUNT);
    return false;
}

static void read_actions(reader *r, jbw_yaml_node *node, void *target)
{
    jbw_agent_config *agent = target;
    if (node->kind != JBW_YAML_LIST) {
        complain_kind(r, node, "a list of actions");
        return;
    }
    jbw_action *actions = take(r, node->count, sizeof *actions);
    if (!actions) return;
    size_t count = 0;
    for (size_t i = 0; i < node->count; i++)
        if (parse_action(r, node->pairs[i].value, &actions[count])) count++;
    if (count == 0 && node->count > 0)
        return; // all are faulty: do not complain about an empty list as well
    agent->actions = actions;
    agent->action_count = count;
}

static void read_agent(reader *r, jbw_yaml_node *node, void *target)
{
    static const key keys[] = {
        {"color", read_color, offsetof(jbw_agent_config, color)},
        {"scent", read_scent, offsetof(jbw_agent_config, scent)},
        {"vision_range", read_int, offsetof(jbw_agent_config, vision_range)},
        {"field_of_view", read_number, offsetof(jbw_agent_config, field_of_view)},
        {"visual_occlusion", read_bool, offsetof(jbw_agent_config, visual_occlusion)},
        {"actions", read_actions, 0},
    };
    if (expect_mapping(r, node, "a mapping such as {vision_range: 8}"))
        read_keys(r, node, keys, sizeof keys / sizeof *keys, target);
}

// --- the world ----------------------------------------------------------------------------------

// the length of vectors, or -1 if the document gives no valid one
static int usable_dimensions(const jbw_yaml_node *node, int value)
{
    return node->is_faulty || value < 0 || value > JBW_MAX_DIMENSIONS ? -1 : value;
}

static void read_scent_dimensions(reader *r, jbw_yaml_node *node, void *target)
{
    read_int(r, node, target);
    r->scent_dimensions = usable_dimensions(node, *(const int *)target);
}

static void read_color_dimensions(reader *r, jbw_yaml_node *node, void *target)
{
    read_int(r, node, target);
    r->color_dimensions = usable_dimensions(node, *(const int *)target);
}

static void read_patch_size(reader *r, jbw_yaml_node *node, void *target)
{
    read_int(r, node, target);
    if (node->is_faulty) *(int *)target = JBW_MAX_PATCH_SIZE; // so that no reach is too far
}

static void read_scent_rate(reader *r, jbw_yaml_node *node, void *target)
{
    read_number(r, node, target);
    if (node->is_faulty) *(double *)target = 0.0; // so that the other rate is never too large
}

void jbw_world_reader_fill(jbw_config *config, jbw_yaml_node *root, jbw_arena *arena,
                           jbw_problems *problems)
{
    static const key keys[] = {
        {"scent_dimensions", read_scent_dimensions, offsetof(jbw_config, scent_dimensions)},
        {"color_dimensions", read_color_dimensions, offsetof(jbw_config, color_dimensions)},
        {"patch_size", read_patch_size, offsetof(jbw_config, patch_size)},
        {"mh_iterations", read_int, offsetof(jbw_config, mh_iterations)},
        {"scent_decay", read_scent_rate, offsetof(jbw_config, scent_decay)},
        {"scent_diffusion", read_scent_rate, offsetof(jbw_config, scent_diffusion)},
        {"collision", read_collision, offsetof(jbw_config, collision)},
        {"collection", read_collection, offsetof(jbw_config, collection)},
        {"generation", read_generation, offsetof(jbw_config, generation)},
        {"memory_budget", read_int, offsetof(jbw_config, memory_budget)},
        {"agent", read_agent, offsetof(jbw_config, agent)},
        {"items", read_items, 0},
    };
    reader r = {
        .arena = arena,
        .problems = problems,
        .color_dimensions = config->color_dimensions,
        .scent_dimensions = config->scent_dimensions,
    };
    if (root->kind == JBW_YAML_NULL)
        complain(&r, root, "the file is empty, expected keys such as items");
    else if (expect_mapping(&r, root, "a mapping with keys such as items"))
        read_keys(&r, root, keys, sizeof keys / sizeof *keys, config);
}
