// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jbw/jbw.h"
#include "options.h"
#include "reward_words.h"
#include "verb.h"
#include "world_source.h"

static void print_number(double value)
{
    printf("%.15g", value); // 0.1, not 0.10000000000000001
}

static void print_vector(const char *name, const double *values, int count)
{
    printf("    %-13s", name);
    for (int i = 0; i < count; i++) {
        if (i > 0) fputs(", ", stdout);
        print_number(values ? values[i] : 0.0);
    }
    fputs(count == 0 ? "none\n" : "\n", stdout);
}

static void print_counts(const char *name, const jbw_item_count *counts, size_t count)
{
    if (count == 0) return;
    printf("    %-13s", name);
    for (size_t i = 0; i < count; i++)
        printf("%s%llu %s", i > 0 ? ", " : "", (unsigned long long)counts[i].count, counts[i].item);
    fputs("\n", stdout);
}

// a whole number with a comma every three digits
static void print_season(const jbw_item_type *item)
{
    const jbw_season *season = &item->season;
    if (season->period == 0) return;
    printf("    %-13s%s is in season from step ", "season", item->name);
    jbw_print_grouped(season->from);
    fputs(" to ", stdout);
    jbw_print_grouped(season->to);
    fputs(" of every ", stdout);
    jbw_print_grouped(season->period);
    fputs("\n", stdout);
}

static void print_regrowth(const jbw_item_type *item)
{
    jbw_regrowth law;
    if (!item->regrows || jbw_regrowth_parse(item->regrows, &law, NULL)) return;
    printf("    %-13s%s grows back after ", "regrows", item->name);
    if (law.law == JBW_REGROWTH_GEOMETRIC) fputs("a random number of steps, on average ", stdout);
    jbw_print_grouped(law.least);
    if (law.law == JBW_REGROWTH_UNIFORM) {
        fputs(" to ", stdout);
        jbw_print_grouped(law.most);
    }
    puts(law.law == JBW_REGROWTH_GEOMETRIC ? "" : law.most == 1 ? " step" : " steps");
}

// all actions, or those that a body lacks
static void print_actions(const jbw_agent_config *agent, const jbw_model *model, int lacking)
{
    bool is_first = true;
    for (size_t i = 0; i < agent->action_count; i++) {
        const jbw_action *action = &agent->actions[i];
        if (lacking > 0 && jbw_model_body_can(model, lacking, (int)i)) continue;
        printf("%s%zu %s", is_first ? "" : ", ", i, jbw_action_kind_name(action->kind));
        if (action->item) printf("[%s]", action->item);
        is_first = false;
    }
    fputs(is_first ? "nothing\n" : "\n", stdout);
}

// what a body or tool says about seeing, in words
static void print_sight(const jbw_sight_keys *keys)
{
    const char *comma = "";
    if (keys->has_vision_range) {
        printf("sees %d cell%s far", keys->vision_range, keys->vision_range == 1 ? "" : "s");
        comma = ", ";
    }
    if (keys->has_field_of_view) {
        printf("%sfield of view ", comma);
        print_number(keys->field_of_view);
        fputs(" degrees", stdout);
        comma = ", ";
    }
    if (keys->has_visual_occlusion)
        printf("%socclusion %s", comma, keys->visual_occlusion ? "on" : "off");
}

static void print_tools(const jbw_agent_config *agent)
{
    for (size_t t = 0; t < agent->tool_count; t++) {
        printf("  %-15swho carries %s: ", t == 0 ? "tools" : "", agent->tools[t].item);
        print_sight(&agent->tools[t].sight);
        fputs("\n", stdout);
    }
}

static void print_bodies(const jbw_config *config, const jbw_model *model)
{
    for (size_t b = 0; b < config->body_count; b++) {
        const jbw_body *body = &config->bodies[b];
        const jbw_sight_keys *keys = &body->sight;
        printf("\n  %s, a body\n", body->name);
        if (keys->has_vision_range || keys->has_field_of_view || keys->has_visual_occlusion) {
            printf("    %-13s", "vision");
            print_sight(keys);
            fputs("\n", stdout);
        }
        if (body->color) print_vector("color", body->color, config->color_dimensions);
        if (body->scent && config->scent_dimensions > 0)
            print_vector("scent", body->scent, config->scent_dimensions);
        if (body->actions) {
            printf("    %-13s", "cannot");
            print_actions(&config->agent, model, (int)b + 1);
        }
        puts("    otherwise as all agents");
    }
}

