// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The terrain maker without a thread: it works when it is told to.
#ifndef JBW_PLAYGROUND_TERRAIN_MAKER_HERE_H
#define JBW_PLAYGROUND_TERRAIN_MAKER_HERE_H

#include "net/game/terrain_maker.h"

/// Makes the next patch that is wanted. False if none is.
bool jbw_terrain_maker_work(jbw_terrain_maker *maker);

#endif
