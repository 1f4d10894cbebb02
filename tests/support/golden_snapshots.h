// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Snapshots of all versions so far, and what they hold. They are never written again: a new version
/// of the format adds a file, which `test_snapshot --write FILE` makes.
#ifndef JBW_TESTS_GOLDEN_SNAPSHOTS_H
#define JBW_TESTS_GOLDEN_SNAPSHOTS_H

#include <stddef.h>
#include <stdint.h>

static const struct golden_snapshot {
    const char *path;
    uint64_t time;
    uint64_t hash;
    size_t agent_count;
    const char *reward; // what its note of that name says
} golden_snapshots[] = {
    {JBW_SOURCE_DIR "/tests/golden/version-1.snapshot", 155, UINT64_C(0xefd9a947f98b89f3), 4,
     "Collect[JellyBean] & Avoid[Onion]"},
};

#endif
