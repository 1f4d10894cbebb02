// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "support/slow_paths.h"

pose pose_after(pose p, jbw_action_kind kind)
{
    const int forward_row[4] = {-1, 0, 1, 0};
    const int forward_column[4] = {0, 1, 0, -1};
    int way = -1;
    switch (kind) {
    case JBW_ACTION_TURN_LEFT: p.direction = (p.direction + 3) % 4; break;
    case JBW_ACTION_TURN_RIGHT: p.direction = (p.direction + 1) % 4; break;
    case JBW_ACTION_TURN_AROUND: p.direction = (p.direction + 2) % 4; break;
    case JBW_ACTION_MOVE_FORWARD: way = p.direction; break;
    case JBW_ACTION_MOVE_RIGHT: way = (p.direction + 1) % 4; break;
    case JBW_ACTION_MOVE_BACKWARD: way = (p.direction + 2) % 4; break;
    case JBW_ACTION_MOVE_LEFT: way = (p.direction + 3) % 4; break;
    default: break;
    }
    if (way >= 0) {
        p.row += forward_row[way];
        p.column += forward_column[way];
    }
    return p;
}

static bool can_be_at(const slow_field *f, pose p)
{
    return p.row >= 0 && p.row < f->side && p.column >= 0 && p.column < f->side &&
           f->marks[p.row * f->side + p.column] != JBW_CELL_OBSTACLE;
}

static int index_of(const slow_field *f, pose p)
{
    return (p.row * f->side + p.column) * 4 + p.direction;
}

void slow_distances(const slow_field *f, const action_set *set, int distances[MAX_STATES])
{
    const int states = 4 * f->side * f->side;
    for (int i = 0; i < states; i++)
        distances[i] = f->marks[i / 4] == JBW_CELL_TARGET ? 0 : INT32_MAX;
    for (bool has_changed = true; has_changed;) {
        has_changed = false;
        for (int i = 0; i < states; i++) {
            const pose p = {i / 4 / f->side, i / 4 % f->side, i % 4};
            if (!can_be_at(f, p)) continue;
            for (size_t a = 0; a < set->count; a++) {
                const pose next = pose_after(p, set->actions[a].kind);
                if (!can_be_at(f, next)) continue;
                const int through = distances[index_of(f, next)];
                if (through == INT32_MAX || through + 1 >= distances[i]) continue;
                distances[i] = through + 1;
                has_changed = true;
            }
        }
    }
}

int slow_distance_at(const slow_field *f, const int *distances, pose p)
{
    return distances[index_of(f, p)];
}

int slow_best_action(const slow_field *f, const action_set *set, const int *distances, pose p)
{
    for (size_t a = 0; a < set->count; a++) {
        const pose next = pose_after(p, set->actions[a].kind);
        if (can_be_at(f, next) && distances[index_of(f, next)] == distances[index_of(f, p)] - 1)
            return (int)a;
    }
    return -1;
}
