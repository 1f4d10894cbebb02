// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Watches: frames contain what has changed, at any scale; of an invariant world they show any
/// place, once it is made, without changing it.
#include "support/stage.h"

#include <string.h>

#include "net/server/watch.h"
#include "net/wire/limits.h"
#include "support/waiting.h"

// ---- frames ----

// after each frame, what a viewer has seen of the map is up to date
static void test_frames_contain_changed_patches(void **state)
{
    (void)state;
    stage s;
    jbw_agent_id a;
    stage_open_ann(&s, NULL, &a, 1);
    const jbw_wire_subscribe wanted = {.topic = JBW_TOPIC_REGION, .region = {-16, -16, 32, 32}};
    jbw_watch watch;
    assert_int_equal(jbw_watch_init(&watch, s.model, 77, &wanted, 1), JBW_OK);
    jbw_view_copy copy = {.world = s.world};
    jbw_scratch scratch = {0};
    jbw_buffer bytes = {0};
    size_t patch_total = 0;
    uint8_t seen[4][256] = {{0}};
    for (int round = 0; round < 40; round++) {
        copy.number++;
        bytes.size = 0;
        assert_true(jbw_watch_is_behind(&watch, &copy));
        assert_true(jbw_watch_make_frame(&watch, &copy, &scratch, &bytes));
        assert_false(jbw_watch_is_behind(&watch, &copy));
        jbw_message frame;
        assert_int_equal(jbw_message_decode(bytes.bytes, bytes.size, &scratch, &frame), JBW_OK);
        assert_int_equal(frame.request, 77);
        assert_int_equal(frame.frame.time, jbw_world_time(s.world));
        assert_int_equal(frame.frame.agents_count, 1);
        for (size_t i = 0; i < frame.frame.patches_count; i++) {
            const jbw_wire_patch *patch = &frame.frame.patches[i];
            assert_int_equal(patch->items.count, 256);
            const size_t at = (size_t)(2 * (patch->position.y + 1) + patch->position.x + 1);
            assert_true(at < 4);
            memcpy(seen[at], patch->items.at, 256);
        }
        patch_total += frame.frame.patches_count;
        for (int64_t i = 0; i < 4; i++) {
            uint8_t items[256];
            const jbw_region cells = {16 * (i % 2) - 16, 16 * (i / 2) - 16, 16, 16};
            assert_int_equal(jbw_world_read_region(s.world, cells, items, NULL), JBW_OK);
            assert_memory_equal(seen[i], items, sizeof items);
        }
        stage_ask(&s, 0, stage_act(a, round % 9 == 8 ? 1 : 0, true));
    }
    assert_true(patch_total >= 4 && patch_total < 80); // not all of them in each frame
    jbw_watch_deinit(&watch);
    jbw_scratch_deinit(&scratch);
    jbw_buffer_free(&bytes);
    stage_close(&s);
}

