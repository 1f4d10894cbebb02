// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "support/step_scene.h"

const jbw_collision all_policies[3] = {JBW_COLLISION_FIRST, JBW_COLLISION_RANDOM,
                                       JBW_COLLISION_ALLOW};

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

void draw_scene_with(drawn_world *d, jbw_collision collision, jbw_collection collection,
                     const char *facing, const char *drawing)
{
    jbw_config config = drawn_config(items, TYPES);
    config.collision = collision;
    config.collection = collection;
    draw_world(d, &config, letters, facing, drawing);
}

void draw_scene(drawn_world *d, jbw_collision collision, const char *facing, const char *drawing)
{
    draw_scene_with(d, collision, JBW_COLLECTION_AUTOMATIC, facing, drawing);
}

void place_item(drawn_world *d, int type, int64_t x, int64_t y)
{
    assert_int_equal(jbw_world_place_item(d->world, type, (jbw_position){x, y}), JBW_OK);
}
