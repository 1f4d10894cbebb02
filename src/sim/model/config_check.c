// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Finds everything that is wrong with a config.

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "sim/model/config_checker.h"
#include "sim/model/energy_model.h"
#include "sim/model/scent_response.h"

// false if no expression can be compiled with this function
static bool check_function(jbw_checker *c, const char *name, int argument_count, bool has_value)
{
    const jbw_checker_path where = jbw_checker_path_of("functions.%s", name ? name : "");
    const bool has_good_count = argument_count >= 0 && argument_count <= JBW_MAX_ARGUMENTS;
    if (!name || !jbw_is_name(name))
        jbw_checker_report(c, 0, where.text, "a function's name must be letters, digits and '_'");
    else if (jbw_function_name_is_taken(name))
        jbw_checker_report(c, 0, where.text, "'%s' is the name of a built-in function", name);
    if (!has_good_count)
        jbw_checker_report(c, 0, where.text, "found %d arguments, expected 0 to %d", argument_count,
                           JBW_MAX_ARGUMENTS);
    if (!has_value) jbw_checker_report(c, 0, where.text, "a function needs a callback");
    return name && has_good_count && has_value;
}

static bool check_functions(jbw_checker *c)
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
            jbw_checker_report(
                c, 0, jbw_checker_path_of("functions.%s", f->name ? f->name : "").text,
                "a function needs its reach and its largest absolute value, or bounds");
    }
    return is_good;
}

static void check_maturity(jbw_checker *c)
{
    const double maturity = c->config->maturity;
    char found[JBW_DOUBLE_TEXT_SIZE];
    jbw_format_double(maturity, found);
    if (!(maturity >= 0.9 && maturity <= 1.0))
        jbw_checker_report(c, 0, "maturity", "found %s, expected 0.9 to 1", found);
    else if (maturity < 1.0 && c->config->generation != JBW_GENERATION_INVARIANT)
        jbw_checker_report(c, 0, "maturity", "found %s, expected 1 unless generation is invariant",
                           found);
}

static void check_map(jbw_checker *c)
{
    const jbw_config *config = c->config;
    jbw_checker_int(c, "scent_dimensions", config->scent_dimensions, 0, JBW_MAX_DIMENSIONS);
    jbw_checker_int(c, "color_dimensions", config->color_dimensions, 1, JBW_MAX_DIMENSIONS);
    jbw_checker_int(c, "patch_size", config->patch_size, c->least_patch_size, JBW_MAX_PATCH_SIZE);
    jbw_checker_int(c, "mh_iterations", config->mh_iterations, 0, JBW_MAX_MH_ITERATIONS);
    jbw_checker_number(c, "scent_decay", config->scent_decay, -1.0, 1.0, "a number from -1 to 1");
    jbw_checker_number(c, "scent_diffusion", config->scent_diffusion, -0.25, 0.25,
                       "a number from -0.25 to 0.25");
    const double sum = fabs(config->scent_decay) + 4.0 * fabs(config->scent_diffusion);
    if (!(sum < 1.0)) {
        char found[JBW_DOUBLE_TEXT_SIZE];
        jbw_format_double(sum, found);
        jbw_checker_report(
            c, 0, "scent_diffusion",
            "scent would never fade: |scent_decay| + 4 |scent_diffusion| is %s, expected less "
            "than 1",
            found);
    }
    if ((int)config->collision < 0 || config->collision > JBW_COLLISION_ALLOW)
        jbw_checker_report(c, 0, "collision", "found %d, expected a collision policy",
                           (int)config->collision);
    if ((int)config->collection < 0 || config->collection > JBW_COLLECTION_MANUAL)
        jbw_checker_report(c, 0, "collection", "found %d, expected a collection policy",
                           (int)config->collection);
    if ((int)config->generation < 0 || config->generation > JBW_GENERATION_INVARIANT)
        jbw_checker_report(c, 0, "generation", "found %d, expected a generation policy",
                           (int)config->generation);
    if (config->memory_budget < 1 || config->memory_budget > JBW_MAX_MEMORY_BUDGET)
        jbw_checker_report(c, 0, "memory_budget", "found %d, expected 1 to %d megabytes",
                           config->memory_budget, JBW_MAX_MEMORY_BUDGET);
    check_maturity(c);
}

