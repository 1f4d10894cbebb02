// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The greedy agent of the paper. It looks for cells in the colour of the item with the highest
// reward, takes a shortest path to one of them around obstacles, and keeps to it unless it sees a
// shorter one. With nothing in sight it moves straight ahead, and turns at random where it cannot.
//
// Where items are collected by an action only, it takes that action when it has arrived. It does not
// look for items that it could not collect, for lack of what they cost. It takes no action that its
// body lacks, and knows how it sees with its body and its tools.

#include "agents/path.h"
#include "agents/policy.h"
#include "base/alloc.h"
#include "base/error.h"

// Colours in vision are rounded to float: how much they may differ from a multiple of an item's,
// relative to their length.
static const double tolerance = 1e-5;

typedef struct greedy {
    jbw_policy base;
    int type_count;
    double *color_squares; // (type_count): squared lengths
    uint64_t *inventory;   // (type_count): where the observation of what it carries goes

    // what the current reward says about the item types
    int target;          // the type to look for, or -1
    uint8_t *is_avoided; // (type_count)

    jbw_path_finder finder;
    uint8_t *path; // actions
    size_t path_begin;
    size_t path_end;

    // what its body has
    int body;
    int moves[4]; // actions by quarter turns to the right, or -1
    int turns[2]; // actions that turn left or right
    int turn_count;
    bool has_way;     // it can go wherever it wants
    bool can_collect; // false: where items are collected by an action, its body lacks it

    int heading; // where it wanders without turns: an index of `moves`

    int collect;      // the action, or -1 if entering a cell is enough
    bool has_arrived; // at the end of a path, where `collect` comes next
} greedy;

// ---- init and deinit ----

// notes what a body has; false if the agent cannot go wherever it wants
static bool find_actions(greedy *g, int body)
{
    static const jbw_action_kind move_kinds[4] = {JBW_ACTION_MOVE_FORWARD, JBW_ACTION_MOVE_RIGHT,
                                                  JBW_ACTION_MOVE_BACKWARD, JBW_ACTION_MOVE_LEFT};
    static const jbw_action_kind turn_kinds[2] = {JBW_ACTION_TURN_LEFT, JBW_ACTION_TURN_RIGHT};
    const jbw_model *model = g->base.model;
    bool has_all_moves = true;
    g->body = body;
    for (int i = 0; i < 4; i++) {
        g->moves[i] = jbw_policy_find_able(model, body, move_kinds[i]);
        if (g->moves[i] < 0) has_all_moves = false;
    }
    g->turn_count = 0;
    for (int i = 0; i < 2; i++) {
        const int action = jbw_policy_find_able(model, body, turn_kinds[i]);
        if (action >= 0) g->turns[g->turn_count++] = action;
    }
    const int around = jbw_policy_find_able(model, body, JBW_ACTION_TURN_AROUND);
    if (g->turn_count == 0 && around >= 0) g->turns[g->turn_count++] = around;
    g->can_collect = g->collect < 0 || jbw_model_body_can(model, body, g->collect);
    g->has_way = has_all_moves || (g->moves[0] >= 0 && g->turn_count > 0);
    return g->has_way;
}

// an agent never changes its body, but a policy does not know it before it acts
static void meet_body(greedy *g, int body)
{
    if (body == g->body) return;
    find_actions(g, body);
    g->finder.edge_count = jbw_path_edges(g->base.model, body, g->finder.edges);
}

static jbw_status init(jbw_policy *policy, const jbw_policy_options *options, jbw_error *error)
{
    (void)options;
    greedy *g = (greedy *)policy;
    const jbw_model *model = policy->model;
    const bool is_manual = jbw_model_collection(model) == JBW_COLLECTION_MANUAL;
    g->collect = is_manual ? jbw_policy_find_action(model, JBW_ACTION_COLLECT) : -1;
    if (!find_actions(g, 0)) {
        jbw_error_set(error, 0, 0,
                      "the policy 'greedy' needs the action MoveForward and a turn, or all four "
                      "moves, which this world does not have");
        return JBW_UNSUPPORTED;
    }
    g->target = -1;
    g->type_count = jbw_model_item_type_count(model);
    const size_t count = (size_t)g->type_count;
    g->inventory = jbw_alloc_zero(&policy->allocator, count, sizeof *g->inventory);
    g->color_squares = jbw_alloc_zero(&policy->allocator, count, sizeof *g->color_squares);
    g->is_avoided = jbw_alloc_zero(&policy->allocator, count, sizeof *g->is_avoided);
    if (!jbw_path_finder_init(&g->finder, model) || !g->inventory || !g->color_squares ||
        !g->is_avoided)
        return JBW_OUT_OF_MEMORY;
    g->path = jbw_alloc_zero(&policy->allocator, jbw_path_finder_state_count(&g->finder), 1);
    if (!g->path) return JBW_OUT_OF_MEMORY;
    for (int t = 0; t < g->type_count; t++) {
        const double *color = jbw_model_item_color(model, t);
        for (int d = 0; d < jbw_model_color_dimensions(model); d++)
            g->color_squares[t] += color[d] * color[d];
    }
    return JBW_OK;
}

