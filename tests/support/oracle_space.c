// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The oracle's biomes: an item type is never found where the slow twin says never.
#include <inttypes.h>
#include <math.h>

#include "bench/twin.h"
#include "support/oracle_parts.h"

bool oracle_compare_space(oracle *o, uint64_t seed)
{
    enum { MOST = 150 }; // the twin is slow
    twin_law law;
    if (!twin_law_init(&law, o->config)) oracle_tell(o, "the twin does not know these intensities");
    law.seed = seed;
    const size_t cells = (size_t)(o->side * o->side);
    size_t count = 0;
    for (size_t i = 0; i < cells; i++) count += o->generated[i] != 0;
    const size_t stride = count / MOST + 1;
    size_t place = 0;
    for (size_t i = 0; i < cells; i++) {
        if (!o->generated[i] || place++ % stride) continue;
        const twin_item item = {o->corner.x + (int64_t)i % o->side,
                                o->corner.y + (int64_t)i / o->side, o->generated[i] - 1};
        if (isinf(twin_intensity(&law, item)))
            oracle_tell(o, "item %d at (%" PRId64 ", %" PRId64 ") is in a biome without it",
                        item.type, item.x, item.y);
    }
    twin_law_deinit(&law);
    return !o->problem[0];
}
