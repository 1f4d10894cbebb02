// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Threads that help to make the blocks of an invariant map (sim/blocks.h). What is needed, and in
/// which order it is made, is decided there.
#ifndef JBW_AHEAD_AHEAD_H
#define JBW_AHEAD_AHEAD_H

#include "sim/generate/invariant/block_builder.h"

/// Starts so many threads (at least one) for blocks that have none; they end with their engine, or
/// by `end` of its hooks. On failure, for want of memory or of threads, there are none.
jbw_status jbw_ahead_start(jbw_block_builder *blocks, size_t count);

#endif
