// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Batches: the same as stepping each world by hand, with any number of threads and in any order;
/// what is refused changes nothing; when memory runs out, only that world stays behind.
#include "support.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "jbw/batch.h"

enum { SIZE = 26, RANGE = 3, SIDE = 2 * RANGE + 1, COLORS = 2, SCENTS = 2, MAX_WORLDS = 40 };
enum { VISION = SIDE * SIDE * COLORS, MAX_ROWS = 3 * MAX_WORLDS };

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
enum { FORWARD, LEFT, RIGHT, NOTHING, ACTIONS };

static jbw_config make_config(void)
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

static jbw_model *make_model(const jbw_config *config)
{
    jbw_model *model;
    jbw_error error = {0};
    if (jbw_model_create(config, &model, &error)) fail_msg("%s", error.text);
    return model;
}

static jbw_reward *make_reward(const jbw_model *model)
{
    jbw_reward *reward;
    jbw_error error = {0};
    if (jbw_reward_compile(model, "Collect[Apple] & Action[-0.25] & Explore[0.5]", NULL, 0, &reward,
                           &error))
        fail_msg("%s", error.text);
    return reward;
}

/// Rows as a batch writes them.
typedef struct rows {
    float vision[MAX_ROWS * VISION];
    float scent[MAX_ROWS * SCENTS];
    double reward[MAX_ROWS];
    uint8_t moved[MAX_ROWS];
    int32_t collected[MAX_ROWS];
} rows;

static jbw_batch_buffers buffers_of(rows *r)
{
    memset(r, 0x5A, sizeof *r);
    return (jbw_batch_buffers){r->vision, r->scent, r->reward, r->moved, r->collected};
}

/// Worlds of one, two and three agents, in a batch or by hand.
typedef struct scene {
    jbw_model *model;
    jbw_reward *reward;
    jbw_batch_world worlds[MAX_WORLDS];
    size_t world_count;
    size_t first_rows[MAX_WORLDS];
    size_t row_count;
} scene;

