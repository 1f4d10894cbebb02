// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "file_kind.h"
#include "jbw/jbw.h"
#include "options.h"
#include "progress.h"

// the patches that meet a region: [first, last] in both axes
typedef struct patch_span {
    jbw_position first;
    jbw_position last;
    uint64_t count;
} patch_span;

static patch_span patches_of(const jbw_world *world, jbw_region region)
{
    const jbw_position low = {region.x, region.y};
    const jbw_position high = {region.x + region.width - 1, region.y + region.height - 1};
    patch_span span = {.first = jbw_world_patch_of(world, low),
                       .last = jbw_world_patch_of(world, high)};
    span.count =
        (uint64_t)(span.last.x - span.first.x + 1) * (uint64_t)(span.last.y - span.first.y + 1);
    return span;
}

// Memory is lent out generously and the reckoning comes later, so guess before beginning: a byte
// per cell and some more per patch. False if that is more than the machine has.
static bool fits_memory(const jbw_world *world, uint64_t patch_count)
{
#ifdef _SC_PHYS_PAGES
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long page_size = sysconf(_SC_PAGESIZE);
    if (pages <= 0 || page_size <= 0) return true;
    const double side = jbw_model_patch_size(jbw_world_model(world));
    return (double)patch_count * (side * side + 256.0) < (double)pages * (double)page_size;
#else
    (void)world;
    (void)patch_count;
    return true;
#endif
}

// Makes every patch of the region final, row by row.
static jbw_status generate(jbw_world *world, jbw_region region)
{
    // whatever is looked at there is there
    if (jbw_model_generation(jbw_world_model(world)) == JBW_GENERATION_INVARIANT) return JBW_OK;
    const patch_span span = patches_of(world, region);
    if (!fits_memory(world, span.count)) return JBW_OUT_OF_MEMORY;
    jbw_progress progress;
    jbw_progress_begin(&progress, "sampling", span.count);
    jbw_status status = JBW_OK;
    uint64_t done = 0;
    for (int64_t y = span.first.y; y <= span.last.y && !status; y++) {
        for (int64_t x = span.first.x; x <= span.last.x && !status; x++) {
            status = jbw_world_finalize_patch(world, (jbw_position){x, y});
            jbw_progress_update(&progress, ++done);
        }
    }
    jbw_progress_end(&progress);
    return status;
}

// better now than after hours of sampling
static bool is_folder_writable(const char *path)
{
    char folder[4096];
    const char *slash = strrchr(path, '/');
    if (!slash) return access(".", W_OK) == 0;
    const size_t length = slash == path ? 1 : (size_t)(slash - path);
    if (length >= sizeof folder) return true;
    memcpy(folder, path, length);
    folder[length] = '\0';
    return access(folder, W_OK) == 0;
}

/// Where the world comes from, until it has been drawn.
typedef struct source {
    jbw_config *config;
    jbw_model *model;
    jbw_world *world;
    jbw_loaded loaded;
    jbw_recording *recording; // owns the world, if it is there
} source;

static void close_source(source *s)
{
    if (!s->recording) jbw_world_destroy(s->world);
    jbw_recording_close(s->recording);
    jbw_loaded_free(&s->loaded);
    jbw_model_destroy(s->model);
    jbw_config_free(s->config);
}

static int fail(jbw_status status, const jbw_error *error, int code)
{
    fprintf(stderr, "jbw render: %s\n", error->text[0] ? error->text : jbw_status_text(status));
    return status == JBW_OUT_OF_MEMORY ? JBW_EXIT_FAILED : code;
}

static int open_world_file(source *s, const char *name, const jbw_settings *settings, uint64_t seed)
{
    const int code = jbw_load_world(name, settings, &s->config);
    if (code >= 0) return code;
    jbw_error error = {0};
    jbw_status status = jbw_model_create(s->config, &s->model, &error);
    if (!status) status = jbw_world_create(s->model, seed, &s->world);
    return status ? fail(status, &error, JBW_EXIT_FAILED) : -1;
}

// a world that has a past: neither its seed nor its settings can be chosen any more
static int open_saved(source *s, const char *path, jbw_file_kind kind, jbw_settings *settings,
                      uint64_t seed)
{
    jbw_error error = {0};
    jbw_load_options options = {0};
    const int code = jbw_take_memory_budget("render", settings, &options.memory_budget);
    if (code >= 0) return code;
    if (seed != 0 || settings->count > 0) {
        fprintf(stderr, "jbw render: --seed and --set are for world files, %s is %s\n", path,
                kind == JBW_FILE_SNAPSHOT ? "a snapshot" : "a recording");
        return JBW_EXIT_USAGE;
    }
    jbw_status status;
    if (kind == JBW_FILE_SNAPSHOT) {
        status = jbw_snapshot_read(path, &options, &s->loaded, &error);
        s->world = s->loaded.world;
        s->loaded.world = NULL;
    } else {
        status = jbw_recording_open(path, &options, &s->recording, &error);
        if (!status) status = jbw_recording_seek(s->recording, UINT64_MAX, &error);
        if (!status) s->world = jbw_recording_world(s->recording);
    }
    return status ? fail(status, &error, JBW_EXIT_USAGE) : -1;
}

