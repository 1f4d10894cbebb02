// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0
/// The stage of the tests of a step: items of all kinds, drawn worlds, ways to solve conflicts.
#ifndef JBW_TESTS_STEP_SCENE_H
#define JBW_TESTS_STEP_SCENE_H

#include "support/drawing.h"

enum { APPLE, BOULDER, AXE, WOOD, STATUE, WALL, TYPES };

/// However conflicts are solved, agents do not share cells: the first two.
extern const jbw_collision all_policies[3];
enum { EXCLUSIVE_POLICIES = 2 };

/// Draws a world in which a is an apple, b a boulder, x an axe, w wood, s a statue and # a wall.
void draw_with(drawn_world *d, jbw_collision collision, jbw_collection collection,
               const char *facing, const char *drawing);
void draw(drawn_world *d, jbw_collision collision, const char *facing, const char *drawing);

void place(drawn_world *d, int type, int64_t x, int64_t y);

#endif
