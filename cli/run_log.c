// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "run_log.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"

enum {
    MAX_POINTS = 4096,      // of the curve; then every other one is dropped
    MAX_PATH = 1 << 22,     // cells of the path; then every other one is dropped
    RESUM_INTERVAL = 65536, // steps after which the window is summed afresh
};

bool jbw_run_log_init(jbw_run_log *log, uint64_t interval, size_t window, bool has_path)
{
    *log = (jbw_run_log){.window = window,
                         .interval = interval,
                         .point_stride = 1,
                         .stride = 1,
                         .has_path = has_path};
    log->recent = calloc(window, sizeof *log->recent);
    return log->recent != NULL;
}

void jbw_run_log_deinit(jbw_run_log *log)
{
    free(log->recent);
    free(log->times);
    free(log->rates);
    free(log->path);
    *log = (jbw_run_log){0};
}

double jbw_run_log_rate(const jbw_run_log *log)
{
    return log->filled > 0 ? log->window_sum / (double)log->filled : 0.0;
}

static bool reserve_points(jbw_run_log *log, size_t count)
{
    if (count <= log->point_capacity) return true;
    const size_t larger = count > 256 ? 2 * count : 256;
    double *times = realloc(log->times, larger * sizeof *times);
    if (times) log->times = times;
    double *rates = realloc(log->rates, larger * sizeof *rates);
    if (rates) log->rates = rates;
    if (!times || !rates) return false;
    log->point_capacity = larger;
    return true;
}

static bool add_point(jbw_run_log *log, uint64_t time)
{
    const double rate = jbw_run_log_rate(log);
    if (log->csv) fprintf(log->csv, "%" PRIu64 ",%.9g,%.9g\n", time, rate, log->total);
    if (log->steps / log->interval % log->point_stride != 0) return true;
    if (log->point_count == MAX_POINTS) {
        for (size_t i = 0; i < MAX_POINTS / 2; i++) {
            log->times[i] = log->times[2 * i + 1];
            log->rates[i] = log->rates[2 * i + 1];
        }
        log->point_count = MAX_POINTS / 2;
        log->point_stride *= 2;
        if (log->steps / log->interval % log->point_stride != 0) return true;
    }
    if (!reserve_points(log, log->point_count + 1)) return false;
    log->times[log->point_count] = (double)time;
    log->rates[log->point_count++] = rate;
    return true;
}

static bool add_cell(jbw_run_log *log, jbw_position position)
{
    if (!log->has_path || log->steps % log->stride != 0) return true;
    if (log->path_count == MAX_PATH) {
        for (size_t i = 0; i < MAX_PATH / 2; i++) log->path[i] = log->path[2 * i];
        log->path_count = MAX_PATH / 2;
        log->stride *= 2;
    }
    if (log->path_count == log->path_capacity) {
        const size_t larger = log->path_capacity ? 2 * log->path_capacity : 1024;
        jbw_position *path = realloc(log->path, larger * sizeof *path);
        if (!path) return false;
        log->path = path;
        log->path_capacity = larger;
    }
    log->path[log->path_count++] = position;
    return true;
}

bool jbw_run_log_add(jbw_run_log *log, double reward, int collected, jbw_position position,
                     uint64_t time)
{
    log->window_sum += reward - (log->filled == log->window ? log->recent[log->at] : 0.0);
    log->recent[log->at] = reward;
    log->at = (log->at + 1) % log->window;
    if (log->filled < log->window) log->filled++;
    log->steps++;
    log->total += reward;
    if (collected >= 0) log->collected[collected]++;

    // adding and subtracting accumulates rounding errors
    if (log->steps % RESUM_INTERVAL == 0) {
        log->window_sum = 0.0;
        for (size_t i = 0; i < log->filled; i++) log->window_sum += log->recent[i];
    }
    if (!add_cell(log, position)) return false;
    return log->steps % log->interval != 0 || add_point(log, time);
}

// ---- saving ----

// of the saved bytes; raise it when their layout changes
enum { SAVED_VERSION = 1 };

