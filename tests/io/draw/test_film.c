// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Films of recordings: each frame is compared with a picture of the world at that time, drawn with a
/// path and rewards that the test has noted itself.
#include "support/shipped.h"

#include <stdio.h>
#include <stdlib.h>

#include "jbw/picture.h"
#include "support/allocations.h"
#include "support/files.h"

enum { STEPS = 90, LATE = 30, MEMORY = 25 };

static temporary_folder folder;
static char path[PATH_SIZE];
static jbw_position positions[STEPS + 1]; // of the first agent
static double rewards[STEPS + 1];         // after each step

static const char reward_text[] = "Collect[JellyBean] & Action[-0.01]";

// a first agent from the beginning, a second one later, and the second one leaves before the end
static int record(void **state)
{
    (void)state;
    if (!temporary_folder_create(&folder)) return 1;
    temporary_path(&folder, "life.jbwr", path);
    jbw_model *model = shipped_model("scent");
    jbw_world *world = world_of(model, 5);
    jbw_reward *reward = reward_of(model, reward_text);
    jbw_recorder *recorder;
    assert_int_equal(jbw_recorder_create(world, path, true, NULL, &recorder, NULL), JBW_OK);
    jbw_agent_id agents[2];
    assert_int_equal(jbw_world_add_agent(world, NULL, &agents[0]), JBW_OK);
    for (int i = 0; i <= STEPS; i++) {
        jbw_agent_state now;
        assert_int_equal(jbw_agent_get_state(world, agents[0], &now), JBW_OK);
        positions[i] = now.position;
        rewards[i] = jbw_agent_reward(world, agents[0], reward);
        if (i == STEPS) break;
        if (i == LATE) assert_int_equal(jbw_world_add_agent(world, NULL, &agents[1]), JBW_OK);
        if (i == 2 * LATE) assert_int_equal(jbw_world_remove_agent(world, agents[1]), JBW_OK);
        const bool are_two = i >= LATE && i < 2 * LATE;
        const int actions[2] = {i % 11 == 10 ? 1 + i % 2 : 0, 0};
        assert_int_equal(jbw_world_act(world, agents, actions, are_two ? 2 : 1, NULL), JBW_OK);
    }
    assert_int_equal(jbw_recorder_close(recorder, NULL), JBW_OK);
    jbw_reward_destroy(reward);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
    return 0;
}

static int erase(void **state)
{
    (void)state;
    remove(path);
    return temporary_folder_remove(&folder) ? 0 : 1;
}

static jbw_recording *open_recording(void)
{
    jbw_recording *recording;
    jbw_error error;
    if (jbw_recording_open(path, NULL, &recording, &error)) fail_msg("%s", error.text);
    return recording;
}

static jbw_film *film_of(jbw_recording *recording, const jbw_film_options *options)
{
    jbw_film *film;
    jbw_error error;
    if (jbw_film_create(recording, options, &film, &error)) fail_msg("%s", error.text);
    return film;
}

static uint8_t *frame_buffer(const jbw_film_info *info)
{
    uint8_t *pixels = malloc(3 * (size_t)(info->width * info->height));
    assert_non_null(pixels);
    return pixels;
}

