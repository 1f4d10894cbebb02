// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "oracle.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
static const double vision_tolerance = 1e-5;

// scent this small, in units of the strongest, is dropped from the edge of the field of changes
static const double negligible = 1e-10;

JBW_PRINTF(2, 3) static void tell(oracle *o, const char *format, ...)
{
    if (o->problem[0]) return; // what comes after the first is mostly its consequence
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(o->problem, sizeof o->problem, format, arguments);
    va_end(arguments);
}

static void *checked(void *memory)
{
    if (!memory) abort();
    return memory;
}

// --- cells and patches --------------------------------------------------------------------------

static int64_t floor_divide(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static bool is_inside(const oracle *o, jbw_position cell)
{
    return cell.x >= o->corner.x && cell.x < o->corner.x + o->side && cell.y >= o->corner.y &&
           cell.y < o->corner.y + o->side;
}

static size_t cell_index(const oracle *o, jbw_position cell)
{
    if (!is_inside(o, cell)) abort(); // the test let somebody out of the oracle's sight
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

uint8_t oracle_item_at(const oracle *o, jbw_position cell)
{
    return is_inside(o, cell) ? o->actual[cell_index(o, cell)] : 0;
}

static bool has_blocking_item(const oracle *o, jbw_position cell)
{
    const uint8_t item = oracle_item_at(o, cell);
    return item && o->config->items[item - 1].blocks_movement;
}

static bool is_same(jbw_position a, jbw_position b)
{
    return a.x == b.x && a.y == b.y;
}

static bool has_agent(const oracle *o, jbw_position cell)
{
    for (size_t i = 0; i < o->agent_count; i++)
        if (!o->agents[i].is_gone && is_same(o->agents[i].state.position, cell)) return true;
    return false;
}

// from now on something may be there that was not generated, or the other way round
static void set_item(oracle *o, jbw_position cell, uint8_t item)
{
    const size_t index = cell_index(o, cell);
    o->actual[index] = item;
    if (o->is_changed[index]) return;
    o->is_changed[index] = 1;
    if (o->changed_count == o->changed_capacity) {
        o->changed_capacity = 2 * o->changed_capacity + 16;
        o->changed_cells =
            checked(realloc(o->changed_cells, o->changed_capacity * sizeof o->changed_cells[0]));
    }
    o->changed_cells[o->changed_count++] = index;
}

// --- what the world generates -------------------------------------------------------------------

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

static void expect_all_needs(oracle *o)
{
    for (size_t i = 0; i < o->agent_count; i++)
        if (!o->agents[i].is_gone) expect_needs(o, o->agents[i].state.position);
}

// compares known cells of one patch with the world, or takes over what it holds
static void read_patch(oracle *o, jbw_position patch, bool takes_over)
{
    const int64_t size = o->config->patch_size;
    const jbw_region region = {patch.x * size, patch.y * size, size, size};
    uint8_t *items = checked(malloc((size_t)(size * size)));
    if (jbw_world_read_region(o->world, region, items, NULL)) tell(o, "reading a patch failed");
    for (int64_t y = 0; y < size; y++)
        for (int64_t x = 0; x < size; x++) {
            const jbw_position cell = {region.x + x, region.y + y};
            const size_t index = cell_index(o, cell);
            const uint8_t item = items[y * size + x];
            if (takes_over)
                o->generated[index] = o->actual[index] = item;
            else if (item != o->actual[index])
                tell(o, "cell (%" PRId64 ", %" PRId64 ") holds %d, not %d", cell.x, cell.y, item,
                     o->actual[index]);
        }
    free(items);
}

// Learns of all patches that have been sampled since, and checks that no others were. What a patch
// holds that was not final may have been sampled again: the new items have always been there.
static void learn(oracle *o, bool is_thorough)
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
                tell(o, "patch (%" PRId64 ", %" PRId64 ") has state %d, not %d", patch.x, patch.y,
                     found, *state);
            *state = found;

            // there may be more beyond that should have been looked at
            const bool is_edge = x == 0 || x == last || y == 0 || y == last;
            if (is_edge && found == JBW_PATCH_FINAL) abort();

            uint8_t *is_settled = &o->is_settled[y * o->patch_side + x];
            const bool is_new = has_sampled && !*is_settled;
            if (found != JBW_PATCH_MISSING && (is_new || is_thorough)) read_patch(o, patch, is_new);
            if (found == JBW_PATCH_FINAL) *is_settled = 1;
        }
    o->is_open = false;
}

// --- scent --------------------------------------------------------------------------------------

