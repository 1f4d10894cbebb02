// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What agents see, in drawings checked by hand. A cell at distance d spans asin(1 / 2d) to either
/// side of its centre; the arcs that matter here, in degrees, clockwise from straight ahead:
///
///     ahead, right     distance     arc
///     1, 0             1            -30     .. 30
///     2, 0             2            -14.478 .. 14.478
///     3, 0             3             -9.594 ..  9.594
///     1, 1             sqrt 2        24.295 .. 65.705
///     2, 1             sqrt 5        13.644 .. 39.486
///     0, 1             1             60     .. 120
#include "support/drawing.h"

#include <math.h>
#include <string.h>

enum { RANGE = 3, WIDTH = 2 * RANGE + 1 };

// Walls hide everything behind them, panes half of it. The first colour is that of apples, the
// second that of walls and panes, the third that of agents.
static const double wall_color[] = {0, 0.25, 0};
static const double apple_color[] = {1, 0, 0};
static const double pane_color[] = {0, 0.5, 0};
static const double agent_color[] = {0, 0, 1};
static const jbw_item_type items[] = {
    {.name = "Wall", .color = wall_color, .occlusion = 1, .blocks_movement = true},
    {.name = "Apple", .color = apple_color},
    {.name = "Pane", .color = pane_color, .occlusion = 0.5},
};
static const char letters[] = "#ap";

enum { FIRST, SECOND, AGENTS, COLORS };

static jbw_config config_with(double field_of_view, bool visual_occlusion)
{
    jbw_config config = drawn_config(items, 3);
    config.color_dimensions = COLORS;
    config.agent.color = agent_color;
    config.agent.vision_range = RANGE;
    config.agent.field_of_view = field_of_view;
    config.agent.visual_occlusion = visual_occlusion;
    return config;
}

typedef struct view {
    float colors[WIDTH][WIDTH][COLORS];
} view;

static view look(drawn_world *d, int agent)
{
    view seen;
    uint8_t types[WIDTH][WIDTH];
    assert_int_equal(jbw_agent_perceive(d->world, d->agents[agent], &seen.colors[0][0][0], NULL),
                     JBW_OK);
    assert_int_equal(jbw_agent_see_items(d->world, d->agents[agent], &types[0][0]), JBW_OK);
    // the items that are seen are those whose colours are seen
    for (int row = 0; row < WIDTH; row++) {
        for (int column = 0; column < WIDTH; column++) {
            const int type = types[row][column];
            assert_int_equal(type == 2, seen.colors[row][column][FIRST] > 0.0f);
            assert_int_equal(type == 1 || type == 3, seen.colors[row][column][SECOND] > 0.0f);
        }
    }
    return seen;
}

static double ahead_right(const view *seen, int ahead, int right, int color)
{
    return (double)seen->colors[RANGE - ahead][RANGE + right][color];
}

static void assert_sees(const view *seen, int ahead, int right, int color, double expected)
{
    const double found = ahead_right(seen, ahead, right, color);
    if (!(fabs(found - expected) < 1e-5))
        fail_msg("%d ahead, %d to the right: color %d is %.7f, not %.7f", ahead, right, color,
                 found, expected);
}

// --- hiding -------------------------------------------------------------------------------------

static void test_wall_hides(void **state)
{
    (void)state;
    const jbw_config config = config_with(360, true);
    drawn_world d;
    draw_world(&d, &config, letters, "^",
               "..aaa..\n"
               "..aaa..\n"
               "...#...\n"
               "...1...\n"
               "...a...\n");
    const view seen = look(&d, 1);
    assert_sees(&seen, 1, 0, SECOND, 0.25); // the wall does not hide itself
    assert_sees(&seen, 2, 0, FIRST, 0);
    assert_sees(&seen, 3, 0, FIRST, 0);
    // its arc ends at 30 degrees: (39.486 - 30) / 25.842 of these two are left
    assert_sees(&seen, 2, 1, FIRST, 0.3670785);
    assert_sees(&seen, 2, -1, FIRST, 0.3670785);
    // 9.338 .. 27.532 degrees is entirely behind it
    assert_sees(&seen, 3, 1, FIRST, 0);
    assert_sees(&seen, 3, -1, FIRST, 0);
    assert_sees(&seen, -1, 0, FIRST, 1); // on the other side
    erase_world(&d);

    // the same with occlusion switched off
    const jbw_config clear = config_with(360, false);
    draw_world(&d, &clear, letters, "^",
               "..aaa..\n"
               "..aaa..\n"
               "...#...\n"
               "...1...\n");
    const view all = look(&d, 1);
    for (int right = -1; right <= 1; right++) {
        assert_sees(&all, 2, right, FIRST, 1);
        assert_sees(&all, 3, right, FIRST, 1);
    }
    erase_world(&d);
}

