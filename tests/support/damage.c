// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "support/damage.h"

#include <string.h>

#include "support/random.h"

// numbers that are likely to break limits
static const uint8_t extremes[] = {0, 1, 2, 3, 4, 127, 128, 129, 254, 255};

static size_t damage_once(uint64_t *random, uint8_t *bytes, size_t size)
{
    enum { LONGEST = 16 };
    if (size < 2 * LONGEST) return size;
    const size_t at = random_below(random, (uint32_t)(size - LONGEST));
    const size_t other = random_below(random, (uint32_t)(size - LONGEST));
    const size_t length = 1 + random_below(random, LONGEST);
    switch (random_below(random, 8)) {
    case 0: bytes[at] ^= (uint8_t)(1 << random_below(random, 8)); return size;
    case 1: bytes[at] = (uint8_t)random_below(random, 256); return size;
    case 2: bytes[at] = extremes[random_below(random, sizeof extremes)]; return size;
    case 3: bytes[at]++; return size;
    case 4: bytes[at]--; return size;
    case 5: memmove(bytes + at, bytes + other, length); return size;
    case 6: // remove something
        memmove(bytes + at, bytes + at + length, size - at - length);
        return size - length;
    default: // duplicate something
        memmove(bytes + at + length, bytes + at, size - at);
        return size + length;
    }
}

size_t damage(uint64_t *random, const uint8_t *from, size_t size, uint8_t *to)
{
    memcpy(to, from, size);
    for (uint32_t i = 1 + random_below(random, 3); i > 0; i--) size = damage_once(random, to, size);
    return size;
}
