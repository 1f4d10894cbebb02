// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The shapes of items: where they are, how they are chosen, and, where angles were avoided, compared
/// with the same shape written with angles.
#include "support/shipped.h"

#include <math.h>
#include <stdio.h>

#include "io/draw/shape.h"

#define TURN 6.283185307179586

static void test_middle(void **state)
{
    (void)state;
    for (int shape = 0; shape < JBW_SHAPE_COUNT; shape++) {
        const jbw_point middle = {0.0, 0.0};
        if (jbw_shape_distance((jbw_shape)shape, middle) > -0.02)
            fail_msg("the middle of shape %d is not inside", shape);
        for (int scale = 20; scale < 500; scale++)
            if (fabs(jbw_shape_mark((jbw_shape)shape, middle, 1.0 / scale)) > 0.0)
                fail_msg("the middle of shape %d is marked at %d pixels", shape, scale);
    }
}

// walls fill their cells; all others leave the edges of theirs free
static void test_within_cell(void **state)
{
    (void)state;
    for (int shape = 0; shape < JBW_SHAPE_COUNT; shape++) {
        for (int step = -50; step <= 50; step++) {
            const double along = step / 100.0;
            const jbw_point edges[] = {{along, 0.5}, {along, -0.5}, {0.5, along}, {-0.5, along}};
            for (int i = 0; i < 4; i++) {
                const double distance = jbw_shape_distance((jbw_shape)shape, edges[i]);
                if ((distance < 0.0) != (shape == JBW_SHAPE_BRICKS))
                    fail_msg("shape %d at (%g, %g): distance %g", shape, edges[i].x, edges[i].y,
                             distance);
            }
        }
    }
}

// a distance never changes by much more than the way between two points
static void test_slope(void **state)
{
    (void)state;
    for (int shape = 0; shape < JBW_SHAPE_COUNT; shape++) {
        for (int row = -50; row < 50; row++) {
            for (int column = -50; column < 50; column++) {
                const double x = column / 100.0;
                const double y = row / 100.0;
                const double here = jbw_shape_distance((jbw_shape)shape, (jbw_point){x, y});
                const double there =
                    jbw_shape_distance((jbw_shape)shape, (jbw_point){x + 0.001, y});
                if (fabs(here) < 0.1 && fabs(there - here) > 0.00161)
                    fail_msg("shape %d jumps at (%g, %g): %g, %g", shape, x, y, here, there);
            }
        }
    }
}

static double slow_polygon(jbw_point p, double corners, double radius, double deeper)
{
    const double part = TURN / corners;
    const double angle = atan2(p.x, p.y) + 2.0 * TURN;
    const double within = fabs(fmod(angle + 0.5 * part, part) - 0.5 * part);
    const double away = hypot(p.x, p.y);
    const double inner = radius * cos(0.5 * part) * (1.0 - deeper);
    const double side_x = inner * sin(0.5 * part);
    const double side_y = inner * cos(0.5 * part) - radius;
    return (away * sin(within) * -side_y + (away * cos(within) - radius) * side_x) /
           hypot(side_x, side_y);
}

static double slow_shape(jbw_shape shape, jbw_point p)
{
    const double angle = atan2(p.y, p.x);
    switch (shape) {
    case JBW_SHAPE_TRIANGLE: return slow_polygon((jbw_point){p.x, p.y + 0.07}, 3.0, 0.44, 0.0);
    case JBW_SHAPE_HEXAGON: return slow_polygon(p, 6.0, 0.40, 0.0);
    case JBW_SHAPE_STAR: return slow_polygon(p, 5.0, 0.44, 0.42);
    case JBW_SHAPE_BOULDER: {
        const jbw_point q = {cos(0.3) * p.x - sin(0.3) * p.y, sin(0.3) * p.x + cos(0.3) * p.y};
        return slow_polygon(q, 7.0, 0.49, 0.0);
    }
    default: // a truffle
        return 0.9 *
               (hypot(p.x, p.y) - 0.32 - 0.03 * sin(5.0 * angle + 0.6) - 0.02 * sin(8.0 * angle));
    }
}

