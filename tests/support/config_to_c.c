// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Writes the shipped worlds to standard output as C: the array `golden_worlds` of golden_worlds.h.
/// So tests can use them where world files cannot be read.
#include <inttypes.h>
#include <stdio.h>

#include "jbw/jbw.h"

static void write_text(const char *text)
{
    if (!text) {
        printf("NULL");
        return;
    }
    putchar('"');
    for (const char *at = text; *at; at++) {
        const unsigned char c = (unsigned char)*at;
        if (c == '"' || c == '\\')
            printf("\\%c", c);
        else if (c < 32 || c > 126)
            printf("\\%03o", c);
        else
            putchar(c);
    }
    putchar('"');
}

// an array of numbers, in hexadecimal, which is exact
static void write_numbers(const char *prefix, const char *name, const double *numbers, int count)
{
    if (!numbers || count == 0) return;
    printf("static const double %s_%s[] = {", prefix, name);
    for (int i = 0; i < count; i++) printf("%s%a", i ? ", " : "", numbers[i]);
    printf("};\n");
}

static void write_counts(const char *prefix, const char *name, const jbw_item_count *counts,
                         size_t count)
{
    if (count == 0) return;
    printf("static const jbw_item_count %s_%s[] = {", prefix, name);
    for (size_t i = 0; i < count; i++) {
        printf("%s{", i ? ", " : "");
        write_text(counts[i].item);
        printf(", UINT64_C(%" PRIu64 ")}", counts[i].count);
    }
    printf("};\n");
}

// ", .field = prefix_field", if there is such an array
static void write_reference(bool is_there, const char *prefix, const char *field, const char *name)
{
    if (is_there) printf(", .%s = %s_%s", field, prefix, name);
}

static void write_item_arrays(const jbw_config *config, const jbw_item_type *item,
                              const char *prefix)
{
    write_numbers(prefix, "color", item->color, config->color_dimensions);
    write_numbers(prefix, "scent", item->scent, config->scent_dimensions);
    write_counts(prefix, "requires", item->requirements, item->requirement_count);
    write_counts(prefix, "costs", item->costs, item->cost_count);
    write_counts(prefix, "ever", item->ever_requirements, item->ever_requirement_count);
    write_counts(prefix, "drops", item->drops, item->drop_count);
    if (item->interaction_count == 0) return;
    printf("static const jbw_interaction %s_interactions[] = {\n", prefix);
    for (size_t i = 0; i < item->interaction_count; i++) {
        printf("    {");
        write_text(item->interactions[i].item);
        printf(", ");
        write_text(item->interactions[i].expression);
        printf("},\n");
    }
    printf("};\n");
}

static void write_item(const jbw_config *config, const jbw_item_type *item, const char *prefix)
{
    printf("    {.name = ");
    write_text(item->name);
    write_reference(item->color && config->color_dimensions, prefix, "color", "color");
    write_reference(item->scent && config->scent_dimensions, prefix, "scent", "scent");
    printf(", .occlusion = %a, .blocks_movement = %d, .is_uncollectable = %d, .intensity = ",
           item->occlusion, item->blocks_movement, item->is_uncollectable);
    write_text(item->intensity);
    write_reference(item->interaction_count, prefix, "interactions", "interactions");
    write_reference(item->requirement_count, prefix, "requirements", "requires");
    write_reference(item->cost_count, prefix, "costs", "costs");
    write_reference(item->ever_requirement_count, prefix, "ever_requirements", "ever");
    write_reference(item->drop_count, prefix, "drops", "drops");
    printf(", .season = {%" PRIu64 "u, %" PRIu64 "u, %" PRIu64 "u}", item->season.period,
           item->season.from, item->season.to);
    if (item->regrows) {
        printf(", .regrows = ");
        write_text(item->regrows);
    }
    printf(", .interaction_count = %zu, .requirement_count = %zu, .cost_count = %zu, "
           ".ever_requirement_count = %zu, .drop_count = %zu, .has_text = %d},\n",
           item->interaction_count, item->requirement_count, item->cost_count,
           item->ever_requirement_count, item->drop_count, item->has_text);
}

static void write_kinds(const jbw_config *config, const char *prefix)
{
    for (size_t k = 0; k < config->kind_count; k++) {
        const jbw_kind *kind = &config->kinds[k];
        printf("static const char *const %s_members_%zu[] = {", prefix, k);
        for (size_t i = 0; i < kind->member_count; i++) {
            if (i) printf(", ");
            write_text(kind->members[i]);
        }
        printf("};\n");
    }
    if (config->kind_count == 0) return;
    printf("static const jbw_kind %s_kinds[] = {\n", prefix);
    for (size_t k = 0; k < config->kind_count; k++) {
        printf("    {");
        write_text(config->kinds[k].name);
        printf(", %s_members_%zu, %zu},\n", prefix, k, config->kinds[k].member_count);
    }
    printf("};\n");
}

static void write_actions(const char *prefix, const char *name, const jbw_action *actions,
                          size_t count)
{
    if (count == 0) return;
    printf("static const jbw_action %s_%s[] = {\n", prefix, name);
    for (size_t i = 0; i < count; i++) {
        printf("    {(jbw_action_kind)%d, ", (int)actions[i].kind);
        write_text(actions[i].item);
        printf("},\n");
    }
    printf("};\n");
}

static void write_sight(const jbw_sight_keys *keys)
{
    printf(", .sight = {%d, %d, %d, %d, %d, %a}", keys->has_vision_range, keys->has_field_of_view,
           keys->has_visual_occlusion, keys->visual_occlusion, keys->vision_range,
           keys->field_of_view);
}

