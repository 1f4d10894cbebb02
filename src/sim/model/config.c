// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/model/config.h"

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "sim/model/scent_response.h"

#define CONFIG_COOKIE UINT32_C(0x4a425743)

static const jbw_action paper_actions[] = {
    {JBW_ACTION_MOVE_FORWARD, NULL},
    {JBW_ACTION_TURN_LEFT, NULL},
    {JBW_ACTION_TURN_RIGHT, NULL},
};

jbw_config jbw_config_default(void)
{
    return (jbw_config){
        .cookie = CONFIG_COOKIE,
        .scent_dimensions = 3,
        .color_dimensions = 3,
        .patch_size = 64,
        .mh_iterations = 10000,
        .scent_decay = 0.4,
        .scent_diffusion = 0.14,
        .collision = JBW_COLLISION_FIRST,
        .collection = JBW_COLLECTION_AUTOMATIC,
        .generation = JBW_GENERATION_FRONTIER,
        .memory_budget = 64,
        .agent =
            {
                .vision_range = 8,
                .field_of_view = 360.0,
                .actions = paper_actions,
                .action_count = sizeof paper_actions / sizeof *paper_actions,
            },
    };
}

const char *jbw_action_kind_name(jbw_action_kind kind)
{
    switch (kind) {
    case JBW_ACTION_NO_OP: return "NoOp";
    case JBW_ACTION_MOVE_FORWARD: return "MoveForward";
    case JBW_ACTION_MOVE_BACKWARD: return "MoveBackward";
    case JBW_ACTION_MOVE_LEFT: return "MoveLeft";
    case JBW_ACTION_MOVE_RIGHT: return "MoveRight";
    case JBW_ACTION_TURN_LEFT: return "TurnLeft";
    case JBW_ACTION_TURN_RIGHT: return "TurnRight";
    case JBW_ACTION_TURN_AROUND: return "TurnAround";
    case JBW_ACTION_COLLECT: return "Collect";
    case JBW_ACTION_DROP: return "Drop";
    }
    return "Unknown";
}

// ---- shared with the model ----

jbw_function_set jbw_config_functions(const jbw_config *config)
{
    return (jbw_function_set){
        .intensities = config->intensity_functions,
        .intensity_count = config->intensity_function_count,
        .interactions = config->interaction_functions,
        .interaction_count = config->interaction_function_count,
    };
}

jbw_status jbw_config_compile_intensity(const jbw_config *config, const char *text,
                                        jbw_arena *arena, jbw_intensity *out, jbw_error *error)
{
    if (!text) text = "Zero";
    const jbw_function_set functions = jbw_config_functions(config);
    jbw_expr *expr;
    jbw_status status = jbw_expr_parse(text, strlen(text), arena, &expr, error);
    return status ? status : jbw_intensity_compile(expr, &functions, out, error);
}

jbw_status jbw_config_compile_coupling(const jbw_config *config, const char *text, jbw_arena *arena,
                                       jbw_coupling *out, jbw_error *error)
{
    if (!text) text = "Zero";
    const jbw_function_set functions = jbw_config_functions(config);
    jbw_expr *expr;
    jbw_status status = jbw_expr_parse(text, strlen(text), arena, &expr, error);
    return status ? status : jbw_coupling_compile(expr, &functions, arena, out, error);
}

int jbw_config_item_index(const jbw_config *config, const char *name)
{
    for (size_t i = 0; i < config->item_count; i++)
        if (strcmp(config->items[i].name, name) == 0) return (int)i;
    return -1;
}

int jbw_energy_bits(int reach, double largest_pair)
{
    enum { FINEST = 24, COARSEST = 4 };
    // each cell in reach holds at most one item, and rounding adds at most one unit for it
    const double cells = (2.0 * reach + 1.0) * (2.0 * reach + 1.0);
    for (int bits = FINEST; bits >= COARSEST; bits--)
        if (cells * (largest_pair * (double)(1 << bits) + 1.0) < 0x1p31) return bits;
    return -1;
}

// ---- checking ----

