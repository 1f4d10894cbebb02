// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What the tests of batches share: a small world, several copies of it with agents, and rows.
#ifndef JBW_TESTS_BATCH_SCENE_H
#define JBW_TESTS_BATCH_SCENE_H

#include "support/models.h"

#include "jbw/batch.h"

enum { SIZE = 26, RANGE = 3, SIDE = 2 * RANGE + 1, COLORS = 2, SCENTS = 2, MAX_WORLDS = 40 };
enum { VISION = SIDE * SIDE * COLORS, MAX_ROWS = 3 * MAX_WORLDS };

enum { FORWARD, LEFT, RIGHT, NOTHING, ACTIONS };
enum { TYPES = 2 };

/// Rows as a batch writes them.
typedef struct batch_rows {
    float vision[MAX_ROWS * VISION];
    float scent[MAX_ROWS * SCENTS];
    uint8_t items[MAX_ROWS * SIDE * SIDE];
    float item_vision[MAX_ROWS * SIDE * SIDE * TYPES];
    float seen[MAX_ROWS * SIDE * SIDE];
    uint64_t inventory[MAX_ROWS * TYPES];
    int64_t position[MAX_ROWS * 2];
    int64_t start[MAX_ROWS * 2];
    uint8_t direction[MAX_ROWS];
    uint64_t time[MAX_ROWS];
    uint8_t moved[MAX_ROWS];
    int32_t collected[MAX_ROWS];
    double reward[MAX_ROWS];
} batch_rows;

/// Worlds with one, two and three agents.
typedef struct batch_scene {
    jbw_model *model;
    jbw_reward *reward;
    jbw_batch_world worlds[MAX_WORLDS];
    size_t world_count;
    size_t first_rows[MAX_WORLDS];
    size_t row_count;
} batch_scene;

/// Apples, walls, and agents that can be seen and smelled.
jbw_config batch_config(void);

batch_scene batch_scene_open(size_t world_count);
batch_scene batch_scene_open_with(const jbw_config *config, size_t world_count);
void batch_scene_close(batch_scene *s);

/// A batch of these worlds; `buffers` may be NULL.
jbw_batch *batch_open(const batch_scene *s, int threads, const jbw_batch_buffers *buffers);

/// Fills rows with garbage and returns where they are.
jbw_batch_buffers batch_buffers_of(batch_rows *r);

/// A random action, mostly forward, so that there is something to collect.
int32_t batch_draw_action(uint64_t *random);

void assert_rows_equal(const batch_rows *a, const batch_rows *b, size_t count);

/// A hash of all worlds of a batch.
uint64_t batch_hash(jbw_batch *batch);

#endif
