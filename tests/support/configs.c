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