static void test_slow_twins(void **state)
{
    (void)state;
    static const jbw_shape shapes[] = {JBW_SHAPE_TRIANGLE, JBW_SHAPE_HEXAGON, JBW_SHAPE_STAR,
                                       JBW_SHAPE_BOULDER, JBW_SHAPE_TRUFFLE};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        for (int row = -50; row < 50; row++) {
            for (int column = -50; column < 50; column++) {
                const double x = column / 100.0 + 0.007;
                const double y = row / 100.0 + 0.003;
                const jbw_point at = {x, y};
                const double found = jbw_shape_distance(shapes[i], at);
                if (fabs(found - slow_shape(shapes[i], at)) > 1e-9)
                    fail_msg("shape %d at (%g, %g): %g, expected %g", (int)shapes[i], x, y, found,
                             slow_shape(shapes[i], at));
            }
        }
    }
}

static void test_agent_points_up(void **state)
{
    (void)state;
    assert_true(jbw_agent_shape_distance((jbw_point){0.0, 0.38}) < 0.0); // the tip
    assert_true(jbw_agent_shape_distance((jbw_point){0.0, -0.3}) > 0.0); // the notch
    assert_true(jbw_agent_shape_distance((jbw_point){0.27, -0.3}) < 0.0);
    assert_true(jbw_agent_shape_distance((jbw_point){0.2, 0.3}) > 0.0);
}

static void expect_shapes(const char *text, const jbw_shape *expected, int count)
{
    jbw_config *config = parse_config(text);
    jbw_model *model = model_of(config);
    jbw_shape shapes[JBW_MAX_ITEM_TYPES];
    jbw_shapes_choose(model, shapes);
    for (int i = 0; i < count; i++) assert_int_equal(shapes[i], expected[i]);
    jbw_model_destroy(model);
    jbw_config_free(config);
}

static void test_choice(void **state)
{
    (void)state;
    static const jbw_shape known[] = {JBW_SHAPE_BEAN,   JBW_SHAPE_BANANA, JBW_SHAPE_ONION,
                                      JBW_SHAPE_BRICKS, JBW_SHAPE_TREE,   JBW_SHAPE_TRUFFLE};
    jbw_model *model = shipped_model("paper-code");
    jbw_shape shapes[JBW_MAX_ITEM_TYPES];
    jbw_shapes_choose(model, shapes);
    assert_memory_equal(shapes, known, sizeof known);
    jbw_model_destroy(model);

    // a second bean, a name that says nothing, and two walls
    static const jbw_shape others[] = {JBW_SHAPE_DISC, JBW_SHAPE_BEAN, JBW_SHAPE_BRICKS,
                                       JBW_SHAPE_DIAMOND, JBW_SHAPE_BOULDER};
    expect_shapes("patch_size: 4\ncolor_dimensions: 1\nscent_dimensions: 0\n"
                  "agent: {vision_range: 1}\n"
                  "items: {Thing: {color: [1]}, REDBEAN: {color: [1]}, BrickWall: {color: [1], "
                  "blocks_movement: true}, "
                  "Beans: {color: [1]}, Door: {color: [1], blocks_movement: true}}\n",
                  others, 5);
}

// more types than shapes: shapes repeat, and nothing is out of range
static void test_many_types(void **state)
{
    (void)state;
    char text[8192];
    int length = snprintf(text, sizeof text,
                          "patch_size: 4\ncolor_dimensions: 1\nscent_dimensions: 0\n"
                          "agent: {vision_range: 1}\nitems:\n");
    for (int i = 0; i < 100; i++)
        length += snprintf(text + length, sizeof text - (size_t)length,
                           "  T%d: {color: [1], blocks_movement: %s}\n", i,
                           i % 3 == 0 ? "true" : "false");
    jbw_config *config = parse_config(text);
    jbw_model *model = model_of(config);
    jbw_shape shapes[JBW_MAX_ITEM_TYPES];
    jbw_shapes_choose(model, shapes);
    for (int i = 0; i < 100; i++) assert_in_range(shapes[i], 0, JBW_SHAPE_COUNT - 1);
    for (int i = 1; i < 8; i++) assert_int_not_equal(shapes[i], shapes[0]);
    jbw_model_destroy(model);
    jbw_config_free(config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_middle),          cmocka_unit_test(test_within_cell),
        cmocka_unit_test(test_slope),           cmocka_unit_test(test_slow_twins),
        cmocka_unit_test(test_agent_points_up), cmocka_unit_test(test_choice),
        cmocka_unit_test(test_many_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
