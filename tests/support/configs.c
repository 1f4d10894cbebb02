// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "support/configs.h"

jbw_config small_config(int patch_size, int mh_iterations, const jbw_item_type *items,
                        size_t item_count)
{
    jbw_config config = jbw_config_default();
    config.scent_dimensions = 0;
    config.color_dimensions = 1;
    config.scent_decay = 0;
    config.scent_diffusion = 0;
    config.patch_size = patch_size;
    config.mh_iterations = mh_iterations;
    config.agent.vision_range = 0;
    config.agent.color = NULL;
    config.agent.scent = NULL;
    config.items = items;
    config.item_count = item_count;
    return config;
}

static const jbw_interaction a_interactions[] = {
    {"A", "PiecewiseBox[4, 20, -0.5, 0.3]"},
    {"C", "CrossHash[3, 1, 3, 1, 0.5, -0.5, -1, 0.25]"},
};
static const jbw_interaction b_interactions[] = {
    {"A", "Table[(0.5, -0.25, 1), (0, 0, -1), (0.125, 0, 0.25)]"},
    {"B", "Cross[2, 5, 1, -0.5, -1, 0.125]"},
};
static const jbw_item_type varied_items[] = {
    {.name = "A",
     .intensity = "Constant[-0.5]",
     .interactions = a_interactions,
     .interaction_count = 2},
    {.name = "B",
     .intensity = "RadialHash[5, 4, -1, 1]",
     .interactions = b_interactions,
     .interaction_count = 2},
    {.name = "C", .intensity = "Constant[-1]"},
};

jbw_config varied_config(int mh_iterations)
{
    return small_config(VARIED_SIZE, mh_iterations, varied_items, 3);
}

jbw_config calm_config(void)
{
    static const jbw_item_type items[] = {
        {.name = "A", .intensity = "Constant[-0.5]"},
        {.name = "B", .intensity = "RadialHash[5, 4, -1, 1]"},
        {.name = "C", .intensity = "Constant[-1]"},
    };
    return small_config(VARIED_SIZE, 10, items, 3);
}