// Iterates the paper's equation for one unit that is always there, until nothing changes.
static void iterate_response(int radius, double decay, double diffusion, double *values)
{
    // a border of zeros spares the question what lies beyond
    const size_t width = 2 * (size_t)radius + 3;
    const size_t middle = ((size_t)radius + 1) * width + (size_t)radius + 1;
    double *now = checked(calloc(width * width, sizeof *now));
    double *next = checked(calloc(width * width, sizeof *next));
    for (double change = 1; change > 1e-13;) {
        change = 0;
        for (size_t y = 1; y < width - 1; y++)
            for (size_t x = 1; x < width - 1; x++) {
                const size_t i = y * width + x;
                next[i] = (i == middle) + decay * now[i] +
                          diffusion * (now[i - 1] + now[i + 1] + now[i - width] + now[i + width]);
                change = fmax(change, fabs(next[i] - now[i]));
            }
        double *swapped = now;
        now = next;
        next = swapped;
    }
    for (size_t y = 1; y < width - 1; y++)
        memcpy(values + (y - 1) * (width - 2), now + y * width + 1, (width - 2) * sizeof values[0]);
    free(now);
    free(next);
}

oracle_response oracle_response_make(double decay, double diffusion)
{
    // widen until next to nothing arrives at the border, so that nothing beyond it matters
    for (int radius = 6;; radius += radius / 2) {
        const size_t width = 2 * (size_t)radius + 1;
        double *values = checked(malloc(width * width * sizeof *values));
        iterate_response(radius, decay, diffusion, values);
        double lost = 0;
        for (size_t i = 0; i < width; i++)
            lost += 2 * fabs(values[i]) + 2 * fabs(values[i * width]);
        if (lost < 1e-8) return (oracle_response){radius, values};
        free(values);
    }
}

double oracle_scent_tolerance(const jbw_config *config)
{
    double largest = 0;
    for (int d = 0; d < config->scent_dimensions; d++) {
        if (config->agent.scent) largest = fmax(largest, fabs(config->agent.scent[d]));
        for (size_t i = 0; i < config->item_count; i++)
            if (config->items[i].scent) largest = fmax(largest, fabs(config->items[i].scent[d]));
    }
    return 1e-4 * largest;
}

static double item_scent(const oracle *o, uint8_t item, int dimension)
{
    if (!item || !o->config->items[item - 1].scent) return 0;
    return o->config->items[item - 1].scent[dimension];
}

static double agent_scent(const oracle *o, int dimension)
{
    return o->config->agent.scent ? o->config->agent.scent[dimension] : 0;
}

static double *field_at(const oracle *o, double *field, int dimension, int64_t x, int64_t y)
{
    return &field[((size_t)dimension * (size_t)o->side + (size_t)y) * (size_t)o->side + (size_t)x];
}

// the box outside of which all is zero grows; it must leave room for one more cell around
static void widen_box(oracle *o, int64_t x0, int64_t x1, int64_t y0, int64_t y1)
{
    if (x0 < 1 || x1 >= o->side || y0 < 1 || y1 >= o->side) abort();
    const bool is_empty = o->x0 >= o->x1 || o->y0 >= o->y1;
    if (is_empty || x0 < o->x0) o->x0 = x0;
    if (is_empty || x1 > o->x1) o->x1 = x1;
    if (is_empty || y0 < o->y0) o->y0 = y0;
    if (is_empty || y1 > o->y1) o->y1 = y1;
}

// makes a part of the field exactly zero if next to nothing is left there
static bool wipe(oracle *o, int64_t x0, int64_t x1, int64_t y0, int64_t y1)
{
    const double limit = negligible * oracle_scent_tolerance(o->config) / 1e-4;
    if (o->x0 >= o->x1 || o->y0 >= o->y1) return false;
    for (int pass = 0; pass < 2; pass++)
        for (int d = 0; d < o->config->scent_dimensions; d++)
            for (int64_t y = y0; y < y1; y++)
                for (int64_t x = x0; x < x1; x++) {
                    double *value = field_at(o, o->carried, d, x, y);
                    if (pass == 1)
                        *value = 0;
                    else if (fabs(*value) > limit)
                        return false;
                }
    return true;
}

