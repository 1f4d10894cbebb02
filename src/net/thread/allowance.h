// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Processor time that some kind of work may use: a share of the time that passes. Several threads
/// may use one allowance.
///
///     used:      ##    ###            each second of work pays for `1 / share` seconds to come
///     paid:      ==========..................
///                          ^ now            ^ paid until: work waits if this is too far ahead
///
/// How far ahead is allowed is up to the one who asks. So short bursts are possible, and work that
/// accepts a smaller burst yields to work that accepts a larger one.
#ifndef JBW_NET_THREAD_ALLOWANCE_H
#define JBW_NET_THREAD_ALLOWANCE_H

#include <stdatomic.h>

#include "jbw/base.h"

typedef struct jbw_allowance {
    uint64_t divisor; ///< one over the share: 5 for a fifth of the time; 0: no limit
    atomic_uint_fast64_t paid_until;
    atomic_bool is_unlimited; ///< there is nobody to be considerate of
} jbw_allowance;

void jbw_allowance_init(jbw_allowance *allowance, uint64_t divisor);

/// When work may begin that accepts a burst of this much processor time: `now` or later.
uint64_t jbw_allowance_due(const jbw_allowance *allowance, uint64_t now, uint64_t burst);

/// Pays for work that has been done.
void jbw_allowance_use(jbw_allowance *allowance, uint64_t now, uint64_t used);

#endif