static void deinit(jbw_policy *policy)
{
    greedy *g = (greedy *)policy;
    const size_t count = (size_t)g->type_count;
    jbw_free(&policy->allocator, g->path, jbw_path_finder_state_count(&g->finder));
    jbw_path_finder_deinit(&g->finder, policy->model);
    jbw_free(&policy->allocator, g->is_avoided, count * sizeof *g->is_avoided);
    jbw_free(&policy->allocator, g->color_squares, count * sizeof *g->color_squares);
    jbw_free(&policy->allocator, g->inventory, count * sizeof *g->inventory);
}

static jbw_observation wants(jbw_policy *policy, size_t agent)
{
    (void)agent;
    return (jbw_observation){.vision = policy->vision,
                             .inventory = ((greedy *)policy)->inventory,
                             .body = jbw_policy_body(policy)};
}

// ---- what to look for ----

// Follows the current reward, and what the agent carries, if that is known. If the aims change, the
// path is dropped.
static void update_aims(greedy *g, uint64_t time, const uint64_t *inventory)
{
    int target = -1;
    double best = 0.0;
    bool has_changed = false;
    for (int t = 0; t < g->type_count; t++) {
        const bool blocks = jbw_model_item_blocks(g->base.model, t);
        const double value =
            g->base.reward ? jbw_reward_of_collecting(g->base.reward, time, t) : 0.0;
        const uint8_t is_avoided = blocks || value < 0.0;
        if (is_avoided != g->is_avoided[t]) has_changed = true;
        g->is_avoided[t] = is_avoided;
        // an item that blocks can never be collected
        if (blocks || !g->can_collect || !(value > best)) continue;
        if (inventory && !jbw_model_item_is_payable(g->base.model, t, inventory, NULL)) continue;
        best = value;
        target = t;
    }
    if (target != g->target) has_changed = true;
    g->target = target;
    if (!has_changed) return;
    g->path_begin = g->path_end = 0;
    g->has_arrived = false;
}

// ---- what is seen ----

// whether a colour is a positive multiple of the type's colour, up to rounding
static bool matches(const greedy *g, const float *seen, double seen_square, int type)
{
    const double *color = jbw_model_item_color(g->base.model, type);
    const int dimensions = jbw_model_color_dimensions(g->base.model);
    double product = 0.0;
    for (int d = 0; d < dimensions; d++) product += (double)seen[d] * color[d];
    if (!(product > 0.0)) return false;
    const double scale = product / g->color_squares[type];
    double rest = 0.0;
    for (int d = 0; d < dimensions; d++) {
        const double difference = (double)seen[d] - scale * color[d];
        rest += difference * difference;
    }
    return rest <= tolerance * tolerance * seen_square;
}

static jbw_cell_mark mark_of(const greedy *g, const float *seen)
{
    double square = 0.0;
    for (int d = 0; d < jbw_model_color_dimensions(g->base.model); d++)
        square += (double)seen[d] * (double)seen[d];
    if (square == 0.0) return JBW_CELL_FREE;
    for (int t = 0; t < g->type_count; t++)
        if (g->is_avoided[t] && matches(g, seen, square, t)) return JBW_CELL_OBSTACLE;
    return g->target >= 0 && matches(g, seen, square, g->target) ? JBW_CELL_TARGET : JBW_CELL_FREE;
}

// Marks all cells of the visual field; those out of view are obstacles. The agent's own cell is not
// a target, because it cannot be entered from itself. Returns whether there is a target.
static bool mark_cells(greedy *g, const float *vision, const uint64_t *inventory)
{
    const double *view = jbw_model_view(g->base.model, g->body, inventory);
    const int dimensions = jbw_model_color_dimensions(g->base.model);
    const int cell_count = g->finder.side * g->finder.side;
    bool has_target = false;
    for (int i = 0; i < cell_count; i++) {
        jbw_cell_mark mark = JBW_CELL_OBSTACLE;
        if (view[i] > 0.0)
            mark = vision ? mark_of(g, vision + (ptrdiff_t)dimensions * i) : JBW_CELL_FREE;
        if (i == cell_count / 2) mark = JBW_CELL_FREE;
        if (mark == JBW_CELL_TARGET) has_target = true;
        g->finder.marks[i] = (uint8_t)mark;
    }
    return has_target;
}

// ---- acting ----

static bool is_obstacle(const greedy *g, int turns)
{
    const int cell = jbw_path_finder_neighbor(&g->finder, turns);
    return cell >= 0 && g->finder.marks[cell] == JBW_CELL_OBSTACLE;
}

