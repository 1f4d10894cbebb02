// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Snapshots on different processors.
///
///     test_snapshot_portable write FOLDER   saves worlds in mid-turn, and notes how they continued
///     test_snapshot_portable read FOLDER    loads and continues them: they must agree bit by bit
///     test_snapshot_portable both FOLDER    both in turn; and reads the golden snapshots
///
/// Without cmocka, so it also runs on processors that have none.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jbw/snapshot.h"
#include "support/golden_snapshots.h"
#include "support/golden_worlds.h"
#include "support/life.h"

enum { CALLS_BEFORE = 60, CALLS_AFTER = 40 };

static int failures;

// a line of FOLDER/hashes.txt
typedef struct entry {
    char name[64];
    life_view before;
    life_view after;
} entry;

static void fail(const char *name, const char *problem)
{
    printf("%s: %s\n", name, problem);
    failures++;
}

static void make_path(char *path, size_t size, const char *folder, const char *name,
                      const char *ending)
{
    snprintf(path, size, "%s/%s%s", folder, name, ending);
}

static life_view run(jbw_world *world, const char *name, uint64_t random, int count)
{
    if (!life_run(world, &random, count)) fail(name, "a call failed");
    return life_look(world);
}

// ---- writing ----

static void write_view(FILE *file, const life_view *view)
{
    fprintf(file, " %016" PRIx64 " %016" PRIx64 " %016" PRIx64 " %016" PRIx64 " %016" PRIx64,
            view->hash, view->agents, view->senses, view->map, view->stats);
}

static void write_world(const char *folder, const char *name, const jbw_config *config,
                        FILE *hashes)
{
    jbw_model *model = NULL;
    jbw_world *world = NULL;
    jbw_error error = {0};
    char path[512];
    make_path(path, sizeof path, folder, name, ".snapshot");
    const jbw_note note = {"name", name, strlen(name)};
    jbw_status status = jbw_model_create(config, &model, &error);
    if (!status) status = jbw_world_create(model, 99, &world);
    if (!status) {
        const life_view before = run(world, name, 1, CALLS_BEFORE);
        status = jbw_snapshot_write(world, &note, 1, path, &error);
        const life_view after = run(world, name, 2, CALLS_AFTER);
        fprintf(hashes, "%s", name);
        write_view(hashes, &before);
        write_view(hashes, &after);
        fprintf(hashes, "\n");
    }
    if (status) fail(name, error.text[0] ? error.text : jbw_status_text(status));
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

static void write_all(const char *folder)
{
    char path[512];
    make_path(path, sizeof path, folder, "hashes", ".txt");
    FILE *hashes = fopen(path, "w");
    if (!hashes) {
        fail(path, "cannot be opened");
        return;
    }
    const jbw_config small = life_small_config();
    write_world(folder, "small", &small, hashes);
    for (size_t i = 0; i < golden_world_count; i++) {
        const jbw_config config = life_config(&golden_worlds[i].config);
        write_world(folder, golden_worlds[i].name, &config, hashes);
    }
    if (fclose(hashes)) fail(path, "cannot be written");
}

// ---- reading ----

static void expect(const char *name, const char *when, const life_view *found,
                   const life_view *expected)
{
    const char *difference = life_difference(found, expected);
    if (!difference) return;
    char problem[128];
    snprintf(problem, sizeof problem, "%s, different in %s", when, difference);
    fail(name, problem);
}

static void read_world(const char *folder, const entry *e)
{
    jbw_loaded loaded;
    jbw_error error = {0};
    char path[512];
    make_path(path, sizeof path, folder, e->name, ".snapshot");
    if (jbw_snapshot_read(path, NULL, &loaded, &error)) {
        fail(e->name, error.text);
        return;
    }
    const jbw_note *note = jbw_loaded_note(&loaded, "name");
    if (!note || strcmp(note->bytes, e->name) != 0) fail(e->name, "its note is wrong");
    const life_view before = life_look(loaded.world);
    expect(e->name, "when loaded", &before, &e->before);
    const life_view after = run(loaded.world, e->name, 2, CALLS_AFTER);
    expect(e->name, "after more calls", &after, &e->after);
    jbw_loaded_free(&loaded);
}

static bool read_number(char **at, uint64_t *out)
{
    char *end;
    *out = strtoull(*at, &end, 16);
    const bool is_number = end != *at;
    *at = end;
    return is_number;
}

static bool read_view(char **at, life_view *view)
{
    return read_number(at, &view->hash) && read_number(at, &view->agents) &&
           read_number(at, &view->senses) && read_number(at, &view->map) &&
           read_number(at, &view->stats);
}

static bool read_entry(char *line, entry *e)
{
    const size_t length = strcspn(line, " ");
    if (length >= sizeof e->name) return false;
    memcpy(e->name, line, length);
    e->name[length] = '\0';
    char *at = line + length;
    return read_view(&at, &e->before) && read_view(&at, &e->after);
}

static void read_all(const char *folder)
{
    char path[512];
    make_path(path, sizeof path, folder, "hashes", ".txt");
    FILE *hashes = fopen(path, "r");
    if (!hashes) {
        fail(path, "cannot be opened");
        return;
    }
    char line[512];
    int count = 0;
    for (; fgets(line, sizeof line, hashes); count++) {
        entry e;
        if (read_entry(line, &e))
            read_world(folder, &e);
        else
            fail(path, "cannot be parsed");
    }
    fclose(hashes);
    if (count != (int)golden_world_count + 1) fail(path, "worlds are missing");
    printf("%d worlds read, %d failures\n", count, failures);
}

static void read_golden(void)
{
    for (size_t i = 0; i < sizeof golden_snapshots / sizeof *golden_snapshots; i++) {
        const struct golden_snapshot *golden = &golden_snapshots[i];
        jbw_loaded loaded;
        jbw_error error = {0};
        if (jbw_snapshot_read(golden->path, NULL, &loaded, &error))
            fail(golden->path, error.text);
        else if (jbw_world_hash(loaded.world) != golden->hash)
            fail(golden->path, "its hash differs");
        jbw_loaded_free(&loaded);
    }
}

int main(int argc, char **argv)
{
    const char *verb = argc == 3 ? argv[1] : "";
    const bool is_both = strcmp(verb, "both") == 0;
    const bool writes = is_both || strcmp(verb, "write") == 0;
    const bool reads = is_both || strcmp(verb, "read") == 0;
    if (!writes && !reads) {
        fprintf(stderr, "usage: %s write|read|both FOLDER\n", argv[0]);
        return 2;
    }
    if (writes) write_all(argv[2]);
    if (reads) read_all(argv[2]);
    if (is_both) read_golden();
    return failures ? 1 : 0;
}
