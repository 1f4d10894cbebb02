// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Damaged snapshots: truncated anywhere, and damaged at random a hundred thousand times, as they
/// are and below the checksum, where the decoder itself has to notice. If a snapshot can be read
/// nevertheless, its world must work.
#include "support/checks.h"

#include <stdlib.h>
#include <string.h>
#include <zstd.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/limit.h"
#include "io/store/snapshot_frame.h"
#include "jbw/snapshot.h"
#include "sim/world/world.h"
#include "support/allocations.h"
#include "support/damage.h"
#include "support/life.h"
#include "support/waiting.h"

enum {
    SCENES = 4,
    MEMORY_LIMIT = 8 << 20,
    MOST_ITERATIONS = 1000, // a damaged world may be very slow
};

static int rounds = 50000; // fewer under a sanitizer
static jbw_model *model;
static jbw_buffer snapshots[SCENES];
static jbw_buffer contents[SCENES];

static jbw_load_options load_options(void)
{
    return (jbw_load_options){.model = model, .memory_limit = MEMORY_LIMIT};
}

// worlds of different age, in mid-turn, with a note
static int make_scenes(void **state)
{
    (void)state;
    jbw_config config = life_growing_config();
    config.patch_size = 9;
    config.mh_iterations = 50;
    config.agent.vision_range = 3;
    if (jbw_model_create(&config, &model, NULL)) return 1;
    for (int i = 0; i < SCENES; i++) {
        jbw_world *world;
        uint64_t random = (uint64_t)i;
        if (jbw_world_create(model, 1, &world)) return 1;
        if (!life_run(world, &random, 1 + 30 * i)) return 1;
        const jbw_note note = {"reward", "Collect[Apple]", 14};
        if (jbw_snapshot_encode(world, &note, 1, &snapshots[i])) return 1;
        if (jbw_snapshot_unpack(snapshots[i].bytes, snapshots[i].size, UINT64_MAX, &contents[i],
                                NULL))
            return 1;
        jbw_world_destroy(world);
    }
    return 0;
}

static int free_scenes(void **state)
{
    (void)state;
    for (int i = 0; i < SCENES; i++) {
        jbw_buffer_free(&snapshots[i]);
        jbw_buffer_free(&contents[i]);
    }
    jbw_model_destroy(model);
    return 0;
}

static void expect_clean_failure(const uint8_t *bytes, size_t size)
{
    const jbw_load_options options = load_options();
    jbw_loaded loaded;
    jbw_error error;
    const jbw_status status = jbw_snapshot_decode(bytes, size, &options, &loaded, &error);
    assert_int_equal(status, JBW_INVALID_DATA);
    assert_true(error.text[0] != '\0');
    assert_null(loaded.world);
    assert_null(loaded.model);
    assert_null(loaded.notes);
}

static void test_truncated(void **state)
{
    (void)state;
    for (int i = 0; i < SCENES; i++) {
        for (size_t size = 0; size < snapshots[i].size; size++) {
            // exactly that many bytes, so that sanitizers notice reads beyond them
            uint8_t *cut = malloc(size + 1);
            assert_non_null(cut);
            memcpy(cut + 1, snapshots[i].bytes, size);
            expect_clean_failure(cut + 1, size);
            free(cut);
        }
    }
}

// the same below the checksum
static void test_contents_truncated(void **state)
{
    (void)state;
    for (int i = 0; i < SCENES; i++) {
        for (size_t size = 0; size < contents[i].size; size++) {
            jbw_buffer packed = {0};
            assert_int_equal(jbw_snapshot_pack(contents[i].bytes, size, &packed), JBW_OK);
            expect_clean_failure(packed.bytes, packed.size);
            jbw_buffer_free(&packed);
        }
    }
}

static void test_damaged(void **state)
{
    (void)state;
    const jbw_load_options options = load_options();
    uint64_t random = 1;
    for (int round = 0; round < rounds; round++) {
        const jbw_buffer *good = &snapshots[round % SCENES];
        uint8_t *bytes = malloc(good->size + DAMAGE_MOST_ADDED);
        assert_non_null(bytes);
        const size_t size = damage(&random, good->bytes, good->size, bytes);
        const bool is_same = size == good->size && memcmp(bytes, good->bytes, size) == 0;
        jbw_loaded loaded;
        const jbw_status status = jbw_snapshot_decode(bytes, size, &options, &loaded, NULL);
        if (is_same != (status == JBW_OK)) fail_msg("round %d: %s", round, jbw_status_name(status));
        jbw_loaded_free(&loaded);
        free(bytes);
    }
}

// The world works: it can be observed, changed, written and read again. Calls may fail, such as
// those of agents at the end of the world.
static void use_world(jbw_world *world, uint64_t random)
{
    if (jbw_world_model(world)->mh_iterations > MOST_ITERATIONS) return;
    jbw_buffer bytes = {0};
    jbw_world *again;
    jbw_model *made;
    life_look(world);
    life_run(world, &random, 12);
    life_look(world);
    assert_int_equal(jbw_world_encode(world, &bytes), JBW_OK);
    const jbw_load_options options = {.model = jbw_world_model(world)};
    jbw_error error;
    if (jbw_world_decode(bytes.bytes, bytes.size, &options, &made, &again, &error))
        fail_msg("a world that was read cannot be written and read again: %s", error.text);
    assert_int_equal(jbw_world_hash(world), jbw_world_hash(again));
    jbw_world_destroy(again);
    jbw_model_destroy(made);
    jbw_buffer_free(&bytes);
}