// A body that cannot go wherever it wants moves where it can, or turns, or does what it has.
static int stumble(const greedy *g)
{
    for (int i = 0; i < 4; i++)
        if (g->moves[i] >= 0 && !is_obstacle(g, i)) return g->moves[i];
    if (g->turn_count > 0) return g->turns[0];
    return jbw_policy_first_able(g->base.model, g->body);
}

// Moves ahead while the way is free, and turns otherwise. (The paper's pseudocode swaps the two
// branches; docs/policies.md explains why that is a mistake.)
static int wander(greedy *g)
{
    if (!g->has_way) return stumble(g);
    if (g->turn_count > 0) {
        if (!is_obstacle(g, 0)) return g->moves[0];
        return g->turn_count == 1 ? g->turns[0] : g->turns[jbw_rng_below(&g->base.rng, 2)];
    }
    // without turns there are all four moves, and the heading turns instead, at once
    if (is_obstacle(g, g->heading)) {
        const int side = jbw_rng_below(&g->base.rng, 2) == 0 ? 3 : 1;
        if (!is_obstacle(g, g->heading + side))
            g->heading += side;
        else if (!is_obstacle(g, g->heading + 4 - side))
            g->heading += 4 - side;
        else
            g->heading += 2;
        g->heading %= 4;
    }
    return g->moves[g->heading];
}

static int act(jbw_policy *policy, uint64_t time, const jbw_observation *seen)
{
    greedy *g = (greedy *)policy;
    meet_body(g, jbw_policy_body_of(policy, seen));
    update_aims(g, time, seen->inventory);
    if (g->has_arrived) {
        g->has_arrived = false;
        return g->collect;
    }
    if (mark_cells(g, seen->vision, seen->inventory)) {
        // only a path shorter than the rest of the current one matters
        const size_t left = g->path_end - g->path_begin;
        const size_t limit = left > 0 ? left : SIZE_MAX;
        const size_t length = jbw_path_find(&g->finder, limit, g->path);
        if (length > 0) {
            g->path_begin = 0;
            g->path_end = length;
        }
    }
    if (g->path_begin == g->path_end) return wander(g);
    const int action = g->path[g->path_begin++];
    if (!jbw_model_body_can(policy->model, g->body, action)) { // the path of another agent
        g->path_begin = g->path_end = 0;
        return wander(g);
    }
    g->has_arrived = g->collect >= 0 && g->path_begin == g->path_end;
    return action;
}

// ---- saving ----

enum { ARRIVED = 4 }; // is added to the heading

static void save(const jbw_policy *policy, jbw_writer *writer)
{
    const greedy *g = (const greedy *)policy;
    jbw_write_varint(writer, (uint64_t)g->type_count);
    jbw_write_varint(writer, (uint64_t)g->target + 1); // 0 is none
    jbw_write_bytes(writer, g->is_avoided, (size_t)g->type_count);
    jbw_write_varint(writer, (uint64_t)g->heading + (g->has_arrived ? ARRIVED : 0));
    jbw_write_varint(writer, g->path_end - g->path_begin);
    jbw_write_bytes(writer, g->path + g->path_begin, g->path_end - g->path_begin);
}

// copies bytes, none of which may exceed `largest`
static void read_small(jbw_reader *reader, uint8_t *out, size_t count, int largest)
{
    const uint8_t *bytes = jbw_read_bytes(reader, count);
    for (size_t i = 0; bytes && i < count; i++) {
        if (bytes[i] > largest) reader->ok = false;
        out[i] = bytes[i];
    }
}

static void load(jbw_policy *policy, jbw_reader *reader)
{
    greedy *g = (greedy *)policy;
    const uint64_t type_count = jbw_read_varint(reader);
    const uint64_t target = jbw_read_varint(reader);
    if (type_count != (uint64_t)g->type_count || target > type_count) reader->ok = false;
    if (!reader->ok) return;
    read_small(reader, g->is_avoided, (size_t)type_count, 1);
    const uint64_t heading = jbw_read_varint(reader);
    const size_t length = jbw_read_count(reader, 1);
    if (heading >= (g->collect >= 0 ? 2 * ARRIVED : ARRIVED) ||
        length > jbw_path_finder_state_count(&g->finder))
        reader->ok = false;
    if (!reader->ok) return;
    read_small(reader, g->path, length, jbw_model_action_count(policy->model) - 1);
    g->target = (int)target - 1;
    g->heading = (int)(heading % ARRIVED);
    g->has_arrived = heading >= ARRIVED;
    g->path_begin = 0;
    g->path_end = length;
}

const jbw_policy_kind jbw_policy_greedy = {.name = "greedy",
                                           .size = sizeof(greedy),
                                           .sees = true,
                                           .init = init,
                                           .deinit = deinit,
                                           .wants = wants,
                                           .act = act,
                                           .save = save,
                                           .load = load};
