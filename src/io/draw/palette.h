// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// How a world looks: the colour and shape of each item type, and the colours around them, which are
/// those of the page in its light theme. They print well, and lines and agents remain distinct with
/// all common kinds of colour blindness.
#ifndef JBW_IO_DRAW_PALETTE_H
#define JBW_IO_DRAW_PALETTE_H

#include "io/draw/shape.h"

static const jbw_color jbw_paper_color = {250, 249, 245};   // an empty cell
static const jbw_color jbw_sampled_color = {222, 222, 226}; // an empty cell that is not final
static const jbw_color jbw_grid_color = {70, 76, 92};
static const jbw_color jbw_ink_color = {21, 24, 31};     // of agents
static const jbw_color jbw_accent_color = {230, 104, 0}; // of the agent that is followed
static const jbw_color jbw_trail_color = {240, 150, 30}; // of its path, if that fades
static const jbw_color jbw_plot_color = {0, 114, 178};
static const jbw_color jbw_white_color = {255, 255, 255};

/// How an item is drawn: as agents see it; out of season, as a pale outline; while it grows back, as a
/// sprout with a bud in its colour.
typedef enum jbw_item_look {
    JBW_LOOK_SEEN,
    JBW_LOOK_HIDDEN,
    JBW_LOOK_GROWING,
    JBW_LOOK_COUNT
} jbw_item_look;

typedef struct jbw_palette {
    int item_count;                           // item types
    jbw_color colors[JBW_MAX_ITEM_TYPES + 1]; // by item type plus one; 0 is an empty cell
    jbw_shape shapes[JBW_MAX_ITEM_TYPES];     // by item type
} jbw_palette;

void jbw_palette_init(jbw_palette *palette, const jbw_model *model);

/// The first three of some dimensions are red, green and blue, from 0 to 1; a single one is a shade
/// of grey.
jbw_color jbw_color_of(const double *values, int dimensions);

/// The colour of one pixel of a cell of `scale` pixels, whose middle is `at`. `item` is an item type
/// plus one, or 0. From far away an item fills its cell, or tints it if agents do not see it; up close
/// it is a shape over `behind`.
jbw_color jbw_palette_pixel(const jbw_palette *palette, int item, jbw_item_look look,
                            jbw_color behind, jbw_point at, double scale);

/// The same for an icon outside the map, where it is a shape at any size.
jbw_color jbw_palette_icon_pixel(const jbw_palette *palette, int item, jbw_color behind,
                                 jbw_point at, double scale);

#endif
