// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "net/game/looking.h"

#include "net/thread/clock.h"

enum { SHARE = 5 }; // a fifth

#define BURST (2 * JBW_SECOND)            // enough to generate what a screen shows
#define SURE_BURST (20 * JBW_MILLISECOND) // at least a patch every now and then
#define THREAD_BURST (5 * JBW_MILLISECOND)

void jbw_looking_init(jbw_looking *looking)
{
    // answering pages and turns goes on while frames are made, and steps while queries are answered
    static const uint64_t thread_shares[JBW_LOOKING_KINDS] = {
        [JBW_LOOKING_FRAMES] = 2, [JBW_LOOKING_QUERIES] = SHARE}; // the terrain's has no other work
    jbw_allowance_init(&looking->all, SHARE);
    for (int i = 0; i < JBW_LOOKING_KINDS; i++) {
        jbw_allowance_init(&looking->sure[i], (uint64_t)SHARE * JBW_LOOKING_KINDS);
        jbw_allowance_init(&looking->thread[i], thread_shares[i]);
    }
    atomic_init(&looking->used, 0);
}

uint64_t jbw_looking_due(const jbw_looking *looking, jbw_looking_kind kind, uint64_t now)
{
    const uint64_t of_all = jbw_allowance_due(&looking->all, now, BURST);
    const uint64_t sure = jbw_allowance_due(&looking->sure[kind], now, SURE_BURST);
    const uint64_t due = of_all < sure ? of_all : sure;
    const uint64_t thread = jbw_allowance_due(&looking->thread[kind], now, THREAD_BURST);
    return due > thread ? due : thread;
}

void jbw_looking_use(jbw_looking *looking, jbw_looking_kind kind, uint64_t now, uint64_t used)
{
    jbw_allowance_use(&looking->all, now, used);
    jbw_allowance_use(&looking->sure[kind], now, used);
    jbw_allowance_use(&looking->thread[kind], now, used);
    atomic_fetch_add_explicit(&looking->used, used, memory_order_relaxed);
}
