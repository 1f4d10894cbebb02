// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "bench_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "bench_json.h"
#include "io/store/file.h"
#include "io/store/file_writer.h"

enum { MAX_FILE_SIZE = 1 << 20, MAX_FIGURES = 10000, COLUMNS = 5 };

static const char verb[] = "bench";
static const char run_name[] = "run"; // the "benchmark" of rows with facts
static const char *const header[COLUMNS] = {"bench", "world", "setup", "figure", "value"};

void jbw_bench_results_free(jbw_bench_results *results)
{
    jbw_figures_free(&results->figures);
}

// ---- facts ----

static const char *const fact_names[JBW_FACT_COUNT] = {
    [JBW_FACT_VERSION] = "version", [JBW_FACT_COMPILER] = "compiler", [JBW_FACT_CPU] = "cpu",
    [JBW_FACT_CORES] = "cores",     [JBW_FACT_DATE] = "date",         [JBW_FACT_SEED] = "seed",
    [JBW_FACT_REPEATS] = "repeats", [JBW_FACT_STEPS] = "steps",
};

const char *jbw_bench_fact_name(jbw_bench_fact fact)
{
    return fact_names[fact];
}

// the model name of the first processor, as Linux reports it
static void find_cpu(char out[JBW_FIGURE_TEXT_SIZE])
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !colon) continue;
        const char *name = colon + 1 + strspn(colon + 1, " \t");
        snprintf(out, JBW_FIGURE_TEXT_SIZE, "%.*s", (int)strcspn(name, "\n"), name);
        break;
    }
    if (file) fclose(file);
    if (out[0] == '\0') snprintf(out, JBW_FIGURE_TEXT_SIZE, "unknown");
}

static void find_date(char out[JBW_FIGURE_TEXT_SIZE])
{
    const time_t now = time(NULL);
    struct tm utc;
    if (gmtime_r(&now, &utc)) strftime(out, JBW_FIGURE_TEXT_SIZE, "%Y-%m-%d", &utc);
}

void jbw_bench_results_describe(jbw_bench_results *results, const jbw_bench_options *options)
{
#ifdef __clang__
    static const char compiler[] = __VERSION__; // names itself
#else
    static const char compiler[] = "gcc " __VERSION__;
#endif
    const size_t size = JBW_FIGURE_TEXT_SIZE;
    snprintf(results->facts[JBW_FACT_VERSION], size, "%s", jbw_version());
    snprintf(results->facts[JBW_FACT_COMPILER], size, "%s", compiler);
    find_cpu(results->facts[JBW_FACT_CPU]);
    snprintf(results->facts[JBW_FACT_CORES], size, "%ld", sysconf(_SC_NPROCESSORS_ONLN));
    find_date(results->facts[JBW_FACT_DATE]);
    snprintf(results->facts[JBW_FACT_SEED], size, "%" PRIu64, options->seed);
    snprintf(results->facts[JBW_FACT_REPEATS], size, "%d", options->repeats);
    if (options->steps > 0)
        snprintf(results->facts[JBW_FACT_STEPS], size, "%" PRId64, options->steps);
    else
        snprintf(results->facts[JBW_FACT_STEPS], size, "default");
}

// ---- writing ----

static void write_text(jbw_file_writer *writer, const char *text)
{
    jbw_file_writer_write(writer, text, strlen(text));
}

// quoted if it contains anything that CSV needs quotes for
static void write_field(jbw_file_writer *writer, const char *text, const char *separator)
{
    const bool is_quoted = strpbrk(text, ",\"\r\n") != NULL;
    if (is_quoted) write_text(writer, "\"");
    for (const char *at = text; *at; at++) {
        if (*at == '"') write_text(writer, "\"");
        jbw_file_writer_write(writer, at, 1);
    }
    if (is_quoted) write_text(writer, "\"");
    write_text(writer, separator);
}

static void write_row(jbw_file_writer *writer, const char *const fields[COLUMNS])
{
    for (int i = 0; i < COLUMNS; i++) write_field(writer, fields[i], i + 1 < COLUMNS ? "," : "\n");
}

jbw_verb_status jbw_bench_results_write(const jbw_bench_results *results, const char *path)
{
    static const jbw_allocator allocator;
    jbw_file_writer writer;
    jbw_error error = {0};
    if (jbw_file_writer_open(&writer, path, &allocator, &error))
        return jbw_verb_fail(verb, "--csv: %s", error.text);
    write_row(&writer, header);
    for (int i = 0; i < JBW_FACT_COUNT; i++)
        write_row(&writer,
                  (const char *[COLUMNS]){run_name, "", "", fact_names[i], results->facts[i]});
    for (size_t i = 0; i < results->figures.count; i++) {
        const jbw_figure *f = &results->figures.items[i];
        char value[32];
        snprintf(value, sizeof value, "%.6g", f->value);
        write_row(&writer, (const char *[COLUMNS]){f->bench, f->world, f->setup, f->name, value});
    }
    if (jbw_file_writer_commit(&writer, &error))
        return jbw_verb_fail(verb, "--csv: %s", error.text);
    return JBW_VERB_OK;
}

// ---- reading ----

jbw_verb_status jbw_bench_results_reject(const char *path, int line, const char *problem)
{
    fprintf(stderr, "%s:%d: error: %s\n", path, line, problem);
    return JBW_VERB_BAD_INPUT;
}

