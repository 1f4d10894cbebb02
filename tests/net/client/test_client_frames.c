// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Frames that a client has subscribed to.
#include "support/served.h"

static void test_frames(void **state)
{
    (void)state;
    served s;
    served_open(&s, NULL);
    jbw_client *actor = served_connect(&s, SERVED_ALL);
    jbw_client *watcher = served_connect(&s, NULL);
    const jbw_agent_id id = served_add_agent(actor);
    uint32_t all;
    uint32_t map;
    uint32_t one;
    assert_int_equal(
        jbw_client_subscribe(watcher, &(jbw_subscription){.topic = JBW_TOPIC_EVERYTHING}, &all),
        JBW_OK);
    assert_int_equal(jbw_client_subscribe(watcher,
                                          &(jbw_subscription){.topic = JBW_TOPIC_PATCHES,
                                                              .region = {-20, -20, 40, 40}},
                                          &map),
                     JBW_OK);
    assert_int_equal(
        jbw_client_subscribe(watcher,
                             &(jbw_subscription){.topic = JBW_TOPIC_ONE_AGENT, .agent = id}, &one),
        JBW_OK);
    jbw_client_observation o = {0};
    for (int i = 0; i < 10; i++)
        assert_int_equal(jbw_client_act_and_observe(actor, id, i % 3, &o), JBW_OK);

    // eventually all subscriptions deliver the latest step
    bool is_delivered[3] = {false, false, false};
    size_t patches = 0;
    jbw_frame frame;
    while (!is_delivered[0] || !is_delivered[1] || !is_delivered[2]) {
        assert_int_equal(jbw_client_next_frame(watcher, 30.0, &frame), JBW_OK);
        const int which = frame.subscription == all ? 0 : frame.subscription == map ? 1 : 2;
        if (frame.time == 10) is_delivered[which] = true;
        patches += frame.patch_count;
        if (which == 0) assert_int_equal(frame.mark_count, 1);
        if (which == 1 && frame.patch_count > 0 && frame.patches[0].items)
            assert_int_equal(frame.patches[0].side, 32);
        if (which == 2 && frame.time == 10) {
            float vision[9 * 9 * 3];
            assert_non_null(frame.observation);
            assert_int_equal(jbw_client_perceive(actor, id, vision, NULL), JBW_OK);
            assert_memory_equal(vision, frame.observation->parts.vision, sizeof vision);
        }
    }
    assert_true(patches > 0);
    assert_int_equal(jbw_client_unsubscribe(watcher, all), JBW_OK);
    assert_int_equal(jbw_client_unsubscribe(watcher, map), JBW_OK);
    assert_int_equal(jbw_client_unsubscribe(watcher, one), JBW_OK);
    assert_int_equal(jbw_client_unsubscribe(watcher, one), JBW_NOT_FOUND);
    assert_int_equal(jbw_client_next_frame(watcher, 0.1, &frame), JBW_TIMED_OUT);
    jbw_client_close(watcher);
    jbw_client_close(actor);
    served_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frames),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
