// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The options of a verb: one table per verb, from which parsing and help both follow.
#ifndef JBW_CLI_OPTIONS_H
#define JBW_CLI_OPTIONS_H

#include <stddef.h>

#include "jbw/io.h"
#include "jbw/types.h"

typedef enum jbw_option_kind {
    JBW_OPTION_FLAG,   // bool
    JBW_OPTION_TEXT,   // const char *
    JBW_OPTION_INT,    // int
    JBW_OPTION_SEED,   // uint64_t
    JBW_OPTION_NUMBER, // double
    JBW_OPTION_REGION, // jbw_region, as X,Y,W,H
    JBW_OPTION_SET,    // jbw_settings, KEY=VALUE, any number of times
    JBW_OPTION_KEY,    // jbw_settings, the value of the key that is named like the option
    JBW_OPTION_TEXTS,  // jbw_texts, any number of times
    JBW_OPTION_THREADS // int, of threads that make a world
} jbw_option_kind;

/// What `--set` collects. All zero is empty.
typedef struct jbw_settings {
    jbw_override overrides[256];
    size_t count;
} jbw_settings;

/// What an option that may be given several times collects. All zero is empty.
typedef struct jbw_texts {
    const char *texts[64];
    size_t count;
} jbw_texts;

typedef struct jbw_option {
    const char *name; // with its dashes
    jbw_option_kind kind;
    void *target; // keeps its value when the option is not given
    const char *value_name;
    const char *purpose;
} jbw_option;

/// A verb's command line.
typedef struct jbw_command_line {
    const char *verb;
    const char *usage;   // what stands behind the verb, such as "WORLD [OPTIONS]"
    const char *purpose; // some lines for the help
    const jbw_option *options;
    size_t option_count;
    size_t least_arguments; // that are not options
    size_t most_arguments;
    const char **arguments; // (most_arguments), filled by parsing
    size_t argument_count;
} jbw_command_line;

/// Parses `--name value`, `--name=value` and arguments in any order; `--` ends the options.
/// Returns -1 to go on, or the exit code: after `--help` was answered, or when something is wrong
/// and was reported on stderr.
int jbw_command_line_parse(jbw_command_line *line, int argc, char **argv);

/// The option `--set KEY=VALUE`, for the table of a verb that takes a world; and those that set one
/// key.
jbw_option jbw_option_set(jbw_settings *settings);
jbw_option jbw_option_generation(jbw_settings *settings);
jbw_option jbw_option_memory_budget(jbw_settings *settings);

/// Takes what `--memory-budget` said out of the settings, for a world that is loaded and has settings of
/// its own otherwise; `*budget` stays if nothing was said. -1, or the exit code.
int jbw_take_memory_budget(const char *verb, jbw_settings *settings, int *budget);

/// The option `--generation-threads N`, and what `*count` is without it.
jbw_option jbw_option_generation_threads(int *count);
int jbw_default_generation_threads(void);

/// Reads a world file or shipped world. On failure every problem was reported on stderr as
/// FILE:LINE:COLUMN: error: TEXT, and the exit code is returned; otherwise -1.
int jbw_load_world(const char *name, const jbw_settings *settings, jbw_config **out);

#endif
