// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/model/kinds.h"

#include <string.h>

#include "sim/model/config.h"

int jbw_config_kind_index(const jbw_config *config, const char *name)
{
    for (size_t i = 0; i < config->kind_count; i++)
        if (strcmp(config->kinds[i].name, name) == 0) return (int)i;
    return -1;
}

// ---- resolving ----

// While kinds are resolved. Members are numbers: of an item type, or item_count plus that of a kind,
// or -1 if the name is unknown.
typedef struct resolver {
    const jbw_config *config;
    const int *const *members; // (kind_count), each (member_count)
    bool is_seen[JBW_MAX_KINDS];
    bool is_taken[JBW_MAX_ITEM_TYPES];
    uint8_t types[JBW_MAX_ITEM_TYPES];
    int count;
} resolver;

static bool number_members(const jbw_config *config, jbw_arena *arena, const int **members)
{
    for (size_t k = 0; k < config->kind_count; k++) {
        const jbw_kind *kind = &config->kinds[k];
        int *numbers = jbw_arena_alloc(arena, kind->member_count, sizeof *numbers);
        if (!numbers) return false;
        for (size_t i = 0; i < kind->member_count; i++) {
            const int item = jbw_config_item_index(config, kind->members[i]);
            const int inner = item < 0 ? jbw_config_kind_index(config, kind->members[i]) : -1;
            numbers[i] = inner < 0 ? item : (int)config->item_count + inner;
        }
        members[k] = numbers;
    }
    return true;
}

// Adds the types of a kind that are not in the set yet. Returns whether it met `root`, whose types
// are being collected, again.
static bool add_kind(resolver *r, size_t kind, size_t root)
{
    bool is_cyclic = false;
    r->is_seen[kind] = true;
    for (size_t i = 0; i < r->config->kinds[kind].member_count; i++) {
        const int member = r->members[kind][i];
        if (member < 0) continue;
        if (member >= (int)r->config->item_count) {
            const size_t inner = (size_t)member - r->config->item_count;
            if (inner == root) is_cyclic = true;
            if (!r->is_seen[inner] && add_kind(r, inner, root)) is_cyclic = true;
        } else if (!r->is_taken[member]) {
            r->is_taken[member] = true;
            r->types[r->count++] = (uint8_t)member;
        }
    }
    return is_cyclic;
}

bool jbw_kinds_build(const jbw_config *config, jbw_arena *arena, jbw_kinds *out, bool *is_cyclic)
{
    uint8_t *items = jbw_arena_alloc(arena, config->item_count, sizeof *items);
    jbw_type_set *sets = jbw_arena_alloc(arena, config->kind_count, sizeof *sets);
    const int **members = jbw_arena_alloc(arena, config->kind_count, sizeof *members);
    if (!items || !sets || !members || !number_members(config, arena, members)) return false;
    for (size_t i = 0; i < config->item_count; i++) items[i] = (uint8_t)i;
    for (size_t k = 0; k < config->kind_count; k++) {
        resolver r = {.config = config, .members = members};
        const bool has_met_itself = add_kind(&r, k, k);
        if (is_cyclic) is_cyclic[k] = has_met_itself;
        uint8_t *types = jbw_arena_alloc(arena, (size_t)r.count, sizeof *types);
        if (!types) return false;
        if (r.count > 0) memcpy(types, r.types, (size_t)r.count);
        sets[k] = (jbw_type_set){.types = types, .count = r.count};
    }
    *out = (jbw_kinds){.items = items, .sets = sets};
    return true;
}

jbw_type_set jbw_kinds_find(const jbw_config *config, const jbw_kinds *kinds, const char *name)
{
    const int item = jbw_config_item_index(config, name);
    if (item >= 0) return (jbw_type_set){.types = &kinds->items[item], .count = 1};
    const int kind = jbw_config_kind_index(config, name);
    return kind >= 0 ? kinds->sets[kind] : (jbw_type_set){0};
}

// ---- interactions ----

static bool has_type(jbw_type_set set, int type)
{
    return set.count > 0 && memchr(set.types, type, (size_t)set.count) != NULL;
}

// whether every type of a set is in another one, which has more
static bool is_within(jbw_type_set inner, jbw_type_set outer)
{
    for (int i = 0; i < inner.count; i++)
        if (!has_type(outer, inner.types[i])) return false;
    return inner.count < outer.count;
}

bool jbw_kinds_interactions(const jbw_config *config, const jbw_kinds *kinds,
                            const jbw_item_type *item, int entries[JBW_MAX_ITEM_TYPES],
                            jbw_interaction_rivals *rivals)
{
    jbw_type_set sets[JBW_MAX_ITEM_NAMES];
    bool is_own[JBW_MAX_ITEM_TYPES] = {false};
    for (size_t t = 0; t < config->item_count; t++) entries[t] = -1;
    for (size_t i = 0; i < item->interaction_count; i++) {
        const jbw_type_set set = jbw_kinds_find(config, kinds, item->interactions[i].item);
        const bool is_item = jbw_config_item_index(config, item->interactions[i].item) >= 0;
        for (int k = 0; k < set.count; k++) {
            const int t = set.types[k];
            if (is_own[t] || (entries[t] >= 0 && !is_item && sets[entries[t]].count <= set.count))
                continue;
            entries[t] = (int)i;
            is_own[t] = is_item;
        }
        sets[i] = set;
    }
    for (size_t i = 0; i < item->interaction_count; i++) {
        for (int k = 0; k < sets[i].count; k++) {
            const int t = sets[i].types[k];
            if (is_own[t] || entries[t] == (int)i || is_within(sets[entries[t]], sets[i])) continue;
            *rivals = (jbw_interaction_rivals){t, entries[t], (int)i};
            return false;
        }
    }
    return true;
}
