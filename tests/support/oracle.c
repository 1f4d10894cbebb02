// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "support/oracle_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double vision_tolerance = 1e-5;

void oracle_tell(oracle *o, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    // NOLINTNEXTLINE(clang-analyzer-valist.Uninitialized): it has just been initialized
    if (!o->problem[0]) vsnprintf(o->problem, sizeof o->problem, format, arguments);
    va_end(arguments);
}

void *oracle_checked(void *memory)
{
    if (!memory) abort();
    return memory;
}

// --- cells and patches --------------------------------------------------------------------------

static int64_t floor_divide(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

bool oracle_is_inside(const oracle *o, jbw_position cell)
{
    return cell.x >= o->corner.x && cell.x < o->corner.x + o->side && cell.y >= o->corner.y &&
           cell.y < o->corner.y + o->side;
}

size_t oracle_cell_index(const oracle *o, jbw_position cell)
{
    if (!oracle_is_inside(o, cell)) abort(); // the test let an agent leave the covered area
    return (size_t)((cell.y - o->corner.y) * o->side + (cell.x - o->corner.x));
}

static jbw_position patch_of(const oracle *o, jbw_position cell)
{
    const int64_t size = o->config->patch_size;
    return (jbw_position){floor_divide(cell.x, size), floor_divide(cell.y, size)};
}

static uint8_t *patch_state(oracle *o, jbw_position patch)
{
    const int64_t size = o->config->patch_size;
    const int64_t x = patch.x - floor_divide(o->corner.x, size);
    const int64_t y = patch.y - floor_divide(o->corner.y, size);
    if (x < 0 || x >= o->patch_side || y < 0 || y >= o->patch_side) abort();
    return &o->patch_states[y * o->patch_side + x];
}

jbw_patch_state oracle_patch_state(oracle *o, jbw_position patch)
{
    return (jbw_patch_state)*patch_state(o, patch);
}

uint8_t oracle_content_at(const oracle *o, jbw_position cell)
{
    return oracle_is_inside(o, cell) ? o->actual[oracle_cell_index(o, cell)] : 0;
}

uint8_t oracle_item_at(const oracle *o, jbw_position cell)
{
    return oracle_visible(o, oracle_content_at(o, cell));
}

bool oracle_is_blocked(const oracle *o, jbw_position cell)
{
    const uint8_t item = oracle_item_at(o, cell);
    return item && o->config->items[item - 1].blocks_movement;
}

bool oracle_is_same(jbw_position a, jbw_position b)
{
    return a.x == b.x && a.y == b.y;
}

static bool has_agent(const oracle *o, jbw_position cell)
{
    for (size_t i = 0; i < o->agent_count; i++)
        if (!o->agents[i].is_gone && oracle_is_same(o->agents[i].state.position, cell)) return true;
    return false;
}

void oracle_set_item(oracle *o, jbw_position cell, uint8_t item)
{
    const size_t index = oracle_cell_index(o, cell);
    o->actual[index] = item;
    oracle_set_text(o, cell, NULL);
    if (item == o->generated[index]) o->due[index] = 0; // whoever put it there
    if (o->is_changed[index]) return;
    o->is_changed[index] = 1;
    if (o->changed_count == o->changed_capacity) {
        o->changed_capacity = 2 * o->changed_capacity + 16;
        o->changed_cells = oracle_checked(
            realloc(o->changed_cells, o->changed_capacity * sizeof o->changed_cells[0]));
    }
    o->changed_cells[o->changed_count++] = index;
}

// --- generation ------------------------------------------------------------------------------

static bool is_invariant(const oracle *o)
{
    return o->config->generation == JBW_GENERATION_INVARIANT;
}

// a patch becomes final, and its neighbours are sampled
static void expect_final(oracle *o, jbw_position patch)
{
    uint8_t *state = patch_state(o, patch);
    if (*state == JBW_PATCH_FINAL) return;
    *state = JBW_PATCH_FINAL;
    for (int64_t dy = -1; dy <= 1; dy++)
        for (int64_t dx = -1; dx <= 1; dx++) {
            uint8_t *other = patch_state(o, (jbw_position){patch.x + dx, patch.y + dy});
            if (*other == JBW_PATCH_MISSING) *other = JBW_PATCH_SAMPLED;
        }
}

// the patches that meet the square [x - P/2, x - P/2 + P) around an agent
static void expect_needs(oracle *o, jbw_position cell)
{
    const int64_t size = o->config->patch_size;
    const jbw_position low = patch_of(o, (jbw_position){cell.x - size / 2, cell.y - size / 2});
    const jbw_position high =
        patch_of(o, (jbw_position){cell.x - size / 2 + size - 1, cell.y - size / 2 + size - 1});
    for (int64_t y = low.y; y <= high.y; y++)
        for (int64_t x = low.x; x <= high.x; x++) expect_final(o, (jbw_position){x, y});
}

void oracle_expect_all_needs(oracle *o)
{
    for (size_t i = 0; i < o->agent_count; i++)
        if (!o->agents[i].is_gone) expect_needs(o, o->agents[i].state.position);
}

// compares the cells of a patch with the world, or reads them
static void read_patch(oracle *o, jbw_position patch, bool takes_over)
{
    const int64_t size = o->config->patch_size;
    const jbw_region region = {patch.x * size, patch.y * size, size, size};
    uint8_t *items = oracle_checked(malloc((size_t)(3 * size * size)));
    uint8_t *hidden = items + size * size;
    uint8_t *growing = hidden + size * size;
    const jbw_region_planes planes = {.items = items, .hidden = hidden, .growing = growing};
    if (jbw_world_read_planes(o->world, region, &planes)) oracle_tell(o, "reading a patch failed");
    for (int64_t y = 0; y < size; y++)
        for (int64_t x = 0; x < size; x++) {
            const jbw_position cell = {region.x + x, region.y + y};
            const size_t index = oracle_cell_index(o, cell);
            const uint8_t item = items[y * size + x] | hidden[y * size + x];
            if (takes_over)
                o->generated[index] = o->actual[index] = item;
            else if (item != o->actual[index])
                oracle_tell(o, "cell (%" PRId64 ", %" PRId64 ") holds %d, not %d", cell.x, cell.y,
                            item, o->actual[index]);
            if (items[y * size + x] != oracle_visible(o, item))
                oracle_tell(o, "cell (%" PRId64 ", %" PRId64 ") shows %d in the wrong season",
                            cell.x, cell.y, items[y * size + x]);
            oracle_compare_growth(o, cell, growing[y * size + x]);
        }
    free(items);
}

// Reads all patches that were sampled since, and checks that no others were. A patch that was not
// final may have been sampled again: its new items count as having always been there.
void oracle_learn(oracle *o, bool is_thorough)
{
    const uint64_t sampling_count = jbw_world_get_stats(o->world).sampling_count;
    const bool has_sampled = sampling_count != o->sampling_count;
    o->sampling_count = sampling_count;
    const int64_t size = o->config->patch_size;
    const jbw_position low = {floor_divide(o->corner.x, size), floor_divide(o->corner.y, size)};
    const int64_t last = o->patch_side - 1;
    for (int64_t y = 0; y <= last; y++)
        for (int64_t x = 0; x <= last; x++) {
            const jbw_position patch = {low.x + x, low.y + y};
            uint8_t *state = patch_state(o, patch);
            const uint8_t found = (uint8_t)jbw_world_patch_state(o->world, patch);
            if (found != *state && !(o->is_open && found > *state))
                oracle_tell(o, "patch (%" PRId64 ", %" PRId64 ") has state %d, not %d", patch.x,
                            patch.y, found, *state);
            *state = found;

            // there may be more beyond, which should be covered
            const bool is_edge = x == 0 || x == last || y == 0 || y == last;
            if (is_edge && found == JBW_PATCH_FINAL && !is_invariant(o)) abort();

            uint8_t *is_settled = &o->is_settled[y * o->patch_side + x];
            const bool is_new = has_sampled && !*is_settled;
            if (found != JBW_PATCH_MISSING && (is_new || is_thorough)) read_patch(o, patch, is_new);
            if (found == JBW_PATCH_FINAL) *is_settled = 1;
        }
    o->is_open = false;
}

// --- agents -------------------------------------------------------------------------------------

jbw_agent_result oracle_blank_result(const oracle_agent *agent)
{
    return (jbw_agent_result){.action = -1,
                              .collected = -1,
                              .dropped = -1,
                              .position_before = agent->state.position,
                              .position = agent->state.position};
}

oracle_agent *oracle_find(oracle *o, jbw_agent_id id)
{
    for (size_t i = 0; i < o->agent_count; i++)
        if (!o->agents[i].is_gone && o->agents[i].id.index1 == id.index1 &&
            o->agents[i].id.generation == id.generation)
            return &o->agents[i];
    return NULL;
}

static bool is_free(const oracle *o, jbw_position cell)
{
    if (oracle_is_blocked(o, cell)) return false;
    return o->config->collision == JBW_COLLISION_ALLOW || !has_agent(o, cell);
}

// no free cell may be nearer to the origin than the default place
static void check_default_place(oracle *o, jbw_position place)
{
    const int64_t ring = llabs(place.x) > llabs(place.y) ? llabs(place.x) : llabs(place.y);
    for (int64_t y = 1 - ring; y < ring; y++)
        for (int64_t x = 1 - ring; x < ring; x++)
            if (is_free(o, (jbw_position){x, y}))
                oracle_tell(
                    o, "(%" PRId64 ", %" PRId64 ") was free, but (%" PRId64 ", %" PRId64 ") chosen",
                    x, y, place.x, place.y);
    if (!is_free(o, place)) oracle_tell(o, "a new agent was put on a cell that is not free");
}

jbw_status oracle_add_agent(oracle *o, const jbw_agent_options *options, jbw_status status,
                            jbw_agent_id id)
{
    const jbw_agent_options chosen = options ? *options : (jbw_agent_options){0};
    jbw_agent_state state = {
        .position = chosen.position, .direction = chosen.direction, .body = chosen.body};
    if (chosen.body < 0 || chosen.body > (int)o->config->body_count) return JBW_INVALID_ARGUMENT;
    state.is_active = true;
    if (!chosen.has_position) {
        // the default place depends on what the world generates
        jbw_agent_state found;
        o->is_open = true;
        if (status || jbw_agent_get_state(o->world, id, &found)) return JBW_OK;
        state.position = found.position;
    }

    // once the patch is final it is known whether the cell is free
    if (chosen.has_position && status) o->is_open = true;
    if (!status) expect_needs(o, state.position);
    oracle_learn(o, false);
    if (chosen.has_position && !chosen.is_forced && !is_free(o, state.position))
        return JBW_CELL_BLOCKED;
    if (status) return JBW_OK;

    if (!chosen.has_position) check_default_place(o, state.position);
    for (size_t i = 0; i < o->agent_count; i++)
        if (o->agents[i].id.index1 == id.index1 && o->agents[i].id.generation == id.generation)
            oracle_tell(o, "an id was used twice");
    if (id.index1 == 0) oracle_tell(o, "an id is zero");

    if (o->agent_count == ORACLE_MAX_AGENTS) abort();
    state.start = state.position;
    oracle_agent *agent = &o->agents[o->agent_count++];
    *agent = (oracle_agent){.id = id, .state = state};
    agent->result = oracle_blank_result(agent);
    return JBW_OK;
}

// the world steps when there are active agents and all of them have a request
static bool step_if_all_requested(oracle *o)
{
    size_t active_count = 0;
    for (size_t i = 0; i < o->agent_count; i++) {
        if (o->agents[i].is_gone || !o->agents[i].state.is_active) continue;
        if (!o->agents[i].state.has_request) return false;
        active_count++;
    }
    if (active_count) oracle_step(o);
    return active_count > 0;
}

jbw_status oracle_remove_agent(oracle *o, jbw_agent_id id)
{
    oracle_agent *agent = oracle_find(o, id);
    if (!agent) return JBW_NO_SUCH_AGENT;
    agent->is_gone = true;
    step_if_all_requested(o);
    return JBW_OK;
}

jbw_status oracle_set_active(oracle *o, jbw_agent_id id, bool is_active)
{
    oracle_agent *agent = oracle_find(o, id);
    if (!agent) return JBW_NO_SUCH_AGENT;
    agent->state.is_active = is_active;
    if (!is_active) {
        agent->state.has_request = false;
        step_if_all_requested(o);
    }
    return JBW_OK;
}

static jbw_status check_request(oracle *o, jbw_agent_id id, int action, int say, const char *text)
{
    const oracle_agent *agent = oracle_find(o, id);
    if (!agent) return JBW_NO_SUCH_AGENT;
    if (!agent->state.is_active) return JBW_INVALID_ARGUMENT;
    if (action < 0 || (size_t)action >= o->config->agent.action_count) return JBW_INVALID_ARGUMENT;
    if (say < 0 || say > o->config->agent.voice.symbols) return JBW_INVALID_ARGUMENT;
    const bool can_write = oracle_can_write(o, o->config->agent.actions[action].item, text);
    return can_write ? JBW_OK : JBW_INVALID_ARGUMENT;
}

static void request(oracle *o, oracle_agent *agent, int action, int say, const char *text)
{
    agent->state.has_request = true;
    agent->state.request = action;
    agent->state.say = say;
    snprintf(agent->text, sizeof agent->text, "%s", text ? text : "");
    agent->rank = o->next_rank++;
}

jbw_status oracle_request_together(oracle *o, const jbw_agent_id *ids, const jbw_requests *requests,
                                   size_t count, bool *stepped)
{
    const int *say = requests->say;
    const char *const *texts = requests->texts;
    *stepped = false;
    for (size_t i = 0; i < count; i++) {
        const jbw_status status = check_request(o, ids[i], requests->actions[i], say ? say[i] : 0,
                                                texts ? texts[i] : NULL);
        if (status) return status;
    }

    // requests rank in the order in which the agents were added
    for (size_t k = 0; k < o->agent_count; k++)
        for (size_t i = 0; i < count; i++)
            if (oracle_find(o, ids[i]) == &o->agents[k])
                request(o, &o->agents[k], requests->actions[i], say ? say[i] : 0,
                        texts ? texts[i] : NULL);
    if (count) *stepped = step_if_all_requested(o);
    return JBW_OK;
}

// --- edits and exploration ----------------------------------------------------------------------

jbw_status oracle_place_item(oracle *o, int item_type, jbw_position cell, jbw_status status)
{
    if (item_type < 0 || (size_t)item_type >= o->config->item_count) return JBW_INVALID_ARGUMENT;
    const jbw_position patch = patch_of(o, cell);
    const uint8_t item = (uint8_t)(item_type + 1);
    const size_t index = oracle_cell_index(o, cell);
    if (oracle_patch_state(o, patch) != JBW_PATCH_FINAL) {
        // the world made it final, and on success changed this one cell
        expect_final(o, patch);
        oracle_learn(o, false);
        if (status) return o->actual[index] ? JBW_CELL_BLOCKED : JBW_OK;
        if (o->actual[index] != item) oracle_tell(o, "an item was not placed");
        o->generated[index] = o->actual[index] = 0;
    }
    if (o->actual[index]) return JBW_CELL_BLOCKED;
    oracle_set_item(o, cell, item);
    return JBW_OK;
}

jbw_status oracle_remove_item(oracle *o, jbw_position cell)
{
    if (oracle_patch_state(o, patch_of(o, cell)) != JBW_PATCH_FINAL) abort();
    if (!o->actual[oracle_cell_index(o, cell)]) return JBW_NOT_FOUND;
    oracle_set_item(o, cell, 0);
    oracle_regrow(o);
    return JBW_OK;
}

void oracle_explore(oracle *o, jbw_position cell)
{
    expect_needs(o, cell);
    oracle_learn(o, false);
}

void oracle_finalize_patch(oracle *o, jbw_position patch)
{
    expect_final(o, patch);
    oracle_learn(o, false);
}

// --- comparing ----------------------------------------------------------------------------------

static void compare_perception(oracle *o, const oracle_agent *agent)
{
    const size_t width = 2 * (size_t)oracle_frame_range(o) + 1;
    const size_t colors = (size_t)o->config->color_dimensions;
    const size_t count = width * width * colors;
    double *expected = oracle_checked(calloc(count + 1, sizeof *expected));
    float *found = oracle_checked(malloc((count + 1) * sizeof *found));
    float scent[ORACLE_MAX_DIMENSIONS];
    for (size_t i = 0; i <= count; i++) found[i] = (float)i; // all but the last must be overwritten
    oracle_vision(o, agent, expected);
    if (jbw_agent_perceive(o->world, agent->id, found, scent)) oracle_tell(o, "perceiving failed");
    for (size_t i = 0; i < count; i++)
        if (!(fabs((double)found[i] - expected[i]) <= vision_tolerance))
            oracle_tell(o, "agent %u sees %.9g, not %.9g, in row %zu, column %zu, color %zu",
                        agent->id.index1, (double)found[i], expected[i], i / colors / width,
                        i / colors % width, i % colors);
    if (found[count] != (float)count) oracle_tell(o, "more was written than the field of vision");
    oracle_check_scent(o, agent->state.position, scent);
    free(expected);
    free(found);
}

static void compare_number(oracle *o, const oracle_agent *agent, const char *what, int64_t found,
                           int64_t expected)
{
    if (found != expected)
        oracle_tell(o, "agent %u: %s is %" PRId64 ", not %" PRId64, agent->id.index1, what, found,
                    expected);
}

static void compare_agent(oracle *o, const oracle_agent *agent)
{
    jbw_agent_state state;
    if (jbw_agent_get_state(o->world, agent->id, &state)) {
        oracle_tell(o, "there is no agent %u", agent->id.index1);
        return;
    }
    const jbw_agent_state *expected = &agent->state;
    compare_number(o, agent, "x", state.position.x, expected->position.x);
    compare_number(o, agent, "y", state.position.y, expected->position.y);
    compare_number(o, agent, "direction", state.direction, expected->direction);
    compare_number(o, agent, "body", state.body, expected->body);
    compare_number(o, agent, "x of the start", state.start.x, expected->start.x);
    compare_number(o, agent, "y of the start", state.start.y, expected->start.y);
    compare_number(o, agent, "is_active", state.is_active, expected->is_active);
    compare_number(o, agent, "has_request", state.has_request, expected->has_request);
    if (expected->has_request)
        compare_number(o, agent, "request", state.request, expected->request);

    jbw_agent_result result;
    if (jbw_agent_get_result(o->world, agent->id, &result)) oracle_tell(o, "there is no result");
    const jbw_agent_result *due = &agent->result;
    compare_number(o, agent, "time of the result", (int64_t)result.time, (int64_t)due->time);
    compare_number(o, agent, "action", result.action, due->action);
    compare_number(o, agent, "outcome", result.outcome, due->outcome);
    compare_number(o, agent, "moved", result.moved, due->moved);
    compare_number(o, agent, "outcome of collecting", result.item, due->item);
    compare_number(o, agent, "collected", result.collected, due->collected);
    compare_number(o, agent, "dropped", result.dropped, due->dropped);
    compare_number(o, agent, "x before", result.position_before.x, due->position_before.x);
    compare_number(o, agent, "y before", result.position_before.y, due->position_before.y);
    compare_number(o, agent, "x after", result.position.x, due->position.x);
    compare_number(o, agent, "y after", result.position.y, due->position.y);

    const uint64_t *inventory = jbw_agent_inventory(o->world, agent->id);
    if (!inventory) {
        oracle_tell(o, "there is no inventory");
        return;
    }
    for (size_t i = 0; i < o->config->item_count; i++)
        compare_number(o, agent, o->config->items[i].name, (int64_t)inventory[i],
                       (int64_t)agent->inventory[i]);
}

// the items around an agent
static void compare_surroundings(oracle *o, jbw_position around)
{
    enum { RANGE = 4, WIDTH = 2 * RANGE + 1 };
    uint8_t items[WIDTH * WIDTH];
    const jbw_region region = {around.x - RANGE, around.y - RANGE, WIDTH, WIDTH};
    if (jbw_world_read_region(o->world, region, items, NULL)) oracle_tell(o, "reading failed");
    for (int i = 0; i < WIDTH * WIDTH; i++) {
        const jbw_position cell = {region.x + i % WIDTH, region.y + i / WIDTH};
        if (items[i] != oracle_item_at(o, cell))
            oracle_tell(o, "cell (%" PRId64 ", %" PRId64 ") holds %d, not %d", cell.x, cell.y,
                        items[i], oracle_item_at(o, cell));
    }
}

static void compare_agents(oracle *o)
{
    jbw_agent_id ids[ORACLE_MAX_AGENTS];
    const size_t count = jbw_world_agents(o->world, ids, ORACLE_MAX_AGENTS);
    size_t next = 0;
    for (size_t i = 0; i < o->agent_count; i++) {
        const oracle_agent *agent = &o->agents[i];
        if (agent->is_gone) {
            jbw_agent_state state;
            if (jbw_agent_get_state(o->world, agent->id, &state) != JBW_NO_SUCH_AGENT)
                oracle_tell(o, "an agent that is gone has a state");
            continue;
        }
        if (next >= count || ids[next].index1 != agent->id.index1 ||
            ids[next].generation != agent->id.generation)
            oracle_tell(o, "agent number %zu is another one", next);
        next++;
    }
    if (next != count) oracle_tell(o, "there are %zu agents, not %zu", count, next);
}

bool oracle_compare(oracle *o, bool perceives, bool is_thorough)
{
    oracle_learn(o, is_thorough);
    if (jbw_world_time(o->world) != o->time)
        oracle_tell(o, "the time is %" PRIu64 ", not %" PRIu64, jbw_world_time(o->world), o->time);
    compare_agents(o);
    for (size_t i = 0; i < o->agent_count; i++) {
        const oracle_agent *agent = &o->agents[i];
        if (agent->is_gone) continue;
        compare_agent(o, agent);
        oracle_compare_words(o, agent);
        compare_surroundings(o, agent->state.position);
        if (perceives) compare_perception(o, agent);
    }
    return !o->problem[0];
}

// --- create and destroy -------------------------------------------------------------------------

oracle *oracle_create(const jbw_config *config, jbw_world *world, jbw_position centre_patch,
                      int patch_radius)
{
    if (config->item_count > ORACLE_MAX_TYPES || config->scent_dimensions > ORACLE_MAX_DIMENSIONS)
        abort();
    oracle *o = oracle_checked(calloc(1, sizeof *o));
    o->config = config;
    o->world = world;
    o->patch_side = 2 * patch_radius + 1;
    o->side = (int64_t)o->patch_side * config->patch_size;
    o->corner.x = (centre_patch.x - patch_radius) * config->patch_size;
    o->corner.y = (centre_patch.y - patch_radius) * config->patch_size;

    const size_t cells = (size_t)(o->side * o->side);
    const size_t patches = (size_t)o->patch_side * (size_t)o->patch_side;
    o->generated = oracle_checked(calloc(cells, 1));
    o->actual = oracle_checked(calloc(cells, 1));
    o->is_changed = oracle_checked(calloc(cells, 1));
    o->due = oracle_checked(calloc(cells, sizeof *o->due));
    o->texts = oracle_checked(calloc(cells, sizeof *o->texts));
    o->patch_states = oracle_checked(calloc(patches, 1));
    o->is_settled = oracle_checked(calloc(patches, 1));
    const size_t scents = cells * (size_t)config->scent_dimensions + 1;
    o->carried = oracle_checked(calloc(scents, sizeof *o->carried));
    o->scratch = oracle_checked(calloc(scents, sizeof *o->scratch));
    o->response = oracle_response_make(config->scent_decay, config->scent_diffusion);
    oracle_begin_seasons(o);
    if (!is_invariant(o)) return o;

    // all patches are final from the beginning
    memset(o->patch_states, JBW_PATCH_FINAL, patches);
    memset(o->is_settled, 1, patches);
    for (int y = -patch_radius; y <= patch_radius; y++)
        for (int x = -patch_radius; x <= patch_radius; x++)
            read_patch(o, (jbw_position){centre_patch.x + x, centre_patch.y + y}, true);
    return o;
}

void oracle_destroy(oracle *o)
{
    if (!o) return;
    free(o->generated);
    free(o->actual);
    free(o->is_changed);
    free(o->due);
    for (int64_t i = 0; i < o->side * o->side; i++) free(o->texts[i]);
    free(o->texts);
    free(o->patch_states);
    free(o->is_settled);
    free(o->changed_cells);
    free(o->carried);
    free(o->scratch);
    free(o->response.values);
    for (int i = 0; i < ORACLE_MAX_TYPES; i++) free(o->seasonal[i]);
    free(o);
}
