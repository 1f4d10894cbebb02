// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "world_source.h"

#include <stdio.h>

void jbw_world_source_close(jbw_world_source *source)
{
    jbw_world_destroy(source->world);
    jbw_loaded_free(&source->loaded);
    jbw_model_destroy(source->model);
    jbw_config_free(source->config);
    *source = (jbw_world_source){0};
}

static void print_diagnostic(const jbw_diagnostic *diagnostic, void *user)
{
    (void)user;
    if (diagnostic->line > 0)
        fprintf(stderr, "%s:%d:%d: error: %s\n", diagnostic->source, diagnostic->line,
                diagnostic->column, diagnostic->text);
    else
        fprintf(stderr, "%s: error: %s\n", diagnostic->source, diagnostic->text);
}

jbw_verb_status jbw_world_source_read(jbw_world_source *source, const char *name,
                                      const jbw_settings *settings)
{
    const jbw_world_file_options options = {.overrides = settings->overrides,
                                            .override_count = settings->count,
                                            .report = print_diagnostic};
    jbw_error error = {0};
    jbw_status status = jbw_world_file_read(name, &options, &source->config, NULL);
    if (status && status != JBW_OUT_OF_MEMORY) return JBW_VERB_BAD_INPUT;
    if (!status) status = jbw_model_create(source->config, &source->model, &error);
    if (!status) return JBW_VERB_OK;
    fprintf(stderr, "%s: error: %s\n", name, error.text[0] ? error.text : jbw_status_text(status));
    return status == JBW_OUT_OF_MEMORY ? JBW_VERB_FAILED : JBW_VERB_BAD_INPUT;
}

jbw_verb_status jbw_world_source_create(jbw_world_source *source, const char *verb, uint64_t seed)
{
    const jbw_status status = jbw_world_create(source->model, seed, &source->world);
    return status ? jbw_verb_fail(verb, "%s", jbw_status_text(status)) : JBW_VERB_OK;
}

jbw_verb_status jbw_world_source_load(jbw_world_source *source, const char *verb, const char *path,
                                      int memory_budget)
{
    const jbw_load_options options = {.model = source->model,
                                      .memory_limit = source->memory_limit,
                                      .memory_budget = memory_budget};
    jbw_error error = {0};
    const jbw_status status = jbw_snapshot_read(path, &options, &source->loaded, &error);
    if (status == JBW_OUT_OF_MEMORY) return jbw_verb_fail(verb, "%s", error.text);
    if (status) return jbw_verb_reject(verb, "%s", error.text);
    source->world = source->loaded.world;
    source->loaded.world = NULL;
    return JBW_VERB_OK;
}

jbw_verb_status jbw_start_generation_threads(jbw_world *world, const char *verb, int count)
{
    const jbw_status status = jbw_world_set_generation_threads(world, count);
    if (!status) return JBW_VERB_OK;
    return jbw_verb_fail(verb, "--generation-threads: %s", jbw_status_text(status));
}