// scent must not reach beyond neighboring patches
static void check_scent(jbw_checker *c)
{
    const jbw_config *config = c->config;
    bool is_on = jbw_config_has_scent(config->agent.scent, config->scent_dimensions);
    for (size_t i = 0; i < config->body_count; i++)
        if (jbw_config_has_scent(config->bodies[i].scent, config->scent_dimensions)) is_on = true;
    for (size_t i = 0; i < config->item_count; i++)
        if (jbw_config_has_scent(config->items[i].scent, config->scent_dimensions)) is_on = true;
    if (!is_on) return;

    int reach;
    int memory;
    if (!jbw_scent_response_extent(config->scent_decay, config->scent_diffusion, &reach, &memory))
        jbw_checker_report(c, 0, "scent_diffusion",
                           "scent fades too slowly: it reaches %d cells and lasts %d steps", reach,
                           memory);
    else if (reach > config->patch_size)
        jbw_checker_report(c, 0, "scent_diffusion",
                           "scent reaches %d cells, expected at most patch_size, which is %d",
                           reach, config->patch_size);
}

// the sums of all interactions with an item have to fit the fixed-point energies
static void check_energies(jbw_checker *c)
{
    for (size_t i = 0; i < c->config->item_count; i++) {
        int reach;
        double largest;
        jbw_couplings_extent(c->couplings, (int)c->config->item_count, (int)i, &reach, &largest);
        if (jbw_energy_bits(reach, largest) < 0)
            jbw_checker_report(
                c, 0, jbw_checker_path_of("items.%s.interactions", c->config->items[i].name).text,
                "too strong: with a reach of %d cells and values up to %g, sums of energies "
                "exceed 2^27",
                reach, largest);
    }
}

static bool has_names(const jbw_kind *kind)
{
    bool has_all = kind->name != NULL;
    for (size_t i = 0; i < kind->member_count; i++) has_all = has_all && kind->members[i];
    return has_all;
}

jbw_status jbw_config_check(const jbw_config *config, jbw_problem_function *on_problem, void *user)
{
    return jbw_config_check_from(config, JBW_MIN_PATCH_SIZE, on_problem, user);
}

jbw_status jbw_config_check_from(const jbw_config *config, int least_patch_size,
                                 jbw_problem_function *on_problem, void *user)
{
    jbw_checker c = {.config = config,
                     .least_patch_size = least_patch_size,
                     .on_problem = on_problem,
                     .user = user,
                     .has_couplings = true};
    if (config->cookie != JBW_CONFIG_COOKIE) {
        jbw_checker_report(&c, 0, "", "the config was not initialized by jbw_config_default");
        return c.status;
    }
    c.arena.allocator = config->allocator;
    for (size_t i = 0; i < config->item_count; i++)
        if (!config->items[i].name) {
            jbw_checker_report(&c, 0, "items", "item %zu has no name", i);
            return c.status;
        }
    for (size_t k = 0; k < config->kind_count; k++)
        if (!has_names(&config->kinds[k])) {
            jbw_checker_report(&c, 0, "kinds", "kind %zu, or a member of it, has no name", k);
            return c.status;
        }
    for (size_t b = 0; b < config->body_count; b++)
        if (!config->bodies[b].name) {
            jbw_checker_report(&c, 0, "bodies", "body %zu has no name", b);
            return c.status;
        }

    check_map(&c);
    c.has_good_map = c.status == JBW_OK;
    jbw_checker_agents(&c);
    if (!check_functions(&c)) return c.status;
    if (config->item_count > JBW_MAX_ITEM_TYPES) {
        jbw_checker_report(&c, 0, "items", "found %zu items, expected at most %d",
                           config->item_count, JBW_MAX_ITEM_TYPES);
        return c.status;
    }
    if (config->kind_count > JBW_MAX_KINDS) {
        jbw_checker_report(&c, 0, "kinds", "found %zu kinds, expected at most %d",
                           config->kind_count, JBW_MAX_KINDS);
        return c.status;
    }
    if (config->item_count + config->body_count > JBW_MAX_SOURCES) {
        jbw_checker_report(&c, 0, "bodies",
                           "found %zu bodies and %zu items, expected at most %d together",
                           config->body_count, config->item_count, JBW_MAX_SOURCES);
        return c.status;
    }
    if (c.has_good_map) check_scent(&c);
    jbw_checker_kinds(&c);
    if (c.status == JBW_OUT_OF_MEMORY) {
        jbw_arena_deinit(&c.arena);
        return c.status;
    }
    c.couplings =
        jbw_arena_alloc(&c.arena, config->item_count * config->item_count, sizeof *c.couplings);
    if (!c.couplings) c.status = JBW_OUT_OF_MEMORY;
    for (size_t i = 0; i < config->item_count && c.status != JBW_OUT_OF_MEMORY; i++)
        jbw_checker_item_type(&c, i);
    if (c.status != JBW_OUT_OF_MEMORY && c.has_couplings) check_energies(&c);

    jbw_arena_deinit(&c.arena);
    return c.status;
}