// with all that agents cannot see, a viewer has every plane, and gets it again when a season turns
static void test_frames_contain_what_is_hidden(void **state)
{
    (void)state;
    stage s;
    stage_prepare_season(&s, (jbw_season){.period = 40, .from = 0, .to = 20});
    stage_start(&s, NULL);
    stage_hello(&s, 0, "ann-secret");
    stage_add(&s, 0);
    jbw_wire_subscribe wanted = {
        .topic = JBW_TOPIC_REGION, .region = {0, 0, 16, 16}, .wants = JBW_WANT_UNSEEN};
    jbw_watch watch;
    assert_int_equal(jbw_watch_init(&watch, s.model, 77, &wanted, 1), JBW_OK);
    jbw_view_copy copy = {.world = s.world};
    jbw_scratch scratch = {0};
    jbw_buffer bytes = {0};
    size_t patch_total = 0;
    uint8_t seen[3][256] = {{0}};
    uint8_t planes[3][256];
    for (int time = 0; time < 45; time++) {
        copy.number++;
        bytes.size = 0;
        assert_true(jbw_watch_make_frame(&watch, &copy, &scratch, &bytes));
        jbw_message frame;
        assert_int_equal(jbw_message_decode(bytes.bytes, bytes.size, &scratch, &frame), JBW_OK);
        patch_total += frame.frame.patches_count;
        if (frame.frame.patches_count > 0) {
            assert_int_equal(frame.frame.patches[0].items.count, sizeof seen);
            memcpy(seen, frame.frame.patches[0].items.at, sizeof seen);
        }
        const jbw_region_planes into = {
            .items = planes[0], .hidden = planes[1], .growing = planes[2]};
        assert_int_equal(jbw_world_read_planes(s.world, wanted.region, &into), JBW_OK);
        assert_memory_equal(seen, planes, sizeof seen);
        stage_ask(&s, 0, ASK(STEP, .step.count = 1));
    }
    assert_int_equal(patch_total, 3); // at the beginning, and at times 20 and 40
    jbw_watch_deinit(&watch);
    jbw_scratch_deinit(&scratch);
    jbw_buffer_free(&bytes);

    wanted.detail = 1;
    assert_int_equal(jbw_watch_init(&watch, s.model, 77, &wanted, 1), JBW_INVALID_ARGUMENT);
    wanted = (jbw_wire_subscribe){.topic = JBW_TOPIC_AGENT, .wants = JBW_WANT_UNSEEN};
    assert_int_equal(jbw_watch_init(&watch, s.model, 77, &wanted, 1), JBW_INVALID_ARGUMENT);
    stage_close(&s);
}

// with words, a frame tells bodies and what was said, of an agent also what it heard and reads
static void test_scenes(void **state)
{
    (void)state;
    stage s;
    stage_prepare_words(&s);
    stage_start(&s, NULL);
    stage_hello(&s, 0, "ann-secret");
    jbw_wire_wish wishes[3];
    for (int i = 0; i < 3; i++) {
        const jbw_message reply = stage_ask(&s, 0, ASK(JOIN, .join.body = i == 1));
        wishes[i] =
            (jbw_wire_wish){.agent = reply.agents.agents[0].agent, .action = 2, .say = (uint8_t)i};
    }
    stage_ask(&s, 0, ASK(ACT_WORDS, .act_words = {.wishes = wishes, .wishes_count = 3}));
    assert_int_equal(jbw_world_time(s.world), 1);
    jbw_view_copy copy = {.world = s.world, .number = 1};
    jbw_scratch scratch = {0};
    jbw_buffer bytes = {0};
    for (int topic = 0; topic < 3; topic++) {
        const jbw_wire_subscribe wanted = {.topic = (uint8_t)topic,
                                           .region = {-8, -8, 16, 16},
                                           .agent = wishes[1].agent,
                                           .wants = JBW_WANT_WORDS};
        jbw_watch watch;
        assert_int_equal(jbw_watch_init(&watch, s.model, 77, &wanted, 1), JBW_OK);
        bytes.size = 0;
        assert_true(jbw_watch_make_frame(&watch, &copy, &scratch, &bytes));
        jbw_message frame;
        assert_int_equal(jbw_message_decode(bytes.bytes, bytes.size, &scratch, &frame), JBW_OK);
        assert_int_equal(frame.type, JBW_MESSAGE_SCENE);
        const bool is_one = topic == JBW_TOPIC_AGENT;
        const size_t count = is_one ? 1 : 3;
        assert_int_equal(frame.scene.frame.time, 1);
        assert_int_equal(frame.scene.frame.agents_count, count);
        assert_int_equal(frame.scene.bodies.count, count);
        assert_int_equal(frame.scene.said.count, count);
        assert_memory_equal(frame.scene.bodies.at, is_one ? "\1" : "\0\1\0", count);
        assert_memory_equal(frame.scene.said.at, is_one ? "\1" : "\0\1\2", count);
        assert_int_equal(frame.scene.words_count, is_one);
        if (is_one) {
            const jbw_wire_words *words = &frame.scene.words[0];
            assert_int_equal(words->heard.count, 3);
            assert_true(words->heard.at[0] == 0 && words->heard.at[1] == 1);
        }
        jbw_watch_deinit(&watch);
    }
    // a step later nobody has said anything
    expect_ok(stage_ask(&s, 0, stage_set_active(wishes[2].agent, false)));
    expect_ok(stage_ask(&s, 0, ASK(STEP, .step.count = 1)));
    const jbw_wire_subscribe wanted = {.topic = JBW_TOPIC_ALL, .wants = JBW_WANT_WORDS};
    jbw_watch watch;
    assert_int_equal(jbw_watch_init(&watch, s.model, 77, &wanted, 1), JBW_OK);
    bytes.size = 0;
    assert_true(jbw_watch_make_frame(&watch, &copy, &scratch, &bytes));
    jbw_message frame;
    assert_int_equal(jbw_message_decode(bytes.bytes, bytes.size, &scratch, &frame), JBW_OK);
    assert_memory_equal(frame.scene.said.at, "\0\0\0", 3);
    jbw_watch_deinit(&watch);
    jbw_scratch_deinit(&scratch);
    jbw_buffer_free(&bytes);
    stage_close(&s);
}