// without a panel, so that the picture needs no scent scale
static void test_frames(void **state)
{
    (void)state;
    jbw_recording *filmed = open_recording();
    jbw_recording *looked_at = open_recording();
    const jbw_film_options options = {.from = 10,
                                      .every = 7,
                                      .width = 21,
                                      .height = 11,
                                      .memory = MEMORY,
                                      .picture = {.scale = 12}};
    jbw_film *film = film_of(filmed, &options);
    const jbw_film_info info = jbw_film_get_info(film);
    assert_true(info.width == 21 * 12 && info.height == 11 * 12);
    assert_true(info.first_time == 10 && info.last_time == STEPS && info.every == 7);
    assert_int_equal(info.frame_count, (STEPS - 10 + 6) / 7 + 1);
    uint8_t *found = frame_buffer(&info);
    uint8_t *expected = frame_buffer(&info);
    for (uint64_t i = 0; i < info.frame_count; i++) {
        const uint64_t time = 10 + 7 * i < STEPS ? 10 + 7 * i : STEPS;
        assert_int_equal(jbw_film_next(film, found, NULL), JBW_OK);
        assert_int_equal(jbw_recording_seek(looked_at, time, NULL), JBW_OK);
        jbw_world *world = jbw_recording_world(looked_at);
        const uint64_t first = time < MEMORY ? 0 : time - MEMORY + 1;
        jbw_picture_options picture = {.scale = 12,
                                       .path = positions + first,
                                       .path_count = (size_t)(time - first + 1),
                                       .path_memory = MEMORY};
        jbw_world_agents(world, &picture.agent, 1);
        // the recording begins without an agent, so the path begins after the first step
        if (first == 0) {
            picture.path++;
            picture.path_count--;
        }
        const jbw_region region = {positions[time].x - 10, positions[time].y - 5, 21, 11};
        assert_int_equal(jbw_picture_draw(world, region, &picture, expected, NULL), JBW_OK);
        if (memcmp(found, expected, 3 * (size_t)(info.width * info.height)) != 0)
            fail_msg("the frame at time %d differs", (int)time);
    }
    jbw_error error;
    assert_int_equal(jbw_film_next(film, found, &error), JBW_NOT_FOUND);
    free(found);
    free(expected);
    jbw_film_destroy(film);
    jbw_recording_close(filmed);
    jbw_recording_close(looked_at);
}

static void test_rewards(void **state)
{
    (void)state;
    jbw_recording *filmed = open_recording();
    jbw_recording *looked_at = open_recording();
    jbw_model *model = shipped_model("scent");
    jbw_reward *reward = reward_of(model, reward_text);
    const jbw_region region = {0, 0, 9, 9};
    const jbw_film_options options = {.from = STEPS,
                                      .region = region,
                                      .memory = -1,
                                      .reward = reward,
                                      .picture = {.scale = 9, .show_panel = true}};
    jbw_film *film = film_of(filmed, &options);
    const jbw_film_info info = jbw_film_get_info(film);
    assert_int_equal(info.frame_count, 1);
    uint8_t *found = frame_buffer(&info);
    uint8_t *expected = frame_buffer(&info);
    assert_int_equal(jbw_film_next(film, found, NULL), JBW_OK);
    assert_int_equal(jbw_recording_seek(looked_at, STEPS, NULL), JBW_OK);
    jbw_picture_options picture = {
        .scale = 9, .show_panel = true, .rewards = rewards + 1, .reward_count = STEPS};
    jbw_world *world = jbw_recording_world(looked_at);
    jbw_world_agents(world, &picture.agent, 1);
    assert_int_equal(jbw_picture_draw(world, region, &picture, expected, NULL), JBW_OK);
    assert_memory_equal(found, expected, 3 * (size_t)(info.width * info.height));

    // another reward is another plot
    picture.reward_count = STEPS - 1;
    assert_int_equal(jbw_picture_draw(world, region, &picture, expected, NULL), JBW_OK);
    assert_memory_not_equal(found, expected, 3 * (size_t)(info.width * info.height));
    free(found);
    free(expected);
    jbw_film_destroy(film);
    jbw_reward_destroy(reward);
    jbw_model_destroy(model);
    jbw_recording_close(filmed);
    jbw_recording_close(looked_at);
}

// the second agent comes and goes; the size of the frames stays
static void test_absent_agent(void **state)
{
    (void)state;
    jbw_recording *recording = open_recording();
    const jbw_film_options options = {
        .agent = 2, .width = 5, .height = 5, .picture = {.scale = 4, .show_panel = true}};
    jbw_film *film = film_of(recording, &options);
    const jbw_film_info info = jbw_film_get_info(film);
    assert_int_equal(info.frame_count, STEPS + 1);
    const size_t size = 3 * (size_t)(info.width * info.height);
    uint8_t *pixels = malloc(size + 1);
    assert_non_null(pixels);
    pixels[size] = 77;
    for (int i = 0; i <= STEPS; i++) assert_int_equal(jbw_film_next(film, pixels, NULL), JBW_OK);
    assert_int_equal(pixels[size], 77);
    free(pixels);
    jbw_film_destroy(film);
    jbw_recording_close(recording);
}

