// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// A reference for others: it looks at the map instead of perceiving, as far around itself as the
// map is sure to be final, and plans its route (agents/route.h). It takes the way to the first item
// of its plan, then plans again.

#include <stdlib.h>
#include <string.h>

#include "agents/policy.h"
#include "agents/route.h"
#include "base/alloc.h"
#include "base/error.h"

enum {
    MAX_HALF_SIDE = 31, // of the square that it looks at
    TRAIL_LENGTH = 512, // places that it remembers
};

typedef struct oracle_settings {
    int horizon;
    int beam;
    int legs;
    double item_steps;
} oracle_settings;

typedef struct oracle {
    jbw_policy base;
    oracle_settings settings;
    jbw_route_planner planner;
    uint8_t *items; // (side x side): what is around it
    int type_count;
    double *values; // (type_count): what the path was planned for

    uint8_t *path; // (horizon): actions
    size_t path_begin;
    size_t path_end;

    int body; // that the planner knows the moves of

    // where the latest action should have led; if it did not, something is in the way
    bool has_acted;
    jbw_position expected;

    // Where it knew of nothing to collect, the oldest first. Without them it would walk to and fro
    // where it has collected everything: all that it does would follow from what is around it. It
    // remembers them when it has found something again: that may have been the last item there.
    jbw_position trail[TRAIL_LENGTH];
    int trail_length;
} oracle;

#define INTEGER(name, field, least, most, about)                                                 \
    {                                                                                            \
        name, JBW_SETTING_INTEGER, offsetof(oracle_settings, field), least, most, 0, {0}, about, \
            false                                                                                \
    }

static const jbw_setting settings_table[] = {
    INTEGER("horizon", horizon, 1, 1000, "steps of a plan"),
    INTEGER("beam", beam, 1, 1024, "sequences of items that a plan keeps of each length"),
    INTEGER("legs", legs, 1, JBW_ROUTE_MAX_LEGS, "items that it tries next after each"),
    {"item_steps",
     JBW_SETTING_NUMBER,
     offsetof(oracle_settings, item_steps),
     1,
     1000,
     0,
     {0},
     "steps that the best item is worth",
     false},
    {0},
};

// ---- init and deinit ----

static jbw_status init(jbw_policy *policy, const jbw_policy_options *options, jbw_error *error)
{
    oracle *o = (oracle *)policy;
    o->settings = (oracle_settings){.horizon = 40, .beam = 8, .legs = 6, .item_steps = 10.0};
    for (size_t i = 0; i < options->setting_count; i++) {
        const jbw_status status =
            jbw_setting_read(settings_table, &options->settings[i], &o->settings, error);
        if (status) return status;
    }
    int half_side = (jbw_model_patch_size(policy->model) - 1) / 2;
    if (half_side < 1) half_side = 1;
    if (half_side > MAX_HALF_SIDE) half_side = MAX_HALF_SIDE;
    const int side = 2 * half_side + 1;
    const jbw_route_settings wanted = {.horizon = o->settings.horizon,
                                       .beam = o->settings.beam,
                                       .legs = o->settings.legs,
                                       .step_price = 1.0};
    const bool has_planner = jbw_route_planner_init(&o->planner, policy->model, side, wanted);
    o->type_count = jbw_model_item_type_count(policy->model);
    o->items = jbw_alloc_zero(&policy->allocator, (size_t)side * (size_t)side, 1);
    o->values = jbw_alloc_zero(&policy->allocator, (size_t)o->type_count, sizeof *o->values);
    o->path = jbw_alloc_zero(&policy->allocator, (size_t)o->settings.horizon, 1);
    return has_planner && o->items && o->values && o->path ? JBW_OK : JBW_OUT_OF_MEMORY;
}

static void deinit(jbw_policy *policy)
{
    oracle *o = (oracle *)policy;
    const size_t side = (size_t)o->planner.side;
    if (side == 0) return; // settings were refused
    jbw_free(&policy->allocator, o->path, (size_t)o->settings.horizon);
    jbw_free(&policy->allocator, o->values, (size_t)o->type_count * sizeof *o->values);
    jbw_free(&policy->allocator, o->items, side * side);
    jbw_route_planner_deinit(&o->planner);
}

