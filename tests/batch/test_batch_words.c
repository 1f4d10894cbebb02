// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Batches in which agents speak and write: each world does what it does alone, also when agents leave
/// and join, and whether all worlds step or some are sent.
#include "support/models.h"

#include <stdio.h>
#include <string.h>

#include "jbw/batch.h"
#include "support/allocations.h"
#include "support/life.h"
#include "support/random.h"
#include "support/words.h"

enum { WORLDS = 5, AGENTS = 3, ROWS = WORLDS * AGENTS, STEPS = 120, SYMBOLS = 3 };

/// Rows of the parts that are about words.
typedef struct rows {
    float heard[ROWS * SYMBOLS];
    uint8_t text[ROWS * WORDS_ROOM];
} rows;

static jbw_config words_config(void)
{
    jbw_config config = life_growing_config();
    config.mh_iterations = 20;
    config.collision = JBW_COLLISION_ALLOW;
    return config;
}

static jbw_batch *open_batch(const jbw_model *model, rows *r)
{
    jbw_batch_world worlds[WORLDS];
    for (int i = 0; i < WORLDS; i++)
        worlds[i] = (jbw_batch_world){.model = model, .seed = (uint64_t)i, .agent_count = AGENTS};
    const jbw_batch_buffers buffers = {.parts = {.heard = r->heard, .text = r->text}};
    jbw_batch *batch;
    assert_int_equal(jbw_batch_create(worlds, WORLDS, 2, &buffers, &batch, NULL), JBW_OK);
    return batch;
}

// what the agent of a row has to hear and read
static void check_row(const rows *r, size_t row, jbw_world *alone, jbw_agent_id id)
{
    float heard[SYMBOLS];
    uint8_t text[WORDS_ROOM];
    const jbw_observation wanted = {.heard = heard, .text = text};
    assert_int_equal(jbw_agent_observe(alone, id, &wanted), JBW_OK);
    assert_memory_equal(r->heard + row * SYMBOLS, heard, sizeof heard);
    assert_memory_equal(r->text + row * WORDS_ROOM, text, sizeof text);
}

static void test_same_as_alone(void **state)
{
    (void)state;
    const jbw_config config = words_config();
    jbw_model *model = model_of(&config);
    static rows r;
    jbw_batch *batch = open_batch(model, &r);
    jbw_world *alone[WORLDS];
    char waiting[ROWS][WORDS_ROOM] = {""};
    uint64_t random = 11;
    for (int i = 0; i < WORLDS; i++) {
        alone[i] = world_of(model, (uint64_t)i);
        jbw_agent_id id;
        for (int k = 0; k < AGENTS; k++)
            assert_int_equal(jbw_world_add_agent(alone[i], NULL, &id), JBW_OK);
    }
    int written = 0;
    int heard = 0;
    for (int step = 0; step < STEPS; step++) {
        int32_t actions[ROWS];
        int32_t say[ROWS];
        for (size_t row = 0; row < ROWS; row++) {
            actions[row] = random_below(&random, 3) ? (int32_t)random_below(&random, 10) : 9;
            if (random_below(&random, 2)) actions[row] = 7; // collect
            say[row] = random_between(&random, 0, SYMBOLS);
            if (random_below(&random, 4) == 0) {
                const char *text = words_text(&random, waiting[row]);
                if (!text) waiting[row][0] = '\0';
                assert_int_equal(jbw_batch_write(batch, row, text), JBW_OK);
            }
        }
        // agents leave and join now and then
        const size_t moving = random_below(&random, ROWS);
        const jbw_agent_id mover = jbw_batch_agent(batch, moving);
        if (random_below(&random, 4) == 0 && mover.index1) {
            assert_int_equal(jbw_batch_leave(batch, moving), JBW_OK);
            assert_int_equal(jbw_world_remove_agent(alone[moving / AGENTS], mover), JBW_OK);
        } else if (!mover.index1) {
            jbw_agent_id id;
            assert_int_equal(jbw_batch_join(batch, moving, NULL), JBW_OK);
            assert_int_equal(jbw_world_add_agent(alone[moving / AGENTS], NULL, &id), JBW_OK);
        }
        if (step % 2) {
            assert_int_equal(jbw_batch_say(batch, NULL, WORLDS, say), JBW_OK);
            assert_int_equal(jbw_batch_step(batch, actions), JBW_OK);
        } else {
            size_t worlds[WORLDS];
            size_t count;
            for (size_t i = 0; i < WORLDS; i++) worlds[i] = i;
            assert_int_equal(jbw_batch_say(batch, worlds, WORLDS, say), JBW_OK);
            assert_int_equal(jbw_batch_send(batch, worlds, WORLDS, actions), JBW_OK);
            assert_int_equal(jbw_batch_say(batch, NULL, WORLDS, say), JBW_INVALID_ARGUMENT);
            assert_int_equal(jbw_batch_write(batch, 1, "x"), JBW_INVALID_ARGUMENT);
            assert_int_equal(jbw_batch_receive(batch, WORLDS, worlds, WORLDS, &count), JBW_OK);
        }
        for (size_t i = 0; i < WORLDS; i++) {
            jbw_agent_id ids[AGENTS];
            int asked[AGENTS];
            int symbols[AGENTS];
            const char *texts[AGENTS];
            size_t count = 0;
            for (size_t row = i * AGENTS; row < (i + 1) * AGENTS; row++) {
                ids[count] = jbw_batch_agent(batch, row);
                if (!ids[count].index1) continue;
                asked[count] = actions[row];
                symbols[count] = say[row];
                const bool writes = waiting[row][0] && actions[row] == 9;
                texts[count++] = writes ? waiting[row] : NULL;
                written += writes;
            }
            const jbw_requests requests = {.actions = asked, .say = symbols, .texts = texts};
            bool stepped = false;
            assert_int_equal(jbw_world_request(alone[i], ids, &requests, count, &stepped), JBW_OK);
            if (!stepped) assert_int_equal(jbw_world_step(alone[i]), JBW_OK);
            for (size_t row = i * AGENTS; row < (i + 1) * AGENTS; row++)
                if (jbw_batch_agent(batch, row).index1 && actions[row] == 9) waiting[row][0] = '\0';
            assert_int_equal(jbw_world_hash(alone[i]),
                             jbw_world_hash(jbw_batch_get_world(batch, i)));
            for (size_t row = i * AGENTS; row < (i + 1) * AGENTS; row++) {
                const jbw_agent_id id = jbw_batch_agent(batch, row);
                if (id.index1) check_row(&r, row, alone[i], id);
                for (int s = 0; s < SYMBOLS; s++) heard += r.heard[row * SYMBOLS + (size_t)s] > 0;
            }
        }
    }
    assert_true(written > 20 && heard > 50);

    // words of a step that is over, or of a world that is replaced, are forgotten
    const int32_t nothing[ROWS] = {0};
    const int32_t loud[ROWS] = {1, 1, 1};
    assert_int_equal(jbw_batch_step(batch, nothing), JBW_OK);
    for (int i = 0; i < ROWS * SYMBOLS; i++) assert_true(r.heard[i] == 0);
    assert_int_equal(jbw_batch_say(batch, NULL, WORLDS, loud), JBW_OK);
    assert_int_equal(jbw_batch_reset(batch, 0, 9), JBW_OK);
    assert_int_equal(jbw_batch_step(batch, nothing), JBW_OK);
    for (int i = 0; i < ROWS * SYMBOLS; i++) assert_true(r.heard[i] == 0);
    for (int i = 0; i < WORLDS; i++) jbw_world_destroy(alone[i]);
    jbw_batch_destroy(batch);
    jbw_model_destroy(model);
}

