// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Recordings: random runs are recorded, in one or several parts, and replayed operation by
/// operation and with jumps; each state must be the one that was recorded. Also what a recorder
/// refuses.
///
/// A run that fails prints its seed: `test_recording --seed N` starts with that one. With --long
/// there are many more.
#include "support/models.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/store/record_block.h"
#include "jbw/recording.h"
#include "support/files.h"
#include "support/options.h"
#include "support/random.h"
#include "support/random_world.h"

static test_options options;
static temporary_folder folder;
static char path[PATH_SIZE];

// ---- a run and its states ----

enum { MAX_MOMENTS = 1200 };

/// The states of a world after each operation.
typedef struct trace {
    uint64_t hashes[MAX_MOMENTS];
    uint64_t times[MAX_MOMENTS];
    bool is_step[MAX_MOMENTS]; // the operation advanced the time
    size_t count;              // the first is the initial state
} trace;

static jbw_world *open_world(const random_world_config *config, uint64_t seed, jbw_model **model)
{
    *model = model_of(&config->config);
    return world_of(*model, seed);
}

static void note(trace *t, const jbw_world *world)
{
    assert_true(t->count < MAX_MOMENTS);
    const uint64_t time = jbw_world_time(world);
    t->is_step[t->count] = t->count == 0 || t->times[t->count - 1] != time;
    t->times[t->count] = time;
    t->hashes[t->count++] = jbw_world_hash(world);
}

static void check_status(jbw_status status, const jbw_error *error, const char *what)
{
    if (status) fail_msg("%s: %s: %s", what, jbw_status_name(status), error->text);
}

static jbw_recorder *record(jbw_world *world, bool is_new, const jbw_recorder_options *how)
{
    jbw_recorder *recorder;
    jbw_error error = {0};
    const jbw_status status = is_new
                                  ? jbw_recorder_create(world, path, true, how, &recorder, &error)
                                  : jbw_recorder_append(world, path, how, &recorder, &error);
    check_status(status, &error, is_new ? "create" : "append");
    return recorder;
}

// changes a recorded world
static void change(jbw_world *world, jbw_recorder *recorder, uint64_t *random, int count)
{
    for (int i = 0; i < count; i++) {
        random_world_change(world, random);
        if (random_below(random, 40) == 0)
            assert_int_equal(jbw_recorder_flush(recorder, NULL), JBW_OK);
        assert_int_equal(jbw_recorder_status(recorder, NULL), JBW_OK);
    }
}

static jbw_recording *open_recording(const jbw_load_options *how)
{
    jbw_recording *recording;
    jbw_error error = {0};
    check_status(jbw_recording_open(path, how, &recording, &error), &error, "open");
    return recording;
}

// replays all operations one by one
static void replay(jbw_recording *recording, trace *t)
{
    jbw_error error = {0};
    t->count = 0;
    note(t, jbw_recording_world(recording));
    for (;;) {
        jbw_operation operation;
        const jbw_status status = jbw_recording_next(recording, &operation, &error);
        if (status == JBW_NOT_FOUND) break;
        check_status(status, &error, "next");
        assert_true(operation.kind >= JBW_OPERATION_ACT &&
                    operation.kind <= JBW_OPERATION_FINALIZE_PATCH);
        note(t, jbw_recording_world(recording));
    }
}

// the position in the trace that a seek must lead to
static size_t moment_of(const trace *t, uint64_t time)
{
    for (size_t i = 0; i < t->count; i++)
        if (t->times[i] == time && t->is_step[i]) return i;
    fail_msg("no such time");
    return 0;
}

static void jump_about(jbw_recording *recording, const trace *t, uint64_t *random, int count)
{
    const uint64_t first = t->times[0];
    const uint64_t last = t->times[t->count - 1];
    for (int i = 0; i < count; i++) {
        const uint64_t time = first + random_below(random, (uint32_t)(last - first + 1));
        jbw_error error = {0};
        check_status(jbw_recording_seek(recording, time, &error), &error, "seek");
        size_t at = moment_of(t, time);
        assert_int_equal(jbw_world_hash(jbw_recording_world(recording)), t->hashes[at]);
        // and further from there
        for (uint64_t left = random_below(random, 12); left > 0 && at + 1 < t->count; left--) {
            check_status(jbw_recording_next(recording, NULL, &error), &error, "next");
            assert_int_equal(jbw_world_hash(jbw_recording_world(recording)), t->hashes[++at]);
        }
    }
    jbw_error error = {0};
    check_status(jbw_recording_seek(recording, UINT64_MAX, &error), &error, "seek");
    assert_int_equal(jbw_world_hash(jbw_recording_world(recording)), t->hashes[t->count - 1]);
    assert_int_equal(jbw_recording_next(recording, NULL, &error), JBW_NOT_FOUND);
    const uint64_t hash = jbw_world_hash(jbw_recording_world(recording));
    assert_int_equal(jbw_recording_seek(recording, last + 1, &error), JBW_NOT_FOUND);
    if (first > 0) {
        assert_int_equal(jbw_recording_seek(recording, first - 1, &error), JBW_NOT_FOUND);
    }
    assert_int_equal(jbw_world_hash(jbw_recording_world(recording)), hash);
}