typedef struct checker {
    const jbw_config *config;
    jbw_problem_function *report;
    void *user;
    jbw_status status;
    jbw_arena arena;
    jbw_coupling *couplings; // (item_count x item_count), zero where not given
    bool has_couplings;      // false: some are wrong, so nothing can be said of their sums
} checker;

static void tell(checker *c, int column, const char *path, const char *format, ...)
    JBW_PRINTF(4, 5);

static void tell(checker *c, int column, const char *path, const char *format, ...)
{
    if (c->status == JBW_OUT_OF_MEMORY) return;
    c->status = JBW_INVALID_CONFIG;
    if (!c->report) return;
    char text[480];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const jbw_problem problem = {.path = path, .column = column, .text = text};
    c->report(&problem, c->user);
}

// a path such as "items.Wall.color", cut when it gets too long
typedef struct path {
    char text[320];
} path;

static path make_path(const char *format, ...) JBW_PRINTF(1, 2);

static path make_path(const char *format, ...)
{
    path p;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(p.text, sizeof p.text, format, arguments);
    va_end(arguments);
    return p;
}

static void check_int(checker *c, const char *where, int64_t value, int64_t low, int64_t high)
{
    if (value < low || value > high)
        tell(c, 0, where, "found %lld, expected a whole number from %lld to %lld", (long long)value,
             (long long)low, (long long)high);
}

static void check_number(checker *c, const char *where, double value, double low, double high,
                         const char *expected)
{
    if (value >= low && value <= high) return;
    char found[JBW_DOUBLE_TEXT_SIZE];
    jbw_format_double(value, found);
    tell(c, 0, where, "found %s, expected %s", found, expected);
}

static void check_vector(checker *c, const char *where, const double *values, int count)
{
    if (!values) return;
    for (int i = 0; i < count; i++)
        check_number(c, make_path("%s.%d", where, i).text, values[i], -JBW_MAX_ENERGY,
                     JBW_MAX_ENERGY, "a number between -1e9 and 1e9");
}

static void check_item_name(checker *c, const char *where, const char *name)
{
    const jbw_config *config = c->config;
    if (name && jbw_config_item_index(config, name) >= 0) return;

    const char *names[JBW_MAX_ITEM_TYPES];
    size_t count = 0;
    for (size_t i = 0; i < config->item_count && count < JBW_MAX_ITEM_TYPES; i++)
        names[count++] = config->items[i].name;
    const char *nearest = name ? jbw_nearest_name(name, strlen(name), names, count) : NULL;
    if (nearest)
        tell(c, 0, where, "unknown item '%s', did you mean '%s'?", name, nearest);
    else
        tell(c, 0, where, "unknown item '%s', expected the name of an item of this world",
             name ? name : "");
}

static bool check_functions(checker *c)
{
    const jbw_function_set functions = jbw_config_functions(c->config);
    bool is_good = true;
    for (size_t i = 0; i < functions.intensity_count + functions.interaction_count; i++) {
        const bool is_intensity = i < functions.intensity_count;
        const size_t j = is_intensity ? i : i - functions.intensity_count;
        const char *name =
            is_intensity ? functions.intensities[j].name : functions.interactions[j].name;
        const int count = is_intensity ? functions.intensities[j].argument_count
                                       : functions.interactions[j].argument_count;
        const bool has_value = is_intensity ? functions.intensities[j].value != NULL
                                            : functions.interactions[j].value != NULL;
        const path where = make_path("functions.%s", name ? name : "");
        const bool has_good_count = count >= 0 && count <= JBW_MAX_ARGUMENTS;
        if (!name || !has_good_count || !has_value) is_good = false;
        if (!name || !jbw_is_name(name))
            tell(c, 0, where.text, "a function's name must be letters, digits and '_'");
        else if (jbw_function_name_is_taken(name))
            tell(c, 0, where.text, "'%s' is the name of a built-in function", name);
        if (!has_good_count)
            tell(c, 0, where.text, "found %d arguments, expected 0 to %d", count,
                 JBW_MAX_ARGUMENTS);
        if (!has_value) tell(c, 0, where.text, "a function needs a callback");
        if (is_intensity) continue;
        const jbw_interaction_function *interaction = &functions.interactions[j];
        if (!interaction->bounds && !(interaction->largest >= 0.0 && interaction->reach >= 0))
            tell(c, 0, where.text,
                 "a function needs its reach and its largest absolute value, or bounds");
    }
    return is_good;
}

