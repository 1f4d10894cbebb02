// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The player of recordings: seeking in both directions leads to the recorded states, and events
/// are found.
#include "support/drawing.h"

#include <stdlib.h>
#include <unistd.h>

#include "jbw/recording.h"
#include "net/game/player.h"
#include "support/files.h"
#include "support/waiting.h"

enum { STEPS = 400, STOPS_AT = 150 };

static const double red[] = {1};
static const jbw_item_type items[] = {
    {.name = "Apple", .color = red},
    {.name = "Wall", .color = red, .blocks_movement = true},
};

typedef struct film {
    temporary_folder folder;
    char path[PATH_SIZE];
    uint64_t hashes[STEPS + 1];
    uint64_t collected[8]; // times
    size_t collected_count;
    jbw_agent_id agent;
} film;

// An agent walks to the right over three apples and then stands still.
static void record(film *f)
{
    const jbw_config config = drawn_config(items, 2);
    drawn_world d;
    jbw_recorder *recorder;
    jbw_error error;
    f->collected_count = 0;
    draw_world(&d, &config, "a#", ">", "1.a..a...a\n");
    assert_true(temporary_folder_create(&f->folder));
    temporary_path(&f->folder, "walk.recording", f->path);
    f->agent = d.agents[1];
    f->hashes[0] = jbw_world_hash(d.world);
    assert_int_equal(jbw_recorder_create(d.world, f->path, true, NULL, &recorder, &error), JBW_OK);
    for (int i = 1; i <= STEPS; i++) {
        play(&d, i <= STOPS_AT ? "1F" : "1N");
        f->hashes[i] = jbw_world_hash(d.world);
        if (result_of(&d, 1).collected >= 0) f->collected[f->collected_count++] = (uint64_t)i;
    }
    assert_int_equal(jbw_recorder_close(recorder, &error), JBW_OK);
    erase_world(&d);
    assert_int_equal(f->collected_count, 3);
}

static jbw_player *open_player(const film *f)
{
    jbw_player *player;
    jbw_error error;
    assert_int_equal(jbw_player_create(f->path, &player, &error), JBW_OK);
    return player;
}

static void test_seek(void **state)
{
    const film *f = *state;
    jbw_player *player = open_player(f);
    assert_true(jbw_player_first_time(player) == 0);
    assert_true(jbw_player_last_time(player) == STEPS);
    assert_string_equal(jbw_player_name(player), "walk.recording");
    for (uint64_t time = 1; time <= 20; time++) {
        assert_int_equal(jbw_player_advance(player), JBW_OK);
        assert_true(jbw_world_time(jbw_player_world(player)) == time);
        assert_true(jbw_world_hash(jbw_player_world(player)) == f->hashes[time]);
    }
    const uint64_t times[] = {300, 3, 0, 399, 77, 1000000};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
        const uint64_t time = times[i] < STEPS ? times[i] : STEPS;
        assert_int_equal(jbw_player_seek(player, times[i]), JBW_OK);
        assert_true(jbw_world_hash(jbw_player_world(player)) == f->hashes[time]);
    }
    assert_int_equal(jbw_player_advance(player), JBW_NOT_FOUND);
    jbw_player_destroy(player);
}

// waits until the recording has been searched
static size_t find(jbw_player *player, jbw_wire_find_events wanted, jbw_wire_event *events)
{
    uint64_t known_to = 0;
    size_t count = 0;
    for (int i = 0; i < 20000; i++) {
        count = jbw_player_find_events(player, &wanted, events, 16, &known_to);
        if (known_to == STEPS) return count;
        pause_for(1);
    }
    fail_msg("searched only up to %llu", (unsigned long long)known_to);
    return count;
}

static void test_find_events(void **state)
{
    const film *f = *state;
    jbw_player *player = open_player(f);
    jbw_wire_event events[16];
    jbw_wire_find_events wanted = {
        .from = 0, .to = UINT64_MAX, .kinds = JBW_EVENT_COLLECTED, .most = 16};
    assert_int_equal(find(player, wanted, events), 3);
    for (size_t i = 0; i < 3; i++) {
        assert_true(events[i].time == f->collected[i]);
        assert_int_equal(events[i].item, 0);
        assert_int_equal(events[i].agent.index1, f->agent.index1);
    }
    wanted.from = f->collected[0] + 1;
    wanted.most = 1;
    assert_int_equal(find(player, wanted, events), 1);
    assert_true(events[0].time == f->collected[1]);

    wanted = (jbw_wire_find_events){.from = 0,
                                    .to = f->collected[2],
                                    .kinds = JBW_EVENT_COLLECTED,
                                    .is_backward = true,
                                    .most = 2};
    assert_int_equal(find(player, wanted, events), 2); // still in the order of time
    assert_true(events[0].time == f->collected[1] && events[1].time == f->collected[2]);

    // a hundred steps after it came within two cells of where it stays
    wanted = (jbw_wire_find_events){
        .from = 0, .to = STEPS, .kinds = JBW_EVENT_STUCK, .agent = f->agent, .most = 16};
    assert_int_equal(find(player, wanted, events), 1);
    assert_in_range(events[0].time, STOPS_AT + 97, STOPS_AT + 100);
    wanted.agent.generation++;
    assert_int_equal(find(player, wanted, events), 0);
    jbw_player_destroy(player);
}

static void test_close_at_once(void **state)
{
    const film *f = *state;
    for (int i = 0; i < 20; i++) jbw_player_destroy(open_player(f));
    jbw_player_destroy(NULL);
    jbw_player *player;
    jbw_error error = {0};
    assert_int_not_equal(jbw_player_create("/nowhere/at.all", &player, &error), JBW_OK);
    assert_null(player);
    assert_true(error.text[0] != '\0');
}

static int set_up(void **state)
{
    film *f = calloc(1, sizeof *f);
    if (!f) return -1;
    record(f);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    film *f = *state;
    unlink(f->path);
    const bool is_removed = temporary_folder_remove(&f->folder);
    free(f);
    return is_removed ? 0 : 1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seek),
        cmocka_unit_test(test_find_events),
        cmocka_unit_test(test_close_at_once),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
