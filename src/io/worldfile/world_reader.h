// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// From the tree of a world file to a config: knows every key, and of what kind its value is.
/// Whether values make sense together is the business of `jbw_config_check`.
#ifndef JBW_IO_WORLDFILE_WORLD_READER_H
#define JBW_IO_WORLDFILE_WORLD_READER_H

#include "io/worldfile/yaml_tree.h"

/// Fills `config`, which holds the defaults, with what the document says, in memory of the arena.
/// What is of the wrong kind is added to `problems`, marked as faulty in the tree, and left at a
/// value that `jbw_config_check` does not mind; misspelt keys are put right in the tree after they
/// were reported, so that what stands below them is looked at as well.
void jbw_world_reader_fill(jbw_config *config, jbw_yaml_node *root, jbw_arena *arena,
                           jbw_problems *problems);

#endif
