// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Reads the blocks of a recording from its file. It buffers the file, because many blocks are
/// small.
#ifndef JBW_IO_STORE_RECORD_READER_H
#define JBW_IO_STORE_RECORD_READER_H

#include "io/store/record_block.h"

typedef struct jbw_record_reader {
    int descriptor; // belongs to the caller
    uint64_t size;  // of the file
    uint8_t window[1 << 15];
    uint64_t window_offset;
    size_t window_size;
} jbw_record_reader;

/// Starts reading a file and checks its header. JBW_INVALID_DATA if it is not a recording, or of an
/// unknown version.
jbw_status jbw_record_reader_open(jbw_record_reader *reader, int descriptor, jbw_error *error);

/// Reads the head at an offset. JBW_NOT_FOUND if there is no complete block.
jbw_status jbw_record_reader_read_head(jbw_record_reader *reader, uint64_t offset,
                                       jbw_record_block *out, jbw_error *error);

/// Reads a body into a buffer, replacing its contents. JBW_INVALID_DATA if the checksum is wrong,
/// JBW_OUT_OF_MEMORY if the body is larger than the limit.
jbw_status jbw_record_reader_read_body(jbw_record_reader *reader, const jbw_record_block *block,
                                       uint64_t limit, jbw_buffer *out, jbw_error *error);

/// Finds the first head at or after an offset. JBW_NOT_FOUND if there is none.
jbw_status jbw_record_reader_search(jbw_record_reader *reader, uint64_t offset,
                                    jbw_record_block *out, jbw_error *error);

#endif
