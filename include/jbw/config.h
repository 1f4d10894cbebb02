// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A world's configuration as plain data. Start from `jbw_config_default()`, fill in, and compile
/// it into a model; the model copies what it needs, so everything here may be freed afterwards.
/// Numbers are as in a world file, and so are the names of its keys.
#ifndef JBW_CONFIG_H
#define JBW_CONFIG_H

#include "jbw/base.h"
#include "jbw/types.h"

JBW_BEGIN_DECLS

enum {
    JBW_MAX_ITEM_TYPES = 254,
    JBW_MAX_DIMENSIONS = 64,
    JBW_MAX_PATCH_SIZE = 256,
    JBW_MAX_ACTIONS = 256,
    JBW_MAX_MH_ITERATIONS = 1000000000,
    JBW_MAX_OCCLUDED_RANGE = 32,     ///< of vision, with visual occlusion
    JBW_MAX_MEMORY_BUDGET = 1048576, ///< megabytes
};

/// So many of an item type, named.
typedef struct jbw_item_count {
    const char *item;
    uint64_t count;
} jbw_item_count;

/// How the item type that owns it is drawn to `item`: an expression such as
/// "PiecewiseBox[10, 100, 2, -100]". Types that are not listed have "Zero".
typedef struct jbw_interaction {
    const char *item;
    const char *expression;
} jbw_interaction;

/// One type of item. Vectors may be NULL, which means all zero.
typedef struct jbw_item_type {
    const char *name;
    const double *color; ///< (color_dimensions)
    const double *scent; ///< (scent_dimensions)
    double occlusion;    ///< 0 hides nothing, 1 hides everything behind it
    bool blocks_movement;
    bool is_uncollectable; ///< `collectable: false` in a world file
    const char *intensity; ///< an expression such as "Constant[1.5]"; NULL means "Zero"
    const jbw_interaction *interactions;
    size_t interaction_count;
    const jbw_item_count *requirements; ///< must be in the inventory, and stay there
    size_t requirement_count;
    const jbw_item_count *costs; ///< must be in the inventory, and are destroyed
    size_t cost_count;
} jbw_item_type;

/// One allowed action; `item` is the type to drop and NULL for all other kinds.
typedef struct jbw_action {
    jbw_action_kind kind;
    const char *item;
} jbw_action;

/// What all agents of a world have in common.
typedef struct jbw_agent_config {
    const double *color; ///< (color_dimensions), NULL means all zero
    const double *scent; ///< (scent_dimensions), NULL means all zero
    int vision_range;
    double field_of_view; ///< degrees
    bool visual_occlusion;
    const jbw_action *actions; ///< an action's number is its index here
    size_t action_count;
} jbw_agent_config;

/// A user's own intensity function, used in world files by its name.
typedef struct jbw_intensity_function {
    const char *name;
    int argument_count;
    /// The intensity of an item at `position`. Must be a pure function of what it is given.
    double (*value)(const double *arguments, jbw_position position, void *user);
    void *user;
} jbw_intensity_function;

/// A user's own interaction function, used in world files by its name.
typedef struct jbw_interaction_function {
    const char *name;
    int argument_count;
    int reach;      ///< largest Chebyshev distance at which it can be non-zero
    double largest; ///< no absolute value of it is larger
    /// Optional: reach and largest value for these arguments, instead of the two above.
    void (*bounds)(const double *arguments, void *user, int *reach, double *largest);
    /// g(first, second). Never asked beyond its reach, nor for one cell with itself. Must be a
    /// pure function of what it is given.
    double (*value)(const double *arguments, jbw_position first, jbw_position second, void *user);
    void *user;
} jbw_interaction_function;

/// All there is to say about a world before it begins.
typedef struct jbw_config {
    uint32_t cookie; ///< set by `jbw_config_default`, so that a config that skipped it is noticed
    int scent_dimensions;
    int color_dimensions;
    int patch_size;
    int mh_iterations;
    double scent_decay;
    double scent_diffusion;
    jbw_collision collision;
    jbw_collection collection;
    jbw_generation generation;
    /// Megabytes (of 2^20 bytes) that a world may keep of what it can make again: patches and what
    /// comes before them. For invariant worlds only, and without any influence on what happens.
    int memory_budget;
    jbw_agent_config agent;
    const jbw_item_type *items;
    size_t item_count;

    const jbw_intensity_function *intensity_functions; ///< the user's own
    size_t intensity_function_count;
    const jbw_interaction_function *interaction_functions; ///< the user's own
    size_t interaction_function_count;
    jbw_allocator allocator;
} jbw_config;

/// The defaults: the paper's simulator configuration, without any items.
JBW_API jbw_config jbw_config_default(void);

/// One thing that is wrong with a config. `path` names the place as in a world file, such as
/// "items.Wall.interactions.Tree"; `column` is the place within the expression that stands there,
/// counted from one, or zero. Both strings live only during the call.
typedef struct jbw_problem {
    const char *path;
    int column;
    const char *text;
} jbw_problem;

/// Told of each problem found.
typedef void jbw_problem_function(const jbw_problem *problem, void *user);

/// Finds everything that is wrong with a config and tells `report` (may be NULL) of each, in the
/// order of a world file. JBW_OK if nothing is, else JBW_INVALID_CONFIG or JBW_OUT_OF_MEMORY.
JBW_API jbw_status jbw_config_check(const jbw_config *config, jbw_problem_function *report,
                                    void *user);

/// The name of an action kind as in a world file, such as "MoveForward".
JBW_API const char *jbw_action_kind_name(jbw_action_kind kind);

JBW_END_DECLS

#endif
