// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// A recording or a world as a video: each frame looks like a picture of `jbw render`.

#include <signal.h>
#include <stdlib.h>

#include "encoder.h"
#include "file_info.h"
#include "jbw/jbw.h"
#include "options.h"
#include "progress.h"
#include "recorded_reward.h"
#include "verb.h"
#include "world_movie.h"

static const char verb[] = "movie";

/// The options of the command line.
typedef struct request {
    const char *path;
    const char *out;
    const char *reward;
    bool is_recording;
    bool is_plain;
    uint64_t seed;
    jbw_settings *settings;
    int trail;
    int fps;
    uint64_t to;
    jbw_film_options film;
    jbw_load_options load;
} request;

// ---- the video ----

static jbw_verb_status film_all(jbw_film *film, const request *q, const jbw_encoder *encoder,
                                uint8_t *pixels)
{
    const uint64_t count = jbw_film_get_info(film).frame_count;
    jbw_error error = {0};
    jbw_progress progress;
    jbw_progress_begin(&progress, "filming", count);
    jbw_status status = JBW_OK;
    bool is_sent = true;
    for (uint64_t i = 0; i < count && !status && is_sent; i++) {
        status = jbw_film_next(film, pixels, &error);
        if (!status) is_sent = jbw_encoder_send(encoder, pixels);
        jbw_progress_update(&progress, i + 1);
    }
    jbw_progress_end(&progress);
    if (status) return jbw_verb_fail(verb, "%s: %s", q->path, error.text);
    return is_sent ? JBW_VERB_OK : jbw_verb_fail(verb, "ffmpeg stopped early");
}

static jbw_verb_status encode(jbw_film *film, const request *q)
{
    const jbw_film_info info = jbw_film_get_info(film);
    uint8_t *pixels = malloc(3 * (size_t)(info.width * info.height));
    if (!pixels) return jbw_verb_fail(verb, "%s", jbw_status_text(JBW_OUT_OF_MEMORY));
    jbw_encoder encoder = {0};
    jbw_verb_status status =
        jbw_encoder_start(&encoder, verb, q->out, info.width, info.height, q->fps);
    if (!status) status = jbw_encoder_end(&encoder, film_all(film, q, &encoder, pixels));
    free(pixels);
    return status;
}

static jbw_verb_status make_video(jbw_recording *recording, request *q)
{
    jbw_reward *reward = NULL;
    const jbw_verb_status result =
        jbw_recording_reward(recording, verb, q->path, q->reward, &reward);
    if (result) return result;
    q->film.reward = reward;
    jbw_film *film = NULL;
    jbw_error error = {0};
    const jbw_status status = jbw_film_create(recording, &q->film, &film, &error);
    jbw_verb_status made = JBW_VERB_OK;
    if (status == JBW_INVALID_ARGUMENT)
        made = jbw_verb_reject(verb, "%s", error.text);
    else if (status)
        made = jbw_verb_fail(verb, "%s: %s", q->path, error.text);
    else
        made = encode(film, q);
    jbw_film_destroy(film);
    jbw_reward_destroy(reward);
    return made;
}

static jbw_verb_status check_request(request *q)
{
    if (!q->out) return jbw_verb_reject(verb, "expected --out F.mp4 or F.gif");
    if (!jbw_encoder_knows(q->out))
        return jbw_verb_reject(verb, "%s: expected a name that ends in .mp4 or .gif", q->out);
    if (q->fps < 1 || q->fps > 240) return jbw_verb_reject(verb, "--fps: expected 1 to 240");
    if (q->film.agent < 1) return jbw_verb_reject(verb, "--agent: expected at least 1");
    if (q->trail < 0) return jbw_verb_reject(verb, "--trail: expected 0 or more");
    q->is_recording = jbw_file_kind_of(q->path) == JBW_FILE_RECORDING;
    if (q->is_recording && (q->seed != 0 || q->settings->count > 0))
        return jbw_verb_reject(verb, "--seed and --set are for worlds, but %s is a recording",
                               q->path);
    q->film.memory = q->trail > 0 ? q->trail : -1;
    q->film.has_end = q->to != UINT64_MAX;
    q->film.to = q->to;
    q->film.picture.show_panel = !q->is_plain;
    return JBW_VERB_OK;
}

