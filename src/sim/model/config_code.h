// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Configs as bytes. Configs with the same meaning have the same bytes: NULL is written as what it
/// stands for. User-defined functions are known by the names that expressions give them.
/// docs/snapshot_format.md describes the format.
#ifndef JBW_SIM_MODEL_CONFIG_CODE_H
#define JBW_SIM_MODEL_CONFIG_CODE_H

#include "base/bytes.h"
#include "jbw/config.h"

/// Appends a valid config.
void jbw_config_encode(const jbw_config *config, jbw_writer *writer);

/// Reads a config into an arena. The meaning of its numbers and texts is not checked; user-defined
/// functions and the allocator are left to the caller. Fails with JBW_INVALID_DATA or
/// JBW_OUT_OF_MEMORY.
jbw_status jbw_config_decode(const uint8_t *bytes, size_t size, jbw_arena *arena, jbw_config *out);

/// Checks that all functions that a config names are known. Otherwise fails with
/// JBW_INVALID_CONFIG, and `error` tells which one is unknown and where.
jbw_status jbw_config_find_functions(const jbw_config *config, jbw_arena *arena, jbw_error *error);

#endif