// without shadows and with all around, each cell has the colours of its item and nothing else
static void test_all_around(void **state)
{
    (void)state;
    static const char *const rows[WIDTH] = {"a#p.a#p", ".pa#.ap", "#a.p#.a", "p.#1a#.",
                                            "a#p.a#p", ".pa#.ap", "#a.p#.a"};
    static const struct {
        const char *facing;
        int ahead[2]; // columns to the right and rows down, for a cell ahead
        int right[2]; // and for one to the right
    } views[] = {{"^", {0, -1}, {1, 0}},
                 {">", {1, 0}, {0, 1}},
                 {"v", {0, 1}, {-1, 0}},
                 {"<", {-1, 0}, {0, -1}}};
    char drawing[WIDTH * (WIDTH + 1) + 1] = "";
    for (int row = 0; row < WIDTH; row++) strcat(strcat(drawing, rows[row]), "\n");
    const jbw_config config = config_with(360, false);
    for (int i = 0; i < 4; i++) {
        drawn_world d;
        draw_world(&d, &config, letters, views[i].facing, drawing);
        const view seen = look(&d, 1);
        for (int ahead = -RANGE; ahead <= RANGE; ahead++) {
            for (int right = -RANGE; right <= RANGE; right++) {
                const int *a = views[i].ahead;
                const int *r = views[i].right;
                const int column = RANGE + ahead * a[0] + right * r[0];
                const char letter = rows[RANGE + ahead * a[1] + right * r[1]][column];
                assert_sees(&seen, ahead, right, FIRST, letter == 'a');
                assert_sees(&seen, ahead, right, SECOND,
                            letter == '#'   ? 0.25
                            : letter == 'p' ? 0.5
                                            : 0);
                assert_sees(&seen, ahead, right, AGENTS, letter == '1');
            }
        }
        erase_world(&d);
    }
}

static void test_half_transparent_rows(void **state)
{
    (void)state;
    const jbw_config config = config_with(360, true);
    drawn_world d;
    draw_world(&d, &config, letters, "^",
               "...a...\n"
               "...aa..\n"
               "..ppp..\n"
               "...1...\n");
    const view one_row = look(&d, 1);
    assert_sees(&one_row, 1, 0, SECOND, 0.5); // the nearest row is fully visible
    assert_sees(&one_row, 1, 1, SECOND, 0.5 * (1 - 0.5 * 0.1377653)); // 24.295 .. 30 of 41.410
    assert_sees(&one_row, 2, 0, FIRST, 0.5);
    assert_sees(&one_row, 3, 0, FIRST, 0.5 * (1 - 0)); // apples hide nothing
    // behind the pane ahead 13.644 .. 30, behind the one to the right 24.295 .. 39.486
    assert_sees(&one_row, 2, 1, FIRST, 1 - 0.5 * (16.35592 + 15.19083) / 25.84193);
    erase_world(&d);

    // half of a half would be a quarter, but the paper adds: two panes hide everything
    draw_world(&d, &config, letters, "^",
               "...a...\n"
               "...p...\n"
               "...p...\n"
               "...1...\n");
    const view two = look(&d, 1);
    assert_sees(&two, 2, 0, SECOND, 0.25);
    assert_sees(&two, 3, 0, FIRST, 0);
    erase_world(&d);

    // and a wall in front of that does not make it negative
    draw_world(&d, &config, letters, "^",
               "...a...\n"
               "...p...\n"
               "...#...\n"
               "...1...\n");
    const view all = look(&d, 1);
    assert_sees(&all, 2, 0, SECOND, 0);
    assert_sees(&all, 3, 0, FIRST, 0);
    erase_world(&d);
}

