// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// World files, pictures and plots.
#ifndef JBW_IO_H
#define JBW_IO_H

#include "jbw/base.h"
#include "jbw/config.h"
#include "jbw/world.h"

JBW_BEGIN_DECLS

/// Replaces one key of a world file: `key` is a path such as "agent.field_of_view", `value` YAML.
typedef struct jbw_override {
    const char *key;
    const char *value;
} jbw_override;

/// Where a problem was found. `source` is a file's name or "--set KEY"; `line` and `column` count
/// from one and are zero where there is none.
typedef struct jbw_diagnostic {
    const char *source;
    int line;
    int column;
    const char *text;
} jbw_diagnostic;

typedef void jbw_diagnostic_function(const jbw_diagnostic *diagnostic, void *user);

/// How to read a world file; all zero is fine.
typedef struct jbw_world_file_options {
    const jbw_override *overrides; ///< applied in order
    size_t override_count;
    const jbw_intensity_function *intensity_functions; ///< the user's own, known by name in files
    size_t intensity_function_count;
    const jbw_interaction_function *interaction_functions;
    size_t interaction_function_count;
    jbw_allocator allocator;
    jbw_diagnostic_function *report; ///< told of every problem; may be NULL
    void *report_user;
} jbw_world_file_options;

/// Reads a world: a path, or the name of a shipped world such as "paper". The config is complete
/// and checked. On failure `*out` is NULL, `options->report` was told of every problem and `error`
/// (may be NULL) holds the first one, its place in the text. `options` may be NULL.
/// Free with `jbw_config_free`.
JBW_API jbw_status jbw_world_file_read(const char *name_or_path,
                                       const jbw_world_file_options *options, jbw_config **out,
                                       jbw_error *error);

/// The same from text in memory, YAML or JSON; `source` is its name in messages.
JBW_API jbw_status jbw_world_file_parse(const char *text, size_t length, const char *source,
                                        const jbw_world_file_options *options, jbw_config **out,
                                        jbw_error *error);

/// Frees a config that one of the two above made. NULL is fine.
JBW_API void jbw_config_free(jbw_config *config);

/// The names of the shipped worlds; NULL beyond the last.
JBW_API const char *jbw_shipped_world_name(size_t index);

/// The text of a shipped world, or NULL if there is none of that name.
JBW_API const char *jbw_shipped_world_text(const char *name);

/// How to draw a region of a world.
typedef struct jbw_picture_options {
    int scale;                ///< pixels per cell along an axis, at least one
    bool show_grid;           ///< thin lines between patches
    const jbw_position *path; ///< cells visited in order, drawn as a line over the map; may be NULL
    size_t path_count;
} jbw_picture_options;

/// Whether such a picture can be drawn at all: JBW_OK, or what `jbw_picture_write_png` would fail
/// with. For asking before a long generation. `options` may be NULL.
JBW_API jbw_status jbw_picture_check(jbw_region region, const jbw_picture_options *options,
                                     jbw_error *error);

/// Draws a region into a PNG file: items in their colours (the first three colour dimensions are
/// red, green and blue), patches that are not final dimmed, missing ones hatched grey. The file is
/// written aside and renamed, so it is complete or not there. The world is not changed. `options`
/// may be NULL, which means four pixels per cell, no grid and no path.
///
/// A path begins at a ring and ends at a dot, and is darker where it went often. It may leave the
/// region. Positions one after the other are joined if they are at most 64 cells apart, counted
/// along the axes; a longer jump leaves a gap.
JBW_API jbw_status jbw_picture_write_png(const jbw_world *world, jbw_region region,
                                         const jbw_picture_options *options, const char *path,
                                         jbw_error *error);

/// The same picture, into memory: (height x width) pixels of red, green and blue, `scale` times as
/// many along each axis as the region has cells, the highest row first.
JBW_API jbw_status jbw_picture_draw(const jbw_world *world, jbw_region region,
                                    const jbw_picture_options *options, uint8_t *pixels,
                                    jbw_error *error);

typedef struct jbw_color {
    uint8_t red;
    uint8_t green;
    uint8_t blue;
} jbw_color;

/// A line of a plot. Where x or y is NaN, infinite or beyond 1e300 the line has a gap.
typedef struct jbw_plot_series {
    const char *name; ///< for the legend; NULL or empty leaves it out there
    const double *x;  ///< (count); NULL means 0, 1, 2, ...
    const double *y;  ///< (count)
    size_t count;
    jbw_color color; ///< black, all zero, means one that differs from the other lines
} jbw_plot_series;

/// Something that happened at an x: a dashed vertical line. Drawn if it lies where the data are.
/// Marks come in the order of x; where they are dense, labels that find no room are left out.
typedef struct jbw_plot_mark {
    double x;
    const char *label; ///< a word or two; may be NULL
} jbw_plot_mark;

/// A plot of lines. All zero is an empty one. Texts may be NULL; what is not ASCII in them is drawn
/// as boxes.
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

/// Draws a plot into a PNG file; texts and lines grow with its size. The axes follow the data. The
/// file is written aside and renamed, so it is complete or not there.
JBW_API jbw_status jbw_plot_write_png(const jbw_plot *plot, const char *path, jbw_error *error);

/// Appends a config as a complete world file, YAML or JSON, which reads back to an equal config:
/// every key in one order and one spelling, numbers exact. JBW_INVALID_CONFIG if the config would
/// not pass `jbw_config_check`. On failure the buffer is as it was.
JBW_API jbw_status jbw_world_file_print(const jbw_config *config, bool as_json, jbw_buffer *out);

JBW_END_DECLS

#endif
