// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Watching an invariant world: any place is shown, a few patches at a time, and the world does not
/// notice.
#include "support/models.h"

#include <stdlib.h>
#include <string.h>

#include "jbw/state.h"
#include "net/server/watch.h"

enum { SIZE = 16, SIDE = 6, FRAMES_MOST = 50 };

static const jbw_item_type apples[] = {{.name = "Apple", .intensity = "Constant[-1.5]"}};

typedef struct seen {
    uint8_t cells[SIDE][SIDE][SIZE * SIZE]; // by row and column of patches
    size_t patch_count;
    size_t frame_count;
} seen;

// makes frames until there is nothing more to tell
static void watch_all(jbw_watch *watch, const jbw_view_copy *picture, seen *s)
{
    jbw_scratch scratch = {0};
    s->patch_count = 0;
    s->frame_count = 0;
    while (jbw_watch_is_behind(watch, picture)) {
        jbw_scratch read = {0};
        jbw_buffer bytes = {0};
        jbw_message message;
        assert_true(jbw_watch_make_frame(watch, picture, &scratch, &bytes));
        assert_int_equal(jbw_message_decode(bytes.bytes, bytes.size, &read, &message), JBW_OK);
        assert_true(message.frame.patches_count <= 8);
        for (size_t i = 0; i < message.frame.patches_count; i++) {
            const jbw_wire_patch *patch = &message.frame.patches[i];
            assert_int_equal(patch->state, JBW_PATCH_FINAL);
            assert_int_equal(patch->items.count, SIZE * SIZE);
            memcpy(s->cells[patch->position.y - watch->first_patch.y]
                           [patch->position.x - watch->first_patch.x],
                   patch->items.at, SIZE * SIZE);
        }
        s->patch_count += message.frame.patches_count;
        assert_in_range(++s->frame_count, 1, FRAMES_MOST);
        jbw_buffer_free(&bytes);
        jbw_scratch_deinit(&read);
    }
    jbw_scratch_deinit(&scratch);
}

static jbw_view_copy take_picture(const jbw_world *world, uint64_t number)
{
    jbw_view_copy picture = {.number = number};
    assert_int_equal(jbw_world_clone(world, &picture.world), JBW_OK);
    return picture;
}

static void assert_shows(const jbw_world *world, jbw_region region, const seen *s)
{
    uint8_t cells[SIDE * SIZE * SIDE * SIZE];
    assert_int_equal(jbw_world_read_region(world, region, cells, NULL), JBW_OK);
    for (int y = 0; y < SIDE * SIZE; y++)
        for (int x = 0; x < SIDE * SIZE; x++)
            assert_int_equal(s->cells[y / SIZE][x / SIZE][y % SIZE * SIZE + x % SIZE],
                             cells[y * SIDE * SIZE + x]);
}

static void test_far_places(void **state)
{
    (void)state;
    static seen s;
    jbw_config config = small_config(SIZE, 10, apples, 1);
    config.generation = JBW_GENERATION_INVARIANT;
    jbw_model *model = model_of(&config);
    jbw_world *world;
    assert_int_equal(jbw_world_create(model, 4, &world), JBW_OK);
    const jbw_region region = {SIZE * INT64_C(70000000), -SIZE * INT64_C(5), SIDE * SIZE,
                               SIDE * SIZE};
    const jbw_wire_subscribe wanted = {.topic = 1, .region = region};
    jbw_watch watch = {0};
    assert_int_equal(jbw_watch_init(&watch, model, 1, &wanted, 0), JBW_OK);

    const uint64_t hash = jbw_world_hash(world);
    jbw_view_copy first = take_picture(world, 1);
    watch_all(&watch, &first, &s);
    assert_int_equal(s.patch_count, SIDE * SIDE);
    assert_int_equal(s.frame_count, (SIDE * SIDE + 7) / 8);
    assert_shows(world, region, &s);
    assert_int_equal(jbw_world_hash(world), hash);
    assert_int_equal(jbw_world_get_stats(first.world).patch_count, 0);

    // only what has changed is sent again, also when it is not in memory any more
    const jbw_position cell = {region.x + 40, region.y + 20};
    const jbw_status removed = jbw_world_remove_item(world, cell);
    if (removed == JBW_NOT_FOUND) assert_int_equal(jbw_world_place_item(world, 0, cell), JBW_OK);
    jbw_buffer saved = {0};
    jbw_world *loaded;
    jbw_model *none;
    assert_int_equal(jbw_world_encode(world, &saved), JBW_OK);
    const jbw_load_options options = {.model = model};
    assert_int_equal(jbw_world_decode(saved.bytes, saved.size, &options, &none, &loaded, NULL),
                     JBW_OK);
    assert_int_equal(jbw_world_get_stats(loaded).patch_count, 0);
    jbw_view_copy second = take_picture(loaded, 2);
    jbw_world_pass_on(first.world, second.world);
    watch_all(&watch, &second, &s);
    assert_int_equal(s.patch_count, 1);
    assert_shows(world, region, &s);
    assert_true(jbw_world_patch_is_ready(world, jbw_world_patch_of(world, cell)));
    assert_false(jbw_world_patch_is_ready(loaded, jbw_world_patch_of(world, cell)));
    assert_int_equal(jbw_world_patch_mark(world, jbw_world_patch_of(world, cell)),
                     jbw_world_patch_mark(loaded, jbw_world_patch_of(world, cell)));

    jbw_buffer_free(&saved);
    jbw_watch_deinit(&watch);
    jbw_world_destroy(first.world);
    jbw_world_destroy(second.world);
    jbw_world_destroy(loaded);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_far_places),
    };
    return cmocka_run_group_tests_name("watch", tests, NULL, NULL);
}
