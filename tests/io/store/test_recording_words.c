// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Recordings of what agents say and write: a replay says and writes the same, so that agents hear and
/// read the same after each operation. Codes for words are used only where there are words.
#include "support/models.h"

#include <inttypes.h>
#include <string.h>

#include "io/store/operation_log.h"
#include "jbw/recording.h"
#include "support/files.h"
#include "support/life.h"
#include "support/random.h"

static temporary_folder folder;
static char path[PATH_SIZE];

enum { CALLS = 400 };

typedef struct trace {
    life_view views[CALLS * 2];
    size_t count;
} trace;

static void note(jbw_world *world, const jbw_operation *operation, void *user)
{
    (void)operation;
    trace *t = user;
    assert_true(t->count < sizeof t->views / sizeof *t->views);
    t->views[t->count++] = life_look(world);
}

static void test_replay(void **state)
{
    (void)state;
    static trace t;
    for (int g = 0; g < 2; g++) {
        jbw_config config = life_growing_config();
        config.mh_iterations = 30;
        jbw_item_type items[4];
        memcpy(items, config.items, sizeof items);
        config.items = items;
        if (g == 1) config.generation = JBW_GENERATION_INVARIANT;
        for (int i = 0; i < 4 && g == 1; i++) items[i].interaction_count = 0; // they take long
        jbw_model *model = model_of(&config);
        jbw_world *twin = world_of(model, 6);
        t.count = 0;
        jbw_world_on_operation(twin, note, &t);
        uint64_t random = 1;
        assert_true(life_run(twin, &random, CALLS));

        jbw_world *world = world_of(model, 6);
        jbw_recorder *recorder;
        jbw_error error;
        const jbw_recorder_options options = {
            .hash_every = 11, .snapshot_every = 60, .flush_every = 9};
        assert_int_equal(jbw_recorder_create(world, path, true, &options, &recorder, &error),
                         JBW_OK);
        random = 1;
        assert_true(life_run(world, &random, CALLS));
        assert_int_equal(jbw_recorder_close(recorder, &error), JBW_OK);

        jbw_recording *recording;
        assert_int_equal(jbw_recording_open(path, NULL, &recording, &error), JBW_OK);
        uint64_t said = 0;
        uint64_t written = 0;
        uint64_t placed = 0;
        for (size_t i = 0; i < t.count; i++) {
            jbw_operation operation;
            if (jbw_recording_next(recording, &operation, &error)) fail_msg("%s", error.text);
            const life_view view = life_look(jbw_recording_world(recording));
            const char *what = life_difference(&view, &t.views[i]);
            if (what) fail_msg("after operation %zu, %s differ", i, what);
            if (operation.kind == JBW_OPERATION_PLACE_ITEM) {
                placed += operation.text != NULL;
                continue;
            }
            said += operation.say > 0;
            written += operation.text != NULL;
            for (size_t k = 0; k < operation.count && operation.requests.texts; k++) {
                said += operation.requests.say[k] > 0;
                written += operation.requests.texts[k] != NULL;
            }
        }
        assert_true(said > 100 && written > 5 && placed > 1);
        assert_int_equal(jbw_recording_next(recording, NULL, &error), JBW_NOT_FOUND);

        // from a snapshot, too
        assert_int_equal(jbw_recording_seek(recording, 20, &error), JBW_OK);
        assert_int_equal(jbw_recording_seek(recording, UINT64_MAX, &error), JBW_OK);
        const life_view last = life_look(jbw_recording_world(recording));
        const life_view *due = &t.views[t.count - 1]; // but for counters of patches in memory
        assert_true(last.hash == due->hash && last.agents == due->agents && last.map == due->map);
        jbw_recording_close(recording);
        jbw_world_destroy(world);
        jbw_world_destroy(twin);
        jbw_model_destroy(model);
    }
}

// the bytes of an operation in an empty log
static jbw_buffer log_of(const jbw_operation *operation)
{
    jbw_buffer bytes = {0};
    jbw_writer writer = jbw_writer_begin(&bytes);
    jbw_log_state state = {.actor = {1, 1}};
    jbw_log_write_operation(&writer, &state, operation);
    assert_true(writer.ok);
    return bytes;
}

static void expect_log(const jbw_operation *operation, const char *bytes, size_t size)
{
    jbw_buffer found = log_of(operation);
    assert_int_equal(found.size, size);
    assert_memory_equal(found.bytes, bytes, size);
    jbw_buffer_free(&found);
}

static void test_codes(void **state)
{
    (void)state;
    const jbw_agent_id ids[] = {{1, 1}, {2, 1}};
    const int actions[] = {3, 4};
    const int silence[] = {0, 0};
    const int say[] = {0, 2};
    const char *const nothing[] = {NULL, ""};
    const char *const texts[] = {"ab", NULL};
    jbw_operation act = {.kind = JBW_OPERATION_ACT, .agent = {1, 1}, .action = 3};
    expect_log(&act, "\x43", 1);
    act.say = 2;
    expect_log(&act, "\x0b\1\1\3\2\0", 6);
    act.say = 0;
    act.text = "ab";
    expect_log(&act, "\x0b\1\1\3\0\2ab", 8);

    jbw_operation together = {.kind = JBW_OPERATION_ACT_TOGETHER,
                              .agents = ids,
                              .requests = {.actions = actions},
                              .count = 2};
    expect_log(&together, "\x02\2\1\1\3\2\1\4", 8);
    together.requests = (jbw_requests){.actions = actions, .say = silence, .texts = nothing};
    expect_log(&together, "\x02\2\1\1\3\2\1\4", 8); // silence and no text are no words
    together.requests.say = say;
    expect_log(&together, "\x0c\2\1\1\3\0\0\2\1\4\2\0", 12);
    together.requests = (jbw_requests){.actions = actions, .texts = texts};
    expect_log(&together, "\x0c\2\1\1\3\0\2ab\2\1\4\0\0", 14);

    jbw_operation place = {.kind = JBW_OPERATION_PLACE_ITEM, .item_type = 1, .position = {1, -1}};
    expect_log(&place, "\x07\1\2\1", 4);
    place.text = "z";
    expect_log(&place, "\x0d\1\2\1\1z", 6);
}

static void test_damaged_words(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
    } logs[] = {
        {"\x0b\1\1\3\0\2a\0", 8},  // a zero in the text
        {"\x0b\1\1\3\0\2a", 7},    // it is too short
        {"\x0b\1\1\3\0\x80\2", 7}, // it is too long
        {"\x0c\1\1\1\3\0\2a\0", 9}, {"\x0d\1\2\1\2a\0", 7}, {"\x0e\1\2\1\1z", 6}, // an unknown code
    };
    for (size_t i = 0; i < sizeof logs / sizeof *logs; i++) {
        jbw_reader reader = jbw_reader_begin(logs[i].bytes, logs[i].size);
        jbw_log_state log = {0};
        jbw_log_arrays arrays = {0};
        jbw_log_entry entry;
        assert_int_equal(jbw_log_read(&reader, &log, &arrays, &entry), JBW_INVALID_DATA);
        jbw_log_arrays_free(&arrays);
    }
}

static int set_up(void **state)
{
    (void)state;
    if (!temporary_folder_create(&folder)) return 1;
    temporary_path(&folder, "a.jbwr", path);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    temporary_folder_clear(&folder);
    return temporary_folder_remove(&folder) ? 0 : 1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_replay),
        cmocka_unit_test(test_codes),
        cmocka_unit_test(test_damaged_words),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
