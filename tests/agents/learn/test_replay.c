// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The replay against a plain list of everything that was lived: steps come back to the last bit, and the
// oldest are forgotten when there are too many of them or too many bytes, also after it was saved.

#include "support/checks.h"

#include <string.h>

#include "agents/learn/replay.h"
#include "base/rng.h"

enum { VISION = 21, SCENT = 3, STATE = 4, SPACING = 5, LIFE = 400 };

typedef struct lived_step {
    float vision[VISION];
    float scent[SCENT];
    float state[STATE];
    bool moved;
    int action;
    double reward;
    size_t size; // as packed: a bit for each float, and four bytes for each that is not all zeros
} lived_step;

static const jbw_allocator allocator = {0};
static lived_step lived[LIFE];

// any bits but those of all zeros count: negative zero, infinity, what is not a number
static float draw_float(jbw_rng *rng)
{
    static const uint32_t odd_ones[] = {0x80000000, 0x7f800000, 0x7fc00001, 1};
    uint32_t bits = (uint32_t)jbw_rng_next(rng);
    if (bits % 8 == 0) bits = odd_ones[bits / 8 % 4];
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static size_t fill(float *values, size_t count, double density, jbw_rng *rng)
{
    static const float zero = 0.0f;
    size_t size = (count + 7) / 8;
    for (size_t i = 0; i < count; i++) {
        const bool is_zero = jbw_rng_unit(rng) >= density;
        values[i] = is_zero ? zero : draw_float(rng);
        uint32_t bits; // -0 is not zero
        memcpy(&bits, &values[i], sizeof bits);
        if (bits != 0) size += 4;
    }
    return size;
}

static void draw_life(void)
{
    jbw_rng rng = jbw_rng_open(1, 0, 0, JBW_PURPOSE_POLICY);
    for (int t = 0; t < LIFE; t++) {
        lived_step *s = &lived[t];
        const double density = t / 100 % 2 ? 0.9 : 0.1;
        s->size = fill(s->vision, VISION, density, &rng);
        s->size += fill(s->scent, SCENT, 0.9, &rng);
        fill(s->state, STATE, 1.0, &rng);
        s->moved = jbw_rng_next(&rng) % 2;
        s->action = (int)jbw_rng_below(&rng, 4);
        s->reward = jbw_rng_unit(&rng);
    }
}

// the first step that a list with this room still holds
static int oldest_at(int end, size_t most_steps, size_t most_bytes)
{
    size_t bytes = 0;
    int oldest = end;
    while (oldest > 0 && (size_t)(end - oldest) < most_steps &&
           bytes + lived[oldest - 1].size <= most_bytes)
        bytes += lived[--oldest].size;
    return oldest;
}

static void expect_steps(const jbw_replay *r, int end)
{
    assert_int_equal(r->end, end);
    assert_int_equal(r->oldest, oldest_at(end, r->options.most_steps, r->options.most_bytes));
    for (int t = (int)r->oldest; t < end; t++) {
        float vision[VISION];
        float scent[SCENT];
        const jbw_replay_step step = jbw_replay_recall(r, (uint64_t)t, vision, scent);
        assert_memory_equal(vision, lived[t].vision, sizeof vision);
        assert_memory_equal(scent, lived[t].scent, sizeof scent);
        assert_int_equal(step.moved, lived[t].moved);
        assert_int_equal(step.action, lived[t].action);
        assert_true(step.reward == lived[t].reward);
        if (t % SPACING == 0)
            assert_memory_equal(jbw_replay_state(r, (uint64_t)t), lived[t].state,
                                sizeof lived[t].state);
    }
}

static void reload(jbw_replay *r, const jbw_replay_options *options)
{
    jbw_buffer saved = {0};
    jbw_writer writer = jbw_writer_begin(&saved);
    jbw_replay_save(r, &writer);
    assert_true(writer.ok);
    jbw_replay_deinit(r, &allocator);
    assert_true(jbw_replay_init(r, options, &allocator));
    jbw_reader reader = jbw_reader_begin(saved.bytes, saved.size);
    jbw_replay_load(r, &reader);
    assert_true(reader.ok && jbw_reader_left(&reader) == 0);
    jbw_buffer_free(&saved);
}

static void live_with(size_t most_steps, size_t most_bytes)
{
    const jbw_replay_options options = {.most_steps = most_steps,
                                        .most_bytes = most_bytes,
                                        .vision = VISION,
                                        .scent = SCENT,
                                        .actions = 4,
                                        .state = STATE,
                                        .spacing = SPACING};
    jbw_replay r;
    assert_true(jbw_replay_init(&r, &options, &allocator));
    for (int t = 0; t < LIFE; t++) {
        const lived_step *s = &lived[t];
        jbw_replay_observe(&r, s->vision, s->scent, s->moved, s->state);
        jbw_replay_act(&r, s->action);
        jbw_replay_reward(&r, s->reward);
        if (t % 37 == 20) reload(&r, &options);
        expect_steps(&r, t + 1);
    }
    jbw_replay_deinit(&r, &allocator);
}

static void test_steps(void **state)
{
    (void)state;
    draw_life();
    live_with(1000, 1000000); // everything
    live_with(64, 1000000);   // so many steps
    live_with(1000, 1501);    // so many bytes
    live_with(30, 2000);
    live_with(1, 110);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steps),
    };
    return cmocka_run_group_tests_name("replay", tests, NULL, NULL);
}
