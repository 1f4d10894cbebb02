// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Worlds drawn in letters, for tests that a person can check by eye. Nothing is generated in them.
///
///     "..#.\n"      the upper row comes first; the lower left letter is the cell (0, 0)
///     "12.a\n"      1 to 9: agents, in the order in which they are added
///                   .     : nothing
///                   others: items, whose letters are listed in the order of their types
///
/// The direction of each agent is given separately, by one of ^ > v <.
#ifndef JBW_TESTS_DRAWING_H
#define JBW_TESTS_DRAWING_H

#include "support/models.h"

#include "jbw/agent.h"

enum { MAX_DRAWN_AGENTS = 9, DRAWN_PATCH_SIZE = 26 };

typedef struct drawn_world {
    jbw_model *model;
    jbw_world *world;
    const char *letters; // of the item types
    jbw_agent_id agents[MAX_DRAWN_AGENTS + 1];
    size_t agent_count;
} drawn_world;

/// A config for such worlds: no scent, one colour dimension, vision range 3, and the actions that
/// `play` knows. `Drop` exists for the first two types.
jbw_config drawn_config(const jbw_item_type *items, size_t item_count);

/// Draws a world: first its items, then its agents, one by one.
void draw_world(drawn_world *d, const jbw_config *config, const char *letters, const char *facing,
                const char *drawing);
void erase_world(drawn_world *d);

/// Adds one more agent.
void draw_agent(drawn_world *d, jbw_position cell, jbw_direction direction);

/// The number of an action by its letter:
///     F B L R   move forward, backward, left, right      l r u   turn left, right, around
///     C collect     D E drop an item of the first, second type     N nothing
int action_by_letter(char letter);

/// Agents request actions one after the other: "1F 3L 2N". The world must step with the last
/// request, not before.
void play(drawn_world *d, const char *script);

/// The same, but the world must not step.
void ask(drawn_world *d, const char *script);

/// The world must look like this. An agent hides the item below it.
void assert_drawing(const drawn_world *d, const char *drawing);
void assert_facing(const drawn_world *d, const char *facing);

/// The outcomes of the agents' actions in the latest step, one letter each:
///     - none     D done     I blocked by an item     A blocked by an agent     L lost
///     0 nothing there     U uncollectable     Q lacks items     O cell occupied     E end of world
void assert_outcomes(const drawn_world *d, const char *outcomes);

/// The same for collecting.
void assert_item_outcomes(const drawn_world *d, const char *outcomes);

/// The inventory of an agent, one count per type: "0 2 1".
void assert_carries(const drawn_world *d, int agent, const char *counts);

/// The letter of the item in a cell, or a dot.
char item_letter(const drawn_world *d, jbw_position cell);

jbw_agent_result result_of(const drawn_world *d, int agent);
jbw_agent_state state_of(const drawn_world *d, int agent);

#endif
