// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Pictures of worlds, films of recordings, and plots. All are drawn by the same code, with the same
/// shapes and colours as on the page; the same world gives the same bytes on every machine.
#ifndef JBW_PICTURE_H
#define JBW_PICTURE_H

#include "jbw/agent.h"
#include "jbw/base.h"
#include "jbw/recording.h"
#include "jbw/reward.h"
#include "jbw/types.h"
#include "jbw/world.h"

JBW_BEGIN_DECLS

/// How to draw a region of a world. All zero except for the scale is the map with its agents.
typedef struct jbw_picture_options {
    int scale;        ///< pixels per cell along each axis, at least one; icons appear from about 10
    bool show_grid;   ///< thin lines between patches
    bool hide_agents; ///< all but the one below
    bool show_legend; ///< the item types with their icons, below the map or in the panel

    const jbw_position *path; ///< visited cells, drawn as a line over the map; may be NULL
    size_t path_count;
    size_t path_memory; ///< the line fades out over so many positions; zero means that it does not

    jbw_agent_id agent; ///< to be highlighted, with the square that it sees; all zero means none
    bool show_panel;    ///< beside the map: the time, and what that agent sees, smells and carries
    double scent_scale; ///< the scent that must fit into a bar of the panel; may be zero
    const double
        *rewards; ///< of that agent for the latest steps, plotted in the panel; may be NULL
    size_t reward_count;
} jbw_picture_options;

/// A good scale for a map: a longer side of about a thousand pixels, and at most 24 pixels per cell.
JBW_API int jbw_picture_scale(jbw_region region);

/// Checks whether such a picture can be drawn, before you generate a large region for it: JBW_OK,
/// or the status that `jbw_picture_write_png` would return. `options` may be NULL.
JBW_API jbw_status jbw_picture_check(jbw_region region, const jbw_picture_options *options,
                                     jbw_error *error);

/// The size of a picture in pixels. Without legend and panel it is that of the region times the
/// scale; it never depends on the state of the world. Fails as `jbw_picture_check` does.
JBW_API jbw_status jbw_picture_size(const jbw_model *model, jbw_region region,
                                    const jbw_picture_options *options, int64_t *width,
                                    int64_t *height, jbw_error *error);

/// Draws a region of a world into a PNG file: items in their colours (the first three colour
/// dimensions are red, green and blue), up close with a shape for each type; agents as arrow heads;
/// patches that are not final dimmed, missing ones in grey stripes. The file is written atomically.
/// Nothing in the world changes except caches. `options` may be NULL, which means four pixels per
/// cell. JBW_NO_SUCH_AGENT if there is no agent to highlight.
///
/// A path begins at a ring and ends at a dot, and is darker where it was walked often; one that
/// fades has neither. It may leave the region. Successive positions are joined if their Manhattan
/// distance is at most 64; a longer jump leaves a gap.
JBW_API jbw_status jbw_picture_write_png(jbw_world *world, jbw_region region,
                                         const jbw_picture_options *options, const char *path,
                                         jbw_error *error);

/// Draws the same picture into memory: (height x width x 3) bytes of red, green and blue, top row
/// first, where `jbw_picture_size` gives height and width.
JBW_API jbw_status jbw_picture_draw(jbw_world *world, jbw_region region,
                                    const jbw_picture_options *options, uint8_t *pixels,
                                    jbw_error *error);

typedef struct jbw_film jbw_film;

/// What to film of a recording. All zero except for the picture's scale is all of it, with the camera
/// on the first agent.
typedef struct jbw_film_options {
    uint64_t from; ///< time of the first frame
    uint64_t to;   ///< time of the last frame, if `has_end`; otherwise the end of the recording
    bool has_end;
    uint64_t every; ///< steps between frames; zero chooses it for at most 600 frames

    int agent;         ///< to follow, counted from one in the order of being added; zero means one
    jbw_region region; ///< the cells to show; if it is empty, the camera moves with the agent
    int width;         ///< in cells, if the camera moves; zero means 41
    int height;        ///< likewise; zero means 31
    int memory;        ///< steps after which a trail has faded; zero means 400, -1 no trail
    const jbw_reward *reward; ///< plotted in the panel; NULL plots nothing. Must outlive the film

    jbw_picture_options picture; ///< the film sets path, agent, rewards and scent scale itself
} jbw_film_options;

/// Prepares a film of a recording, which it moves; do not close that before the last frame. On
/// failure `*out` is NULL: JBW_INVALID_ARGUMENT if the options make no sense.
JBW_API jbw_status jbw_film_create(jbw_recording *recording, const jbw_film_options *options,
                                   jbw_film **out, jbw_error *error);

/// Destroys a film; NULL is ignored.
JBW_API void jbw_film_destroy(jbw_film *film);

/// What is known about a film before it is drawn.
typedef struct jbw_film_info {
    int64_t width; ///< of a frame, in pixels
    int64_t height;
    uint64_t frame_count;
    uint64_t first_time;
    uint64_t last_time;
    uint64_t every; ///< steps between frames
} jbw_film_info;

JBW_API jbw_film_info jbw_film_get_info(const jbw_film *film);

/// Draws the next frame: (height x width x 3) bytes, top row first. JBW_NOT_FOUND after the last
/// one. While there is no agent to follow, the camera stays where it is.
JBW_API jbw_status jbw_film_next(jbw_film *film, uint8_t *pixels, jbw_error *error);

/// Draws the next frame into a PNG file, which is written atomically.
JBW_API jbw_status jbw_film_write_png(jbw_film *film, const char *path, jbw_error *error);

typedef struct jbw_color {
    uint8_t red;
    uint8_t green;
    uint8_t blue;
} jbw_color;

/// A line of a plot. It has a gap where x or y is NaN, infinite or beyond 1e300.
typedef struct jbw_plot_series {
    const char *name; ///< in the legend; NULL or empty for no entry
    const double *x;  ///< (count); NULL means 0, 1, 2, ...
    const double *y;  ///< (count)
    size_t count;
    jbw_color color; ///< all zero selects a colour that differs from the other lines
} jbw_plot_series;

/// A dashed vertical line that marks an event, drawn if it is within the range of the data. Marks
/// must be in order of x. Labels for which there is no room are left out.
typedef struct jbw_plot_mark {
    double x;
    const char *label; ///< a word or two; may be NULL
} jbw_plot_mark;

/// A plot of lines. All zero is an empty plot. Texts may be NULL; characters that are not ASCII are
/// drawn as boxes.
typedef struct jbw_plot {
    const char *title;
    const char *x_label;
    const char *y_label;
    const jbw_plot_series *series;
    size_t series_count;
    const jbw_plot_mark *marks;
    size_t mark_count;
    int width;  ///< in pixels, 320 to 16384; zero means 1200
    int height; ///< in pixels, 200 to 16384; zero means 675
} jbw_plot;

/// Draws a plot into a PNG file. The axes follow the data; texts and lines scale with the size of
/// the plot. The file is written atomically.
JBW_API jbw_status jbw_plot_write_png(const jbw_plot *plot, const char *path, jbw_error *error);

JBW_END_DECLS

#endif
