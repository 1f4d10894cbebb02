// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "agents/path.h"

#include <string.h>

#include "base/alloc.h"

// expresses moves and turns as quarter turns to the right
static bool describe(jbw_action_kind kind, jbw_path_edge *edge)
{
    switch (kind) {
    case JBW_ACTION_MOVE_FORWARD: edge->is_move = true, edge->turns = 0; return true;
    case JBW_ACTION_MOVE_RIGHT: edge->is_move = true, edge->turns = 1; return true;
    case JBW_ACTION_MOVE_BACKWARD: edge->is_move = true, edge->turns = 2; return true;
    case JBW_ACTION_MOVE_LEFT: edge->is_move = true, edge->turns = 3; return true;
    case JBW_ACTION_TURN_RIGHT: edge->is_move = false, edge->turns = 1; return true;
    case JBW_ACTION_TURN_AROUND: edge->is_move = false, edge->turns = 2; return true;
    case JBW_ACTION_TURN_LEFT: edge->is_move = false, edge->turns = 3; return true;
    default: return false;
    }
}

int jbw_path_edges(const jbw_model *model, int body, jbw_path_edge edges[JBW_MAX_PATH_EDGES])
{
    int count = 0;
    for (int i = 0; i < jbw_model_action_count(model); i++) {
        jbw_path_edge edge = {.action = (uint8_t)i};
        if (count < JBW_MAX_PATH_EDGES && jbw_model_body_can(model, body, i) &&
            describe(jbw_model_action_kind(model, i), &edge))
            edges[count++] = edge;
    }
    return count;
}

bool jbw_path_finder_init(jbw_path_finder *finder, const jbw_model *model)
{
    *finder = (jbw_path_finder){.side = jbw_model_vision_side(model)};
    finder->edge_count = jbw_path_edges(model, 0, finder->edges);
    const jbw_allocator allocator = jbw_model_allocator(model);
    const size_t states = jbw_path_finder_state_count(finder);
    finder->marks = jbw_alloc_zero(&allocator, states / 4, sizeof *finder->marks);
    finder->queue = jbw_alloc_zero(&allocator, states, sizeof *finder->queue);
    finder->previous = jbw_alloc_zero(&allocator, states, sizeof *finder->previous);
    finder->actions = jbw_alloc_zero(&allocator, states, sizeof *finder->actions);
    return finder->marks && finder->queue && finder->previous && finder->actions;
}

void jbw_path_finder_deinit(jbw_path_finder *finder, const jbw_model *model)
{
    const jbw_allocator allocator = jbw_model_allocator(model);
    const size_t states = jbw_path_finder_state_count(finder);
    jbw_free(&allocator, finder->actions, states * sizeof *finder->actions);
    jbw_free(&allocator, finder->previous, states * sizeof *finder->previous);
    jbw_free(&allocator, finder->queue, states * sizeof *finder->queue);
    jbw_free(&allocator, finder->marks, states / 4 * sizeof *finder->marks);
    *finder = (jbw_path_finder){0};
}

size_t jbw_path_finder_state_count(const jbw_path_finder *finder)
{
    return 4 * (size_t)finder->side * (size_t)finder->side;
}

// the next cell in a direction of the visual field, or -1 beyond its edge
static int step_from(const jbw_path_finder *finder, int cell, int direction)
{
    static const int rows[4] = {-1, 0, 1, 0};
    static const int columns[4] = {0, 1, 0, -1};
    const int row = cell / finder->side + rows[direction];
    const int column = cell % finder->side + columns[direction];
    if (row < 0 || row >= finder->side || column < 0 || column >= finder->side) return -1;
    return row * finder->side + column;
}

static int middle_of(const jbw_path_finder *finder)
{
    return finder->side * finder->side / 2;
}

int jbw_path_finder_neighbor(const jbw_path_finder *finder, int turns)
{
    return step_from(finder, middle_of(finder), turns % 4);
}

// the state that an action leads to, or -1 if the way is blocked
static int follow(const jbw_path_finder *finder, int state, const jbw_path_edge *edge)
{
    const int direction = (state + edge->turns) % 4;
    if (!edge->is_move) return state - state % 4 + direction;
    const int cell = step_from(finder, state / 4, direction);
    if (cell < 0 || finder->marks[cell] == JBW_CELL_OBSTACLE) return -1;
    return 4 * cell + state % 4;
}

// writes the actions that led to a state, walking back
static void write_path(const jbw_path_finder *finder, uint32_t state, size_t length, uint8_t *path)
{
    while (length-- > 0) {
        path[length] = finder->actions[state];
        state = finder->previous[state] - 1;
    }
}

// States are reached in order of distance, and those of the same distance in lexicographic order of
// their smallest paths. So the first target that is reached has the smallest of all shortest paths.
size_t jbw_path_find(jbw_path_finder *finder, size_t limit, uint8_t *path)
{
    const uint32_t start = 4 * (uint32_t)middle_of(finder);
    memset(finder->previous, 0, jbw_path_finder_state_count(finder) * sizeof *finder->previous);
    finder->previous[start] = start + 1;
    finder->queue[0] = start;
    size_t begin = 0;
    size_t end = 1;
    for (size_t length = 1; length < limit && begin < end; length++) {
        for (const size_t level_end = end; begin < level_end; begin++) {
            const uint32_t state = finder->queue[begin];
            for (int i = 0; i < finder->edge_count; i++) {
                const int next = follow(finder, (int)state, &finder->edges[i]);
                if (next < 0 || finder->previous[next] != 0) continue;
                finder->previous[next] = state + 1;
                finder->actions[next] = finder->edges[i].action;
                if (finder->marks[next / 4] == JBW_CELL_TARGET) {
                    write_path(finder, (uint32_t)next, length, path);
                    return length;
                }
                finder->queue[end++] = (uint32_t)next;
            }
        }
    }
    return 0;
}
