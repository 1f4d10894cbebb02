// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Cuts the bytes that a client sends through a WebSocket into frames (RFC 6455), and unmasks them.
/// The bytes may arrive in pieces of any size. What the standard forbids is an error: frames without
/// a mask, reserved bits and opcodes, long or fragmented control frames, messages within messages.
#ifndef JBW_NET_SERVER_FRAME_READER_H
#define JBW_NET_SERVER_FRAME_READER_H

#include "jbw/base.h"
#include "net/wire/frame.h"

typedef struct jbw_frame_reader {
    uint8_t header[JBW_WS_HEADER_MOST];
    size_t header_size; // bytes of it that have arrived
    bool is_inside;     // the header is complete
    uint64_t size;      // of the payload
    uint64_t done;      // bytes of the payload that have arrived
    bool is_continued;  // the next data frame continues a message
    bool is_text;       // that message, or the latest one
    bool is_wrong;      // there was an error: nothing can follow
    uint8_t control[JBW_WS_CONTROL_MOST];
} jbw_frame_reader;

typedef enum jbw_frame_kind {
    JBW_FRAME_INCOMPLETE, ///< more bytes are needed
    JBW_FRAME_DATA,       ///< the next part of a message
    JBW_FRAME_CLOSE,
    JBW_FRAME_PING,
    JBW_FRAME_PONG,
    JBW_FRAME_WRONG,
} jbw_frame_kind;

/// What was found.
typedef struct jbw_frame_part {
    jbw_frame_kind kind;
    uint8_t *bytes; // unmasked; of control frames all of them
    size_t size;
    uint64_t left;          // bytes of this frame that are still to come
    bool is_end_of_message; // DATA only
    bool is_text;           // DATA only: not binary
} jbw_frame_part;

/// Takes bytes, and unmasks them in place, up to the end of a part. Returns how many; there is
/// nothing more in them if that is all of them and `out->kind` is JBW_FRAME_INCOMPLETE.
size_t jbw_frame_reader_take(jbw_frame_reader *reader, uint8_t *bytes, size_t size,
                             jbw_frame_part *out);

#endif
