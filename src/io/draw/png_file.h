// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// PNG files, made row by row so that memory does not grow with the height.
#ifndef JBW_IO_DRAW_PNG_FILE_H
#define JBW_IO_DRAW_PNG_FILE_H

#include "jbw/base.h"

/// Fills a row of pixels, three bytes each. Called for every row from 0, the highest, downwards.
/// What it returns but JBW_OK ends the writing.
typedef jbw_status jbw_png_row_function(void *user, int64_t row, uint8_t *pixels);

/// Writes a picture aside and puts it in its place when it is complete. `width` and `height` are at
/// least 1 and at most 1000000, libpng's own limit.
jbw_status jbw_png_write(const char *path, int64_t width, int64_t height,
                         jbw_png_row_function *make_row, void *user, const jbw_allocator *allocator,
                         jbw_error *error);

#endif