static scene open_scene(const jbw_config *config, size_t world_count)
{
    scene s = {.model = make_model(config), .world_count = world_count};
    s.reward = make_reward(s.model);
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

static void close_scene(scene *s)
{
    jbw_reward_destroy(s->reward);
    jbw_model_destroy(s->model);
}

static jbw_batch *open_batch(const scene *s, int threads, const jbw_batch_buffers *buffers)
{
    jbw_batch *batch;
    jbw_error error = {0};
    if (jbw_batch_create(s->worlds, s->world_count, threads, buffers, &batch, &error))
        fail_msg("%s", error.text);
    assert_int_equal(jbw_batch_world_count(batch), s->world_count);
    assert_int_equal(jbw_batch_agent_count(batch), s->row_count);
    return batch;
}

static uint32_t draw(uint32_t *random)
{
    *random = *random * 1664525 + 1013904223;
    return *random >> 8;
}

// mostly forward, so that there is something to collect
static int32_t draw_action(uint32_t *random)
{
    const uint32_t number = draw(random) % 8;
    return number < ACTIONS ? (int32_t)number : FORWARD;
}

// ---- by hand ----

typedef struct by_hand {
    jbw_world *worlds[MAX_WORLDS];
    jbw_agent_id agents[MAX_ROWS];
} by_hand;

static void write_by_hand(const scene *s, by_hand *h, size_t world, rows *out)
{
    for (int k = 0; k < s->worlds[world].agent_count; k++) {
        const size_t row = s->first_rows[world] + (size_t)k;
        jbw_agent_result result;
        assert_int_equal(jbw_agent_get_result(h->worlds[world], h->agents[row], &result), JBW_OK);
        jbw_agent_perceive(h->worlds[world], h->agents[row], out->vision + row * VISION,
                           out->scent + row * SCENTS);
        const jbw_reward *reward = s->worlds[world].reward;
        out->reward[row] =
            reward ? jbw_agent_reward(h->worlds[world], h->agents[row], reward) : 0.0;
        out->moved[row] = result.time > 0 && result.moved;
        out->collected[row] = result.time > 0 ? result.collected : -1;
    }
}

static void begin_by_hand(const scene *s, by_hand *h, size_t world, uint64_t seed, rows *out)
{
    jbw_world_destroy(h->worlds[world]);
    assert_int_equal(jbw_world_create(s->model, seed, &h->worlds[world]), JBW_OK);
    for (int k = 0; k < s->worlds[world].agent_count; k++)
        assert_int_equal(jbw_world_add_agent(h->worlds[world], NULL,
                                             &h->agents[s->first_rows[world] + (size_t)k]),
                         JBW_OK);
    write_by_hand(s, h, world, out);
}

static void step_by_hand(const scene *s, by_hand *h, size_t world, const int32_t *asked, rows *out)
{
    // one by one, not together: it must come to the same
    bool has_stepped = false;
    for (int k = 0; k < s->worlds[world].agent_count; k++)
        assert_int_equal(jbw_agent_act(h->worlds[world],
                                       h->agents[s->first_rows[world] + (size_t)k], asked[k],
                                       &has_stepped),
                         JBW_OK);
    assert_true(has_stepped);
    write_by_hand(s, h, world, out);
}

static void assert_rows_equal(const rows *a, const rows *b, size_t count)
{
    assert_memory_equal(a->vision, b->vision, count * VISION * sizeof *a->vision);
    assert_memory_equal(a->scent, b->scent, count * SCENTS * sizeof *a->scent);
    assert_memory_equal(a->reward, b->reward, count * sizeof *a->reward);
    assert_memory_equal(a->moved, b->moved, count * sizeof *a->moved);
    assert_memory_equal(a->collected, b->collected, count * sizeof *a->collected);
}

static void test_same_as_by_hand(void **state)
{
    (void)state;
    static rows together;
    static rows alone;
    const jbw_config config = make_config();
    scene s = open_scene(&config, 10);
    by_hand h = {0};
    uint32_t random = 5;
    size_t collected = 0;
    const jbw_batch_buffers buffers = buffers_of(&together);
    jbw_batch *batch = open_batch(&s, 2, &buffers);
    for (size_t i = 0; i < s.world_count; i++) begin_by_hand(&s, &h, i, s.worlds[i].seed, &alone);
    assert_rows_equal(&together, &alone, s.row_count);
    assert_int_equal(together.collected[0], -1);

    for (int step = 0; step < 300; step++) {
        // now and then a world begins anew
        if (step % 20 == 10) {
            const size_t world = draw(&random) % s.world_count;
            const uint64_t seed = draw(&random);
            assert_int_equal(jbw_batch_reset(batch, world, seed), JBW_OK);
            begin_by_hand(&s, &h, world, seed, &alone);
            assert_rows_equal(&together, &alone, s.row_count);
        }
        int32_t asked[MAX_ROWS];
        for (size_t i = 0; i < s.row_count; i++) asked[i] = draw_action(&random);
        assert_int_equal(jbw_batch_step(batch, asked), JBW_OK);
        for (size_t i = 0; i < s.world_count; i++)
            step_by_hand(&s, &h, i, asked + s.first_rows[i], &alone);
        assert_rows_equal(&together, &alone, s.row_count);
        for (size_t i = 0; i < s.row_count; i++) collected += together.collected[i] == 0;
    }
    assert_true(collected > 50); // there was something to see
    for (size_t i = 0; i < s.world_count; i++) {
        assert_int_equal(jbw_world_hash(jbw_batch_get_world(batch, i)),
                         jbw_world_hash(h.worlds[i]));
        jbw_world_destroy(h.worlds[i]);
    }
    for (size_t i = 0; i < s.row_count; i++) {
        const jbw_agent_id agent = jbw_batch_agent(batch, i);
        assert_memory_equal(&agent, &h.agents[i], sizeof agent);
    }
    assert_int_equal(jbw_batch_agent(batch, s.row_count).index1, 0);
    assert_null(jbw_batch_get_world(batch, s.world_count));
    jbw_batch_destroy(batch);
    close_scene(&s);
}

// ---- threads and orders ----

static uint64_t hash_of(jbw_batch *batch)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < jbw_batch_world_count(batch); i++)
        hash = hash * 31 + jbw_world_hash(jbw_batch_get_world(batch, i));
    return hash;
}

