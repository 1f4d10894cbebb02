// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "net/thread/allowance.h"

void jbw_allowance_init(jbw_allowance *allowance, uint64_t divisor)
{
    allowance->divisor = divisor;
    atomic_init(&allowance->paid_until, 0);
    atomic_init(&allowance->is_unlimited, false);
}

uint64_t jbw_allowance_due(const jbw_allowance *allowance, uint64_t now, uint64_t burst)
{
    if (atomic_load_explicit(&allowance->is_unlimited, memory_order_relaxed)) return now;
    const uint64_t paid = atomic_load_explicit(&allowance->paid_until, memory_order_relaxed);
    const uint64_t ahead = burst * allowance->divisor;
    return paid > now + ahead ? paid - ahead : now;
}

void jbw_allowance_use(jbw_allowance *allowance, uint64_t now, uint64_t used)
{
    uint_fast64_t paid = atomic_load_explicit(&allowance->paid_until, memory_order_relaxed);
    uint_fast64_t next;
    do {
        next = (paid > now ? paid : now) + used * allowance->divisor;
    } while (!atomic_compare_exchange_weak_explicit(&allowance->paid_until, &paid, next,
                                                    memory_order_relaxed, memory_order_relaxed));
}
