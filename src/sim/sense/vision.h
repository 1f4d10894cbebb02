// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Vision: what an agent sees, in its own frame. Row 0 is the farthest row ahead, column 0 the
/// leftmost:
///
///       0 1 2 3 4          a cell's place in the frame does not depend on where the agent looks,
///     0 . . . . .          so everything about angles is worked out once: how much of a cell is
///     1 . . . . .          in the field of view, and how much of it each nearer cell can hide
///     2 . . ^ . .
///     3 . . . . .          (vision_range 2)
///     4 . . . . .
#ifndef JBW_SIM_SENSE_VISION_H
#define JBW_SIM_SENSE_VISION_H

#include "sim/map/map.h"

/// What seeing works with; (cells) each.
typedef struct jbw_sight {
    uint8_t *square;        // (side x square_stride): what is around the agent, lowest row first
    double *hidden;         // how much of each cell of the frame is hidden
    float *factors;         // how much of it is seen
    uint32_t *agent_counts; // agents in each, filled by the caller
} jbw_sight;

bool jbw_sight_init(jbw_sight *sight, const jbw_model *model);
void jbw_sight_deinit(jbw_sight *sight, const jbw_model *model);

/// Writes (side, side, color_dimensions) of an agent at a cell. `around` are the patches of the
/// cell and its neighbours, row by row. `agent_counts` matter only if agents have a colour.
void jbw_vision_see(const jbw_map *map, jbw_sight *sight, jbw_position cell,
                    jbw_direction direction, jbw_patch *const around[9], float *vision);

/// Which items are seen: (cells) of type + 1, 0 where there is none or nothing of the cell is seen.
void jbw_vision_see_items(const jbw_map *map, jbw_sight *sight, jbw_position cell,
                          jbw_direction direction, jbw_patch *const around[9], uint8_t *items);

/// How much of each cell is seen: (cells) numbers from 0 to 1.
void jbw_vision_see_parts(const jbw_map *map, jbw_sight *sight, jbw_position cell,
                          jbw_direction direction, jbw_patch *const around[9], float *parts);

/// The index in the frame of a cell that lies (dx, dy) from an agent, or -1 if it is out of sight.
int jbw_vision_index(const jbw_model *model, jbw_direction direction, int64_t dx, int64_t dy);

/// Prepares the model's part. False when memory runs out.
bool jbw_vision_build(jbw_model *model, const jbw_config *config);

#endif