// what an agent does depends on its row and the step alone, not on the order of worlds
static int32_t action_at(size_t row, int step)
{
    uint32_t random = (uint32_t)row * 7919 + (uint32_t)step * 104729 + 1;
    draw(&random);
    return draw_action(&random);
}

enum { STEPS = 60 };

static uint64_t run_together(const scene *s, int threads, rows *out)
{
    const jbw_batch_buffers buffers = buffers_of(out);
    jbw_batch *batch = open_batch(s, threads, &buffers);
    for (int step = 0; step < STEPS; step++) {
        int32_t asked[MAX_ROWS];
        for (size_t i = 0; i < s->row_count; i++) asked[i] = action_at(i, step);
        assert_int_equal(jbw_batch_step(batch, asked), JBW_OK);
    }
    const uint64_t hash = hash_of(batch);
    jbw_batch_destroy(batch);
    return hash;
}

// sends worlds in random groups, as they come back, until each has taken all its steps
static uint64_t run_apart(const scene *s, int threads, uint32_t random, rows *out)
{
    const jbw_batch_buffers buffers = buffers_of(out);
    jbw_batch *batch = open_batch(s, threads, &buffers);
    int steps[MAX_WORLDS] = {0};
    size_t idle[MAX_WORLDS];
    size_t idle_count = s->world_count;
    size_t away_count = 0;
    for (size_t i = 0; i < s->world_count; i++) idle[i] = i;
    while (idle_count + away_count > 0) {
        size_t sent[MAX_WORLDS];
        int32_t asked[MAX_ROWS];
        size_t sent_count = 0;
        size_t row_count = 0;
        for (size_t n = idle_count ? draw(&random) % (idle_count + 1) : 0; n > 0; n--) {
            const size_t place = draw(&random) % idle_count;
            const size_t world = idle[place];
            idle[place] = idle[--idle_count];
            for (int k = 0; k < s->worlds[world].agent_count; k++)
                asked[row_count++] = action_at(s->first_rows[world] + (size_t)k, steps[world]);
            sent[sent_count++] = world;
        }
        assert_int_equal(jbw_batch_send(batch, sent, sent_count, asked), JBW_OK);
        memset(sent, 0xEE, sizeof sent); // both were copied
        memset(asked, 0xEE, sizeof asked);
        away_count += sent_count;

        size_t back[MAX_WORLDS];
        size_t back_count;
        const size_t capacity = 1 + draw(&random) % MAX_WORLDS;
        const size_t wanted = draw(&random) % (capacity + 1);
        assert_int_equal(jbw_batch_receive(batch, wanted, back, capacity, &back_count), JBW_OK);
        assert_true(back_count <= capacity);
        assert_true(back_count >= (wanted < away_count ? wanted : away_count));
        away_count -= back_count;
        for (size_t i = 0; i < back_count; i++) {
            assert_int_equal(jbw_world_time(jbw_batch_get_world(batch, back[i])), ++steps[back[i]]);
            if (steps[back[i]] < STEPS) idle[idle_count++] = back[i];
        }
    }
    const uint64_t hash = hash_of(batch);
    jbw_batch_destroy(batch);
    return hash;
}

static void test_any_threads(void **state)
{
    (void)state;
    static rows first;
    static rows other;
    static const int threads[] = {2, 3, 8, 0};
    const jbw_config config = make_config();
    scene s = open_scene(&config, MAX_WORLDS);
    const uint64_t hash = run_together(&s, 1, &first);
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        assert_int_equal(run_together(&s, threads[i], &other), hash);
        assert_rows_equal(&first, &other, s.row_count);
    }
    for (uint32_t i = 0; i < 8; i++) {
        assert_int_equal(run_apart(&s, i < 4 ? 1 + (int)i : 8, i, &other), hash);
        assert_rows_equal(&first, &other, s.row_count);
    }
    close_scene(&s);
}

