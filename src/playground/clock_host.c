// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The clock of src/net, asked of the host.

#include "net/thread/clock.h"
#include "playground/host.h"

uint64_t jbw_clock_now(void)
{
    return (uint64_t)(jbw_host_now() * (double)JBW_MILLISECOND);
}

// there is one thread, and nothing else to do for it
uint64_t jbw_clock_thread_cpu(void)
{
    return jbw_clock_now();
}
