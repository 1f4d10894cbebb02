// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Agents on the map: arrow heads that point where they look, hollow if they are inactive. The agent
/// that is followed has a colour of its own, a ring, and a frame around the square that it sees, in
/// which everything that it does not see is in shadow. In worlds with bodies, agents have the colours of
/// theirs.
#ifndef JBW_IO_DRAW_AGENT_MARKS_H
#define JBW_IO_DRAW_AGENT_MARKS_H

#include "io/draw/canvas.h"
#include "jbw/agent.h"

typedef struct jbw_map_agent {
    jbw_position position;
    jbw_direction direction;
    bool is_active;
    bool is_followed;
    bool has_body; // and is drawn in its colour
    jbw_color color;
} jbw_map_agent;

typedef struct jbw_agent_marks {
    const jbw_allocator *allocator;
    jbw_region region;    // of the map
    int scale;            // pixels per cell
    double size;          // of a mark, in pixels
    jbw_map_agent *marks; // those in or near the region; the followed one is last
    size_t count;
    size_t capacity;

    bool has_sight;
    jbw_region sight; // the square that the followed agent sees
    float *seen;      // (sight.height x sight.width) fraction of each cell, the lowest y first
} jbw_agent_marks;

/// Collects what is to be drawn. `followed` is all zero for none. JBW_NO_SUCH_AGENT if it does not
/// exist. On failure there is nothing to clean up.
jbw_status jbw_agent_marks_init(jbw_agent_marks *marks, jbw_world *world, jbw_region region,
                                int scale, jbw_agent_id followed, bool hides_others,
                                const jbw_allocator *allocator);

void jbw_agent_marks_deinit(jbw_agent_marks *marks);

/// Draws shadows and the frame of what the agent sees over a row of pixels, 0 is the top.
void jbw_agent_marks_paint_sight(const jbw_agent_marks *marks, int64_t row, uint8_t *pixels);

/// Draws the agents over a row of pixels.
void jbw_agent_marks_paint_row(const jbw_agent_marks *marks, int64_t row, uint8_t *pixels);

#endif