static void expect_refused(const jbw_film_options *options, const char *text)
{
    jbw_recording *recording = open_recording();
    jbw_film *film;
    jbw_error error;
    assert_int_equal(jbw_film_create(recording, options, &film, &error), JBW_INVALID_ARGUMENT);
    assert_null(film);
    assert_string_equal(error.text, text);
    jbw_recording_close(recording);
}

static void test_bad_options(void **state)
{
    (void)state;
    expect_refused(&(jbw_film_options){.agent = -1, .picture = {.scale = 4}},
                   "agents are counted from 1");
    expect_refused(&(jbw_film_options){.width = -4, .picture = {.scale = 4}},
                   "the width and height of a film must not be negative");
    expect_refused(&(jbw_film_options){.memory = -2, .picture = {.scale = 4}},
                   "the memory of a trail is -1 to 1000000 steps");
    expect_refused(&(jbw_film_options){.region = {0, 0, 0, 5}, .picture = {.scale = 4}},
                   "the region of a film is empty");
    expect_refused(&(jbw_film_options){.from = 91, .picture = {.scale = 4}},
                   "the film begins at time 91, but ends at 90");
    expect_refused(
        &(jbw_film_options){.from = 5, .to = 4, .has_end = true, .picture = {.scale = 4}},
        "the film begins at time 5, but ends at 4");
    expect_refused(&(jbw_film_options){.picture = {.scale = 0}},
                   "the scale is 0, expected at least 1");
    jbw_film_destroy(NULL);
}

static void test_huge_every(void **state)
{
    (void)state;
    jbw_recording *recording = open_recording();
    jbw_film *film = film_of(
        recording,
        &(jbw_film_options){.every = UINT64_MAX, .width = 3, .height = 3, .picture = {.scale = 1}});
    const jbw_film_info info = jbw_film_get_info(film);
    assert_int_equal(info.frame_count, 2);
    uint8_t pixels[27];
    assert_int_equal(jbw_film_next(film, pixels, NULL), JBW_OK);
    assert_int_equal(jbw_film_next(film, pixels, NULL), JBW_OK);
    assert_int_equal(jbw_world_time(jbw_recording_world(recording)), STEPS);
    assert_int_equal(jbw_film_next(film, pixels, NULL), JBW_NOT_FOUND);
    jbw_film_destroy(film);
    jbw_recording_close(recording);
}

// every allocation of making a film fails in turn
static void test_memory(void **state)
{
    (void)state;
    counting_allocator counting = {0};
    const jbw_load_options load = {.allocator = counting_allocator_make(&counting)};
    const jbw_film_options options = {.from = 20, .picture = {.scale = 2, .show_panel = true}};
    jbw_status status = JBW_OUT_OF_MEMORY;
    for (size_t n = 1; status; n++) {
        jbw_recording *recording;
        assert_int_equal(jbw_recording_open(path, &load, &recording, NULL), JBW_OK);
        jbw_film *film;
        fail_allocations(&counting, n, 1);
        status = jbw_film_create(recording, &options, &film, NULL);
        allow_allocations(&counting);
        if (status) {
            assert_int_equal(status, JBW_OUT_OF_MEMORY);
            assert_null(film);
        }
        jbw_film_destroy(film);
        jbw_recording_close(recording);
        assert_int_equal(counting.block_count, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frames),       cmocka_unit_test(test_rewards),
        cmocka_unit_test(test_absent_agent), cmocka_unit_test(test_bad_options),
        cmocka_unit_test(test_huge_every),   cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, record, erase);
}
