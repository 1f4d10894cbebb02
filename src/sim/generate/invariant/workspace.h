// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The rectangle of an invariant map that the dynamics works on: its cells, and the energy that
/// each type would have in each of them.
///
///     +----------------------+      A workspace is allocated for the largest rectangle of any
///     |  +----------------+  |      stage. Its first column is a multiple of 64, so words of bit
///     |  |     active     |  |      masks cover the same cells in all workspaces. Draws are
///     |  +----------------+  |      decided only in the active part, which shrinks over time.
///     +----------------------+      Energies are kept up to date only there.
#ifndef JBW_SIM_GENERATE_INVARIANT_WORKSPACE_H
#define JBW_SIM_GENERATE_INVARIANT_WORKSPACE_H

#include "sim/generate/invariant/bits.h"
#include "sim/generate/invariant/plan.h"

/// A rectangle in the coordinates of a workspace: columns [left, right), rows [bottom, top).
typedef struct jbw_workspace_part {
    int left, right, bottom, top;
} jbw_workspace_part;

/// The types whose energies a workspace maintains.
typedef enum jbw_workspace_scope {
    JBW_SCOPE_ALL,
    JBW_SCOPE_FIRST, ///< types that come first, which interact only with each other
    JBW_SCOPE_LATE,  ///< all others
} jbw_workspace_scope;

typedef struct jbw_workspace {
    const jbw_invariant_plan *plan;
    int capacity;             // in rows
    int width_capacity;       // in columns
    jbw_window window;        // the whole rectangle
    jbw_window active_window; // its active part
    jbw_workspace_part active;
    uint8_t *cells;      // (height x width): type + 1, 0 is empty
    bool *is_maintained; // (field_count): whether the energies of a field are kept up to date
    int32_t *offsets;    // (offset_count of the plan): for fields with that stride
    jbw_zones zones;     // if the plan has zones; otherwise everything is in zone 0
    jbw_zone_square *zone_squares; // a cache of them
    double
        *zone_intensities; // (JBW_MOST_ZONES x type_count): lowered; of zonal types, from zone 1 on

    // bit masks; each row ends with a word of zeros
    int word_count;  // per row, without that
    uint64_t *empty; // (height x (word_count + 1)): empty cells
    uint64_t *held;  // (type_count x height x (word_count + 1)): cells that hold the type

    void *memory;
    size_t memory_bytes;
} jbw_workspace;

/// Allocates room for squares of `capacity` x `capacity` cells. False when memory runs out.
bool jbw_workspace_init(jbw_workspace *workspace, const jbw_invariant_plan *plan, int capacity);
void jbw_workspace_deinit(jbw_workspace *workspace);
size_t jbw_workspace_bytes(const jbw_workspace *workspace);

/// Starts with an empty workspace whose active part is a square.
void jbw_workspace_begin(jbw_workspace *workspace, jbw_position corner, int size,
                         jbw_workspace_scope scope);

/// Reduces the active part.
void jbw_workspace_shrink(jbw_workspace *workspace, jbw_workspace_part part);

/// Puts the items of a square of cells (type + 1, lowest row first) into an empty workspace. Items
/// outside the workspace only contribute to its energies.
void jbw_workspace_fill(jbw_workspace *workspace, jbw_position corner, int side,
                        const uint8_t *cells);

/// Adds an item to an empty active cell, or removes the item from it.
void jbw_workspace_flip(jbw_workspace *workspace, int type, int x, int y);

/// The intersection of two parts; empty, but within `b`, if they are disjoint.
jbw_workspace_part jbw_workspace_intersect(const jbw_workspace_part *a,
                                           const jbw_workspace_part *b);

/// Words in one bit mask of the whole rectangle.
static inline size_t jbw_workspace_mask_size(const jbw_workspace *workspace)
{
    return (size_t)workspace->window.height * (size_t)(workspace->word_count + 1);
}

/// The same for the largest rectangle.
static inline size_t jbw_workspace_mask_capacity(const jbw_workspace *workspace)
{
    return (size_t)workspace->capacity * (size_t)(workspace->width_capacity / JBW_WORD + 1);
}

/// The mask of the cells that hold a type.
static inline uint64_t *jbw_workspace_held(const jbw_workspace *workspace, int type)
{
    return workspace->held + (size_t)type * jbw_workspace_mask_size(workspace);
}

/// The first cell of a field: int32_t, or int16_t if the field is narrow (narrow.h). Both have the
/// stride of the window.
static inline void *jbw_workspace_field(const jbw_workspace *workspace, int field)
{
    return workspace->window.fields + field * workspace->window.field_stride;
}

/// The energy of a type in a cell, without its intensity, in its unit.
static inline int32_t jbw_workspace_energy(const jbw_workspace *workspace, int type, int x, int y)
{
    const jbw_energy_scale *fields = &workspace->plan->model->scales[type];
    const jbw_narrow_scale *scale = &workspace->plan->types[type].scale;
    const ptrdiff_t at = (ptrdiff_t)y * workspace->window.stride + x;
    const void *own = jbw_workspace_field(workspace, fields->field);
    const void *shared = jbw_workspace_field(workspace, fields->shared_field);
    if (!scale->is_narrow)
        return ((const int32_t *)own)[at] + scale->shared_factor * ((const int32_t *)shared)[at];
    return ((const int16_t *)own)[at] - scale->base +
           scale->shared_factor * ((const int16_t *)shared)[at];
}

/// The intensity of a type in a cell, lowered for the independent types.
static inline double jbw_workspace_intensity(const jbw_workspace *workspace, int type, int x, int y)
{
    const jbw_zones *zones = &workspace->zones;
    if (workspace->plan->types[type].is_zonal) {
        const int zone = zones->map[(ptrdiff_t)y * zones->stride + x];
        if (zone > 0)
            return workspace->zone_intensities[zone * workspace->plan->model->type_count + type];
    }
    const jbw_position cell = {workspace->window.origin.x + x, workspace->window.origin.y + y};
    return jbw_invariant_intensity(workspace->plan, type, cell);
}

#endif
