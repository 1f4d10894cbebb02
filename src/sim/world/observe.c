// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Everything about the parts of observations: JBW_PART_LIST says what they are, and each has a
// function `write_<name>` here. Their calls and the description of each part are made from that
// list, so that a new part is one line there and one function here.

#include "jbw/observation.h"

#include <string.h>

#include "sim/world/perceive.h"

// ---- what parts look like ----

/// The axes that shapes are made of, as JBW_PART_LIST names them.
typedef enum axis { SCALAR, SIDE, COLORS, SCENTS, ITEM_TYPES, ENTITIES, SYMBOLS, TEXT, XY } axis;

typedef struct part_entry {
    const char *name;
    const char *about;
    jbw_element element;
    size_t element_size;
    axis shape[JBW_PART_MAX_RANK + 1]; // up to the first SCALAR
} part_entry;

#define ELEMENT_OF(type)                   \
    _Generic((type)0, uint8_t              \
             : JBW_ELEMENT_UINT8, int32_t  \
             : JBW_ELEMENT_INT32, int64_t  \
             : JBW_ELEMENT_INT64, uint64_t \
             : JBW_ELEMENT_UINT64, float   \
             : JBW_ELEMENT_FLOAT32)

#define AXES(...)   \
    {               \
        __VA_ARGS__ \
    }

