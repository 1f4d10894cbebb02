// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Defines an intensity function in C: flowers that grow in stripes. The world has no world file.

#include <math.h>
#include <stdio.h>

#include "jbw/jbw.h"

// Stripes[width, high, low]: `high` and `low` in alternating stripes of that width
static double stripes(const double *arguments, jbw_position position, void *user)
{
    (void)user;
    const double stripe = floor((double)position.x / arguments[0]);
    return fmod(stripe, 2.0) == 0.0 ? arguments[1] : arguments[2];
}

int main(void)
{
    const jbw_intensity_function functions[] = {
        {.name = "Stripes", .argument_count = 3, .value = stripes}};
    const jbw_interaction apart[] = {{"Flower", "PiecewiseBox[4, 4, -2, 0]"}};
    const jbw_item_type items[] = {{.name = "Flower",
                                    .color = (const double[]){0.9, 0.3, 0.6},
                                    .intensity = "Stripes[8, 0, -8]",
                                    .interactions = apart,
                                    .interaction_count = 1}};
    jbw_config config = jbw_config_default();
    config.patch_size = 32;
    config.mh_iterations = 4000;
    config.items = items;
    config.item_count = 1;
    config.intensity_functions = functions;
    config.intensity_function_count = 1;

    jbw_model *model;
    jbw_world *world;
    jbw_error error;
    if (jbw_model_create(&config, &model, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    if (jbw_world_create(model, 1, &world)) return 1;
    if (jbw_world_finalize_patch(world, (jbw_position){0, 0})) return 1;

    // print the patch, top row first
    uint8_t cells[32 * 32];
    jbw_world_read_region(world, (jbw_region){0, 0, 32, 32}, cells, NULL);
    for (int y = 31; y >= 0; y--) {
        for (int x = 0; x < 32; x++) putchar(cells[32 * y + x] ? '*' : '.');
        putchar('\n');
    }
    jbw_world_destroy(world);
    jbw_model_destroy(model);
    return 0;
}
