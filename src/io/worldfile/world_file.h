// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// World files: YAML or JSON text that describes a world. This folder implements the functions of
/// jbw/io.h that read and print them.
///
///     reading
///     world_file      a path or name -> text -> config, with overrides; runs the steps below
///     yaml            text -> tree: yaml_guard rejects hostile text, yaml_builder takes the events
///                     of libfyaml, yaml_tree is the result, yaml_path finds and replaces its nodes
///     world_reader    tree -> config: knows every key and the type of its value
///     world_check     checks the config, and finds the place in the text for each problem
///     problems        collects everything that is wrong, and reports it in the order of the text
///
///     printing
///     world_writer    config -> text
///
///     shipped         the worlds that are part of the library
#ifndef JBW_IO_WORLDFILE_WORLD_FILE_H
#define JBW_IO_WORLDFILE_WORLD_FILE_H

#include "jbw/types.h"

/// The words for the values of these enums, in their order.
extern const char *const jbw_collision_words[JBW_COLLISION_ALLOW + 1];
extern const char *const jbw_collection_words[JBW_COLLECTION_MANUAL + 1];
extern const char *const jbw_generation_words[JBW_GENERATION_INVARIANT + 1];

#endif
