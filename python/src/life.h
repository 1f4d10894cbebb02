// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What Env and Team tell Python about each of their agents after a step: its observation, its
/// reward and its info.
#ifndef JBW_PYTHON_LIFE_H
#define JBW_PYTHON_LIFE_H

#include "core.h"

/// What infos contain: everything in words, everything as numbers, or nothing.
typedef enum core_info_kind { CORE_INFO_FULL, CORE_INFO_NUMBERS, CORE_INFO_NONE } core_info_kind;

/// A kind by its name: "full", "numbers" or "none"; false with an exception.
bool core_to_info_kind(core_state *state, const char *name, core_info_kind *out);

/// What an info tells, besides the inventory.
typedef struct core_facts {
    int64_t position[2];
    int64_t start[2];
    uint64_t time;
    int32_t collected;
    uint8_t direction;
    uint8_t outcome;
    uint8_t body;
} core_facts;

/// An agent, as its environment tells about it.
typedef struct core_life {
    core_model *model;
    core_reward *reward; // or NULL
    jbw_agent_id id;
    core_layout layout;
    core_info_kind info_kind;
    bool has_bodies; // infos tell what the agent can do

    // A full info is a copy of the latest one in which only what has changed was replaced: most of
    // it stays the same from step to step.
    PyObject *info;      // a dict, or NULL before the first info
    PyObject *inventory; // a dict, copied into each info
    core_facts told;     // what `info` says
    uint64_t *counts;    // (item types): what `inventory` says
    uint64_t *latest;    // (item types): the inventory after the latest step
    PyObject *name;      // the text of a scheduled reward in force

    char text[JBW_MAX_TEXT + 1]; // waits for an action that drops what may carry it; or empty
} core_life;

/// Adds the text that waits to a request if it fits; `core_life_end_request` follows when it was made.
void core_life_begin_request(const core_life *life, jbw_request *request);
void core_life_end_request(core_life *life, const char *text);

/// Sets that text. Returns None, or NULL with an exception.
PyObject *core_life_write(core_life *life, core_state *state, PyObject *text);

/// Fills in a life that is all zero, without an agent. `reward` is a Reward or None; `parts` maps
/// keys to names of parts. False with an exception; it must be deinitialized in any case.
bool core_life_init(core_life *life, core_state *state, core_model *model, PyObject *reward,
                    PyObject *parts, core_form form, bool copies, core_info_kind info_kind);
void core_life_deinit(core_life *life);

/// The moment after a step.
typedef struct core_moment {
    core_observation observation;
    double reward;
    uint64_t result_time; // after the agent's latest step; 0 if there was none
    core_facts facts;     // unless the observation has that part as well
} core_moment;

/// Prepares a moment, with an observation in new arrays or in those of the layout; false with an
/// exception.
bool core_moment_begin(core_moment *now, core_life *life, bool is_new);

/// Looks at the world. Needs no interpreter. On failure, drop the moment.
jbw_status core_moment_look(core_moment *now, const core_life *life, jbw_world *world);

/// The observation and the info (either pointer may be NULL), after which the moment is over; false
/// with an exception.
bool core_moment_finish(core_moment *now, core_life *life, core_state *state,
                        PyObject **observation, PyObject **info);
void core_moment_drop(core_moment *now);

#endif
