// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "agents/route.h"

#include <string.h>

#include "base/alloc.h"
#include "base/rng.h"

// A plan looks at no more states than this for legs; more sequences than the beam keeps at each of
// so many lengths do not occur.
enum { MAX_LEG_LISTS = 1024, MAX_STOPS_PER_SEQUENCE = 64 };

// ---- init and deinit ----

static size_t cell_count(const jbw_route_planner *p)
{
    return (size_t)p->side * (size_t)p->side;
}

static size_t framed_count(const jbw_route_planner *p)
{
    return (size_t)(p->side + 2) * (size_t)(p->side + 2);
}

static size_t state_count(const jbw_route_planner *p)
{
    return 4 * framed_count(p);
}

static size_t entry_capacity(const jbw_route_planner *p)
{
    return state_count(p) * (size_t)p->most_edges + 1;
}

static size_t bucket_count(const jbw_route_planner *p)
{
    return (size_t)p->settings.horizon + 1;
}

static size_t stop_capacity(const jbw_route_planner *p)
{
    return (size_t)p->settings.beam * MAX_STOPS_PER_SEQUENCE + 1;
}

bool jbw_route_planner_init(jbw_route_planner *p, const jbw_model *model, int side,
                            jbw_route_settings settings)
{
    *p = (jbw_route_planner){.side = side, .settings = settings};
    p->allocator = jbw_model_allocator(model);
    p->edge_count = p->most_edges = jbw_path_edges(model, 0, p->edges);
    const jbw_allocator *a = &p->allocator;
    const size_t states = state_count(p);
    p->worth = jbw_alloc_zero(a, cell_count(p), sizeof *p->worth);
    p->is_blocked = jbw_alloc_zero(a, cell_count(p), sizeof *p->is_blocked);
    p->gains = jbw_alloc_zero(a, framed_count(p), sizeof *p->gains);
    p->enter_costs = jbw_alloc_zero(a, framed_count(p), sizeof *p->enter_costs);
    p->marks = jbw_alloc_zero(a, states, sizeof *p->marks);
    p->costs = jbw_alloc_zero(a, states, sizeof *p->costs);
    p->previous = jbw_alloc_zero(a, states, sizeof *p->previous);
    p->actions = jbw_alloc_zero(a, states, sizeof *p->actions);
    p->is_settled = jbw_alloc_zero(a, states, sizeof *p->is_settled);
    p->buckets = jbw_alloc_zero(a, bucket_count(p), sizeof *p->buckets);
    p->entries = jbw_alloc_zero(a, entry_capacity(p), sizeof *p->entries);
    p->legs_of = jbw_alloc_zero(a, states, sizeof *p->legs_of);
    p->legs = jbw_alloc_zero(a, MAX_LEG_LISTS, sizeof *p->legs);
    p->stops = jbw_alloc_zero(a, stop_capacity(p), sizeof *p->stops);
    p->candidates = jbw_alloc_zero(a, (size_t)settings.beam, sizeof *p->candidates);
    return p->worth && p->is_blocked && p->gains && p->enter_costs && p->marks && p->costs &&
           p->previous && p->actions && p->is_settled && p->buckets && p->entries && p->legs_of &&
           p->legs && p->stops && p->candidates;
}

void jbw_route_planner_deinit(jbw_route_planner *p)
{
    const jbw_allocator *a = &p->allocator;
    const size_t states = state_count(p);
    jbw_free(a, p->candidates, (size_t)p->settings.beam * sizeof *p->candidates);
    jbw_free(a, p->stops, stop_capacity(p) * sizeof *p->stops);
    jbw_free(a, p->legs, MAX_LEG_LISTS * sizeof *p->legs);
    jbw_free(a, p->legs_of, states * sizeof *p->legs_of);
    jbw_free(a, p->entries, entry_capacity(p) * sizeof *p->entries);
    jbw_free(a, p->buckets, bucket_count(p) * sizeof *p->buckets);
    jbw_free(a, p->is_settled, states * sizeof *p->is_settled);
    jbw_free(a, p->actions, states * sizeof *p->actions);
    jbw_free(a, p->previous, states * sizeof *p->previous);
    jbw_free(a, p->costs, states * sizeof *p->costs);
    jbw_free(a, p->marks, states * sizeof *p->marks);
    jbw_free(a, p->enter_costs, framed_count(p) * sizeof *p->enter_costs);
    jbw_free(a, p->gains, framed_count(p) * sizeof *p->gains);
    jbw_free(a, p->is_blocked, cell_count(p) * sizeof *p->is_blocked);
    jbw_free(a, p->worth, cell_count(p) * sizeof *p->worth);
    *p = (jbw_route_planner){0};
}

