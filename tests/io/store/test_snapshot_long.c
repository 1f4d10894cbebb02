// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Snapshots with a note that is sent piece by piece: the same contents as with the note in memory,
/// and an old file that survives every failure.
#include "support/models.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "io/store/snapshot_frame.h"
#include "jbw/snapshot.h"
#include "support/allocations.h"
#include "support/files.h"

static const jbw_note others[] = {{"reward", "Collect[Apple]", 14}, {"empty", NULL, 0}};

// ---- a long note ----

typedef struct story {
    size_t size;
    size_t sizes[2];   // how much the first and the second time, if not `size`
    int times;         // it was sent
    size_t breaks_off; // after this many bytes of the second time, unless zero
    jbw_status excuse; // for breaking off
    size_t refused;    // bytes that the sink did not take
    uint8_t bytes[300000];
} story;

static story *tell(size_t size)
{
    story *s = calloc(1, sizeof *s);
    assert_non_null(s);
    uint32_t x = 1;
    for (size_t i = 0; i < sizeof s->bytes; i++, x = x * 1664525 + 1013904223)
        s->bytes[i] = (uint8_t)(i % 3000 < 1500 ? x >> 24 : i >> 6); // half of it compresses
    s->size = s->sizes[0] = s->sizes[1] = size;
    return s;
}

static jbw_status send_story(void *user, jbw_sink sink)
{
    story *s = user;
    const bool is_second = s->times++ > 0;
    const size_t size = s->sizes[is_second];
    for (size_t at = 0, piece = 1; at < size; at += piece, piece = piece * 5 % 70001) {
        if (is_second && s->breaks_off > 0 && at >= s->breaks_off) return s->excuse;
        if (piece > size - at) piece = size - at;
        if (!sink.take(sink.user, s->bytes + at, piece)) {
            s->refused = piece;
            return JBW_WRITE_FAILED;
        }
    }
    return JBW_OK;
}

static jbw_status write_story(const jbw_world *world, story *s, const char *path, jbw_error *error)
{
    const jbw_long_note note = {"story", send_story, s};
    s->times = 0;
    return jbw_snapshot_write_long(world, others, 2, &note, path, error);
}

static jbw_buffer contents_of(const void *bytes, size_t size)
{
    jbw_buffer contents = {0};
    jbw_error error;
    if (jbw_snapshot_unpack(bytes, size, UINT64_MAX, &contents, &error)) fail_msg("%s", error.text);
    return contents;
}

// ---- tests ----

