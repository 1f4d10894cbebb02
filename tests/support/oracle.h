// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A slow, obvious world with agents, to hold the fast one against. It generates no map: it is told
/// what was generated, and keeps everything else by itself, in plain loops and doubles: edits,
/// agents, requests, steps, collecting and dropping, vision, scent.
///
///     what was generated  ---- read from the world, patch by patch, before anything changes there
///     + changes           ---- kept here
///     = what is there     ---- compared with the world
///
/// Tell it of every call right after the call: each verb returns the status that the world should
/// have returned. Then `oracle_compare`. The first thing that differs is told in `problem`.
///
/// It also knows in which state each patch must be. Only patches within `patch_radius` of the
/// centre are looked at; agents and edits must stay one patch away from that border.
#ifndef JBW_TESTS_ORACLE_H
#define JBW_TESTS_ORACLE_H

#include "jbw/agent.h"
#include "jbw/config.h"
#include "jbw/world.h"

enum { ORACLE_MAX_AGENTS = 64, ORACLE_MAX_TYPES = 8, ORACLE_MAX_DIMENSIONS = 4 };

typedef struct oracle_agent {
    jbw_agent_id id;
    bool is_gone;
    jbw_agent_state state;
    uint64_t rank; // of its request: lower ones came earlier
    jbw_agent_result result;
    uint64_t inventory[ORACLE_MAX_TYPES];
} oracle_agent;

// The scent that one unit, emitted in the middle at every time there ever was, leaves around it.
typedef struct oracle_response {
    int radius;
    double *values; // (2 radius + 1, 2 radius + 1)
} oracle_response;

typedef struct oracle {
    const jbw_config *config;
    jbw_world *world; // asked for what it generated, and for winners that it drew

    // the cells that are looked at; rows run up
    jbw_position corner; // the lowest cell
    int64_t side;
    int patch_side;
    uint8_t *generated;    // (side, side): 0 or type + 1
    uint8_t *actual;       // (side, side): with all changes
    uint8_t *is_changed;   // (side, side): ever touched
    uint8_t *patch_states; // (patch_side, patch_side)
    uint8_t *is_settled;   // (patch_side, patch_side): it was final when it was read
    size_t *changed_cells;
    size_t changed_count;
    size_t changed_capacity;
    uint64_t sampling_count; // of the world when it was last read
    bool is_open;            // the latest call may have made more patches final than it had to

    oracle_agent agents[ORACLE_MAX_AGENTS]; // in the order in which they were added
    size_t agent_count;                     // those that are gone, too
    uint64_t next_rank;
    uint64_t time;

    // Scent is what the generated items have spread since ever, plus what the changes have spread:
    // by linearity D(t) = dC(t) + A D(t-1), where dC is the difference between what is there and
    // what was generated, and A the paper's decay and diffusion. `carried` is A D(t-1).
    oracle_response response;
    double *carried; // (scent_dimensions, side, side)
    double *scratch;
    int64_t x0, x1, y0, y1; // all of `carried` outside this box, upper bounds excluded, is zero

    double scent_error; // the largest one found, in units of the tolerance
    char problem[512];  // empty while all is well
} oracle;

/// `config` and `world` must outlive it. The world must be new.
oracle *oracle_create(const jbw_config *config, jbw_world *world, jbw_position centre_patch,
                      int patch_radius);
void oracle_destroy(oracle *o);

/// Told how it went, since only the world knows what lies in patches that it has just generated:
/// each checks that this is right, and returns the status that would be.
jbw_status oracle_add_agent(oracle *o, const jbw_agent_options *options, jbw_status status,
                            jbw_agent_id id);
jbw_status oracle_place_item(oracle *o, int item_type, jbw_position cell, jbw_status status);

jbw_status oracle_remove_agent(oracle *o, jbw_agent_id id);
jbw_status oracle_set_active(oracle *o, jbw_agent_id id, bool is_active);
jbw_status oracle_act(oracle *o, jbw_agent_id id, int action, bool *stepped);
jbw_status oracle_act_together(oracle *o, const jbw_agent_id *ids, const int *actions, size_t count,
                               bool *stepped);
void oracle_step(oracle *o);

/// The patch must be final: what else would it have held?
jbw_status oracle_remove_item(oracle *o, jbw_position cell);

void oracle_explore(oracle *o, jbw_position cell);
void oracle_finalize_patch(oracle *o, jbw_position patch);

/// The agent with that id, or NULL.
oracle_agent *oracle_find(oracle *o, jbw_agent_id id);

jbw_patch_state oracle_patch_state(oracle *o, jbw_position patch);
uint8_t oracle_item_at(const oracle *o, jbw_position cell);

void oracle_vision(const oracle *o, const oracle_agent *agent, double *vision);
void oracle_scent(const oracle *o, jbw_position cell, double *scent);

/// By how much scents may differ.
double oracle_scent_tolerance(const jbw_config *config);

/// Reads what was generated since, and compares: always the time, the agents, what they carry and
/// did, and the items around them; with `perceives` what they see and smell; with `is_thorough` all
/// cells. False if there is a problem.
bool oracle_compare(oracle *o, bool perceives, bool is_thorough);

/// Compares the scent in one cell.
bool oracle_compare_scent(oracle *o, jbw_position cell);

/// The response of one unit of scent; free its values.
oracle_response oracle_response_make(double decay, double diffusion);

#endif