static void test_both_ways_in_turn(void **state)
{
    (void)state;
    // a batch that was stepped apart can be stepped together again, and the other way round
    static rows out;
    const jbw_config config = make_config();
    scene s = open_scene(&config, 12);
    const jbw_batch_buffers buffers = buffers_of(&out);
    for (int threads = 1; threads <= 3; threads++) {
        jbw_batch *batch = open_batch(&s, threads, &buffers);
        for (int round = 0; round < 20; round++) {
            const int32_t asked[MAX_ROWS] = {0};
            size_t worlds[12];
            size_t count = 0;
            for (size_t i = 0; i < 12; i++) worlds[i] = 11 - i;
            assert_int_equal(jbw_batch_step(batch, asked), JBW_OK);
            assert_int_equal(jbw_batch_send(batch, worlds, 12, asked), JBW_OK);
            assert_int_equal(jbw_batch_receive(batch, 12, worlds, 12, &count), JBW_OK);
            assert_int_equal(count, 12);
            // each once
            size_t sum = 0;
            for (size_t i = 0; i < 12; i++) sum += (size_t)1 << worlds[i];
            assert_int_equal(sum, 4095);
            assert_int_equal(jbw_batch_receive(batch, 12, worlds, 12, &count), JBW_OK);
            assert_int_equal(count, 0);
        }
        assert_int_equal(jbw_world_time(jbw_batch_get_world(batch, 5)), 40);
        jbw_batch_destroy(batch);
    }
    close_scene(&s);
}

static void test_destroy_at_work(void **state)
{
    (void)state;
    static rows out;
    const jbw_config config = make_config();
    scene s = open_scene(&config, MAX_WORLDS);
    size_t worlds[MAX_WORLDS];
    const int32_t asked[MAX_ROWS] = {0};
    for (size_t i = 0; i < MAX_WORLDS; i++) worlds[i] = i;
    for (int threads = 1; threads <= 3; threads++) {
        const jbw_batch_buffers buffers = buffers_of(&out);
        jbw_batch *batch = open_batch(&s, threads, &buffers);
        assert_int_equal(jbw_batch_send(batch, worlds, MAX_WORLDS, asked), JBW_OK);
        jbw_batch_destroy(batch);
    }
    jbw_batch_destroy(NULL);
    close_scene(&s);
}

static void test_without_buffers(void **state)
{
    (void)state;
    static rows first;
    const jbw_config config = make_config();
    scene s = open_scene(&config, 6);
    const uint64_t hash = run_together(&s, 2, &first);
    // none at all, and each one alone
    for (int which = -1; which < 5; which++) {
        static rows other;
        const jbw_batch_buffers all = buffers_of(&other);
        const jbw_batch_buffers some = {.vision = which == 0 ? all.vision : NULL,
                                        .scent = which == 1 ? all.scent : NULL,
                                        .reward = which == 2 ? all.reward : NULL,
                                        .moved = which == 3 ? all.moved : NULL,
                                        .collected = which == 4 ? all.collected : NULL};
        jbw_batch *batch = open_batch(&s, 2, which < 0 ? NULL : &some);
        for (int step = 0; step < STEPS; step++) {
            int32_t asked[MAX_ROWS];
            for (size_t i = 0; i < s.row_count; i++) asked[i] = action_at(i, step);
            assert_int_equal(jbw_batch_step(batch, asked), JBW_OK);
        }
        assert_int_equal(hash_of(batch), hash);
        const size_t n = s.row_count;
        if (which == 0) assert_memory_equal(other.vision, first.vision, n * VISION * 4);
        if (which == 1) assert_memory_equal(other.scent, first.scent, n * SCENTS * 4);
        if (which == 2) assert_memory_equal(other.reward, first.reward, n * 8);
        if (which == 3) assert_memory_equal(other.moved, first.moved, n);
        if (which == 4) assert_memory_equal(other.collected, first.collected, n * 4);
        jbw_batch_destroy(batch);
    }
    close_scene(&s);
}