static void test_agents_never_hide(void **state)
{
    (void)state;
    const jbw_config config = config_with(360, true);
    drawn_world d;
    draw_world(&d, &config, letters, "^^^",
               ".3.a...\n"
               ".#.2...\n"
               "...1...\n");
    const view seen = look(&d, 1);
    assert_sees(&seen, 1, 0, AGENTS, 1);
    assert_sees(&seen, 2, 0, FIRST, 1); // behind an agent
    assert_sees(&seen, 1, -2, SECOND, 0.25);
    assert_sees(&seen, 2, -2, AGENTS, 1 - 0.2292307); // agents are hidden like anything else
    erase_world(&d);
}

// --- the field of view --------------------------------------------------------------------------

// an apple in every cell around the agent but its own
static const char everywhere[] = "aaaaaaa\n"
                                 "aaaaaaa\n"
                                 "aaaaaaa\n"
                                 "aaa1aaa\n"
                                 "aaaaaaa\n"
                                 "aaaaaaa\n"
                                 "aaaaaaa\n";

static void test_field_of_view(void **state)
{
    (void)state;
    // ahead, right, and the share that is seen with each field of view
    static const double fields[] = {1, 60, 90, 180, 270, 330, 360};
    static const struct {
        int ahead;
        int right;
        double shares[7];
    } cells[] = {
        {1, 0, {1.0 / 60, 1, 1, 1, 1, 1, 1}},    {2, 0, {0.0345363, 1, 1, 1, 1, 1, 1}},
        {1, 1, {0, 0.1377653, 0.5, 1, 1, 1, 1}}, // 24.295 .. 65.705
        {2, 1, {0, 0.6329215, 1, 1, 1, 1, 1}},   // 13.644 .. 39.486
        {0, 1, {0, 0, 0, 0.5, 1, 1, 1}},         // 60 .. 120
        {0, 3, {0, 0, 0, 0.5, 1, 1, 1}},         // 80.406 .. 99.594
        {-1, 1, {0, 0, 0, 0, 0.5, 1, 1}},        // 114.295 .. 155.705
        {-1, 0, {0, 0, 0, 0, 0, 0.5, 1}},        // 150 .. 210: an equal part on either side
        {-3, 0, {0, 0, 0, 0, 0, 0, 1}},          // 170.406 .. 189.594
        {-3, 3, {0, 0, 0, 0, 0.5, 1, 1}},
    };
    for (int f = 0; f < 7; f++) {
        const jbw_config config = config_with(fields[f], false);
        drawn_world d;
        draw_world(&d, &config, letters, "^", everywhere);
        const view seen = look(&d, 1);
        for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
            assert_sees(&seen, cells[i].ahead, cells[i].right, FIRST, cells[i].shares[f]);
            assert_sees(&seen, cells[i].ahead, -cells[i].right, FIRST, cells[i].shares[f]);
        }
        assert_sees(&seen, 0, 0, AGENTS, 1); // its own cell is never masked
        erase_world(&d);
    }
}

static void test_effects_multiply(void **state)
{
    (void)state;
    // the pane to the right, 60 .. 120 degrees, is out of view, but still hides a part
    const jbw_config config = config_with(90, true);
    drawn_world d;
    draw_world(&d, &config, letters, "^",
               "....a..\n"
               "...1p..\n");
    const view seen = look(&d, 1);
    assert_sees(&seen, 0, 1, SECOND, 0);
    assert_sees(&seen, 1, 1, FIRST, 0.5 * (1 - 0.5 * 0.1377653));
    erase_world(&d);
}

static void test_own_cell(void **state)
{
    (void)state;
    // a wall in the agent's own cell hides nothing, and both are seen
    const jbw_config config = config_with(1, true);
    drawn_world d;
    draw_world(&d, &config, letters, "^",
               "...a...\n"
               "...1...\n");
    assert_int_equal(jbw_world_place_item(d.world, 0, (jbw_position){3, 0}), JBW_OK);
    const view seen = look(&d, 1);
    assert_sees(&seen, 0, 0, SECOND, 0.25);
    assert_sees(&seen, 0, 0, AGENTS, 1);
    assert_sees(&seen, 1, 0, FIRST, 1.0 / 60);
    erase_world(&d);
}

// --- the agent's frame --------------------------------------------------------------------------

