// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// World files, pictures and plots.
#ifndef JBW_IO_H
#define JBW_IO_H

#include "jbw/base.h"
#include "jbw/config.h"
#include "jbw/world.h"

JBW_BEGIN_DECLS

/// Overrides one key of a world file: `key` is a path such as "agent.field_of_view", `value` is
/// YAML.
typedef struct jbw_override {
    const char *key;
    const char *value;
} jbw_override;

/// A problem of a world file. `source` is the name of a file, or "--set KEY" for an override;
/// `line` and `column` count from one and are zero if unknown.
typedef struct jbw_diagnostic {
    const char *source;
    int line;
    int column;
    const char *text;
} jbw_diagnostic;

typedef void jbw_diagnostic_function(const jbw_diagnostic *diagnostic, void *user);

/// How to read a world file. All zero gives the defaults.
typedef struct jbw_world_file_options {
    const jbw_override *overrides; ///< applied in order
    size_t override_count;
    const jbw_intensity_function *intensity_functions; ///< your own, which files use by name
    size_t intensity_function_count;
    const jbw_interaction_function *interaction_functions;
    size_t interaction_function_count;
    jbw_allocator allocator;
    jbw_diagnostic_function *report; ///< called for every problem; may be NULL
    void *report_user;
} jbw_world_file_options;

/// Reads a world file, given by its path or by the name of a shipped world such as "paper". The
/// config is complete and checked; free it with `jbw_config_free`. On failure `*out` is NULL, every
/// problem was passed to `options->report`, and `error` (may be NULL) has the first one with its
/// place in the text. `options` may be NULL.
JBW_API jbw_status jbw_world_file_read(const char *name_or_path,
                                       const jbw_world_file_options *options, jbw_config **out,
                                       jbw_error *error);

/// Does the same for text in memory, YAML or JSON; `source` is its name in messages.
JBW_API jbw_status jbw_world_file_parse(const char *text, size_t length, const char *source,
                                        const jbw_world_file_options *options, jbw_config **out,
                                        jbw_error *error);

/// Frees a config from one of the two functions above. NULL is ignored.
JBW_API void jbw_config_free(jbw_config *config);

/// The name of the shipped world with this index; NULL after the last one.
JBW_API const char *jbw_shipped_world_name(size_t index);

/// The text of the shipped world with this name, or NULL.
JBW_API const char *jbw_shipped_world_text(const char *name);

/// How to draw a region of a world.
typedef struct jbw_picture_options {
    int scale;                ///< pixels per cell along each axis, at least one
    bool show_grid;           ///< thin lines between patches
    const jbw_position *path; ///< visited cells, drawn as a line over the map; may be NULL
    size_t path_count;
} jbw_picture_options;

/// Checks whether such a picture can be drawn, before you generate a large region for it: JBW_OK,
/// or the status that `jbw_picture_write_png` would return. `options` may be NULL.
JBW_API jbw_status jbw_picture_check(jbw_region region, const jbw_picture_options *options,
                                     jbw_error *error);

/// Draws a region of a world into a PNG file: items in their colours (the first three colour
/// dimensions are red, green and blue), patches that are not final dimmed, missing ones in grey
/// stripes. The file is written atomically. The world does not change. `options` may be NULL, which
/// means four pixels per cell, no grid and no path.
///
/// A path begins at a ring and ends at a dot, and is darker where it was walked often. It may leave
/// the region. Successive positions are joined if their Manhattan distance is at most 64; a longer
/// jump leaves a gap.
JBW_API jbw_status jbw_picture_write_png(const jbw_world *world, jbw_region region,
                                         const jbw_picture_options *options, const char *path,
                                         jbw_error *error);

/// Draws the same picture into memory: (height x width x 3) bytes of red, green and blue, where
/// height and width are those of the region times `scale`, top row first.
JBW_API jbw_status jbw_picture_draw(const jbw_world *world, jbw_region region,
                                    const jbw_picture_options *options, uint8_t *pixels,
                                    jbw_error *error);

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

/// Appends a config as a complete world file, YAML or JSON, that reads back as an equal config:
/// every key, in a fixed order and spelling, with exact numbers. JBW_INVALID_CONFIG if
/// `jbw_config_check` rejects the config. On failure the buffer is unchanged.
JBW_API jbw_status jbw_world_file_print(const jbw_config *config, bool as_json, jbw_buffer *out);

JBW_END_DECLS

#endif