static void check_map(checker *c)
{
    const jbw_config *config = c->config;
    check_int(c, "scent_dimensions", config->scent_dimensions, 0, JBW_MAX_DIMENSIONS);
    check_int(c, "color_dimensions", config->color_dimensions, 1, JBW_MAX_DIMENSIONS);
    check_int(c, "patch_size", config->patch_size, 1, JBW_MAX_PATCH_SIZE);
    check_int(c, "mh_iterations", config->mh_iterations, 0, JBW_MAX_MH_ITERATIONS);
    check_number(c, "scent_decay", config->scent_decay, -1.0, 1.0, "a number from -1 to 1");
    check_number(c, "scent_diffusion", config->scent_diffusion, -0.25, 0.25,
                 "a number from -0.25 to 0.25");
    const double sum = fabs(config->scent_decay) + 4.0 * fabs(config->scent_diffusion);
    if (!(sum < 1.0)) {
        char found[JBW_DOUBLE_TEXT_SIZE];
        jbw_format_double(sum, found);
        tell(c, 0, "scent_diffusion",
             "scent would never fade: |scent_decay| + 4 |scent_diffusion| is %s, expected less "
             "than 1",
             found);
    }
    if ((int)config->collision < 0 || config->collision > JBW_COLLISION_ALLOW)
        tell(c, 0, "collision", "found %d, expected a collision policy", (int)config->collision);
    if ((int)config->collection < 0 || config->collection > JBW_COLLECTION_MANUAL)
        tell(c, 0, "collection", "found %d, expected a way of collecting", (int)config->collection);
    if ((int)config->generation < 0 || config->generation > JBW_GENERATION_INVARIANT)
        tell(c, 0, "generation", "found %d, expected a way of generating", (int)config->generation);
    if (config->memory_budget < 1 || config->memory_budget > JBW_MAX_MEMORY_BUDGET)
        tell(c, 0, "memory_budget", "found %d, expected 1 to %d megabytes", config->memory_budget,
             JBW_MAX_MEMORY_BUDGET);
}

static bool is_same_action(const jbw_action *a, const jbw_action *b)
{
    if (a->kind != b->kind) return false;
    return a->kind != JBW_ACTION_DROP || (a->item && b->item && strcmp(a->item, b->item) == 0);
}

static void check_agent(checker *c)
{
    const jbw_agent_config *agent = &c->config->agent;
    check_vector(c, "agent.color", agent->color, c->config->color_dimensions);
    check_vector(c, "agent.scent", agent->scent, c->config->scent_dimensions);

    const int patch_size = c->config->patch_size;
    const int farthest = patch_size > 0 ? (patch_size - 1) / 2 : JBW_MAX_PATCH_SIZE;
    if (agent->vision_range < 0 || agent->vision_range > farthest)
        tell(c, 0, "agent.vision_range",
             "found %d, expected 0 to %d: an agent sees at most half a patch far, and patch_size "
             "is %d",
             agent->vision_range, farthest, c->config->patch_size);
    else if (agent->visual_occlusion && agent->vision_range > JBW_MAX_OCCLUDED_RANGE)
        tell(c, 0, "agent.vision_range", "found %d, expected at most %d with visual_occlusion",
             agent->vision_range, JBW_MAX_OCCLUDED_RANGE);
    check_number(c, "agent.field_of_view", agent->field_of_view, DBL_TRUE_MIN, 360.0,
                 "an angle above 0, up to 360 degrees");

    if (agent->action_count < 1 || agent->action_count > JBW_MAX_ACTIONS) {
        tell(c, 0, "agent.actions", "found %zu actions, expected 1 to %d", agent->action_count,
             JBW_MAX_ACTIONS);
        return;
    }
    for (size_t i = 0; i < agent->action_count; i++) {
        const jbw_action *action = &agent->actions[i];
        const path where = make_path("agent.actions.%zu", i);
        if ((int)action->kind < 0 || action->kind > JBW_ACTION_DROP)
            tell(c, 0, where.text, "found %d, expected an action", (int)action->kind);
        if (action->kind == JBW_ACTION_DROP) check_item_name(c, where.text, action->item);
        for (size_t j = 0; j < i; j++) {
            if (!is_same_action(action, &agent->actions[j])) continue;
            tell(c, 0, where.text, "'%s' is listed twice", jbw_action_kind_name(action->kind));
            break;
        }
    }
}

