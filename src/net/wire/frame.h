// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The numbers of WebSocket frames (RFC 6455), which both ends read.
#ifndef JBW_NET_WIRE_FRAME_H
#define JBW_NET_WIRE_FRAME_H

/// The first byte: whether the frame ends its message, and what it is.
enum {
    JBW_WS_LAST_FRAME = 0x80,
    JBW_WS_RESERVED = 0x70,
    JBW_WS_OPCODE = 0x0f,

    JBW_WS_CONTINUED = 0,
    JBW_WS_TEXT = 1,
    JBW_WS_BINARY = 2,
    JBW_WS_CLOSE = 8, ///< from here on, control frames
    JBW_WS_PING = 9,
    JBW_WS_PONG = 10,
};

/// The second byte: whether the payload is masked, and its length or how many bytes of that follow.
enum {
    JBW_WS_MASKED = 0x80,
    JBW_WS_LENGTH_16 = 126,
    JBW_WS_LENGTH_64 = 127,
};

/// In bytes.
enum {
    JBW_WS_MASK_SIZE = 4,
    JBW_WS_HEADER_MOST = 14,
    JBW_WS_CONTROL_MOST = 125, ///< payload of a control frame
};

#endif
