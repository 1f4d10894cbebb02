// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Where the world of a verb comes from: a world file, a shipped world or a snapshot.
#ifndef JBW_CLI_WORLD_SOURCE_H
#define JBW_CLI_WORLD_SOURCE_H

#include "jbw/jbw.h"
#include "options.h"
#include "verb.h"

/// A world and everything it depends on. All zero is none.
typedef struct jbw_world_source {
    jbw_config *config;    // of a world file
    jbw_model *model;      // of a world file
    jbw_loaded loaded;     // of a snapshot: its notes, and its model unless `model` serves
    jbw_world *world;      // take it and leave NULL to keep it
    uint64_t memory_limit; // of loading, in bytes; zero: the default
} jbw_world_source;

/// Frees everything. A source that could not be opened is fine.
void jbw_world_source_close(jbw_world_source *source);

/// Reads a world file or a shipped world, and builds its model. Reports every problem on stderr as
/// FILE:LINE:COLUMN: error: TEXT.
jbw_verb_status jbw_world_source_read(jbw_world_source *source, const char *name,
                                      const jbw_settings *settings);

/// Makes a new world of the model.
jbw_verb_status jbw_world_source_create(jbw_world_source *source, const char *verb, uint64_t seed);

/// Loads a world from a snapshot, with the source's model if it is the same one. A memory budget of
/// zero is the default.
jbw_verb_status jbw_world_source_load(jbw_world_source *source, const char *verb, const char *path,
                                      int memory_budget);

/// Starts the threads of `--generation-threads`.
jbw_verb_status jbw_start_generation_threads(jbw_world *world, const char *verb, int count);

#endif