static void check_interactions(checker *c, size_t index)
{
    const jbw_config *config = c->config;
    const jbw_item_type *item = &config->items[index];
    for (size_t i = 0; i < item->interaction_count; i++) {
        const jbw_interaction *interaction = &item->interactions[i];
        const path where = make_path("items.%s.interactions.%s", item->name, interaction->item);
        check_item_name(c, where.text, interaction->item);
        for (size_t j = 0; j < i; j++) {
            if (strcmp(item->interactions[j].item, interaction->item) != 0) continue;
            tell(c, 0, where.text, "'%s' is listed twice", interaction->item);
            break;
        }

        jbw_coupling coupling;
        jbw_error error = {0};
        const jbw_status status = jbw_config_compile_coupling(config, interaction->expression,
                                                              &c->arena, &coupling, &error);
        if (status == JBW_OUT_OF_MEMORY) {
            c->status = status;
            return;
        }
        if (status) {
            tell(c, error.line == 1 ? error.column : 0, where.text, "%s", error.text);
            c->has_couplings = false;
            continue;
        }
        if (coupling.reach > config->patch_size) {
            tell(c, 0, where.text,
                 "it reaches %d cells far, expected at most %d: items interact no farther than "
                 "the next patch",
                 coupling.reach, config->patch_size);
            c->has_couplings = false;
            continue;
        }
        const int other = jbw_config_item_index(config, interaction->item);
        if (other >= 0 && c->couplings)
            c->couplings[index * config->item_count + (size_t)other] = coupling;
    }
}

static void check_counts(checker *c, const char *item, const char *key,
                         const jbw_item_count *counts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const path where = make_path("items.%s.%s.%s", item, key, counts[i].item);
        check_item_name(c, where.text, counts[i].item);
        if (counts[i].count < 1 || counts[i].count > UINT32_MAX)
            tell(c, 0, where.text, "found %llu, expected a whole number from 1 to %lu",
                 (unsigned long long)counts[i].count, (unsigned long)UINT32_MAX);
        for (size_t j = 0; j < i; j++) {
            if (strcmp(counts[j].item, counts[i].item) != 0) continue;
            tell(c, 0, where.text, "'%s' is listed twice", counts[i].item);
            break;
        }
    }
}

static void check_item(checker *c, size_t index)
{
    const jbw_config *config = c->config;
    const jbw_item_type *item = &config->items[index];
    const path where = make_path("items.%s", item->name);
    if (!jbw_is_name(item->name))
        tell(c, 0, where.text,
             "found '%.60s', expected an item name of letters, digits and '_', at most 100 long",
             item->name);
    for (size_t i = 0; i < index; i++)
        if (strcmp(config->items[i].name, item->name) == 0) {
            tell(c, 0, where.text, "the item '%s' is listed twice", item->name);
            break;
        }

    check_vector(c, make_path("%s.color", where.text).text, item->color, config->color_dimensions);
    check_vector(c, make_path("%s.scent", where.text).text, item->scent, config->scent_dimensions);
    check_number(c, make_path("%s.occlusion", where.text).text, item->occlusion, 0.0, 1.0,
                 "a number from 0 to 1");

    jbw_intensity intensity;
    jbw_error error = {0};
    const jbw_status status =
        jbw_config_compile_intensity(config, item->intensity, &c->arena, &intensity, &error);
    if (status == JBW_OUT_OF_MEMORY) {
        c->status = status;
        return;
    }
    if (status)
        tell(c, error.line == 1 ? error.column : 0, make_path("%s.intensity", where.text).text,
             "%s", error.text);

    check_interactions(c, index);
    check_counts(c, item->name, "requires", item->requirements, item->requirement_count);
    check_counts(c, item->name, "costs", item->costs, item->cost_count);
}

