// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A compiled reward: nodes in one array, their parts in another, and nothing that changes.
///
///     Collect[A] & Cyclical[(Avoid[B], 10), (Zero, 5)]
///
///     nodes  0 COMBINED   1 COLLECT A   2 CYCLICAL   3 COLLECT B -1   4 ZERO
///     parts  0 -> node 1   1 -> node 2   |   2 -> node 3, ends at 10   3 -> node 4, ends at 15
///
/// The parts of a node lie side by side, so that a schedule finds its part by bisection. Texts are
/// brought into one form while they are compiled: combinations within combinations are laid flat,
/// `Fixed` and parentheses vanish, `Avoid` is a `Collect`. So texts that mean the same sum, in the
/// same order, give the same program.
#ifndef JBW_SIM_REWARD_REWARD_H
#define JBW_SIM_REWARD_REWARD_H

#include "base/alloc.h"
#include "jbw/reward.h"

/// No number in a reward is larger than this, in absolute value.
#define JBW_MAX_REWARD 1e9

/// No part of a schedule has more steps than the first; no schedule has more than the second.
#define JBW_MAX_SCHEDULE_STEPS (UINT64_C(1) << 62)
#define JBW_MAX_SCHEDULE_TOTAL (UINT64_C(1) << 63)

typedef enum jbw_reward_kind {
    JBW_REWARD_ZERO,
    JBW_REWARD_ACTION,
    JBW_REWARD_COLLECT,
    JBW_REWARD_EXPLORE,
    JBW_REWARD_CUSTOM,
    JBW_REWARD_COMBINED, // two or more parts, none of which is COMBINED
    JBW_REWARD_SCALED,   // one part
    JBW_REWARD_CURRICULUM,
    JBW_REWARD_CYCLICAL,
    JBW_REWARD_GRADUAL, // two parts
    JBW_REWARD_RANDOM,
} jbw_reward_kind;

typedef struct jbw_reward_node {
    jbw_reward_kind kind;
    int item_type; // of COLLECT
    uint32_t part; // the first one
    uint32_t part_count;
    double value;                      // what is paid, or the factor of SCALED
    uint64_t steps;                    // of CYCLICAL: a whole cycle; of GRADUAL, RANDOM: as given
    uint64_t seed;                     // of RANDOM
    const char *item;                  // of COLLECT: its name
    const jbw_reward_function *custom; // of CUSTOM
    const double *arguments;           // of CUSTOM: (custom->argument_count)
} jbw_reward_node;

typedef struct jbw_reward_part {
    uint32_t node;
    uint64_t
        end; // of CURRICULUM, CYCLICAL: the first step, counted from their beginning, beyond it
} jbw_reward_part;

struct jbw_reward {
    jbw_allocator allocator;
    jbw_arena arena;        // holds everything below, and the reward itself does not lie in it
    jbw_reward_node *nodes; // the first is the root
    jbw_reward_part *parts;
};

/// The node that a CURRICULUM, CYCLICAL or RANDOM has chosen at a time.
const jbw_reward_node *jbw_reward_choose(const jbw_reward *reward, const jbw_reward_node *node,
                                         uint64_t time);

/// How much the second part of a GRADUAL weighs at a time, from 0 to 1.
double jbw_reward_weight(const jbw_reward_node *node, uint64_t time);

/// A part of a node, by its number.
static inline const jbw_reward_node *jbw_reward_part_at(const jbw_reward *reward,
                                                        const jbw_reward_node *node, uint32_t index)
{
    return &reward->nodes[reward->parts[node->part + index].node];
}

#endif
