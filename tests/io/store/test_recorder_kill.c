// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Processes that save and record are killed at random moments, again and again. Afterwards the
/// snapshot loads, the recording opens, replays and agrees, and whatever a process has reported as
/// saved is there. Every process but the first of a group continues with what its killed
/// predecessor left.
///
/// `test_recorder_kill [--kills N] [--seed S]`. Two processes run at a time, with files of their
/// own.
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "jbw/recording.h"
#include "support/files.h"
#include "support/random.h"
#include "support/random_world.h"

enum { LANES = 2, KILLS_PER_RECORDING = 10, LONGEST_MS = 120 };

static temporary_folder folder;
static int failures;

/// What a process reports, once it is true.
typedef struct report {
    char kind; // 'c' created a recording, 'r' recorded and flushed, 's' saved
    uint64_t time;
    uint64_t hash;
} report;

/// The files of one process after the other.
typedef struct lane {
    char recording[PATH_SIZE];
    char snapshot[PATH_SIZE];
    uint64_t seed;
    pid_t child;
    int pipe;
    report recorded; // the latest of each kind about these files; kind 0 is none
    report saved;
    bool has_recording;
    uint64_t kill_at; // in milliseconds
} lane;

static struct {
    uint64_t kills;
    uint64_t torn;    // recordings with a torn end
    uint64_t further; // recordings that reach further than was reported
    uint64_t flushes;
    uint64_t saves;
    uint64_t parts; // unfinished files that were left behind
} tally;

__attribute__((format(printf, 2, 3))) static void complain(const lane *l, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    printf("seed %" PRIu64 ": ", l->seed);
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
    failures++;
}

static uint64_t milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

// ---- the process that will be killed ----

static void report_to(int pipe, char kind, const jbw_world *world)
{
    const report r = {kind, jbw_world_time(world), jbw_world_hash(world)};
    if (write(pipe, &r, sizeof r) != sizeof r) _exit(3);
}

static void give_up(const char *what, const jbw_error *error)
{
    fprintf(stderr, "%s: %s\n", what, error->text);
    _exit(4);
}

static void work_forever(jbw_world *world, jbw_recorder *recorder, const lane *l, int pipe)
{
    uint64_t random = l->seed + jbw_world_time(world);
    jbw_error error = {0};
    for (;;) {
        const uint64_t count = 1 + random_below(&random, 30);
        for (uint64_t i = 0; i < count; i++) random_world_change(world, &random);
        // right after a step, where a seek to its time leads
        if (jbw_world_step(world)) _exit(5);
        if (random_below(&random, 3) > 0) continue; // what is not flushed may be lost
        if (jbw_recorder_flush(recorder, &error)) give_up("flush", &error);
        report_to(pipe, 'r', world);
        if (random_below(&random, 2) > 0) continue;
        if (jbw_snapshot_write(world, NULL, 0, l->snapshot, &error)) give_up("save", &error);
        report_to(pipe, 's', world);
    }
}

static void run_child(const lane *l, int pipe)
{
    static const jbw_recorder_options often = {
        .hash_every = 20, .snapshot_every = 150, .flush_every = 7};
    jbw_error error = {0};
    jbw_recorder *recorder;
    jbw_recording *recording;
    jbw_world *world;
    jbw_status status = jbw_recording_open(l->recording, NULL, &recording, &error);
    if (status == JBW_NOT_FOUND) {
        uint64_t random = l->seed;
        random_world_config config;
        jbw_model *model;
        random_world_config_draw(&config, &random);
        if (jbw_model_create(&config.config, &model, &error)) give_up("model", &error);
        if (jbw_world_create(model, l->seed, &world)) _exit(5);
        status = jbw_recorder_create(world, l->recording, false, &often, &recorder, &error);
        if (status) give_up("create", &error);
        report_to(pipe, 'c', world);
    } else {
        if (status || jbw_recording_seek(recording, UINT64_MAX, &error)) give_up("open", &error);
        world = jbw_recording_world(recording);
        status = jbw_recorder_append(world, l->recording, &often, &recorder, &error);
        if (status) give_up("append", &error);
    }
    work_forever(world, recorder, l, pipe);
}

static void begin(lane *l, uint64_t *random)
{
    int ends[2];
    if (pipe(ends) != 0) {
        perror("pipe");
        exit(1);
    }
    fflush(stdout);
    l->child = fork();
    if (l->child < 0) {
        perror("fork");
        exit(1);
    }
    if (l->child == 0) {
        close(ends[0]);
        run_child(l, ends[1]);
        _exit(0);
    }
    close(ends[1]);
    l->pipe = ends[0];
    // squared: more often early, when it has just started
    const uint64_t draw = random_below(random, 1000);
    l->kill_at = milliseconds() + draw * draw * LONGEST_MS / 1000000;
}

// ---- what it left behind ----

static void read_reports(lane *l)
{
    report r;
    for (;;) {
        const ssize_t got = read(l->pipe, &r, sizeof r);
        if (got < 0 && errno == EINTR) continue;
        if (got != sizeof r) break; // pipes do not split writes this small
        if (r.kind == 'c') l->has_recording = true;
        if (r.kind == 's') l->saved = r;
        if (r.kind != 's') l->recorded = r;
        tally.flushes += r.kind == 'r';
        tally.saves += r.kind == 's';
    }
    close(l->pipe);
}

