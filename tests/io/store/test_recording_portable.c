// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Recordings on different processors: the same run gives the same recording everywhere, and a file
/// that was written on one processor replays on any other, to the same hash.
///
///     test_recording_portable write FILE   records the run
///     test_recording_portable check FILE   replays a file, from any processor, and compares
///     test_recording_portable              both with a temporary file; checks the golden one
///
/// Without cmocka, so it also runs on processors that have none.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jbw/recording.h"
#include "support/files.h"
#include "support/random_world.h"

#define GOLDEN JBW_SOURCE_DIR "/tests/golden/version-1.recording"

// of the world at the end; changes only when worlds are meant to change
static const uint64_t golden_hash = UINT64_C(0xa87af990cb586693);

enum { CHANGES = 400, SEED = 7 };

static int fail(const char *what, jbw_status status, const jbw_error *error)
{
    printf("%s: %s: %s\n", what, jbw_status_name(status), error->text);
    return 1;
}

// agents that come, go, rest and collide, edits, steps; with scent and random collisions
static jbw_world *open_world(jbw_model **model)
{
    uint64_t random = SEED;
    random_world_config config;
    random_world_config_draw(&config, &random);
    config.config.collision = JBW_COLLISION_RANDOM;
    config.config.scent_dimensions = 2;
    jbw_world *world;
    if (jbw_model_create(&config.config, model, NULL)) return NULL;
    return jbw_world_create(*model, SEED, &world) ? NULL : world;
}

static int record(const char *path)
{
    static const jbw_recorder_options options = {
        .hash_every = 20, .snapshot_every = 60, .flush_every = 15};
    jbw_error error = {0};
    jbw_model *model;
    jbw_recorder *recorder;
    jbw_world *world = open_world(&model);
    if (!world) return 1;
    jbw_status status = jbw_recorder_create(world, path, true, &options, &recorder, &error);
    if (status) return fail(path, status, &error);
    uint64_t random = SEED;
    for (int i = 0; i < CHANGES; i++) random_world_change(world, &random);
    status = jbw_recorder_close(recorder, &error);
    printf("%s: time %" PRIu64 ", hash %016" PRIx64 "\n", path, jbw_world_time(world),
           jbw_world_hash(world));
    jbw_world_destroy(world);
    jbw_model_destroy(model);
    return status ? fail(path, status, &error) : 0;
}

// operation by operation, and from the last snapshot
static int check(const char *path)
{
    jbw_error error = {0};
    jbw_recording *recording;
    jbw_status status = jbw_recording_open(path, NULL, &recording, &error);
    if (status) return fail(path, status, &error);
    const jbw_recording_info info = jbw_recording_get_info(recording);
    uint64_t count = 0;
    for (; !status; count += !status) status = jbw_recording_next(recording, NULL, &error);
    if (status != JBW_NOT_FOUND) return fail(path, status, &error);
    const uint64_t hash = jbw_world_hash(jbw_recording_world(recording));
    status = jbw_recording_seek(recording, info.first_time, &error);
    if (!status) status = jbw_recording_seek(recording, UINT64_MAX, &error);
    if (status) return fail(path, status, &error);
    const uint64_t same = jbw_world_hash(jbw_recording_world(recording));
    jbw_recording_close(recording);
    printf("%s: %" PRIu64 " operations, %" PRIu64 " hashes, %" PRIu64 " snapshots, hash %016" PRIx64
           "\n",
           path, count, info.hash_count, info.snapshot_count, hash);
    if (hash == golden_hash && same == hash && count == info.operation_count &&
        info.snapshot_count > 2 && info.torn_size == 0)
        return 0;
    printf("expected hash %016" PRIx64 ", from a snapshot %016" PRIx64 "\n", golden_hash, same);
    return 1;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "write") == 0) return record(argv[2]);
    if (argc == 3 && strcmp(argv[1], "check") == 0) return check(argv[2]);
    if (argc != 1) {
        fprintf(stderr, "usage: %s [write FILE | check FILE]\n", argv[0]);
        return 2;
    }
    temporary_folder folder;
    char path[PATH_SIZE];
    if (!temporary_folder_create(&folder)) {
        perror(folder.path);
        return 1;
    }
    temporary_path(&folder, "run.recording", path);
    const int failures = record(path) + check(path) + check(GOLDEN);
    temporary_folder_clear(&folder);
    return failures > 0 || !temporary_folder_remove(&folder);
}
