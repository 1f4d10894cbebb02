// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Recordings that were cut off, overwritten, or made up: they open shorter, or say what is wrong,
/// and never show a state that was not there. And a recorder whose disk is full or whose memory
/// runs out: what was written before stays good.
///
/// With --long there are many more corruptions; --seed N gives others.
#include "support/allocations.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

#include "io/store/record_block.h"
#include "jbw/recording.h"
#include "support/options.h"
#include "support/random.h"
#include "support/random_world.h"

static test_options options;
static char folder[] = "/tmp/jbw-damage-XXXXXX";
static char path[sizeof folder + 16];

enum { MAX_MOMENTS = 4000 };

/// A recording in memory, and the states it goes through.
static struct {
    uint8_t *bytes;
    size_t size;
    uint64_t hashes[MAX_MOMENTS]; // after so many operations
    size_t count;
    jbw_model *model; // its own, to load it quickly
} good;

// ---- files ----

static void write_file(const uint8_t *bytes, size_t size)
{
    unlink(path); // overwriting makes some file systems wait for the disk
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    if (size > 0) {
        assert_int_equal(fwrite(bytes, 1, size, file), size);
    }
    assert_int_equal(fclose(file), 0);
}

static uint8_t *read_file(size_t *size)
{
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    *size = (size_t)status.st_size;
    uint8_t *bytes = malloc(*size + 1);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *size, file), *size);
    fclose(file);
    return bytes;
}

// ---- a good recording ----

static void note_hash(jbw_world *world, const jbw_operation *operation, void *user)
{
    (void)operation;
    (void)user;
    assert_true(good.count < MAX_MOMENTS);
    good.hashes[good.count++] = jbw_world_hash(world);
}

