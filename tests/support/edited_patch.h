// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A world with one final patch at the origin, and random edits of it.
#ifndef JBW_TESTS_EDITED_PATCH_H
#define JBW_TESTS_EDITED_PATCH_H

#include "support/models.h"

#include "sim/world/world.h"

enum { EDITED_SIZE = 8, EDITED_CELLS = EDITED_SIZE * EDITED_SIZE, EDITED_TYPES = 3 };

typedef struct edited_patch {
    jbw_model *model;
    jbw_world *world;
    uint8_t generated[EDITED_CELLS];
} edited_patch;

void edited_patch_open(edited_patch *e);
void edited_patch_close(edited_patch *e);

const jbw_patch *edited_patch_get(const edited_patch *e);

/// Changes the item in a cell of the patch to a type + 1, or 0 for nothing.
void edited_patch_set(edited_patch *e, int cell, uint8_t content);

/// What a cell of the patch holds now.
uint8_t edited_patch_at(const edited_patch *e, int cell);

#endif
