// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/generate/invariant/draws.h"

#include <math.h>

#include "base/divide.h"
#include "base/dmath.h"
#include "sim/generate/invariant/noise.h"

// ---- listing ----

void jbw_draw_put(jbw_dynamics *dynamics, jbw_draw_queue *queue, jbw_draw draw)
{
    if (!jbw_draw_queue_put(queue, &dynamics->plan->model->allocator, draw))
        dynamics->is_out_of_memory = true;
}

void jbw_draw_list(jbw_dynamics *dynamics, jbw_draw_queue *queue, int time, int type, int halvings,
                   jbw_draw_kind kind)
{
    const jbw_workspace *workspace = &dynamics->workspace;
    const jbw_workspace_part *active = &workspace->active;
    const jbw_position origin = workspace->window.origin;
    const int width_bits = (halvings + 1) / 2;
    const int64_t width = INT64_C(1) << width_bits;
    const int64_t height = INT64_C(1) << (halvings - width_bits);
    const uint64_t plane =
        jbw_noise_plane(dynamics->seed, (uint64_t)time, (uint64_t)type, JBW_NOISE_TILES);
    const int64_t left = jbw_floor_divide(origin.x + active->left, width);
    const int64_t right = jbw_floor_divide(origin.x + active->right - 1, width);
    const int64_t bottom = jbw_floor_divide(origin.y + active->bottom, height);
    const int64_t top = jbw_floor_divide(origin.y + active->top - 1, height);
    for (int64_t tile_y = bottom; tile_y <= top; tile_y++) {
        const uint64_t row = jbw_noise_row(plane, tile_y);
        for (int64_t tile_x = left; tile_x <= right; tile_x++) {
            uint64_t key = jbw_noise_at(row, tile_x);
            for (int i = jbw_noise_poisson(key); i > 0; i--) {
                key = jbw_noise_next(key);
                const int64_t in_x = (int64_t)(key & (uint64_t)(width - 1));
                const int64_t in_y = (int64_t)(key >> width_bits & (uint64_t)(height - 1));
                const int x = (int)(tile_x * width + in_x - origin.x);
                const int y = (int)(tile_y * height + in_y - origin.y);
                if (x < active->left || x >= active->right || y < active->bottom ||
                    y >= active->top)
                    continue;
                jbw_draw_put(dynamics, queue,
                             (jbw_draw){.key = key,
                                        .x = (uint16_t)x,
                                        .y = (uint16_t)y,
                                        .type = (uint16_t)type,
                                        .kind = (uint16_t)kind});
            }
        }
    }
}

// ---- deciding ----

// 1 / (1 + e^-x) and 1 / (1 + e^x); the smaller one is zero where a number of 53 bits would make no
// difference
static jbw_odds find_odds(const jbw_dynamics *dynamics, int type, int32_t energy, double intensity)
{
    const double x = intensity + (double)energy * dynamics->plan->types[type].scale.unit;
    const double e = jbw_exp(-fabs(x));
    const double likely = 1.0 / (1.0 + e);
    const double unlikely = fabs(x) > 37.0 ? 0.0 : e / (1.0 + e);
    return (jbw_odds){.energy = energy,
                      .intensity = intensity,
                      .chances = {x > 0.0 ? unlikely : likely, x > 0.0 ? likely : unlikely}};
}

// the odds in a cell; few energies occur, and if few intensities do, their odds are found in a cache
static double odds_at(jbw_dynamics *dynamics, int t, int x, int y, bool adds)
{
    const jbw_workspace *workspace = &dynamics->workspace;
    const jbw_invariant_type *type = &dynamics->plan->types[t];
    const int32_t energy = jbw_workspace_energy(workspace, t, x, y);
    jbw_odds *odds = &dynamics->odds[t * JBW_ODDS + jbw_odds_slot(energy)];
    if (!type->has_constant_intensity) {
        const double intensity = jbw_workspace_intensity(workspace, t, x, y);
        if (odds->energy != energy || odds->intensity != intensity)
            *odds = find_odds(dynamics, t, energy, intensity);
        return odds->chances[adds];
    }
    if (odds->energy != energy) *odds = find_odds(dynamics, t, energy, type->constant_intensity);
    return odds->chances[adds];
}

// Which kind a draw is, no branch predictor predicts, so all of them are compared.
static bool passes(const jbw_invariant_type *type, jbw_draw_kind kind, double unit, double p)
{
    const unsigned any = unit < p;
    const unsigned low = unit < p * type->low_factor;
    const unsigned high = unit * (1.0 - type->low_bound) < p - type->low_bound;
    const unsigned not_low = unit < p - type->low_bound;
    const unsigned passing = any << JBW_DRAW_ANY | low << JBW_DRAW_LOW | high << JBW_DRAW_HIGH |
                             not_low << JBW_DRAW_NOT_LOW;
    return (passing >> kind & 1) != 0;
}

bool jbw_draw_decide_at(jbw_dynamics *dynamics, int type, int x, int y, bool adds,
                        jbw_draw_kind kind, double unit)
{
    dynamics->proposal_count++;
    const double p = odds_at(dynamics, type, x, y, adds);
    if (!passes(&dynamics->plan->types[type], kind, unit, p)) return false;
    dynamics->accepted_count++;
    jbw_workspace_flip(&dynamics->workspace, type, x, y);
    return true;
}

bool jbw_draw_decide(jbw_dynamics *dynamics, int type, int x, int y, jbw_draw_kind kind,
                     double unit)
{
    const jbw_workspace *workspace = &dynamics->workspace;
    const int cell = workspace->cells[y * workspace->window.width + x];
    if (cell == 0 || cell == type + 1)
        return jbw_draw_decide_at(dynamics, type, x, y, cell == 0, kind, unit);
    dynamics->proposal_count++;
    return false;
}