// What spreads from changes: adds what differs now from what was generated, then lets one step of
// time pass over it.
static void advance_field(oracle *o)
{
    const int dimensions = o->config->scent_dimensions;
    if (!dimensions) return;

    // D(t) = dC(t) + A D(t-1)
    for (size_t i = 0; i < o->changed_count; i++) {
        const size_t index = o->changed_cells[i];
        const int64_t x = (int64_t)index % o->side;
        const int64_t y = (int64_t)index / o->side;
        widen_box(o, x, x + 1, y, y + 1);
        for (int d = 0; d < dimensions; d++)
            *field_at(o, o->carried, d, x, y) +=
                item_scent(o, o->actual[index], d) - item_scent(o, o->generated[index], d);
    }
    for (size_t i = 0; i < o->agent_count; i++) {
        if (o->agents[i].is_gone) continue;
        const jbw_position at = o->agents[i].state.position;
        const int64_t x = at.x - o->corner.x;
        const int64_t y = at.y - o->corner.y;
        widen_box(o, x, x + 1, y, y + 1);
        for (int d = 0; d < dimensions; d++) *field_at(o, o->carried, d, x, y) += agent_scent(o, d);
    }
    if (o->x0 >= o->x1 || o->y0 >= o->y1) return;

    // A D(t)
    const double decay = o->config->scent_decay;
    const double diffusion = o->config->scent_diffusion;
    widen_box(o, o->x0 - 1, o->x1 + 1, o->y0 - 1, o->y1 + 1);
    for (int d = 0; d < dimensions; d++)
        for (int64_t y = o->y0; y < o->y1; y++)
            for (int64_t x = o->x0; x < o->x1; x++)
                *field_at(o, o->scratch, d, x, y) =
                    decay * *field_at(o, o->carried, d, x, y) +
                    diffusion * (*field_at(o, o->carried, d, x - 1, y) +
                                 *field_at(o, o->carried, d, x + 1, y) +
                                 *field_at(o, o->carried, d, x, y - 1) +
                                 *field_at(o, o->carried, d, x, y + 1));
    for (int d = 0; d < dimensions; d++)
        for (int64_t y = o->y0; y < o->y1; y++)
            memcpy(field_at(o, o->carried, d, o->x0, y), field_at(o, o->scratch, d, o->x0, y),
                   (size_t)(o->x1 - o->x0) * sizeof(double));

    while (wipe(o, o->x0, o->x0 + 1, o->y0, o->y1)) o->x0++;
    while (wipe(o, o->x1 - 1, o->x1, o->y0, o->y1)) o->x1--;
    while (wipe(o, o->x0, o->x1, o->y0, o->y0 + 1)) o->y0++;
    while (wipe(o, o->x0, o->x1, o->y1 - 1, o->y1)) o->y1--;
}

void oracle_scent(const oracle *o, jbw_position cell, double *scent)
{
    const int dimensions = o->config->scent_dimensions;
    const int64_t radius = o->response.radius;
    for (int d = 0; d < dimensions; d++) scent[d] = 0;

    // what was generated has always been there
    for (int64_t dy = -radius; dy <= radius; dy++)
        for (int64_t dx = -radius; dx <= radius; dx++) {
            const jbw_position from = {cell.x + dx, cell.y + dy};
            const uint8_t item = is_inside(o, from) ? o->generated[cell_index(o, from)] : 0;
            if (!item) continue;
            const double share = o->response.values[(dy + radius) * (2 * radius + 1) + dx + radius];
            for (int d = 0; d < dimensions; d++) scent[d] += share * item_scent(o, item, d);
        }

    // and what has changed: the past, and what is there now
    if (!is_inside(o, cell)) return;
    const size_t index = cell_index(o, cell);
    for (int d = 0; d < dimensions; d++) {
        scent[d] += *field_at(o, o->carried, d, cell.x - o->corner.x, cell.y - o->corner.y);
        scent[d] += item_scent(o, o->actual[index], d) - item_scent(o, o->generated[index], d);
        for (size_t i = 0; i < o->agent_count; i++)
            if (!o->agents[i].is_gone && is_same(o->agents[i].state.position, cell))
                scent[d] += agent_scent(o, d);
    }
}

// --- vision -------------------------------------------------------------------------------------

static jbw_position offset_of(jbw_direction direction, int64_t ahead, int64_t right)
{
    switch (direction) {
    case JBW_UP: return (jbw_position){right, ahead};
    case JBW_RIGHT: return (jbw_position){ahead, -right};
    case JBW_DOWN: return (jbw_position){-right, -ahead};
    case JBW_LEFT: return (jbw_position){-ahead, right};
    }
    abort();
}

static jbw_position cell_from(const oracle_agent *agent, int64_t ahead, int64_t right)
{
    const jbw_position offset = offset_of(agent->state.direction, ahead, right);
    return (jbw_position){agent->state.position.x + offset.x, agent->state.position.y + offset.y};
}

// An arc on the agent's circle: where it is centred, and how far it goes to either side.
typedef struct arc {
    double middle;
    double half;
} arc;

// the arc that a cell's circle of radius 1/2 casts
static arc arc_of(int64_t ahead, int64_t right)
{
    const double distance = sqrt((double)(ahead * ahead + right * right));
    return (arc){atan2((double)right, (double)ahead), asin(1 / (2 * distance))};
}

// what share of an arc another one covers
static double covered_share(arc covered, arc by)
{
    double length = 0;
    for (int turn = -1; turn <= 1; turn++) {
        const double middle = by.middle + 2 * pi * turn;
        const double from = fmax(covered.middle - covered.half, middle - by.half);
        const double to = fmin(covered.middle + covered.half, middle + by.half);
        length += fmax(to - from, 0);
    }
    return length / (2 * covered.half);
}

