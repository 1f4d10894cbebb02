// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Faulty world files: all problems of a file are reported. tests/faulty holds one world file per
/// mistake, with the expected messages beside it; `test_world_file_faulty --update` rewrites the
/// messages, for a person to review.
#include "support/world_files.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/files.h"

#define FAULTY JBW_SOURCE_DIR "/tests/faulty/"

static int is_world_file(const struct dirent *entry)
{
    const char *ending = strrchr(entry->d_name, '.');
    return ending && (strcmp(ending, ".yaml") == 0 || strcmp(ending, ".json") == 0);
}

// problems as the tool prints them
static void collect_as_printed(const jbw_diagnostic *diagnostic, void *user)
{
    problem_report *r = user;
    r->count++;
    char place[32] = "";
    if (diagnostic->line > 0)
        snprintf(place, sizeof place, ":%d:%d", diagnostic->line, diagnostic->column);
    r->used += (size_t)snprintf(r->text + r->used, sizeof r->text - r->used, "%s%s: error: %s\n",
                                diagnostic->source, place, diagnostic->text);
}

// reads a faulty file; `reported` receives its messages
static void read_faulty(const char *name)
{
    char path[1024];
    snprintf(path, sizeof path, FAULTY "%s", name);
    size_t length = 0;
    char *text = file_read(path, &length);
    assert_non_null(text);
    reported = (problem_report){0};
    const jbw_world_file_options options = {.report = collect_as_printed, .report_user = &reported};
    jbw_config *config;
    jbw_error error;
    const jbw_status status = jbw_world_file_parse(text, length, name, &options, &config, &error);
    free(text);
    if (status != JBW_INVALID_CONFIG) fail_msg("%s is not faulty", name);
    assert_null(config);

    // the error is the first problem
    char first[1024];
    snprintf(first, sizeof first, "%s:%d:%d: error: %s\n", name, error.line, error.column,
             error.text);
    if (strncmp(reported.text, first, strlen(first)) != 0)
        fail_msg("the error is '%s', but reported were\n%s", first, reported.text);
}

static void message_path(const char *name, char path[1024])
{
    snprintf(path, 1024, FAULTY "%.*s.txt", (int)(strrchr(name, '.') - name), name);
}

static void test_faulty_files(void **state)
{
    (void)state;
    struct dirent **entries;
    const int count = scandir(FAULTY, &entries, is_world_file, alphasort);
    assert_true(count >= 40);
    int wrong = 0;
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name;
        char path[1024];
        message_path(name, path);
        size_t length = 0;
        char *expected = file_read(path, &length);
        read_faulty(name);
        if (!expected || strcmp(expected, reported.text) != 0) {
            print_error("%s\nfound:\n%sexpected:\n%s", name, reported.text,
                        expected ? expected : "");
            wrong++;
        }
        free(expected);
        free(entries[i]);
    }
    free(entries);
    assert_int_equal(wrong, 0);
}

static int update_faulty_files(void)
{
    struct dirent **entries;
    const int count = scandir(FAULTY, &entries, is_world_file, alphasort);
    for (int i = 0; i < count; i++) {
        char path[1024];
        message_path(entries[i]->d_name, path);
        read_faulty(entries[i]->d_name);
        FILE *file = fopen(path, "wb");
        if (!file) return 1;
        fputs(reported.text, file);
        if (fclose(file) != 0) return 1;
        free(entries[i]);
    }
    free(entries);
    return 0;
}

int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "--update") == 0) return update_faulty_files();
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_faulty_files)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
