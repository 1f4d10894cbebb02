// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Checks a config that was read from a tree, and finds the places of its problems in the text.
#ifndef JBW_IO_WORLDFILE_WORLD_CHECK_H
#define JBW_IO_WORLDFILE_WORLD_CHECK_H

#include "io/worldfile/yaml_tree.h"

/// Runs `jbw_config_check` and adds what it finds to `problems`. Leaves out the consequences of
/// problems that were already reported, whose nodes are marked as faulty.
void jbw_world_check(const jbw_config *config, jbw_yaml_node *root, jbw_problems *problems);

#endif
