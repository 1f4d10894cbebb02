// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Reads the tree of a world file into a config: knows every key and the type of its value. Whether
/// the values make sense together is left to `jbw_config_check`.
#ifndef JBW_IO_WORLDFILE_WORLD_READER_H
#define JBW_IO_WORLDFILE_WORLD_READER_H

#include "io/worldfile/yaml_tree.h"

/// Fills in `config`, which contains the defaults, from the document, in memory of the arena. A
/// value of the wrong type is added to `problems`, marked as faulty in the tree, and replaced by
/// one that `jbw_config_check` accepts. Misspelt keys are reported and then corrected in the tree,
/// so that the values below them are checked as well.
void jbw_world_reader_fill(jbw_config *config, jbw_yaml_node *root, jbw_arena *arena,
                           jbw_problems *problems);

#endif