static const part_entry part_table[JBW_PART_COUNT] = {
#define ENTRY(NAME, name, type, shape, about) \
    [JBW_PART_##NAME] = {#name, about, ELEMENT_OF(type), sizeof(type), AXES shape},
    JBW_PART_LIST(ENTRY)
#undef ENTRY
};

static size_t axis_length(const jbw_part_axes *axes, axis a)
{
    switch (a) {
    case SCALAR: return 1;
    case SIDE: return axes->side;
    case COLORS: return axes->colors;
    case SCENTS: return axes->scents;
    case ITEM_TYPES: return axes->item_types;
    case ENTITIES: return axes->item_types + axes->bodies;
    case SYMBOLS: return axes->symbols;
    case TEXT: return JBW_MAX_TEXT + 1;
    case XY: return 2;
    }
    return 0;
}

jbw_part_info jbw_part_describe(const jbw_part_axes *axes, jbw_part part)
{
    if ((int)part < 0 || part >= JBW_PART_COUNT) return (jbw_part_info){0};
    const part_entry *entry = &part_table[part];
    jbw_part_info info = {
        .name = entry->name, .about = entry->about, .element = entry->element, .count = 1};
    for (; entry->shape[info.rank] != SCALAR; info.rank++) {
        info.shape[info.rank] = axis_length(axes, entry->shape[info.rank]);
        info.count *= info.shape[info.rank];
    }
    info.size = info.count * entry->element_size;
    return info;
}

jbw_part_info jbw_model_part(const jbw_model *model, jbw_part part)
{
    const jbw_part_axes axes = {
        .side = (size_t)model->vision.side,
        .colors = (size_t)model->color_dimensions,
        .scents = (size_t)model->scent_dimensions,
        .item_types = (size_t)model->type_count,
        .bodies = (size_t)model->body_count,
        .symbols = (size_t)model->voice.symbols,
    };
    return jbw_part_describe(&axes, part);
}

jbw_part jbw_part_named(const char *name)
{
    int part = 0;
    while (part < JBW_PART_COUNT && strcmp(part_table[part].name, name) != 0) part++;
    return (jbw_part)part;
}

// ---- one pointer by its number ----

// A jbw_observation is nothing but one pointer per part, in their order. Pointers to objects are
// all alike on every platform that we build for; copying bytes keeps the compiler out of it.
_Static_assert(sizeof(jbw_observation) == JBW_PART_COUNT * sizeof(void *), "only pointers");

void *jbw_observation_get(const jbw_observation *observation, jbw_part part)
{
    void *buffer;
    memcpy(&buffer, (const char *)observation + (size_t)part * sizeof buffer, sizeof buffer);
    return buffer;
}

void jbw_observation_set(jbw_observation *observation, jbw_part part, void *buffer)
{
    memcpy((char *)observation + (size_t)part * sizeof buffer, &buffer, sizeof buffer);
}

// ---- writing ----

/// Whose parts are written.
typedef struct observer {
    jbw_world *world;
    const jbw_agent *agent;
    jbw_patch *const *around; // the patches of its cell and the neighbours
} observer;

static void write_vision(const observer *o, float *vision)
{
    jbw_perceive_vision(o->world, o->agent, o->around, vision);
}

static void write_scent(const observer *o, float *scent)
{
    jbw_perceive_scent(o->world, o->agent, o->around, scent);
}

static void write_items(const observer *o, uint8_t *items)
{
    const jbw_gaze gaze = jbw_perceive_gaze(o->agent, o->around);
    jbw_vision_see_items(&o->world->map, &o->world->sight, &gaze, items);
}

static void write_item_vision(const observer *o, float *item_vision)
{
    const jbw_gaze gaze = jbw_perceive_gaze(o->agent, o->around);
    jbw_vision_see_one_hot(&o->world->map, &o->world->sight, &gaze, item_vision);
}

static void write_entity_vision(const observer *o, float *entity_vision)
{
    jbw_perceive_entities(o->world, o->agent, o->around, entity_vision);
}

static void write_seen(const observer *o, float *seen)
{
    const jbw_gaze gaze = jbw_perceive_gaze(o->agent, o->around);
    jbw_vision_see_fractions(&o->world->map, &o->world->sight, &gaze, seen);
}

static void write_inventory(const observer *o, uint64_t *inventory)
{
    const uint64_t *counts = jbw_agents_inventory(&o->world->agents, o->agent);
    for (int t = 0; t < o->world->model->type_count; t++) inventory[t] = counts[t];
}

static void write_position(const observer *o, int64_t *position)
{
    position[0] = o->agent->position.x;
    position[1] = o->agent->position.y;
}

static void write_start(const observer *o, int64_t *start)
{
    start[0] = o->agent->start.x;
    start[1] = o->agent->start.y;
}

static void write_direction(const observer *o, uint8_t *direction)
{
    *direction = (uint8_t)o->agent->direction;
}

static void write_time(const observer *o, uint64_t *time)
{
    *time = o->world->time;
}

static void write_moved(const observer *o, uint8_t *moved)
{
    *moved = o->agent->result.moved;
}

static void write_collected(const observer *o, int32_t *collected)
{
    *collected = o->agent->result.collected;
}

static void write_outcome(const observer *o, uint8_t *outcome)
{
    *outcome = (uint8_t)o->agent->result.outcome;
}

static void write_body(const observer *o, uint8_t *body)
{
    *body = o->agent->body;
}

static void write_heard(const observer *o, float *heard)
{
    if (!o->world->agents.heard) return; // nothing can be said
    const uint32_t *counts = jbw_agents_heard(&o->world->agents, o->agent);
    for (int s = 0; s < o->world->model->voice.symbols; s++) heard[s] = (float)counts[s];
}

static void write_text(const observer *o, uint8_t *text)
{
    char read[JBW_MAX_TEXT + 1];
    jbw_perceive_text(o->world, o->agent, read);
    memset(text, 0, sizeof read);
    for (size_t i = 0; read[i]; i++) text[i] = (uint8_t)read[i];
}

jbw_status jbw_agent_observe(jbw_world *world, jbw_agent_id id, const jbw_observation *wanted)
{
    jbw_agent *agent = jbw_agents_find(&world->agents, id);
    if (!agent) return JBW_NO_SUCH_AGENT;
    // there is room since the agent was added, unless this is a copy where nobody has smelled yet
    if (wanted->scent && !jbw_scent_reserve(&world->scent, world->agents.count))
        return JBW_OUT_OF_MEMORY;
    const observer o = {world, agent, jbw_agents_around(&world->map, agent)};
#define WRITE(NAME, name, type, shape, about) \
    if (wanted->name) write_##name(&o, wanted->name);
    JBW_PART_LIST(WRITE)
#undef WRITE
    return JBW_OK;
}
