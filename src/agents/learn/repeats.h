// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Rows that begin as an earlier one did. An agent that turns back sees again what it saw, and one that is
/// stuck perceives the same for thousands of steps. What follows from that, with the same weights, is known
/// already: it is copied, with all its bits, instead of reading megabytes of weights.
#ifndef JBW_AGENTS_LEARN_REPEATS_H
#define JBW_AGENTS_LEARN_REPEATS_H

#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"

/// How much of a row is as it was. Each includes the ones before it.
typedef enum jbw_sameness {
    JBW_SAME_NOTHING,
    JBW_SAME_VISION,
    JBW_SAME_PERCEPTION, // vision, scent, whether it moved
    JBW_SAME_ALL,        // that, and the memory
} jbw_sameness;

/// Hashes of what a row begins with; each covers what those before it do.
typedef struct jbw_row_key {
    uint64_t vision;
    uint64_t perception;
    uint64_t all;
} jbw_row_key;

typedef struct jbw_repeat {
    jbw_sameness sameness;
    int row; // if anything is the same
} jbw_repeat;

/// Rows that were computed with the weights of now. All zero: none, and none are kept.
typedef struct jbw_repeats {
    int capacity;
    int count;
    jbw_row_key *keys; // (capacity) each
    int *rows;
} jbw_repeats;

/// Makes room for so many rows. False when memory runs out; deinitialize even then.
bool jbw_repeats_init(jbw_repeats *repeats, int capacity, const jbw_allocator *allocator);
void jbw_repeats_deinit(jbw_repeats *repeats, const jbw_allocator *allocator);

/// The row that shares most with this key, the latest of several.
jbw_repeat jbw_repeats_find(const jbw_repeats *repeats, const jbw_row_key *key);

/// Keeps a row, as long as there is room.
void jbw_repeats_add(jbw_repeats *repeats, const jbw_row_key *key, int row);

/// Forgets all rows: weights have changed, or rows will be written again.
void jbw_repeats_forget(jbw_repeats *repeats);

#endif
