// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Pictures in files, read back by libpng: a world to draw, and a folder for the file.
#ifndef JBW_TESTS_PICTURE_SCENE_H
#define JBW_TESTS_PICTURE_SCENE_H

#include "support/checks.h"

#include "jbw/jbw.h"
#include "support/files.h"

typedef struct pixel {
    uint8_t red;
    uint8_t green;
    uint8_t blue;
} pixel;

/// The colour of an empty cell in a final patch.
extern const pixel background;

/// Reads a PNG file; fails the test if that does not work. The caller frees the pixels.
pixel *png_read(const char *path, int *width, int *height);

/// The same for a picture of known size.
pixel *png_read_sized(const char *path, int64_t width, int64_t height);

void expect_pixel(pixel found, pixel expected, int64_t x, int64_t y);

typedef struct picture_scene {
    jbw_model *model;
    jbw_world *world;
    temporary_folder folder;
    char path[PATH_SIZE]; // of the picture
} picture_scene;

enum { PICTURE_PATCH = 8 };

/// Set up and tear down a test. There is a world with two types of items, one final patch at the
/// origin, its neighbours not final, and nothing beyond. A test that leaves any other file behind
/// fails.
int picture_scene_open(void **state);
int picture_scene_close(void **state);

/// Replaces the world by the one that a world file describes.
void picture_scene_replace_world(picture_scene *s, const char *text);

#endif
