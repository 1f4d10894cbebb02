// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The configuration of a world as plain data. Start with `jbw_config_default()`, fill in what you
/// need, and compile it into a model (world.h). The model copies everything, so you may free it
/// afterwards. Fields have the names and units of the keys of world files.
#ifndef JBW_CONFIG_H
#define JBW_CONFIG_H

#include "jbw/base.h"
#include "jbw/types.h"

JBW_BEGIN_DECLS

enum {
    JBW_MAX_ITEM_TYPES = 254,
    JBW_MAX_KINDS = 254,
    JBW_MAX_ITEM_NAMES = JBW_MAX_ITEM_TYPES + JBW_MAX_KINDS,
    JBW_MAX_DIMENSIONS = 64,
    JBW_MIN_PATCH_SIZE = 3, // with smaller patches, cells next to an agent might not be final
    JBW_MAX_PATCH_SIZE = 256,
    JBW_MAX_ACTIONS = 256,
    JBW_MAX_MH_ITERATIONS = 1000000000,
    JBW_MAX_OCCLUDED_RANGE = 32,     ///< vision range with visual occlusion
    JBW_MAX_MEMORY_BUDGET = 1048576, ///< megabytes
    JBW_MAX_REGROWTH = 1000000000,   ///< steps that a law of regrowth may name
    JBW_MAX_DROPS = 25,              ///< items that collecting another one may put down
    JBW_MAX_SOURCES = 255,           ///< item types and bodies together
    JBW_MAX_VIEWS = 32,              ///< ways of seeing, by bodies and tools
    JBW_MAX_TEXT = 255,              ///< bytes of a text that an item carries
    JBW_MAX_SYMBOLS = 255,           ///< of a voice
};

/// A number of items of one type, or of any types of one kind.
typedef struct jbw_item_count {
    const char *item; ///< the name of an item type or of a kind
    uint64_t count;
} jbw_item_count;

/// How strongly the item type that lists it is attracted to `item`: an expression such as
/// "PiecewiseBox[10, 100, 2, -100]". The interaction with types that are not listed is "Zero".
typedef struct jbw_interaction {
    const char
        *item; ///< the name of an item type; or of a kind, for all its types without an entry
    const char *expression;
} jbw_interaction;

/// When items of a type are there for agents: while from <= t modulo period < to, at time t; if
/// `from` is larger than `to`, from `from` over the end of the period to `to`. A period of 0 means
/// always.
typedef struct jbw_season {
    uint64_t period;
    uint64_t from;
    uint64_t to;
} jbw_season;

/// How the number of steps is drawn after which an item that was collected grows back.
typedef enum jbw_regrowth_law {
    JBW_REGROWTH_NEVER,
    JBW_REGROWTH_CONSTANT,  ///< always the same number
    JBW_REGROWTH_UNIFORM,   ///< each number from `least` to `most` with the same probability
    JBW_REGROWTH_GEOMETRIC, ///< each step ends it with probability 1 / `least`, the mean
} jbw_regrowth_law;

/// After how many steps an item that was collected grows back.
typedef struct jbw_regrowth {
    jbw_regrowth_law law;
    uint64_t least;
    uint64_t most; ///< as `least`, unless the law is JBW_REGROWTH_UNIFORM
} jbw_regrowth;

/// A type of items. Vectors may be NULL, which means all zero.
typedef struct jbw_item_type {
    const char *name;
    const double *color; ///< (color_dimensions)
    const double *scent; ///< (scent_dimensions)
    double occlusion;    ///< from 0, which hides nothing, to 1, which hides everything behind it
    bool blocks_movement;
    bool is_uncollectable; ///< `collectable: false` in a world file
    const char *intensity; ///< an expression such as "Constant[1.5]"; NULL means "Zero"
    const jbw_interaction *interactions;
    size_t interaction_count;
    const jbw_item_count *requirements; ///< needed in the inventory to collect this item
    size_t requirement_count;
    const jbw_item_count *costs; ///< needed as well, and used up
    size_t cost_count;
    const jbw_item_count *ever_requirements; ///< that the agent must have collected at some time
    size_t ever_requirement_count;
    const jbw_item_count *drops; ///< needed as well, and put down; at most JBW_MAX_DROPS in all
    size_t drop_count;
    jbw_season season;
    const char *regrows; ///< an expression such as "Uniform[100, 900]"; NULL means never
    bool has_text;       ///< `text: true`: when dropped or placed, an item may carry a text
} jbw_item_type;

/// A kind of items: a name for several item types. Its members are item types and other kinds; no
/// kind contains itself.
typedef struct jbw_kind {
    const char *name; ///< different from those of all item types and other kinds
    const char *const *members;
    size_t member_count;
} jbw_kind;

/// An action that agents may take. `item` is the type to drop, and NULL for all other kinds.
typedef struct jbw_action {
    jbw_action_kind kind;
    const char *item;
} jbw_action;

/// What agents can say, and how far it is heard. Without symbols, all zero, there is no voice.
typedef struct jbw_voice {
    int symbols; ///< the number of different symbols, which are numbered from 1
    int range;   ///< the largest Euclidean distance at which they are heard
} jbw_voice;

