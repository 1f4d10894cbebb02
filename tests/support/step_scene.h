// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Drawn worlds for the tests of a step: items of every kind, all ways of resolving collisions.
#ifndef JBW_TESTS_STEP_SCENE_H
#define JBW_TESTS_STEP_SCENE_H

#include "support/drawing.h"

enum { APPLE, BOULDER, AXE, WOOD, STATUE, WALL, TYPES };

/// With the first two, agents never share a cell.
extern const jbw_collision all_policies[3];
enum { EXCLUSIVE_POLICIES = 2 };

/// Draws a world in which a is an apple, b a boulder, x an axe, w wood, s a statue and # a wall.
void draw_scene_with(drawn_world *d, jbw_collision collision, jbw_collection collection,
                     const char *facing, const char *drawing);
void draw_scene(drawn_world *d, jbw_collision collision, const char *facing, const char *drawing);

void place_item(drawn_world *d, int type, int64_t x, int64_t y);

#endif
