// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Kinds of items: names for sets of item types. A kind may hold kinds, so that a world has an
/// ontology. Where a kind may stand for an item, it is resolved here, once, to a set of types.
#ifndef JBW_SIM_MODEL_KINDS_H
#define JBW_SIM_MODEL_KINDS_H

#include "base/alloc.h"
#include "jbw/config.h"

/// A set of item types, in an order that matters where some of them are taken first.
typedef struct jbw_type_set {
    const uint8_t *types; // each once
    int count;
} jbw_type_set;

/// The names of a config, resolved.
typedef struct jbw_kinds {
    const uint8_t *items;     // (item_count): 0, 1, 2, ...
    const jbw_type_set *sets; // (kind_count)
} jbw_kinds;

/// The index of the kind with this name, or -1.
int jbw_config_kind_index(const jbw_config *config, const char *name);

/// Resolves the kinds of a config: members of a kind in the order listed, those of a kind within it
/// in its place, each type once. Unknown members are left out, and so is what a kind that contains
/// itself would add again; `is_cyclic` (kind_count, may be NULL) tells which do. False when memory
/// runs out.
bool jbw_kinds_build(const jbw_config *config, jbw_arena *arena, jbw_kinds *out, bool *is_cyclic);

/// The types that the name of an item type or of a kind stands for; none if it is unknown.
jbw_type_set jbw_kinds_find(const jbw_config *config, const jbw_kinds *kinds, const char *name);

/// Two entries that name kinds neither of which is within the other, and a type of both.
typedef struct jbw_interaction_rivals {
    int type;
    int first;
    int second;
} jbw_interaction_rivals;

/// Which of the interactions that an item type lists applies to each type, or -1: the entry that
/// names it, or else that of a kind that holds it. If several kinds do, it is the one within all
/// others; if there is none, returns false with two of them. There are at most JBW_MAX_ITEM_NAMES
/// entries.
bool jbw_kinds_interactions(const jbw_config *config, const jbw_kinds *kinds,
                            const jbw_item_type *item, int entries[JBW_MAX_ITEM_TYPES],
                            jbw_interaction_rivals *rivals);

#endif
