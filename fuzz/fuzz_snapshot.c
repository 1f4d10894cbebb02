// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Snapshots: any input gives a world with notes, or an error. If the first byte is even the rest
/// is a file; if it is odd the rest is the contents of a file, to which a header with correct
/// checksums is added, since fuzzing cannot guess those.
#include "target.h"

#include "cheap_state.h"
#include "io/store/snapshot_frame.h"
#include "jbw/jbw.h"
#include "support/life.h"

enum { MEMORY_LIMIT = 8 << 20 };

static bool contents_are_cheap(const uint8_t *bytes, size_t size)
{
    jbw_reader in = jbw_reader_begin(bytes, size);
    for (size_t count = jbw_read_count(&in, 1); in.ok && count > 0; count--) {
        jbw_read_bytes(&in, jbw_read_count(&in, 1));
        jbw_read_bytes(&in, jbw_read_count(&in, 1));
    }
    return !in.ok || state_is_cheap(in.at, jbw_reader_left(&in));
}

static void check(const uint8_t *bytes, size_t size)
{
    jbw_buffer contents = {0};
    if (!jbw_snapshot_unpack(bytes, size, MEMORY_LIMIT, &contents, NULL)) {
        const bool is_cheap = contents_are_cheap(contents.bytes, contents.size);
        jbw_buffer_free(&contents);
        if (!is_cheap) return;
    }

    const jbw_load_options options = {.memory_limit = MEMORY_LIMIT};
    jbw_loaded loaded;
    jbw_error error;
    const jbw_status status = jbw_snapshot_decode(bytes, size, &options, &loaded, &error);
    if ((status == JBW_OK) != (loaded.world != NULL)) abort();
    if (status && error.text[0] == '\0') abort();
    for (size_t i = 0; i < loaded.note_count; i++)
        if (jbw_loaded_note(&loaded, loaded.notes[i].name) != &loaded.notes[i]) abort();
    if (loaded.world) {
        uint64_t random = size;
        life_run(loaded.world, &random, 5);
        life_look(loaded.world);
    }
    jbw_loaded_free(&loaded);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0) return 0;
    if (data[0] % 2 == 0) {
        check(data + 1, size - 1);
        return 0;
    }
    jbw_buffer packed = {0};
    if (jbw_snapshot_pack(data + 1, size - 1, &packed)) abort();
    check(packed.bytes, packed.size);
    jbw_buffer_free(&packed);
    return 0;
}
