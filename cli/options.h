// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The options of a verb. Parsing and help both use the verb's table of options.
#ifndef JBW_CLI_OPTIONS_H
#define JBW_CLI_OPTIONS_H

#include <stddef.h>

#include "jbw/io.h"
#include "jbw/types.h"
#include "verb.h"

typedef enum jbw_option_kind {
    JBW_OPTION_FLAG,   // bool
    JBW_OPTION_TEXT,   // const char *
    JBW_OPTION_INT,    // int
    JBW_OPTION_UINT64, // uint64_t
    JBW_OPTION_SIZE,   // uint64_t, a number of bytes that is given in megabytes
    JBW_OPTION_NUMBER, // double
    JBW_OPTION_REGION, // jbw_region, as X,Y,W,H
    JBW_OPTION_SET,    // jbw_settings, as KEY=VALUE; repeatable
    JBW_OPTION_KEY,    // jbw_settings, the value of the key that the option is named after
    JBW_OPTION_TEXTS,  // jbw_texts; repeatable
    JBW_OPTION_THREADS // int, a number of generation threads
} jbw_option_kind;

/// Overrides of a world file's keys. All zero is empty.
typedef struct jbw_settings {
    jbw_override overrides[256];
    size_t count;
} jbw_settings;

/// The values of a repeatable option. All zero is empty.
typedef struct jbw_texts {
    const char *texts[64];
    size_t count;
} jbw_texts;

typedef struct jbw_option {
    const char *name; // with its dashes
    jbw_option_kind kind;
    void *target; // keeps its value if the option is not given
    const char *value_name;
    const char *purpose;
} jbw_option;

/// The command line of a verb.
typedef struct jbw_command_line {
    const char *verb;
    const char *usage;   // what follows the verb, such as "WORLD [OPTIONS]"
    const char *purpose; // the first paragraph of the help
    const jbw_option *options;
    size_t option_count;
    size_t min_arguments; // positional arguments
    size_t max_arguments;
    const char **arguments; // (max_arguments), filled by parsing
    size_t argument_count;
} jbw_command_line;

/// Parses `--name value`, `--name=value` and positional arguments in any order; `--` ends the
/// options. Errors are reported on stderr. JBW_VERB_HELPED after `--help`.
jbw_verb_status jbw_command_line_parse(jbw_command_line *line, int argc, char **argv);

/// The options of verbs that take a world: `--set KEY=VALUE`, and two keys with options of their
/// own.
jbw_option jbw_option_set(jbw_settings *settings);
jbw_option jbw_option_generation(jbw_settings *settings);
jbw_option jbw_option_memory_budget(jbw_settings *settings);

/// Moves `--memory-budget` from the settings to `*budget`, which keeps its value if the option was
/// not given. For worlds that are loaded: the memory budget is the one setting they can change.
jbw_verb_status jbw_settings_take_memory_budget(jbw_settings *settings, const char *verb,
                                                int *budget);

/// The option `--memory-limit MB` of verbs that read snapshots or recordings: `memory_limit` of
/// jbw_load_options.
jbw_option jbw_option_memory_limit(uint64_t *bytes);

/// The option `--generation-threads N`, and its default.
jbw_option jbw_option_generation_threads(int *count);
int jbw_default_generation_threads(void);

#endif