static void test_contents(void **state)
{
    (void)state;
    jbw_model *model = varied_model(30);
    jbw_world *world = world_of(model, 1);
    temporary_folder folder;
    char path[PATH_SIZE];
    assert_true(temporary_folder_create(&folder));
    temporary_path(&folder, "world.snapshot", path);
    static const size_t sizes[] = {0, 1, 65536, 300000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        story *s = tell(sizes[i]);
        jbw_error error;
        if (write_story(world, s, path, &error)) fail_msg("%s", error.text);
        assert_int_equal(s->times, 2);
        assert_int_equal(temporary_folder_count(&folder, ""), 1);

        const jbw_note all[] = {others[0], others[1], {"story", s->bytes, s->size}};
        jbw_buffer twin = {0};
        assert_int_equal(jbw_snapshot_encode(world, all, 3, &twin), JBW_OK);
        size_t size;
        char *found = file_read(path, &size);
        assert_non_null(found);
        jbw_buffer got = contents_of(found, size);
        jbw_buffer expected = contents_of(twin.bytes, twin.size);
        assert_int_equal(got.size, expected.size);
        assert_memory_equal(got.bytes, expected.bytes, got.size);
        assert_true(size < s->size * 2 / 3 + 10000); // compressed
        free(found);
        jbw_buffer_free(&twin);
        jbw_buffer_free(&got);
        jbw_buffer_free(&expected);

        jbw_loaded loaded;
        if (jbw_snapshot_read(path, NULL, &loaded, &error)) fail_msg("%s", error.text);
        const jbw_note *note = jbw_loaded_note(&loaded, "story");
        assert_int_equal(note->size, s->size);
        assert_memory_equal(note->bytes, s->bytes, s->size);
        jbw_loaded_drop_note(&loaded, "story");
        jbw_loaded_drop_note(&loaded, "story"); // again, in vain
        jbw_loaded_drop_note(&loaded, "none");
        assert_null(jbw_loaded_note(&loaded, "story"));
        assert_non_null(jbw_loaded_note(&loaded, "reward"));
        jbw_loaded_free(&loaded);
        free(s);
    }
    remove(path);
    assert_true(temporary_folder_remove(&folder));
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

static void expect_failure(const jbw_world *world, story *s, const char *path, jbw_status expected)
{
    jbw_error error = {0};
    assert_int_equal(write_story(world, s, path, &error), expected);
    assert_true(error.text[0] != '\0');
}

static void test_failures(void **state)
{
    (void)state;
    jbw_model *model = varied_model(30);
    jbw_world *world = world_of(model, 1);
    temporary_folder folder;
    char path[PATH_SIZE];
    assert_true(temporary_folder_create(&folder));
    temporary_path(&folder, "world.snapshot", path);
    story *s = tell(300000);
    assert_int_equal(write_story(world, s, path, NULL), JBW_OK);
    size_t old_size;
    char *old = file_read(path, &old_size);

    // fewer bytes than were counted, and more, of which none gets through
    s->sizes[1] = s->size - 1;
    expect_failure(world, s, path, JBW_INVALID_ARGUMENT);
    s->sizes[0] = s->size - 1;
    s->sizes[1] = s->size;
    expect_failure(world, s, path, JBW_WRITE_FAILED);
    assert_true(s->refused > 0);
    s->sizes[0] = s->size;

    // the sender gives up
    s->excuse = JBW_OUT_OF_MEMORY;
    for (s->breaks_off = 1; s->breaks_off < s->size; s->breaks_off *= 8)
        expect_failure(world, s, path, JBW_OUT_OF_MEMORY);
    s->breaks_off = 0;

    // names
    const jbw_long_note bad[] = {{"a b", send_story, s}, {"reward", send_story, s}};
    jbw_error error;
    for (int i = 0; i < 2; i++) {
        assert_int_equal(jbw_snapshot_write_long(world, others, 2, &bad[i], path, &error),
                         JBW_INVALID_ARGUMENT);
        assert_contains(error.text, "invalid or duplicate name");
    }

    // a full disk, and a device that takes everything
    expect_failure(world, s, "/dev/full", JBW_WRITE_FAILED);
    assert_int_equal(write_story(world, s, "/dev/null", NULL), JBW_OK);
    expect_failure(world, s, "/nowhere/at/all", JBW_WRITE_FAILED);

    assert_int_equal(temporary_folder_count(&folder, ""), 1);
    size_t size;
    char *found = file_read(path, &size);
    assert_int_equal(size, old_size);
    assert_memory_equal(found, old, size);
    free(found);
    free(old);
    free(s);
    remove(path);
    assert_true(temporary_folder_remove(&folder));
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

static void test_failing_memory(void **state)
{
    (void)state;
    counting_allocator counting = {0};
    jbw_config config = varied_config(30);
    config.allocator = counting_allocator_make(&counting);
    jbw_model *model = model_of(&config);
    jbw_world *world = world_of(model, 1);
    temporary_folder folder;
    char path[PATH_SIZE];
    assert_true(temporary_folder_create(&folder));
    temporary_path(&folder, "world.snapshot", path);
    story *s = tell(300000);
    const char *const paths[] = {path, "/dev/null"}; // streamed, and collected
    for (int i = 0; i < 2; i++) {
        const size_t before = counting.byte_count;
        jbw_status status = JBW_OUT_OF_MEMORY;
        size_t failures = 0;
        for (size_t n = 1; status; n++) {
            fail_allocations(&counting, n, 1);
            jbw_error error = {0};
            status = write_story(world, s, paths[i], &error);
            allow_allocations(&counting);
            assert_int_equal(counting.byte_count, before);
            if (!status) break;
            assert_int_equal(status, JBW_OUT_OF_MEMORY);
            assert_true(error.text[0] != '\0');
            assert_int_equal(temporary_folder_count(&folder, ""), i);
            failures++;
        }
        assert_true(failures > 3);
    }
    // the note was never in memory as a whole
    counting.most_byte_count = counting.byte_count;
    const size_t before = counting.byte_count;
    assert_int_equal(write_story(world, s, path, NULL), JBW_OK);
    assert_true(counting.most_byte_count < before + 200000);
    free(s);
    remove(path);
    assert_true(temporary_folder_remove(&folder));
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contents),
        cmocka_unit_test(test_failures),
        cmocka_unit_test(test_failing_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
