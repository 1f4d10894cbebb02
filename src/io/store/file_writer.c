// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "io/store/file_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "io/store/store.h"

static bool is_direct(const jbw_file_writer *writer)
{
    return writer->temp.path[0] == '\0';
}

static void note_failure(jbw_file_writer *writer, int error_number)
{
    if (writer->error_number == 0) writer->error_number = error_number ? error_number : EIO;
}

static jbw_status fail(jbw_file_writer *writer, int error_number, jbw_error *error)
{
    jbw_store_fail(error, JBW_WRITE_FAILED, "cannot be written", error_number);
    jbw_error_set_path(error, writer->temp.target);
    jbw_file_writer_abandon(writer);
    return JBW_WRITE_FAILED;
}

jbw_status jbw_file_writer_open(jbw_file_writer *writer, const char *path,
                                const jbw_allocator *allocator, jbw_error *error)
{
    *writer = (jbw_file_writer){0};
    if (!jbw_temp_file_init(&writer->temp, path, allocator))
        return jbw_error_set_status(error, JBW_OUT_OF_MEMORY);

    struct stat status;
    const char *target = writer->temp.target;
    const bool exists = stat(target, &status) == 0;
    int descriptor;
    if (exists && !S_ISREG(status.st_mode))
        descriptor = open(target, O_WRONLY | O_CLOEXEC);
    else
        descriptor =
            jbw_temp_file_create(&writer->temp, O_WRONLY, exists ? status.st_mode & 0777 : 0666);
    if (descriptor < 0) return fail(writer, errno, error);

    writer->file = fdopen(descriptor, "wb");
    if (!writer->file) {
        const int error_number = errno;
        close(descriptor);
        return fail(writer, error_number, error);
    }
    return JBW_OK;
}

bool jbw_file_writer_write(jbw_file_writer *writer, const void *bytes, size_t size)
{
    if (writer->error_number != 0) return false;
    errno = 0;
    if (fwrite(bytes, 1, size, writer->file) != size) note_failure(writer, errno);
    return writer->error_number == 0;
}

bool jbw_file_writer_can_rewind(const jbw_file_writer *writer)
{
    return !is_direct(writer);
}

bool jbw_file_writer_rewrite(jbw_file_writer *writer, const void *bytes, size_t size)
{
    errno = 0;
    if (writer->error_number == 0 && fseek(writer->file, 0, SEEK_SET) != 0)
        note_failure(writer, errno);
    return jbw_file_writer_write(writer, bytes, size);
}

jbw_status jbw_file_writer_commit(jbw_file_writer *writer, jbw_error *error)
{
    const bool has_temp = !is_direct(writer);
    errno = 0;
    if (writer->error_number == 0 && fflush(writer->file) != 0) note_failure(writer, errno);
    if (writer->error_number == 0 && has_temp && fsync(fileno(writer->file)) != 0)
        note_failure(writer, errno);
    if (fclose(writer->file) != 0) note_failure(writer, errno);
    writer->file = NULL;
    if (writer->error_number == 0 && has_temp && !jbw_temp_file_rename(&writer->temp))
        note_failure(writer, errno);
    if (writer->error_number != 0) return fail(writer, writer->error_number, error);

    if (has_temp) jbw_temp_file_sync_folder(&writer->temp);
    jbw_temp_file_deinit(&writer->temp);
    return JBW_OK;
}

void jbw_file_writer_abandon(jbw_file_writer *writer)
{
    if (writer->file) fclose(writer->file);
    jbw_temp_file_remove(&writer->temp);
    jbw_temp_file_deinit(&writer->temp);
    *writer = (jbw_file_writer){0};
}
