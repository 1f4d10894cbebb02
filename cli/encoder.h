// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A video that ffmpeg encodes, at the other end of a pipe.
#ifndef JBW_CLI_ENCODER_H
#define JBW_CLI_ENCODER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "verb.h"

typedef struct jbw_encoder {
    const char *verb; // for messages
    const char *path; // ends in .mp4 or .gif
    pid_t pid;
    int pipe;
    size_t frame_size; // in bytes
} jbw_encoder;

/// True if a file of that name can be encoded.
bool jbw_encoder_knows(const char *path);

/// Starts ffmpeg for frames of red, green and blue. SIGPIPE must be ignored.
jbw_verb_status jbw_encoder_start(jbw_encoder *encoder, const char *verb, const char *path,
                                  int64_t width, int64_t height, int fps);

/// Sends a frame, top row first; false if ffmpeg has stopped.
bool jbw_encoder_send(const jbw_encoder *encoder, const uint8_t *pixels);

/// Ends the video; `status` is what has become of its frames.
jbw_verb_status jbw_encoder_end(const jbw_encoder *encoder, jbw_verb_status status);

#endif
