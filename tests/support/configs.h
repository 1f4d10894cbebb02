// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Configs of small worlds.
#ifndef JBW_TESTS_CONFIGS_H
#define JBW_TESTS_CONFIGS_H

#include "jbw/config.h"

/// A config without scent and vision, with one colour dimension and the given items, which it
/// refers to. Everything else has its default value.
jbw_config small_config(int patch_size, int mh_iterations, const jbw_item_type *items,
                        size_t item_count);

/// A config with patches of VARIED_SIZE cells and three types of items, "A", "B" and "C", that
/// interact in every possible way, near and far.
enum { VARIED_SIZE = 6, VARIED_REACH = 5 };
jbw_config varied_config(int mh_iterations);

/// The same without interactions: invariant terrain is made fast, also under a sanitizer.
jbw_config calm_config(void);

#endif
