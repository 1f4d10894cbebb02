// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A good recording, in a file and in memory, and the states that its world goes through.
#ifndef JBW_TESTS_RECORDING_SCENE_H
#define JBW_TESTS_RECORDING_SCENE_H

#include "support/checks.h"

#include "jbw/recording.h"
#include "support/files.h"

enum { RECORDING_MAX_STATES = 4000, RECORDING_CHANGES = 150 };

typedef struct recording_scene {
    temporary_folder folder;
    char path[PATH_SIZE]; // of the file that tests damage and replace
    uint8_t *bytes;       // of the good recording
    size_t size;
    uint64_t hashes[RECORDING_MAX_STATES]; // of the world after that many operations
    size_t count;
    jbw_model *model; // saves creating it for every replay
} recording_scene;

extern recording_scene good;

/// Set up and tear down a group of tests. A group that leaves any other file behind fails.
int recording_scene_open(void **state);
int recording_scene_close(void **state);

/// The world of the recording at its beginning; `allocator` may be NULL. The caller destroys the
/// model.
jbw_world *recording_scene_world(jbw_model **model, const jbw_allocator *allocator);

/// The options with which it was recorded, and the changes that were made, or the first of them.
extern const jbw_recorder_options recording_options;
void recording_scene_change(jbw_world *world, int count);

/// Writes the file.
void recording_scene_write(const uint8_t *bytes, size_t size);

/// Replays the file as far as possible. Each state must be that of the good recording at the same
/// position. Returns the number of operations, or -1 if the file cannot be opened; `end` receives
/// why it ended.
int64_t recording_scene_replay(jbw_status *end);

#endif
