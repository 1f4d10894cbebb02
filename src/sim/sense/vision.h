// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Vision: what an agent sees, in its own frame (sim/model/vision_model.h).
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

#endif