static bool has_scent(const double *scent, int dimensions)
{
    for (int i = 0; scent && i < dimensions; i++)
        if (scent[i] != 0.0) return true;
    return false;
}

// scent must not reach farther than the next patch, if there is any
static void check_scent(checker *c)
{
    const jbw_config *config = c->config;
    bool is_on = has_scent(config->agent.scent, config->scent_dimensions);
    for (size_t i = 0; i < config->item_count; i++)
        if (has_scent(config->items[i].scent, config->scent_dimensions)) is_on = true;
    if (!is_on) return;

    int reach;
    int memory;
    if (!jbw_scent_response_extent(config->scent_decay, config->scent_diffusion, &reach, &memory))
        tell(c, 0, "scent_diffusion",
             "scent fades too slowly: it reaches %d cells far and lasts %d steps", reach, memory);
    else if (reach > config->patch_size)
        tell(c, 0, "scent_diffusion",
             "scent reaches %d cells far, expected at most patch_size, which is %d", reach,
             config->patch_size);
}

// the sums of all interactions with an item must fit the fixed-point energies
static void check_energies(checker *c)
{
    const size_t n = c->config->item_count;
    for (size_t i = 0; i < n; i++) {
        int reach = 0;
        double largest = 0.0;
        for (size_t j = 0; j < n; j++) {
            const jbw_coupling *mine = &c->couplings[i * n + j];
            const jbw_coupling *theirs = &c->couplings[j * n + i];
            if (mine->reach > reach) reach = mine->reach;
            if (theirs->reach > reach) reach = theirs->reach;
            if (mine->largest + theirs->largest > largest)
                largest = mine->largest + theirs->largest;
        }
        if (jbw_energy_bits(reach, largest) < 0)
            tell(c, 0, make_path("items.%s.interactions", c->config->items[i].name).text,
                 "too strong: with a reach of %d cells and values up to %g, sums of energies "
                 "exceed 2^27",
                 reach, largest);
    }
}

jbw_status jbw_config_check(const jbw_config *config, jbw_problem_function *report, void *user)
{
    checker c = {.config = config, .report = report, .user = user, .has_couplings = true};
    if (config->cookie != CONFIG_COOKIE) {
        tell(&c, 0, "", "the config was not made by jbw_config_default");
        return c.status;
    }
    c.arena.allocator = config->allocator;

    check_map(&c);
    const bool has_good_map = c.status == JBW_OK;
    check_agent(&c);
    if (!check_functions(&c)) return c.status; // no expression can be compiled with those
    if (config->item_count > JBW_MAX_ITEM_TYPES) {
        tell(&c, 0, "items", "found %zu items, expected at most %d", config->item_count,
             JBW_MAX_ITEM_TYPES);
        return c.status;
    }
    for (size_t i = 0; i < config->item_count; i++)
        if (!config->items[i].name) {
            tell(&c, 0, "items", "item number %zu has no name", i);
            return c.status;
        }

    if (has_good_map) check_scent(&c);
    c.couplings =
        jbw_arena_alloc(&c.arena, config->item_count * config->item_count, sizeof *c.couplings);
    if (!c.couplings) c.status = JBW_OUT_OF_MEMORY;
    for (size_t i = 0; i < config->item_count && c.status != JBW_OUT_OF_MEMORY; i++)
        check_item(&c, i);
    if (c.status != JBW_OUT_OF_MEMORY && c.has_couplings) check_energies(&c);

    jbw_arena_deinit(&c.arena);
    return c.status;
}
