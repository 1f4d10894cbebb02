// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// World files: any input gives a config or a list of problems. A good config gives a model, which
/// is left out if it would take long.
#include "target.h"

#include "jbw/jbw.h"

static void take_problem(const jbw_diagnostic *diagnostic, void *user)
{
    // every message is one line of text, with or without a position
    size_t *count = user;
    if (strlen(diagnostic->text) == 0 || strchr(diagnostic->text, '\n')) abort();
    if (diagnostic->line < 0 || diagnostic->column < 0) abort();
    if ((diagnostic->line == 0) != (diagnostic->column == 0)) abort();
    (*count)++;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    // what follows the last zero byte is an override
    const char *text = (const char *)data;
    size_t length = size;
    char value[256] = "5";
    const uint8_t *zero = data;
    for (size_t i = 0; i < size; i++)
        if (data[i] == 0) zero = &data[i];
    if (size > 0 && *zero == 0 && (size_t)(data + size - zero) <= sizeof value) {
        length = (size_t)(zero - data);
        memcpy(value, zero + 1, size - length - 1);
        value[size - length - 1] = '\0';
    }

    size_t count = 0;
    const jbw_override override = {"items.Onion", value};
    const jbw_world_file_options options = {.overrides = &override,
                                            .override_count = length < size ? 1 : 0,
                                            .report = take_problem,
                                            .report_user = &count};
    jbw_config *config;
    jbw_error error;
    const jbw_status status = jbw_world_file_parse(text, length, "fuzz", &options, &config, &error);
    if ((status == JBW_OK) != (config != NULL)) abort();
    if ((status == JBW_OK) != (count == 0)) abort();
    if (!config) return 0;

    // a good config gives a model
    jbw_model *model;
    if (config->item_count <= 4 && config->patch_size <= 64) {
        if (jbw_model_create(config, &model, NULL)) abort();
        jbw_model_destroy(model);
    }
    jbw_config_free(config);
    return 0;
}
