// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/model/terms.h"

#include <string.h>

#include "sim/model/config.h"

// ---- building ----

static bool build_demands(const jbw_config *config, const jbw_kinds *kinds,
                          const jbw_item_count *counts, size_t count, jbw_arena *arena,
                          jbw_demands *out)
{
    jbw_demand *list = jbw_arena_alloc(arena, count, sizeof *list);
    if (!list) return false;
    for (size_t i = 0; i < count; i++)
        list[i] = (jbw_demand){.count = (uint32_t)counts[i].count,
                               .is_kind = jbw_config_item_index(config, counts[i].item) < 0,
                               .set = jbw_kinds_find(config, kinds, counts[i].item)};
    *out = (jbw_demands){.list = list, .count = (int)count};
    return true;
}

bool jbw_terms_build(const jbw_config *config, const jbw_kinds *kinds, const jbw_item_type *item,
                     jbw_arena *arena, const jbw_terms **out)
{
    *out = NULL;
    if (item->requirement_count + item->cost_count + item->ever_requirement_count +
            item->drop_count ==
        0)
        return true;
    jbw_terms *terms = jbw_arena_alloc(arena, 1, sizeof *terms);
    if (!terms ||
        !build_demands(config, kinds, item->requirements, item->requirement_count, arena,
                       &terms->requirements) ||
        !build_demands(config, kinds, item->ever_requirements, item->ever_requirement_count, arena,
                       &terms->ever) ||
        !build_demands(config, kinds, item->costs, item->cost_count, arena, &terms->costs) ||
        !build_demands(config, kinds, item->drops, item->drop_count, arena, &terms->drops))
        return false;
    for (size_t i = 0; i < item->drop_count; i++) terms->drop_total += (int)item->drops[i].count;
    *out = terms;
    return true;
}

// ---- paying ----

static bool are_met(jbw_demands demands, const uint64_t *counts)
{
    for (int i = 0; i < demands.count; i++) {
        const jbw_demand *demand = &demands.list[i];
        uint64_t sum = 0;
        for (int k = 0; k < demand->set.count; k++) sum += counts[demand->set.types[k]];
        if (sum < demand->count) return false;
    }
    return true;
}

// takes what demands of kinds, or all others, ask for; `*drops`, if not NULL, gets each item's type
static bool take(jbw_demands demands, bool of_kinds, uint64_t *counts, uint8_t **drops)
{
    for (int i = 0; i < demands.count; i++) {
        const jbw_demand *demand = &demands.list[i];
        if (demand->is_kind != of_kinds) continue;
        uint64_t missing = demand->count;
        for (int k = 0; k < demand->set.count && missing > 0; k++) {
            uint64_t *left = &counts[demand->set.types[k]];
            const uint64_t taken = *left < missing ? *left : missing;
            *left -= taken;
            missing -= taken;
            for (uint64_t n = 0; drops && n < taken; n++) *(*drops)++ = demand->set.types[k];
        }
        if (missing > 0) return false;
    }
    return true;
}

bool jbw_terms_pay(const jbw_terms *terms, int type_count, uint64_t *inventory,
                   const uint64_t *ever, uint8_t *drops)
{
    if (!are_met(terms->requirements, inventory)) return false;
    if (terms->ever.count > 0 && !are_met(terms->ever, ever)) return false;
    if (terms->costs.count + terms->drops.count == 0) return true;
    uint64_t left[JBW_MAX_ITEM_TYPES];
    const size_t size = (size_t)type_count * sizeof *left;
    memcpy(left, inventory, size);
    // what is asked for by name must not be taken for a kind, be it to destroy or to put down
    if (!take(terms->costs, false, left, NULL) || !take(terms->drops, false, left, &drops) ||
        !take(terms->costs, true, left, NULL) || !take(terms->drops, true, left, &drops))
        return false;
    memcpy(inventory, left, size);
    return true;
}
