// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A config as bytes. Two configs that mean the same have the same bytes: what may be NULL is
/// written as what that stands for. The user's own functions are known by the names that the
/// expressions give them. docs/snapshot_format.md describes the bytes.
#ifndef JBW_SIM_MODEL_CONFIG_CODE_H
#define JBW_SIM_MODEL_CONFIG_CODE_H

#include "base/bytes.h"
#include "jbw/config.h"

/// Appends a config that was checked.
void jbw_config_encode(const jbw_config *config, jbw_writer *writer);

/// Makes a config that lives in an arena. What its numbers and texts say is not checked; the user's
/// functions and the allocator are left to the caller. JBW_INVALID_DATA or JBW_OUT_OF_MEMORY.
jbw_status jbw_config_decode(const uint8_t *bytes, size_t size, jbw_arena *arena, jbw_config *out);

/// Checks that the functions that a config names are known. If one is not, JBW_INVALID_CONFIG, and
/// `error` says which one and where.
jbw_status jbw_config_find_functions(const jbw_config *config, jbw_arena *arena, jbw_error *error);

#endif
