// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What happens in a step and between steps, in drawings checked by hand: who gets a cell, who an
/// item, how agents come and go, edits, and all that is refused.
#include "drawing.h"

#include <string.h>

static const jbw_item_count needs_axe[] = {{"Axe", 1}};
static const jbw_item_count costs_two_apples[] = {{"Apple", 2}};
static const jbw_item_type items[] = {
    {.name = "Apple"},
    {.name = "Boulder", .blocks_movement = true},
    {.name = "Axe", .costs = costs_two_apples, .cost_count = 1},
    {.name = "Wood", .requirements = needs_axe, .requirement_count = 1},
    {.name = "Statue", .is_uncollectable = true},
    {.name = "Wall", .blocks_movement = true, .is_uncollectable = true},
};
static const char letters[] = "abxws#";
enum { APPLE, BOULDER, AXE, WOOD, STATUE, WALL, TYPES };

static jbw_config config_with(jbw_collision collision, jbw_collection collection)
{
    jbw_config config = drawn_config(items, TYPES);
    config.collision = collision;
    config.collection = collection;
    return config;
}

static void draw(drawn_world *d, jbw_collision collision, const char *facing, const char *drawing)
{
    const jbw_config config = config_with(collision, JBW_COLLECTION_AUTOMATIC);
    draw_world(d, &config, letters, facing, drawing);
}

static void draw_manual(drawn_world *d, jbw_collision collision, const char *facing,
                        const char *drawing)
{
    const jbw_config config = config_with(collision, JBW_COLLECTION_MANUAL);
    draw_world(d, &config, letters, facing, drawing);
}

static void place(drawn_world *d, int type, int64_t x, int64_t y)
{
    assert_int_equal(jbw_world_place_item(d->world, type, (jbw_position){x, y}), JBW_OK);
}

// agents may not share cells, however conflicts are solved
static const jbw_collision exclusive[] = {JBW_COLLISION_FIRST, JBW_COLLISION_RANDOM};

// --- moving -------------------------------------------------------------------------------------

static void test_moves_and_turns(void **state)
{
    (void)state;
    drawn_world d;
    draw(&d, JBW_COLLISION_FIRST, "^>v<",
         ".........\n"
         ".1.2.3.4.\n"
         ".........\n");
    play(&d, "1F 2F 3F 4F"); // relative to the agent
    assert_drawing(&d,
                   ".1.....\x2e.\n" + 0);
    erase_world(&d);
}
