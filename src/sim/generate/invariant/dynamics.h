// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The dynamics of an invariant map, which takes a workspace from one slice of time to another.
///
/// The random numbers of draws belong to places and times (noise.h). Let x be the intensity of a
/// type in a cell plus all interactions. A draw of the type fills the cell, if that is empty, with
/// probability 1 / (1 + e^-x). If the cell holds the type, a draw empties it with probability
/// 1 / (1 + e^x).
///
/// Most draws are hopeless and are never looked at. A draw is low if its number is less than the
/// low bound of its type. Low draws are few and are listed. All others can only have an effect
/// where a probability is above the bound, that is, in hot cells (gauge.h).
///
/// The order in which the draws of a slice are decided depends on its phase (plan.h):
///
///     open           by random keys, over the whole workspace
///     early, late    place by place (sweep.h)
///     slow types     by random keys, one subslice after the other
#ifndef JBW_SIM_GENERATE_INVARIANT_DYNAMICS_H
#define JBW_SIM_GENERATE_INVARIANT_DYNAMICS_H

#include "base/interrupt.h"
#include "sim/generate/invariant/draw_queue.h"
#include "sim/generate/invariant/hot_cells.h"
#include "sim/generate/invariant/workspace.h"

/// The probabilities that belong to an energy.
typedef struct jbw_odds {
    int32_t energy;
    double intensity;  // of a zonal type
    double chances[2]; // that a draw removes the type, and that it adds it
} jbw_odds;

enum { JBW_ODDS_BITS = 7, JBW_ODDS = 1 << JBW_ODDS_BITS };

/// The slot of an energy in a cache of odds.
static inline int jbw_odds_slot(int32_t energy)
{
    return (int)((uint32_t)energy * UINT32_C(0x9e3779b1) >> (32 - JBW_ODDS_BITS));
}

/// Must not be moved once it is initialised.
typedef struct jbw_dynamics {
    const jbw_invariant_plan *plan;
    uint64_t seed;
    jbw_workspace workspace;
    jbw_hot_levels levels;    // of the workspace
    jbw_hot_cells hot;        // in the workspace
    jbw_draw_queue queue;     // draws to decide
    jbw_draw_queue low_queue; // low draws of a slow type, by subslice
    uint64_t *cell_noise;     // (type_count): the planes of cells, in the current slice
    bool *is_drawn;           // (type_count): in the current slice
    bool is_extra;            // these are the extra draws of patchy types
    uint64_t *low_draws;      // (type_count) masks: cells that have a low draw in the current sweep
    jbw_gauge *gauges;        // (type_count)
    jbw_odds *odds;           // (type_count x JBW_ODDS): a cache
    bool is_out_of_memory;    // a queue could not grow
    jbw_interrupt interrupt;  // asked between slices
    bool is_interrupted;      // it said yes; whoever starts something new resets this
    jbw_draw now;             // the draw that was taken last from the queue
    uint64_t proposal_count;  // draws looked at
    uint64_t accepted_count;  // those that changed a cell
} jbw_dynamics;

/// False when memory runs out; it must be deinitialised even then.
bool jbw_dynamics_init(jbw_dynamics *dynamics, const jbw_invariant_plan *plan, uint64_t seed);
void jbw_dynamics_deinit(jbw_dynamics *dynamics);
size_t jbw_dynamics_bytes(const jbw_dynamics *dynamics);

/// The scope that a workspace needs for a stage. The main stage that starts with slice 0 needs all
/// types, since it begins with the healing slice.
static inline jbw_workspace_scope jbw_invariant_scope(const jbw_invariant_stage *stage)
{
    if (stage->kind == JBW_STAGE_FIRST) return JBW_SCOPE_FIRST;
    return stage->first_slice == 0 ? JBW_SCOPE_ALL : JBW_SCOPE_LATE;
}

/// Runs a stage in the workspace. That must have begun around the block, with the scope of the
/// stage, and hold the items of the stage before. False when memory runs out or it is interrupted.
bool jbw_dynamics_run(jbw_dynamics *dynamics, const jbw_invariant_stage *stage);

#endif