static uint64_t bits_of(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// run-length encoded: most rewards are zero, or the same as the one before
static void save_window(const jbw_run_log *log, jbw_writer *writer)
{
    for (size_t i = 0; i < log->filled;) {
        size_t end = i + 1;
        while (end < log->filled && bits_of(log->recent[end]) == bits_of(log->recent[i])) end++;
        jbw_write_varint(writer, end - i);
        jbw_write_double(writer, log->recent[i]);
        i = end;
    }
}

bool jbw_run_log_save(const jbw_run_log *log, jbw_buffer *out)
{
    jbw_writer writer = jbw_writer_begin(out);
    jbw_write_u8(&writer, SAVED_VERSION);
    jbw_write_varint(&writer, log->steps);
    jbw_write_double(&writer, log->total);
    jbw_write_varint(&writer, log->window);
    jbw_write_varint(&writer, log->filled);
    jbw_write_varint(&writer, log->at);
    jbw_write_double(&writer, log->window_sum);
    save_window(log, &writer);
    for (int t = 0; t < JBW_MAX_ITEM_TYPES; t++) jbw_write_varint(&writer, log->collected[t]);
    jbw_write_varint(&writer, log->interval);
    jbw_write_varint(&writer, log->point_stride);
    jbw_write_varint(&writer, log->point_count);
    for (size_t i = 0; i < log->point_count; i++) {
        jbw_write_double(&writer, log->times[i]);
        jbw_write_double(&writer, log->rates[i]);
    }
    return writer.ok;
}

static void load_window(jbw_run_log *log, jbw_reader *reader)
{
    for (size_t i = 0; i < log->filled && reader->ok;) {
        const uint64_t count = jbw_read_varint(reader);
        const double value = jbw_read_double(reader);
        if (count == 0 || count > log->filled - i) reader->ok = false;
        for (uint64_t k = 0; k < count && reader->ok; k++) log->recent[i++] = value;
    }
}

static jbw_status load_points(jbw_run_log *log, jbw_reader *reader)
{
    enum { POINT_SIZE = 16 };
    const size_t count = jbw_read_count(reader, POINT_SIZE);
    if (count > MAX_POINTS) return JBW_INVALID_DATA;
    if (!reserve_points(log, count)) return JBW_OUT_OF_MEMORY;
    for (; log->point_count < count; log->point_count++) {
        log->times[log->point_count] = jbw_read_double(reader);
        log->rates[log->point_count] = jbw_read_double(reader);
    }
    return reader->ok ? JBW_OK : JBW_INVALID_DATA;
}

jbw_status jbw_run_log_load(jbw_run_log *log, const void *bytes, size_t size, bool has_path)
{
    jbw_reader reader = jbw_reader_begin(bytes, size);
    if (jbw_read_u8(&reader) != SAVED_VERSION) return JBW_INVALID_DATA;
    const uint64_t steps = jbw_read_varint(&reader);
    const double total = jbw_read_double(&reader);
    const uint64_t window = jbw_read_varint(&reader);
    const uint64_t filled = jbw_read_varint(&reader);
    const uint64_t at = jbw_read_varint(&reader);
    if (!reader.ok || window == 0 || window > JBW_RUN_MAX_WINDOW || filled > window ||
        at >= window || (filled < window && at != filled))
        return JBW_INVALID_DATA;
    if (!jbw_run_log_init(log, 1, (size_t)window, has_path)) return JBW_OUT_OF_MEMORY;
    log->steps = steps;
    log->total = total;
    log->filled = (size_t)filled;
    log->at = (size_t)at;
    log->window_sum = jbw_read_double(&reader);
    load_window(log, &reader);
    for (int t = 0; t < JBW_MAX_ITEM_TYPES; t++) log->collected[t] = jbw_read_varint(&reader);
    log->interval = jbw_read_varint(&reader);
    log->point_stride = jbw_read_varint(&reader);
    if (log->interval == 0 || log->point_stride == 0 || !reader.ok) return JBW_INVALID_DATA;
    const jbw_status status = load_points(log, &reader);
    if (status) return status;
    return jbw_reader_left(&reader) == 0 ? JBW_OK : JBW_INVALID_DATA;
}

// ---- rows ----

static const char header[] = "time,reward_rate,total_reward\n";

// Finds the end of the rows up to a time. False if it is not a file of such rows.
static bool find_end(FILE *file, uint64_t time, long *end)
{
    char line[160];
    if (!fgets(line, sizeof line, file) || strcmp(line, header) != 0) return false;
    for (;;) {
        *end = ftell(file);
        if (*end < 0) return false;
        if (!fgets(line, sizeof line, file)) return !ferror(file);
        char *comma;
        const unsigned long long row_time = strtoull(line, &comma, 10);
        // a row that a crash cut short is written again, too
        if (*comma != ',' || row_time > time || !strchr(line, '\n')) return true;
    }
}

static bool append_to_csv(jbw_run_log *log, const char *path, uint64_t time)
{
    long end;
    log->csv = fopen(path, "r+");
    if (!log->csv) return false;
    return find_end(log->csv, time, &end) && fseek(log->csv, end, SEEK_SET) == 0 &&
           ftruncate(fileno(log->csv), end) == 0;
}

bool jbw_run_log_open_csv(jbw_run_log *log, const char *path, bool appends, uint64_t time)
{
    if (appends && access(path, F_OK) == 0) return append_to_csv(log, path, time);
    log->csv = fopen(path, "w");
    return log->csv && fputs(header, log->csv) >= 0;
}
