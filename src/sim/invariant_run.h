// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The dynamics of an invariant map: a pane lives from one slice of time to another.
///
/// Draws belong to places and times (noise.h). A draw of type t in a cell makes the cell hold the
/// type, if it is empty, with probability 1 / (1 + e^-x), or makes it empty, if it holds the type,
/// with probability 1 / (1 + e^x), where x is the type's intensity plus all interactions.
///
/// Most draws are hopeless, and are never looked at. A draw is low if its number is less than a
/// bound; low draws are few and listed. The others can only matter where a probability is above that
/// bound; the pane says where.
///
/// In which order the draws of a slice are decided:
///
///     in the first slices      by random keys, all over the plane
///     in later ones            place by place (sweep.h)
#ifndef JBW_SIM_INVARIANT_RUN_H
#define JBW_SIM_INVARIANT_RUN_H

#include "sim/agenda.h"
#include "sim/pane.h"

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

typedef struct jbw_invariant_runner {
    const jbw_invariant_plan *plan;
    uint64_t seed;
    jbw_pane pane;
    jbw_agenda agenda;
    jbw_agenda lows;         // low draws of a slow type, by subslice
    uint64_t *sheets;        // (type_count) noise of cells, of the present slice
    bool *is_drawn;          // (type_count), in the present slice
    jbw_gauge *gauges;       // (type_count)
    jbw_odds *odds;          // (type_count x JBW_ODDS), those that were needed lately
    bool is_out_of_memory;   // something did not fit on an agenda
    jbw_draw now;            // the latest draw taken from the agenda
    uint64_t proposal_count; // draws looked at
    uint64_t accepted_count;
} jbw_invariant_runner;

/// False when memory runs out.
bool jbw_invariant_runner_init(jbw_invariant_runner *runner, const jbw_invariant_plan *plan,
                               uint64_t seed);
void jbw_invariant_runner_deinit(jbw_invariant_runner *runner);
size_t jbw_invariant_runner_bytes(const jbw_invariant_runner *runner);

/// Whose energies a stage looks at. When the others begin, those that come first heal.
static inline jbw_pane_scope jbw_invariant_scope(const jbw_invariant_stage *stage)
{
    if (stage->first_slice >= JBW_FIRST_SLICE) return JBW_SCOPE_FIRST;
    return stage->first_slice == 0 ? JBW_SCOPE_ALL : JBW_SCOPE_LATE;
}

/// Runs a stage in the pane, which was begun around the block with that scope, and holds the items of
/// the stage before. False when memory runs out.
bool jbw_invariant_run(jbw_invariant_runner *runner, const jbw_invariant_stage *stage);

#endif
