// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Shortest paths by a slow and obvious search, to compare the fast one with.
#ifndef JBW_TESTS_SLOW_PATHS_H
#define JBW_TESTS_SLOW_PATHS_H

#include "agents/path.h"
#include "support/action_sets.h"

enum { MAX_RANGE = 5, MAX_SIDE = 2 * MAX_RANGE + 1, MAX_STATES = 4 * MAX_SIDE * MAX_SIDE };

/// A square of marks around an agent that faces up: side x side of jbw_cell_mark.
typedef struct slow_field {
    int side;
    uint8_t marks[MAX_SIDE * MAX_SIDE];
} slow_field;

typedef struct pose {
    int row;
    int column;
    int direction; // 0 up, 1 right, 2 down, 3 left
} pose;

pose pose_after(pose p, jbw_action_kind kind);

/// The distance of each pose to the nearest target, by repeated relaxation; INT32_MAX if there is
/// no way.
void slow_distances(const slow_field *f, const action_set *set, int distances[MAX_STATES]);
int slow_distance_at(const slow_field *f, const int *distances, pose p);

/// The first action of the set that leads nearer to a target, or -1.
int slow_best_action(const slow_field *f, const action_set *set, const int *distances, pose p);

#endif
