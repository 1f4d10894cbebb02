// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Videos of worlds in which nobody acts: what comes and goes with the seasons.
#ifndef JBW_CLI_WORLD_MOVIE_H
#define JBW_CLI_WORLD_MOVIE_H

#include "jbw/jbw.h"
#include "options.h"
#include "verb.h"

typedef struct jbw_world_movie {
    const char *name; // a world file, a shipped world or a snapshot
    const char *out;
    uint64_t seed;
    jbw_region region;
    uint64_t from;  // 0: now
    uint64_t to;    // UINT64_MAX: a year later
    uint64_t every; // steps between frames; 0: chosen for at most 600 frames
    int fps;
    jbw_picture_options picture;
    jbw_settings *settings;
    uint64_t memory_limit;
} jbw_world_movie;

/// Films the region. SIGPIPE must be ignored.
jbw_verb_status jbw_world_movie_make(const jbw_world_movie *movie, const char *verb);

#endif
