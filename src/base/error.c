// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

void jbw_error_set(jbw_error *error, int line, int column, const char *format, ...)
{
    if (!error) return;
    error->line = line;
    error->column = column;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
}

jbw_status jbw_error_set_status(jbw_error *error, jbw_status status)
{
    jbw_error_set(error, 0, 0, "%s", jbw_status_text(status));
    return status;
}

void jbw_error_set_path(jbw_error *error, const char *path)
{
    if (!error) return;
    const jbw_error before = *error;
    jbw_error_set(error, 0, 0, "%s: %s", path, before.text);
}
