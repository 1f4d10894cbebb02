// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Observations: what an agent perceives and what is known about it, written into your own buffers.
///
/// An observation consists of parts, all listed in JBW_PART_LIST. Say which ones you want by
/// setting their pointers in a `jbw_observation`, and `jbw_agent_observe` writes them all at once:
///
///     float *vision = malloc(jbw_model_part(model, JBW_PART_VISION).size);
///     float *scent = malloc(jbw_model_part(model, JBW_PART_SCENT).size);
///     const jbw_observation wanted = {.vision = vision, .scent = scent};
///     status = jbw_agent_observe(world, agent, &wanted);
///
/// Batches (batch.h), clients (client.h) and the Python package use the same description.
#ifndef JBW_OBSERVATION_H
#define JBW_OBSERVATION_H

#include "jbw/base.h"
#include "jbw/types.h"
#include "jbw/world.h"

JBW_BEGIN_DECLS

/// Every part of an observation: constant, name, element type, shape, and what it is. In shapes,
/// SIDE is `jbw_model_vision_side`, COLORS, SCENTS and ITEM_TYPES are the model's color dimensions,
/// scent dimensions and item types, ENTITIES is ITEM_TYPES plus `jbw_model_body_count`, SYMBOLS are
/// those of the voice (zero if there is none), TEXT is JBW_MAX_TEXT plus one, XY is 2, and SCALAR
/// stands for a single element. The parts of shape (SIDE, SIDE, ...) are in the agent's own frame:
/// row 0 is farthest ahead, column 0 is leftmost. The last channels of entities count agents by
/// their bodies, except the observer.
#define JBW_PART_LIST(X)                                                                     \
    X(VISION, vision, float, (SIDE, SIDE, COLORS), "the colors that the agent sees")         \
    X(SCENT, scent, float, (SCENTS), "the scent of the agent's cell")                        \
    X(ITEMS, items, uint8_t, (SIDE, SIDE), "visible items: item type plus one, or 0")        \
    X(ITEM_VISION, item_vision, float, (SIDE, SIDE, ITEM_TYPES), "visible items, one-hot")   \
    X(ENTITY_VISION, entity_vision, float, (SIDE, SIDE, ENTITIES), "that, and other agents") \
    X(SEEN, seen, float, (SIDE, SIDE), "visible fraction of each cell, from 0 to 1")         \
    X(INVENTORY, inventory, uint64_t, (ITEM_TYPES), "number of items carried, by type")      \
    X(POSITION, position, int64_t, (XY), "x and y of the agent's cell")                      \
    X(START, start, int64_t, (XY), "x and y of the cell where the agent was added")          \
    X(DIRECTION, direction, uint8_t, (SCALAR), "a jbw_direction")                            \
    X(TIME, time, uint64_t, (SCALAR), "steps that the world has taken")                      \
    X(MOVED, moved, uint8_t, (SCALAR), "1 if the latest step moved the agent, or 0")         \
    X(COLLECTED, collected, int32_t, (SCALAR), "item type collected in that step, or -1")    \
    X(OUTCOME, outcome, uint8_t, (SCALAR), "a jbw_outcome: of the action in that step")      \
    X(BODY, body, uint8_t, (SCALAR), "the agent's body, 0 unless it has one of its own")     \
    X(HEARD, heard, float, (SYMBOLS), "how many others said each symbol in that step")       \
    X(TEXT, text, uint8_t, (TEXT), "the text that the agent reads, UTF-8, then zeros")

/// A part of an observation, such as JBW_PART_VISION.
typedef enum jbw_part {
#define JBW_PART_ENUM(NAME, name, type, shape, about) JBW_PART_##NAME,
    JBW_PART_LIST(JBW_PART_ENUM)
#undef JBW_PART_ENUM
        JBW_PART_COUNT
} jbw_part;

/// Where to write each part: `float *vision` and so on, one pointer per line of JBW_PART_LIST. NULL
/// means that the part is not wanted; it then costs nothing. All zero wants nothing.
typedef struct jbw_observation {
#define JBW_PART_FIELD(NAME, name, type, shape, about) type *name;
    JBW_PART_LIST(JBW_PART_FIELD)
#undef JBW_PART_FIELD
} jbw_observation;

/// The element types of parts.
typedef enum jbw_element {
    JBW_ELEMENT_UINT8,
    JBW_ELEMENT_INT32,
    JBW_ELEMENT_INT64,
    JBW_ELEMENT_UINT64,
    JBW_ELEMENT_FLOAT32,
} jbw_element;

#define JBW_PART_MAX_RANK 3

/// A part as a model has it.
typedef struct jbw_part_info {
    const char *name;  ///< such as "vision"
    const char *about; ///< what it is, for a person to read
    jbw_element element;
    int rank;                        ///< number of axes; 0 for a single element
    size_t shape[JBW_PART_MAX_RANK]; ///< (rank), the last axis varies fastest
    size_t count;                    ///< number of elements; may be 0
    size_t size;                     ///< bytes
} jbw_part_info;

/// Describes a part. All zero if there is no such part. The texts live forever.
JBW_API jbw_part_info jbw_model_part(const jbw_model *model, jbw_part part);

/// The lengths that the shapes of parts depend on.
typedef struct jbw_part_axes {
    size_t side;
    size_t colors;
    size_t scents;
    size_t item_types;
    size_t bodies; ///< `jbw_model_body_count`
    size_t symbols;
} jbw_part_axes;

/// The same where there is no model, such as in a client.
JBW_API jbw_part_info jbw_part_describe(const jbw_part_axes *axes, jbw_part part);

/// The part with that name, or JBW_PART_COUNT.
JBW_API jbw_part jbw_part_named(const char *name);

/// The pointer of a part, for code that handles any part.
JBW_API void *jbw_observation_get(const jbw_observation *observation, jbw_part part);
JBW_API void jbw_observation_set(jbw_observation *observation, jbw_part part, void *buffer);

/// Writes the wanted parts as they are now. Changes nothing in the world except caches. Fails with
/// JBW_NO_SUCH_AGENT, or, for the first scent in a copied world, with JBW_OUT_OF_MEMORY; then
/// nothing was written.
JBW_API jbw_status jbw_agent_observe(jbw_world *world, jbw_agent_id agent,
                                     const jbw_observation *wanted);

JBW_END_DECLS

#endif
