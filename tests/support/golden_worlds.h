// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The configs of the shipped worlds, for tests that run where world files cannot be read.
#ifndef JBW_TESTS_GOLDEN_WORLDS_H
#define JBW_TESTS_GOLDEN_WORLDS_H

#include "jbw/config.h"

typedef struct golden_world {
    const char *name;
    jbw_config config;
} golden_world;

extern const golden_world golden_worlds[];
extern const size_t golden_world_count;

#endif
