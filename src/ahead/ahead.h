// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Helper threads for a block builder (sim/generate/invariant/block_builder.h), which decides what
/// they make and in which order.
#ifndef JBW_AHEAD_AHEAD_H
#define JBW_AHEAD_AHEAD_H

#include "sim/generate/invariant/block_builder.h"

/// Starts threads, at least one, for a builder that has none. They end with the builder's engine,
/// or when the `end` hook of the builder is called. Returns JBW_OUT_OF_MEMORY, without any threads
/// left, if one of them cannot be started.
jbw_status jbw_ahead_start(jbw_block_builder *builder, size_t count);

#endif
