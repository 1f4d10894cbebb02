// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Calls that take long ask now and then whether they should stop.
#ifndef JBW_BASE_INTERRUPT_H
#define JBW_BASE_INTERRUPT_H

#include "jbw/base.h"

/// Whom to ask. All zero: nobody.
typedef struct jbw_interrupt {
    jbw_interrupt_function *function;
    void *user;
} jbw_interrupt;

static inline bool jbw_interrupt_is_wanted(const jbw_interrupt *interrupt)
{
    return interrupt->function && interrupt->function(interrupt->user);
}

#endif
