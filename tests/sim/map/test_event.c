// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What came and went lately, patch by patch, against a plain list: events are added, taken back and
/// forgotten in any order.
#include "support/models.h"

#include "sim/map/event.h"
#include "sim/world/world.h"
#include "support/random.h"

enum { MOST = 4000 };

// the same events, oldest first
typedef struct plain_events {
    jbw_event items[MOST];
    size_t first;
    size_t end;
} plain_events;

static void assert_same(const jbw_map *map, const plain_events *plain)
{
    assert_int_equal(jbw_events_count(&map->events), plain->end - plain->first);
    for (size_t p = 0; p < map->patch_count; p++) {
        uint64_t ticket = map->patches[p]->first_event;
        uint64_t last = 0;
        for (size_t i = plain->first; i < plain->end; i++) {
            const jbw_event *expected = &plain->items[i];
            if (expected->patch != p) continue;
            assert_int_not_equal(ticket, 0);
            const jbw_event *event = jbw_events_get(&map->events, ticket);
            assert_int_equal(event->time, expected->time);
            assert_int_equal(event->cell, expected->cell);
            assert_int_equal(event->sign, expected->sign);
            last = ticket;
            ticket = event->next;
        }
        assert_int_equal(ticket, 0);
        assert_int_equal(map->patches[p]->last_event, last);
    }
}

static void test_against_a_list(void **state)
{
    (void)state;
    static const double scent[] = {1};
    static const jbw_item_type apple = {
        .name = "Apple", .scent = scent, .intensity = "Constant[-2]"};
    jbw_config config = small_config(8, 10, &apple, 1);
    config.scent_dimensions = 1;
    config.scent_decay = 0.25;
    jbw_model *model = model_of(&config);
    jbw_world *world = world_of(model, 1);
    explore_cell(world, 0, 0);
    jbw_map *map = &world->map;
    assert_true(map->patch_count >= 4);
    assert_true(jbw_events_reserve(&map->events, MOST, &model->allocator));

    static plain_events plain;
    uint64_t random = 1;
    uint64_t time = 0;
    for (int i = 0; plain.end < MOST - 3; i++) {
        const size_t p = random_below(&random, 4);
        const jbw_event event = {.time = time,
                                 .patch = (uint32_t)p,
                                 .cell = (uint16_t)random_below(&random, 64),
                                 .sign = random_below(&random, 2) ? 1 : -1};
        jbw_events_add(map, map->patches[p], event);
        plain.items[plain.end++] = event;
        assert_same(map, &plain);
        if (random_below(&random, 3) == 0) { // the latest one never was
            jbw_events_take_back(map);
            plain.end--;
            assert_same(map, &plain);
        }
        if (random_below(&random, 4) == 0) {
            time += random_below(&random, 4);
            jbw_events_forget(map, time);
            while (plain.first < plain.end &&
                   plain.items[plain.first].time + (uint64_t)model->scent.memory < time)
                plain.first++;
            assert_same(map, &plain);
        }
    }
    assert_true(plain.first > 1000);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_against_a_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
