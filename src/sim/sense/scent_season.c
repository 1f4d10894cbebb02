// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/sense/scent_season.h"

#include <string.h>

#include "base/bytes.h"
#include "base/lowest_bit.h"
#include "sim/model/season.h"
#include "sim/sense/scent_view.h"

static size_t response_size(const jbw_model *model)
{
    return (size_t)model->scent.response.octant_count;
}

size_t jbw_scent_turning_bytes(const jbw_model *model)
{
    return (size_t)model->scent.season_count * response_size(model) * sizeof(int64_t);
}

// what an item adds for every beginning and end of its season that scent remembers
static void sum_changes(const jbw_model *model, const jbw_season *season, uint64_t time,
                        int64_t *response)
{
    const uint64_t memory = (uint64_t)model->scent.memory;
    const size_t size = response_size(model);
    memset(response, 0, size * sizeof *response);
    for (uint64_t age = jbw_season_age(season, season->from, time); age < memory;
         age += season->period)
        for (size_t i = 0; i < size; i++)
            response[i] -= model->scent.response.fading[(size_t)age * size + i];
    for (uint64_t age = jbw_season_age(season, season->to, time); age < memory;
         age += season->period)
        for (size_t i = 0; i < size; i++)
            response[i] += model->scent.response.fading[(size_t)age * size + i];
}

static bool is_turning(const jbw_model *model, const jbw_season *season, uint64_t time)
{
    const uint64_t memory = (uint64_t)model->scent.memory;
    return jbw_season_age(season, season->from, time) < memory ||
           jbw_season_age(season, season->to, time) < memory;
}

// finds the types that are turning, unless that is known already
static void find_turning(jbw_scent_turning *turning, const jbw_map *map, uint64_t time)
{
    if (turning->from <= time && time < turning->until) return;
    const jbw_model *model = map->model;
    turning->count = 0;
    for (int t = 0; t < model->type_count; t++) {
        const jbw_season *season = &model->items[t].season;
        turning->phases[t] = JBW_SCENT_STEADY;
        if (season->period == 0 || !model->scent.kernels[t]) continue;
        if (!is_turning(model, season, time)) {
            if (!jbw_season_was_on(season, time, 0)) turning->phases[t] = JBW_SCENT_ABSENT;
            continue;
        }
        turning->phases[t] = JBW_SCENT_TURNING;
        sum_changes(model, season, time,
                    turning->responses + (size_t)turning->count * response_size(model));
        turning->types[turning->count++] = t;
    }
    turning->from = time;
    turning->until = turning->count > 0 ? time + 1 : map->presence.until;
}

// Adds up the responses of one type's items in a row of cells, from `left` to `right`, for a cell `dy`
// rows away in column x. Eight cells at a time, since most of them hold something else.
static int64_t sum_row(const uint8_t *cells, int left, int right, int content, int x, int dy,
                       const int64_t *response)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    const uint64_t low_bits = 0x7f * ones;
    int64_t sum = 0;
    for (int column = left; column < right; column += 8) {
        // the cells of that type are zero bytes now; the highest bits of those are set then
        const uint64_t word = jbw_get_u64(cells + column) ^ (uint64_t)content * ones;
        uint64_t found = ~(((word & low_bits) + low_bits) | word | low_bits);
        if (found == 0) continue;
        if (right - column < 8) found &= (UINT64_C(1) << 8 * (right - column)) - 1;
        for (; found != 0; found &= found - 1)
            sum += response[jbw_octant(column + jbw_lowest_bit(found) / 8 - x, dy)];
    }
    return sum;
}