static jbw_verb_status film_recording(request *q)
{
    jbw_recording *recording = NULL;
    jbw_error error = {0};
    const jbw_status status = jbw_recording_open(q->path, &q->load, &recording, &error);
    const jbw_verb_status result =
        status ? jbw_verb_reject(verb, "%s", error.text[0] ? error.text : jbw_status_text(status))
               : make_video(recording, q);
    jbw_recording_close(recording);
    return result;
}

static jbw_verb_status film_world(const request *q)
{
    const jbw_world_movie movie = {.name = q->path,
                                   .out = q->out,
                                   .seed = q->seed,
                                   .region = q->film.region,
                                   .from = q->film.from,
                                   .to = q->to,
                                   .every = q->film.every,
                                   .fps = q->fps,
                                   .picture = q->film.picture,
                                   .settings = q->settings,
                                   .memory_limit = q->load.memory_limit};
    return jbw_world_movie_make(&movie, verb);
}

jbw_verb_status jbw_cmd_movie(int argc, char **argv)
{
    static jbw_settings settings;
    request q = {.settings = &settings,
                 .trail = 400,
                 .fps = 30,
                 .to = UINT64_MAX,
                 .film = {.agent = 1, .width = 41, .height = 31, .picture = {.scale = 20}}};
    const jbw_option options[] = {
        {"--out", JBW_OPTION_TEXT, &q.out, "F.mp4|.gif", "the video to write"},
        {"--region", JBW_OPTION_REGION, &q.film.region, "X,Y,W,H",
         "the cells to show (the camera follows the agent)"},
        {"--agent", JBW_OPTION_INT, &q.film.agent, "N", "the agent to follow, counted from 1 (1)"},
        {"--reward", JBW_OPTION_TEXT, &q.reward, "TEXT",
         "the reward to plot (that of the run, if the recording has it)"},
        {"--width", JBW_OPTION_INT, &q.film.width, "N",
         "cells across, if the camera follows the agent (41)"},
        {"--height", JBW_OPTION_INT, &q.film.height, "N", "cells down, likewise (31)"},
        {"--scale", JBW_OPTION_INT, &q.film.picture.scale, "N", "pixels per cell (20)"},
        {"--trail", JBW_OPTION_INT, &q.trail, "N",
         "steps after which the agent's trail has faded; 0 draws none (400)"},
        {"--grid", JBW_OPTION_FLAG, &q.film.picture.show_grid, NULL, "draw lines between patches"},
        {"--plain", JBW_OPTION_FLAG, &q.is_plain, NULL,
         "the map alone, without what the agent sees, smells, carries and gains"},
        {"--fps", JBW_OPTION_INT, &q.fps, "N", "frames per second (30)"},
        {"--every", JBW_OPTION_UINT64, &q.film.every, "N",
         "steps per frame (chosen so that the video takes at most 20 seconds)"},
        {"--from", JBW_OPTION_UINT64, &q.film.from, "T", "start at this time"},
        {"--to", JBW_OPTION_UINT64, &q.to, "T",
         "end at this time (the end of the recording; of a world, a year of its seasons later)"},
        {"--seed", JBW_OPTION_UINT64, &q.seed, "S", "seed of a world (0)"},
        jbw_option_set(&settings),
        jbw_option_generation(&settings),
        jbw_option_memory_budget(&settings),
        jbw_option_memory_limit(&q.load.memory_limit),
    };
    jbw_command_line line = {
        .verb = verb,
        .usage = "RECORDING|WORLD|SNAPSHOT --out F.mp4|F.gif [OPTIONS]",
        .purpose =
            "Turns a recording into a video, drawn as jbw render draws it. Of a WORLD (a file or a "
            "shipped world) or a snapshot, it films how a --region changes by itself while nobody "
            "acts, such as the seasons of a year. Needs ffmpeg.",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .min_arguments = 1,
        .max_arguments = 1,
        .arguments = &q.path,
    };
    jbw_verb_status result = jbw_command_line_parse(&line, argc, argv);
    if (!result) result = check_request(&q);
    if (result) return result;
    signal(SIGPIPE, SIG_IGN);
    return q.is_recording ? film_recording(&q) : film_world(&q);
}