// ---- bad arguments ----

static void refuse(const jbw_batch_world *worlds, size_t count, int threads, const char *text)
{
    jbw_batch *batch = (jbw_batch *)&batch;
    jbw_error error = {0};
    assert_int_equal(jbw_batch_create(worlds, count, threads, NULL, &batch, &error),
                     JBW_INVALID_ARGUMENT);
    assert_null(batch);
    if (!strstr(error.text, text)) fail_msg("'%s' does not say '%s'", error.text, text);
    assert_int_equal(jbw_batch_create(worlds, count, threads, NULL, &batch, NULL),
                     JBW_INVALID_ARGUMENT);
}

static void test_bad_worlds(void **state)
{
    (void)state;
    const jbw_config config = make_config();
    scene s = open_scene(&config, 3);
    refuse(NULL, 1, 1, "at least one world");
    refuse(s.worlds, 0, 1, "at least one world");
    refuse(s.worlds, 3, -1, "-1 threads");
    assert_int_equal(jbw_batch_create(s.worlds, 3, 1, NULL, NULL, NULL), JBW_INVALID_ARGUMENT);

    jbw_batch_world worlds[3];
    memcpy(worlds, s.worlds, sizeof worlds);
    worlds[1].model = NULL;
    refuse(worlds, 3, 1, "world 1 has no model");
    worlds[1] = s.worlds[1];
    worlds[2].agent_count = 0;
    refuse(worlds, 3, 1, "world 2 has 0 agents");
    worlds[2].agent_count = -5;
    refuse(worlds, 3, 1, "world 2 has -5 agents");
    worlds[2] = s.worlds[2];

    // worlds of other shapes
    jbw_item_type other_items[2];
    jbw_action other_actions[ACTIONS];
    memcpy(other_items, items, sizeof items);
    memcpy(other_actions, actions, sizeof other_actions);
    other_items[1].name = "Hedge";
    other_actions[0].kind = JBW_ACTION_MOVE_BACKWARD;
    for (int i = 0; i < 7; i++) {
        static const char *const texts[] = {"vision", "color",   "scent",  "items",
                                            "items",  "actions", "actions"};
        jbw_config other = config;
        other.agent.vision_range += i == 0;
        other.color_dimensions -= i == 1;
        other.scent_dimensions -= i == 2;
        other.item_count -= i == 3;
        if (i == 4) other.items = other_items;
        other.agent.action_count -= i == 5;
        if (i == 6) other.agent.actions = other_actions;
        jbw_model *model = make_model(&other);
        worlds[2].model = model;
        refuse(worlds, 3, 1, texts[i]);
        refuse(worlds, 3, 1, "world 2 differs from world 0");
        jbw_model_destroy(model);
    }
    close_scene(&s);
}

static void test_worlds_of_their_own(void **state)
{
    (void)state;
    // models may differ in what does not show
    const jbw_config config = make_config();
    jbw_config other = config;
    other.mh_iterations = 50;
    other.scent_decay = 0.3;
    jbw_model *a = make_model(&config);
    jbw_model *b = make_model(&other);
    const jbw_batch_world worlds[] = {{a, 1, 1, NULL}, {b, 1, 2, NULL}};
    jbw_batch *batch;
    assert_int_equal(jbw_batch_create(worlds, 2, 2, NULL, &batch, NULL), JBW_OK);
    assert_ptr_equal(jbw_world_model(jbw_batch_get_world(batch, 1)), b);
    jbw_batch_destroy(batch);
    jbw_model_destroy(b);
    jbw_model_destroy(a);
}

