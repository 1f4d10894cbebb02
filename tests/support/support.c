// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "support/support.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

test_options test_options_read(int argc, char **argv)
{
    test_options options = {.seed = 1};
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--long") == 0) {
            options.is_long = true;
            continue;
        }
        if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc) {
            char *end;
            errno = 0;
            options.seed = strtoull(argv[++i], &end, 10);
            if (end != argv[i] && !*end && !errno) continue;
        }
        fprintf(stderr, "usage: %s [--long] [--seed N]\n", argv[0]);
        exit(2);
    }
    return options;
}

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

jbw_model *model_of(const jbw_config *config)
{
    jbw_model *model;
    jbw_error error = {0};
    if (jbw_model_create(config, &model, &error)) fail_msg("%s", error.text);
    return model;
}

jbw_reward *reward_of(const jbw_model *model, const char *text)
{
    jbw_reward *reward;
    jbw_error error = {0};
    if (jbw_reward_compile(model, text, NULL, 0, &reward, &error)) fail_msg("%s", error.text);
    return reward;
}

jbw_policy *policy_of(const char *name, const jbw_model *model, const jbw_reward *reward,
                      uint64_t seed)
{
    jbw_policy *policy;
    jbw_error error = {0};
    if (jbw_policy_create(name, model, reward, seed, &policy, &error)) fail_msg("%s", error.text);
    return policy;
}

double chi_square_z(double chi_square, double degrees)
{
    const double spread = 2 / (9 * degrees);
    return (cbrt(chi_square / degrees) - (1 - spread)) / sqrt(spread);
}

// --- an allocator that fails --------------------------------------------------------------------

// each block begins with its size, so that a wrong size on release is seen
typedef union block_head {
    size_t size;
    max_align_t align;
} block_head;

static void *counting_allocate(size_t size, void *user)
{
    counting_allocator *counting = user;
    counting->call_count++;
    if (counting->fail_at && counting->call_count >= counting->fail_at &&
        counting->call_count < counting->fail_at + counting->fail_count)
        return NULL;
    block_head *head = malloc(sizeof *head + size);
    if (!head) return NULL;
    head->size = size;
    memset(head + 1, 0xA5, size); // who relies on zeros without asking for them is found out
    counting->block_count++;
    counting->byte_count += size;
    if (counting->byte_count > counting->most_byte_count)
        counting->most_byte_count = counting->byte_count;
    return head + 1;
}

static void counting_release(void *memory, size_t size, void *user)
{
    counting_allocator *counting = user;
    block_head *head = (block_head *)memory - 1;
    assert_int_equal(head->size, size);
    assert_true(counting->block_count > 0);
    counting->block_count--;
    counting->byte_count -= size;
    free(head);
}

jbw_allocator counting_allocator_make(counting_allocator *counting)
{
    return (jbw_allocator){counting_allocate, counting_release, counting};
}
