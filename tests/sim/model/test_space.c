// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Noise and biomes as statistics: shares, ranges, correlation, the spectrum along the axes and
/// elsewhere; and bounds in squares, which must never be too tight.
///
/// `test_space --spectrum` prints the power of the noise at wave numbers of one period per scale and
/// below, along the axes, along the diagonals and all around.
#include "support/checks.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/twin.h"
#include "sim/model/biome.h"
#include "sim/model/place_noise.h"
#include "support/random.h"

#define PI 3.14159265358979323846

static double noise_at(uint64_t seed, int scale, int64_t x, int64_t y)
{
    const uint64_t plane = jbw_square_plane(seed, 3, scale, JBW_PURPOSE_NOISE);
    return jbw_place_noise(plane, scale, (jbw_position){x, y});
}

// --- shares -------------------------------------------------------------------------------------

// a million points, so far apart that they are independent: numbers of regions are uniform
static void test_shares(void **state)
{
    (void)state;
    enum { SEEDS = 100, SIDE = 100, SCALE = 30, BINS = 20 };
    double counts[BINS] = {0};
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        const jbw_biomes biomes = jbw_biomes_of(seed, SCALE, (int64_t)(seed % 3));
        for (int i = 0; i < SIDE * SIDE; i++) {
            const jbw_position cell = {(i % SIDE - 50) * 1007, (i / SIDE - 50) * 1013};
            const double number = jbw_biome_number(&biomes, cell);
            assert_true(number >= 0 && number < 1);
            counts[(int)(number * BINS)]++;
        }
    }
    double sum = 0;
    for (int i = 0; i < BINS; i++) {
        sum += counts[i] / ((double)SEEDS * SIDE * SIDE);
        assert_true(fabs(sum - (i + 1.0) / BINS) < 0.002);
    }
}

// regions are about `scale` cells wide: how often two neighbours belong to different ones
static void test_size_of_regions(void **state)
{
    (void)state;
    static const int scales[] = {10, 40, 200};
    for (int k = 0; k < 3; k++) {
        const int scale = scales[k];
        int borders = 0;
        int steps = 0;
        for (uint64_t seed = 0; seed < 60; seed++) {
            const jbw_biomes biomes = jbw_biomes_of(seed, scale, 0);
            double before = jbw_biome_number(&biomes, (jbw_position){0, 17});
            for (int x = 1; x < 10 * scale; x++, steps++) {
                const double number = jbw_biome_number(&biomes, (jbw_position){x, 17});
                borders += number != before;
                before = number;
            }
        }
        // straight borders of the same sites would have 4 / pi per scale
        const double per_scale = (double)borders * scale / steps;
        assert_true(per_scale > 1.27 && per_scale < 2.0);
    }
}

// --- noise --------------------------------------------------------------------------------------

static void test_range_of_noise(void **state)
{
    (void)state;
    double least = 1;
    double most = -1;
    double sum = 0;
    double squares = 0;
    enum { POINTS = 200000 };
    for (int i = 0; i < POINTS; i++) {
        const double value = noise_at((uint64_t)(i % 100), 20, (i / 100) * 101, i * 7);
        least = fmin(least, value);
        most = fmax(most, value);
        sum += value;
        squares += value * value;
    }
    assert_true(least > -1 && least < -0.93);
    assert_true(most < 1 && most > 0.93);
    assert_true(fabs(sum / POINTS) < 0.01);
    assert_true(fabs(sqrt(squares / POINTS) - 0.55) < 0.02); // if uniform, 0.577
}

// the correlation of two cells, that far apart
static double correlation(int scale, double dx, double dy)
{
    double products = 0;
    double squares = 0;
    uint64_t random = 5;
    for (uint64_t i = 0; i < 40000; i++) {
        const int64_t x = (int64_t)random_below(&random, 100000);
        const int64_t y = (int64_t)random_below(&random, 100000);
        const double a = noise_at(i % 50, scale, x, y);
        const double b = noise_at(i % 50, scale, x + lround(dx * scale), y + lround(dy * scale));
        products += a * b;
        squares += (a * a + b * b) / 2;
    }
    return products / squares;
}

static void test_correlation(void **state)
{
    (void)state;
    static const int scales[] = {10, 50};
    for (int k = 0; k < 2; k++) {
        const int scale = scales[k];
        assert_true(correlation(scale, 0.1, 0) > 0.95);
        assert_true(fabs(correlation(scale, 3, 0)) < 0.03);
        assert_true(fabs(correlation(scale, 2, -2.3)) < 0.03);
        // 1 / e at about the scale, in all directions
        const double along_x = correlation(scale, 1, 0);
        const double along_y = correlation(scale, 0, -1);
        const double across = correlation(scale, 0.7, 0.7);
        assert_true(along_x > 0.2 && along_x < 0.4);
        assert_true(fabs(along_x - along_y) < 0.03);
        assert_true(fabs(along_x - across) < 0.04);
    }
}

