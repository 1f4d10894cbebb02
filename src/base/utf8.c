// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "base/utf8.h"

size_t jbw_utf8_decode(const char *text, size_t left, uint32_t *out)
{
    const unsigned char *at = (const unsigned char *)text;
    static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char lead = at[0];
    const size_t length = lead < 0x80             ? 1
                          : (lead & 0xe0) == 0xc0 ? 2
                          : (lead & 0xf0) == 0xe0 ? 3
                          : (lead & 0xf8) == 0xf0 ? 4
                                                  : 0;
    if (length == 0 || length > left) return 0;
    uint32_t code = length == 1 ? lead : lead & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80) return 0;
        code = code << 6 | (at[i] & 0x3fu);
    }
    if (code < smallest[length] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return 0;
    *out = code;
    return length;
}

bool jbw_utf8_is_valid(const char *text, size_t length)
{
    for (size_t i = 0; i < length;) {
        uint32_t character;
        const size_t size = jbw_utf8_decode(text + i, length - i, &character);
        if (size == 0 || character == 0) return false;
        i += size;
    }
    return true;
}
