// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A recorder that appends to a torn or damaged file, whose disk is full, or that runs out of
/// memory: what was written before stays good. Also replaying without memory.
///
/// With --long every allocation of a replay fails, otherwise every third.
#include "support/recording_scene.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/store/record_block.h"
#include "support/allocations.h"
#include "support/options.h"

static test_options options;

// ---- appending ----

static jbw_status append_to_file(jbw_error *error)
{
    jbw_recording *recording;
    jbw_status status = jbw_recording_open(good.path, NULL, &recording, error);
    assert_int_equal(status, JBW_OK);
    assert_int_equal(jbw_recording_seek(recording, UINT64_MAX, error), JBW_OK);
    jbw_recorder *recorder;
    jbw_world *world = jbw_recording_world(recording);
    status = jbw_recorder_append(world, good.path, &recording_options, &recorder, error);
    if (!status) {
        for (int i = 0; i < 10; i++) assert_int_equal(jbw_world_step(world), JBW_OK);
        assert_int_equal(jbw_recorder_close(recorder, NULL), JBW_OK);
    }
    const uint64_t time = jbw_world_time(world);
    const uint64_t hash = jbw_world_hash(world);
    jbw_recording_close(recording);
    if (status) return status;

    assert_int_equal(jbw_recording_open(good.path, NULL, &recording, error), JBW_OK);
    assert_int_equal(jbw_recording_get_info(recording).torn_size, 0);
    while (!status) status = jbw_recording_next(recording, NULL, error);
    assert_int_equal(status, JBW_NOT_FOUND);
    assert_int_equal(jbw_world_time(jbw_recording_world(recording)), time);
    assert_int_equal(jbw_world_hash(jbw_recording_world(recording)), hash);
    jbw_recording_close(recording);
    return JBW_OK;
}

static void test_append_after_a_torn_end(void **state)
{
    (void)state;
    jbw_error error = {0};
    for (size_t size = good.size - 400; size <= good.size; size += 13) {
        recording_scene_write(good.bytes, size);
        assert_int_equal(append_to_file(&error), JBW_OK);
    }
    // garbage after the end counts as torn, too
    uint8_t *bytes = calloc(good.size + 5000, 1);
    assert_non_null(bytes);
    memcpy(bytes, good.bytes, good.size);
    recording_scene_write(bytes, good.size + 5000);
    assert_int_equal(append_to_file(&error), JBW_OK);
    free(bytes);
}

// blocks that were safe on the disk once and are damaged now are not torn: nothing is removed
static void test_append_after_damage(void **state)
{
    (void)state;
    // as after an hour: the blocks after the damaged one were written long after it was safe
    uint8_t *bytes = malloc(good.size);
    assert_non_null(bytes);
    memcpy(bytes, good.bytes, good.size);
    jbw_record_block block;
    size_t second = 0;
    int number = 0;
    for (size_t offset = JBW_RECORDING_HEADER_SIZE; offset < good.size; number++) {
        assert_true(jbw_record_block_head_decode(bytes + offset, offset, &block));
        if (number == 1) second = offset;
        block.synced_size = offset;
        jbw_record_block_head_encode(&block, bytes + offset);
        offset = (size_t)jbw_record_block_end(&block);
    }
    assert_true(number > 4);
    bytes[second + 20] ^= 1;
    recording_scene_write(bytes, good.size);
    free(bytes);
    jbw_error error = {0};
    assert_int_equal(append_to_file(&error), JBW_INVALID_DATA);
    assert_contains(error.text, "is damaged at byte");
    size_t size;
    free(file_read(good.path, &size));
    assert_int_equal(size, good.size);
}

// ---- a full disk ----

