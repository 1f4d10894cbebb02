// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Jelly Bean World: everything.
#ifndef JBW_H
#define JBW_H

#include "jbw/agent.h"
#include "jbw/ahead.h"
#include "jbw/atlas.h"
#include "jbw/base.h"
#include "jbw/batch.h"
#include "jbw/client.h"
#include "jbw/config.h"
#include "jbw/fetch.h"
#include "jbw/io.h"
#include "jbw/observation.h"
#include "jbw/operation.h"
#include "jbw/patch_store.h"
#include "jbw/place.h"
#include "jbw/policy.h"
#include "jbw/recording.h"
#include "jbw/reward.h"
#include "jbw/server.h"
#include "jbw/snapshot.h"
#include "jbw/state.h"
#include "jbw/types.h"
#include "jbw/world.h"

#endif
