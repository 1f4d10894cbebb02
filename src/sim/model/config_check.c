// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Finds everything that is wrong with a config.

#include <float.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "sim/model/config.h"
#include "sim/model/energy_model.h"
#include "sim/model/regrowth.h"
#include "sim/model/scent_response.h"

enum { PROBLEM_SIZE = 480 };

typedef struct checker {
    const jbw_config *config;
    int least_patch_size;
    jbw_problem_function *on_problem;
    void *user;
    jbw_status status;
    jbw_arena arena;
    jbw_coupling *couplings; // (item_count x item_count), zero where not given
    bool has_couplings;      // false: some are invalid, so their sums cannot be checked
    bool has_good_map;       // false: neither can how long scent lasts
} checker;

static void report(checker *c, int column, const char *path, const char *format, ...)
    JBW_PRINTF(4, 5);

static void report(checker *c, int column, const char *path, const char *format, ...)
{
    if (c->status == JBW_OUT_OF_MEMORY) return;
    c->status = JBW_INVALID_CONFIG;
    if (!c->on_problem) return;
    char text[PROBLEM_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    const jbw_problem problem = {.path = path, .column = column, .text = text};
    c->on_problem(&problem, c->user);
}

// a path such as "items.Wall.color", truncated if it is too long
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
        report(c, 0, where, "found %lld, expected a whole number from %lld to %lld",
               (long long)value, (long long)low, (long long)high);
}

static void check_number(checker *c, const char *where, double value, double low, double high,
                         const char *expected)
{
    if (value >= low && value <= high) return;
    char found[JBW_DOUBLE_TEXT_SIZE];
    jbw_format_double(value, found);
    report(c, 0, where, "found %s, expected %s", found, expected);
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
    char text[PROBLEM_SIZE];
    jbw_describe_unknown_item(name ? name : "", names, count, text, sizeof text);
    report(c, 0, where, "%s", text);
}

// false if no expression can be compiled with this function
static bool check_function(checker *c, const char *name, int argument_count, bool has_value)
{
    const path where = make_path("functions.%s", name ? name : "");
    const bool has_good_count = argument_count >= 0 && argument_count <= JBW_MAX_ARGUMENTS;
    if (!name || !jbw_is_name(name))
        report(c, 0, where.text, "a function's name must be letters, digits and '_'");
    else if (jbw_function_name_is_taken(name))
        report(c, 0, where.text, "'%s' is the name of a built-in function", name);
    if (!has_good_count)
        report(c, 0, where.text, "found %d arguments, expected 0 to %d", argument_count,
               JBW_MAX_ARGUMENTS);
    if (!has_value) report(c, 0, where.text, "a function needs a callback");
    return name && has_good_count && has_value;
}

static bool check_functions(checker *c)
{
    const jbw_function_set functions = jbw_config_functions(c->config);
    bool is_good = true;
    for (size_t i = 0; i < functions.intensity_count; i++) {
        const jbw_intensity_function *f = &functions.intensities[i];
        is_good = check_function(c, f->name, f->argument_count, f->value != NULL) && is_good;
    }
    for (size_t i = 0; i < functions.interaction_count; i++) {
        const jbw_interaction_function *f = &functions.interactions[i];
        is_good = check_function(c, f->name, f->argument_count, f->value != NULL) && is_good;
        if (!f->bounds && !(f->largest >= 0.0 && f->reach >= 0))
            report(c, 0, make_path("functions.%s", f->name ? f->name : "").text,
                   "a function needs its reach and its largest absolute value, or bounds");
    }
    return is_good;
}

