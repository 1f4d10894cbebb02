// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The cells of a patch as few bytes that are read in a microsecond or two:
///
///     background   1 byte: the content of most cells
///     width        1 byte: bits per code, 0 to 8; 0 means that all cells are background
///     groups       1 bit for each group of eight cells: some differ from the background
///     masks        1 byte for each such group: which cells differ
///     codes        `width` bits for each cell that differs: its content, not counting the background
///
/// Bits are filled from the lowest of the first byte; unused bits are zero. If the width is 0, nothing
/// follows.
#ifndef JBW_ATLAS_PATCH_CODE_H
#define JBW_ATLAS_PATCH_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Bytes that must be readable behind an encoding.
enum { JBW_PATCH_CODE_SLACK = 8 };

/// The most bytes that an encoding of so many cells takes.
size_t jbw_patch_code_most(size_t cell_count);

/// Encodes cells into `out`, which has room for the most bytes and the slack, and returns the size.
size_t jbw_patch_encode(const uint8_t *cells, size_t cell_count, uint8_t *out);

/// Decodes cells, none of which may be larger than `largest`. False if the bytes are no encoding of
/// so many cells; `cells` may hold anything then.
bool jbw_patch_decode(const uint8_t *bytes, size_t size, size_t cell_count, unsigned largest,
                      uint8_t *cells);

#endif
