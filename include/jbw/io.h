// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// World files; and, by including them, pictures, films and plots.
#ifndef JBW_IO_H
#define JBW_IO_H

#include "jbw/base.h"
#include "jbw/config.h"
#include "jbw/picture.h"
#include "jbw/world.h"

JBW_BEGIN_DECLS

/// Overrides one key of a world file: `key` is a path such as "agent.field_of_view", `value` is
/// YAML.
typedef struct jbw_override {
    const char *key;
    const char *value;
} jbw_override;

/// A problem of a world file. `source` is the name of a file, or "--set KEY" for an override;
/// `line` and `column` count from one and are zero if unknown.
typedef struct jbw_diagnostic {
    const char *source;
    int line;
    int column;
    const char *text;
} jbw_diagnostic;

typedef void jbw_diagnostic_function(const jbw_diagnostic *diagnostic, void *user);

/// How to read a world file. All zero gives the defaults.
typedef struct jbw_world_file_options {
    const jbw_override *overrides; ///< applied in order
    size_t override_count;
    const jbw_intensity_function *intensity_functions; ///< your own, which files use by name
    size_t intensity_function_count;
    const jbw_interaction_function *interaction_functions;
    size_t interaction_function_count;
    jbw_allocator allocator;
    jbw_diagnostic_function *report; ///< called for every problem; may be NULL
    void *report_user;
} jbw_world_file_options;

/// Reads a world file, given by its path or by the name of a shipped world such as "paper". The
/// config is complete and checked; free it with `jbw_config_free`. On failure `*out` is NULL, every
/// problem was passed to `options->report`, and `error` (may be NULL) has the first one with its
/// place in the text. `options` may be NULL.
JBW_API jbw_status jbw_world_file_read(const char *name_or_path,
                                       const jbw_world_file_options *options, jbw_config **out,
                                       jbw_error *error);

/// Does the same for text in memory, YAML or JSON; `source` is its name in messages.
JBW_API jbw_status jbw_world_file_parse(const char *text, size_t length, const char *source,
                                        const jbw_world_file_options *options, jbw_config **out,
                                        jbw_error *error);

/// Frees a config from one of the two functions above. NULL is ignored.
JBW_API void jbw_config_free(jbw_config *config);

/// The name of the shipped world with this index; NULL after the last one.
JBW_API const char *jbw_shipped_world_name(size_t index);

/// The text of the shipped world with this name, or NULL.
JBW_API const char *jbw_shipped_world_text(const char *name);

/// Appends a config as a complete world file, YAML or JSON, that reads back as an equal config:
/// every key, in a fixed order and spelling, with exact numbers. JBW_INVALID_CONFIG if
/// `jbw_config_check` rejects the config. On failure the buffer is unchanged.
JBW_API jbw_status jbw_world_file_print(const jbw_config *config, bool as_json, jbw_buffer *out);

JBW_END_DECLS

#endif