static void check_map(checker *c)
{
    const jbw_config *config = c->config;
    check_int(c, "scent_dimensions", config->scent_dimensions, 0, JBW_MAX_DIMENSIONS);
    check_int(c, "color_dimensions", config->color_dimensions, 1, JBW_MAX_DIMENSIONS);
    check_int(c, "patch_size", config->patch_size, c->least_patch_size, JBW_MAX_PATCH_SIZE);
    check_int(c, "mh_iterations", config->mh_iterations, 0, JBW_MAX_MH_ITERATIONS);
    check_number(c, "scent_decay", config->scent_decay, -1.0, 1.0, "a number from -1 to 1");
    check_number(c, "scent_diffusion", config->scent_diffusion, -0.25, 0.25,
                 "a number from -0.25 to 0.25");
    const double sum = fabs(config->scent_decay) + 4.0 * fabs(config->scent_diffusion);
    if (!(sum < 1.0)) {
        char found[JBW_DOUBLE_TEXT_SIZE];
        jbw_format_double(sum, found);
        report(c, 0, "scent_diffusion",
               "scent would never fade: |scent_decay| + 4 |scent_diffusion| is %s, expected less "
               "than 1",
               found);
    }
    if ((int)config->collision < 0 || config->collision > JBW_COLLISION_ALLOW)
        report(c, 0, "collision", "found %d, expected a collision policy", (int)config->collision);
    if ((int)config->collection < 0 || config->collection > JBW_COLLECTION_MANUAL)
        report(c, 0, "collection", "found %d, expected a collection policy",
               (int)config->collection);
    if ((int)config->generation < 0 || config->generation > JBW_GENERATION_INVARIANT)
        report(c, 0, "generation", "found %d, expected a generation policy",
               (int)config->generation);
    if (config->memory_budget < 1 || config->memory_budget > JBW_MAX_MEMORY_BUDGET)
        report(c, 0, "memory_budget", "found %d, expected 1 to %d megabytes", config->memory_budget,
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
        report(c, 0, "agent.vision_range",
               "found %d, expected 0 to %d: agents see at most half a patch, and patch_size is %d",
               agent->vision_range, farthest, c->config->patch_size);
    else if (agent->visual_occlusion && agent->vision_range > JBW_MAX_OCCLUDED_RANGE)
        report(c, 0, "agent.vision_range", "found %d, expected at most %d with visual_occlusion",
               agent->vision_range, JBW_MAX_OCCLUDED_RANGE);
    check_number(c, "agent.field_of_view", agent->field_of_view, DBL_TRUE_MIN, 360.0,
                 "an angle above 0, up to 360 degrees");

    if (agent->action_count < 1 || agent->action_count > JBW_MAX_ACTIONS) {
        report(c, 0, "agent.actions", "found %zu actions, expected 1 to %d", agent->action_count,
               JBW_MAX_ACTIONS);
        return;
    }
    for (size_t i = 0; i < agent->action_count; i++) {
        const jbw_action *action = &agent->actions[i];
        const path where = make_path("agent.actions.%zu", i);
        if ((int)action->kind < 0 || action->kind > JBW_ACTION_DROP)
            report(c, 0, where.text, "found %d, expected an action", (int)action->kind);
        if (action->kind == JBW_ACTION_DROP) check_item_name(c, where.text, action->item);
        for (size_t j = 0; j < i; j++) {
            if (!is_same_action(action, &agent->actions[j])) continue;
            report(c, 0, where.text, "'%s' is listed twice", jbw_action_kind_name(action->kind));
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
        if (!interaction->item) {
            report(c, 0, make_path("items.%s.interactions", item->name).text,
                   "interaction %zu has no item", i);
            return;
        }
        const path where = make_path("items.%s.interactions.%s", item->name, interaction->item);
        check_item_name(c, where.text, interaction->item);
        for (size_t j = 0; j < i; j++) {
            if (strcmp(item->interactions[j].item, interaction->item) != 0) continue;
            report(c, 0, where.text, "'%s' is listed twice", interaction->item);
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
            report(c, error.line == 1 ? error.column : 0, where.text, "%s", error.text);
            c->has_couplings = false;
            continue;
        }
        if (coupling.reach > config->patch_size) {
            report(c, 0, where.text,
                   "its reach is %d cells, expected at most %d: items interact at most across "
                   "neighboring patches",
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
        if (!counts[i].item) {
            report(c, 0, make_path("items.%s.%s", item, key).text, "entry %zu has no item", i);
            return;
        }
        const path where = make_path("items.%s.%s.%s", item, key, counts[i].item);
        check_item_name(c, where.text, counts[i].item);
        if (counts[i].count < 1 || counts[i].count > UINT32_MAX)
            report(c, 0, where.text, "found %llu, expected a whole number from 1 to %lu",
                   (unsigned long long)counts[i].count, (unsigned long)UINT32_MAX);
        for (size_t j = 0; j < i; j++) {
            if (strcmp(counts[j].item, counts[i].item) != 0) continue;
            report(c, 0, where.text, "'%s' is listed twice", counts[i].item);
            break;
        }
    }
}

static bool has_scent(const double *scent, int dimensions)
{
    for (int i = 0; scent && i < dimensions; i++)
        if (scent[i] != 0.0) return true;
    return false;
}

// Scent remembers only a few beginnings and ends of a season: what it costs to smell grows with them.
static void check_season_lasts(checker *c, const char *where, const jbw_season *season)
{
    enum { SHARE = 8 };
    int reach;
    int memory;
    if (!jbw_scent_response_extent(c->config->scent_decay, c->config->scent_diffusion, &reach,
                                   &memory))
        return;
    const uint64_t least = ((uint64_t)memory + SHARE - 1) / SHARE;
    const uint64_t lasts = (season->to + season->period - season->from) % season->period;
    const uint64_t pauses = season->period - lasts;
    if (lasts < least || pauses < least)
        report(c, 0, where,
               "it lasts %llu steps and pauses for %llu, expected at least %llu each: an eighth of "
               "the %d steps for which scent lasts",
               (unsigned long long)lasts, (unsigned long long)pauses, (unsigned long long)least,
               memory);
}

static void check_season(checker *c, const jbw_item_type *item)
{
    const jbw_season *season = &item->season;
    const path where = make_path("items.%s.season", item->name);
    if (season->period == 0 && season->from == 0 && season->to == 0) return;
    if (season->period < 2 || season->period > JBW_MAX_TIME) {
        report(c, 0, make_path("%s.period", where.text).text,
               "found %llu, expected a whole number from 2 to 2^62",
               (unsigned long long)season->period);
    } else if (season->from >= season->period) {
        report(c, 0, make_path("%s.from", where.text).text,
               "found %llu, expected less than the period, which is %llu",
               (unsigned long long)season->from, (unsigned long long)season->period);
    } else if (season->to > season->period) {
        report(c, 0, make_path("%s.to", where.text).text,
               "found %llu, expected at most the period, which is %llu",
               (unsigned long long)season->to, (unsigned long long)season->period);
    } else if (season->from == season->to % season->period) {
        report(c, 0, where.text, "it is %s in season, expected a season and a pause",
               season->from == season->to ? "never" : "always");
    } else if (c->has_good_map && has_scent(item->scent, c->config->scent_dimensions)) {
        check_season_lasts(c, where.text, season);
    }
}

static void check_regrowth(checker *c, const jbw_item_type *item)
{
    const path where = make_path("items.%s.regrows", item->name);
    jbw_regrowth law;
    jbw_error error = {0};
    const jbw_status status = jbw_regrowth_compile(item->regrows, &c->arena, &law, &error);
    if (status == JBW_OUT_OF_MEMORY)
        c->status = status;
    else if (status)
        report(c, error.line == 1 ? error.column : 0, where.text, "%s", error.text);
    else if (item->regrows && item->is_uncollectable)
        report(c, 0, where.text, "items that cannot be collected do not grow back");
}

static void check_item(checker *c, size_t index)
{
    const jbw_config *config = c->config;
    const jbw_item_type *item = &config->items[index];
    const path where = make_path("items.%s", item->name);
    if (!jbw_is_name(item->name))
        report(c, 0, where.text,
               "found '%.60s', expected an item name of at most 100 letters, digits and '_'",
               item->name);
    for (size_t i = 0; i < index; i++)
        if (strcmp(config->items[i].name, item->name) == 0) {
            report(c, 0, where.text, "the item '%s' is listed twice", item->name);
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
        report(c, error.line == 1 ? error.column : 0, make_path("%s.intensity", where.text).text,
               "%s", error.text);

    check_interactions(c, index);
    check_counts(c, item->name, "requires", item->requirements, item->requirement_count);
    check_counts(c, item->name, "costs", item->costs, item->cost_count);
    check_season(c, item);
    check_regrowth(c, item);
}

// scent must not reach beyond neighboring patches
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
        report(c, 0, "scent_diffusion",
               "scent fades too slowly: it reaches %d cells and lasts %d steps", reach, memory);
    else if (reach > config->patch_size)
        report(c, 0, "scent_diffusion",
               "scent reaches %d cells, expected at most patch_size, which is %d", reach,
               config->patch_size);
}

// the sums of all interactions with an item have to fit the fixed-point energies
static void check_energies(checker *c)
{
    for (size_t i = 0; i < c->config->item_count; i++) {
        int reach;
        double largest;
        jbw_couplings_extent(c->couplings, (int)c->config->item_count, (int)i, &reach, &largest);
        if (jbw_energy_bits(reach, largest) < 0)
            report(c, 0, make_path("items.%s.interactions", c->config->items[i].name).text,
                   "too strong: with a reach of %d cells and values up to %g, sums of energies "
                   "exceed 2^27",
                   reach, largest);
    }
}

jbw_status jbw_config_check(const jbw_config *config, jbw_problem_function *on_problem, void *user)
{
    return jbw_config_check_from(config, JBW_MIN_PATCH_SIZE, on_problem, user);
}

jbw_status jbw_config_check_from(const jbw_config *config, int least_patch_size,
                                 jbw_problem_function *on_problem, void *user)
{
    checker c = {.config = config,
                 .least_patch_size = least_patch_size,
                 .on_problem = on_problem,
                 .user = user,
                 .has_couplings = true};
    if (config->cookie != JBW_CONFIG_COOKIE) {
        report(&c, 0, "", "the config was not initialized by jbw_config_default");
        return c.status;
    }
    c.arena.allocator = config->allocator;
    for (size_t i = 0; i < config->item_count; i++)
        if (!config->items[i].name) {
            report(&c, 0, "items", "item %zu has no name", i);
            return c.status;
        }

    check_map(&c);
    c.has_good_map = c.status == JBW_OK;
    check_agent(&c);
    if (!check_functions(&c)) return c.status;
    if (config->item_count > JBW_MAX_ITEM_TYPES) {
        report(&c, 0, "items", "found %zu items, expected at most %d", config->item_count,
               JBW_MAX_ITEM_TYPES);
        return c.status;
    }
    if (c.has_good_map) check_scent(&c);
    c.couplings =
        jbw_arena_alloc(&c.arena, config->item_count * config->item_count, sizeof *c.couplings);
    if (!c.couplings) c.status = JBW_OUT_OF_MEMORY;
    for (size_t i = 0; i < config->item_count && c.status != JBW_OUT_OF_MEMORY; i++)
        check_item(&c, i);
    if (c.status != JBW_OUT_OF_MEMORY && c.has_couplings) check_energies(&c);

    jbw_arena_deinit(&c.arena);
    return c.status;
}
