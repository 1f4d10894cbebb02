// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "atlas/patch_code.h"

#include <string.h>

#include "base/bytes.h"

enum { HEAD = 2, GROUP = 8, CONTENTS = 256 };

static size_t group_count_of(size_t cell_count)
{
    return (cell_count + GROUP - 1) / GROUP;
}

static size_t groups_size_of(size_t cell_count)
{
    return (group_count_of(cell_count) + 7) / 8;
}

size_t jbw_patch_code_most(size_t cell_count)
{
    return HEAD + groups_size_of(cell_count) + group_count_of(cell_count) + cell_count;
}

// ---- encoding ----

static uint8_t most_frequent(const uint8_t *cells, size_t cell_count)
{
    size_t counts[CONTENTS] = {0};
    for (size_t i = 0; i < cell_count; i++) counts[cells[i]]++;
    size_t best = 0;
    for (size_t content = 1; content < CONTENTS; content++)
        if (counts[content] > counts[best]) best = content;
    return (uint8_t)best;
}

// contents in order, without the background
static unsigned code_of(unsigned content, unsigned background)
{
    return content > background ? content - 1 : content;
}

static unsigned width_of(const uint8_t *cells, size_t cell_count, uint8_t background)
{
    unsigned all = 0;
    bool is_plain = true;
    for (size_t i = 0; i < cell_count; i++) {
        if (cells[i] == background) continue;
        is_plain = false;
        all |= code_of(cells[i], background);
    }
    unsigned width = is_plain ? 0 : 1;
    while (all >> width) width++;
    return width;
}

size_t jbw_patch_encode(const uint8_t *cells, size_t cell_count, uint8_t *out)
{
    const uint8_t background = most_frequent(cells, cell_count);
    const unsigned width = width_of(cells, cell_count, background);
    out[0] = background;
    out[1] = (uint8_t)width;
    if (width == 0) return HEAD;

    uint8_t *groups = out + HEAD;
    uint8_t *at = groups + groups_size_of(cell_count);
    memset(groups, 0, groups_size_of(cell_count));
    for (size_t i = 0; i < cell_count; i += GROUP) {
        unsigned mask = 0;
        for (size_t j = i; j < i + GROUP && j < cell_count; j++)
            mask |= (unsigned)(cells[j] != background) << (j - i);
        if (mask == 0) continue;
        groups[i / GROUP / 8] |= (uint8_t)(1u << i / GROUP % 8);
        *at++ = (uint8_t)mask;
    }
    uint64_t bits = 0;
    unsigned bit_count = 0;
    for (size_t i = 0; i < cell_count; i++) {
        if (cells[i] == background) continue;
        bits |= (uint64_t)code_of(cells[i], background) << bit_count;
        bit_count += width;
        for (; bit_count >= 8; bit_count -= 8, bits >>= 8) *at++ = (uint8_t)bits;
    }
    if (bit_count > 0) *at++ = (uint8_t)bits;
    return (size_t)(at - out);
}

// ---- decoding ----

static unsigned count_bits(unsigned byte)
{
    byte = byte - (byte >> 1 & 0x55);
    byte = (byte & 0x33) + (byte >> 2 & 0x33);
    return (byte + (byte >> 4)) & 15;
}

// where the parts of an encoding are
typedef struct parts {
    const uint8_t *groups;
    const uint8_t *masks;
    const uint8_t *codes;
    size_t mask_count;
} parts;

// False if the sizes do not fit.
static bool find_parts(const uint8_t *bytes, size_t size, size_t cell_count, unsigned width,
                       parts *out)
{
    const size_t groups_size = groups_size_of(cell_count);
    const size_t group_count = group_count_of(cell_count);
    if (size < HEAD + groups_size) return false;
    out->groups = bytes + HEAD;
    out->masks = out->groups + groups_size;
    out->mask_count = 0;
    for (size_t i = 0; i < groups_size; i++) out->mask_count += count_bits(out->groups[i]);
    if (group_count % 8 != 0 && out->groups[groups_size - 1] >> group_count % 8 != 0) return false;
    const size_t left = size - HEAD - groups_size;
    if (left < out->mask_count) return false;

    size_t count = 0;
    bool is_good = true;
    for (size_t i = 0; i < out->mask_count; i++) {
        is_good = is_good && out->masks[i] != 0;
        count += count_bits(out->masks[i]);
    }
    out->codes = out->masks + out->mask_count;
    const size_t bit_count = count * width;
    const size_t codes_size = (bit_count + 7) / 8;
    if (!is_good || count == 0 || left - out->mask_count != codes_size) return false;
    return bit_count % 8 == 0 || out->codes[codes_size - 1] >> bit_count % 8 == 0;
}

static unsigned lowest_bit(unsigned byte)
{
#if defined(__GNUC__)
    return (unsigned)__builtin_ctz(byte);
#else
    unsigned bit = 0;
    while (!(byte >> bit & 1)) bit++;
    return bit;
#endif
}

bool jbw_patch_decode(const uint8_t *bytes, size_t size, size_t cell_count, unsigned largest,
                      uint8_t *cells)
{
    if (size < HEAD || bytes[0] > largest || bytes[1] > 8) return false;
    const unsigned background = bytes[0];
    const unsigned width = bytes[1];
    memset(cells, (int)background, cell_count);
    if (width == 0) return size == HEAD;

    parts p;
    if (!find_parts(bytes, size, cell_count, width, &p)) return false;
    const unsigned low_bits = (1u << width) - 1;
    size_t position = 0; // in bits
    unsigned most = 0;
    const uint8_t *mask = p.masks;
    for (size_t i = 0; i < groups_size_of(cell_count); i++) {
        for (unsigned bits = p.groups[i]; bits != 0; bits &= bits - 1, mask++) {
            const size_t first = (8 * i + lowest_bit(bits)) * GROUP;
            if (first + GROUP > cell_count && *mask >> (cell_count - first) != 0) return false;
            // eight codes fit into what is left: 8 times 7 bits, or 8 times 8 from the first bit on
            uint64_t codes = jbw_get_u64(p.codes + position / 8) >> position % 8;
            position += count_bits(*mask) * width;
            for (unsigned rest = *mask; rest != 0; rest &= rest - 1, codes >>= width) {
                const unsigned code = (unsigned)codes & low_bits;
                const unsigned content = code + (code >= background);
                most = content > most ? content : most;
                cells[first + lowest_bit(rest)] = (uint8_t)content;
            }
        }
    }
    return most <= largest;
}