static void check_snapshot(const lane *l)
{
    jbw_loaded loaded;
    jbw_error error = {0};
    const jbw_status status = jbw_snapshot_read(l->snapshot, NULL, &loaded, &error);
    if (status) {
        if (l->saved.kind != 0 || status != JBW_NOT_FOUND) complain(l, "snapshot: %s", error.text);
        return;
    }
    const uint64_t time = jbw_world_time(loaded.world);
    if (time < l->saved.time)
        complain(l, "the snapshot has time %" PRIu64 ", saved was %" PRIu64, time, l->saved.time);
    if (time == l->saved.time && jbw_world_hash(loaded.world) != l->saved.hash)
        complain(l, "the snapshot of time %" PRIu64 " has another hash", time);
    jbw_loaded_free(&loaded);
}

static void check_replay(const lane *l, jbw_recording *recording)
{
    jbw_error error = {0};
    const jbw_recording_info info = jbw_recording_get_info(recording);
    tally.torn += info.torn_size > 0;
    tally.further += info.last_time > l->recorded.time;
    jbw_status status = JBW_OK;
    while (!status) status = jbw_recording_next(recording, NULL, &error);
    if (status != JBW_NOT_FOUND) complain(l, "replay: %s", error.text);
    if (info.last_time < l->recorded.time) {
        complain(l, "recorded to time %" PRIu64 ", flushed was %" PRIu64, info.last_time,
                 l->recorded.time);
        return;
    }
    if (l->recorded.kind == 0) return; // killed before it could report anything
    if (jbw_recording_seek(recording, l->recorded.time, &error))
        complain(l, "seek: %s", error.text);
    else if (jbw_world_hash(jbw_recording_world(recording)) != l->recorded.hash)
        complain(l, "another hash at time %" PRIu64, l->recorded.time);
}

static void check_recording(lane *l)
{
    jbw_recording *recording;
    jbw_error error = {0};
    const jbw_status status = jbw_recording_open(l->recording, NULL, &recording, &error);
    if (!status) {
        l->has_recording = true;
        check_replay(l, recording);
        jbw_recording_close(recording);
    } else if (l->has_recording || status != JBW_NOT_FOUND) {
        complain(l, "recording: %s", error.text);
    }
}

static void end(lane *l)
{
    int how;
    kill(l->child, SIGKILL);
    if (waitpid(l->child, &how, 0) != l->child || !WIFSIGNALED(how) || WTERMSIG(how) != SIGKILL)
        complain(l, "the process ended by itself, with %d", WIFEXITED(how) ? WEXITSTATUS(how) : -1);
    read_reports(l);
    check_snapshot(l);
    check_recording(l);
    tally.kills++;
}

// new files for the lane
static void clear(lane *l)
{
    unlink(l->recording);
    unlink(l->snapshot);
    l->recorded = (report){0};
    l->saved = (report){0};
    l->has_recording = false;
    l->seed += LANES;
}

static void wait_until(uint64_t time)
{
    for (uint64_t now = milliseconds(); now < time; now = milliseconds()) {
        const struct timespec rest = {.tv_nsec = (long)(time - now) * 1000000 % 1000000000};
        nanosleep(&rest, NULL);
    }
}

int main(int argc, char **argv)
{
    uint64_t kills = 200;
    uint64_t seed = 1;
    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--kills") == 0) kills = strtoull(argv[i + 1], NULL, 10);
        if (strcmp(argv[i], "--seed") == 0) seed = strtoull(argv[i + 1], NULL, 10);
    }
    if (!temporary_folder_create(&folder)) {
        perror(folder.path);
        return 1;
    }
    uint64_t random = seed;
    lane lanes[LANES] = {0};
    for (int i = 0; i < LANES; i++) {
        temporary_path(&folder, i == 0 ? "0.jbwr" : "1.jbwr", lanes[i].recording);
        temporary_path(&folder, i == 0 ? "0.jbw" : "1.jbw", lanes[i].snapshot);
        lanes[i].seed = seed + (uint64_t)i;
    }
    for (uint64_t round = 0; tally.kills < kills; round++) {
        for (int i = 0; i < LANES; i++) {
            if (round > 0 && round % KILLS_PER_RECORDING == 0) clear(&lanes[i]);
            begin(&lanes[i], &random);
        }
        for (int i = 0; i < LANES; i++) {
            wait_until(lanes[i].kill_at);
            end(&lanes[i]);
        }
    }
    tally.parts = temporary_folder_count(&folder, ".part");
    temporary_folder_clear(&folder);
    if (!temporary_folder_remove(&folder)) failures++;
    printf("%" PRIu64 " killed after %" PRIu64 " flushes and %" PRIu64 " saves; %" PRIu64
           " recordings were torn, %" PRIu64 " reached further than reported, %" PRIu64
           " unfinished files were left; %d failures\n",
           tally.kills, tally.flushes, tally.saves, tally.torn, tally.further, tally.parts,
           failures);
    return failures > 0;
}