// ---- planning ----

// Follows the current reward. If it changes, the path is dropped.
static void update_values(oracle *o, uint64_t time)
{
    for (int t = 0; t < o->type_count; t++) {
        const double value =
            o->base.reward ? jbw_reward_of_collecting(o->base.reward, time, t) : 0.0;
        if (value == o->values[t]) continue;
        o->values[t] = value;
        o->path_begin = o->path_end = 0;
        o->trail_length = 0; // other items are worth something now
    }
}

static double step_price(const oracle *o)
{
    double most = 0.0;
    double least = 0.0;
    for (int t = 0; t < o->type_count; t++) {
        if (o->values[t] > most) most = o->values[t];
        if (o->values[t] < least) least = o->values[t];
    }
    const double best = most > 0.0 ? most : -least;
    return best > 0.0 ? best / o->settings.item_steps : 1.0;
}

static jbw_status look(oracle *o, const jbw_world *world, jbw_position middle)
{
    const int side = o->planner.side;
    const jbw_region around = {middle.x - side / 2, middle.y - side / 2, side, side};
    const jbw_status status = jbw_world_read_region(world, around, o->items, NULL);
    if (status) return status;
    for (int i = 0; i < side * side; i++) {
        const int type = o->items[i] - 1;
        o->planner.worth[i] = type < 0 ? 0.0 : o->values[type];
        o->planner.is_blocked[i] = type >= 0 && jbw_model_item_blocks(o->base.model, type);
    }
    // what stopped it may be another agent, which the map does not show
    if (o->has_acted) {
        const int64_t column = o->expected.x - around.x;
        const int64_t row = o->expected.y - around.y;
        const bool is_there = o->expected.x == middle.x && o->expected.y == middle.y;
        if (!is_there && column >= 0 && column < side && row >= 0 && row < side)
            o->planner.is_blocked[row * side + column] = true;
    }
    return JBW_OK;
}

// the way to a place that it has not been at lately
static int leave(oracle *o, const jbw_agent_state *state)
{
    jbw_position trail[TRAIL_LENGTH];
    int near = 0;
    for (int i = 0; i < o->trail_length; i++) {
        const jbw_position place = {o->trail[i].x - state->position.x,
                                    o->trail[i].y - state->position.y};
        // the middle is nearer to all places within reach than those that are left out
        if (llabs(place.x) + llabs(place.y) <= 2 * o->settings.horizon) trail[near++] = place;
    }
    const int length = jbw_route_leave(&o->planner, state->direction, trail, near, o->path);
    if (o->trail_length == TRAIL_LENGTH) {
        o->trail_length--;
        memmove(o->trail, o->trail + 1, (TRAIL_LENGTH - 1) * sizeof *o->trail);
    }
    o->trail[o->trail_length++] = state->position;
    return length;
}

static jbw_status plan(oracle *o, const jbw_world *world, const jbw_agent_state *state)
{
    const jbw_status status = look(o, world, state->position);
    if (status) return status;
    o->planner.settings.step_price = step_price(o);
    int length = jbw_route_plan(&o->planner, state->direction, o->path, NULL);
    if (length == 0) length = leave(o, state);
    o->path_begin = 0;
    o->path_end = (size_t)length;
    return JBW_OK;
}

// ---- acting ----

static jbw_position place_after(const oracle *o, const jbw_agent_state *state, int action)
{
    static const int right[4] = {0, 1, 0, -1};
    static const int up[4] = {1, 0, -1, 0};
    jbw_position place = state->position;
    for (int i = 0; i < o->planner.edge_count; i++) {
        const jbw_path_edge *edge = &o->planner.edges[i];
        if (edge->action != action || !edge->is_move) continue;
        const int direction = ((int)state->direction + edge->turns) % 4;
        place.x += right[direction];
        place.y += up[direction];
    }
    return place;
}