static void limit_file_size(size_t size)
{
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = size > 0 ? size : limit.rlim_max;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void test_full_disk(void **state)
{
    (void)state;
    signal(SIGXFSZ,
           SIG_IGN); // writing then fails with EFBIG, as it does with ENOSPC on a full disk
    for (size_t size = 100; size < good.size; size += 97) {
        unlink(good.path);
        jbw_model *model;
        jbw_world *world = recording_scene_world(&model, NULL);
        jbw_recorder *recorder;
        jbw_error error = {0};
        limit_file_size(size);
        jbw_status status =
            jbw_recorder_create(world, good.path, true, &recording_options, &recorder, &error);
        recording_scene_change(world, RECORDING_CHANGES);
        if (status) {
            limit_file_size(0);
            assert_int_equal(status, JBW_WRITE_FAILED);
            assert_contains(error.text, "File too large");
            assert_int_equal(access(good.path, F_OK), -1);
        } else {
            // the world continued, and the recording is good up to where it stopped
            jbw_recorder_flush(recorder, NULL);
            const jbw_status before = jbw_recorder_status(recorder, &error);
            assert_true(before == JBW_WRITE_FAILED || size > good.size - 200);
            assert_int_equal(jbw_recorder_close(recorder, &error), JBW_WRITE_FAILED);
            assert_contains(error.text, "cannot be written: File too large");
            limit_file_size(0);
            jbw_status end;
            assert_true(recording_scene_replay(&end) >= 0);
            assert_int_equal(end, JBW_NOT_FOUND);
            struct stat file;
            assert_int_equal(stat(good.path, &file), 0);
            assert_true((size_t)file.st_size <= size);
            jbw_recording *recording;
            assert_int_equal(jbw_recording_open(good.path, NULL, &recording, NULL), JBW_OK);
            assert_int_equal(jbw_recording_get_info(recording).torn_size, 0); // removed at once
            jbw_recording_close(recording);
        }
        assert_int_equal(jbw_world_hash(world), good.hashes[good.count - 1]);
        jbw_world_destroy(world);
        jbw_model_destroy(model);
    }
}

// an old recording stays if the new one cannot even begin
static void test_full_disk_and_an_old_file(void **state)
{
    (void)state;
    recording_scene_write(good.bytes, good.size);
    jbw_model *model;
    jbw_world *world = recording_scene_world(&model, NULL);
    jbw_recorder *recorder;
    limit_file_size(100);
    assert_int_equal(jbw_recorder_create(world, good.path, true, NULL, &recorder, NULL),
                     JBW_WRITE_FAILED);
    limit_file_size(0);
    jbw_status end;
    assert_int_equal(recording_scene_replay(&end), good.count - 1);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

// ---- no memory ----

static void test_recording_without_memory(void **state)
{
    (void)state;
    bool is_done = false;
    for (size_t fail_at = 1; !is_done; fail_at++) {
        counting_allocator counting = {0};
        const jbw_allocator allocator = counting_allocator_make(&counting);
        jbw_model *model;
        jbw_world *world = recording_scene_world(&model, &allocator);
        assert_non_null(world);
        counting.call_count = 0;
        fail_allocations(&counting, fail_at, 1);
        jbw_recorder *recorder;
        jbw_error error = {0};
        jbw_status status =
            jbw_recorder_create(world, good.path, true, &recording_options, &recorder, &error);
        if (!status) recording_scene_change(world, 30);
        is_done = counting.call_count < fail_at;
        allow_allocations(&counting);
        if (status) {
            assert_int_equal(status, JBW_OUT_OF_MEMORY);
            assert_true(error.text[0] != '\0');
        } else {
            status = jbw_recorder_close(recorder, &error);
            assert_true(status == JBW_OK || status == JBW_OUT_OF_MEMORY);
            jbw_recording *recording;
            assert_int_equal(jbw_recording_open(good.path, NULL, &recording, &error), JBW_OK);
            assert_int_equal(jbw_recording_seek(recording, UINT64_MAX, &error), JBW_OK);
            if (!status) {
                assert_int_equal(jbw_world_hash(jbw_recording_world(recording)),
                                 jbw_world_hash(world));
            }
            jbw_recording_close(recording);
        }
        jbw_world_destroy(world);
        jbw_model_destroy(model);
        assert_int_equal(counting.block_count, 0);
    }
}

static void test_replaying_without_memory(void **state)
{
    (void)state;
    recording_scene_write(good.bytes, good.size);
    bool is_done = false;
    for (size_t fail_at = 1; !is_done; fail_at += options.is_long ? 1 : 3) {
        counting_allocator counting = {.fail_at = fail_at, .fail_count = 1};
        const jbw_load_options load = {.allocator = counting_allocator_make(&counting)};
        jbw_recording *recording;
        jbw_error error = {0};
        jbw_status status = jbw_recording_open(good.path, &load, &recording, &error);
        if (status) {
            assert_int_equal(status, JBW_OUT_OF_MEMORY);
        } else {
            const jbw_recording_info info = jbw_recording_get_info(recording);
            status = jbw_recording_seek(recording, info.last_time, &error);
            if (!status) status = jbw_recording_seek(recording, 10, &error);
            while (!status) status = jbw_recording_next(recording, NULL, &error);
            is_done = counting.call_count < fail_at;
            assert_true(status == JBW_NOT_FOUND || status == JBW_OUT_OF_MEMORY);
            // with memory available it continues where it was
            allow_allocations(&counting);
            assert_int_equal(jbw_recording_seek(recording, UINT64_MAX, &error), JBW_OK);
            assert_int_equal(jbw_world_hash(jbw_recording_world(recording)),
                             good.hashes[good.count - 1]);
            jbw_recording_close(recording);
        }
        assert_int_equal(counting.block_count, 0);
    }
}

int main(int argc, char **argv)
{
    options = test_options_read(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_append_after_a_torn_end),
        cmocka_unit_test(test_append_after_damage),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_full_disk_and_an_old_file),
        cmocka_unit_test(test_recording_without_memory),
        cmocka_unit_test(test_replaying_without_memory),
    };
    return cmocka_run_group_tests(tests, recording_scene_open, recording_scene_close);
}
