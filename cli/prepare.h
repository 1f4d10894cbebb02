// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What verbs do to a world before they draw it.
#ifndef JBW_CLI_PREPARE_H
#define JBW_CLI_PREPARE_H

#include "jbw/jbw.h"
#include "verb.h"

/// Makes every patch of a region final, row by row. JBW_OUT_OF_MEMORY if the region would not fit into
/// memory.
jbw_status jbw_prepare_region(jbw_world *world, jbw_region region);

/// Lets a world go on until a time while nobody touches it: agents do nothing but what they have
/// requested already. Rejects a time that has passed.
jbw_verb_status jbw_prepare_time(jbw_world *world, const char *verb, uint64_t time);

#endif
