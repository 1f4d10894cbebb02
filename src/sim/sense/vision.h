// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Seeing: what is around an agent, in the agent's own frame (sim/model/vision_model.h).
///
/// The cells around the agent are copied out of their patches into a square, which is kept: an agent
/// that turns needs no cells, one that moves a row or a column. The square is turned into the agent's frame, and painted with their colors, weighted by how much of each cell is visible.
///
/// This folder knows items and patches, not agents: sim/world counts the agents in each cell.
#ifndef JBW_SIM_SENSE_VISION_H
#define JBW_SIM_SENSE_VISION_H

#include "sim/map/map.h"

/// The cells around the agent that looked last, which are not read again while it stays, and scratch
/// memory; (cells) each. What every look uses comes last.
typedef struct jbw_sight {
    double *hidden;         // how much of each cell of the frame is hidden
    float *factors;         // how much of it is visible
    uint32_t *agent_counts; // number of agents in it, filled in by the caller
    uint32_t *body_counts;  // (body_count, cells): the same by body; NULL if there is only one
    uint32_t *crowded;      // which cells have agents, in any order; all other counts are zero
    size_t crowded_count;
    uint8_t *square;   // what is in the cells, lowest row first: type + 1
    jbw_position cell; // in the middle of the square
    uint64_t version;  // the sum of both versions of the map that it is from; 0: not kept
} jbw_sight;

/// Who looks, and where from.
typedef struct jbw_gaze {
    jbw_position cell;
    jbw_direction direction;
    jbw_patch *const *around; // (9): the patch of the cell and the eight neighbors, row by row
    const jbw_outlook *view;  // how the agent sees now
} jbw_gaze;

/// Whether the square is up to date, wherever the agent that looked last is now.
static inline bool jbw_sight_is_kept(const jbw_sight *sight, const jbw_map *map)
{
    return sight->version == map->version + map->cell_version;
}

/// `near` allocates the square, which is `jbw_sight_square_bytes`; the rest is from the model's allocator.
bool jbw_sight_init(jbw_sight *sight, const jbw_model *model, const jbw_allocator *near);
void jbw_sight_deinit(jbw_sight *sight, const jbw_model *model, const jbw_allocator *near);
size_t jbw_sight_square_bytes(const jbw_model *model);

/// Writes the colors that an agent sees: (side, side, color_dimensions). Counts of agents matter only
/// if agents have a color.
void jbw_vision_see(const jbw_map *map, jbw_sight *sight, const jbw_gaze *gaze, float *vision);

/// Writes the visible items: (cells) item types plus one, 0 for cells that are empty or invisible.
void jbw_vision_see_items(const jbw_map *map, jbw_sight *sight, const jbw_gaze *gaze,
                          uint8_t *items);

/// Writes the same, one-hot: (cells, item types) of 0 and 1.
void jbw_vision_see_one_hot(const jbw_map *map, jbw_sight *sight, const jbw_gaze *gaze,
                            float *items);

/// Writes the same and, as last channels, the counts of agents by body where cells are visible:
/// (cells, item types + bodies).
void jbw_vision_see_entities(const jbw_map *map, jbw_sight *sight, const jbw_gaze *gaze,
                             float *entities);

/// Writes how much of each cell is visible: (cells) numbers from 0 to 1.
void jbw_vision_see_fractions(const jbw_map *map, jbw_sight *sight, const jbw_gaze *gaze,
                              float *fractions);

#endif
