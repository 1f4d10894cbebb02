// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Random words of agents, for tests that make random requests. Worlds without texts and voices draw
/// nothing, so what happens in them stays the same.
#ifndef JBW_TESTS_WORDS_H
#define JBW_TESTS_WORDS_H

#include <stdint.h>

#include "jbw/agent.h"

enum { WORDS_ROOM = JBW_MAX_TEXT + 1 };

/// Some text, or NULL; it is in `room`.
const char *words_text(uint64_t *random, char room[WORDS_ROOM]);

/// A request with that action, and words if they are possible.
jbw_request words_request(const jbw_model *model, uint64_t *random, int action,
                          char room[WORDS_ROOM]);

/// Makes requests for several agents with words, if they are possible; at most 64.
jbw_status words_act(jbw_world *world, uint64_t *random, const jbw_agent_id *agents,
                     const int *actions, size_t count);

/// Places an item with a text, if that is possible.
jbw_status words_place(jbw_world *world, uint64_t *random, int item_type, jbw_position cell);

#endif
