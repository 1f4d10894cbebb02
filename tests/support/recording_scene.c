// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "support/recording_scene.h"

#include <stdlib.h>
#include <unistd.h>

#include "support/random_world.h"

recording_scene good;

const jbw_recorder_options recording_options = {
    .hash_every = 7, .snapshot_every = 25, .flush_every = 5};

void recording_scene_write(const uint8_t *bytes, size_t size)
{
    assert_true(file_write(good.path, bytes, size));
}

jbw_world *recording_scene_world(jbw_model **model, const jbw_allocator *allocator)
{
    uint64_t random = 5;
    random_world_config config;
    random_world_config_draw(&config, &random);
    config.config.patch_size = 14;
    config.config.mh_iterations = 8; // fast: there are thousands of replays
    config.config.agent.vision_range = 1;
    config.items[0].has_text = true; // a few words, so that replays meet all codes
    config.items[3].has_text = true;
    config.config.agent.voice = (jbw_voice){.symbols = 3, .range = 5};
    if (allocator) config.config.allocator = *allocator;
    jbw_world *world;
    if (jbw_model_create(&config.config, model, NULL)) return NULL;
    if (jbw_world_create(*model, 9, &world)) {
        jbw_model_destroy(*model);
        *model = NULL;
        return NULL;
    }
    return world;
}

void recording_scene_change(jbw_world *world, int count)
{
    uint64_t random = 3;
    for (int i = 0; i < count; i++) random_world_change(world, &random);
}

static void note_hash(jbw_world *world, const jbw_operation *operation, void *user)
{
    (void)operation;
    (void)user;
    assert_true(good.count < RECORDING_MAX_STATES);
    good.hashes[good.count++] = jbw_world_hash(world);
}

// the same changes twice: recorded, and observed
static void make_good(void)
{
    jbw_model *other;
    jbw_world *world = recording_scene_world(&good.model, NULL);
    jbw_world *twin = recording_scene_world(&other, NULL);
    assert_true(world && twin);
    note_hash(twin, NULL, NULL);
    jbw_world_on_operation(twin, note_hash, NULL);
    recording_scene_change(twin, RECORDING_CHANGES);
    jbw_recorder *recorder;
    assert_int_equal(
        jbw_recorder_create(world, good.path, true, &recording_options, &recorder, NULL), JBW_OK);
    recording_scene_change(world, RECORDING_CHANGES);
    assert_int_equal(jbw_recorder_close(recorder, NULL), JBW_OK);
    good.bytes = (uint8_t *)file_read(good.path, &good.size);
    assert_non_null(good.bytes);
    jbw_world_destroy(world);
    jbw_world_destroy(twin);
    jbw_model_destroy(other);
}

int recording_scene_open(void **state)
{
    (void)state;
    if (!temporary_folder_create(&good.folder)) return 1;
    temporary_path(&good.folder, "a.jbwr", good.path);
    make_good();
    return 0;
}

int recording_scene_close(void **state)
{
    (void)state;
    free(good.bytes);
    jbw_model_destroy(good.model);
    unlink(good.path);
    return temporary_folder_remove(&good.folder) ? 0 : 1;
}

int64_t recording_scene_replay(jbw_status *end)
{
    jbw_recording *recording;
    jbw_error error = {0};
    const jbw_load_options load = {.model = good.model};
    *end = jbw_recording_open(good.path, &load, &recording, &error);
    if (*end) {
        assert_null(recording);
        assert_true(error.text[0] != '\0');
        return -1;
    }
    size_t count = 0;
    for (;;) {
        assert_true(count < good.count);
        if (jbw_world_hash(jbw_recording_world(recording)) != good.hashes[count])
            fail_msg("the state after operation %zu differs", count);
        error = (jbw_error){0};
        *end = jbw_recording_next(recording, NULL, &error);
        if (*end) break;
        count++;
    }
    if (*end == JBW_NOT_FOUND) {
        assert_int_equal(jbw_recording_get_info(recording).operation_count, count);
    } else {
        assert_true(error.text[0] != '\0');
    }
    jbw_recording_close(recording);
    return (int64_t)count;
}
