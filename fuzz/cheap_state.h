// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Whether a saved world can be compiled and run in a short time. Most random configs cannot, which
/// is no bug.
#ifndef JBW_FUZZ_CHEAP_STATE_H
#define JBW_FUZZ_CHEAP_STATE_H

#include <math.h>

#include "base/bytes.h"
#include "sim/model/config_code.h"

static inline bool config_is_cheap(const jbw_config *config)
{
    // without interactions an invariant world is generated quickly
    for (size_t i = 0; config->generation != JBW_GENERATION_FRONTIER && i < config->item_count; i++)
        if (config->items[i].interaction_count > 0) return false;
    for (size_t i = 0; i < config->body_count; i++)
        if (config->bodies[i].sight.vision_range > 6) return false;
    for (size_t i = 0; i < config->agent.tool_count; i++)
        if (config->agent.tools[i].sight.vision_range > 6) return false;
    return config->patch_size <= 24 && config->mh_iterations <= 100 && config->item_count <= 6 &&
           config->agent.vision_range <= 6 &&
           !(fabs(config->scent_decay) + 4.0 * fabs(config->scent_diffusion) > 0.8);
}

/// Also true for input that cannot be read at all.
static inline bool state_is_cheap(const uint8_t *bytes, size_t size)
{
    jbw_reader in = jbw_reader_begin(bytes, size);
    jbw_read_varint(&in); // version
    const size_t config_size = jbw_read_count(&in, 1);
    const uint8_t *config_bytes = jbw_read_bytes(&in, config_size);
    if (!config_bytes) return true;
    jbw_arena arena = {0};
    jbw_config config;
    const bool is_cheap =
        jbw_config_decode(config_bytes, config_size, &arena, &config) || config_is_cheap(&config);
    jbw_arena_deinit(&arena);
    return is_cheap;
}

#endif
