// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What is drawn beside a map: the panel of an agent on its right, or a legend below it.
///
///     +-----------+ time 2,605
///     |           | agent 1 at (-132, 44), looking left
///     |    map    | SEES     SMELLS
///     |           | CARRIES
///     +-----------+ REWARD
///       legend
#ifndef JBW_IO_DRAW_PANEL_H
#define JBW_IO_DRAW_PANEL_H

#include "io/draw/canvas.h"
#include "jbw/picture.h"

/// Where everything is in a picture, in pixels.
typedef struct jbw_panel_layout {
    double unit; // all lengths are proportional to it; capitals are about ten units high
    int map_width;
    int map_height;
    int width; // of the whole picture
    int height;
} jbw_panel_layout;

/// The layout depends on the model and the options, never on the state of the world.
jbw_panel_layout jbw_panel_lay_out(const jbw_model *model, int map_width, int map_height,
                                   const jbw_picture_options *options);

/// Draws the panel or the legend on a canvas of that size. The agent must exist if there is one in
/// the options. Fails only for lack of memory.
jbw_status jbw_panel_draw(jbw_canvas *canvas, const jbw_panel_layout *layout, jbw_world *world,
                          const jbw_picture_options *options);

#endif