static void test_contents_damaged(void **state)
{
    (void)state;
    const jbw_load_options options = load_options();
    uint64_t random = 2;
    int read_count = 0;
    for (int round = 0; round < rounds; round++) {
        const jbw_buffer *good = &contents[round % SCENES];
        uint8_t *bytes = malloc(good->size + DAMAGE_MOST_ADDED);
        assert_non_null(bytes);
        const size_t size = damage(&random, good->bytes, good->size, bytes);
        jbw_buffer packed = {0};
        assert_int_equal(jbw_snapshot_pack(bytes, size, &packed), JBW_OK);
        jbw_loaded loaded;
        jbw_error error;
        const jbw_status status =
            jbw_snapshot_decode(packed.bytes, packed.size, &options, &loaded, &error);
        if (status == JBW_OK) {
            read_count++;
            use_world(loaded.world, random);
        } else {
            // damaged names of items and functions are reported as unknown
            assert_true(status == JBW_INVALID_DATA || status == JBW_INVALID_CONFIG ||
                        status == JBW_OUT_OF_MEMORY);
            assert_true(error.text[0] != '\0');
            assert_null(loaded.world);
        }
        jbw_loaded_free(&loaded);
        jbw_buffer_free(&packed);
        free(bytes);
    }
    // such as those in which an item has another type
    assert_in_range(read_count, rounds / 50, rounds);
}

// ---- bombs ----

static uint64_t checksum(const uint8_t *bytes, size_t size)
{
    jbw_hasher hasher = jbw_hash_begin(0);
    jbw_hash_bytes(&hasher, bytes, size);
    return hasher.value;
}

static void expect_refusal(const void *bytes, size_t size, const jbw_load_options *options,
                           jbw_status expected, const char *text)
{
    jbw_loaded loaded;
    jbw_error error;
    assert_int_equal(jbw_snapshot_decode(bytes, size, options, &loaded, &error), expected);
    assert_contains(error.text, text);
}

// Zeros, hundreds of megabytes of them in a few kilobytes: without a word of the caller, nobody
// allocates memory for them.
static void test_bombs(void **state)
{
    (void)state;
    enum { MEGABYTES = 400, CHUNK = 1 << 20 };
    const size_t content_size = (size_t)MEGABYTES * CHUNK;
    const size_t room = ZSTD_compressBound(CHUNK);
    uint8_t *bytes = calloc(1, JBW_SNAPSHOT_HEADER_SIZE + room);
    uint8_t *zeros = calloc(1, CHUNK);
    ZSTD_CCtx *compressor = ZSTD_createCCtx();
    assert_true(bytes && zeros && compressor);
    assert_false(ZSTD_isError(ZSTD_CCtx_setPledgedSrcSize(compressor, content_size)));
    ZSTD_outBuffer out = {bytes + JBW_SNAPSHOT_HEADER_SIZE, room, 0};
    for (int i = 0; i < MEGABYTES; i++) {
        ZSTD_inBuffer in = {zeros, CHUNK, 0};
        const ZSTD_EndDirective end = i + 1 < MEGABYTES ? ZSTD_e_continue : ZSTD_e_end;
        size_t left = 1;
        while (in.pos < in.size || (end == ZSTD_e_end && left > 0)) {
            left = ZSTD_compressStream2(compressor, &out, &in, end);
            assert_false(ZSTD_isError(left));
        }
    }
    ZSTD_freeCCtx(compressor);
    free(zeros);

    memcpy(bytes, snapshots[0].bytes, JBW_SNAPSHOT_HEADER_SIZE);
    jbw_put_u64(bytes + 16, content_size);
    jbw_put_u64(bytes + 24, out.pos);
    jbw_put_u64(bytes + 40, checksum(bytes + JBW_SNAPSHOT_HEADER_SIZE, out.pos));
    jbw_put_u64(bytes + 48, checksum(bytes, 48));
    const size_t size = JBW_SNAPSHOT_HEADER_SIZE + out.pos;
    assert_true(size < 100000);

    counting_allocator counting = {0};
    jbw_load_options options = {.allocator = counting_allocator_make(&counting)};
    expect_refusal(bytes, size, &options, JBW_OUT_OF_MEMORY,
                   "the snapshot contains 419430400 bytes, more than the memory limit of 335544320 "
                   "bytes; if you trust it, choose a larger memory limit");
    assert_int_equal(counting.call_count, 0);
    options.memory_budget = 16; // comes on top of what the file may take
    expect_refusal(bytes, size, &options, JBW_OUT_OF_MEMORY, "memory limit of 285212672 bytes");

    // a larger file may hold more, and the caller may allow it
    assert_int_equal(jbw_limit_default(1 << 20, 1), (UINT64_C(1000) << 20) + (1 << 20));
    assert_int_equal(jbw_limit_default(0, 0), UINT64_C(320) << 20);
    assert_true(jbw_limit_default(UINT64_MAX, 1 << 20) > UINT64_C(1) << 60);
    options.memory_limit = UINT64_C(1) << 30;
    expect_refusal(bytes, size, &options, JBW_INVALID_DATA,
                   "the checksum of its contents is wrong");
    free(bytes);
}

int main(void)
{
    if (is_sanitized()) rounds = 20000;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_truncated), cmocka_unit_test(test_contents_truncated),
        cmocka_unit_test(test_damaged),   cmocka_unit_test(test_contents_damaged),
        cmocka_unit_test(test_bombs),
    };
    return cmocka_run_group_tests(tests, make_scenes, free_scenes);
}