static void print_kinds(const jbw_model *model)
{
    for (int k = 0; k < jbw_model_kind_count(model); k++) {
        size_t count;
        const uint8_t *types = jbw_model_kind_types(model, k, &count);
        printf("  %-15s%s: ", k == 0 ? "kinds" : "", jbw_model_kind_name(model, k));
        for (size_t i = 0; i < count; i++)
            printf("%s%s", i > 0 ? ", " : "", jbw_model_item_name(model, types[i]));
        fputs("\n", stdout);
    }
}

static void print_world(const jbw_config *config, const jbw_model *model, const char *name)
{
    static const char *const collisions[] = {"first", "random", "allow"};
    static const char *const collections[] = {"automatic", "manual"};
    static const char *const generations[] = {"frontier", "invariant"};
    const jbw_agent_config *agent = &config->agent;
    printf("%s is a valid world.\n\n", name);
    printf("  patches        %d x %d cells, %d proposals each\n", config->patch_size,
           config->patch_size, config->mh_iterations);
    printf("  generation     %s", generations[config->generation]);
    if (config->generation == JBW_GENERATION_INVARIANT) {
        if (config->maturity != 1.0) {
            fputs(", maturity ", stdout);
            print_number(config->maturity);
        }
        printf(", memory budget %d MB", config->memory_budget);
    }
    printf("\n  reach          items interact over at most %d cells\n", jbw_model_reach(model));
    printf("  colors         %d dimensions\n", config->color_dimensions);
    printf("  scent          %d dimensions, decay ", config->scent_dimensions);
    print_number(config->scent_decay);
    fputs(", diffusion ", stdout);
    print_number(config->scent_diffusion);
    printf("\n  collision      %s\n", collisions[config->collision]);
    printf("  collection     %s\n", collections[config->collection]);
    printf("  vision         range %d, field of view ", agent->vision_range);
    print_number(agent->field_of_view);
    printf(" degrees, occlusion %s\n", agent->visual_occlusion ? "on" : "off");
    fputs("  actions        ", stdout);
    print_actions(agent, model, 0);
    print_tools(agent);
    if (agent->voice.symbols > 0)
        printf("  voice          %d symbol%s, heard up to %d cell%s away\n", agent->voice.symbols,
               agent->voice.symbols == 1 ? "" : "s", agent->voice.range,
               agent->voice.range == 1 ? "" : "s");
    print_kinds(model);
    print_bodies(config, model);
}

// How far one interaction reaches, or -1. Only a whole model has a reach, so this builds one with
// nothing but this interaction.
static int interaction_reach(const jbw_config *config, size_t index,
                             const jbw_interaction *interaction)
{
    jbw_item_type items[2] = {{.name = config->items[index].name}, {.name = interaction->item}};
    const bool is_own = strcmp(items[0].name, items[1].name) == 0;
    items[0].interactions = interaction;
    items[0].interaction_count = 1;
    jbw_config single = *config;
    single.items = items;
    single.item_count = is_own ? 1 : 2;
    single.kind_count = 0; // here, a kind is an item like all others
    single.agent = jbw_config_default().agent;
    single.agent.vision_range = 0;

    jbw_model *model;
    if (jbw_model_create(&single, &model, NULL)) return -1;
    const int reach = jbw_model_reach(model);
    jbw_model_destroy(model);
    return reach;
}

// the next number or `never` of a term; NULL at its end
static const char *print_value(const char *at)
{
    at += strspn(at, "[(, \n");
    char *end;
    const double value = strtod(at, &end);
    if (end == at && strncmp(at, "never", 5) != 0) return NULL;
    if (end != at)
        print_number(value);
    else
        fputs("never", stdout);
    return end != at ? end : at + 5;
}

