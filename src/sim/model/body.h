// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Bodies and tools: who agents are, and how they see. Body 0 is that of `agent`; those of `bodies`
/// count from 1.
///
/// The eyes of an agent are those of its body, changed by each tool that it carries, in the order of
/// the config. There are few different ones, and each has a view, the tables that seeing needs
/// (vision_model.h). An agent keeps a pointer to its view, which changes only with what it carries.
#ifndef JBW_SIM_MODEL_BODY_H
#define JBW_SIM_MODEL_BODY_H

#include "base/alloc.h"
#include "jbw/config.h"
#include "jbw/world.h"

/// How far an agent sees, and how much of that.
typedef struct jbw_eyes {
    int range;
    double field_of_view;
    bool has_occlusion;
} jbw_eyes;

/// The eyes of a body of a config, without tools.
jbw_eyes jbw_eyes_of_body(const jbw_config *config, size_t body);

/// Eyes after the keys of a body or tool.
jbw_eyes jbw_eyes_with(jbw_eyes eyes, const jbw_sight_keys *keys);

bool jbw_eyes_are_same(jbw_eyes a, jbw_eyes b);

/// Adds eyes to a list unless they are in it. False if there would be more than JBW_MAX_VIEWS.
bool jbw_eyes_add(jbw_eyes list[JBW_MAX_VIEWS], int *count, jbw_eyes eyes);

/// Lists all eyes that agents can have: those of all bodies first. False if there are more than
/// JBW_MAX_VIEWS of them; the list is then full.
bool jbw_eyes_list(const jbw_config *config, jbw_eyes list[JBW_MAX_VIEWS], int *count);

bool jbw_actions_are_same(const jbw_action *a, const jbw_action *b);

/// Whether a config's body has one of the config's actions.
bool jbw_config_body_can(const jbw_config *config, const jbw_body *body, size_t action);

typedef struct jbw_outlook jbw_outlook;

typedef struct jbw_body_model {
    const char *name;    // NULL for body 0
    const double *color; // (color_dimensions)
    const double *scent; // (scent_dimensions)
    jbw_eyes eyes;
    const jbw_outlook *view; // without tools
    const bool *can;         // (action_count)
} jbw_body_model;

typedef struct jbw_tool_model {
    int item_type;
    jbw_sight_keys sight;
} jbw_tool_model;

/// Fills in the bodies and tools of a model whose items and actions are there, except for views.
/// False when memory runs out.
bool jbw_bodies_build(jbw_model *model, const jbw_config *config);

/// The view of an agent with this body that carries these items: (type_count).
const jbw_outlook *jbw_bodies_view(const jbw_model *model, int body, const uint64_t *inventory);

#endif
