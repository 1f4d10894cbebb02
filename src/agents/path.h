// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Shortest paths within a visual field, over places and directions:
///
///       0 1 2 3 4
///     0 . . . T .      a path from ^, which looks up, to a target T around the obstacle #, with
///     1 . . # . .      MoveForward, TurnLeft and TurnRight: right, forward, left, forward,
///     2 . . ^ . .      forward. Turns count like moves.
///     3 . . . . .
///     4 . . . . .
///
/// All actions cost one step, so Dijkstra's algorithm is a breadth-first search.
#ifndef JBW_AGENTS_PATH_H
#define JBW_AGENTS_PATH_H

#include "jbw/world.h"

/// What the search knows of a cell.
typedef enum jbw_cell_mark {
    JBW_CELL_FREE,
    JBW_CELL_TARGET,
    JBW_CELL_OBSTACLE, ///< never entered
} jbw_cell_mark;

/// An action that leads from one state to another.
typedef struct jbw_path_edge {
    uint8_t action;
    bool is_move;  // else a turn
    uint8_t turns; // to the right: of the direction, or of the move against it
} jbw_path_edge;

enum { JBW_MAX_PATH_EDGES = 7 }; // four moves and three turns

/// Everything that a search works with. A state is a cell and a direction: 4 cell + direction.
typedef struct jbw_path_finder {
    int side;
    jbw_path_edge edges[JBW_MAX_PATH_EDGES]; // by action
    int edge_count;
    uint8_t *marks;     // (side x side) of jbw_cell_mark, filled by the caller
    uint32_t *queue;    // (states)
    uint32_t *previous; // (states): where each was reached from, plus one; 0 is not reached
    uint8_t *actions;   // (states): by which action
} jbw_path_finder;

/// Makes ready for a model's vision and actions. False when memory runs out; then it is to be
/// deinitialised all the same.
bool jbw_path_finder_init(jbw_path_finder *finder, const jbw_model *model);
void jbw_path_finder_deinit(jbw_path_finder *finder, const jbw_model *model);

/// States there are: no path has as many actions.
size_t jbw_path_finder_state_count(const jbw_path_finder *finder);

/// The index of the cell next to the agent's own, `turns` quarter turns to the right of ahead; -1
/// if it is out of sight.
int jbw_path_finder_neighbor(const jbw_path_finder *finder, int turns);

/// Finds a shortest path from the middle, facing ahead, to a target, and writes its actions to
/// `path`. Of several the first counts, as in a dictionary, by the numbers of their actions.
/// Returns its length, or 0 if there is none of fewer than `limit` actions.
size_t jbw_path_find(jbw_path_finder *finder, size_t limit, uint8_t *path);

#endif
