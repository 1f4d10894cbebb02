// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The golden snapshots, one per version of the format, and what they contain. They are never
/// rewritten: a new version adds a file, which `test_snapshot --write FILE` creates.
#ifndef JBW_TESTS_GOLDEN_SNAPSHOTS_H
#define JBW_TESTS_GOLDEN_SNAPSHOTS_H

#include <stddef.h>
#include <stdint.h>

static const struct golden_snapshot {
    const char *path;
    uint64_t time;
    uint64_t hash;
    size_t agent_count;
    const char *reward; // the contents of its note "reward"
} golden_snapshots[] = {
    {JBW_SOURCE_DIR "/tests/golden/version-1.snapshot", 155, UINT64_C(0xefd9a947f98b89f3), 4,
     "Collect[JellyBean] & Avoid[Onion]"},
};

#endif
