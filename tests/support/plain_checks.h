// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Checks for programs that do without cmocka: they exit with a message.
#ifndef JBW_TESTS_PLAIN_CHECKS_H
#define JBW_TESTS_PLAIN_CHECKS_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "jbw/jbw.h"

static inline _Noreturn void fail(const char *text)
{
    fprintf(stderr, "%s\n", text);
    exit(2);
}

static inline void check(bool is_fine, const char *text)
{
    if (!is_fine) fail(text);
}

/// The model of a shipped world or of a world file.
static inline jbw_model *read_model(const char *name)
{
    jbw_config *config;
    jbw_error error = {0};
    jbw_model *model = NULL;
    check(jbw_world_file_read(name, NULL, &config, &error) == JBW_OK, error.text);
    check(jbw_model_create(config, &model, &error) == JBW_OK, error.text);
    jbw_config_free(config);
    return model;
}

#endif