// neighbours are alike even at the end of the world
static void test_far_away(void **state)
{
    (void)state;
    const int64_t far = (INT64_C(1) << 61) - 5000;
    double change = 0;
    for (int i = 0; i < 2000; i++) {
        const double here = noise_at(9, 100, far + i, -far - i);
        const double next = noise_at(9, 100, far + i + 1, -far - i);
        assert_true(fabs(here - next) < 0.06);
        assert_true(fabs(here - twin_noise(9, 100, 3, far + i, -far - i)) < 1e-12);
        change += fabs(here - next);
    }
    assert_true(change > 5);
    const jbw_biomes biomes = jbw_biomes_of(9, 100, 3);
    int differing = 0;
    for (int i = 0; i < 2000; i++) {
        const jbw_position cell = {-far + i, far - i / 2};
        differing += jbw_biome_number(&biomes, cell) != twin_biome(9, 100, 3, cell.x, cell.y);
    }
    assert_int_equal(differing, 0);
}

// --- spectrum -----------------------------------------------------------------------------------

enum { FIELD = 64, DIRECTIONS = 16, SEEDS = 100 }; // directions in half a turn

typedef double field_function(uint64_t seed, int scale, int64_t x, int64_t y);

// value noise, for comparison: random numbers at the corners of squares, interpolated in between
static double interpolated(uint64_t seed, int scale, int64_t x, int64_t y)
{
    const int64_t i = x / scale;
    const int64_t j = y / scale;
    const double u = (double)(x - i * scale) / scale;
    const double v = (double)(y - j * scale) / scale;
    double sum = 0;
    for (int k = 0; k < 4; k++) {
        const uint64_t number = jbw_square_number(jbw_square_row(seed, j + k / 2), i + k % 2) >> 11;
        sum += ((double)number * 0x1p-52 - 1) * (k % 2 ? u : 1 - u) * (k / 2 ? v : 1 - v);
    }
    return sum;
}

// the mean power, windowed, at wave vectors of `waves` periods per scale in each direction
static void find_spectrum(field_function *f, int scale, double waves, double power[DIRECTIONS])
{
    static double field[FIELD * FIELD];
    for (int d = 0; d < DIRECTIONS; d++) power[d] = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        for (int i = 0; i < FIELD * FIELD; i++) {
            const int row = i / FIELD;
            const double wx = sin(PI * (i % FIELD + 0.5) / FIELD);
            const double wy = sin(PI * (row + 0.5) / FIELD);
            // no square begins where the field does
            const int64_t x = 1000 + i % FIELD + (int64_t)(seed * 7 % 64);
            const int64_t y = 1000 + i / FIELD + (int64_t)(seed * 5 % 64);
            field[i] = f(seed, scale, x, y) * wx * wx * wy * wy;
        }
        for (int d = 0; d < DIRECTIONS; d++) {
            const double angle = PI * d / DIRECTIONS;
            const double step_x = 2 * PI * waves / scale * cos(angle);
            const double step_y = 2 * PI * waves / scale * sin(angle);
            double real = 0;
            double imaginary = 0;
            for (int i = 0; i < FIELD * FIELD; i++) {
                const int row = i / FIELD;
                const double phase = step_x * (i % FIELD) + step_y * row;
                real += field[i] * cos(phase);
                imaginary += field[i] * sin(phase);
            }
            power[d] += (real * real + imaginary * imaginary) / SEEDS;
        }
    }
}

static void summarise(const double power[DIRECTIONS], double *axes, double *diagonals, double *all)
{
    *all = 0;
    for (int d = 0; d < DIRECTIONS; d++) *all += power[d] / DIRECTIONS;
    *axes = (power[0] + power[DIRECTIONS / 2]) / 2;
    *diagonals = (power[DIRECTIONS / 4] + power[3 * DIRECTIONS / 4]) / 2;
}

// by how much the power along the axes differs from that all around, over some wave numbers
static double axis_excess(field_function *f)
{
    static const double waves[] = {0.4, 0.7, 1.0};
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        double power[DIRECTIONS], axes, diagonals, all;
        find_spectrum(f, 8, waves[i], power);
        summarise(power, &axes, &diagonals, &all);
        sum += fabs(axes / all - 1) / 3;
    }
    return sum;
}

static void test_spectrum(void **state)
{
    (void)state;
    // each of 200 independent powers is as uncertain as it is large, so each ratio is by 7 %
    const double excess = axis_excess(noise_at);
    const double of_squares = axis_excess(interpolated);
    print_message("along the axes %.3f, of interpolated squares %.3f\n", excess, of_squares);
    assert_true(excess < 0.12);
    assert_true(of_squares > 0.2); // the test would notice squares
}

static void print_spectrum(void)
{
    puts("waves,axes,diagonals,all");
    for (int i = 1; i <= 10; i++) {
        double power[DIRECTIONS], axes, diagonals, all;
        find_spectrum(noise_at, 8, 0.1 * i, power);
        summarise(power, &axes, &diagonals, &all);
        printf("%.1f,%.4g,%.4g,%.4g\n", 0.1 * i, axes, diagonals, all);
    }
}

