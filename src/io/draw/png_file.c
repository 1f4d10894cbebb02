// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "io/draw/png_file.h"

#include <png.h>
#include <setjmp.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "io/store/file_writer.h"

typedef struct png_job {
    int64_t width;
    int64_t height;
    jbw_png_row_function *make_row;
    void *user;
    uint8_t *pixels; // (width x 3): red, green, blue

    jbw_file_writer writer;
    jbw_status status; // of the row that failed
    char message[160]; // from libpng
} png_job;

static void on_error(png_structp png, png_const_charp message)
{
    png_job *job = png_get_error_ptr(png);
    size_t length = strlen(message);
    if (length >= sizeof job->message) length = sizeof job->message - 1;
    memcpy(job->message, message, length);
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message)
{
    (void)png;
    (void)message;
}

static void on_write(png_structp png, png_bytep bytes, size_t size)
{
    png_job *job = png_get_io_ptr(png);
    if (!jbw_file_writer_write(&job->writer, bytes, size)) png_error(png, "");
}

static void on_flush(png_structp png)
{
    (void)png; // the writer flushes when it commits
}

// False if a row or libpng failed. After setjmp only `*job` may change, not local variables.
static bool write_rows(png_job *job, png_structp png, png_infop info)
{
    if (setjmp(png_jmpbuf(png))) return false;
    png_set_write_fn(png, job, on_write, on_flush);
    png_set_IHDR(png, info, (png_uint_32)job->width, (png_uint_32)job->height, 8,
                 PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_set_filter(png, 0, PNG_FILTER_NONE | PNG_FILTER_UP); // many rows repeat
    png_write_info(png, info);
    for (int64_t row = 0; row < job->height; row++) {
        job->status = job->make_row(job->user, row, job->pixels);
        if (job->status) return false;
        png_write_row(png, job->pixels);
    }
    png_write_end(png, info);
    return true;
}

static jbw_status write_file(png_job *job, const char *path, const jbw_allocator *allocator,
                             jbw_error *error)
{
    jbw_status status = jbw_file_writer_open(&job->writer, path, allocator, error);
    if (status) return status;
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, job, on_error, on_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    bool is_good = false;
    if (info)
        is_good = write_rows(job, png, info);
    else
        job->status = JBW_OUT_OF_MEMORY;
    png_destroy_write_struct(&png, &info);

    // if the file itself failed, the writer knows why
    if (is_good || job->writer.error_number != 0)
        return jbw_file_writer_commit(&job->writer, error);
    jbw_file_writer_abandon(&job->writer);
    status = job->status ? job->status : JBW_WRITE_FAILED;
    jbw_error_set(error, 0, 0, "%s", job->message[0] ? job->message : jbw_status_text(status));
    return status;
}

jbw_status jbw_png_write(const char *path, int64_t width, int64_t height,
                         jbw_png_row_function *make_row, void *user, const jbw_allocator *allocator,
                         jbw_error *error)
{
    png_job job = {.width = width, .height = height, .make_row = make_row, .user = user};
    const size_t size = (size_t)width * 3;
    job.pixels = jbw_alloc(allocator, size);
    if (!job.pixels) return jbw_error_set_status(error, JBW_OUT_OF_MEMORY);
    const jbw_status status = write_file(&job, path, allocator, error);
    jbw_free(allocator, job.pixels, size);
    return status;
}
