// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// A recording as a video: each frame looks like a picture of `jbw render`, and is piped to ffmpeg.

#include <errno.h>
#include <inttypes.h>
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
#include "verb.h"

extern char **environ;

enum {
    MAX_TRAIL = 4096,        // cells of the agent's path
    MAX_AGENTS = 1024,       // that --agent can choose from
    DEFAULT_FRAMES = 30 * 20 // of a video, unless --every is given
};

static const char verb[] = "movie";

/// The options of the command line.
typedef struct request {
    const char *path;
    const char *out;
    jbw_region region; // all zero: around the agent
    int agent;         // its index among the agents, from one
    int width;
    int height;
    int fps;
    uint64_t from;
    uint64_t to;
    uint64_t every;
    jbw_picture_options picture;
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
            ? "split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse=dither=none"
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

/// The camera, and the trail of the agent.
typedef struct scene {
    jbw_recording *recording;
    jbw_position trail[MAX_TRAIL];
    size_t trail_count;
    jbw_region region;
    uint8_t *pixels;
    size_t size;
} scene;

// the position of the agent that is followed; false if there is none
static bool find_agent(const request *q, const jbw_world *world, jbw_position *at)
{
    jbw_agent_id agents[MAX_AGENTS];
    const size_t count = jbw_world_agents(world, agents, MAX_AGENTS);
    jbw_agent_state state;
    const size_t index = (size_t)q->agent - 1;
    if (index >= count || index >= MAX_AGENTS || jbw_agent_get_state(world, agents[index], &state))
        return false;
    *at = state.position;
    return true;
}

static void note_agent(scene *s, const request *q, const jbw_world *world)
{
    jbw_position at;
    if (!find_agent(q, world, &at)) return;
    const jbw_position *last = s->trail_count ? &s->trail[s->trail_count - 1] : NULL;
    if (last && last->x == at.x && last->y == at.y) return;
    if (s->trail_count == MAX_TRAIL) {
        // drop the older half
        memmove(s->trail, s->trail + MAX_TRAIL / 2, MAX_TRAIL / 2 * sizeof *s->trail);
        s->trail_count = MAX_TRAIL / 2;
    }
    s->trail[s->trail_count++] = at;
    if (q->region.width == 0) {
        s->region.x = at.x - s->region.width / 2;
        s->region.y = at.y - s->region.height / 2;
    }
}

static jbw_status draw_frame(scene *s, const request *q, jbw_error *error)
{
    jbw_picture_options picture = q->picture;
    picture.path = s->trail;
    picture.path_count = s->trail_count;
    return jbw_picture_draw(jbw_recording_world(s->recording), s->region, &picture, s->pixels,
                            error);
}

// replays some steps; JBW_NOT_FOUND at the end of the recording
static jbw_status advance(scene *s, const request *q, uint64_t steps, jbw_error *error)
{
    const uint64_t end = jbw_world_time(jbw_recording_world(s->recording)) + steps;
    uint64_t time = end - steps;
    jbw_status status = JBW_OK;
    while (!status && time < end) {
        status = jbw_recording_next(s->recording, NULL, error);
        const jbw_world *world = jbw_recording_world(s->recording);
        if (jbw_world_time(world) != time) note_agent(s, q, world);
        time = jbw_world_time(world);
    }
    return status;
}

static jbw_verb_status film(scene *s, const request *q, const encoder *e, uint64_t last)
{
    jbw_error error = {0};
    jbw_progress progress;
    const uint64_t first = jbw_world_time(jbw_recording_world(s->recording));
    jbw_progress_begin(&progress, "filming", last - first);
    note_agent(s, q, jbw_recording_world(s->recording));
    jbw_status status = JBW_OK;
    bool is_sent = true;
    while (!status && is_sent) {
        const uint64_t time = jbw_world_time(jbw_recording_world(s->recording));
        status = draw_frame(s, q, &error);
        if (!status) is_sent = send_frame(e, s->pixels, s->size);
        jbw_progress_update(&progress, time - first);
        if (status || time >= last) break;
        const uint64_t left = last - time;
        status = advance(s, q, left < q->every ? left : q->every, &error);
    }
    jbw_progress_end(&progress);
    if (status == JBW_NOT_FOUND) status = JBW_OK; // the end of the recording
    if (status) return jbw_verb_fail(verb, "%s: %s", q->path, error.text);
    return is_sent ? JBW_VERB_OK : jbw_verb_fail(verb, "ffmpeg stopped early");
}

static jbw_verb_status make_video(scene *s, request *q)
{
    jbw_error error = {0};
    const jbw_recording_info info = jbw_recording_get_info(s->recording);
    const uint64_t last = q->to < info.last_time ? q->to : info.last_time;
    if (q->from < info.first_time) q->from = info.first_time;
    if (q->from > last)
        return jbw_verb_reject(verb, "--from %" PRIu64 ": the video ends at time %" PRIu64, q->from,
                               last);
    if (q->every == 0) q->every = 1 + (last - q->from) / DEFAULT_FRAMES;
    s->region = q->region.width > 0 ? q->region : (jbw_region){0, 0, q->width, q->height};
    if (jbw_picture_check(s->region, &q->picture, &error))
        return jbw_verb_reject(verb, "%s", error.text);
    const int width = (int)s->region.width * q->picture.scale;
    const int height = (int)s->region.height * q->picture.scale;
    s->size = 3 * (size_t)width * (size_t)height;
    s->pixels = malloc(s->size);
    if (!s->pixels) return jbw_verb_fail(verb, "%s", jbw_status_text(JBW_OUT_OF_MEMORY));

    encoder e;
    jbw_verb_status status = start_encoder(q, width, height, &e);
    if (status) return status;
    if (jbw_recording_seek(s->recording, q->from, &error))
        status = jbw_verb_fail(verb, "%s: %s", q->path, error.text);
    else
        status = film(s, q, &e, last);
    if (!end_encoder(&e) && !status)
        status = jbw_verb_fail(verb, "ffmpeg could not write %s", q->out);
    return status;
}

static jbw_verb_status check_request(const request *q)
{
    if (!q->out) return jbw_verb_reject(verb, "expected --out F.mp4 or F.gif");
    if (!ends_in(q->out, ".mp4") && !ends_in(q->out, ".gif"))
        return jbw_verb_reject(verb, "%s: expected a name that ends in .mp4 or .gif", q->out);
    if (q->fps < 1 || q->fps > 240) return jbw_verb_reject(verb, "--fps: expected 1 to 240");
    if (q->agent < 1 || q->agent > MAX_AGENTS)
        return jbw_verb_reject(verb, "--agent: expected 1 to %d", MAX_AGENTS);
    if (jbw_file_kind_of(q->path) != JBW_FILE_RECORDING)
        return jbw_verb_reject(verb, "%s: expected a recording", q->path);
    return JBW_VERB_OK;
}

jbw_verb_status jbw_cmd_movie(int argc, char **argv)
{
    request q = {.agent = 1,
                 .width = 96,
                 .height = 72,
                 .fps = 30,
                 .to = UINT64_MAX,
                 .picture = {.scale = 8}};
    const jbw_option options[] = {
        {"--out", JBW_OPTION_TEXT, &q.out, "F.mp4|.gif", "the video to write"},
        {"--region", JBW_OPTION_REGION, &q.region, "X,Y,W,H",
         "the cells to show (the camera follows the agent)"},
        {"--agent", JBW_OPTION_INT, &q.agent, "N",
         "the agent whose path is drawn, counted from 1 (1)"},
        {"--width", JBW_OPTION_INT, &q.width, "N",
         "cells across, if the camera follows the agent (96)"},
        {"--height", JBW_OPTION_INT, &q.height, "N", "cells down, likewise (72)"},
        {"--scale", JBW_OPTION_INT, &q.picture.scale, "N", "pixels per cell (8)"},
        {"--grid", JBW_OPTION_FLAG, &q.picture.show_grid, NULL, "draw lines between patches"},
        {"--fps", JBW_OPTION_INT, &q.fps, "N", "frames per second (30)"},
        {"--every", JBW_OPTION_UINT64, &q.every, "N",
         "steps per frame (chosen so that the video takes at most 20 seconds)"},
        {"--from", JBW_OPTION_UINT64, &q.from, "T", "start at this time"},
        {"--to", JBW_OPTION_UINT64, &q.to, "T", "end at this time"},
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
    scene *s = calloc(1, sizeof *s);
    if (!s) return jbw_verb_fail(verb, "%s", jbw_status_text(JBW_OUT_OF_MEMORY));
    jbw_error error = {0};
    const jbw_status status = jbw_recording_open(q.path, NULL, &s->recording, &error);
    if (status)
        result = jbw_verb_reject(verb, "%s", error.text[0] ? error.text : jbw_status_text(status));
    else
        result = make_video(s, &q);
    jbw_recording_close(s->recording);
    free(s->pixels);
    free(s);
    return result;
}