static void test_bad_calls_change_nothing(void **state)
{
    (void)state;
    static rows out;
    static rows before;
    const jbw_config config = make_config();
    scene s = open_scene(&config, 5);
    const jbw_batch_buffers buffers = buffers_of(&out);
    jbw_batch *batch = open_batch(&s, 2, &buffers);
    int32_t asked[MAX_ROWS] = {0};
    assert_int_equal(jbw_batch_step(batch, asked), JBW_OK);
    const uint64_t hash = hash_of(batch);
    before = out;

    const jbw_status bad = JBW_INVALID_ARGUMENT;
    assert_int_equal(jbw_batch_step(NULL, asked), bad);
    assert_int_equal(jbw_batch_step(batch, NULL), bad);
    for (int i = 0; i < 4; i++) {
        static const int32_t wrong[] = {-1, ACTIONS, INT32_MAX, INT32_MIN};
        asked[s.row_count - 1] = wrong[i];
        assert_int_equal(jbw_batch_step(batch, asked), bad);
        assert_int_equal(jbw_batch_send(batch, (size_t[]){4}, 1, &wrong[i]), bad);
    }
    asked[s.row_count - 1] = 0;
    assert_int_equal(jbw_batch_reset(NULL, 0, 1), bad);
    assert_int_equal(jbw_batch_reset(batch, 5, 1), bad);
    assert_int_equal(jbw_batch_send(NULL, (size_t[]){0}, 1, asked), bad);
    assert_int_equal(jbw_batch_send(batch, NULL, 1, asked), bad);
    assert_int_equal(jbw_batch_send(batch, (size_t[]){0}, 1, NULL), bad);
    assert_int_equal(jbw_batch_send(batch, (size_t[]){0, 5}, 2, asked), bad);
    assert_int_equal(jbw_batch_send(batch, (size_t[]){0, 1, 0}, 3, asked), bad);
    assert_int_equal(jbw_batch_send(batch, NULL, 0, NULL), JBW_OK);
    size_t worlds[5];
    size_t count = 77;
    assert_int_equal(jbw_batch_receive(NULL, 1, worlds, 5, &count), bad);
    assert_int_equal(jbw_batch_receive(batch, 1, NULL, 5, &count), bad);
    assert_int_equal(jbw_batch_receive(batch, 6, worlds, 5, &count), bad);
    assert_int_equal(jbw_batch_receive(batch, 1, worlds, 5, NULL), bad);
    assert_int_equal(count, 77);
    assert_int_equal(jbw_batch_receive(batch, 5, worlds, 5, &count), JBW_OK);
    assert_int_equal(count, 0); // nothing was sent
    assert_int_equal(jbw_batch_receive(batch, 0, NULL, 0, &count), JBW_OK);

    assert_int_equal(hash_of(batch), hash);
    assert_memory_equal(&out, &before, sizeof out);
    assert_int_equal(jbw_batch_world_count(NULL), 0);
    assert_int_equal(jbw_batch_agent_count(NULL), 0);
    assert_null(jbw_batch_get_world(NULL, 0));
    assert_int_equal(jbw_batch_agent(NULL, 0).index1, 0);
    jbw_batch_destroy(batch);
    close_scene(&s);
}

static void test_busy_until_received(void **state)
{
    (void)state;
    static rows out;
    const jbw_config config = make_config();
    scene s = open_scene(&config, 4);
    const jbw_batch_buffers buffers = buffers_of(&out);
    jbw_batch *batch = open_batch(&s, 2, &buffers);
    const int32_t asked[MAX_ROWS] = {0};
    assert_int_equal(jbw_batch_send(batch, (size_t[]){2, 0}, 2, asked), JBW_OK);
    assert_null(jbw_batch_get_world(batch, 0));
    assert_non_null(jbw_batch_get_world(batch, 1));
    assert_int_equal(jbw_batch_step(batch, asked), JBW_INVALID_ARGUMENT);
    assert_int_equal(jbw_batch_reset(batch, 2, 9), JBW_INVALID_ARGUMENT);
    assert_int_equal(jbw_batch_send(batch, (size_t[]){1, 2}, 2, asked), JBW_INVALID_ARGUMENT);
    assert_non_null(jbw_batch_get_world(batch, 1)); // was not sent
    assert_int_equal(jbw_batch_send(batch, (size_t[]){1}, 1, asked), JBW_OK);
    size_t worlds[4];
    size_t count;
    assert_int_equal(jbw_batch_receive(batch, 3, worlds, 4, &count), JBW_OK);
    assert_int_equal(count, 3);
    for (size_t i = 0; i < 3; i++)
        assert_int_equal(jbw_world_time(jbw_batch_get_world(batch, i)), 1);
    assert_int_equal(jbw_world_time(jbw_batch_get_world(batch, 3)), 0);
    assert_int_equal(jbw_batch_step(batch, asked), JBW_OK);
    jbw_batch_destroy(batch);
    close_scene(&s);
}

