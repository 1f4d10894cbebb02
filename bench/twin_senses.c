// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "twin_senses.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REACH = 24 }; // cells; scent from further away is negligible

struct twin_senses {
    const jbw_config *config;
    double steady[2 * REACH + 1][2 * REACH + 1];
};

static const double pi = 3.14159265358979323846;

// the steady scent field of one source, by iterating the paper's equation
static void find_steady(double decay, double diffusion, double steady[][2 * REACH + 1])
{
    enum { SIDE = 2 * REACH + 1 };
    static double before[SIDE][SIDE];
    memset(before, 0, sizeof before);
    for (int k = 0; k < 1000; k++) {
        for (int y = 0; y < SIDE; y++)
            for (int x = 0; x < SIDE; x++) {
                double around = 0.0;
                if (x > 0) around += before[y][x - 1];
                if (x < SIDE - 1) around += before[y][x + 1];
                if (y > 0) around += before[y - 1][x];
                if (y < SIDE - 1) around += before[y + 1][x];
                const double source = x == REACH && y == REACH ? 1.0 : 0.0;
                steady[y][x] = source + decay * before[y][x] + diffusion * around;
            }
        memcpy(before, steady, sizeof before);
    }
}

twin_senses *twin_senses_create(const jbw_config *config)
{
    twin_senses *senses = calloc(1, sizeof *senses);
    if (!senses) return NULL;
    senses->config = config;
    find_steady(config->scent_decay, config->scent_diffusion, senses->steady);
    return senses;
}

void twin_senses_destroy(twin_senses *senses)
{
    free(senses);
}

// the cell at an offset ahead and to the right of an agent
static jbw_position cell_from(jbw_position cell, jbw_direction direction, int ahead, int right)
{
    switch (direction) {
    case JBW_UP: return (jbw_position){cell.x + right, cell.y + ahead};
    case JBW_RIGHT: return (jbw_position){cell.x + ahead, cell.y - right};
    case JBW_DOWN: return (jbw_position){cell.x - right, cell.y - ahead};
    case JBW_LEFT: return (jbw_position){cell.x - ahead, cell.y + right};
    }
    return cell;
}

static const jbw_item_type *item_at(const twin_senses *senses, const jbw_world *world,
                                    jbw_position cell)
{
    uint8_t content = 0;
    jbw_world_read_region(world, (jbw_region){cell.x, cell.y, 1, 1}, &content, NULL);
    return content > 0 ? &senses->config->items[content - 1] : NULL;
}

static double overlap(double a_low, double a_high, double b_low, double b_high)
{
    const double length = fmin(a_high, b_high) - fmax(a_low, b_low);
    return length > 0.0 ? length : 0.0;
}

// the fraction of one arc that lies in another
static double covered(double center, double half, double other_center, double other_half)
{
    double sum = 0.0;
    for (int turn = -1; turn <= 1; turn++) {
        const double shifted = other_center + 2.0 * pi * turn;
        sum += overlap(center - half, center + half, shifted - other_half, shifted + other_half);
    }
    return sum / (2.0 * half);
}

static double visible_part(const twin_senses *senses, const jbw_world *world, jbw_position agent,
                           jbw_direction direction, int ahead, int right)
{
    if (ahead == 0 && right == 0) return 1.0;
    const jbw_agent_config *a = &senses->config->agent;
    const double distance = sqrt((double)(ahead * ahead + right * right));
    const double center = atan2(right, ahead);
    const double half = asin(0.5 / distance);
    const double in_view = covered(center, half, 0.0, a->field_of_view * pi / 360.0);
    double hidden = 0.0;
    for (int y = -a->vision_range; a->visual_occlusion && y <= a->vision_range; y++) {
        for (int x = -a->vision_range; x <= a->vision_range; x++) {
            if ((x == 0 && y == 0) || x * x + y * y >= ahead * ahead + right * right) continue;
            const jbw_item_type *item = item_at(senses, world, cell_from(agent, direction, y, x));
            if (!item || item->occlusion == 0.0) continue;
            const double nearer = sqrt((double)(x * x + y * y));
            hidden += item->occlusion * covered(center, half, atan2(x, y), asin(0.5 / nearer));
        }
    }
    return fmin(in_view, 1.0) * fmax(1.0 - hidden, 0.0);
}

static void see(const twin_senses *senses, const jbw_world *world, jbw_position cell,
                jbw_direction direction, float *vision)
{
    const int range = senses->config->agent.vision_range;
    const int dimensions = senses->config->color_dimensions;
    for (int ahead = range; ahead >= -range; ahead--) {
        for (int right = -range; right <= range; right++, vision += dimensions) {
            const jbw_item_type *item =
                item_at(senses, world, cell_from(cell, direction, ahead, right));
            const double part = visible_part(senses, world, cell, direction, ahead, right);
            for (int d = 0; d < dimensions; d++)
                vision[d] = (float)(item && item->color ? part * item->color[d] : 0.0);
        }
    }
}

void twin_senses_perceive(twin_senses *senses, const jbw_world *world, jbw_position cell,
                          jbw_direction direction, float *vision, float *scent)
{
    const int dimensions = senses->config->scent_dimensions;
    see(senses, world, cell, direction, vision);
    for (int d = 0; d < dimensions; d++) scent[d] = 0.0f;
    for (int y = -REACH; y <= REACH; y++) {
        for (int x = -REACH; x <= REACH; x++) {
            const jbw_item_type *item =
                item_at(senses, world, (jbw_position){cell.x + x, cell.y + y});
            if (!item || !item->scent) continue;
            for (int d = 0; d < dimensions; d++)
                scent[d] += (float)(senses->steady[y + REACH][x + REACH] * item->scent[d]);
        }
    }
}
