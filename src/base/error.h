// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Filling in the detail of a failure.
#ifndef JBW_BASE_ERROR_H
#define JBW_BASE_ERROR_H

#include "jbw/base.h"

/// Fills in an error, truncating the text if it is too long. `error` may be NULL.
void jbw_error_set(jbw_error *error, int line, int column, const char *format, ...)
    JBW_PRINTF(4, 5);

/// Fills in an error with the text of a status and returns that status, for failures that have
/// nothing to add: `return jbw_error_set_status(error, JBW_OUT_OF_MEMORY);`
jbw_status jbw_error_set_status(jbw_error *error, jbw_status status);

/// Puts "path: " before the text of an error about a file as a whole, and clears its line and
/// column.
void jbw_error_set_path(jbw_error *error, const char *path);

#endif
