// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What the tests of batches share: a small world, several of it with agents in them, and rows.
#ifndef JBW_TESTS_BATCH_SCENE_H
#define JBW_TESTS_BATCH_SCENE_H

#include "support/support.h"

#include "jbw/batch.h"

enum { SIZE = 26, RANGE = 3, SIDE = 2 * RANGE + 1, COLORS = 2, SCENTS = 2, MAX_WORLDS = 40 };
enum { VISION = SIDE * SIDE * COLORS, MAX_ROWS = 3 * MAX_WORLDS };

enum { FORWARD, LEFT, RIGHT, NOTHING, ACTIONS };
enum { TYPES = 2 };

/// Rows as a batch writes them.
typedef struct rows {
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
} rows;

/// Worlds of one, two and three agents, in a batch or by hand.
typedef struct scene {
    jbw_model *model;
    jbw_reward *reward;
    jbw_batch_world worlds[MAX_WORLDS];
    size_t world_count;
    size_t first_rows[MAX_WORLDS];
    size_t row_count;
} scene;

/// Apples, walls, and agents that can be seen and smelled.
jbw_config make_config(void);
/// Fills rows with rubbish and shows where they are.
jbw_batch_buffers buffers_of(rows *r);

scene open_scene(const jbw_config *config, size_t world_count);
void close_scene(scene *s);
jbw_batch *open_batch(const scene *s, int threads, const jbw_batch_buffers *buffers);

/// 24 random bits.
uint32_t draw(uint32_t *random);

/// A random action, mostly forward, so that there is something to collect.
int32_t draw_action(uint32_t *random);

void assert_rows_equal(const rows *a, const rows *b, size_t count);

/// A hash of all worlds of a batch.
uint64_t hash_of(jbw_batch *batch);

#endif