// ---- the map ----

// how many steps an item costs that is worth less than nothing: at least one
static int32_t toll(const jbw_route_planner *p, double worth)
{
    const double steps = -worth / p->settings.step_price;
    const double most = p->settings.horizon + 1.0;
    if (!(steps < most)) return (int32_t)most;
    return steps > 1.0 ? (int32_t)(steps + 0.5) : 1;
}

// copies the map into its frame
static void frame_map(jbw_route_planner *p)
{
    for (int row = 0; row < p->side; row++) {
        for (int column = 0; column < p->side; column++) {
            const int cell = row * p->side + column;
            const int framed = (row + 1) * (p->side + 2) + column + 1;
            const double worth = p->worth[cell];
            p->gains[framed] = worth > 0.0 ? worth : 0.0;
            p->enter_costs[framed] = p->is_blocked[cell] ? 0 : 1;
            if (!p->is_blocked[cell] && worth < 0.0) p->enter_costs[framed] += toll(p, worth);
        }
    }
}

// ---- searching for legs ----

static void push(jbw_route_planner *p, uint32_t state, int32_t cost, uint32_t from, uint8_t action)
{
    if (p->marks[state] == p->search && p->costs[state] <= cost) return;
    p->marks[state] = p->search;
    p->costs[state] = cost;
    p->previous[state] = from;
    p->actions[state] = action;
    p->is_settled[state] = false;
    p->entries[p->entry_count] = (jbw_route_entry){state, p->buckets[cost]};
    p->buckets[cost] = ++p->entry_count;
}

static void push_neighbors(jbw_route_planner *p, uint32_t state, int32_t cost)
{
    const uint32_t row = (uint32_t)p->side + 2;
    const uint32_t offsets[4] = {4 * row, 4, 0 - 4 * row,
                                 0 - UINT32_C(4)}; // of states, by direction
    for (int i = 0; i < p->edge_count; i++) {
        const jbw_path_edge *edge = &p->edges[i];
        const uint32_t direction = (state + edge->turns) % 4;
        uint32_t next = state - state % 4 + direction;
        int32_t next_cost = cost + 1;
        if (edge->is_move) {
            next = state + offsets[direction];
            const int32_t enter_cost = p->enter_costs[next / 4];
            if (enter_cost == 0) continue;
            next_cost = cost + enter_cost;
        }
        if (next_cost <= p->limit) push(p, next, next_cost, state, edge->action);
    }
}

// what a search looks for, by the state that it has just settled; true ends the search
typedef bool is_found_function(jbw_route_planner *p, uint32_t state, void *user);

// Settles states in order of cost, up to a limit that is at most the horizon. Returns whether
// something was found.
static bool search(jbw_route_planner *p, uint32_t start, int32_t limit, is_found_function *is_found,
                   void *user)
{
    p->limit = limit;
    if (++p->search == 0) { // after four billion searches
        memset(p->marks, 0, state_count(p) * sizeof *p->marks);
        p->search = 1;
    }
    p->entry_count = 0;
    memset(p->buckets, 0, bucket_count(p) * sizeof *p->buckets);
    push(p, start, 0, start, 0);
    for (int32_t cost = 0; cost <= limit; cost++) {
        while (p->buckets[cost]) {
            const jbw_route_entry entry = p->entries[p->buckets[cost] - 1];
            p->buckets[cost] = entry.next;
            if (p->is_settled[entry.state] || p->costs[entry.state] != cost) continue;
            p->is_settled[entry.state] = true;
            if (is_found(p, entry.state, user)) return true;
            push_neighbors(p, entry.state, cost);
        }
    }
    return false;
}