static double visible_share(const oracle *o, const oracle_agent *agent, int64_t ahead,
                            int64_t right)
{
    if (ahead == 0 && right == 0) return 1;
    const arc cell = arc_of(ahead, right);
    const arc field_of_view = {0, o->config->agent.field_of_view / 2 * pi / 180};
    const double in_view = covered_share(cell, field_of_view);
    if (!o->config->agent.visual_occlusion) return in_view;

    // everything in the square that is nearer hides its part, also from outside the field of view
    const int64_t range = o->config->agent.vision_range;
    double hidden = 0;
    for (int64_t a = -range; a <= range; a++)
        for (int64_t r = -range; r <= range; r++) {
            const uint8_t item = oracle_item_at(o, cell_from(agent, a, r));
            if (!item || (a == 0 && r == 0)) continue;
            if (a * a + r * r >= ahead * ahead + right * right) continue;
            hidden += o->config->items[item - 1].occlusion * covered_share(cell, arc_of(a, r));
        }
    return in_view * fmax(1 - hidden, 0);
}

void oracle_vision(const oracle *o, const oracle_agent *agent, double *vision)
{
    const int64_t range = o->config->agent.vision_range;
    const int colors = o->config->color_dimensions;
    for (int64_t row = 0; row <= 2 * range; row++)
        for (int64_t column = 0; column <= 2 * range; column++) {
            const int64_t ahead = range - row;
            const int64_t right = column - range;
            const jbw_position cell = cell_from(agent, ahead, right);
            const uint8_t item = oracle_item_at(o, cell);
            const double *item_color = item ? o->config->items[item - 1].color : NULL;
            const double share = visible_share(o, agent, ahead, right);
            for (int c = 0; c < colors; c++) {
                double color = item_color ? item_color[c] : 0;
                for (size_t i = 0; i < o->agent_count; i++)
                    if (!o->agents[i].is_gone && o->config->agent.color &&
                        is_same(o->agents[i].state.position, cell))
                        color += o->config->agent.color[c];
                vision[(row * (2 * range + 1) + column) * colors + c] = share * color;
            }
        }
}

// --- a step -------------------------------------------------------------------------------------

static int item_type_named(const oracle *o, const char *name)
{
    for (size_t i = 0; i < o->config->item_count; i++)
        if (strcmp(o->config->items[i].name, name) == 0) return (int)i;
    abort();
}

static bool is_move(jbw_action_kind kind)
{
    return kind == JBW_ACTION_MOVE_FORWARD || kind == JBW_ACTION_MOVE_BACKWARD ||
           kind == JBW_ACTION_MOVE_LEFT || kind == JBW_ACTION_MOVE_RIGHT;
}

static jbw_position move_target(const oracle_agent *agent, jbw_action_kind kind)
{
    switch (kind) {
    case JBW_ACTION_MOVE_FORWARD: return cell_from(agent, 1, 0);
    case JBW_ACTION_MOVE_BACKWARD: return cell_from(agent, -1, 0);
    case JBW_ACTION_MOVE_LEFT: return cell_from(agent, 0, -1);
    case JBW_ACTION_MOVE_RIGHT: return cell_from(agent, 0, 1);
    default: return agent->state.position;
    }
}

static bool is_beyond(jbw_position cell)
{
    return cell.x > JBW_MAX_COORDINATE || cell.x < -JBW_MAX_COORDINATE ||
           cell.y > JBW_MAX_COORDINATE || cell.y < -JBW_MAX_COORDINATE;
}

// A step in the making: those who asked, in the order in which they did, and where they want to be.
typedef struct plan {
    oracle_agent *askers[ORACLE_MAX_AGENTS];
    jbw_action_kind kinds[ORACLE_MAX_AGENTS];
    const char *items[ORACLE_MAX_AGENTS]; // what to drop
    jbw_position targets[ORACLE_MAX_AGENTS];
    bool wins[ORACLE_MAX_AGENTS]; // moves, unless the cell is held
    size_t count;
} plan;

static void make_plan(oracle *o, plan *p)
{
    p->count = 0;
    for (size_t i = 0; i < o->agent_count; i++) {
        oracle_agent *agent = &o->agents[i];
        if (agent->is_gone || !agent->state.has_request) continue;
        size_t at = p->count++;
        for (; at > 0 && p->askers[at - 1]->rank > agent->rank; at--)
            p->askers[at] = p->askers[at - 1];
        p->askers[at] = agent;
    }
    for (size_t i = 0; i < p->count; i++) {
        const jbw_action *action = &o->config->agent.actions[p->askers[i]->state.request];
        p->kinds[i] = action->kind;
        p->items[i] = action->item;
        p->targets[i] = move_target(p->askers[i], action->kind);
        p->wins[i] = false;
    }
}

// is this the one of several that the world chose at random?
static bool is_drawn(const oracle *o, const oracle_agent *agent)
{
    jbw_agent_result result;
    return !jbw_agent_get_result(o->world, agent->id, &result) &&
           result.outcome != JBW_OUTCOME_LOST;
}

