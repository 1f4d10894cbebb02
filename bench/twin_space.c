// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Noise and biomes, as docs/space.md tells them: all squares around are looked at.

#include <math.h>

#include "twin.h"

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static uint64_t name(uint64_t seed, int64_t layer, int64_t scale, uint64_t purpose)
{
    const uint64_t words[4] = {seed, (uint64_t)layer, (uint64_t)scale, purpose};
    uint64_t sum = 0;
    for (int i = 0; i < 4; i++) sum = mix((sum ^ words[i]) + 0x9e3779b97f4a7c15u);
    return sum;
}

static uint64_t number_of(uint64_t plane, int64_t i, int64_t j)
{
    return mix(mix(plane + (uint64_t)j * 0xd1342543de82ef95u) + (uint64_t)i * 0x9e3779b97f4a7c15u);
}

static double part_of(uint64_t number, int first_bit)
{
    return ((double)(number >> first_bit & 65535) + 0.5) / 65536;
}

static int64_t square_of(int64_t at, int64_t side)
{
    int64_t rest = at % side;
    if (rest < 0) rest += side;
    return (at - rest) / side;
}

// the sum of the bumps around a cell, with the first or the second amplitude
static double bumps(uint64_t plane, int64_t side, int64_t x, int64_t y, int amplitude)
{
    const int64_t i = square_of(x, side);
    const int64_t j = square_of(y, side);
    const double at_x = (double)(x - i * side) / (double)side;
    const double at_y = (double)(y - j * side) / (double)side;
    double sum = 0;
    for (int v = -2; v <= 2; v++) {
        for (int u = -2; u <= 2; u++) {
            const uint64_t number = number_of(plane, i + u, j + v);
            const double dx = u + part_of(number, 0) - at_x;
            const double dy = v + part_of(number, 16) - at_y;
            const double q = (dx * dx + dy * dy) / (1.5 * 1.5);
            if (q < 1)
                sum += (2 * part_of(number, 32 + 16 * amplitude) - 1) * (1 - q) * (1 - q) * (1 - q);
        }
    }
    return sum;
}

double twin_noise(uint64_t seed, int64_t scale, int64_t layer, int64_t x, int64_t y)
{
    const double s = 1.5 * bumps(name(seed, layer, scale, 16), scale, x, y, 0);
    return s / sqrt(1 + s * s);
}

double twin_biome(uint64_t seed, int64_t scale, int64_t layer, int64_t x, int64_t y)
{
    const uint64_t plane = name(seed, layer, scale, 17);
    const int64_t finer = scale < 3 ? 1 : scale / 3;
    const int64_t i = square_of(x, scale);
    const int64_t j = square_of(y, scale);
    const double at_x =
        (double)(x - i * scale) / (double)scale + 0.2 * bumps(mix(plane), finer, x, y, 0);
    const double at_y =
        (double)(y - j * scale) / (double)scale + 0.2 * bumps(mix(plane), finer, x, y, 1);
    uint64_t nearest = 0;
    double least = INFINITY;
    for (int v = -4; v <= 4; v++) {
        for (int u = -4; u <= 4; u++) {
            const uint64_t number = number_of(plane, i + u, j + v);
            const double site_x = u + (double)(number >> 32) / 4294967296.0;
            const double site_y = v + (double)(number & 4294967295u) / 4294967296.0;
            const double d = hypot(site_x - at_x, site_y - at_y);
            if (d >= least) continue;
            least = d;
            nearest = number;
        }
    }
    return (double)(mix(nearest + 0xe7037ed1a0b428dbu) >> 11) / 9007199254740992.0;
}
