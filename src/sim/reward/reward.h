// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Rewards: texts such as "Collect[JellyBean] & Avoid[Onion]", compiled once and evaluated at every
/// step without allocating.
///
///     reward_parse.c    from text to a compiled reward; the table of all functions
///     reward_number.c   numbers, and those that change with time
///     reward_eval.c     the reward of a step; which part of a schedule applies at a time
///     reward_print.c    from a compiled reward back to text
///
/// A compiled reward is read-only: nodes in one array, their parts in another.
///
///     Collect[A] & Cyclical[(Avoid[B], 10), (Zero, 5)]
///
///     nodes  0 COMBINED   1 COLLECT A   2 CYCLICAL   3 COLLECT B -1   4 ZERO
///     parts  0 -> node 1   1 -> node 2   |   2 -> node 3, ends at 10   3 -> node 4, ends at 15
///
/// The parts of a node are contiguous, so a schedule finds its part by bisection. Compiling brings
/// texts into a normal form: nested combinations are flattened, `Fixed` and parentheses disappear,
/// and `Avoid` becomes a `Collect`. So texts that mean the same sum, in the same order, give the
/// same program.
#ifndef JBW_SIM_REWARD_REWARD_H
#define JBW_SIM_REWARD_REWARD_H

#include "base/alloc.h"
#include "jbw/reward.h"
#include "sim/reward/reward_number.h"

typedef enum jbw_reward_kind {
    JBW_REWARD_ZERO,
    JBW_REWARD_ACTION,
    JBW_REWARD_COLLECT,
    JBW_REWARD_COLLECT_KIND, // the same for several item types
    JBW_REWARD_EXPLORE,
    JBW_REWARD_CUSTOM,
    JBW_REWARD_COMBINED, // two or more parts, none of which is COMBINED
    JBW_REWARD_SCALED,   // one part
    JBW_REWARD_TEAM,     // one part, without another TEAM in it
    JBW_REWARD_CURRICULUM,
    JBW_REWARD_CYCLICAL,
    JBW_REWARD_GRADUAL, // two parts
    JBW_REWARD_RANDOM,
} jbw_reward_kind;

typedef struct jbw_reward_node {
    jbw_reward_kind kind;
    int item_type; // COLLECT
    uint32_t part; // the first one
    uint32_t part_count;
    double value;                        // the amount, or the factor of SCALED, unless it changes
    const jbw_changing_number *changing; // NULL if it does not
    uint64_t steps;                      // CYCLICAL: one cycle; GRADUAL, RANDOM: as given
    uint64_t seed;                       // RANDOM
    const char *item;                    // COLLECT, COLLECT_KIND: the name of the item or kind
    const bool *is_member;               // COLLECT_KIND: by item type
    const jbw_reward_function *custom;   // CUSTOM
    const double *arguments;             // CUSTOM: (custom->argument_count)
} jbw_reward_node;

typedef struct jbw_reward_part {
    uint32_t node;
    uint64_t end; // CURRICULUM, CYCLICAL: the first step after it, counted from their start
} jbw_reward_part;

struct jbw_reward {
    jbw_allocator allocator;
    jbw_arena arena;        // owns everything below, but not the reward itself
    jbw_reward_node *nodes; // the first is the root
    jbw_reward_part *parts;
    bool has_team; // a TEAM is among the nodes
};

/// The amount or factor of a node at `time`.
static inline double jbw_reward_value(const jbw_reward_node *node, uint64_t time)
{
    return node->changing ? jbw_changing_at(node->changing, time) : node->value;
}

/// Whether a COLLECT_KIND is about an item type, which may be -1.
static inline bool jbw_reward_has_type(const jbw_reward_node *node, int item_type)
{
    return item_type >= 0 && node->is_member[item_type];
}

/// The part of a CURRICULUM, CYCLICAL or RANDOM that applies at `time`.
const jbw_reward_node *jbw_reward_choose(const jbw_reward *reward, const jbw_reward_node *node,
                                         uint64_t time);

/// The weight of the second part of a GRADUAL at `time`, from 0 to 1.
double jbw_reward_weight(const jbw_reward_node *node, uint64_t time);

/// A part of a node by its index.
static inline const jbw_reward_node *jbw_reward_part_at(const jbw_reward *reward,
                                                        const jbw_reward_node *node, uint32_t index)
{
    return &reward->nodes[reward->parts[node->part + index].node];
}

#endif
