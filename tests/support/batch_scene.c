// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "support/batch_scene.h"

#include <string.h>

#include "support/random.h"

static const double red[] = {1, 0};
static const double green[] = {0, 1};
static const jbw_item_type items[] = {
    {.name = "Apple", .color = red, .scent = red, .intensity = "Constant[-2]"},
    {.name = "Wall",
     .color = green,
     .blocks_movement = true,
     .is_uncollectable = true,
     .intensity = "Constant[-4]"},
};
static const jbw_action actions[] = {
    {JBW_ACTION_MOVE_FORWARD, NULL},
    {JBW_ACTION_TURN_LEFT, NULL},
    {JBW_ACTION_TURN_RIGHT, NULL},
    {JBW_ACTION_NO_OP, NULL},
};

jbw_config batch_config(void)
{
    jbw_config config = jbw_config_default();
    config.patch_size = SIZE;
    config.mh_iterations = 150;
    config.color_dimensions = COLORS;
    config.scent_dimensions = SCENTS;
    config.items = items;
    config.item_count = 2;
    config.agent.color = green;
    config.agent.scent = green;
    config.agent.vision_range = RANGE;
    config.agent.actions = actions;
    config.agent.action_count = ACTIONS;
    return config;
}

jbw_batch_buffers batch_buffers_of(batch_rows *r)
{
    memset(r, 0x5A, sizeof *r);
    return (jbw_batch_buffers){
        .parts = {.vision = r->vision,
                  .scent = r->scent,
                  .items = r->items,
                  .item_vision = r->item_vision,
                  .seen = r->seen,
                  .inventory = r->inventory,
                  .position = r->position,
                  .start = r->start,
                  .direction = r->direction,
                  .time = r->time,
                  .moved = r->moved,
                  .collected = r->collected},
        .reward = r->reward,
    };
}

batch_scene batch_scene_open(size_t world_count)
{
    const jbw_config config = batch_config();
    return batch_scene_open_with(&config, world_count);
}

batch_scene batch_scene_open_with(const jbw_config *config, size_t world_count)
{
    batch_scene s = {.model = model_of(config), .world_count = world_count};
    s.reward = reward_of(s.model, "Collect[Apple] & Action[-0.25] & Explore[0.5]");
    for (size_t i = 0; i < world_count; i++) {
        s.worlds[i] = (jbw_batch_world){.model = s.model,
                                        .seed = 100 + i,
                                        .agent_count = 1 + (int)(i % 3),
                                        .reward = i % 4 == 3 ? NULL : s.reward};
        s.first_rows[i] = s.row_count;
        s.row_count += (size_t)s.worlds[i].agent_count;
    }
    return s;
}

void batch_scene_close(batch_scene *s)
{
    jbw_reward_destroy(s->reward);
    jbw_model_destroy(s->model);
}

jbw_batch *batch_open(const batch_scene *s, int threads, const jbw_batch_buffers *buffers)
{
    jbw_batch *batch;
    jbw_error error = {0};
    if (jbw_batch_create(s->worlds, s->world_count, threads, buffers, &batch, &error))
        fail_msg("%s", error.text);
    assert_int_equal(jbw_batch_world_count(batch), s->world_count);
    assert_int_equal(jbw_batch_agent_count(batch), s->row_count);
    return batch;
}

int32_t batch_draw_action(uint64_t *random)
{
    const uint32_t number = random_below(random, 8);
    return number < ACTIONS ? (int32_t)number : FORWARD;
}

void assert_rows_equal(const batch_rows *a, const batch_rows *b, size_t count)
{
#define COMPARE(name) assert_memory_equal(a->name, b->name, sizeof a->name / MAX_ROWS * count)
    COMPARE(vision);
    COMPARE(scent);
    COMPARE(items);
    COMPARE(item_vision);
    COMPARE(seen);
    COMPARE(inventory);
    COMPARE(position);
    COMPARE(start);
    COMPARE(direction);
    COMPARE(time);
    COMPARE(moved);
    COMPARE(collected);
    COMPARE(reward);
#undef COMPARE
}

uint64_t batch_hash(jbw_batch *batch)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < jbw_batch_world_count(batch); i++)
        hash = hash * 31 + jbw_world_hash(jbw_batch_get_world(batch, i));
    return hash;
}
