// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The terms on which an item can be collected: what agents have to carry, and what it costs them.
/// Names are resolved once, when the model is built; most item types have no terms at all.
#ifndef JBW_SIM_MODEL_TERMS_H
#define JBW_SIM_MODEL_TERMS_H

#include "base/alloc.h"
#include "sim/model/kinds.h"

/// How far from an agent items are put down.
enum { JBW_DROP_RANGE = 2 };

/// So many items of a set of types.
typedef struct jbw_demand {
    uint32_t count;
    bool is_kind; // those that name an item type are paid first
    jbw_type_set set;
} jbw_demand;

typedef struct jbw_demands {
    const jbw_demand *list;
    int count;
} jbw_demands;

typedef struct jbw_terms {
    jbw_demands requirements;
    jbw_demands ever; // how many must have been collected
    jbw_demands costs;
    jbw_demands drops;
    int drop_total; // items
} jbw_terms;

/// Compiles the terms of an item type of a valid config. `*out` is NULL if there are none. False
/// when memory runs out.
bool jbw_terms_build(const jbw_config *config, const jbw_kinds *kinds, const jbw_item_type *item,
                     jbw_arena *arena, const jbw_terms **out);

/// Takes the costs and drops out of an inventory (type_count). `ever` are the numbers of items that
/// were ever collected; `drops` (JBW_MAX_DROPS) gets the types that are put down, in order. If the
/// terms are not met, returns false and changes nothing.
bool jbw_terms_pay(const jbw_terms *terms, int type_count, uint64_t *inventory,
                   const uint64_t *ever, uint8_t *drops);

#endif