// ---- random runs ----

static jbw_recorder_options draw_options(uint64_t *random)
{
    jbw_recorder_options drawn = {0};
    drawn.hash_every = 1 + random_below(random, 30);
    drawn.snapshot_every = 1 + random_below(random, 60);
    drawn.flush_every = 1 + random_below(random, 30);
    return drawn;
}

// listens to the twin, which has no recorder
static void note_operation(jbw_world *world, const jbw_operation *operation, void *user)
{
    (void)operation;
    note(user, world);
}

// Records a run in `parts` parts. `original` receives the states of the same run without a
// recorder.
static void record_run(uint64_t seed, int parts, int length, trace *original)
{
    uint64_t random = seed;
    random_world_config config;
    random_world_config_draw(&config, &random);
    jbw_model *model;
    jbw_model *same_model;
    jbw_world *world = open_world(&config, seed, &model);
    jbw_world *twin = open_world(&config, seed, &same_model);

    // start anywhere, also when only some agents have acted
    const uint64_t before = random_below(&random, 60);
    for (uint64_t i = 0; i < before; i++) {
        uint64_t same = random;
        random_world_change(twin, &same);
        random_world_change(world, &random);
    }
    original->count = 0;
    note(original, twin);
    jbw_world_on_operation(twin, note_operation, original);
    for (int part = 0; part < parts; part++) {
        const jbw_recorder_options how = draw_options(&random);
        jbw_recorder *recorder = record(world, part == 0, &how);
        for (int i = 0; i < length; i++) {
            uint64_t same = random;
            random_world_change(twin, &same);
            change(world, recorder, &random, 1);
        }
        assert_int_equal(jbw_recorder_close(recorder, NULL), JBW_OK);
    }
    assert_int_equal(jbw_world_hash(world), jbw_world_hash(twin));
    jbw_world_destroy(world);
    jbw_world_destroy(twin);
    jbw_model_destroy(model);
    jbw_model_destroy(same_model);
}

static void check_traces(const trace *found, const trace *expected)
{
    assert_int_equal(found->count, expected->count);
    for (size_t i = 0; i < found->count; i++) {
        assert_int_equal(found->times[i], expected->times[i]);
        if (found->hashes[i] != expected->hashes[i]) fail_msg("operation %zu differs", i);
    }
}

static void check_run(uint64_t seed)
{
    static trace original;
    static trace replayed;
    uint64_t random = ~seed;
    record_run(seed, 1 + (int)(seed % 3), 60 + (int)(seed % 7) * 20, &original);
    jbw_recording *recording = open_recording(NULL);
    const jbw_recording_info info = jbw_recording_get_info(recording);
    assert_int_equal(info.first_time, original.times[0]);
    assert_int_equal(info.last_time, original.times[original.count - 1]);
    assert_int_equal(info.operation_count, original.count - 1);
    assert_int_equal(info.torn_size, 0);
    assert_true(info.snapshot_count >= 1 && info.hash_count >= info.snapshot_count);
    replay(recording, &replayed);
    check_traces(&replayed, &original);
    jump_about(recording, &original, &random, 6);
    jbw_recording_close(recording);
}

static uint64_t current_seed;

static void test_random_runs(void **state)
{
    (void)state;
    const uint64_t count = options.is_long ? 5000 : 200;
    for (current_seed = options.seed; current_seed < options.seed + count; current_seed++)
        check_run(current_seed);
    current_seed = 0;
}

static int print_seed(void **state)
{
    (void)state;
    if (current_seed != 0) print_message("the run with seed %" PRIu64 " failed\n", current_seed);
    return 0;
}

// ---- what a recorder refuses ----