// a term of an intensity, in words; the expression is known to be valid
static void print_term(const char *name, const char *at)
{
    char *end;
    const double scale = strtod(at + 1, &end);
    const double layer = strtod(end + strspn(end, ", \n"), &end);
    printf("    %-13s%s about %g cells wide, layer %g: ", "", name, scale, layer);
    if (strcmp(name, "noise") == 0) {
        fputs("from ", stdout);
        const char *high = print_value(end);
        fputs(" to ", stdout);
        print_value(high);
    }
    for (int i = 0; strcmp(name, "biomes") == 0; i++) {
        const double share = strtod(end + strspn(end, "), (\n"), &end);
        if (share == 0.0) break;
        printf("%s%g %% ", i > 0 ? ", " : "", 100.0 * share);
        end += strspn(end, ", \n");
        const char *after = print_value(end);
        end += after - end;
    }
    fputs("\n", stdout);
}

static void print_intensity(const char *text)
{
    printf("    %-13s%s\n", "intensity", text ? text : "Zero");
    for (const char *at = text; at && *at; at++) {
        const size_t name = strcspn(at, "[+");
        const bool is_name = at == text || strchr("+ \n", at[-1]);
        if (is_name && name >= 5 && strncmp(at, "Noise", 5) == 0) print_term("noise", at + name);
        if (is_name && name >= 5 && strncmp(at, "Biome", 5) == 0) print_term("biomes", at + name);
    }
}

static void print_item(const jbw_config *config, const jbw_model *model, size_t index)
{
    enum { WIDTH = 44 }; // of an expression
    const jbw_item_type *item = &config->items[index];
    printf("\n  %s", item->name);
    if (item->blocks_movement) fputs(", blocks movement", stdout);
    if (item->is_uncollectable) fputs(", not collectable", stdout);
    if (item->has_text) fputs(", may carry a text", stdout);
    fputs("\n", stdout);
    print_vector("color", item->color, config->color_dimensions);
    if (config->scent_dimensions > 0) print_vector("scent", item->scent, config->scent_dimensions);
    if (item->occlusion > 0.0) {
        printf("    %-13s", "occlusion");
        print_number(item->occlusion);
        fputs("\n", stdout);
    }
    print_counts("requires", item->requirements, item->requirement_count);
    print_counts("costs", item->costs, item->cost_count);
    print_counts("ever had", item->ever_requirements, item->ever_requirement_count);
    print_counts("drops", item->drops, item->drop_count);
    print_season(item);
    print_regrowth(item);
    print_intensity(item->intensity);
    for (size_t i = 0; i < item->interaction_count; i++) {
        const jbw_interaction *interaction = &item->interactions[i];
        const bool is_long = strlen(interaction->expression) > WIDTH; // a table
        char shown[WIDTH + 1];
        snprintf(shown, sizeof shown, "%.*s%s", is_long ? WIDTH - 3 : WIDTH,
                 interaction->expression, is_long ? "..." : "");
        printf("    %-13s%-10s %-*s reach %d\n", i == 0 ? "interactions" : "", interaction->item,
               WIDTH, shown, interaction_reach(config, index, interaction));
    }
    printf("    %-13smultiples of 2^-%d\n", "energies", jbw_model_energy_bits(model, (int)index));
}

jbw_verb_status jbw_cmd_check(int argc, char **argv)
{
    const char *arguments[1];
    static jbw_settings settings;
    const char *reward = NULL;
    const jbw_option options[] = {
        jbw_option_set(&settings),
        jbw_option_generation(&settings),
        jbw_option_memory_budget(&settings),
        {"--reward", JBW_OPTION_TEXT, &reward, "TEXT", "also say what this reward pays, and when"},
    };
    jbw_command_line line = {
        .verb = "check",
        .usage = "WORLD [OPTIONS]",
        .purpose = "Checks a world and describes it. If it is not valid, prints every problem with "
                   "its line and column instead, and exits with 2. WORLD is a file or a shipped "
                   "world; see jbw worlds.",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .min_arguments = 1,
        .max_arguments = 1,
        .arguments = arguments,
    };
    jbw_verb_status status = jbw_command_line_parse(&line, argc, argv);
    if (status) return status;

    jbw_world_source source = {0};
    status = jbw_world_source_read(&source, arguments[0], &settings);
    if (!status) {
        print_world(source.config, source.model, arguments[0]);
        for (size_t i = 0; i < source.config->item_count; i++)
            print_item(source.config, source.model, i);
        if (reward) status = jbw_print_reward_words("check", source.model, reward);
    }
    jbw_world_source_close(&source);
    return status;
}
