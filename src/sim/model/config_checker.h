// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What the checks of a config share: reporting problems at their places.
///
///     config_check         the map, functions, and the order of everything
///     config_check_agents  agents, bodies and tools
///     config_check_items   kinds and item types
#ifndef JBW_SIM_MODEL_CONFIG_CHECKER_H
#define JBW_SIM_MODEL_CONFIG_CHECKER_H

#include "sim/model/config.h"
#include "sim/model/kinds.h"

typedef struct jbw_checker {
    const jbw_config *config;
    int least_patch_size;
    jbw_problem_function *on_problem;
    void *user;
    jbw_status status;
    jbw_arena arena;
    jbw_kinds kinds;
    jbw_coupling *couplings; // (item_count x item_count), zero where not given
    bool has_couplings;      // false: some are invalid, so their sums cannot be checked
    bool has_kinds;          // false: some are invalid, so it is not known what they stand for
    bool has_good_map;       // false: neither can how long scent lasts
} jbw_checker;

/// Reports a problem. If it is in an expression, `column` is the column in it, otherwise zero.
void jbw_checker_report(jbw_checker *c, int column, const char *path, const char *format, ...)
    JBW_PRINTF(4, 5);

/// A path such as "items.Wall.color", truncated if it is too long.
typedef struct jbw_checker_path {
    char text[320];
} jbw_checker_path;

jbw_checker_path jbw_checker_path_of(const char *format, ...) JBW_PRINTF(1, 2);

// ---- values ----

void jbw_checker_int(jbw_checker *c, const char *where, int64_t value, int64_t low, int64_t high);
void jbw_checker_number(jbw_checker *c, const char *where, double value, double low, double high,
                        const char *expected);

/// A color or scent; NULL is good.
void jbw_checker_vector(jbw_checker *c, const char *where, const double *values, int count);

/// The name of an item type, which may be NULL.
void jbw_checker_item(jbw_checker *c, const char *where, const char *name);

/// The name of an item type or of a kind.
void jbw_checker_set(jbw_checker *c, const char *where, const char *name);

// ---- parts of a config ----

/// Whether a scent, which may be NULL, is not zero.
bool jbw_config_has_scent(const double *scent, int dimensions);

/// Checks agents, their tools and their bodies.
void jbw_checker_agents(jbw_checker *c);

/// Checks all kinds, and resolves them as far as possible even if there are problems.
void jbw_checker_kinds(jbw_checker *c);

/// Checks one item type. The kinds were checked before.
void jbw_checker_item_type(jbw_checker *c, size_t index);

#endif
