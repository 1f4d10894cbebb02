// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Text -> tree -> overrides put into the tree -> config -> `jbw_config_check`, whose problems are
/// led back through the tree to their places in the text.
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "io/store/file.h"
#include "io/worldfile/world_reader.h"
#include "io/worldfile/yaml.h"
#include "jbw/io.h"

typedef struct owned_config {
    jbw_config config; // first, so that a pointer to it is a pointer to the whole
    jbw_arena arena;   // everything the config points to
} owned_config;

void jbw_config_free(jbw_config *config)
{
    if (!config) return;
    owned_config *owned = (owned_config *)(void *)config;
    jbw_allocator allocator = owned->arena.allocator;
    jbw_arena_deinit(&owned->arena);
    jbw_free(&allocator, owned, sizeof *owned);
}

// --- problems of the config, led back to the text -----------------------------------------------

typedef struct tracer {
    jbw_yaml_node *root;
    jbw_problems *problems;
} tracer;

// in "items.Wall.interactions.Tre" it is the name that is wrong, not what stands behind it
static bool is_unknown_item(const tracer *t, const char *path, const jbw_yaml_target *target)
{
    static const char *const lists[] = {".interactions.", ".requires.", ".costs."};
    const jbw_yaml_pair *items = jbw_yaml_find(t->root, "items", 5);
    if (!items || !target->key) return false;
    const size_t name_length = target->key->length;
    const size_t path_length = strlen(path);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const size_t length = strlen(lists[i]);
        if (path_length < length + name_length) continue;
        if (strncmp(path + path_length - name_length - length, lists[i], length) == 0)
            return !jbw_yaml_find(items->value, target->key->text, name_length);
    }
    return false;
}

static void trace(const jbw_problem *problem, void *user)
{
    const tracer *t = user;
    const jbw_yaml_target target = jbw_yaml_follow(t->root, problem->path);
    if (target.is_faulty) return; // a consequence of what was said already

    // the value's place; that of its key where the value is spread out, empty or not the culprit
    const jbw_yaml_node *node = target.node;
    jbw_source_place place = node->place;
    const bool is_spread = node->kind == JBW_YAML_MAPPING || node->kind == JBW_YAML_NOTHING;
    if (target.key && (is_spread || (target.is_complete && problem->column == 0 &&
                                     is_unknown_item(t, problem->path, &target))))
        place = target.key->place;
    else if (target.is_complete && problem->column > 0 && node->is_verbatim)
        place.column += problem->column - 1 + (node->is_quoted ? 1 : 0);

    if (target.is_complete)
        jbw_problems_add(t->problems, place, "%s", problem->text);
    else
        jbw_problems_add(t->problems, place, "%s: %s", problem->path, problem->text);
}

// --- from text to config ------------------------------------------------------------------------

static bool copy_functions(const jbw_world_file_options *options, owned_config *owned)
{
    jbw_intensity_function *intensities =
        jbw_arena_alloc(&owned->arena, options->intensity_function_count, sizeof *intensities);
    jbw_interaction_function *interactions =
        jbw_arena_alloc(&owned->arena, options->interaction_function_count, sizeof *interactions);
    if (!intensities || !interactions) return false;

    for (size_t i = 0; i < options->intensity_function_count; i++) {
        intensities[i] = options->intensity_functions[i];
        if (!intensities[i].name) continue;
        intensities[i].name =
            jbw_arena_text(&owned->arena, intensities[i].name, strlen(intensities[i].name));
        if (!intensities[i].name) return false;
    }
    for (size_t i = 0; i < options->interaction_function_count; i++) {
        interactions[i] = options->interaction_functions[i];
        if (!interactions[i].name) continue;
        interactions[i].name =
            jbw_arena_text(&owned->arena, interactions[i].name, strlen(interactions[i].name));
        if (!interactions[i].name) return false;
    }
    owned->config.intensity_functions = intensities;
    owned->config.intensity_function_count = options->intensity_function_count;
    owned->config.interaction_functions = interactions;
    owned->config.interaction_function_count = options->interaction_function_count;
    return true;
}

// Parses the value of each override and puts it into the tree. `root` may be NULL: then only what
// is wrong with the overrides themselves is found.
static jbw_yaml_node *apply_overrides(jbw_yaml_node *root, const jbw_world_file_options *options,
                                      jbw_arena *arena, jbw_problems *problems)
{
    for (size_t i = 0; i < options->override_count; i++) {
        const jbw_override *override = &options->overrides[i];
        const char *key = override->key ? override->key : "";
        const char *text = override->value ? override->value : "";
        const size_t size = strlen(key) + sizeof "--set ";
        char *name = jbw_arena_alloc(arena, size, 1);
        jbw_source *source = jbw_arena_alloc(arena, 1, sizeof *source);
        if (!name || !source) {
            jbw_problems_add_out_of_memory(problems);
            return NULL;
        }
        snprintf(name, size, "--set %s", key);
        *source = (jbw_source){.name = name, .rank = i + 1, .is_override = true};

        jbw_yaml_node *value = jbw_yaml_parse(text, strlen(text), source, arena, problems);
        if (root && value) {
            // one that does not fit is left out, so that the rest is looked at all the same
            jbw_yaml_node *changed = jbw_yaml_replace(root, key, value, arena, problems);
            if (changed) root = changed;
        }
    }
    return root;
}

