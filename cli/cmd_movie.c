// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// A recording as a video: each frame looks like a picture of `jbw render`, and is piped to ffmpeg.

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "file_info.h"
#include "jbw/jbw.h"
#include "options.h"
#include "progress.h"
#include "recorded_reward.h"
#include "verb.h"

extern char **environ;

static const char verb[] = "movie";

/// The options of the command line.
typedef struct request {
    const char *path;
    const char *out;
    const char *reward;
    bool is_plain;
    int trail;
    int fps;
    uint64_t to;
    jbw_film_options film;
    jbw_load_options load;
} request;

/// The encoder at the other end of a pipe.
typedef struct encoder {
    pid_t pid;
    int pipe;
} encoder;

static bool ends_in(const char *text, const char *ending)
{
    const size_t length = strlen(text);
    const size_t size = strlen(ending);
    return length >= size && strcmp(text + length - size, ending) == 0;
}

// ---- the encoder ----

static jbw_verb_status start_encoder(const request *q, int width, int height, encoder *e)
{
    char size[32];
    char rate[16];
    snprintf(size, sizeof size, "%dx%d", width, height);
    snprintf(rate, sizeof rate, "%d", q->fps);
    // a GIF has 256 colours, chosen from the whole video; most players need even sides in an MP4
    const char *filter =
        ends_in(q->out, ".gif")
            ? "split[a][b];[a]palettegen=stats_mode=full[p];[b][p]paletteuse=dither=none"
            : "pad=ceil(iw/2)*2:ceil(ih/2)*2,format=yuv420p";
    const char *arguments[] = {"ffmpeg",   "-loglevel", "error", "-y",   "-f",   "rawvideo",
                               "-pix_fmt", "rgb24",     "-s",    size,   "-r",   rate,
                               "-i",       "-",         "-vf",   filter, q->out, NULL};
    int ends[2];
    if (pipe(ends) != 0) return jbw_verb_fail(verb, "pipe: %s", strerror(errno));
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    const int problem =
        posix_spawnp(&e->pid, "ffmpeg", &actions, NULL, (char *const *)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[0]);
    e->pipe = ends[1];
    if (problem == 0) return JBW_VERB_OK;
    close(e->pipe);
    if (problem == ENOENT) return jbw_verb_fail(verb, "ffmpeg not found; install it");
    return jbw_verb_fail(verb, "ffmpeg: %s", strerror(problem));
}

static bool send_frame(const encoder *e, const uint8_t *pixels, size_t size)
{
    while (size > 0) {
        const ssize_t count = write(e->pipe, pixels, size);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        pixels += count;
        size -= (size_t)count;
    }
    return true;
}

// true if the video is complete
static bool end_encoder(const encoder *e)
{
    int result = 0;
    close(e->pipe);
    while (waitpid(e->pid, &result, 0) < 0 && errno == EINTR) continue;
    return WIFEXITED(result) && WEXITSTATUS(result) == 0;
}

// ---- the video ----

static jbw_verb_status film_all(jbw_film *film, const request *q, const encoder *e, uint8_t *pixels)
{
    const jbw_film_info info = jbw_film_get_info(film);
    const size_t size = 3 * (size_t)(info.width * info.height);
    jbw_error error = {0};
    jbw_progress progress;
    jbw_progress_begin(&progress, "filming", info.frame_count);
    jbw_status status = JBW_OK;
    bool is_sent = true;
    for (uint64_t i = 0; i < info.frame_count && !status && is_sent; i++) {
        status = jbw_film_next(film, pixels, &error);
        if (!status) is_sent = send_frame(e, pixels, size);
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
    encoder e = {0};
    jbw_verb_status status = start_encoder(q, (int)info.width, (int)info.height, &e);
    if (!status) {
        status = film_all(film, q, &e, pixels);
        if (!end_encoder(&e) && !status)
            status = jbw_verb_fail(verb, "ffmpeg could not write %s", q->out);
    }
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
    if (!ends_in(q->out, ".mp4") && !ends_in(q->out, ".gif"))
        return jbw_verb_reject(verb, "%s: expected a name that ends in .mp4 or .gif", q->out);
    if (q->fps < 1 || q->fps > 240) return jbw_verb_reject(verb, "--fps: expected 1 to 240");
    if (q->film.agent < 1) return jbw_verb_reject(verb, "--agent: expected at least 1");
    if (q->trail < 0) return jbw_verb_reject(verb, "--trail: expected 0 or more");
    if (jbw_file_kind_of(q->path) != JBW_FILE_RECORDING)
        return jbw_verb_reject(verb, "%s: expected a recording", q->path);
    q->film.memory = q->trail > 0 ? q->trail : -1;
    q->film.has_end = q->to != UINT64_MAX;
    q->film.to = q->to;
    q->film.picture.show_panel = !q->is_plain;
    return JBW_VERB_OK;
}

jbw_verb_status jbw_cmd_movie(int argc, char **argv)
{
    request q = {.trail = 400,
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
        {"--to", JBW_OPTION_UINT64, &q.to, "T", "end at this time"},
        jbw_option_memory_limit(&q.load.memory_limit),
    };
    jbw_command_line line = {
        .verb = verb,
        .usage = "RECORDING --out F.mp4|F.gif [OPTIONS]",
        .purpose = "Turns a recording into a video, drawn as jbw render draws it. Needs ffmpeg.",
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
    jbw_recording *recording = NULL;
    jbw_error error = {0};
    const jbw_status status = jbw_recording_open(q.path, &q.load, &recording, &error);
    if (status)
        result = jbw_verb_reject(verb, "%s", error.text[0] ? error.text : jbw_status_text(status));
    else
        result = make_video(recording, &q);
    jbw_recording_close(recording);
    return result;
}
