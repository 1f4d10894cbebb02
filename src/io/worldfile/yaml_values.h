// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Values of a YAML document as data: each function reads one value and adds a problem, at its place,
/// if it is not what was expected. The value is then left as it was.
#ifndef JBW_IO_WORLDFILE_YAML_VALUES_H
#define JBW_IO_WORLDFILE_YAML_VALUES_H

#include "io/worldfile/problems.h"
#include "io/worldfile/yaml_tree.h"

typedef struct jbw_value_reader {
    jbw_arena *arena;
    jbw_problems *problems;
    int color_dimensions; // negative if unknown, because its key is faulty
    int scent_dimensions;
} jbw_value_reader;

/// Reads the value of a key into `target`, the field at the key's offset.
typedef void jbw_value_function(jbw_value_reader *r, jbw_yaml_node *node, void *target);

typedef struct jbw_value_key {
    const char *name;
    jbw_value_function *read;
    size_t offset; // of the field
} jbw_value_key;

// ---- problems ----

/// Adds a problem at a node, which is faulty then.
void jbw_value_complain(jbw_value_reader *r, jbw_yaml_node *node, const char *format, ...)
    JBW_PRINTF(3, 4);

/// The same, with what was found.
void jbw_value_complain_kind(jbw_value_reader *r, jbw_yaml_node *node, const char *expected);

/// The same for an unknown name. Returns the name that was probably meant, or NULL.
const char *jbw_value_complain_unknown(jbw_value_reader *r, jbw_yaml_node *node, const char *what,
                                       const char *name, size_t length, const char *const *names,
                                       size_t count);

// ---- memory: NULL, and a problem, when it runs out ----

void *jbw_value_take(jbw_value_reader *r, size_t count, size_t size);
const char *jbw_value_take_text(jbw_value_reader *r, const char *text, size_t length);

// ---- values ----

bool jbw_value_whole(jbw_value_reader *r, jbw_yaml_node *node, int64_t low, int64_t high,
                     int64_t *out);
jbw_value_function jbw_value_int, jbw_value_number, jbw_value_bool;

/// The index of a word in a list, or -1 after complaining.
int jbw_value_word(jbw_value_reader *r, jbw_yaml_node *node, const char *what,
                   const char *const *words, size_t count);

/// A list of as many numbers as the key `dimensions_key` says; any number if that is negative.
void jbw_value_vector(jbw_value_reader *r, jbw_yaml_node *node, const double **out, int dimensions,
                      const char *dimensions_key);

/// An expression as text, not yet parsed; NULL after complaining.
const char *jbw_value_expression(jbw_value_reader *r, jbw_yaml_node *node, const char *example);

// ---- mappings ----

/// Whether a node is a mapping; one with nothing below its key is empty, which is no problem.
bool jbw_value_is_mapping(jbw_value_reader *r, jbw_yaml_node *node, const char *expected);

/// Reads a mapping with known keys, in the order of `keys`, because some depend on earlier ones.
void jbw_value_keys(jbw_value_reader *r, jbw_yaml_node *node, const jbw_value_key *keys,
                    size_t key_count, void *target);

#endif
