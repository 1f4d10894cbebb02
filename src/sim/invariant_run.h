// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The dynamics of an invariant map: a pane lives from one slice of time to another.
///
/// Draws belong to places and times (noise.h). A draw of type t in a cell adds the type, if the cell
/// is empty, with probability min(1, e^x), or removes it, if it is there, with min(1, e^-x), where x
/// is its intensity plus all interactions. Draws of one slice are decided in the order of their keys.
///
/// Most draws are hopeless, and are never looked at. A draw is low if its number is less than a
/// bound; low draws are few and listed. The others can only matter where a probability is above that
/// bound; the pane's masks say where.
#ifndef JBW_SIM_INVARIANT_RUN_H
#define JBW_SIM_INVARIANT_RUN_H

#include "sim/agenda.h"
#include "sim/pane.h"

typedef struct jbw_invariant_runner {
    const jbw_invariant_plan *plan;
    uint64_t seed;
    jbw_pane pane;
    jbw_agenda agenda;
    jbw_agenda lows;         // of a slow type, by subslice
    uint64_t *word_sheets;   // (type_count), of the present slice
    uint64_t *cell_sheets;   // (type_count)
    bool *is_drawn;          // (type_count), in the present slice
    int halvings;            // how rare the draws of the present slice are
    int slow_type;           // that is at work, or -1
    bool is_out_of_memory;   // something did not fit on the agenda
    jbw_draw now;            // the latest draw taken from the agenda
    uint64_t proposal_count; // draws looked at
    uint64_t accepted_count;
} jbw_invariant_runner;

/// False when memory runs out.
bool jbw_invariant_runner_init(jbw_invariant_runner *runner, const jbw_invariant_plan *plan,
                               uint64_t seed);
void jbw_invariant_runner_deinit(jbw_invariant_runner *runner);
size_t jbw_invariant_runner_bytes(const jbw_invariant_runner *runner);

/// Runs a stage in the pane, which was begun around the block and holds the items of the stage
/// before. False when memory runs out.
bool jbw_invariant_run(jbw_invariant_runner *runner, const jbw_invariant_stage *stage);

#endif