static jbw_status choose(jbw_policy *policy, jbw_world *world, jbw_agent_id agent, int *action)
{
    oracle *o = (oracle *)policy;
    jbw_agent_state state;
    jbw_status status = jbw_agent_get_state(world, agent, &state);
    if (status) return status;
    if (state.body != o->body) { // fewer edges need no more room
        o->planner.edge_count = jbw_path_edges(policy->model, state.body, o->planner.edges);
        o->body = state.body;
    }
    update_values(o, jbw_world_time(world));
    if (o->has_acted && (state.position.x != o->expected.x || state.position.y != o->expected.y))
        o->path_begin = o->path_end = 0;
    if (o->path_begin == o->path_end) status = plan(o, world, &state);
    if (status) return status;
    *action = o->path_begin < o->path_end ? o->path[o->path_begin++]
                                          : jbw_policy_first_able(policy->model, state.body);
    o->expected = place_after(o, &state, *action);
    o->has_acted = true;
    return JBW_OK;
}

// without the world it knows nothing
static int act(jbw_policy *policy, uint64_t time, const jbw_observation *seen)
{
    (void)policy;
    (void)time;
    (void)seen;
    return 0;
}

// ---- saving ----

enum { HAS_ACTED = 1, HAS_TRAIL = 2 };

static void save(const jbw_policy *policy, jbw_writer *writer)
{
    const oracle *o = (const oracle *)policy;
    jbw_write_varint(writer, (uint64_t)o->type_count);
    for (int t = 0; t < o->type_count; t++) jbw_write_double(writer, o->values[t]);
    jbw_write_u8(writer, (o->has_acted ? HAS_ACTED : 0) | (o->trail_length > 0 ? HAS_TRAIL : 0));
    jbw_write_signed(writer, o->expected.x);
    jbw_write_signed(writer, o->expected.y);
    jbw_write_varint(writer, o->path_end - o->path_begin);
    jbw_write_bytes(writer, o->path + o->path_begin, o->path_end - o->path_begin);
    if (o->trail_length > 0) jbw_write_varint(writer, (uint64_t)o->trail_length);
    for (int i = 0; i < o->trail_length; i++) {
        jbw_write_signed(writer, o->trail[i].x);
        jbw_write_signed(writer, o->trail[i].y);
    }
}

static bool is_place(jbw_position place)
{
    return place.x >= -JBW_MAX_COORDINATE && place.x <= JBW_MAX_COORDINATE &&
           place.y >= -JBW_MAX_COORDINATE && place.y <= JBW_MAX_COORDINATE;
}

static void load_trail(oracle *o, jbw_reader *reader)
{
    const size_t length = jbw_read_count(reader, 2);
    if (length < 1 || length > TRAIL_LENGTH) reader->ok = false;
    for (size_t i = 0; reader->ok && i < length; i++) {
        o->trail[i].x = jbw_read_signed(reader);
        o->trail[i].y = jbw_read_signed(reader);
        if (!is_place(o->trail[i])) reader->ok = false;
    }
    o->trail_length = reader->ok ? (int)length : 0;
}

static void load(jbw_policy *policy, jbw_reader *reader)
{
    oracle *o = (oracle *)policy;
    if (jbw_read_varint(reader) != (uint64_t)o->type_count) reader->ok = false;
    for (int t = 0; reader->ok && t < o->type_count; t++) o->values[t] = jbw_read_double(reader);
    const uint8_t flags = jbw_read_u8(reader);
    o->expected.x = jbw_read_signed(reader);
    o->expected.y = jbw_read_signed(reader);
    const size_t length = jbw_read_count(reader, 1);
    const uint8_t *path = jbw_read_bytes(reader, length);
    if (flags > (HAS_ACTED | HAS_TRAIL) || length > (size_t)o->settings.horizon ||
        !is_place(o->expected))
        reader->ok = false;
    for (size_t i = 0; reader->ok && path && i < length; i++) {
        if (path[i] >= jbw_model_action_count(policy->model)) reader->ok = false;
        o->path[i] = path[i];
    }
    o->has_acted = flags & HAS_ACTED;
    o->path_end = reader->ok ? length : 0;
    if (flags & HAS_TRAIL) load_trail(o, reader);
}

const jbw_policy_kind jbw_policy_oracle = {.name = "oracle",
                                           .size = sizeof(oracle),
                                           .settings = settings_table,
                                           .settings_offset = offsetof(oracle, settings),
                                           .init = init,
                                           .deinit = deinit,
                                           .choose = choose,
                                           .act = act,
                                           .save = save,
                                           .load = load};
