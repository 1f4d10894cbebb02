// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// One slice of an invariant map's dynamics, swept over a workspace: square by square, in a square row
/// by row, in a row type by type, and for a type cell by cell.
///
///     squares     64 x 64 cells, so that all that one needs stays in the processor's caches
///     colours     0 1 0 1     all squares of one colour, then those of the next. Between two of a
///                 2 3 2 3     colour there is more room than anything reaches, so their order is
///                 0 1 0 1     nobody's business, and no place has to wait for places far away
///
/// Where squares begin, which way rows and cells are taken, and which type comes first, is new in
/// each slice: nothing shows in the end where they were.
#ifndef JBW_SIM_GENERATE_INVARIANT_SWEEP_H
#define JBW_SIM_GENERATE_INVARIANT_SWEEP_H

#include "sim/generate/invariant/dynamics.h"

/// Sweeps over the active part, with the noise of a time. A cell has a draw of each type that
/// `runner->is_drawn` with probability 2^-halvings.
void jbw_sweep(jbw_dynamics *runner, uint64_t time, int halvings);

#endif