static void add_items(const jbw_scent_turning *turning, const jbw_map *map, const jbw_patch *patch,
                      jbw_position cell, int64_t *faded)
{
    const jbw_model *model = map->model;
    const int size = model->patch_size;
    const int64_t reach = model->scent.response.reach;
    // the cell, in the coordinates of the patch, and what of the patch it can smell
    const jbw_position origin = jbw_map_origin(map, patch->at);
    const int64_t x = cell.x - origin.x;
    const int64_t y = cell.y - origin.y;
    const int left = x > reach ? (int)(x - reach) : 0;
    const int right = x + reach < size ? (int)(x + reach + 1) : size;
    const int bottom = y > reach ? (int)(y - reach) : 0;
    const int top = y + reach < size ? (int)(y + reach + 1) : size;
    for (int row = bottom; row < top; row++) {
        const uint8_t *cells = patch->cells + (ptrdiff_t)row * size;
        for (int i = 0; i < turning->count; i++)
            faded[turning->types[i]] +=
                sum_row(cells, left, right, turning->types[i] + 1, (int)x, (int)(row - y),
                        turning->responses + (size_t)i * response_size(model));
    }
}

int64_t jbw_scent_turning_of(const jbw_scent_turning *turning, const jbw_model *model,
                             int item_type, int octant)
{
    for (int i = 0; i < turning->count; i++)
        if (turning->types[i] == item_type)
            return turning->responses[(size_t)i * response_size(model) + (size_t)octant];
    return 0;
}

int64_t jbw_scent_season_fading(const jbw_model *model, int item_type, uint64_t time, uint64_t age,
                                int octant)
{
    const jbw_season *season = &model->items[item_type].season;
    const uint64_t memory = (uint64_t)model->scent.memory;
    const int32_t *fading = model->scent.response.fading + octant;
    const size_t size = response_size(model);
    int64_t sum = jbw_season_was_on(season, time, age + 1) ? fading[(size_t)age * size] : 0;
    for (uint64_t begun = jbw_season_age(season, season->from, time); begun < memory;
         begun += season->period)
        if (begun > age) sum -= fading[(size_t)begun * size];
    for (uint64_t ended = jbw_season_age(season, season->to, time); ended < memory;
         ended += season->period)
        if (ended > age) sum += fading[(size_t)ended * size];
    return sum;
}

// Events count as if there were no seasons; here comes the difference.
static void correct_events(const jbw_scent_turning *turning, const jbw_map *map,
                           const jbw_patch *patch, jbw_position cell, uint64_t time, int64_t *faded)
{
    const jbw_model *model = map->model;
    const jbw_scent_response *response = &model->scent.response;
    const jbw_scent_view view = jbw_scent_view_of(model, patch, cell);
    int dx;
    int dy;
    const jbw_event *event;
    for (uint64_t ticket = patch->first_event; ticket != 0; ticket = event->next) {
        event = jbw_events_get(&map->events, ticket);
        const int source = event->source;
        const uint64_t age = time - event->time;
        if (source >= model->type_count || turning->phases[source] == JBW_SCENT_STEADY ||
            age >= (uint64_t)response->memory || !jbw_scent_view_find(&view, event->cell, &dx, &dy))
            continue;
        const int octant = jbw_octant(dx, dy);
        const int64_t plain = response->fading[(size_t)age * response_size(model) + (size_t)octant];
        const int64_t fading = turning->phases[source] == JBW_SCENT_TURNING
                                   ? jbw_scent_fading(model, source, time, age, octant)
                                   : 0;
        faded[source] -= event->sign * (fading - plain);
    }
}

void jbw_scent_turning_add(jbw_scent_turning *turning, const jbw_map *map,
                           jbw_patch *const around[9], jbw_position cell, uint64_t time,
                           int64_t *faded)
{
    find_turning(turning, map, time);
    const jbw_surroundings near = jbw_map_surroundings(map, cell, map->model->scent.response.reach);
    for (int row = near.first_row; row <= near.last_row; row++)
        for (int column = near.first_column; column <= near.last_column; column++) {
            const jbw_patch *patch = around[3 * row + column];
            if (!patch) continue;
            correct_events(turning, map, patch, cell, time, faded);
            if (turning->count > 0) add_items(turning, map, patch, cell, faded);
        }
}