jbw_verb_status jbw_bench_results_keep(jbw_bench_results *results, const char *path, int line,
                                       const jbw_figure *figure)
{
    if (results->figures.count == MAX_FIGURES)
        return jbw_bench_results_reject(path, line, "too many figures");
    if (jbw_figures_find(&results->figures, figure))
        return jbw_bench_results_reject(path, line, "the figure is repeated");
    if (jbw_figures_add(&results->figures, figure)) return JBW_VERB_OK;
    return jbw_verb_fail(verb, "%s", jbw_status_text(JBW_OUT_OF_MEMORY));
}

/// A position in the text of a file.
typedef struct cursor {
    const char *path;
    const char *at; // ends in a zero
    int line;
} cursor;

static jbw_verb_status reject(const cursor *c, const char *problem)
{
    return jbw_bench_results_reject(c->path, c->line, problem);
}

// Reads one field, up to the comma or line break after it. NULL, or what is wrong.
static const char *read_field(cursor *c, char out[JBW_FIGURE_TEXT_SIZE])
{
    size_t length = 0;
    const bool is_quoted = *c->at == '"';
    if (is_quoted) c->at++;
    for (;; c->at++) {
        if (*c->at == '\0' && is_quoted) return "a quote is not closed";
        if (is_quoted && *c->at == '"') {
            c->at++;
            if (*c->at != '"') break; // otherwise a doubled quote
        } else if (!is_quoted && (*c->at == '\0' || strchr(",\r\n", *c->at))) {
            break;
        }
        if (length + 1 == JBW_FIGURE_TEXT_SIZE) return "a field is too long";
        out[length++] = *c->at;
    }
    out[length] = '\0';
    return NULL;
}

// Reads a row with all of its columns, and the line break. NULL, or what is wrong.
static const char *read_row(cursor *c, char fields[COLUMNS][JBW_FIGURE_TEXT_SIZE])
{
    for (int i = 0; i < COLUMNS; i++) {
        const char *problem = read_field(c, fields[i]);
        if (problem) return problem;
        if (i + 1 == COLUMNS) break;
        if (*c->at != ',') return "expected 5 columns: bench,world,setup,figure,value";
        c->at++;
    }
    if (*c->at == '\r') c->at++;
    if (*c->at != '\n') return "expected the end of the row after 5 columns";
    c->at++;
    return NULL;
}

static void copy_text(char out[JBW_FIGURE_TEXT_SIZE], const char text[JBW_FIGURE_TEXT_SIZE])
{
    memcpy(out, text, JBW_FIGURE_TEXT_SIZE);
}

static void keep_fact(jbw_bench_results *results, const char *name, const char *text)
{
    for (int i = 0; i < JBW_FACT_COUNT; i++)
        if (strcmp(name, fact_names[i]) == 0) copy_text(results->facts[i], text);
}

static jbw_verb_status keep_figure(jbw_bench_results *results, const cursor *c,
                                   char fields[COLUMNS][JBW_FIGURE_TEXT_SIZE])
{
    jbw_figure figure;
    copy_text(figure.bench, fields[0]);
    copy_text(figure.world, fields[1]);
    copy_text(figure.setup, fields[2]);
    copy_text(figure.name, fields[3]);
    if (!jbw_parse_double(fields[4], strlen(fields[4]), &figure.value))
        return reject(c, "expected a number as value");
    return jbw_bench_results_keep(results, c->path, c->line, &figure);
}

static jbw_verb_status parse_csv(jbw_bench_results *results, cursor *c)
{
    char fields[COLUMNS][JBW_FIGURE_TEXT_SIZE] = {{0}};
    bool has_header = !read_row(c, fields);
    for (int i = 0; i < COLUMNS && has_header; i++) has_header = strcmp(fields[i], header[i]) == 0;
    if (!has_header) return reject(c, "not a file of jbw bench --csv or --json");
    while (*c->at != '\0') {
        c->line++;
        const char *problem = read_row(c, fields);
        if (problem) return reject(c, problem);
        if (strcmp(fields[0], run_name) == 0) {
            keep_fact(results, fields[3], fields[4]);
            continue;
        }
        const jbw_verb_status status = keep_figure(results, c, fields);
        if (status) return status;
    }
    return JBW_VERB_OK;
}

static jbw_verb_status parse(jbw_bench_results *results, cursor *c)
{
    const jbw_verb_status status = jbw_bench_json_is(c->at)
                                       ? jbw_bench_json_read(results, c->path, c->at)
                                       : parse_csv(results, c);
    if (status) return status;
    return results->figures.count > 0 ? JBW_VERB_OK : reject(c, "the file has no figures");
}

jbw_verb_status jbw_bench_results_read(jbw_bench_results *results, const char *path)
{
    static const jbw_allocator allocator;
    char *text;
    size_t length;
    jbw_error error = {0};
    const jbw_status status =
        jbw_file_read(path, MAX_FILE_SIZE, &allocator, &text, &length, &error);
    if (status == JBW_OUT_OF_MEMORY) return jbw_verb_fail(verb, "%s: %s", path, error.text);
    if (status) return jbw_verb_reject(verb, "%s: %s", path, error.text);
    cursor c = {.path = path, .at = text, .line = 1};
    jbw_verb_status result =
        strlen(text) == length ? parse(results, &c) : reject(&c, "the file contains a zero byte");
    if (result) jbw_bench_results_free(results);
    jbw_free(&allocator, text, length + 1);
    return result;
}
