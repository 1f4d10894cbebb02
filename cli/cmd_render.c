// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include <stdio.h>
#include <unistd.h>

#include "file_info.h"
#include "jbw/jbw.h"
#include "options.h"
#include "progress.h"
#include "verb.h"
#include "world_source.h"

static const char verb[] = "render";

/// The patches that overlap a region: first to last, inclusive, along both axes.
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

// The system hands out more memory than it has and kills the process later, so estimate first: one
// byte per cell, and some more per patch. False if that is more than the machine has.
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

// makes every patch of the region final, row by row
static jbw_status generate(jbw_world *world, jbw_region region)
{
    // there, drawing a patch generates it
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

/// Where the world comes from.
typedef struct source {
    jbw_world_source world;
    jbw_recording *recording; // if it is there, it owns the world
} source;

static jbw_world *world_of(source *s)
{
    return s->recording ? jbw_recording_world(s->recording) : s->world.world;
}

static jbw_verb_status open_world_file(source *s, const char *name, const jbw_settings *settings,
                                       uint64_t seed)
{
    const jbw_verb_status status = jbw_world_source_read(&s->world, name, settings);
    return status ? status : jbw_world_source_create(&s->world, verb, seed);
}

static jbw_verb_status open_recording(source *s, const char *path, int memory_budget)
{
    const jbw_load_options options = {.memory_budget = memory_budget};
    jbw_error error = {0};
    jbw_status status = jbw_recording_open(path, &options, &s->recording, &error);
    if (!status) status = jbw_recording_seek(s->recording, UINT64_MAX, &error);
    if (!status) return JBW_VERB_OK;
    if (status == JBW_OUT_OF_MEMORY) return jbw_verb_fail(verb, "%s", jbw_status_text(status));
    return jbw_verb_reject(verb, "%s", error.text[0] ? error.text : jbw_status_text(status));
}

// a world with a history: its seed and most of its settings are fixed
static jbw_verb_status open_saved(source *s, const char *path, jbw_file_kind kind,
                                  jbw_settings *settings, uint64_t seed)
{
    int memory_budget = 0;
    const jbw_verb_status status = jbw_settings_take_memory_budget(settings, verb, &memory_budget);
    if (status) return status;
    const bool is_snapshot = kind == JBW_FILE_SNAPSHOT;
    if (seed != 0 || settings->count > 0)
        return jbw_verb_reject(verb, "--seed and --set are for world files, but %s is a %s", path,
                               is_snapshot ? "snapshot" : "recording");
    return is_snapshot ? jbw_world_source_load(&s->world, verb, path, memory_budget)
                       : open_recording(s, path, memory_budget);
}

static jbw_verb_status draw(jbw_world *world, jbw_region region, bool generates,
                            const jbw_picture_options *picture, const char *path)
{
    jbw_error error = {0};
    jbw_status status = generates ? generate(world, region) : JBW_OK;
    if (status == JBW_OUT_OF_MEMORY)
        return jbw_verb_fail(verb, "a region of %lld x %lld cells does not fit into memory",
                             (long long)region.width, (long long)region.height);
    if (!status) status = jbw_picture_write_png(world, region, picture, path, &error);
    if (!status) return JBW_VERB_OK;
    return jbw_verb_fail(verb, "%s", error.text[0] ? error.text : jbw_status_text(status));
}

static jbw_verb_status check_request(jbw_region region, const jbw_picture_options *picture,
                                     const char *path)
{
    jbw_error error;
    const char *missing = region.width == 0 && region.height == 0 ? "--region X,Y,W,H"
                          : !path                                 ? "--out F.png"
                                                                  : NULL;
    if (missing) return jbw_verb_reject(verb, "expected %s; see jbw render --help", missing);
    if (jbw_picture_check(region, picture, &error)) return jbw_verb_reject(verb, "%s", error.text);
    if (!jbw_is_folder_writable(path))
        return jbw_verb_fail(verb, "the folder of %s is missing or not writable", path);
    return JBW_VERB_OK;
}

jbw_verb_status jbw_cmd_render(int argc, char **argv)
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
         "the cells to draw: lowest x and y, width, height"},
        {"--out", JBW_OPTION_TEXT, &path, "F.png", "the PNG file to write"},
        {"--seed", JBW_OPTION_UINT64, &seed, "S", "seed of the world (0)"},
        {"--scale", JBW_OPTION_INT, &picture.scale, "N", "pixels per cell (4)"},
        {"--grid", JBW_OPTION_FLAG, &picture.show_grid, NULL, "draw lines between patches"},
        {"--no-generate", JBW_OPTION_FLAG, &skips_generation, NULL,
         "draw the world as it is, without making the region final first"},
        {"--generate", JBW_OPTION_FLAG, &generates, NULL,
         "make the region final first, even in a snapshot or recording"},
        jbw_option_set(&settings),
        jbw_option_generation(&settings),
        jbw_option_memory_budget(&settings),
        jbw_option_generation_threads(&threads),
    };
    jbw_command_line line = {
        .verb = verb,
        .usage = "WORLD|SNAPSHOT|RECORDING --region X,Y,W,H --out F.png [OPTIONS]",
        .purpose =
            "Draws a region of a world. Of a WORLD, a file or a shipped world (see jbw "
            "worlds), every patch in the region is made final first, row by row. A snapshot, "
            "or the end of a recording, is drawn as it is. Positive y is up.",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .min_arguments = 1,
        .max_arguments = 1,
        .arguments = arguments,
    };
    jbw_verb_status status = jbw_command_line_parse(&line, argc, argv);
    if (!status) status = check_request(region, &picture, path);
    if (status) return status;

    source s = {0};
    const jbw_file_kind kind = jbw_file_kind_of(arguments[0]);
    const bool is_saved = kind != JBW_FILE_OTHER;
    status = is_saved ? open_saved(&s, arguments[0], kind, &settings, seed)
                      : open_world_file(&s, arguments[0], &settings, seed);
    if (!status) status = jbw_start_generation_threads(world_of(&s), verb, threads);
    if (!status)
        status = draw(world_of(&s), region, (generates || !is_saved) && !skips_generation, &picture,
                      path);
    jbw_recording_close(s.recording);
    jbw_world_source_close(&s.world);
    return status;
}
