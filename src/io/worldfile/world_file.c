// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "io/worldfile/world_file.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "io/store/file.h"
#include "io/worldfile/world_check.h"
#include "io/worldfile/world_reader.h"
#include "io/worldfile/yaml.h"
#include "io/worldfile/yaml_path.h"

const char *const jbw_collision_words[] = {"first", "random", "allow"};
const char *const jbw_collection_words[] = {"automatic", "manual"};
const char *const jbw_generation_words[] = {"frontier", "invariant"};

typedef struct owned_config {
    jbw_config config; // first, so that a pointer to it points to the whole struct
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

// --- from text to config ------------------------------------------------------------------------

static bool copy_name(jbw_arena *arena, const char **name)
{
    if (!*name) return true; // jbw_config_check reports it
    *name = jbw_arena_text(arena, *name, strlen(*name));
    return *name;
}

static bool copy_functions(const jbw_world_file_options *options, owned_config *owned)
{
    jbw_intensity_function *intensities =
        jbw_arena_alloc(&owned->arena, options->intensity_function_count, sizeof *intensities);
    jbw_interaction_function *interactions =
        jbw_arena_alloc(&owned->arena, options->interaction_function_count, sizeof *interactions);
    if (!intensities || !interactions) return false;

    for (size_t i = 0; i < options->intensity_function_count; i++) {
        intensities[i] = options->intensity_functions[i];
        if (!copy_name(&owned->arena, &intensities[i].name)) return false;
    }
    for (size_t i = 0; i < options->interaction_function_count; i++) {
        interactions[i] = options->interaction_functions[i];
        if (!copy_name(&owned->arena, &interactions[i].name)) return false;
    }
    owned->config.intensity_functions = intensities;
    owned->config.intensity_function_count = options->intensity_function_count;
    owned->config.interaction_functions = interactions;
    owned->config.interaction_function_count = options->interaction_function_count;
    return true;
}

// Parses the value of each override and puts it into the tree. If `root` is NULL, only finds
// problems of the overrides themselves.
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
            // an override that does not fit is left out, so that the rest is checked as well
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
    if (problems->status != JBW_OUT_OF_MEMORY) jbw_world_check(&owned->config, root, problems);
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
    if (!owned) return jbw_error_set_status(error, JBW_OUT_OF_MEMORY);
    owned->config = jbw_config_default();
    owned->config.allocator = options->allocator;
    owned->arena.allocator = options->allocator;

    // the names of sources are in the scratch arena, so it must outlive the report
    jbw_arena scratch = {.allocator = options->allocator};
    jbw_problems problems = {.arena = {.allocator = options->allocator}};
    fill(owned, text, length, source, options, &scratch, &problems);
    const jbw_status status =
        jbw_problems_report(&problems, options->report, options->report_user, error);
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
    // their names have neither '/' nor an extension, so they do not hide files
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
