// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Plans routes over a known map: which items to collect, in which order, and every action on the
/// way. It is the orienteering problem, with turns that take time, walls, and items that cost
/// something to step on:
///
///     . . B . #        B is worth 1, x costs 1, # blocks. The agent ^ has 9 steps: forward,
///     . x . . #        forward, right, forward for the lower B; then left, forward, left, ... for
///     . . . B #        the upper one, around x.
///     . ^ . . .
///
/// A route is worth what it collects, less what each step costs (`step_price`: steps can be spent
/// elsewhere). The best one is NP-hard to find. This search is in two layers:
///
/// - Legs. From the agent, and from each item as entered in each direction, Dijkstra's algorithm
///   over cells and directions finds the cheapest ways to the nearest items. An item that costs
///   something is a long way, as many steps as its cost buys.
/// - Sequences. A beam search appends leg to leg, and keeps the `beam` best sequences of each
///   number of items; of two that have collected the same items and end alike, the better one.
///
/// With a beam and a number of legs that never fill up, the result is optimal, except that it pays
/// twice for an item to avoid that it crosses twice; tests compare it with trying all actions.
#ifndef JBW_AGENTS_ROUTE_H
#define JBW_AGENTS_ROUTE_H

#include "agents/path.h"

enum { JBW_ROUTE_MAX_LEGS = 32 };

/// How far and how thoroughly to search.
typedef struct jbw_route_settings {
    int horizon;       // steps that a route may take, where crossing an item counts as its price
    int beam;          // sequences that are kept
    int legs;          // items that are tried next after each, at most JBW_ROUTE_MAX_LEGS
    double step_price; // what a step costs, above zero
} jbw_route_settings;

/// The way from one state to an item.
typedef struct jbw_route_leg {
    uint32_t state; // in which the item is entered
    int32_t cost;   // in steps
} jbw_route_leg;

/// The legs from a state.
typedef struct jbw_route_legs {
    uint32_t state;
    int32_t limit; // of their costs
    int count;
    jbw_route_leg legs[JBW_ROUTE_MAX_LEGS];
} jbw_route_legs;

/// A sequence of items: the last one, and the sequence before it.
typedef struct jbw_route_stop {
    double worth;      // of all items, less the price of all steps
    uint64_t cell_set; // a hash of the set of its cells
    uint32_t before;   // index of the sequence without the last item; 0 is the agent's place
    uint32_t state;
    int32_t cost;
} jbw_route_stop;

/// A state that waits for its turn in a search.
typedef struct jbw_route_entry {
    uint32_t state;
    uint32_t next; // in the same bucket, plus one
} jbw_route_entry;

/// The map, and the working memory of the search. Cells of the map are counted from the lowest row,
/// as in `jbw_world_read_region`. The search has a blocked frame around it, so that no step leads
/// out of its arrays: its rows are two cells longer. A state is a cell of it and a direction:
/// 4 cell + direction.
typedef struct jbw_route_planner {
    int side;
    jbw_route_settings settings;
    jbw_path_edge edges[JBW_MAX_PATH_EDGES];
    int edge_count;
    int most_edges; // for which there is room
    jbw_allocator allocator;

    // the map, filled by the caller
    double *worth;    // (side x side): what entering a cell pays
    bool *is_blocked; // (side x side)

    // the map within its frame
    double *gains;        // (framed cells): what items to collect pay
    int32_t *enter_costs; // (framed cells): in steps, with what items to avoid cost; 0: blocked

    // one search for legs; what is marked with another search is old
    uint32_t search;
    int32_t limit;            // of costs
    uint32_t *marks;          // (states): the latest search that reached it
    int32_t *costs;           // (states)
    uint32_t *previous;       // (states)
    uint8_t *actions;         // (states)
    bool *is_settled;         // (states)
    uint32_t *buckets;        // (horizon + 1): entries by cost, plus one
    jbw_route_entry *entries; // (states x edges + 1)
    uint32_t entry_count;

    // one plan
    uint32_t *legs_of;          // (states): index of its legs, if those are its own
    jbw_route_legs *legs;       // (MAX_LEG_LISTS)
    uint32_t legs_count;        // of this plan
    jbw_route_stop *stops;      // (stop_capacity)
    jbw_route_stop *candidates; // (beam), best first
} jbw_route_planner;

/// Prepares for a square map of odd side and the actions of a model. False if memory runs out;
/// deinit it even then.
bool jbw_route_planner_init(jbw_route_planner *planner, const jbw_model *model, int side,
                            jbw_route_settings settings);
void jbw_route_planner_deinit(jbw_route_planner *planner);

/// Plans from the middle, facing `direction`. Writes the actions up to the first item to `actions`,
/// and returns how many there are, at most the horizon; 0 if there is no item within reach. `worth`
/// (may be NULL) receives what the whole route is worth.
int jbw_route_plan(jbw_route_planner *planner, jbw_direction direction, uint8_t *actions,
                   double *worth);

/// The same, with the actions of the whole route.
int jbw_route_plan_all(jbw_route_planner *planner, jbw_direction direction, uint8_t *actions,
                       double *worth);

/// Where no item is within reach: the way to the cell within the horizon that is farthest from all
/// places of a trail, and from the middle. Each cell of that distance is worth a few steps of the way,
/// so a place that is somewhat nearer but much cheaper to reach is better. So it leaves dead ends and
/// rooms that it has searched, at last even over items to avoid. Places are relative to the middle.
/// Returns 0 if the agent can do nothing.
int jbw_route_leave(jbw_route_planner *planner, jbw_direction direction, const jbw_position *trail,
                    int trail_length, uint8_t *actions);

#endif