// one winner for each cell that is asked for
static void choose_winners(oracle *o, plan *p)
{
    for (size_t i = 0; i < p->count; i++) {
        jbw_agent_result *result = &p->askers[i]->result;
        if (!is_move(p->kinds[i])) continue;
        if (is_beyond(p->targets[i])) {
            result->outcome = JBW_OUTCOME_END_OF_WORLD;
        } else if (has_blocking_item(o, p->targets[i])) {
            result->outcome = JBW_OUTCOME_BLOCKED_BY_ITEM;
        } else {
            p->wins[i] = true;
            result->outcome = JBW_OUTCOME_DONE;
        }
    }
    if (o->config->collision == JBW_COLLISION_ALLOW) return;

    for (size_t i = 0; i < p->count; i++) {
        if (!p->wins[i]) continue;
        size_t rivals[ORACLE_MAX_AGENTS];
        size_t rival_count = 0;
        for (size_t k = i; k < p->count; k++)
            if (p->wins[k] && is_same(p->targets[k], p->targets[i])) rivals[rival_count++] = k;
        size_t winner = 0;
        if (o->config->collision == JBW_COLLISION_RANDOM && rival_count > 1) {
            size_t drawn_count = 0;
            for (size_t k = 0; k < rival_count; k++)
                if (is_drawn(o, p->askers[rivals[k]])) {
                    winner = k;
                    drawn_count++;
                }
            if (drawn_count != 1)
                tell(o, "%zu of %zu who asked for one cell have not lost", drawn_count,
                     rival_count);
        }
        for (size_t k = 0; k < rival_count; k++) {
            if (k == winner) continue;
            p->wins[rivals[k]] = false;
            p->askers[rivals[k]]->result.outcome = JBW_OUTCOME_LOST;
        }
    }
}

static bool leaves(const plan *p, const oracle_agent *agent)
{
    for (size_t i = 0; i < p->count; i++)
        if (p->askers[i] == agent) return p->wins[i];
    return false;
}

// who wants a cell that somebody keeps must stay, which may stop others in turn
static void stop_the_hindered(oracle *o, plan *p)
{
    if (o->config->collision == JBW_COLLISION_ALLOW) return;
    for (bool changes = true; changes;) {
        changes = false;
        for (size_t i = 0; i < p->count; i++)
            for (size_t k = 0; k < o->agent_count && p->wins[i]; k++) {
                const oracle_agent *other = &o->agents[k];
                if (other->is_gone || !is_same(other->state.position, p->targets[i])) continue;
                if (leaves(p, other)) continue;
                p->wins[i] = false;
                p->askers[i]->result.outcome = JBW_OUTCOME_BLOCKED_BY_AGENT;
                changes = true;
            }
    }
}

static void turn_and_move(const plan *p)
{
    for (size_t i = 0; i < p->count; i++) {
        oracle_agent *agent = p->askers[i];
        jbw_agent_result *result = &agent->result;
        int turn = 0;
        if (p->kinds[i] == JBW_ACTION_TURN_RIGHT) turn = 1;
        if (p->kinds[i] == JBW_ACTION_TURN_AROUND) turn = 2;
        if (p->kinds[i] == JBW_ACTION_TURN_LEFT) turn = 3;
        agent->state.direction = (jbw_direction)(((int)agent->state.direction + turn) % 4);
        if (turn || p->kinds[i] == JBW_ACTION_NO_OP) result->outcome = JBW_OUTCOME_DONE;
        if (p->wins[i]) {
            agent->state.position = p->targets[i];
            result->position = p->targets[i];
            result->moved = true;
        }
    }
}

static jbw_outcome try_collect(const oracle *o, oracle_agent *agent, uint8_t item)
{
    const jbw_item_type *type = &o->config->items[item - 1];
    if (type->is_uncollectable) return JBW_OUTCOME_UNCOLLECTABLE;
    for (size_t i = 0; i < type->requirement_count; i++)
        if (agent->inventory[item_type_named(o, type->requirements[i].item)] <
            type->requirements[i].count)
            return JBW_OUTCOME_LACKS_ITEMS;
    for (size_t i = 0; i < type->cost_count; i++)
        if (agent->inventory[item_type_named(o, type->costs[i].item)] < type->costs[i].count)
            return JBW_OUTCOME_LACKS_ITEMS;
    for (size_t i = 0; i < type->cost_count; i++)
        agent->inventory[item_type_named(o, type->costs[i].item)] -= type->costs[i].count;
    agent->inventory[item - 1]++;
    return JBW_OUTCOME_DONE;
}

static void collect(oracle *o, const plan *p)
{
    // who comes too late for an item that was there has lost it
    bool had_item[ORACLE_MAX_AGENTS];
    for (size_t i = 0; i < p->count; i++)
        had_item[i] = oracle_item_at(o, p->askers[i]->state.position) != 0;

    for (size_t i = 0; i < p->count; i++) {
        oracle_agent *agent = p->askers[i];
        const bool collects_by_moving =
            p->wins[i] && o->config->collection == JBW_COLLECTION_AUTOMATIC;
        const bool asks_to = p->kinds[i] == JBW_ACTION_COLLECT;
        if (!collects_by_moving && !asks_to) continue;

        const uint8_t item = oracle_item_at(o, agent->state.position);
        jbw_outcome outcome = asks_to ? JBW_OUTCOME_NOTHING_THERE : JBW_OUTCOME_NONE;
        if (item)
            outcome = try_collect(o, agent, item);
        else if (had_item[i])
            outcome = JBW_OUTCOME_LOST;
        if (outcome == JBW_OUTCOME_DONE) {
            agent->result.collected = item - 1;
            set_item(o, agent->state.position, 0);
        }
        agent->result.item = outcome;
        if (asks_to) agent->result.outcome = outcome;
    }
}

