// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The shapes of items and agents, the same as on the page (web/shapes.js). A shape is given by the
/// signed distance of a point to its edge, negative inside, so that it is sharp at every size. Items
/// keep the colours of the world; shapes tell them apart for readers who cannot tell the colours.
///
/// Points are in units of cells around the middle of a cell, from -0.5 to 0.5, with y up. Nothing but
/// additions, multiplications, divisions and square roots: the same bits on every machine.
#ifndef JBW_IO_DRAW_SHAPE_H
#define JBW_IO_DRAW_SHAPE_H

#include "io/draw/canvas.h"
#include "jbw/types.h"
#include "jbw/world.h"

/// The middle of every shape is inside and has no mark, so that it has the item's own colour.
typedef enum jbw_shape {
    JBW_SHAPE_DISC,
    JBW_SHAPE_BEAN,
    JBW_SHAPE_BANANA,
    JBW_SHAPE_ONION,
    JBW_SHAPE_BRICKS,
    JBW_SHAPE_TREE,
    JBW_SHAPE_TRUFFLE,
    JBW_SHAPE_DIAMOND,
    JBW_SHAPE_TRIANGLE,
    JBW_SHAPE_HEXAGON,
    JBW_SHAPE_STAR,
    JBW_SHAPE_PLUS,
    JBW_SHAPE_DROP,
    JBW_SHAPE_SQUARE,
    JBW_SHAPE_BOULDER,
    JBW_SHAPE_COUNT
} jbw_shape;

/// The shape of each item type: one that matches a well-known name such as JellyBean, or else one
/// that is still free.
void jbw_shapes_choose(const jbw_model *model, jbw_shape out[JBW_MAX_ITEM_TYPES]);

/// The distance of a point to the edge of a shape; exact near the edge, where it matters.
double jbw_shape_distance(jbw_shape shape, jbw_point p);

/// What is drawn on a shape at a point: 0 nothing, up to 1 darker, down to -1 lighter. `pixel` is
/// the size of a pixel in cells.
double jbw_shape_mark(jbw_shape shape, jbw_point p, double pixel);

/// The distance to the stem and the leaves of a sprout, and to its bud.
double jbw_sprout_distance(jbw_point p, double pixel);
double jbw_bud_distance(jbw_point p);

/// The same distance for an agent that looks up: an arrow head with a notch.
double jbw_agent_shape_distance(jbw_point p);

/// 0 below `low`, 1 above `high`, and a smooth curve between them.
double jbw_smooth_step(double low, double high, double value);

#endif