// a world with three agents
static jbw_world *open_small(jbw_model **model, uint64_t seed)
{
    uint64_t random = 11;
    random_world_config config;
    random_world_config_draw(&config, &random);
    jbw_world *world = open_world(&config, seed, model);
    jbw_agent_id agent;
    for (int i = 0; i < 3; i++) assert_int_equal(jbw_world_add_agent(world, NULL, &agent), JBW_OK);
    return world;
}

static void take_steps(jbw_world *world, int count)
{
    jbw_agent_id ids[3];
    const int actions[3] = {0, 4, 0};
    jbw_world_agents(world, ids, 3);
    for (int i = 0; i < count; i++) jbw_world_act(world, ids, actions, 3, NULL);
}

static void expect_error(jbw_status status, jbw_status expected, const jbw_error *error,
                         const char *text)
{
    assert_int_equal(status, expected);
    assert_contains(error->text, text);
}

static void test_one_recorder_at_a_time(void **state)
{
    (void)state;
    jbw_model *model;
    jbw_world *world = open_small(&model, 1);
    jbw_world *other;
    assert_int_equal(jbw_world_clone(world, &other), JBW_OK);
    jbw_recorder *recorder = record(world, true, NULL);
    jbw_recorder *second = (jbw_recorder *)&second;
    jbw_error error;
    expect_error(jbw_recorder_append(other, path, NULL, &second, &error), JBW_WRITE_FAILED, &error,
                 "is being written by another recorder");
    assert_null(second);
    expect_error(jbw_recorder_create(other, path, true, NULL, &second, &error), JBW_WRITE_FAILED,
                 &error, "is being written by another recorder");
    expect_error(jbw_recorder_create(other, path, false, NULL, &second, &error), JBW_WRITE_FAILED,
                 &error, "already exists");

    // reading is fine and does not release the lock
    jbw_recording *recording = open_recording(NULL);
    jbw_recording_close(recording);
    assert_int_equal(jbw_recorder_append(other, path, NULL, &second, NULL), JBW_WRITE_FAILED);
    take_steps(world, 3);
    assert_int_equal(jbw_recorder_close(recorder, NULL), JBW_OK);

    take_steps(other, 3);
    recorder = record(other, false, NULL);
    assert_int_equal(jbw_recorder_close(recorder, NULL), JBW_OK);
    jbw_world_destroy(other);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

static void test_replacing(void **state)
{
    (void)state;
    jbw_model *model;
    jbw_world *world = open_small(&model, 1);
    unlink(path);
    jbw_recorder *recorder;
    jbw_error error;
    assert_int_equal(jbw_recorder_create(world, path, false, NULL, &recorder, &error), JBW_OK);
    take_steps(world, 5);
    assert_int_equal(jbw_recorder_close(recorder, NULL), JBW_OK);
    expect_error(jbw_recorder_create(world, path, false, NULL, &recorder, &error), JBW_WRITE_FAILED,
                 &error, "already exists");
    assert_null(recorder);
    jbw_recording *recording = open_recording(NULL);
    assert_int_equal(jbw_recording_get_info(recording).last_time, 5);
    jbw_recording_close(recording);

    recorder = record(world, true, NULL);
    assert_int_equal(jbw_recorder_close(recorder, NULL), JBW_OK);
    recording = open_recording(NULL);
    assert_int_equal(jbw_recording_get_info(recording).first_time, 5);
    jbw_recording_close(recording);

    expect_error(jbw_recorder_create(world, "/no/such/folder/x", true, NULL, &recorder, &error),
                 JBW_WRITE_FAILED, &error, "/no/such/folder/x: cannot be written: No such file");
    expect_error(jbw_recorder_create(world, "/dev/null", true, NULL, &recorder, &error),
                 JBW_WRITE_FAILED, &error, "is not a regular file");
    expect_error(jbw_recorder_append(world, "/no/such/file", NULL, &recorder, &error),
                 JBW_NOT_FOUND, &error, "cannot be opened");
    expect_error(jbw_recording_open("/no/such/file", NULL, &recording, &error), JBW_NOT_FOUND,
                 &error, "/no/such/file: cannot be opened");
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

static void test_appending_another_world(void **state)
{
    (void)state;
    jbw_model *model;
    jbw_world *world = open_small(&model, 1);
    jbw_recorder *recorder = record(world, true, NULL);
    take_steps(world, 5);
    assert_int_equal(jbw_recorder_close(recorder, NULL), JBW_OK);
    jbw_error error;
    jbw_world *other;
    assert_int_equal(jbw_world_clone(world, &other), JBW_OK);
    take_steps(other, 1);
    expect_error(jbw_recorder_append(other, path, NULL, &recorder, &error), JBW_INVALID_ARGUMENT,
                 &error, "ends at time 5, but the world is at time 6");
    assert_int_equal(jbw_world_step(world), JBW_OK);
    jbw_world_destroy(world);
    jbw_model *same;
    world = open_small(&same, 2);
    take_steps(world, 5);
    expect_error(jbw_recorder_append(world, path, NULL, &recorder, &error), JBW_INVALID_ARGUMENT,
                 &error, "this world has");
    jbw_world_destroy(world);
    jbw_world_destroy(other);
    jbw_model_destroy(same);
    jbw_model_destroy(model);
}

// ---- notes, limits, defaults ----

static void test_notes(void **state)
{
    (void)state;
    jbw_model *model;
    jbw_world *world = open_small(&model, 1);
    char text[] = "Collect[Bean]";
    const jbw_note notes[] = {{"reward", text, sizeof text - 1}, {"empty", NULL, 0}};
    const jbw_recorder_options how = {.notes = notes, .note_count = 2, .snapshot_every = 2};
    jbw_recorder *recorder = record(world, true, &how);
    memset(text, 'x', sizeof text - 1); // notes are copied
    take_steps(world, 5);
    assert_int_equal(jbw_recorder_close(recorder, NULL), JBW_OK);
    jbw_recording *recording = open_recording(NULL);
    assert_int_equal(jbw_recording_get_info(recording).snapshot_count, 3);
    const jbw_note *found = jbw_recording_note(recording, "reward");
    assert_non_null(found);
    assert_int_equal(found->size, 13);
    assert_memory_equal(found->bytes, "Collect[Bean]", 13);
    assert_int_equal(jbw_recording_note(recording, "empty")->size, 0);
    assert_null(jbw_recording_note(recording, "other"));
    jbw_recording_close(recording);

    const jbw_note bad = {"a name", text, 1};
    const jbw_recorder_options bad_options = {.notes = &bad, .note_count = 1};
    jbw_error error;
    assert_int_equal(jbw_recorder_create(world, path, true, &bad_options, &recorder, &error),
                     JBW_INVALID_ARGUMENT);
    jbw_recording_close(open_recording(NULL)); // the old one is still there
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

static void test_marks(void **state)
{
    (void)state;
    jbw_model *model;
    jbw_world *world = open_small(&model, 1);
    jbw_recorder *recorder = record(world, true, NULL);
    jbw_error error;
    const jbw_note marks[] = {{"first", "abc", 3}, {"empty", NULL, 0}, {"first", "d", 1}};
    for (int i = 0; i < 3; i++) {
        take_steps(world, i);
        assert_int_equal(jbw_recorder_mark(recorder, &marks[i], &error), JBW_OK);
    }
    char name[65] = {0};
    memset(name, 'n', 64); // one letter too many
    const char *const bad[] = {NULL, "", "a b", "a/b", "a\n", name};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const jbw_note mark = {bad[i], "x", 1};
        assert_int_equal(jbw_recorder_mark(recorder, &mark, &error), JBW_INVALID_ARGUMENT);
    }
    assert_int_equal(jbw_recorder_close(recorder, NULL), JBW_OK);

    jbw_recording *recording = open_recording(NULL);
    uint64_t time;
    jbw_note found;
    const uint64_t times[] = {0, 1, 3};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(jbw_recording_read_mark(recording, i, &time, &found, &error), JBW_OK);
        assert_int_equal(time, times[i]);
        assert_string_equal(found.name, marks[i].name);
        assert_int_equal(found.size, marks[i].size);
        if (found.size > 0) assert_memory_equal(found.bytes, marks[i].bytes, found.size);
    }
    assert_int_equal(jbw_recording_read_mark(recording, 3, &time, &found, &error), JBW_NOT_FOUND);
    // they are no part of the world
    assert_int_equal(jbw_recording_seek(recording, UINT64_MAX, &error), JBW_OK);
    assert_int_equal(jbw_world_hash(jbw_recording_world(recording)), jbw_world_hash(world));
    jbw_recording_close(recording);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

// a mark that no recorder writes, with a valid checksum
static void append_mark(const char *body, size_t size)
{
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const jbw_record_block block = {.kind = JBW_RECORD_BLOCK_MARK,
                                    .size = size,
                                    .body_hash = jbw_record_block_body_hash(body, size),
                                    .offset = (uint64_t)ftell(file)};
    uint8_t head[JBW_RECORD_BLOCK_HEAD_SIZE];
    jbw_record_block_head_encode(&block, head);
    assert_int_equal(fwrite(head, sizeof head, 1, file), 1);
    if (size > 0) assert_int_equal(fwrite(body, size, 1, file), 1);
    assert_int_equal(fclose(file), 0);
}

static void test_forged_marks(void **state)
{
    (void)state;
    static char endless[300] = {(char)0xa0, 2}; // 288 letters
    memset(endless + 2, 'x', sizeof endless - 2);
    static const struct {
        const char *body;
        size_t size;
    } cases[] = {{"", 0},         {"\x05xy", 3},  {"\0z", 2},
                 {"\x03x\0y", 4}, {"\x02x z", 4}, {endless, 300}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        jbw_model *model;
        jbw_world *world = open_small(&model, 1);
        jbw_recorder *recorder = record(world, true, NULL);
        assert_int_equal(jbw_recorder_close(recorder, NULL), JBW_OK);
        append_mark(cases[i].body, cases[i].size);
        jbw_recording *recording = open_recording(NULL);
        uint64_t time;
        jbw_note found;
        jbw_error error = {0};
        expect_error(jbw_recording_read_mark(recording, 0, &time, &found, &error), JBW_INVALID_DATA,
                     &error, "is damaged");
        jbw_recording_close(recording);
        jbw_world_destroy(world);
        jbw_model_destroy(model);
    }
}

static void test_memory_limit(void **state)
{
    (void)state;
    jbw_model *model;
    jbw_world *world = open_small(&model, 1);
    jbw_recorder *recorder = record(world, true, NULL);
    for (int i = 0; i < 40; i++) {
        const jbw_position cell = {1000 * i, 0};
        assert_int_equal(jbw_world_explore(world, &cell, 1), JBW_OK);
        take_steps(world, 1);
        assert_int_equal(jbw_recorder_flush(recorder, NULL), JBW_OK);
    }
    assert_int_equal(jbw_recorder_close(recorder, NULL), JBW_OK);
    jbw_recording *recording;
    jbw_error error = {0};
    jbw_load_options small = {.memory_limit = 1000};
    assert_int_equal(jbw_recording_open(path, &small, &recording, &error), JBW_OUT_OF_MEMORY);
    assert_null(recording);
    small.memory_limit = 150000; // enough for the beginning only
    assert_int_equal(jbw_recording_open(path, &small, &recording, &error), JBW_OK);
    expect_error(jbw_recording_seek(recording, UINT64_MAX, &error), JBW_OUT_OF_MEMORY, &error,
                 "need more than the limit");
    jbw_recording_close(recording);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

// the caller's model is used for all snapshots, and not destroyed with the recording
static void test_caller_provides_the_model(void **state)
{
    (void)state;
    jbw_model *model;
    jbw_world *world = open_small(&model, 1);
    const jbw_recorder_options how = {.snapshot_every = 3};
    jbw_recorder *recorder = record(world, true, &how);
    take_steps(world, 10);
    assert_int_equal(jbw_recorder_close(recorder, NULL), JBW_OK);
    const jbw_load_options given = {.model = model};
    jbw_recording *recording = open_recording(&given);
    assert_ptr_equal(jbw_world_model(jbw_recording_world(recording)), model);
    assert_int_equal(jbw_recording_seek(recording, UINT64_MAX, NULL), JBW_OK);
    assert_int_equal(jbw_world_hash(jbw_recording_world(recording)), jbw_world_hash(world));
    assert_int_equal(jbw_recording_seek(recording, 4, NULL), JBW_OK);
    assert_ptr_equal(jbw_world_model(jbw_recording_world(recording)), model);
    jbw_recording_close(recording);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

static int open_folder(void **state)
{
    (void)state;
    if (!temporary_folder_create(&folder)) return 1;
    temporary_path(&folder, "a.jbwr", path);
    return 0;
}

// fails if anything but the recording was left behind
static int remove_folder(void **state)
{
    (void)state;
    unlink(path);
    return temporary_folder_remove(&folder) ? 0 : 1;
}

int main(int argc, char **argv)
{
    options = test_options_read(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_random_runs, print_seed),
        cmocka_unit_test(test_one_recorder_at_a_time),
        cmocka_unit_test(test_replacing),
        cmocka_unit_test(test_appending_another_world),
        cmocka_unit_test(test_notes),
        cmocka_unit_test(test_marks),
        cmocka_unit_test(test_forged_marks),
        cmocka_unit_test(test_memory_limit),
        cmocka_unit_test(test_caller_provides_the_model),
    };
    return cmocka_run_group_tests(tests, open_folder, remove_folder);
}