static void test_agents_of_the_user(void **state)
{
    (void)state;
    // an agent that the user has added is not waited for
    const jbw_config config = make_config();
    scene s = open_scene(&config, 2);
    jbw_batch *batch = open_batch(&s, 1, NULL);
    jbw_agent_id own;
    assert_int_equal(jbw_world_add_agent(jbw_batch_get_world(batch, 1), NULL, &own), JBW_OK);
    const int32_t asked[MAX_ROWS] = {0};
    assert_int_equal(jbw_batch_step(batch, asked), JBW_OK);
    assert_int_equal(jbw_world_time(jbw_batch_get_world(batch, 1)), 1);
    // one that the user took away is missed: that world stays behind
    jbw_world_remove_agent(jbw_batch_get_world(batch, 1), jbw_batch_agent(batch, 2));
    assert_int_equal(jbw_batch_step(batch, asked), JBW_NO_SUCH_AGENT);
    assert_int_equal(jbw_world_time(jbw_batch_get_world(batch, 0)), 2);
    assert_int_equal(jbw_world_time(jbw_batch_get_world(batch, 1)), 1);
    assert_int_equal(jbw_batch_reset(batch, 1, 4), JBW_OK);
    assert_int_equal(jbw_batch_step(batch, asked), JBW_OK);
    jbw_batch_destroy(batch);
    close_scene(&s);
}

// ---- memory ----

static pthread_mutex_t counting_lock = PTHREAD_MUTEX_INITIALIZER;
static counting_allocator counting;

static void *locked_allocate(size_t size, void *user)
{
    (void)user;
    const jbw_allocator inner = counting_allocator_make(&counting);
    pthread_mutex_lock(&counting_lock);
    void *memory = inner.allocate(size, inner.user);
    pthread_mutex_unlock(&counting_lock);
    return memory;
}

static void locked_release(void *memory, size_t size, void *user)
{
    (void)user;
    const jbw_allocator inner = counting_allocator_make(&counting);
    pthread_mutex_lock(&counting_lock);
    inner.release(memory, size, inner.user);
    pthread_mutex_unlock(&counting_lock);
}

static jbw_config make_counting_config(void)
{
    counting = (counting_allocator){0};
    jbw_config config = make_config();
    config.allocator = (jbw_allocator){.allocate = locked_allocate, .release = locked_release};
    return config;
}

static void fail_from_now(size_t skip, size_t count)
{
    counting.fail_at = counting.call_count + 1 + skip;
    counting.fail_count = count;
}

static void test_no_memory_to_create(void **state)
{
    (void)state;
    const jbw_config config = make_counting_config();
    scene s = open_scene(&config, 3);
    const size_t blocks = counting.block_count;
    jbw_status status = JBW_OUT_OF_MEMORY;
    size_t tries = 0;
    for (; status; tries++) {
        jbw_batch *batch;
        jbw_error error = {0};
        fail_from_now(tries, 1);
        status = jbw_batch_create(s.worlds, 3, 1 + (int)(tries % 2), NULL, &batch, &error);
        counting.fail_at = 0;
        if (status) {
            assert_int_equal(status, JBW_OUT_OF_MEMORY);
            assert_true(error.text[0] != 0);
            assert_null(batch);
        }
        jbw_batch_destroy(batch);
        assert_int_equal(counting.block_count, blocks);
    }
    assert_true(tries > 20);
    close_scene(&s);
    assert_int_equal(counting.block_count, 0);
}

