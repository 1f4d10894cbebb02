// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The draws of the dynamics (dynamics.h): listing those of a slice, and deciding them.
#ifndef JBW_SIM_GENERATE_INVARIANT_DRAWS_H
#define JBW_SIM_GENERATE_INVARIANT_DRAWS_H

#include "sim/generate/invariant/dynamics.h"

/// Adds a draw to a queue. Sets `dynamics->is_out_of_memory` if the queue cannot grow.
void jbw_draw_put(jbw_dynamics *dynamics, jbw_draw_queue *queue, jbw_draw draw);

/// Lists the draws of a type in the active part, on average one in 2^halvings cells: the number of
/// draws in a tile of that many cells has a Poisson distribution. The lowest bits of a draw's key
/// determine its cell in the tile.
void jbw_draw_list(jbw_dynamics *dynamics, jbw_draw_queue *queue, int time, int type, int halvings,
                   jbw_draw_kind kind);

/// Decides a draw whose number is in [0, 1). True if it changes the cell.
bool jbw_draw_decide(jbw_dynamics *dynamics, int type, int x, int y, jbw_draw_kind kind,
                     double unit);

/// The same for a cell that is known to be empty (`adds`) or to hold the type.
bool jbw_draw_decide_at(jbw_dynamics *dynamics, int type, int x, int y, bool adds,
                        jbw_draw_kind kind, double unit);

#endif
