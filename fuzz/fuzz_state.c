// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Worlds as bytes: any input gives a world that works, or an error. A world that can be read is
/// written as the same bytes.
#include "target.h"

#include "cheap_state.h"
#include "jbw/jbw.h"
#include "support/life.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!state_is_cheap(data, size)) return 0;
    const jbw_load_options options = {.memory_limit = 8 << 20};
    jbw_model *model;
    jbw_world *world;
    jbw_error error;
    const jbw_status status = jbw_world_decode(data, size, &options, &model, &world, &error);
    if ((status == JBW_OK) != (world != NULL) || (status == JBW_OK) != (model != NULL)) abort();
    if (status && error.text[0] == '\0') abort();
    if (!world) return 0;

    jbw_buffer bytes = {0};
    if (jbw_world_encode(world, &bytes)) abort();
    if (bytes.size != size || memcmp(bytes.bytes, data, size) != 0) abort();
    jbw_buffer_free(&bytes);
    life_look(world);
    uint64_t random = size;
    life_run(world, &random, 10);
    life_look(world);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
    return 0;
}