// --- squares ------------------------------------------------------------------------------------

static bool has_number(const double *numbers, int count, double number)
{
    for (int i = 0; i < count; i++)
        if (numbers[i] == number) return true;
    return false;
}

// the cells of a square all at once, near and far, of any size, for noise of any side
static void test_cells_of_squares(void **state)
{
    (void)state;
    static const int scales[] = {2, 3, 5, 9, 20, 60, 200, 1000, 393216};
    uint64_t random = 3;
    for (int k = 0; k < 1500; k++) {
        const int scale = scales[random_below(&random, 9)];
        const int size = 1 + (int)random_below(&random, JBW_SHIFTS_SIDE);
        const int64_t reach = random_below(&random, 2) ? 1 << 14 : INT64_C(1) << 61;
        const jbw_position corner = {(int64_t)(random_next(&random) % (uint64_t)reach) - reach / 2,
                                     (int64_t)(random_next(&random) % (uint64_t)reach) - reach / 2};
        const jbw_biomes biomes = jbw_biomes_of((uint64_t)k, scale, 1);
        jbw_place_shift shifts[JBW_SHIFTS_SIDE * JBW_SHIFTS_SIDE];
        double numbers[JBW_SHIFTS_SIDE * JBW_SHIFTS_SIDE];
        jbw_place_noise_shifts((uint64_t)k, scale, corner, size, shifts);
        jbw_biome_square(&biomes, corner, size, numbers);
        for (int i = 0; i < size * size; i++) {
            const jbw_position cell = {corner.x + i % size, corner.y + i / size};
            const jbw_place_shift shift = jbw_place_noise_shift((uint64_t)k, scale, cell);
            assert_true(shifts[i].x == shift.x && shifts[i].y == shift.y);
            assert_true(numbers[i] == jbw_biome_number(&biomes, cell));
        }
    }
}

// all regions of a square are listed, near and far, and seldom others
static void test_regions_of_squares(void **state)
{
    (void)state;
    static const int sizes[] = {2, 3, 7, 16, 33, 64};
    static const int scales[] = {2, 5, 20, 60, 200, 1000};
    uint64_t random = 1;
    int single = 0;
    int listed = 0;
    for (int k = 0; k < 1500; k++) {
        const int scale = scales[random_below(&random, 6)];
        const int size = sizes[random_below(&random, 6)];
        const int64_t reach = random_below(&random, 2) ? 1 << 14 : INT64_C(1) << 61;
        const jbw_position origin = {(int64_t)(random_next(&random) % (uint64_t)reach) - reach / 2,
                                     (int64_t)(random_next(&random) % (uint64_t)reach)};
        const jbw_biomes biomes = jbw_biomes_of((uint64_t)k, scale, 1);
        double numbers[JBW_BIOMES_NEAR];
        const int count = jbw_biome_numbers(&biomes, origin, size, numbers);
        if (count == 0) assert_true(size > scale / 4);
        for (int i = 0; i < size * size && count > 0; i++) {
            const jbw_position cell = {origin.x + i % size, origin.y + i / size};
            assert_true(has_number(numbers, count, jbw_biome_number(&biomes, cell)));
        }
        if (scale == 200 && size == 16) {
            listed++;
            single += count == 1;
        }
    }
    assert_true(listed > 20 && single > listed / 2);
}

static void test_bounds_of_noise(void **state)
{
    (void)state;
    static const int sizes[] = {1, 2, 7, 16, 64};
    static const int scales[] = {2, 20, 64, 200, 1000};
    uint64_t random = 2;
    for (int k = 0; k < 600; k++) {
        const int scale = scales[random_below(&random, 5)];
        const int size = sizes[random_below(&random, 5)];
        const jbw_position origin = {(int64_t)random_below(&random, 1 << 20) - (1 << 19),
                                     (int64_t)random_below(&random, 1 << 20) - (1 << 19)};
        const uint64_t plane = jbw_square_plane((uint64_t)k, 0, scale, JBW_PURPOSE_NOISE);
        double least, most;
        jbw_place_noise_bounds(plane, scale, origin, size, &least, &most);
        double low = 1;
        double high = -1;
        for (int i = 0; i < size * size; i++) {
            const jbw_position cell = {origin.x + i % size, origin.y + i / size};
            const double value = jbw_place_noise(plane, scale, cell);
            low = fmin(low, value);
            high = fmax(high, value);
        }
        assert_true(least <= low && high <= most);
        if (size * 10 <= scale) assert_true(most - least < 0.6); // they are of use
    }
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--spectrum") == 0) {
        print_spectrum();
        return 0;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shares),
        cmocka_unit_test(test_size_of_regions),
        cmocka_unit_test(test_range_of_noise),
        cmocka_unit_test(test_correlation),
        cmocka_unit_test(test_far_away),
        cmocka_unit_test(test_spectrum),
        cmocka_unit_test(test_bounds_of_noise),
        cmocka_unit_test(test_cells_of_squares),
        cmocka_unit_test(test_regions_of_squares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