static void test_directions(void **state)
{
    (void)state;
    // seen by an agent that faces    up        right      down       left
    // the apple is, ahead and right  3, 1      1, -3      -3, -1     -1, 3
    // the pane is                    1, -2     -2, -1     -1, 2      2, 1
    // the wall is                    -1, 0     0, 1       1, 0       0, -1
    static const int apple[4][2] = {{3, 1}, {1, -3}, {-3, -1}, {-1, 3}};
    static const int pane[4][2] = {{1, -2}, {-2, -1}, {-1, 2}, {2, 1}};
    static const int wall[4][2] = {{-1, 0}, {0, 1}, {1, 0}, {0, -1}};
    const jbw_config config = config_with(360, false);
    drawn_world d;
    draw_world(&d, &config, letters, "^",
               "....a..\n"
               ".......\n"
               ".p.....\n"
               "...1...\n"
               "...#...\n");
    for (int direction = 0; direction < 4; direction++) {
        const view seen = look(&d, 1);
        for (int ahead = -RANGE; ahead <= RANGE; ahead++)
            for (int right = -RANGE; right <= RANGE; right++) {
                const bool has_apple = ahead == apple[direction][0] && right == apple[direction][1];
                const bool has_pane = ahead == pane[direction][0] && right == pane[direction][1];
                const bool has_wall = ahead == wall[direction][0] && right == wall[direction][1];
                assert_sees(&seen, ahead, right, FIRST, has_apple);
                assert_sees(&seen, ahead, right, SECOND, has_pane ? 0.5 : has_wall ? 0.25 : 0);
                assert_sees(&seen, ahead, right, AGENTS, ahead == 0 && right == 0);
            }
        play(&d, "1r");
    }
    erase_world(&d);
}

static void test_directions_are_equivalent(void **state)
{
    (void)state;
    // type, ahead, right: the same around four agents, whichever way they face
    static const int things[][3] = {{0, 1, 0}, {2, 1, 1}, {1, 2, 1}, {1, 3, -1}, {1, 2, -2},
                                    {0, 0, 2}, {1, 1, 2}, {1, 0, 3}, {1, -1, 0}, {2, 2, -1}};
    // one cell ahead and one to the right of an agent that faces up, right, down, left
    static const int forward[4][2] = {{0, 1}, {1, 0}, {0, -1}, {-1, 0}};
    static const int sideward[4][2] = {{1, 0}, {0, -1}, {-1, 0}, {0, 1}};
    const jbw_config config = config_with(205, true);
    view views[4];
    for (int i = 0; i < 4; i++) {
        drawn_world d;
        draw_world(&d, &config, letters, "", ".\n");
        for (size_t k = 0; k < sizeof things / sizeof things[0]; k++) {
            const int ahead = things[k][1];
            const int right = things[k][2];
            const jbw_position cell = {ahead * forward[i][0] + right * sideward[i][0],
                                       ahead * forward[i][1] + right * sideward[i][1]};
            assert_int_equal(jbw_world_place_item(d.world, things[k][0], cell), JBW_OK);
        }
        draw_agent(&d, (jbw_position){0, 0}, (jbw_direction)i);
        views[i] = look(&d, 1);
        assert_sees(&views[i], 1, 0, SECOND, 0.25);
        assert_sees(&views[i], -1, 0, FIRST, 0);
        assert_memory_equal(&views[i], &views[0], sizeof views[0]);
        erase_world(&d);
    }
}

// --- colours -------------------------------------------------------------------------------------

static void test_colors_add(void **state)
{
    (void)state;
    // two agents on one apple
    jbw_config config = config_with(360, true);
    config.collision = JBW_COLLISION_ALLOW;
    config.collection = JBW_COLLECTION_MANUAL;
    drawn_world d;
    draw_world(&d, &config, letters, "><^",
               "1a2\n"
               ".3.\n");
    play(&d, "1F 2F 3N");
    const view seen = look(&d, 3);
    assert_sees(&seen, 1, 0, FIRST, 1);
    assert_sees(&seen, 1, 0, AGENTS, 2);
    const view own = look(&d, 1);
    assert_sees(&own, 0, 0, FIRST, 1);
    assert_sees(&own, 0, 0, AGENTS, 2);
    erase_world(&d);
}

