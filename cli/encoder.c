// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "encoder.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static bool ends_in(const char *text, const char *ending)
{
    const size_t length = strlen(text);
    const size_t size = strlen(ending);
    return length >= size && strcmp(text + length - size, ending) == 0;
}

bool jbw_encoder_knows(const char *path)
{
    return ends_in(path, ".mp4") || ends_in(path, ".gif");
}

jbw_verb_status jbw_encoder_start(jbw_encoder *encoder, const char *verb, const char *path,
                                  int64_t width, int64_t height, int fps)
{
    *encoder =
        (jbw_encoder){.verb = verb, .path = path, .frame_size = 3 * (size_t)(width * height)};
    char size[48];
    char rate[16];
    snprintf(size, sizeof size, "%lldx%lld", (long long)width, (long long)height);
    snprintf(rate, sizeof rate, "%d", fps);
    // a GIF has 256 colours, chosen from the whole video; most players need even sides in an MP4
    const char *filter =
        ends_in(path, ".gif")
            ? "split[a][b];[a]palettegen=stats_mode=full[p];[b][p]paletteuse=dither=none"
            : "pad=ceil(iw/2)*2:ceil(ih/2)*2,format=yuv420p";
    const char *arguments[] = {"ffmpeg",   "-loglevel", "error", "-y",   "-f", "rawvideo",
                               "-pix_fmt", "rgb24",     "-s",    size,   "-r", rate,
                               "-i",       "-",         "-vf",   filter, path, NULL};
    int ends[2];
    if (pipe(ends) != 0) return jbw_verb_fail(verb, "pipe: %s", strerror(errno));
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    const int problem =
        posix_spawnp(&encoder->pid, "ffmpeg", &actions, NULL, (char *const *)arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[0]);
    encoder->pipe = ends[1];
    if (problem == 0) return JBW_VERB_OK;
    close(encoder->pipe);
    if (problem == ENOENT) return jbw_verb_fail(verb, "ffmpeg not found; install it");
    return jbw_verb_fail(verb, "ffmpeg: %s", strerror(problem));
}

bool jbw_encoder_send(const jbw_encoder *encoder, const uint8_t *pixels)
{
    size_t size = encoder->frame_size;
    while (size > 0) {
        const ssize_t count = write(encoder->pipe, pixels, size);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        pixels += count;
        size -= (size_t)count;
    }
    return true;
}

jbw_verb_status jbw_encoder_end(const jbw_encoder *encoder, jbw_verb_status status)
{
    int result = 0;
    close(encoder->pipe);
    while (waitpid(encoder->pid, &result, 0) < 0 && errno == EINTR) continue;
    const bool is_complete = WIFEXITED(result) && WEXITSTATUS(result) == 0;
    if (status || is_complete) return status;
    return jbw_verb_fail(encoder->verb, "ffmpeg could not write %s", encoder->path);
}
