// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "support/picture_scene.h"

#include <png.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/shipped.h"

const pixel background = {250, 249, 245};

pixel *png_read(const char *path, int *width, int *height)
{
    png_image image = {.version = PNG_IMAGE_VERSION};
    if (!png_image_begin_read_from_file(&image, path)) fail_msg("%s", image.message);
    image.format = PNG_FORMAT_RGB;
    pixel *pixels = malloc(PNG_IMAGE_SIZE(image));
    assert_non_null(pixels);
    if (!png_image_finish_read(&image, NULL, pixels, 0, NULL)) fail_msg("%s", image.message);
    *width = (int)image.width;
    *height = (int)image.height;
    return pixels;
}

pixel *png_read_sized(const char *path, int64_t width, int64_t height)
{
    int found_width;
    int found_height;
    pixel *pixels = png_read(path, &found_width, &found_height);
    assert_int_equal(found_width, width);
    assert_int_equal(found_height, height);
    return pixels;
}

void expect_pixel(pixel found, pixel expected, int64_t x, int64_t y)
{
    if (memcmp(&found, &expected, sizeof found) != 0)
        fail_msg("pixel %lld, %lld is %d %d %d, expected %d %d %d", (long long)x, (long long)y,
                 found.red, found.green, found.blue, expected.red, expected.green, expected.blue);
}

static void make_world(picture_scene *s, const char *text)
{
    jbw_config *config = parse_config(text);
    s->model = model_of(config);
    jbw_config_free(config);
    s->world = world_of(s->model, 1);
}

static void destroy_world(picture_scene *s)
{
    jbw_world_destroy(s->world);
    jbw_model_destroy(s->model);
}

void picture_scene_replace_world(picture_scene *s, const char *text)
{
    destroy_world(s);
    make_world(s, text);
}

int picture_scene_open(void **state)
{
    picture_scene *s = calloc(1, sizeof *s);
    if (!s || !temporary_folder_create(&s->folder)) return 1;
    temporary_path(&s->folder, "picture.png", s->path);
    make_world(s, "patch_size: 8\nmh_iterations: 2000\nscent_dimensions: 0\n"
                  "agent: {vision_range: 3}\n"
                  "items:\n"
                  "  Red: {color: [0.8, 0.2, 0], intensity: 'Constant[-1]'}\n"
                  "  Loud: {color: [2, -1, 0.5], intensity: 'Constant[-1]'}\n");
    assert_int_equal(jbw_world_finalize_patch(s->world, (jbw_position){0, 0}), JBW_OK);
    *state = s;
    return 0;
}

int picture_scene_close(void **state)
{
    picture_scene *s = *state;
    destroy_world(s);
    remove(s->path);
    const bool is_removed = temporary_folder_remove(&s->folder);
    free(s);
    return is_removed ? 0 : 1;
}
