// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The dynamics of an invariant map: a workspace lives from one slice of time to another.
///
/// Draws belong to places and times (noise.h). A draw of type t in a cell makes the cell hold the
/// type, if it is empty, with probability 1 / (1 + e^-x), or makes it empty, if it holds the type,
/// with probability 1 / (1 + e^x), where x is the type's intensity plus all interactions.
///
/// Most draws are hopeless, and are never looked at. A draw is low if its number is less than a
/// bound; low draws are few and listed. The others can only matter where a probability is above that
/// bound; the workspace says where.
///
/// In which order the draws of a slice are decided:
///
///     in the first slices      by random keys, all over the plane
///     in later ones            place by place (sweep.h)
#ifndef JBW_SIM_GENERATE_INVARIANT_DYNAMICS_H
#define JBW_SIM_GENERATE_INVARIANT_DYNAMICS_H

#include "sim/generate/invariant/draw_queue.h"
#include "sim/generate/invariant/workspace.h"

/// The probabilities that go with an energy.
typedef struct jbw_odds {
    int32_t energy;
    double adds, removes;
} jbw_odds;

enum { JBW_ODDS_BITS = 7, JBW_ODDS = 1 << JBW_ODDS_BITS };

/// Where the odds of an energy are kept.
static inline int jbw_odds_slot(int32_t energy)
{
    return (int)((uint32_t)energy * UINT32_C(0x9e3779b1) >> (32 - JBW_ODDS_BITS));
}

typedef struct jbw_dynamics {
    const jbw_invariant_plan *plan;
    uint64_t seed;
    jbw_workspace workspace;
    jbw_draw_queue agenda;
    jbw_draw_queue lows;     // low draws of a slow type, by subslice
    uint64_t *sheets;        // (type_count) noise of cells, of the present slice
    bool *is_drawn;          // (type_count), in the present slice
    jbw_gauge *gauges;       // (type_count)
    jbw_odds *odds;          // (type_count x JBW_ODDS), those that were needed lately
    bool is_out_of_memory;   // something did not fit on an agenda
    jbw_draw now;            // the latest draw taken from the agenda
    uint64_t proposal_count; // draws looked at
    uint64_t accepted_count;
} jbw_dynamics;

/// False when memory runs out.
bool jbw_dynamics_init(jbw_dynamics *runner, const jbw_invariant_plan *plan, uint64_t seed);
void jbw_dynamics_deinit(jbw_dynamics *runner);
size_t jbw_dynamics_bytes(const jbw_dynamics *runner);

/// Whose energies a stage looks at. When the others begin, those that come first heal.
static inline jbw_workspace_scope jbw_invariant_scope(const jbw_invariant_stage *stage)
{
    if (stage->first_slice >= JBW_FIRST_SLICE) return JBW_SCOPE_FIRST;
    return stage->first_slice == 0 ? JBW_SCOPE_ALL : JBW_SCOPE_LATE;
}

/// Runs a stage in the workspace, which was begun around the block with that scope, and holds the items of
/// the stage before. False when memory runs out.
bool jbw_dynamics_run(jbw_dynamics *runner, const jbw_invariant_stage *stage);

#endif
