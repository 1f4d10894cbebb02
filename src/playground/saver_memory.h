// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A saver that keeps the snapshot in memory: a page has no disk.
#ifndef JBW_PLAYGROUND_SAVER_MEMORY_H
#define JBW_PLAYGROUND_SAVER_MEMORY_H

#include "net/game/saver.h"

/// The latest snapshot; it belongs to the saver until the next one. Empty if there is none.
const jbw_buffer *jbw_saver_memory(const jbw_saver *saver);

#endif
