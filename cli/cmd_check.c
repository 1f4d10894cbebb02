// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "jbw/jbw.h"
#include "options.h"

static void print_number(double value)
{
    printf("%.15g", value); // not all digits, but as people write them
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

static void print_actions(const jbw_agent_config *agent)
{
    printf("  actions        ");
    for (size_t i = 0; i < agent->action_count; i++) {
        const jbw_action *action = &agent->actions[i];
        printf("%s%zu %s", i > 0 ? ", " : "", i, jbw_action_kind_name(action->kind));
        if (action->item) printf("[%s]", action->item);
    }
    fputs("\n", stdout);
}

static void print_world(const jbw_config *config, const jbw_model *model, const char *name)
{
    static const char *const collisions[] = {"first", "random", "allow"};
    static const char *const collections[] = {"automatic", "manual"};
    static const char *const generations[] = {"frontier", "invariant"};
    const jbw_agent_config *agent = &config->agent;
    printf("%s is a good world.\n\n", name);
    printf("  patches        %d x %d cells, %d proposals each\n", config->patch_size,
           config->patch_size, config->mh_iterations);
    printf("  generation     %s", generations[config->generation]);
    if (config->generation == JBW_GENERATION_INVARIANT)
        printf(", within %d megabytes", config->memory_budget);
    printf("\n  reach          items interact up to %d cells far\n", jbw_model_reach(model));
    printf("  colors         %d dimensions\n", config->color_dimensions);
    printf("  scent          %d dimensions, decay ", config->scent_dimensions);
    print_number(config->scent_decay);
    fputs(", diffusion ", stdout);
    print_number(config->scent_diffusion);
    printf("\n  collision      %s\n", collisions[config->collision]);
    printf("  collection     %s\n", collections[config->collection]);
    printf("  agents         see %d cells far, ", agent->vision_range);
    print_number(agent->field_of_view);
    printf(" degrees wide, occlusion %s\n", agent->visual_occlusion ? "on" : "off");
    print_actions(agent);
}

// How far one interaction reaches. Only a model as a whole knows its reach, so make one that has
// nothing but this interaction; -1 if that fails.
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
    single.agent = jbw_config_default().agent;
    single.agent.vision_range = 0;

    jbw_model *model;
    if (jbw_model_create(&single, &model, NULL)) return -1;
    const int reach = jbw_model_reach(model);
    jbw_model_destroy(model);
    return reach;
}

static void print_item(const jbw_config *config, const jbw_model *model, size_t index)
{
    enum { WIDTH = 44 }; // of a shown expression
    const jbw_item_type *item = &config->items[index];
    printf("\n  %s", item->name);
    if (item->blocks_movement) fputs(", blocks movement", stdout);
    if (item->is_uncollectable) fputs(", not collectable", stdout);
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
    printf("    %-13s%s\n", "intensity", item->intensity ? item->intensity : "Zero");
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

int jbw_cmd_check(int argc, char **argv)
{
    const char *arguments[1];
    static jbw_settings settings;
    const jbw_option options[] = {jbw_option_set(&settings), jbw_option_generation(&settings),
                                  jbw_option_memory_budget(&settings)};
    jbw_command_line line = {
        .verb = "check",
        .usage = "WORLD [--set KEY=VALUE]...",
        .purpose = "Prints what a world is made of. If anything is wrong with it, prints every "
                   "problem with its\nplace instead, and exits with 2. WORLD is a file or a "
                   "shipped world; see jbw worlds.",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .least_arguments = 1,
        .most_arguments = 1,
        .arguments = arguments,
    };
    int code = jbw_command_line_parse(&line, argc, argv);
    if (code >= 0) return code;

    jbw_config *config;
    code = jbw_load_world(arguments[0], &settings, &config);
    if (code >= 0) return code;
    jbw_model *model;
    jbw_error error;
    const jbw_status status = jbw_model_create(config, &model, &error);
    if (status) {
        fprintf(stderr, "%s: error: %s\n", arguments[0], error.text);
        jbw_config_free(config);
        return status == JBW_OUT_OF_MEMORY ? JBW_EXIT_FAILED : JBW_EXIT_USAGE;
    }
    print_world(config, model, arguments[0]);
    for (size_t i = 0; i < config->item_count; i++) print_item(config, model, i);
    jbw_model_destroy(model);
    jbw_config_free(config);
    return JBW_EXIT_GOOD;
}
