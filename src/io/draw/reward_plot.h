// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A small plot of the reward per step, a moving mean over the latest steps.
#ifndef JBW_IO_DRAW_REWARD_PLOT_H
#define JBW_IO_DRAW_REWARD_PLOT_H

#include "io/draw/canvas.h"

/// The number of steps that the mean is taken over.
enum { JBW_REWARD_WINDOW = 100 };

/// The mean of the latest rewards, of at most that many steps; zero if there are none.
double jbw_reward_rate(const double *rewards, size_t count);

/// Draws the plot into a part of a canvas. `rewards` are those of the steps up to `time`, the oldest
/// first; `unit` is that of the panel.
void jbw_reward_plot_draw(jbw_canvas *canvas, jbw_rectangle area, double unit,
                          const double *rewards, size_t count, uint64_t time);

#endif
