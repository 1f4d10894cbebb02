// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Processes that are killed while they save, or whose disk is full: what was saved before is never
/// lost.
#include "support/checks.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "io/store/file_writer.h"
#include "jbw/agent.h"
#include "jbw/snapshot.h"
#include "support/files.h"
#include "support/life.h"
#include "support/random.h"

enum { KILLS = 200, LONGEST_PAUSE_US = 8000 };

static temporary_folder folder;
static char path[PATH_SIZE];

static int make_folder(void **state)
{
    (void)state;
    if (!temporary_folder_create(&folder)) return 1;
    temporary_path(&folder, "world.snapshot", path);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    temporary_folder_clear(&folder);
    return temporary_folder_remove(&folder) ? 0 : 1;
}

static jbw_status save_first(void)
{
    const jbw_config config = life_small_config();
    jbw_model *model;
    jbw_world *world = NULL;
    jbw_agent_id agent;
    jbw_status status = jbw_model_create(&config, &model, NULL);
    if (!status) status = jbw_world_create(model, 1, &world);
    if (!status) status = jbw_world_add_agent(world, NULL, &agent);
    if (!status) status = jbw_snapshot_write(world, NULL, 0, path, NULL);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
    return status;
}

// Steps and saves over and over, and reports the time of each finished save. Never returns.
static _Noreturn void save_forever(int pipe_end)
{
    jbw_loaded loaded;
    if (jbw_snapshot_read(path, NULL, &loaded, NULL)) _exit(1);
    for (;;) {
        const uint64_t before = jbw_world_time(loaded.world);
        if (jbw_world_step(loaded.world)) _exit(2);
        if (jbw_world_time(loaded.world) != before + 1) _exit(3);
        if (jbw_snapshot_write(loaded.world, NULL, 0, path, NULL)) _exit(4);
        const uint64_t time = jbw_world_time(loaded.world);
        if (write(pipe_end, &time, sizeof time) != sizeof time) _exit(5);
    }
}

// Lets a child save once, and then for a while; kills it, and returns the last time it reported.
static uint64_t run_and_kill(uint32_t microseconds)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(ends[0]);
        save_forever(ends[1]);
    }
    close(ends[1]);
    uint64_t last_time; // the first report, however long it takes
    assert_int_equal(read(ends[0], &last_time, sizeof last_time), sizeof last_time);
    const struct timespec pause = {.tv_nsec = 1000 * (long)microseconds};
    nanosleep(&pause, NULL);
    kill(child, SIGKILL);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
    uint64_t time;
    while (read(ends[0], &time, sizeof time) == sizeof time) last_time = time;
    close(ends[0]);
    return last_time;
}

static void test_killed(void **state)
{
    (void)state;
    assert_int_equal(save_first(), JBW_OK);
    uint64_t random = 1;
    uint64_t last_time = 0;
    for (int i = 0; i < KILLS; i++) {
        const uint64_t before = last_time;
        last_time = run_and_kill(random_below(&random, LONGEST_PAUSE_US));
        assert_true(last_time > before); // it went on where the one before was killed
        jbw_loaded loaded;
        jbw_error error;
        if (jbw_snapshot_read(path, NULL, &loaded, &error)) fail_msg("%s", error.text);
        // the last save that was reported, or one that was finished but not yet reported
        const uint64_t time = jbw_world_time(loaded.world);
        if (time < last_time || time > last_time + 1)
            fail_msg("found time %llu after %llu was saved", (unsigned long long)time,
                     (unsigned long long)last_time);
        last_time = time;
        jbw_loaded_free(&loaded);
    }

    // the next save removes what the killed ones have left
    assert_int_equal(save_first(), JBW_OK);
    assert_int_equal(temporary_folder_clear(&folder), 1);
}

static void make_file(const char *name)
{
    char other[PATH_SIZE];
    temporary_path(&folder, name, other);
    FILE *file = fopen(other, "w");
    assert_non_null(file);
    fclose(file);
}

