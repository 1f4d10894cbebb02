// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Taking over what an agent perceives.
#ifndef JBW_AGENTS_LEARN_PERCEIVE_H
#define JBW_AGENTS_LEARN_PERCEIVE_H

#include <stddef.h>
#include <string.h>

/// Puts a part of an observation where the learner wants it, if it does; nothing perceived is zero.
static inline void jbw_take_part(float *to, const float *from, size_t size)
{
    if (!to || from == to) return;
    if (from)
        memcpy(to, from, size);
    else
        memset(to, 0, size);
}

#endif
