// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Recordings that were truncated, overwritten or forged: they open shorter or report what is
/// wrong, and never show a state that the world was not in.
///
/// With --long there are many more corruptions; --seed N gives others.
#include "support/recording_scene.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <zstd.h>

#include "io/store/record_block.h"
#include "support/options.h"
#include "support/random.h"

static test_options options;

// ---- truncated and overwritten ----

static void test_every_truncation(void **state)
{
    (void)state;
    int64_t most = -1;
    for (size_t size = 0; size <= good.size; size++) {
        recording_scene_write(good.bytes, size);
        jbw_status end;
        const int64_t count = recording_scene_replay(&end);
        // what is complete stays; more bytes never give fewer operations
        assert_true(count < 0 ? end == JBW_INVALID_DATA : end == JBW_NOT_FOUND);
        assert_true(count >= most);
        most = count;
    }
    assert_int_equal(most, good.count - 1);
}

static void test_corruptions(void **state)
{
    (void)state;
    const int count = options.is_long ? 100000 : 3000;
    uint64_t random = options.seed;
    uint8_t *bytes = malloc(good.size);
    assert_non_null(bytes);
    int opened = 0;
    for (int i = 0; i < count; i++) {
        memcpy(bytes, good.bytes, good.size);
        const uint64_t changes = 1 + random_below(&random, 3);
        for (uint64_t k = 0; k < changes; k++) {
            const uint32_t place = random_below(&random, (uint32_t)good.size);
            bytes[place] ^= (uint8_t)(1 + random_below(&random, 255));
        }
        recording_scene_write(bytes, good.size);
        jbw_status end;
        if (recording_scene_replay(&end) >= 0) opened++;
    }
    free(bytes);
    assert_true(opened > count / 4 && opened < count);
}

// After a power failure a file may have its full length but end in zeros.
static void test_zeroed_blocks(void **state)
{
    (void)state;
    uint8_t *bytes = malloc(good.size);
    assert_non_null(bytes);
    jbw_record_block block;
    int64_t operations = 0;
    for (size_t offset = JBW_RECORDING_HEADER_SIZE; offset < good.size;) {
        assert_true(jbw_record_block_head_decode(good.bytes + offset, offset, &block));
        memcpy(bytes, good.bytes, good.size);
        memset(bytes + offset + JBW_RECORD_BLOCK_HEAD_SIZE, 0, (size_t)block.size);
        recording_scene_write(bytes, good.size);
        jbw_status end;
        const int64_t count = recording_scene_replay(&end);
        // the first block was flushed before the second was written: without it nothing is left
        const bool is_first = offset == JBW_RECORDING_HEADER_SIZE;
        assert_int_equal(count, is_first ? -1 : operations);
        assert_int_equal(end, is_first ? JBW_INVALID_DATA : JBW_NOT_FOUND);
        operations += (int64_t)block.operation_count;
        offset = (size_t)jbw_record_block_end(&block);
    }
    free(bytes);
}

// changes to the replayed world are detected at the next hash
static void test_hashes_that_disagree(void **state)
{
    (void)state;
    recording_scene_write(good.bytes, good.size);
    const jbw_load_options load = {.model = good.model};
    jbw_recording *recording;
    jbw_error error = {0};
    assert_int_equal(jbw_recording_open(good.path, &load, &recording, &error), JBW_OK);
    jbw_world *world = jbw_recording_world(recording);
    const jbw_position cell = {12, 12};
    if (jbw_world_place_item(world, 0, cell)) {
        assert_int_equal(jbw_world_remove_item(world, cell), JBW_OK);
    }
    jbw_status status = JBW_OK;
    while (!status) status = jbw_recording_next(recording, NULL, &error);
    assert_int_equal(status, JBW_INVALID_DATA);
    char expected[80];
    snprintf(expected, sizeof expected, "at time %" PRIu64 " the replayed world has hash",
             jbw_world_time(world));
    assert_contains(error.text, expected);
    jbw_recording_close(recording);
}

// ---- forged: the checksums are right, the contents are not ----