static void test_no_memory_to_reset(void **state)
{
    (void)state;
    static rows out;
    static rows before;
    const jbw_config config = make_counting_config();
    scene s = open_scene(&config, 3);
    const jbw_batch_buffers buffers = buffers_of(&out);
    jbw_batch *batch = open_batch(&s, 1, &buffers);
    const uint64_t hash = hash_of(batch);
    before = out;
    size_t tries = 0;
    for (jbw_status status = JBW_OUT_OF_MEMORY; status; tries++) {
        fail_from_now(tries, 1);
        status = jbw_batch_reset(batch, 1, 55);
        counting.fail_at = 0;
        if (!status) break;
        assert_int_equal(status, JBW_OUT_OF_MEMORY);
        assert_int_equal(hash_of(batch), hash);
        assert_memory_equal(&out, &before, sizeof out);
    }
    assert_true(tries > 10);
    jbw_batch_destroy(batch);
    close_scene(&s);
    assert_int_equal(counting.block_count, 0);
}

// Worlds that need new patches fail, the others step; when there is memory again, those that stayed
// behind go on as if nothing had happened.
static void test_no_memory_to_step(void **state)
{
    (void)state;
    static rows out;
    const jbw_config config = make_counting_config();
    scene s = open_scene(&config, 12);
    const jbw_batch_buffers buffers = buffers_of(&out);
    const int32_t asked[MAX_ROWS] = {FORWARD};
    for (int is_apart = 0; is_apart < 2; is_apart++) {
        jbw_batch *batch = open_batch(&s, 3, &buffers);
        bool has_failed = false;
        size_t behind_count = 0;
        for (int step = 0; step < 200; step++) {
            size_t worlds[12];
            size_t count = 0;
            uint64_t times[12];
            uint64_t hashes[12];
            for (size_t i = 0; i < 12; i++) {
                worlds[i] = i;
                times[i] = jbw_world_time(jbw_batch_get_world(batch, i));
                hashes[i] = jbw_world_hash(jbw_batch_get_world(batch, i));
            }
            if (step % 2) fail_from_now(0, SIZE_MAX / 2);
            jbw_status status;
            if (is_apart) {
                assert_int_equal(jbw_batch_send(batch, worlds, 12, asked), JBW_OK);
                status = jbw_batch_receive(batch, 12, worlds, 12, &count);
                assert_int_equal(count, 12);
            } else {
                status = jbw_batch_step(batch, asked);
            }
            counting.fail_at = 0;
            bool is_behind = false;
            for (size_t i = 0; i < 12; i++) {
                const uint64_t time = jbw_world_time(jbw_batch_get_world(batch, i));
                assert_true(time == times[i] + 1 || (time == times[i] && status));
                if (time > times[i]) continue;
                assert_int_equal(jbw_world_hash(jbw_batch_get_world(batch, i)), hashes[i]);
                is_behind = true;
                behind_count++;
            }
            assert_int_equal(status, is_behind ? JBW_OUT_OF_MEMORY : JBW_OK);
            if (status) has_failed = true;
        }
        assert_true(has_failed);
        assert_true(behind_count < 12 * 100); // not all
        jbw_batch_destroy(batch);
    }
    close_scene(&s);
    assert_int_equal(counting.block_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_by_hand),     cmocka_unit_test(test_any_threads),
        cmocka_unit_test(test_both_ways_in_turn),   cmocka_unit_test(test_destroy_at_work),
        cmocka_unit_test(test_without_buffers),     cmocka_unit_test(test_bad_worlds),
        cmocka_unit_test(test_worlds_of_their_own), cmocka_unit_test(test_bad_calls_change_nothing),
        cmocka_unit_test(test_busy_until_received), cmocka_unit_test(test_agents_of_the_user),
        cmocka_unit_test(test_no_memory_to_create), cmocka_unit_test(test_no_memory_to_reset),
        cmocka_unit_test(test_no_memory_to_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
