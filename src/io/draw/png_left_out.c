// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Takes the place of png_file.c in a build without libpng: everything is drawn, but no file written.

#include "base/error.h"
#include "io/draw/png_file.h"

jbw_status jbw_png_write(const char *path, int64_t width, int64_t height,
                         jbw_png_row_function *make_row, void *user, const jbw_allocator *allocator,
                         jbw_error *error)
{
    (void)path;
    (void)width;
    (void)height;
    (void)make_row;
    (void)user;
    (void)allocator;
    jbw_error_set(error, 0, 0, "this jbw was built without PNG files (JBW_PICTURES=OFF)");
    return JBW_UNSUPPORTED;
}
