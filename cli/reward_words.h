// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What a reward pays over time, in words.
#ifndef JBW_CLI_REWARD_WORDS_H
#define JBW_CLI_REWARD_WORDS_H

#include "jbw/jbw.h"
#include "verb.h"

/// Prints what collecting an item of each type pays, and when that changes, to stdout.
jbw_verb_status jbw_print_reward_words(const char *verb, const jbw_model *model, const char *text);

/// Prints a number with commas between thousands to stdout.
void jbw_print_grouped(uint64_t value);

#endif
