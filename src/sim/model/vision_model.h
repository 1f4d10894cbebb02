// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The part of a model that seeing needs. An agent sees in its own frame: row 0 is the farthest row
/// ahead, column 0 the leftmost.
///
///       0 1 2 3 4          The position of a cell in the frame does not depend on the agent's
///     0 . . . . .          direction, so all angles are computed here: how much of each cell is in
///     1 . . . . .          the field of view, and how much of it each nearer cell can hide.
///     2 . . ^ . .
///     3 . . . . .          (vision_range 2)
///     4 . . . . .
#ifndef JBW_SIM_MODEL_VISION_MODEL_H
#define JBW_SIM_MODEL_VISION_MODEL_H

#include "jbw/config.h"
#include "jbw/world.h"
#include "sim/model/body.h"

/// Seeing copies cells in blocks of this size, so it may read this many bytes past a patch's cells.
enum { JBW_CELLS_PADDING = 16 };

/// A cell that is partly hidden by a nearer one.
typedef struct jbw_shadow {
    int32_t cell; // index in the frame
    double part;
} jbw_shadow;

/// How agents with certain eyes see, in frames that are large enough for all eyes of a model.
struct jbw_outlook {
    jbw_eyes eyes;
    bool is_masked;
    bool is_occluded;
    double *mask;              // (cells): how much of each is in range and in the field of view
    float *plain_factors;      // (cells): the same, for when nothing is hidden
    uint32_t *first_shadow;    // (cells + 1): the shadows of cell i are from [i] up to [i + 1]
    const jbw_shadow *shadows; // only with occlusion
};

/// The tables. The frame has (side x side) cells.
typedef struct jbw_vision_model {
    int range; // the largest of all eyes
    int side;  // 2 range + 1
    int cells;
    int own;              // index of the agent's own cell
    bool agents_are_seen; // they have a color
    uint32_t *frames[4];  // by direction: where the cells of the frame are in the square around the
                          // agent, lowest row first
    float *colors;        // (type_count + 1, color_stride), starting with that of an empty cell
    int color_stride;
    jbw_outlook *views; // (view_count): one for all eyes that agents can have
    int view_count;
} jbw_vision_model;

/// Fills the tables of a model whose items and bodies are there, and gives the bodies their views.
/// False when memory runs out.
bool jbw_vision_model_build(jbw_model *model, const jbw_config *config);

/// The index in the frame of the cell at an offset (dx, dy) from the agent, or -1 if it is out of
/// range.
int jbw_vision_index(const jbw_model *model, jbw_direction direction, int64_t dx, int64_t dy);

#endif
