// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Shortest paths within the visual field, over cells and directions:
///
///       0 1 2 3 4
///     0 . . . T .      a path from ^, which faces up, around the obstacle # to the target T, with
///     1 . . # . .      MoveForward, TurnLeft and TurnRight: right, forward, left, forward,
///     2 . . ^ . .      forward. A turn counts as much as a move.
///     3 . . . . .
///     4 . . . . .
///
/// All actions cost one step, so Dijkstra's algorithm is a breadth-first search.
#ifndef JBW_AGENTS_PATH_H
#define JBW_AGENTS_PATH_H

#include "jbw/world.h"

/// What the search knows about a cell.
typedef enum jbw_cell_mark {
    JBW_CELL_FREE,
    JBW_CELL_TARGET,
    JBW_CELL_OBSTACLE, ///< never entered
} jbw_cell_mark;

/// An action that leads from one state to another.
typedef struct jbw_path_edge {
    uint8_t action;
    bool is_move;  // otherwise a turn
    uint8_t turns; // quarter turns to the right: of the agent, or of the move relative to it
} jbw_path_edge;

enum { JBW_MAX_PATH_EDGES = 7 }; // four moves and three turns

/// Writes the moves and turns that a body has, by action, and returns how many there are.
int jbw_path_edges(const jbw_model *model, int body, jbw_path_edge edges[JBW_MAX_PATH_EDGES]);

/// The working memory of a search. A state is a cell and a direction: 4 cell + direction.
typedef struct jbw_path_finder {
    int side;
    jbw_path_edge edges[JBW_MAX_PATH_EDGES]; // by action
    int edge_count;
    uint8_t *marks;     // (side x side) of jbw_cell_mark, filled by the caller
    uint32_t *queue;    // (states)
    uint32_t *previous; // (states): the state it was reached from plus one; 0 if not reached
    uint8_t *actions;   // (states): the action that led to it
} jbw_path_finder;

/// Prepares for the vision and actions of a model. False if memory runs out; deinit it even then.
bool jbw_path_finder_init(jbw_path_finder *finder, const jbw_model *model);
void jbw_path_finder_deinit(jbw_path_finder *finder, const jbw_model *model);

/// The number of states. Every path has fewer actions.
size_t jbw_path_finder_state_count(const jbw_path_finder *finder);

/// The index of the agent's neighbouring cell, `turns` quarter turns to the right of straight
/// ahead; -1 if it is outside the visual field.
int jbw_path_finder_neighbor(const jbw_path_finder *finder, int turns);

/// Finds a shortest path from the middle, facing ahead, to a target, and writes its actions to
/// `path`. Of several, it is the lexicographically smallest by action index. Returns its length, or
/// 0 if there is none of fewer than `limit` actions.
size_t jbw_path_find(jbw_path_finder *finder, size_t limit, uint8_t *path);

#endif