static void test_refused(void **state)
{
    (void)state;
    jbw_config config = words_config();
    jbw_model *model = model_of(&config);
    static rows r;
    jbw_batch *batch = open_batch(model, &r);
    int32_t say[ROWS] = {0};
    say[ROWS - 1] = SYMBOLS + 1;
    const size_t strange = WORLDS;
    char longest[WORDS_ROOM + 1];
    memset(longest, 'x', sizeof longest);
    longest[WORDS_ROOM] = '\0';
    assert_int_equal(jbw_batch_say(batch, NULL, WORLDS, say), JBW_INVALID_ARGUMENT);
    say[ROWS - 1] = -1;
    assert_int_equal(jbw_batch_say(batch, NULL, WORLDS, say), JBW_INVALID_ARGUMENT);
    assert_int_equal(jbw_batch_say(batch, &strange, 1, say), JBW_INVALID_ARGUMENT);
    assert_int_equal(jbw_batch_say(batch, NULL, WORLDS, NULL), JBW_INVALID_ARGUMENT);
    assert_int_equal(jbw_batch_say(NULL, NULL, 0, say), JBW_INVALID_ARGUMENT);
    assert_int_equal(jbw_batch_write(batch, ROWS, "x"), JBW_INVALID_ARGUMENT);
    assert_int_equal(jbw_batch_write(batch, 0, "\xff"), JBW_INVALID_ARGUMENT);
    assert_int_equal(jbw_batch_write(batch, 0, longest), JBW_INVALID_ARGUMENT);
    assert_int_equal(jbw_batch_write(NULL, 0, "x"), JBW_INVALID_ARGUMENT);

    // worlds that differ in what can be said or written do not fit together
    for (int i = 0; i < 2; i++) {
        jbw_config other = config;
        jbw_item_type items[4];
        memcpy(items, config.items, sizeof items);
        other.items = items;
        if (i == 0) other.agent.voice.symbols++;
        if (i == 1) items[0].has_text = false;
        jbw_model *another = model_of(&other);
        const jbw_batch_world worlds[] = {{.model = model, .agent_count = 1},
                                          {.model = another, .agent_count = 1}};
        jbw_batch *none;
        jbw_error error;
        assert_int_equal(jbw_batch_create(worlds, 2, 1, NULL, &none, &error), JBW_INVALID_ARGUMENT);
        assert_non_null(strstr(error.text, i == 0 ? "voice" : "texts"));
        jbw_model_destroy(another);
    }
    jbw_batch_destroy(batch);
    jbw_model_destroy(model);

    // without a voice and texts there is only silence
    config = life_small_config();
    model = model_of(&config);
    const jbw_batch_world world = {.model = model, .agent_count = 1};
    assert_int_equal(jbw_batch_create(&world, 1, 1, NULL, &batch, NULL), JBW_OK);
    say[0] = 0;
    assert_int_equal(jbw_batch_say(batch, NULL, 1, say), JBW_OK);
    say[0] = 1;
    assert_int_equal(jbw_batch_say(batch, NULL, 1, say), JBW_INVALID_ARGUMENT);
    assert_int_equal(jbw_batch_write(batch, 0, "x"), JBW_INVALID_ARGUMENT);
    jbw_batch_destroy(batch);
    jbw_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_alone),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