static jbw_world *open_world(jbw_model **model, const jbw_allocator *allocator)
{
    uint64_t random = 5;
    random_world_config config;
    random_world_config_draw(&config, &random);
    config.config.patch_size = 14;
    config.config.mh_iterations = 8; // quick, for there are thousands of replays
    config.config.agent.vision_range = 1;
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

static const jbw_recorder_options often = {.hash_every = 7, .snapshot_every = 25, .flush_every = 5};

// the same life twice: recorded, and listened to
static void make_good(void)
{
    jbw_model *model;
    jbw_model *other;
    jbw_world *world = open_world(&model, NULL);
    jbw_world *twin = open_world(&other, NULL);
    good.count = 0;
    note_hash(twin, NULL, NULL);
    jbw_world_on_operation(twin, note_hash, NULL);
    jbw_recorder *recorder;
    assert_int_equal(jbw_recorder_create(world, path, true, &often, &recorder, NULL), JBW_OK);
    uint64_t random = 3;
    for (int i = 0; i < 150; i++) {
        uint64_t same = random;
        random_world_change(twin, &same);
        random_world_change(world, &random);
    }
    assert_int_equal(jbw_recorder_close(recorder, NULL), JBW_OK);
    good.bytes = read_file(&good.size);
    good.model = model;
    jbw_world_destroy(world);
    jbw_world_destroy(twin);
    jbw_model_destroy(other);
}

// Replays a file as far as it goes. Every state on the way must be one of the good recording at the
// same place. Returns how many operations there were, or -1 if it did not open.
static int64_t replay(jbw_status *end)
{
    jbw_recording *recording;
    jbw_error error = {0};
    const jbw_load_options load = {.model = good.model};
    *end = jbw_recording_open(path, &load, &recording, &error);
    if (*end) {
        assert_null(recording);
        assert_true(error.text[0] != '\0');
        return -1;
    }
    size_t count = 0;
    for (;;) {
        assert_true(count < good.count);
        if (jbw_world_hash(jbw_recording_world(recording)) != good.hashes[count])
            fail_msg("another state after operation %zu", count);
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

// ---- cut off and overwritten ----

static void test_every_truncation(void **state)
{
    (void)state;
    int64_t most = -1;
    for (size_t size = 0; size <= good.size; size++) {
        write_file(good.bytes, size);
        jbw_status end;
        const int64_t count = replay(&end);
        // what was whole stays; more bytes never mean less
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
        write_file(bytes, good.size);
        jbw_status end;
        if (replay(&end) >= 0) opened++;
    }
    free(bytes);
    assert_true(opened > count / 4 && opened < count);
}

// After a power failure a file may be as long as it was, and yet what was written last is zero.
static void test_lost_bodies(void **state)
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
        write_file(bytes, good.size);
        jbw_status end;
        const int64_t count = replay(&end);
        // the first block was flushed before there was a second one: without it there is nothing
        const bool is_first = offset == JBW_RECORDING_HEADER_SIZE;
        assert_int_equal(count, is_first ? -1 : operations);
        assert_int_equal(end, is_first ? JBW_INVALID_DATA : JBW_NOT_FOUND);
        operations += (int64_t)block.operation_count;
        offset = (size_t)jbw_record_block_end(&block);
    }
    free(bytes);
}

// whoever meddles with the world that is replayed is told at the next hash
static void test_hashes_that_disagree(void **state)
{
    (void)state;
    write_file(good.bytes, good.size);
    const jbw_load_options load = {.model = good.model};
    jbw_recording *recording;
    jbw_error error = {0};
    assert_int_equal(jbw_recording_open(path, &load, &recording, &error), JBW_OK);
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
    assert_non_null(strstr(error.text, expected));
    jbw_recording_close(recording);
}

// ---- made up: checksums are right, what is in it is not ----

// copies the good file, with the log of one block changed; returns its size
static size_t make_up(uint64_t *random, uint8_t *out)
{
    jbw_record_block block;
    size_t offset = JBW_RECORDING_HEADER_SIZE;
    size_t logs[64];
    size_t log_count = 0;
    for (; offset < good.size; offset = (size_t)jbw_record_block_end(&block)) {
        assert_true(jbw_record_block_head_decode(good.bytes + offset, offset, &block));
        if (block.kind == JBW_RECORD_BLOCK_LOG && log_count < 64) logs[log_count++] = offset;
    }
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

// a made up log may do what it says, but must not break anything
static void test_made_up_logs(void **state)
{
    (void)state;
    const int count = options.is_long ? 100000 : 3000;
    uint64_t random = options.seed;
    uint8_t *bytes = malloc(good.size + (1 << 17));
    assert_non_null(bytes);
    int bad = 0;
    for (int i = 0; i < count; i++) {
        write_file(bytes, make_up(&random, bytes));
        jbw_recording *recording;
        jbw_error error = {0};
        const jbw_load_options load = {.model = good.model};
        assert_int_equal(jbw_recording_open(path, &load, &recording, &error), JBW_OK);
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

// ---- going on with a bad end ----

static jbw_status go_on(jbw_error *error)
{
    jbw_recording *recording;
    jbw_status status = jbw_recording_open(path, NULL, &recording, error);
    assert_int_equal(status, JBW_OK);
    assert_int_equal(jbw_recording_seek(recording, UINT64_MAX, error), JBW_OK);
    jbw_recorder *recorder;
    jbw_world *world = jbw_recording_world(recording);
    status = jbw_recorder_append(world, path, &often, &recorder, error);
    if (!status) {
        for (int i = 0; i < 10; i++) assert_int_equal(jbw_world_step(world), JBW_OK);
        assert_int_equal(jbw_recorder_close(recorder, NULL), JBW_OK);
    }
    const uint64_t time = jbw_world_time(world);
    const uint64_t hash = jbw_world_hash(world);
    jbw_recording_close(recording);
    if (status) return status;

    assert_int_equal(jbw_recording_open(path, NULL, &recording, error), JBW_OK);
    assert_int_equal(jbw_recording_get_info(recording).torn_size, 0);
    while (!status) status = jbw_recording_next(recording, NULL, error);
    assert_int_equal(status, JBW_NOT_FOUND);
    assert_int_equal(jbw_world_time(jbw_recording_world(recording)), time);
    assert_int_equal(jbw_world_hash(jbw_recording_world(recording)), hash);
    jbw_recording_close(recording);
    return JBW_OK;
}

static void test_going_on_after_a_torn_end(void **state)
{
    (void)state;
    jbw_error error = {0};
    for (size_t size = good.size - 400; size <= good.size; size += 13) {
        write_file(good.bytes, size);
        assert_int_equal(go_on(&error), JBW_OK);
    }
    // rubbish behind the end is torn, too
    uint8_t *bytes = calloc(good.size + 5000, 1);
    assert_non_null(bytes);
    memcpy(bytes, good.bytes, good.size);
    write_file(bytes, good.size + 5000);
    assert_int_equal(go_on(&error), JBW_OK);
    free(bytes);
}

// what was on the disk once and is bad now is not torn: nothing is cut off
static void test_going_on_after_damage(void **state)
{
    (void)state;
    // as after an hour: the blocks behind the bad one were written long after it was safe
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
    write_file(bytes, good.size);
    free(bytes);
    jbw_error error = {0};
    assert_int_equal(go_on(&error), JBW_INVALID_DATA);
    assert_non_null(strstr(error.text, "is damaged at byte"));
    size_t size;
    free(read_file(&size));
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
    signal(SIGXFSZ, SIG_IGN); // so that writing fails with EFBIG, as it would with ENOSPC
    for (size_t size = 100; size < good.size; size += 97) {
        unlink(path);
        jbw_model *model;
        jbw_world *world = open_world(&model, NULL);
        jbw_recorder *recorder;
        jbw_error error = {0};
        uint64_t random = 3;
        limit_file_size(size);
        jbw_status status = jbw_recorder_create(world, path, true, &often, &recorder, &error);
        for (int i = 0; i < 150; i++) random_world_change(world, &random);
        if (status) {
            limit_file_size(0);
            assert_int_equal(status, JBW_WRITE_FAILED);
            assert_non_null(strstr(error.text, "File too large"));
            assert_int_equal(access(path, F_OK), -1);
        } else {
            // the world has gone on, and the recording is good up to where it stopped
            jbw_recorder_flush(recorder, NULL);
            const jbw_status before = jbw_recorder_status(recorder, &error);
            assert_true(before == JBW_WRITE_FAILED || size > good.size - 200);
            assert_int_equal(jbw_recorder_close(recorder, &error), JBW_WRITE_FAILED);
            assert_non_null(strstr(error.text, "cannot be written: File too large"));
            limit_file_size(0);
            jbw_status end;
            assert_true(replay(&end) >= 0);
            assert_int_equal(end, JBW_NOT_FOUND);
            struct stat file;
            assert_int_equal(stat(path, &file), 0);
            assert_true((size_t)file.st_size <= size);
            jbw_recording *recording;
            assert_int_equal(jbw_recording_open(path, NULL, &recording, NULL), JBW_OK);
            assert_int_equal(jbw_recording_get_info(recording).torn_size, 0); // cut off at once
            jbw_recording_close(recording);
        }
        assert_int_equal(jbw_world_hash(world), good.hashes[good.count - 1]);
        jbw_world_destroy(world);
        jbw_model_destroy(model);
    }
}

// a recording that is to be replaced stays, if its successor cannot even begin
static void test_full_disk_and_an_old_file(void **state)
{
    (void)state;
    write_file(good.bytes, good.size);
    jbw_model *model;
    jbw_world *world = open_world(&model, NULL);
    jbw_recorder *recorder;
    limit_file_size(100);
    assert_int_equal(jbw_recorder_create(world, path, true, NULL, &recorder, NULL),
                     JBW_WRITE_FAILED);
    limit_file_size(0);
    jbw_status end;
    assert_int_equal(replay(&end), good.count - 1);
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
        jbw_world *world = open_world(&model, &allocator);
        assert_non_null(world);
        counting.call_count = 0;
        counting.fail_at = fail_at;
        counting.fail_count = 1;
        jbw_recorder *recorder;
        jbw_error error = {0};
        jbw_status status = jbw_recorder_create(world, path, true, &often, &recorder, &error);
        uint64_t random = 3;
        for (int i = 0; i < 30 && !status; i++) random_world_change(world, &random);
        is_done = counting.call_count < fail_at;
        counting.fail_at = 0;
        if (status) {
            assert_int_equal(status, JBW_OUT_OF_MEMORY);
            assert_true(error.text[0] != '\0');
        } else {
            status = jbw_recorder_close(recorder, &error);
            assert_true(status == JBW_OK || status == JBW_OUT_OF_MEMORY);
            jbw_recording *recording;
            assert_int_equal(jbw_recording_open(path, NULL, &recording, &error), JBW_OK);
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
    write_file(good.bytes, good.size);
    bool is_done = false;
    for (size_t fail_at = 1; !is_done; fail_at += options.is_long ? 1 : 3) {
        counting_allocator counting = {.fail_at = fail_at, .fail_count = 1};
        const jbw_load_options load = {.allocator = counting_allocator_make(&counting)};
        jbw_recording *recording;
        jbw_error error = {0};
        jbw_status status = jbw_recording_open(path, &load, &recording, &error);
        if (status) {
            assert_int_equal(status, JBW_OUT_OF_MEMORY);
        } else {
            const jbw_recording_info info = jbw_recording_get_info(recording);
            status = jbw_recording_seek(recording, info.last_time, &error);
            if (!status) status = jbw_recording_seek(recording, 10, &error);
            while (!status) status = jbw_recording_next(recording, NULL, &error);
            is_done = counting.call_count < fail_at;
            assert_true(status == JBW_NOT_FOUND || status == JBW_OUT_OF_MEMORY);
            // with memory again it goes on from where it was
            counting.fail_at = 0;
            assert_int_equal(jbw_recording_seek(recording, UINT64_MAX, &error), JBW_OK);
            assert_int_equal(jbw_world_hash(jbw_recording_world(recording)),
                             good.hashes[good.count - 1]);
            jbw_recording_close(recording);
        }
        assert_int_equal(counting.block_count, 0);
    }
}

static int open_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder)) return -1;
    snprintf(path, sizeof path, "%s/a.jbwr", folder);
    make_good();
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    free(good.bytes);
    jbw_model_destroy(good.model);
    unlink(path);
    return rmdir(folder); // nothing else was left behind
}

int main(int argc, char **argv)
{
    options = test_options_read(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_truncation),
        cmocka_unit_test(test_corruptions),
        cmocka_unit_test(test_lost_bodies),
        cmocka_unit_test(test_hashes_that_disagree),
        cmocka_unit_test(test_made_up_logs),
        cmocka_unit_test(test_going_on_after_a_torn_end),
        cmocka_unit_test(test_going_on_after_damage),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_full_disk_and_an_old_file),
        cmocka_unit_test(test_recording_without_memory),
        cmocka_unit_test(test_replaying_without_memory),
    };
    return cmocka_run_group_tests(tests, open_folder, remove_folder);
}