/// How a body or a tool changes what agents see. Keys that it does not have stay as they are.
typedef struct jbw_sight_keys {
    bool has_vision_range;
    bool has_field_of_view;
    bool has_visual_occlusion;
    bool visual_occlusion;
    int vision_range;
    double field_of_view; ///< degrees
} jbw_sight_keys;

/// Something that changes what an agent sees while it carries one.
typedef struct jbw_tool {
    const char *item;     ///< the name of an item type that can be collected
    jbw_sight_keys sight; ///< at least one key
} jbw_tool;

/// What all agents of a world have in common, unless they have a body of their own.
typedef struct jbw_agent_config {
    const double *color; ///< (color_dimensions), NULL means all zero
    const double *scent; ///< (scent_dimensions), NULL means all zero
    int vision_range;
    double field_of_view; ///< degrees
    bool visual_occlusion;
    const jbw_action *actions; ///< actions are numbered by their index here
    size_t action_count;
    const jbw_tool *tools; ///< of two that are carried and have the same key, the later one wins
    size_t tool_count;
    jbw_voice voice;
} jbw_agent_config;

/// A body that agents may be added with. What it leaves out is as in jbw_agent_config. The tools are
/// the same for all bodies, and win over them.
typedef struct jbw_body {
    const char *name;
    const double *color; ///< (color_dimensions), NULL as in jbw_agent_config
    const double *scent; ///< (scent_dimensions), likewise
    jbw_sight_keys sight;
    const jbw_action
        *actions; ///< some of those of jbw_agent_config, whose numbers they keep; or NULL
    size_t action_count;
} jbw_body;

/// A user-defined intensity function. World files refer to it by its name.
typedef struct jbw_intensity_function {
    const char *name;
    int argument_count;
    /// The intensity of an item at `position`. Must be a pure function of its parameters.
    double (*value)(const double *arguments, jbw_position position, void *user);
    void *user;
} jbw_intensity_function;

/// A user-defined interaction function. World files refer to it by its name.
typedef struct jbw_interaction_function {
    const char *name;
    int argument_count;
    int reach;      ///< largest Chebyshev distance at which it can be nonzero
    double largest; ///< upper bound of its absolute value
    /// Optional: gets the two above for certain arguments.
    void (*bounds)(const double *arguments, void *user, int *reach, double *largest);
    /// g(first, second). Never called beyond its reach, nor for a cell and itself. Must be a pure
    /// function of its parameters.
    double (*value)(const double *arguments, jbw_position first, jbw_position second, void *user);
    void *user;
} jbw_interaction_function;

/// Everything about a world except its seed.
typedef struct jbw_config {
    uint32_t cookie; ///< set by `jbw_config_default`; detects configs that were not initialized
    int scent_dimensions;
    int color_dimensions;
    int patch_size;
    int mh_iterations;
    double scent_decay;
    double scent_diffusion;
    jbw_collision collision;
    jbw_collection collection;
    jbw_generation generation;
    /// For invariant worlds: memory in megabytes (2^20 bytes) for patches and intermediate results
    /// that can be generated again. Has no influence on what happens.
    int memory_budget;
    /// For invariant worlds: how near densities come to those after a long time, from 0.9, which
    /// takes about 0.6 of the time to generate, to 1, the default.
    double maturity;
    jbw_agent_config agent;
    const jbw_body *bodies; ///< beside that of `agent`; at most JBW_MAX_SOURCES with all item types
    size_t body_count;
    const jbw_item_type *items;
    size_t item_count;
    const jbw_kind *kinds;
    size_t kind_count;

    const jbw_intensity_function *intensity_functions; ///< user-defined
    size_t intensity_function_count;
    const jbw_interaction_function *interaction_functions; ///< user-defined
    size_t interaction_function_count;
    jbw_allocator allocator;
} jbw_config;

/// The default config: the paper's simulator configuration, without items.
JBW_API jbw_config jbw_config_default(void);

/// A problem of a config. `path` is the place as in a world file, such as
/// "items.Wall.interactions.Tree". If the problem is in an expression, `column` is the column in
/// it, counted from one; otherwise it is zero. The strings are valid only during the call.
typedef struct jbw_problem {
    const char *path;
    int column;
    const char *text;
} jbw_problem;

/// Called for each problem.
typedef void jbw_problem_function(const jbw_problem *problem, void *user);

/// Finds all problems of a config and calls `on_problem` (may be NULL) for each, in the order of a
/// world file. Returns JBW_OK if there are none, otherwise JBW_INVALID_CONFIG or JBW_OUT_OF_MEMORY.
JBW_API jbw_status jbw_config_check(const jbw_config *config, jbw_problem_function *on_problem,
                                    void *user);

/// Reads what `regrows` of an item type says. On failure `error` (may be NULL) tells what is wrong.
JBW_API jbw_status jbw_regrowth_parse(const char *text, jbw_regrowth *out, jbw_error *error);

/// The name of a kind of actions in world files, such as "MoveForward".
JBW_API const char *jbw_action_kind_name(jbw_action_kind kind);

JBW_END_DECLS

#endif
