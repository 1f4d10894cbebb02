// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "world_movie.h"

#include <stdlib.h>

#include "encoder.h"
#include "file_info.h"
#include "prepare.h"
#include "progress.h"
#include "world_source.h"

enum { MOST_FRAMES = 600 };

static jbw_verb_status open_world(const jbw_world_movie *movie, const char *verb,
                                  jbw_world_source *source)
{
    if (jbw_file_kind_of(movie->name) == JBW_FILE_SNAPSHOT) {
        int memory_budget = 0;
        const jbw_verb_status status =
            jbw_settings_take_memory_budget(movie->settings, verb, &memory_budget);
        if (status) return status;
        if (movie->seed != 0 || movie->settings->count > 0)
            return jbw_verb_reject(
                verb, "--seed and --set are for world files, but %s is a snapshot", movie->name);
        return jbw_world_source_load(source, verb, movie->name, memory_budget);
    }
    const jbw_verb_status status = jbw_world_source_read(source, movie->name, movie->settings);
    return status ? status : jbw_world_source_create(source, verb, movie->seed);
}

// the longest period of a season; zero if there are no seasons
static uint64_t year_of(const jbw_model *model)
{
    uint64_t year = 0;
    for (int type = 0; type < jbw_model_item_type_count(model); type++) {
        const uint64_t period = jbw_model_item_season(model, type).period;
        if (period > year) year = period;
    }
    return year;
}

/// The times of the frames.
typedef struct schedule {
    uint64_t from;
    uint64_t every;
    uint64_t frame_count;
} schedule;

static jbw_verb_status plan(const jbw_world_movie *movie, const char *verb, const jbw_world *world,
                            schedule *out)
{
    const uint64_t now = jbw_world_time(world);
    const uint64_t year = year_of(jbw_world_model(world));
    out->from = movie->from > 0 ? movie->from : now;
    if (movie->to == UINT64_MAX && year == 0)
        return jbw_verb_reject(verb, "%s has no seasons: expected --to T", movie->name);
    const uint64_t to = movie->to == UINT64_MAX ? out->from + year : movie->to;
    if (to < out->from) return jbw_verb_reject(verb, "--to: expected a time after --from");
    const uint64_t length = to - out->from;
    out->every = movie->every > 0 ? movie->every : length / MOST_FRAMES + 1;
    out->frame_count = length / out->every + 1;
    return JBW_VERB_OK;
}

static jbw_verb_status film_all(const jbw_world_movie *movie, const jbw_encoder *encoder,
                                jbw_world *world, const schedule *s, uint8_t *pixels)
{
    jbw_progress progress;
    jbw_progress_begin(&progress, "filming", s->frame_count);
    jbw_verb_status status = JBW_VERB_OK;
    for (uint64_t i = 0; i < s->frame_count && !status; i++) {
        jbw_error error = {0};
        status = jbw_prepare_time(world, encoder->verb, s->from + i * s->every);
        if (status) break;
        if (jbw_picture_draw(world, movie->region, &movie->picture, pixels, &error))
            status = jbw_verb_fail(encoder->verb, "%s", error.text);
        else if (!jbw_encoder_send(encoder, pixels))
            status = jbw_verb_fail(encoder->verb, "ffmpeg stopped early");
        jbw_progress_update(&progress, i + 1);
    }
    jbw_progress_end(&progress);
    return status;
}

static jbw_verb_status film(const jbw_world_movie *movie, const char *verb, jbw_world *world)
{
    schedule s = {0};
    int64_t width;
    int64_t height;
    jbw_error error = {0};
    jbw_verb_status result = plan(movie, verb, world, &s);
    if (result) return result;
    jbw_status status = jbw_picture_size(jbw_world_model(world), movie->region, &movie->picture,
                                         &width, &height, &error);
    if (status) return jbw_verb_reject(verb, "%s", error.text);
    result = jbw_prepare_time(world, verb, s.from);
    if (result) return result;
    status = jbw_prepare_region(world, movie->region);
    uint8_t *pixels = status ? NULL : malloc(3 * (size_t)(width * height));
    if (!status && !pixels) status = JBW_OUT_OF_MEMORY;
    jbw_encoder encoder = {0};
    result = status ? jbw_verb_fail(verb, "%s", jbw_status_text(status))
                    : jbw_encoder_start(&encoder, verb, movie->out, width, height, movie->fps);
    if (!result) result = jbw_encoder_end(&encoder, film_all(movie, &encoder, world, &s, pixels));
    free(pixels);
    return result;
}

jbw_verb_status jbw_world_movie_make(const jbw_world_movie *movie, const char *verb)
{
    jbw_world_source source = {.memory_limit = movie->memory_limit};
    if (movie->region.width == 0 && movie->region.height == 0)
        return jbw_verb_reject(verb, "%s is no recording: expected --region X,Y,W,H", movie->name);
    jbw_verb_status status = open_world(movie, verb, &source);
    if (!status) status = film(movie, verb, source.world);
    jbw_world_source_close(&source);
    return status;
}
