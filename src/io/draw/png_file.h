// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Writes PNG files row by row, so that memory use does not grow with the height.
#ifndef JBW_IO_DRAW_PNG_FILE_H
#define JBW_IO_DRAW_PNG_FILE_H

#include "jbw/base.h"

/// Fills a row of pixels, three bytes each. Called for every row in order; row 0 is the top. Any
/// status other than JBW_OK ends the writing and is returned.
typedef jbw_status jbw_png_row_function(void *user, int64_t row, uint8_t *pixels);

/// Writes a picture atomically. `width` and `height` must be from 1 to 1000000, libpng's own limit.
jbw_status jbw_png_write(const char *path, int64_t width, int64_t height,
                         jbw_png_row_function *make_row, void *user, const jbw_allocator *allocator,
                         jbw_error *error);

#endif