static void fill(owned_config *owned, const char *text, size_t length, const char *source_name,
                 const jbw_world_file_options *options, jbw_arena *scratch, jbw_problems *problems)
{
    jbw_source *source = jbw_arena_alloc(scratch, 1, sizeof *source);
    const char *name = jbw_arena_text(scratch, source_name, strlen(source_name));
    if (!source || !name || !copy_functions(options, owned)) {
        jbw_problems_add_out_of_memory(problems);
        return;
    }
    *source = (jbw_source){.name = name};

    jbw_yaml_node *root = jbw_yaml_parse(text, length, source, scratch, problems);
    root = apply_overrides(root, options, scratch, problems);
    if (!root || problems->status == JBW_OUT_OF_MEMORY) return;

    jbw_world_reader_fill(&owned->config, root, &owned->arena, problems);
    if (problems->status == JBW_OUT_OF_MEMORY) return;

    // without items every mention of one would be wrong
    const jbw_yaml_target items = jbw_yaml_follow(root, "items");
    if (items.is_faulty) return;
    tracer t = {.root = root, .problems = problems};
    if (jbw_config_check(&owned->config, trace, &t) == JBW_OUT_OF_MEMORY)
        jbw_problems_add_out_of_memory(problems);
}

jbw_status jbw_world_file_parse(const char *text, size_t length, const char *source,
                                const jbw_world_file_options *options, jbw_config **out,
                                jbw_error *error)
{
    static const jbw_world_file_options no_options;
    *out = NULL;
    if (!options) options = &no_options;
    if (error) *error = (jbw_error){0};

    owned_config *owned = jbw_alloc_zero(&options->allocator, 1, sizeof *owned);
    if (!owned) {
        jbw_error_set(error, 0, 0, "%s", jbw_status_text(JBW_OUT_OF_MEMORY));
        return JBW_OUT_OF_MEMORY;
    }
    owned->config = jbw_config_default();
    owned->config.allocator = options->allocator;
    owned->arena.allocator = options->allocator;

    // sources are named in the scratch memory, so it must last until all problems are told
    jbw_arena scratch = {.allocator = options->allocator};
    jbw_problems problems = {.arena = {.allocator = options->allocator}};
    fill(owned, text, length, source, options, &scratch, &problems);
    const jbw_status status =
        jbw_problems_tell(&problems, options->report, options->report_user, error);
    jbw_problems_deinit(&problems);
    jbw_arena_deinit(&scratch);

    if (status)
        jbw_config_free(&owned->config);
    else
        *out = &owned->config;
    return status;
}

// --- from a name to text ------------------------------------------------------------------------

static jbw_status fail_read(const char *path, const jbw_world_file_options *options,
                            jbw_status status, const jbw_error *error)
{
    if (options && options->report && status != JBW_OUT_OF_MEMORY) {
        const jbw_diagnostic diagnostic = {.source = path, .text = error->text};
        options->report(&diagnostic, options->report_user);
    }
    return status;
}

static void explain_not_found(const char *name, jbw_error *error)
{
    const char *names[64];
    char all[300] = "";
    size_t count = 0;
    size_t used = 0;
    for (; count < 64 && jbw_shipped_world_name(count); count++) {
        names[count] = jbw_shipped_world_name(count);
        if (used < sizeof all)
            used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", count ? ", " : "",
                                     names[count]);
    }
    const char *nearest = jbw_nearest_name(name, strlen(name), names, count);
    if (nearest)
        jbw_error_set(error, 0, 0, "no such file or shipped world, did you mean '%s'?", nearest);
    else
        jbw_error_set(error, 0, 0, "no such file or shipped world, expected a path or one of %s",
                      all);
}

jbw_status jbw_world_file_read(const char *name_or_path, const jbw_world_file_options *options,
                               jbw_config **out, jbw_error *error)
{
    *out = NULL;
    // names of shipped worlds have neither '/' nor an ending, so no path is taken for one
    const char *shipped = jbw_shipped_world_text(name_or_path);
    if (shipped)
        return jbw_world_file_parse(shipped, strlen(shipped), name_or_path, options, out, error);

    const jbw_allocator allocator = options ? options->allocator : (jbw_allocator){0};
    jbw_error own_error;
    if (!error) error = &own_error;
    char *text;
    size_t length;
    jbw_status status =
        jbw_file_read(name_or_path, JBW_YAML_MAX_LENGTH, &allocator, &text, &length, error);
    if (status == JBW_NOT_FOUND) explain_not_found(name_or_path, error);
    if (status) return fail_read(name_or_path, options, status, error);

    status = jbw_world_file_parse(text, length, name_or_path, options, out, error);
    jbw_free(&allocator, text, length + 1);
    return status;
}