static void write_bodies(const jbw_config *config, const char *prefix)
{
    char body_prefix[128];
    for (size_t b = 0; b < config->body_count; b++) {
        snprintf(body_prefix, sizeof body_prefix, "%s_body_%zu", prefix, b);
        const jbw_body *body = &config->bodies[b];
        write_numbers(body_prefix, "color", body->color, config->color_dimensions);
        write_numbers(body_prefix, "scent", body->scent, config->scent_dimensions);
        write_actions(body_prefix, "actions", body->actions, body->action_count);
    }
    if (config->body_count) printf("static const jbw_body %s_bodies[] = {\n", prefix);
    for (size_t b = 0; b < config->body_count; b++) {
        const jbw_body *body = &config->bodies[b];
        snprintf(body_prefix, sizeof body_prefix, "%s_body_%zu", prefix, b);
        printf("    {.name = ");
        write_text(body->name);
        write_reference(body->color && config->color_dimensions, body_prefix, "color", "color");
        write_reference(body->scent && config->scent_dimensions, body_prefix, "scent", "scent");
        write_sight(&body->sight);
        write_reference(body->action_count, body_prefix, "actions", "actions");
        printf(", .action_count = %zu},\n", body->action_count);
    }
    if (config->body_count) printf("};\n");
    if (config->agent.tool_count) printf("static const jbw_tool %s_tools[] = {\n", prefix);
    for (size_t t = 0; t < config->agent.tool_count; t++) {
        printf("    {.item = ");
        write_text(config->agent.tools[t].item);
        write_sight(&config->agent.tools[t].sight);
        printf("},\n");
    }
    if (config->agent.tool_count) printf("};\n");
}

static void write_arrays(const jbw_config *config, const char *prefix)
{
    char item_prefix[128];
    for (size_t i = 0; i < config->item_count; i++) {
        snprintf(item_prefix, sizeof item_prefix, "%s_%zu", prefix, i);
        write_item_arrays(config, &config->items[i], item_prefix);
    }
    if (config->item_count) {
        printf("static const jbw_item_type %s_items[] = {\n", prefix);
        for (size_t i = 0; i < config->item_count; i++) {
            snprintf(item_prefix, sizeof item_prefix, "%s_%zu", prefix, i);
            write_item(config, &config->items[i], item_prefix);
        }
        printf("};\n");
    }
    write_kinds(config, prefix);
    write_numbers(prefix, "agent_color", config->agent.color, config->color_dimensions);
    write_numbers(prefix, "agent_scent", config->agent.scent, config->scent_dimensions);
    write_actions(prefix, "actions", config->agent.actions, config->agent.action_count);
    write_bodies(config, prefix);
}

static void write_config(const jbw_config *config, const char *name, const char *prefix)
{
    printf("    {");
    write_text(name);
    printf(",\n     {.cookie = UINT32_C(%" PRIu32 "), .scent_dimensions = %d, "
           ".color_dimensions = %d, .patch_size = %d,\n      .mh_iterations = %d, "
           ".scent_decay = %a, .scent_diffusion = %a,\n      .collision = (jbw_collision)%d, "
           ".collection = (jbw_collection)%d,\n      .generation = (jbw_generation)%d, "
           ".memory_budget = %d, .maturity = %a,\n",
           config->cookie, config->scent_dimensions, config->color_dimensions, config->patch_size,
           config->mh_iterations, config->scent_decay, config->scent_diffusion,
           (int)config->collision, (int)config->collection, (int)config->generation,
           config->memory_budget, config->maturity);
    printf("      .agent = {.vision_range = %d, .field_of_view = %a, .visual_occlusion = %d",
           config->agent.vision_range, config->agent.field_of_view, config->agent.visual_occlusion);
    write_reference(config->agent.color && config->color_dimensions, prefix, "color",
                    "agent_color");
    write_reference(config->agent.scent && config->scent_dimensions, prefix, "scent",
                    "agent_scent");
    write_reference(config->agent.action_count, prefix, "actions", "actions");
    write_reference(config->agent.tool_count, prefix, "tools", "tools");
    printf(",\n                .action_count = %zu, .tool_count = %zu, .voice = {%d, %d}}",
           config->agent.action_count, config->agent.tool_count, config->agent.voice.symbols,
           config->agent.voice.range);
    write_reference(config->body_count, prefix, "bodies", "bodies");
    write_reference(config->item_count, prefix, "items", "items");
    write_reference(config->kind_count, prefix, "kinds", "kinds");
    printf(", .item_count = %zu, .kind_count = %zu, .body_count = %zu}},\n", config->item_count,
           config->kind_count, config->body_count);
}

int main(void)
{
    enum { MAX_WORLDS = 64 };
    jbw_config *configs[MAX_WORLDS];
    char prefixes[MAX_WORLDS][64];
    size_t count = 0;
    printf("// made by config_to_c from the shipped worlds\n\n");
    for (; jbw_shipped_world_name(count) && count < MAX_WORLDS; count++) {
        const char *name = jbw_shipped_world_name(count);
        jbw_error error;
        if (jbw_world_file_read(name, NULL, &configs[count], &error)) {
            fprintf(stderr, "config_to_c: %s:%d:%d: %s\n", name, error.line, error.column,
                    error.text);
            return 1;
        }
        snprintf(prefixes[count], sizeof prefixes[count], "world_%zu", count);
        printf("// %s\n", name);
        write_arrays(configs[count], prefixes[count]);
        putchar('\n');
    }
    printf("const golden_world golden_worlds[] = {\n");
    for (size_t i = 0; i < count; i++) {
        write_config(configs[i], jbw_shipped_world_name(i), prefixes[i]);
        jbw_config_free(configs[i]);
    }
    printf("};\nconst size_t golden_world_count = %zu;\n", count);
    return fflush(stdout) || ferror(stdout) ? 1 : 0;
}
