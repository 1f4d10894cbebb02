// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Sets of actions that agents may have. Some can drop an item named "Bean".
#ifndef JBW_TESTS_ACTION_SETS_H
#define JBW_TESTS_ACTION_SETS_H

#include "jbw/config.h"

typedef struct action_set {
    const jbw_action *actions;
    size_t count;
} action_set;

enum {
    PAPER_ACTIONS, // forward, left and right
    ONE_TURN,
    FOUR_MOVES,
    ALL_ACTIONS,
    AROUND_ONLY, // forward, and turning around
    ACTION_SETS,
};
extern const action_set action_sets[ACTION_SETS];

#endif
