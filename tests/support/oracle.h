// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A slow and obvious world with agents, to compare the real one with. It does not generate the
/// map, but reads it from the real world. Everything else it does itself, with plain loops and
/// doubles: edits, agents, requests, steps, collecting and dropping, vision, scent.
///
///     generated items  ---- read from the world, patch by patch, before anything changes there
///     + changes        ---- kept here
///     = the map        ---- compared with the world
///
/// Repeat every call to the world here: each function returns the status that the world should have
/// returned. Then call `oracle_compare`. `problem` receives the first difference.
///
/// The oracle also knows the state that each patch must be in. It covers only patches within
/// `patch_radius` of the centre; agents and edits must stay one patch away from that border.
#ifndef JBW_TESTS_ORACLE_H
#define JBW_TESTS_ORACLE_H

#include "jbw/agent.h"
#include "jbw/config.h"
#include "jbw/world.h"

enum {
    ORACLE_MAX_AGENTS = 64,
    ORACLE_MAX_TYPES = 8,
    ORACLE_MAX_DIMENSIONS = 4,
    ORACLE_MAX_SYMBOLS = 8,
};

typedef struct oracle_agent {
    jbw_agent_id id;
    bool is_gone;
    jbw_agent_state state;
    uint64_t rank; // of its request: lower ones came earlier
    jbw_agent_result result;
    uint64_t inventory[ORACLE_MAX_TYPES];
    uint64_t ever[ORACLE_MAX_TYPES]; // what it has collected
    int heard[ORACLE_MAX_SYMBOLS];
    char text[JBW_MAX_TEXT + 1];      // of its request
    char collected[JBW_MAX_TEXT + 1]; // that it read when it last collected
} oracle_agent;

/// The scent around a source that has always emitted one unit.
typedef struct oracle_response {
    int radius;
    double *values; // (2 radius + 1, 2 radius + 1)
} oracle_response;

typedef struct oracle {
    const jbw_config *config;
    jbw_world *world; // read for what it generated, and for random winners

    // the covered cells; rows run up
    jbw_position corner; // the lowest cell
    int64_t side;
    int patch_side;
    uint8_t *generated;    // (side, side): 0 or type + 1
    uint8_t *actual;       // (side, side): with all changes
    uint8_t *is_changed;   // (side, side): ever touched
    uint64_t *due;         // (side, side): when a generated item is back, 0 if none grows
    char **texts;          // (side, side): NULL where there is none
    uint64_t grown_count;  // how many have grown back
    uint8_t *patch_states; // (patch_side, patch_side)
    uint8_t *is_settled;   // (patch_side, patch_side): it was final when read
    size_t *changed_cells;
    size_t changed_count;
    size_t changed_capacity;
    uint64_t sampling_count; // of the world when last read
    bool is_open;            // the latest call may have made more patches final than it had to

    oracle_agent agents[ORACLE_MAX_AGENTS]; // in the order in which they were added
    size_t agent_count;                     // including removed ones
    uint64_t next_rank;
    uint64_t time;

    // Scent is what the generated items have always emitted, plus what the changes have emitted: by
    // linearity D(t) = dC(t) + A D(t-1), where dC is the difference between the map and what was
    // generated, and A the decay and diffusion of the paper. `carried` is A D(t-1).
    oracle_response response;
    double *seasonal[ORACLE_MAX_TYPES]; // by type: the response at this time, if it has seasons
    double *carried;                    // (scent_dimensions, side, side)
    double *scratch;
    int64_t x0, x1, y0, y1; // all of `carried` outside this box, upper bounds excluded, is zero

    double scent_error; // the largest so far, relative to the tolerance
    char problem[512];  // empty if there is no difference
} oracle;

/// `config` and `world` must outlive the oracle. The world must be new, and may be replaced later by an
/// equal one.
oracle *oracle_create(const jbw_config *config, jbw_world *world, jbw_position centre_patch,
                      int patch_radius);
void oracle_destroy(oracle *o);

/// These need the result of the call, since only the world knows what is in patches that it has
/// just generated. They check it, and return the right status.
jbw_status oracle_add_agent(oracle *o, const jbw_agent_options *options, jbw_status status,
                            jbw_agent_id id);
jbw_status oracle_place_item(oracle *o, int item_type, jbw_position cell, jbw_status status);

jbw_status oracle_remove_agent(oracle *o, jbw_agent_id id);
jbw_status oracle_set_active(oracle *o, jbw_agent_id id, bool is_active);
jbw_status oracle_act(oracle *o, jbw_agent_id id, int action, bool *stepped);
jbw_status oracle_act_together(oracle *o, const jbw_agent_id *ids, const int *actions, size_t count,
                               bool *stepped);
jbw_status oracle_request_together(oracle *o, const jbw_agent_id *ids, const jbw_requests *requests,
                                   size_t count, bool *stepped);
void oracle_step(oracle *o);

/// Follows `oracle_place_item`: gives what was placed there a text, if that is possible.
jbw_status oracle_write(oracle *o, int item_type, jbw_position cell, const char *text);

/// The patch must be final.
jbw_status oracle_remove_item(oracle *o, jbw_position cell);

void oracle_explore(oracle *o, jbw_position cell);
void oracle_finalize_patch(oracle *o, jbw_position patch);

/// Would this action collect or drop an item, run into one, or bring two agents close to each other?
bool oracle_is_interesting(const oracle *o, const oracle_agent *agent, const jbw_action *action);

/// The agent with that id, or NULL.
oracle_agent *oracle_find(oracle *o, jbw_agent_id id);

jbw_patch_state oracle_patch_state(oracle *o, jbw_position patch);

/// What a cell holds, type + 1, or 0: as agents find it now, and in all seasons.
uint8_t oracle_item_at(const oracle *o, jbw_position cell);
uint8_t oracle_content_at(const oracle *o, jbw_position cell);

void oracle_vision(const oracle *o, const oracle_agent *agent, double *vision);
void oracle_scent(const oracle *o, jbw_position cell, double *scent);

/// The largest allowed difference of scents.
double oracle_scent_tolerance(const jbw_config *config);

/// Reads what was generated since, and compares: always the time, the agents, their inventories and
/// results, and the items around them; with `perceives` what they see and smell; with `is_thorough`
/// all cells. False if there is a difference.
bool oracle_compare(oracle *o, bool perceives, bool is_thorough);

/// Compares where generated items are with the biomes of the slow twin, in the world of that seed.
bool oracle_compare_space(oracle *o, uint64_t seed);

/// Compares all texts in cells that ever changed with what the world says about them.
bool oracle_compare_texts(oracle *o);

/// Compares the scent in one cell.
bool oracle_compare_scent(oracle *o, jbw_position cell);

/// The response to one unit of scent; the caller frees its values.
oracle_response oracle_response_make(double decay, double diffusion);

#endif
