// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A sweep decides the draws of a slice place by place: square by square, in a square row by row,
/// in a row type by type, and for each type cell by cell.
///
///     squares     64 x 64 cells, so that the data of a square fits into the processor's caches
///     colours     0 1 0 1     all squares of one colour, then those of the next. Two squares of
///                 2 3 2 3     the same colour are farther apart than anything reaches, so their
///                 0 1 0 1     order is irrelevant, and no place depends on places far away
///
/// The offset of the squares, the direction of rows and cells, and the order of types change from
/// sweep to sweep, so the squares leave no trace in the map.
#ifndef JBW_SIM_GENERATE_INVARIANT_SWEEP_H
#define JBW_SIM_GENERATE_INVARIANT_SWEEP_H

#include "sim/generate/invariant/dynamics.h"

/// Sweeps the active part with the noise of a time. Each cell has a draw of each type that
/// `dynamics->is_drawn` selects, with probability 2^-halvings.
void jbw_sweep(jbw_dynamics *dynamics, uint64_t time, int halvings);

#endif