static bool has_file(const char *name)
{
    char other[PATH_SIZE];
    temporary_path(&folder, name, other);
    return access(other, F_OK) == 0;
}

static void test_stale_files(void **state)
{
    (void)state;
    // files of other targets, and files that only look like temporary ones, are none of its business
    static const char *const others[] = {
        "other.snapshot.12-ab.part",
        "world.snapshot.part",
        "world.snapshot.12-ab.part2",
        "world.snapshot.-ab.part",
        "world.snapshot.12-.part",
        "world.snapshot.12ab.part",
        "world.snapshot.12-AB.part",
        "world.snapshot",
        "world.snapshots.12-ab.part",
        "xworld.snapshot.12-ab.part",
        "world.snapshot12-ab.part",
        // far longer than a name of ours
        "world.snapshot.12-0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef.part",
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) make_file(others[i]);
    make_file("world.snapshot.12-ab.part");
    make_file("world.snapshot.99999999-0123456789abcdef.part");
    char pipe_path[PATH_SIZE];
    temporary_path(&folder, "world.snapshot.1-1.part", pipe_path);
    assert_int_equal(mkfifo(pipe_path, 0600), 0);
    assert_int_equal(save_first(), JBW_OK);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!has_file(others[i])) fail_msg("%s is gone", others[i]);
    assert_false(has_file("world.snapshot.12-ab.part"));
    assert_false(has_file("world.snapshot.99999999-0123456789abcdef.part"));
    temporary_folder_clear(&folder);

    // a file that somebody is still writing is not stale
    const jbw_allocator allocator = {0};
    jbw_file_writer slow;
    jbw_error error;
    assert_int_equal(jbw_file_writer_open(&slow, path, &allocator, &error), JBW_OK);
    assert_true(jbw_file_writer_write(&slow, "slow", 4));
    assert_int_equal(save_first(), JBW_OK);
    jbw_loaded loaded;
    assert_int_equal(jbw_snapshot_read(path, NULL, &loaded, NULL), JBW_OK);
    jbw_loaded_free(&loaded);
    assert_int_equal(jbw_file_writer_commit(&slow, &error), JBW_OK);
    assert_int_equal(jbw_snapshot_read(path, NULL, &loaded, NULL), JBW_INVALID_DATA);
    assert_int_equal(temporary_folder_clear(&folder), 1);
}

// In a child that may write only that many bytes, as on a full disk, saving fails and leaves no
// files behind.
static int save_in_little_room(rlim_t bytes)
{
    fflush(NULL);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        const struct rlimit limit = {bytes, bytes};
        signal(SIGXFSZ, SIG_IGN);
        jbw_loaded loaded;
        jbw_error error;
        if (jbw_snapshot_read(path, NULL, &loaded, NULL)) _exit(10);
        if (jbw_world_step(loaded.world) || setrlimit(RLIMIT_FSIZE, &limit)) _exit(11);
        const jbw_status status = jbw_snapshot_write(loaded.world, NULL, 0, path, &error);
        if (status && !strstr(error.text, "cannot be written")) _exit(12);
        _exit(status == JBW_OK ? 0 : status == JBW_WRITE_FAILED ? 1 : 13);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void test_full_disk(void **state)
{
    (void)state;
    assert_int_equal(save_first(), JBW_OK);
    uint64_t time = 0;
    for (rlim_t bytes = 0; bytes < 4096; bytes += 64) {
        const int code = save_in_little_room(bytes);
        assert_in_range(code, 0, 1);
        if (code == 0) time++;
        jbw_loaded loaded;
        jbw_error error;
        if (jbw_snapshot_read(path, NULL, &loaded, &error)) fail_msg("%s", error.text);
        assert_int_equal(jbw_world_time(loaded.world), time);
        jbw_loaded_free(&loaded);
    }
    assert_in_range(time, 1, 63); // at first there was too little room, later enough
    assert_int_equal(temporary_folder_clear(&folder), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_killed),
        cmocka_unit_test(test_stale_files),
        cmocka_unit_test(test_full_disk),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