// copies the good file up to a block whose log is changed; returns the size
static size_t forge(uint64_t *random, uint8_t *out)
{
    jbw_record_block block;
    size_t offset = JBW_RECORDING_HEADER_SIZE;
    size_t logs[64];
    size_t log_count = 0;
    for (; offset < good.size; offset = (size_t)jbw_record_block_end(&block)) {
        assert_true(jbw_record_block_head_decode(good.bytes + offset, offset, &block));
        if (block.kind == JBW_RECORD_BLOCK_LOG && log_count < 64) logs[log_count++] = offset;
    }
    if (log_count == 0) abort(); // the good recording has logs
    offset = logs[random_below(random, (uint32_t)log_count)];
    assert_true(jbw_record_block_head_decode(good.bytes + offset, offset, &block));

    static uint8_t log[1 << 16];
    const uint8_t *body = good.bytes + offset + JBW_RECORD_BLOCK_HEAD_SIZE;
    size_t size = ZSTD_decompress(log, sizeof log, body, (size_t)block.size);
    assert_int_equal(size, block.raw_size);
    for (uint64_t changes = 1 + random_below(random, 3); changes > 0; changes--) {
        const uint32_t at = random_below(random, (uint32_t)size);
        if (random_below(random, 8) == 0) size = (size_t)at + 1; // cut short
        log[at] = (uint8_t)random_next(random);
    }
    memcpy(out, good.bytes, offset);
    uint8_t *packed = out + offset + JBW_RECORD_BLOCK_HEAD_SIZE;
    block.size = ZSTD_compress(packed, ZSTD_compressBound(size), log, size, 1);
    block.raw_size = size;
    block.body_hash = jbw_record_block_body_hash(packed, (size_t)block.size);
    jbw_record_block_head_encode(&block, out + offset);
    return (size_t)jbw_record_block_end(&block);
}

// a forged log may be replayed, but must not break anything
static void test_forged_logs(void **state)
{
    (void)state;
    const int count = options.is_long ? 100000 : 3000;
    uint64_t random = options.seed;
    uint8_t *bytes = malloc(good.size + (1 << 17));
    assert_non_null(bytes);
    int bad = 0;
    for (int i = 0; i < count; i++) {
        recording_scene_write(bytes, forge(&random, bytes));
        jbw_recording *recording;
        jbw_error error = {0};
        const jbw_load_options load = {.model = good.model};
        assert_int_equal(jbw_recording_open(good.path, &load, &recording, &error), JBW_OK);
        jbw_status status = JBW_OK;
        while (!status) status = jbw_recording_next(recording, NULL, &error);
        if (status != JBW_NOT_FOUND) {
            bad++;
            assert_int_equal(status, JBW_INVALID_DATA);
            assert_true(error.text[0] != '\0');
        }
        jbw_recording_seek(recording, random_below(&random, 40), &error);
        jbw_recording_close(recording);
    }
    free(bytes);
    assert_true(bad > count / 2);
}

// a log that claims to hold far more than a file of that size should
static void test_bombs(void **state)
{
    (void)state;
    uint8_t *bytes = calloc(1, good.size + JBW_RECORD_BLOCK_HEAD_SIZE);
    assert_non_null(bytes);
    jbw_record_block block;
    assert_true(jbw_record_block_head_decode(good.bytes + JBW_RECORDING_HEADER_SIZE,
                                             JBW_RECORDING_HEADER_SIZE, &block));
    const size_t offset = (size_t)jbw_record_block_end(&block);
    memcpy(bytes, good.bytes, offset);
    jbw_record_block log = {.kind = JBW_RECORD_BLOCK_LOG,
                            .raw_size = UINT64_C(400) << 20,
                            .first_time = block.last_time,
                            .last_time = block.last_time,
                            .offset = offset};
    log.body_hash = jbw_record_block_body_hash(bytes, 0);
    jbw_record_block_head_encode(&log, bytes + offset);
    recording_scene_write(bytes, offset + JBW_RECORD_BLOCK_HEAD_SIZE);
    free(bytes);

    jbw_recording *recording;
    jbw_error error = {0};
    jbw_load_options load = {.model = good.model};
    assert_int_equal(jbw_recording_open(good.path, &load, &recording, &error), JBW_OK);
    assert_int_equal(jbw_recording_next(recording, NULL, &error), JBW_OUT_OF_MEMORY);
    assert_contains(error.text,
                    "contains 419430400 bytes, more than the memory limit of 335544320");
    assert_contains(error.text, "choose a larger memory limit");
    jbw_recording_close(recording);
    load.memory_limit = UINT64_C(1) << 30; // it is looked at, and turns out to be damaged
    assert_int_equal(jbw_recording_open(good.path, &load, &recording, &error), JBW_OK);
    assert_int_equal(jbw_recording_next(recording, NULL, &error), JBW_INVALID_DATA);
    jbw_recording_close(recording);
}

int main(int argc, char **argv)
{
    options = test_options_read(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_truncation), cmocka_unit_test(test_corruptions),
        cmocka_unit_test(test_zeroed_blocks),    cmocka_unit_test(test_hashes_that_disagree),
        cmocka_unit_test(test_forged_logs),      cmocka_unit_test(test_bombs),
    };
    return cmocka_run_group_tests(tests, recording_scene_open, recording_scene_close);
}