static void drop(oracle *o, const plan *p)
{
    for (size_t i = 0; i < p->count; i++) {
        if (p->kinds[i] != JBW_ACTION_DROP) continue;
        oracle_agent *agent = p->askers[i];
        const int type = item_type_named(o, p->items[i]);
        if (agent->inventory[type] == 0) {
            agent->result.outcome = JBW_OUTCOME_LACKS_ITEMS;
        } else if (oracle_item_at(o, agent->state.position)) {
            agent->result.outcome = JBW_OUTCOME_CELL_OCCUPIED;
        } else {
            agent->inventory[type]--;
            set_item(o, agent->state.position, (uint8_t)(type + 1));
            agent->result.outcome = JBW_OUTCOME_DONE;
            agent->result.dropped = type;
        }
    }
}

static jbw_agent_result blank_result(const oracle_agent *agent)
{
    return (jbw_agent_result){.action = -1,
                              .collected = -1,
                              .dropped = -1,
                              .position_before = agent->state.position,
                              .position = agent->state.position};
}

void oracle_step(oracle *o)
{
    advance_field(o); // what was there at the old time spreads
    for (size_t i = 0; i < o->agent_count; i++) {
        oracle_agent *agent = &o->agents[i];
        agent->result = blank_result(agent);
        agent->result.time = o->time + 1;
        if (agent->state.has_request) agent->result.action = agent->state.request;
    }

    plan p;
    make_plan(o, &p);
    choose_winners(o, &p);
    stop_the_hindered(o, &p);
    turn_and_move(&p);
    collect(o, &p);
    drop(o, &p);
    for (size_t i = 0; i < p.count; i++) p.askers[i]->state.has_request = false;

    o->time++;
    expect_all_needs(o);
    learn(o, false);
}

// --- agents -------------------------------------------------------------------------------------

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
    if (has_blocking_item(o, cell)) return false;
    return o->config->collision == JBW_COLLISION_ALLOW || !has_agent(o, cell);
}

// no free cell may be nearer to the origin than the one that was chosen by default
static void check_default_place(oracle *o, jbw_position place)
{
    const int64_t ring = llabs(place.x) > llabs(place.y) ? llabs(place.x) : llabs(place.y);
    for (int64_t y = 1 - ring; y < ring; y++)
        for (int64_t x = 1 - ring; x < ring; x++)
            if (is_free(o, (jbw_position){x, y}))
                tell(o, "(%" PRId64 ", %" PRId64 ") was free, but (%" PRId64 ", %" PRId64 ") taken",
                     x, y, place.x, place.y);
    if (!is_free(o, place)) tell(o, "a new agent was put on a cell that is not free");
}

jbw_status oracle_add_agent(oracle *o, const jbw_agent_options *options, jbw_status status,
                            jbw_agent_id id)
{
    const jbw_agent_options chosen = options ? *options : (jbw_agent_options){0};
    jbw_agent_state state = {.position = chosen.position, .direction = chosen.direction};
    state.is_active = true;
    if (!chosen.has_position) {
        // where that is depends on what the world finds there
        jbw_agent_state found;
        o->is_open = true;
        if (status || jbw_agent_get_state(o->world, id, &found)) return JBW_OK;
        state.position = found.position;
    }

    // whether the cell is free is known once it is final
    if (chosen.has_position && status) o->is_open = true;
    if (!status) expect_needs(o, state.position);
    learn(o, false);
    if (chosen.has_position && !chosen.is_forced && !is_free(o, state.position))
        return JBW_CELL_BLOCKED;
    if (status) return JBW_OK;

    if (!chosen.has_position) check_default_place(o, state.position);
    for (size_t i = 0; i < o->agent_count; i++)
        if (o->agents[i].id.index1 == id.index1 && o->agents[i].id.generation == id.generation)
            tell(o, "an id was used twice");
    if (id.index1 == 0) tell(o, "an id is zero");

    if (o->agent_count == ORACLE_MAX_AGENTS) abort();
    state.start = state.position;
    oracle_agent *agent = &o->agents[o->agent_count++];
    *agent = (oracle_agent){.id = id, .state = state};
    agent->result = blank_result(agent);
    return JBW_OK;
}

// the world steps by itself when somebody is active, and all who are have asked
static bool step_if_all_asked(oracle *o)
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
    step_if_all_asked(o);
    return JBW_OK;
}

jbw_status oracle_set_active(oracle *o, jbw_agent_id id, bool is_active)
{
    oracle_agent *agent = oracle_find(o, id);
    if (!agent) return JBW_NO_SUCH_AGENT;
    agent->state.is_active = is_active;
    if (!is_active) {
        agent->state.has_request = false;
        step_if_all_asked(o);
    }
    return JBW_OK;
}

