// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Draws of the dynamics of an invariant map: which there are in a slice, and what becomes of them.
#ifndef JBW_SIM_GENERATE_INVARIANT_DRAWS_H
#define JBW_SIM_GENERATE_INVARIANT_DRAWS_H

#include "sim/generate/invariant/dynamics.h"

/// Puts a draw on an agenda; if it does not fit, the runner is out of memory.
void jbw_invariant_put(jbw_dynamics *runner, jbw_draw_queue *agenda, jbw_draw draw);

/// Lists draws of a type on an agenda, on average one in 2^halvings active cells: tiles of so many
/// cells have as many as Poisson says. The lowest bits of a draw's key say where in its tile it is.
void jbw_invariant_list(jbw_dynamics *runner, jbw_draw_queue *agenda, int slice, int type,
                        int halvings, jbw_draw_kind kind);

/// Decides a draw. True if it has changed the cell.
bool jbw_invariant_decide(jbw_dynamics *runner, int type, int x, int y, jbw_draw_kind kind,
                          uint64_t number);

#endif