static void test_changes_are_seen(void **state)
{
    (void)state;
    const jbw_config config = config_with(360, true);
    drawn_world d;
    draw_world(&d, &config, letters, "^",
               "..a\n"
               "...\n"
               "..1\n");
    view seen = look(&d, 1);
    assert_sees(&seen, 2, 0, FIRST, 1);

    // an edit is visible at once
    assert_int_equal(jbw_world_place_item(d.world, 0, (jbw_position){2, 1}), JBW_OK);
    seen = look(&d, 1);
    assert_sees(&seen, 1, 0, SECOND, 0.25);
    assert_sees(&seen, 2, 0, FIRST, 0);
    assert_int_equal(jbw_world_remove_item(d.world, (jbw_position){2, 1}), JBW_OK);
    seen = look(&d, 1);
    assert_sees(&seen, 1, 0, SECOND, 0);
    assert_sees(&seen, 2, 0, FIRST, 1);

    // so are other agents, and their absence
    draw_agent(&d, (jbw_position){1, 0}, JBW_UP);
    seen = look(&d, 1);
    assert_sees(&seen, 0, -1, AGENTS, 1);
    play(&d, "1N 2F");
    seen = look(&d, 1);
    assert_sees(&seen, 0, -1, AGENTS, 0);
    assert_sees(&seen, 1, -1, AGENTS, 1);
    assert_int_equal(jbw_world_remove_agent(d.world, d.agents[2]), JBW_OK);
    seen = look(&d, 1);
    assert_sees(&seen, 1, -1, AGENTS, 0);
    erase_world(&d);
}

static void test_visible_shares(void **state)
{
    (void)state;
    const jbw_config config = config_with(180, true);
    drawn_world d;
    draw_world(&d, &config, letters, "^",
               "...\n"
               ".#.\n"
               "...\n"
               ".1.\n");
    enum { CELLS = WIDTH * WIDTH };
    float shares[CELLS];
    uint8_t seen[CELLS];
    assert_int_equal(jbw_agent_see_fractions(d.world, d.agents[1], shares), JBW_OK);
    assert_int_equal(jbw_agent_see_items(d.world, d.agents[1], seen), JBW_OK);
    assert_true(shares[3 * WIDTH + 3] == 1.0f); // its own cell
    assert_true(shares[1 * WIDTH + 3] == 1.0f); // the wall, two cells ahead
    assert_true(shares[0 * WIDTH + 3] < 0.01f); // right behind the wall
    assert_true(shares[2 * WIDTH + 3] == 1.0f); // in front of it
    for (int i = 4 * WIDTH; i < CELLS; i++) assert_true(shares[i] < 0.6f); // behind the agent
    for (int i = 0; i < CELLS; i++) {
        assert_true(shares[i] >= 0.0f && shares[i] <= 1.0f);
        if (seen[i] != 0) assert_true(shares[i] > 0.0f);
    }
    const jbw_agent_id nobody = {77, 1};
    assert_int_equal(jbw_agent_see_fractions(d.world, nobody, shares), JBW_NO_SUCH_AGENT);
    erase_world(&d);
}

static void test_no_range(void **state)
{
    (void)state;
    jbw_config config = config_with(360, true);
    config.agent.vision_range = 0;
    drawn_world d;
    draw_world(&d, &config, letters, "^", "a1a\n");
    float seen[COLORS + 1] = {9, 9, 9, 9};
    assert_int_equal(jbw_agent_perceive(d.world, d.agents[1], seen, NULL), JBW_OK);
    assert_true(seen[0] == 0 && seen[1] == 0 && seen[2] == 1 && seen[3] == 9);
    erase_world(&d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wall_hides),        cmocka_unit_test(test_half_transparent_rows),
        cmocka_unit_test(test_agents_never_hide), cmocka_unit_test(test_field_of_view),
        cmocka_unit_test(test_effects_multiply),  cmocka_unit_test(test_own_cell),
        cmocka_unit_test(test_directions),        cmocka_unit_test(test_directions_are_equivalent),
        cmocka_unit_test(test_colors_add),        cmocka_unit_test(test_changes_are_seen),
        cmocka_unit_test(test_visible_shares),    cmocka_unit_test(test_no_range),
        cmocka_unit_test(test_all_around),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
