// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Files, which src/io/store could read and write: a page has none.

#include "base/error.h"
#include "io/store/file.h"
#include "io/store/file_writer.h"
#include "io/store/snapshot_stream.h"

static jbw_status refuse(jbw_error *error)
{
    return jbw_error_set_status(error, JBW_UNSUPPORTED);
}

jbw_status jbw_file_read(const char *path, size_t limit, const jbw_allocator *allocator, char **out,
                         size_t *length, jbw_error *error)
{
    (void)path;
    (void)limit;
    (void)allocator;
    *out = NULL;
    *length = 0;
    return refuse(error);
}

// ---- writing: opening fails, so nothing else is called ----

jbw_status jbw_file_writer_open(jbw_file_writer *writer, const char *path,
                                const jbw_allocator *allocator, jbw_error *error)
{
    (void)path;
    (void)allocator;
    *writer = (jbw_file_writer){0};
    return refuse(error);
}

bool jbw_file_writer_write(jbw_file_writer *writer, const void *bytes, size_t size)
{
    (void)writer;
    (void)bytes;
    (void)size;
    return false;
}

bool jbw_file_writer_can_rewind(const jbw_file_writer *writer)
{
    (void)writer;
    return false;
}

jbw_status jbw_file_writer_commit(jbw_file_writer *writer, jbw_error *error)
{
    (void)writer;
    return refuse(error);
}

void jbw_file_writer_abandon(jbw_file_writer *writer)
{
    (void)writer;
}

bool jbw_snapshot_stream_begin(jbw_snapshot_stream *stream, jbw_file_writer *file, uint64_t size)
{
    (void)stream;
    (void)file;
    (void)size;
    return false;
}

bool jbw_snapshot_stream_add(jbw_snapshot_stream *stream, const void *bytes, size_t size)
{
    (void)stream;
    (void)bytes;
    (void)size;
    return false;
}

bool jbw_snapshot_stream_end(jbw_snapshot_stream *stream)
{
    (void)stream;
    return false;
}

void jbw_snapshot_stream_deinit(jbw_snapshot_stream *stream)
{
    (void)stream;
}