static jbw_status check_request(oracle *o, jbw_agent_id id, int action)
{
    const oracle_agent *agent = oracle_find(o, id);
    if (!agent) return JBW_NO_SUCH_AGENT;
    if (!agent->state.is_active) return JBW_INVALID_ARGUMENT;
    if (action < 0 || (size_t)action >= o->config->agent.action_count) return JBW_INVALID_ARGUMENT;
    return JBW_OK;
}

static void request(oracle *o, oracle_agent *agent, int action)
{
    agent->state.has_request = true;
    agent->state.request = action;
    agent->rank = o->next_rank++;
}

jbw_status oracle_act(oracle *o, jbw_agent_id id, int action, bool *stepped)
{
    return oracle_act_together(o, &id, &action, 1, stepped);
}

jbw_status oracle_act_together(oracle *o, const jbw_agent_id *ids, const int *actions, size_t count,
                               bool *stepped)
{
    *stepped = false;
    for (size_t i = 0; i < count; i++) {
        const jbw_status status = check_request(o, ids[i], actions[i]);
        if (status) return status;
    }

    // they rank in the order in which the agents were added
    for (size_t k = 0; k < o->agent_count; k++)
        for (size_t i = 0; i < count; i++)
            if (oracle_find(o, ids[i]) == &o->agents[k]) request(o, &o->agents[k], actions[i]);
    if (count) *stepped = step_if_all_asked(o);
    return JBW_OK;
}

// --- edits and exploration ----------------------------------------------------------------------

jbw_status oracle_place_item(oracle *o, int item_type, jbw_position cell, jbw_status status)
{
    if (item_type < 0 || (size_t)item_type >= o->config->item_count) return JBW_INVALID_ARGUMENT;
    const jbw_position patch = patch_of(o, cell);
    const uint8_t item = (uint8_t)(item_type + 1);
    const size_t index = cell_index(o, cell);
    if (oracle_patch_state(o, patch) != JBW_PATCH_FINAL) {
        // the world has made it final, and if all went well it has changed this one cell
        expect_final(o, patch);
        learn(o, false);
        if (status) return o->actual[index] ? JBW_CELL_BLOCKED : JBW_OK;
        if (o->actual[index] != item) tell(o, "an item was not placed");
        o->generated[index] = o->actual[index] = 0;
    }
    if (o->actual[index]) return JBW_CELL_BLOCKED;
    set_item(o, cell, item);
    return JBW_OK;
}

jbw_status oracle_remove_item(oracle *o, jbw_position cell)
{
    if (oracle_patch_state(o, patch_of(o, cell)) != JBW_PATCH_FINAL) abort();
    if (!o->actual[cell_index(o, cell)]) return JBW_NOT_FOUND;
    set_item(o, cell, 0);
    return JBW_OK;
}

void oracle_explore(oracle *o, jbw_position cell)
{
    expect_needs(o, cell);
    learn(o, false);
}

void oracle_finalize_patch(oracle *o, jbw_position patch)
{
    expect_final(o, patch);
    learn(o, false);
}

// --- comparing ----------------------------------------------------------------------------------

static void compare_scent(oracle *o, jbw_position cell, const float *found)
{
    const double tolerance = oracle_scent_tolerance(o->config);
    double expected[ORACLE_MAX_DIMENSIONS];
    oracle_scent(o, cell, expected);
    for (int d = 0; d < o->config->scent_dimensions; d++) {
        const double error = fabs((double)found[d] - expected[d]);
        if (!(error <= tolerance))
            tell(o, "scent %d at (%" PRId64 ", %" PRId64 ") is %.9g, not %.9g", d, cell.x, cell.y,
                 (double)found[d], expected[d]);
        if (tolerance > 0) o->scent_error = fmax(o->scent_error, error / tolerance);
    }
}

bool oracle_compare_scent(oracle *o, jbw_position cell)
{
    float found[ORACLE_MAX_DIMENSIONS];
    if (jbw_world_smell(o->world, cell, found))
        tell(o, "smelling failed");
    else
        compare_scent(o, cell, found);
    return !o->problem[0];
}

static void compare_perception(oracle *o, const oracle_agent *agent)
{
    const size_t width = 2 * (size_t)o->config->agent.vision_range + 1;
    const size_t colors = (size_t)o->config->color_dimensions;
    const size_t count = width * width * colors;
    double *expected = checked(malloc((count + 1) * sizeof *expected));
    float *found = checked(malloc((count + 1) * sizeof *found));
    float scent[ORACLE_MAX_DIMENSIONS];
    for (size_t i = 0; i <= count; i++) found[i] = (float)i; // all must be overwritten but the last
    oracle_vision(o, agent, expected);
    if (jbw_agent_perceive(o->world, agent->id, found, scent)) tell(o, "perceiving failed");
    for (size_t i = 0; i < count; i++)
        if (!(fabs((double)found[i] - expected[i]) <= vision_tolerance))
            tell(o, "agent %u sees %.9g, not %.9g, in row %zu, column %zu, color %zu",
                 agent->id.index1, (double)found[i], expected[i], i / colors / width,
                 i / colors % width, i % colors);
    if (found[count] != (float)count) tell(o, "more was written than there is to see");
    compare_scent(o, agent->state.position, scent);
    free(expected);
    free(found);
}

