// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What checking a config and building a model from it share: compiling its texts, finding its item
/// types. `jbw_config` itself is public (jbw/config.h).
#ifndef JBW_SIM_MODEL_CONFIG_H
#define JBW_SIM_MODEL_CONFIG_H

#include "jbw/config.h"
#include "sim/model/function.h"

/// The `cookie` of a config that was made by `jbw_config_default`.
#define JBW_CONFIG_COOKIE UINT32_C(0x4a425743)

/// As `jbw_config_check`, with another smallest `patch_size`.
jbw_status jbw_config_check_from(const jbw_config *config, int least_patch_size,
                                 jbw_problem_function *on_problem, void *user);

/// The user-defined functions of a config.
jbw_function_set jbw_config_functions(const jbw_config *config);

/// Parses and compiles an intensity. A NULL `text` means Zero.
jbw_status jbw_config_compile_intensity(const jbw_config *config, const char *text,
                                        jbw_arena *arena, jbw_intensity *out, jbw_error *error);

/// Parses and compiles an interaction. A NULL `text` means Zero.
jbw_status jbw_config_compile_coupling(const jbw_config *config, const char *text, jbw_arena *arena,
                                       jbw_coupling *out, jbw_error *error);

/// Whether a config has keys that came after those of time and space.
bool jbw_config_has_things(const jbw_config *config);

/// The index of the item type with this name, or -1.
int jbw_config_item_index(const jbw_config *config, const char *name);

#endif