static int draw(jbw_world *world, jbw_region region, bool generates,
                const jbw_picture_options *picture, const char *path)
{
    jbw_error error = {0};
    jbw_status status = generates ? generate(world, region) : JBW_OK;
    if (status == JBW_OUT_OF_MEMORY)
        snprintf(error.text, sizeof error.text,
                 "a region of %lld x %lld cells does not fit into memory", (long long)region.width,
                 (long long)region.height);
    if (!status) status = jbw_picture_write_png(world, region, picture, path, &error);
    return status ? fail(status, &error, JBW_EXIT_FAILED) : JBW_EXIT_GOOD;
}

int jbw_cmd_render(int argc, char **argv)
{
    static jbw_settings settings;
    const char *arguments[1];
    jbw_region region = {0, 0, 0, 0};
    jbw_picture_options picture = {.scale = 4};
    const char *path = NULL;
    uint64_t seed = 0;
    bool skips_generation = false;
    bool generates = false;
    int threads = jbw_default_generation_threads();
    const jbw_option options[] = {
        {"--region", JBW_OPTION_REGION, &region, "X,Y,W,H",
         "the cells to draw: lowest x and y, width and height"},
        {"--out", JBW_OPTION_TEXT, &path, "F.png", "the file to write"},
        {"--seed", JBW_OPTION_SEED, &seed, "S", "the world's seed (0)"},
        {"--scale", JBW_OPTION_INT, &picture.scale, "N", "pixels per cell (4)"},
        {"--grid", JBW_OPTION_FLAG, &picture.show_grid, NULL, "draw lines between patches"},
        {"--no-generate", JBW_OPTION_FLAG, &skips_generation, NULL,
         "draw the world as it is, without making the region final first"},
        {"--generate", JBW_OPTION_FLAG, &generates, NULL,
         "make the region final first, also in a snapshot or recording"},
        jbw_option_set(&settings),
        jbw_option_generation(&settings),
        jbw_option_memory_budget(&settings),
        jbw_option_generation_threads(&threads),
    };
    jbw_command_line line = {
        .verb = "render",
        .usage = "WORLD|SNAPSHOT|RECORDING --region X,Y,W,H --out F.png [OPTIONS]",
        .purpose = "Makes every patch of a region final, row by row, and draws it. WORLD is a "
                   "file or a shipped\nworld; see jbw worlds. A snapshot, and the end of a "
                   "recording, are drawn as they are. Up in\nthe picture is up in the world.",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .least_arguments = 1,
        .most_arguments = 1,
        .arguments = arguments,
    };
    int code = jbw_command_line_parse(&line, argc, argv);
    if (code >= 0) return code;

    jbw_error error;
    const char *missing = region.width == 0 && region.height == 0 ? "--region X,Y,W,H"
                          : !path                                 ? "--out F.png"
                                                                  : NULL;
    if (missing) {
        fprintf(stderr, "jbw render: expected %s; see jbw render --help\n", missing);
        return JBW_EXIT_USAGE;
    }
    if (jbw_picture_check(region, &picture, &error)) {
        fprintf(stderr, "jbw render: %s\n", error.text);
        return JBW_EXIT_USAGE;
    }
    if (!is_folder_writable(path)) {
        fprintf(stderr, "jbw render: the folder of %s is missing or not writable\n", path);
        return JBW_EXIT_FAILED;
    }

    source s = {0};
    const jbw_file_kind kind = jbw_file_kind_of(arguments[0]);
    const bool is_saved = kind != JBW_FILE_OTHER;
    code = is_saved ? open_saved(&s, arguments[0], kind, &settings, seed)
                    : open_world_file(&s, arguments[0], &settings, seed);
    if (code < 0) {
        const jbw_status status = jbw_world_set_generation_threads(s.world, threads);
        if (status) code = fail(status, &(jbw_error){0}, JBW_EXIT_FAILED);
    }
    if (code < 0)
        code = draw(s.world, region, (generates || !is_saved) && !skips_generation, &picture, path);
    close_source(&s);
    return code;
}