static void compare_number(oracle *o, const oracle_agent *agent, const char *what, int64_t found,
                           int64_t expected)
{
    if (found != expected)
        tell(o, "agent %u: %s is %" PRId64 ", not %" PRId64, agent->id.index1, what, found,
             expected);
}

static void compare_agent(oracle *o, const oracle_agent *agent)
{
    jbw_agent_state state;
    if (jbw_agent_get_state(o->world, agent->id, &state)) {
        tell(o, "there is no agent %u", agent->id.index1);
        return;
    }
    const jbw_agent_state *expected = &agent->state;
    compare_number(o, agent, "x", state.position.x, expected->position.x);
    compare_number(o, agent, "y", state.position.y, expected->position.y);
    compare_number(o, agent, "direction", state.direction, expected->direction);
    compare_number(o, agent, "x of the start", state.start.x, expected->start.x);
    compare_number(o, agent, "y of the start", state.start.y, expected->start.y);
    compare_number(o, agent, "is_active", state.is_active, expected->is_active);
    compare_number(o, agent, "has_request", state.has_request, expected->has_request);
    if (expected->has_request)
        compare_number(o, agent, "request", state.request, expected->request);

    jbw_agent_result result;
    if (jbw_agent_get_result(o->world, agent->id, &result)) tell(o, "there is no result");
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
        tell(o, "there is no inventory");
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
    if (jbw_world_read_region(o->world, region, items, NULL)) tell(o, "reading failed");
    for (int i = 0; i < WIDTH * WIDTH; i++) {
        const jbw_position cell = {region.x + i % WIDTH, region.y + i / WIDTH};
        if (items[i] != oracle_item_at(o, cell))
            tell(o, "cell (%" PRId64 ", %" PRId64 ") holds %d, not %d", cell.x, cell.y, items[i],
                 oracle_item_at(o, cell));
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
                tell(o, "an agent that is gone has a state");
            continue;
        }
        if (next >= count || ids[next].index1 != agent->id.index1 ||
            ids[next].generation != agent->id.generation)
            tell(o, "agent number %zu is another one", next);
        next++;
    }
    if (next != count) tell(o, "there are %zu agents, not %zu", count, next);
}

bool oracle_compare(oracle *o, bool perceives, bool is_thorough)
{
    learn(o, is_thorough);
    if (jbw_world_time(o->world) != o->time)
        tell(o, "the time is %" PRIu64 ", not %" PRIu64, jbw_world_time(o->world), o->time);
    compare_agents(o);
    for (size_t i = 0; i < o->agent_count; i++) {
        const oracle_agent *agent = &o->agents[i];
        if (agent->is_gone) continue;
        compare_agent(o, agent);
        compare_surroundings(o, agent->state.position);
        if (perceives) compare_perception(o, agent);
    }
    return !o->problem[0];
}

// --- beginning and end --------------------------------------------------------------------------

oracle *oracle_create(const jbw_config *config, jbw_world *world, jbw_position centre_patch,
                      int patch_radius)
{
    if (config->item_count > ORACLE_MAX_TYPES || config->scent_dimensions > ORACLE_MAX_DIMENSIONS)
        abort();
    oracle *o = checked(calloc(1, sizeof *o));
    o->config = config;
    o->world = world;
    o->patch_side = 2 * patch_radius + 1;
    o->side = (int64_t)o->patch_side * config->patch_size;
    o->corner.x = (centre_patch.x - patch_radius) * config->patch_size;
    o->corner.y = (centre_patch.y - patch_radius) * config->patch_size;

    const size_t cells = (size_t)(o->side * o->side);
    const size_t patches = (size_t)(o->patch_side * o->patch_side);
    o->generated = checked(calloc(cells, 1));
    o->actual = checked(calloc(cells, 1));
    o->is_changed = checked(calloc(cells, 1));
    o->patch_states = checked(calloc(patches, 1));
    o->is_settled = checked(calloc(patches, 1));
    const size_t scents = cells * (size_t)config->scent_dimensions + 1;
    o->carried = checked(calloc(scents, sizeof *o->carried));
    o->scratch = checked(calloc(scents, sizeof *o->scratch));
    o->response = oracle_response_make(config->scent_decay, config->scent_diffusion);
    return o;
}

void oracle_destroy(oracle *o)
{
    if (!o) return;
    free(o->generated);
    free(o->actual);
    free(o->is_changed);
    free(o->patch_states);
    free(o->is_settled);
    free(o->changed_cells);
    free(o->carried);
    free(o->scratch);
    free(o->response.values);
    free(o);
}
