// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The terrain maker: what it makes is what a world would generate, connections take turns, and it
/// keeps within the time for looking.
#include "support/models.h"

#include <string.h>

#include "net/game/terrain_maker.h"
#include "net/thread/clock.h"
#include "support/waiting.h"

enum { SIDE = 6, CELLS = VARIED_SIZE * VARIED_SIZE, SEED = 5 };

typedef struct scene {
    jbw_model *model;
    jbw_looking looking;
    jbw_terrain_maker *maker;
    atomic_uint news;
} scene;

static void on_made(void *user)
{
    scene *s = user;
    s->news++;
}

static void open_scene(scene *s, jbw_config config)
{
    config.generation = JBW_GENERATION_INVARIANT;
    s->model = model_of(&config);
    s->news = 0;
    jbw_looking_init(&s->looking);
    const jbw_status status =
        jbw_terrain_maker_create(s->model, SEED, NULL, &s->looking, on_made, s, &s->maker);
    assert_int_equal(status, JBW_OK);
}

static void close_scene(scene *s)
{
    jbw_terrain_maker_destroy(s->maker);
    jbw_model_destroy(s->model);
}

static void list_patches(int64_t x, size_t count, jbw_position *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = (jbw_position){x + (int64_t)(i % SIDE), (int64_t)(i / SIDE)};
}

static void wait_for_list(scene *s, uint32_t connection, uint32_t purpose)
{
    for (int i = 0; i < 60000 && jbw_terrain_maker_is_at(s->maker, connection, purpose); i++)
        pause_for(1);
    assert_false(jbw_terrain_maker_is_at(s->maker, connection, purpose));
}

static void test_patches_are_those_of_the_world(void **state)
{
    (void)state;
    scene s;
    open_scene(&s, calm_config());
    s.looking.all.is_unlimited = true;
    jbw_position wanted[SIDE * SIDE];
    list_patches(-70, SIDE * SIDE, wanted);
    jbw_terrain_maker_want(s.maker, 1, 0, wanted, SIDE * SIDE);
    wait_for_list(&s, 1, 0);
    while (jbw_terrain_maker_count(s.maker) < SIDE * SIDE) pause_for(1); // the last one
    jbw_world *world = world_of(s.model, SEED);
    for (size_t i = 0; i < SIDE * SIDE; i++) {
        uint8_t made[CELLS];
        uint8_t read[CELLS];
        const jbw_region region = {wanted[i].x * VARIED_SIZE, wanted[i].y * VARIED_SIZE,
                                   VARIED_SIZE, VARIED_SIZE};
        assert_true(jbw_terrain_maker_get(s.maker, wanted[i], made));
        assert_int_equal(jbw_world_read_region(world, region, read, NULL), JBW_OK);
        assert_memory_equal(made, read, CELLS);
    }
    uint8_t cells[CELLS];
    assert_false(jbw_terrain_maker_get(s.maker, (jbw_position){9, 9}, cells));
    // what is there is not made again
    jbw_terrain_maker_want(s.maker, 2, 3, wanted, SIDE * SIDE);
    wait_for_list(&s, 2, 3);
    assert_int_equal(jbw_terrain_maker_count(s.maker), SIDE * SIDE);
    assert_true(s.news > 0);
    jbw_world_destroy(world);
    close_scene(&s);
}

// a connection that wants little is not held up by one that wants much, in many lists
static void test_connections_take_turns(void **state)
{
    (void)state;
    scene s;
    // far terrain takes a while, so that it is not ready before this thread looks at it
    open_scene(&s, is_sanitized() ? calm_config() : varied_config(10));
    s.looking.all.is_unlimited = true;
    jbw_position far[JBW_WANTED_MOST];
    jbw_position near[4];
    for (uint32_t k = 0; k < 8; k++) {
        list_patches(100 * (k + 1), JBW_WANTED_MOST, far);
        jbw_terrain_maker_want(s.maker, 1, k, far, JBW_WANTED_MOST);
    }
    list_patches(0, 4, near);
    jbw_terrain_maker_want(s.maker, 2, 0, near, 4);
    wait_for_list(&s, 2, 0);
    assert_true(jbw_terrain_maker_count(s.maker) < 8 * JBW_WANTED_MOST);
    // lists are replaced, and end with their connection
    for (uint32_t k = 0; k < 8; k++) assert_true(jbw_terrain_maker_is_at(s.maker, 1, k));
    jbw_terrain_maker_want(s.maker, 1, 3, NULL, 0);
    assert_false(jbw_terrain_maker_is_at(s.maker, 1, 3));
    jbw_terrain_maker_forget(s.maker, 1);
    for (uint32_t k = 0; k < 8; k++) assert_false(jbw_terrain_maker_is_at(s.maker, 1, k));
    close_scene(&s);
}

static void test_without_time_nothing_is_made(void **state)
{
    (void)state;
    scene s;
    open_scene(&s, calm_config());
    jbw_position wanted[16];
    list_patches(0, 16, wanted);
    jbw_looking_use(&s.looking, JBW_LOOKING_TERRAIN, jbw_clock_now(), 100 * JBW_SECOND);
    jbw_terrain_maker_want(s.maker, 1, 0, wanted, 16);
    pause_for(50);
    assert_int_equal(jbw_terrain_maker_count(s.maker), 0);
    assert_true(jbw_terrain_maker_is_at(s.maker, 1, 0));
    close_scene(&s); // does not wait, either
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patches_are_those_of_the_world),
        cmocka_unit_test(test_connections_take_turns),
        cmocka_unit_test(test_without_time_nothing_is_made),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
