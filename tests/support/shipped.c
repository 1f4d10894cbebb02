// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "support/shipped.h"

jbw_config *read_config(const char *name)
{
    jbw_config *config;
    jbw_error error = {0};
    if (jbw_world_file_read(name, NULL, &config, &error))
        fail_msg("%s:%d:%d: %s", name, error.line, error.column, error.text);
    return config;
}

jbw_config *parse_config(const char *text)
{
    jbw_config *config;
    jbw_error error = {0};
    if (jbw_world_file_parse(text, strlen(text), "test", NULL, &config, &error))
        fail_msg("%d:%d: %s in\n%s", error.line, error.column, error.text, text);
    return config;
}

jbw_model *shipped_model(const char *name)
{
    jbw_config *config = read_config(name);
    jbw_model *model = model_of(config);
    jbw_config_free(config);
    return model;
}