// Writes the actions that led to a state and returns their number, which is at most the horizon.
static int write_way(const jbw_route_planner *p, uint32_t start, uint32_t state, uint8_t *actions)
{
    int length = 0;
    for (uint32_t s = state; s != start; s = p->previous[s]) length++;
    int at = length;
    for (uint32_t s = state; s != start; s = p->previous[s]) actions[--at] = p->actions[s];
    return length;
}

static bool find_state(jbw_route_planner *p, uint32_t state, void *user)
{
    (void)p;
    return state == *(const uint32_t *)user;
}

// writes the way between two states and returns its length
static int find_way(jbw_route_planner *p, uint32_t from, uint32_t to, uint8_t *actions)
{
    return search(p, from, p->settings.horizon, find_state, &to) ? write_way(p, from, to, actions)
                                                                 : 0;
}

// ---- legs ----

typedef struct leg_search {
    uint32_t start;
    int limit;
    jbw_route_legs *legs;
} leg_search;

// Notes an item that was entered by a move. An item that was entered in one direction and then
// turned around on is the same leg; turning is a part of the next one.
static bool note_leg(jbw_route_planner *p, uint32_t state, void *user)
{
    leg_search *s = user;
    const uint32_t from = p->previous[state];
    const bool was_moved = from / 4 != state / 4;
    if (!was_moved || state / 4 == s->start / 4 || !(p->gains[state / 4] > 0.0)) return false;
    s->legs->legs[s->legs->count++] = (jbw_route_leg){state, p->costs[state]};
    return s->legs->count == s->limit;
}

// The legs from a state that cost no more than a limit, and maybe more; NULL if the plan has looked
// at too many states already.
static const jbw_route_legs *legs_from(jbw_route_planner *p, uint32_t state, int32_t limit)
{
    uint32_t index = p->legs_of[state];
    const bool is_known = index < p->legs_count && p->legs[index].state == state;
    if (is_known && p->legs[index].limit >= limit) return &p->legs[index];
    if (!is_known) {
        if (p->legs_count == MAX_LEG_LISTS) return NULL;
        index = p->legs_count++;
        p->legs_of[state] = index;
    }
    jbw_route_legs *legs = &p->legs[index];
    legs->state = state;
    legs->limit = limit;
    legs->count = 0;
    leg_search looking = {state, p->settings.legs, legs};
    // a full list has all that a wider search would find first
    if (search(p, state, limit, note_leg, &looking)) legs->limit = p->settings.horizon;
    return legs;
}

// ---- sequences ----

// a number per cell, so that the sum over a set of cells tells sets apart
static uint64_t cell_number(uint32_t cell)
{
    return jbw_mix64(cell + UINT64_C(0x9e3779b97f4a7c15));
}

static bool has_collected(const jbw_route_planner *p, uint32_t stop, uint32_t cell)
{
    for (; stop > 0; stop = p->stops[stop].before)
        if (p->stops[stop].state / 4 == cell) return true;
    return false;
}

// Adds a candidate to the beam unless it is too bad, or worse than one like it. Returns the number
// of candidates, which stay sorted, best first; of equals, the earlier one is first.
static int offer(jbw_route_planner *p, int count, jbw_route_stop offered)
{
    jbw_route_stop *list = p->candidates;
    int hole = count; // the place that becomes free
    for (int i = 0; i < count; i++) {
        if (list[i].state != offered.state || list[i].cell_set != offered.cell_set) continue;
        if (list[i].worth >= offered.worth) return count;
        hole = i;
        break;
    }
    if (hole == count) {
        if (count == p->settings.beam) {
            if (list[count - 1].worth >= offered.worth) return count;
            hole = count - 1;
        } else {
            count++;
        }
    }
    for (; hole > 0 && list[hole - 1].worth < offered.worth; hole--) list[hole] = list[hole - 1];
    list[hole] = offered;
    return count;
}

static int extend(jbw_route_planner *p, uint32_t index, int count)
{
    const jbw_route_stop stop = p->stops[index];
    const jbw_route_legs *legs = legs_from(p, stop.state, p->settings.horizon - stop.cost);
    for (int i = 0; legs && i < legs->count; i++) {
        const jbw_route_leg *leg = &legs->legs[i];
        const uint32_t cell = leg->state / 4;
        const int32_t cost = stop.cost + leg->cost;
        if (cost > p->settings.horizon || has_collected(p, index, cell)) continue;
        jbw_route_stop next = {.cell_set = stop.cell_set + cell_number(cell),
                               .before = index,
                               .state = leg->state,
                               .cost = cost};
        const double price = p->settings.step_price * leg->cost;
        next.worth = stop.worth + p->gains[cell];
        next.worth -= price;
        count = offer(p, count, next);
    }
    return count;
}