static void test_coarse_frames(void **state)
{
    (void)state;
    stage s;
    stage_open_ann(&s, NULL, NULL, 0);
    stage_add(&s, 0);
    const jbw_wire_subscribe wanted = {
        .topic = JBW_TOPIC_REGION, .region = {0, 0, 16, 16}, .detail = 3};
    jbw_watch watch;
    assert_int_equal(jbw_watch_init(&watch, s.model, 1, &wanted, 1), JBW_OK);
    const jbw_view_copy copy = {.world = s.world, .number = 1};
    jbw_scratch scratch = {0};
    jbw_buffer bytes = {0};
    assert_true(jbw_watch_make_frame(&watch, &copy, &scratch, &bytes));
    jbw_message frame;
    assert_int_equal(jbw_message_decode(bytes.bytes, bytes.size, &scratch, &frame), JBW_OK);
    assert_int_equal(frame.frame.patches_count, 1);
    assert_int_equal(frame.frame.patches[0].items.count, 4 * 4);
    for (int64_t i = 0; i < 4; i++) {
        uint8_t items[64];
        int count = 0;
        const jbw_region cells = {8 * (i % 2), 8 * (i / 2), 8, 8};
        assert_int_equal(jbw_world_read_region(s.world, cells, items, NULL), JBW_OK);
        for (int j = 0; j < 64; j++) count += items[j] > 0;
        // both types have the colour (1, 0.5, 0.25), so red equals the share of items
        const uint8_t *square = frame.frame.patches[0].items.at + 4 * i;
        assert_int_equal(square[3], (count * 255 + 32) / 64);
        assert_int_equal(square[0], square[3]);
        assert_true(square[1] <= square[0] && square[2] <= square[1]);
    }
    jbw_watch_deinit(&watch);
    jbw_scratch_deinit(&scratch);
    jbw_buffer_free(&bytes);
    stage_close(&s);
}

// ---- invariant worlds ----

enum { SIZE = 16, SIDE = 6 };

static const jbw_item_type apples[] = {{.name = "Apple", .intensity = "Constant[-1.5]"}};

typedef struct seen {
    uint8_t cells[SIDE][SIDE][SIZE * SIZE]; // by row and column of patches
    size_t patch_count;
    size_t promised_count; // patches that were announced as being made
} seen;

static void ignore(void *user)
{
    (void)user;
}

// takes what a frame shows; returns how many patches are left
static size_t take_frame(const jbw_watch *watch, const jbw_buffer *bytes, seen *s)
{
    jbw_scratch read = {0};
    jbw_message message;
    assert_int_equal(jbw_message_decode(bytes->bytes, bytes->size, &read, &message), JBW_OK);
    for (size_t i = 0; i < message.frame.patches_count; i++) {
        const jbw_wire_patch *patch = &message.frame.patches[i];
        if (patch->state == JBW_PATCH_BEING_MADE) {
            assert_int_equal(patch->items.count, 0);
            s->promised_count++;
            continue;
        }
        assert_int_equal(patch->state, JBW_PATCH_FINAL);
        assert_int_equal(patch->items.count, SIZE * SIZE);
        memcpy(s->cells[patch->position.y - watch->first_patch.y]
                       [patch->position.x - watch->first_patch.x],
               patch->items.at, SIZE * SIZE);
        s->patch_count++;
    }
    const size_t left = message.frame.patches_left;
    jbw_scratch_deinit(&read);
    return left;
}