// Finds the best sequence of items, and returns its index, or 0.
static uint32_t find_sequence(jbw_route_planner *p, uint32_t start)
{
    p->legs_count = 0;
    p->stops[0] = (jbw_route_stop){.state = start};
    uint32_t begin = 0;
    uint32_t end = 1;
    uint32_t best = 0;
    for (int length = 0; length < MAX_STOPS_PER_SEQUENCE && begin < end; length++) {
        int count = 0;
        for (uint32_t i = begin; i < end; i++) count = extend(p, i, count);
        begin = end;
        for (int i = 0; i < count; i++) p->stops[end++] = p->candidates[i];
        if (begin < end && (best == 0 || p->stops[begin].worth > p->stops[best].worth))
            best = begin;
    }
    return best;
}

// ---- planning ----

static uint32_t start_of(const jbw_route_planner *p, jbw_direction direction)
{
    return 4 * (uint32_t)(framed_count(p) / 2) + (uint32_t)direction;
}

// writes the way of a sequence
static int write_sequence(jbw_route_planner *p, uint32_t index, uint8_t *actions)
{
    if (index == 0) return 0;
    const uint32_t before = p->stops[index].before;
    const int length = write_sequence(p, before, actions);
    return length + find_way(p, p->stops[before].state, p->stops[index].state, actions + length);
}

static int plan(jbw_route_planner *p, jbw_direction direction, bool all, uint8_t *actions,
                double *worth)
{
    frame_map(p);
    uint32_t index = find_sequence(p, start_of(p, direction));
    if (worth) *worth = p->stops[index].worth;
    while (!all && p->stops[index].before != 0) index = p->stops[index].before;
    return write_sequence(p, index, actions);
}

int jbw_route_plan(jbw_route_planner *p, jbw_direction direction, uint8_t *actions, double *worth)
{
    return plan(p, direction, false, actions, worth);
}

int jbw_route_plan_all(jbw_route_planner *p, jbw_direction direction, uint8_t *actions,
                       double *worth)
{
    return plan(p, direction, true, actions, worth);
}

// ---- leaving ----

enum {
    STEPS_PER_CELL_AWAY = 4
}; // that a place may cost more for each cell that it is farther away

typedef struct leave_search {
    const jbw_position *trail;
    int trail_length;
    uint32_t best;
    int64_t most; // what the best is worth, in steps
} leave_search;

static int64_t taxicab(int64_t right, int64_t up)
{
    return (right < 0 ? -right : right) + (up < 0 ? -up : up);
}

// Remembers the best state that a move led to; of equals, the cheapest. Looks at all of them.
static bool note_place(jbw_route_planner *p, uint32_t state, void *user)
{
    leave_search *s = user;
    if (p->previous[state] / 4 == state / 4) return false;
    const int64_t right = (int64_t)(state / 4) % (p->side + 2) - (p->side + 2) / 2;
    const int64_t up = (int64_t)(state / 4) / (p->side + 2) - (p->side + 2) / 2;
    int64_t distance = taxicab(right, up);
    for (int i = 0; i < s->trail_length; i++) {
        const int64_t other = taxicab(right - s->trail[i].x, up - s->trail[i].y);
        if (other < distance) distance = other;
    }
    const int64_t worth = STEPS_PER_CELL_AWAY * distance - p->costs[state];
    if (worth <= s->most) return false;
    s->most = worth;
    s->best = state;
    return false;
}

int jbw_route_leave(jbw_route_planner *p, jbw_direction direction, const jbw_position *trail,
                    int trail_length, uint8_t *actions)
{
    frame_map(p);
    const uint32_t start = start_of(p, direction);
    leave_search looking = {trail, trail_length, start, INT64_MIN};
    search(p, start, p->settings.horizon, note_place, &looking);
    return write_way(p, start, looking.best, actions);
}