// makes frames until the viewer is up to date
static void watch_all(jbw_watch *watch, const jbw_view_copy *copy, seen *s)
{
    jbw_scratch scratch = {0};
    size_t left = 1;
    s->patch_count = 0;
    s->promised_count = 0;
    for (int i = 0; i < 60000 && left > 0; i++) {
        jbw_buffer bytes = {0};
        if (jbw_watch_is_behind(watch, copy)) {
            assert_true(jbw_watch_make_frame(watch, copy, &scratch, &bytes));
            left = take_frame(watch, &bytes, s);
        } else {
            pause_for(1); // the maker is at it
        }
        jbw_buffer_free(&bytes);
    }
    assert_int_equal(left, 0);
    jbw_scratch_deinit(&scratch);
}

static jbw_view_copy copy_view(const jbw_world *world, uint64_t number)
{
    return (jbw_view_copy){.world = clone_of(world), .number = number};
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
    jbw_world *world = world_of(model, 4);
    const jbw_region region = {SIZE * INT64_C(70000000), -SIZE * INT64_C(5), SIDE * SIZE,
                               SIDE * SIZE};
    const jbw_wire_subscribe wanted = {.topic = 1, .region = region};
    jbw_watch watch = {0};
    assert_int_equal(jbw_watch_init(&watch, model, 1, &wanted, 0), JBW_OK);
    jbw_looking looking;
    jbw_looking_init(&looking);
    jbw_terrain_maker *maker;
    assert_int_equal(jbw_terrain_maker_create(model, 4, NULL, &looking, ignore, NULL, &maker),
                     JBW_OK);
    jbw_watch_set_maker(&watch, maker, 1, 0);

    const uint64_t hash = jbw_world_hash(world);
    jbw_view_copy first = copy_view(world, 1);
    watch_all(&watch, &first, &s);
    assert_int_equal(s.patch_count, SIDE * SIDE);
    assert_int_equal(s.promised_count, SIDE * SIDE); // the first frame does not wait for them
    assert_int_equal(jbw_terrain_maker_count(maker), SIDE * SIDE);
    assert_shows(world, region, &s);
    assert_int_equal(jbw_world_hash(world), hash);

    // only what has changed is sent again, even if it is no longer in memory
    const jbw_position cell = {region.x + 40, region.y + 20};
    const jbw_status removed = jbw_world_remove_item(world, cell);
    if (removed == JBW_NOT_FOUND) assert_int_equal(jbw_world_place_item(world, 0, cell), JBW_OK);
    jbw_model *none;
    jbw_buffer saved = encode_world(world);
    jbw_world *loaded = decode_world(&saved, &(jbw_load_options){.model = model}, &none);
    assert_int_equal(jbw_world_get_stats(loaded).patch_count, 0);
    jbw_view_copy second = copy_view(loaded, 2);
    watch_all(&watch, &second, &s);
    assert_int_equal(s.patch_count, 1);
    assert_int_equal(s.promised_count, 0); // the old one is shown until then
    assert_shows(world, region, &s);
    assert_true(jbw_world_patch_is_ready(world, jbw_world_patch_of(world, cell)));
    assert_false(jbw_world_patch_is_ready(loaded, jbw_world_patch_of(world, cell)));
    assert_int_equal(jbw_world_patch_mark(world, jbw_world_patch_of(world, cell)),
                     jbw_world_patch_mark(loaded, jbw_world_patch_of(world, cell)));

    jbw_buffer_free(&saved);
    jbw_watch_deinit(&watch);
    jbw_terrain_maker_destroy(maker);
    jbw_world_destroy(first.world);
    jbw_world_destroy(second.world);
    jbw_world_destroy(loaded);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frames_contain_changed_patches),
        cmocka_unit_test(test_frames_contain_what_is_hidden),
        cmocka_unit_test(test_scenes),
        cmocka_unit_test(test_coarse_frames),
        cmocka_unit_test(test_far_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
