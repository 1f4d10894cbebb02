// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Sessions: hello and goodbye, bad messages, subscriptions.
#include "support/stage.h"

static void test_hello_is_checked(void **state)
{
    (void)state;
    stage s;
    stage_open(&s, NULL);
    jbw_message hello = ASK(HELLO, .hello = {.version_least = 1, .version_most = 1});
    hello.hello.token = jbw_text_field("ann-secreT");
    jbw_message reply = stage_ask(&s, 0, hello);
    expect_error(reply, JBW_ERROR_BAD_TOKEN);
    assert_true(reply.error.is_final);
    hello.hello.version_least = JBW_PROTOCOL_VERSION + 1;
    hello.hello.version_most = JBW_PROTOCOL_VERSION + 2;
    expect_error(stage_ask(&s, 1, hello), JBW_ERROR_VERSION);
    expect_error(stage_ask(&s, 2, ASK(PING, .ping.cookie = 1)), JBW_ERROR_HELLO_FIRST);
    stage_hello(&s, 3, "");
    hello.hello.version_least = 0;
    hello.hello.version_most = 0;
    expect_error(stage_ask(&s, 4, hello), JBW_ERROR_VERSION);
    expect_error(stage_ask(&s, 3, hello), JBW_ERROR_HELLO_FIRST);
    assert_int_equal(stage_ask(&s, 3, ASK(PING, .ping.cookie = 5)).pong.cookie, 5);
    stage_close(&s);
}

static void test_bad_messages_get_errors(void **state)
{
    (void)state;
    stage s;
    stage_open(&s, NULL);
    stage_hello(&s, 0, "");
    const uint8_t unknown[] = {99, 1, 0xaa, 0, 0, 0, 1, 2, 3};
    for (int i = 0; i < 10; i++) {
        stage_send_bytes(&s, 0, unknown, sizeof unknown);
        const jbw_message reply = stage_read(&s, 0, 0xaa);
        expect_error(reply, JBW_ERROR_UNKNOWN_MESSAGE);
        assert_false(reply.error.is_final);
    }
    expect_error(stage_ask(&s, 0, ASK(OK, .ok.time = 1)), JBW_ERROR_UNKNOWN_MESSAGE);
    const uint8_t cut[] = {3, 0, 0xbb, 0, 0, 0, 1};
    for (int i = 0; i < JBW_MALFORMED_MOST; i++) {
        stage_send_bytes(&s, 0, cut, sizeof cut);
        const jbw_message reply = stage_read(&s, 0, 0xbb);
        expect_error(reply, JBW_ERROR_MALFORMED);
        assert_int_equal(reply.error.is_final, i + 1 == JBW_MALFORMED_MOST);
    }
    // further messages are ignored
    const uint32_t request = stage_send(&s, 0, ASK(PING, .ping.cookie = 1));
    assert_false(stage_has_reply(&s, 0, request));
    stage_close(&s);
}

static void test_goodbye_gets_the_last_reply(void **state)
{
    (void)state;
    stage s;
    stage_open(&s, NULL);
    stage_hello(&s, 0, "");
    stage_send(&s, 0, ASK(GOODBYE, .request = 0));
    assert_int_equal(s.reply_count, 1);
    assert_true(s.replies[0].is_final);
    stage_close(&s);
}

static void test_subscriptions_are_limited(void **state)
{
    (void)state;
    stage s;
    stage_open(&s, NULL);
    stage_hello(&s, 0, "");
    jbw_message subscribe = ASK(SUBSCRIBE, .subscribe = {.topic = JBW_TOPIC_ALL});
    const uint32_t first = stage_send(&s, 0, subscribe);
    expect_ok(stage_read(&s, 0, first));
    for (int i = 1; i < JBW_SUBSCRIPTIONS_MOST; i++) expect_ok(stage_ask(&s, 0, subscribe));
    expect_error(stage_ask(&s, 0, subscribe), JBW_ERROR_TOO_MANY);
    assert_int_equal(s.host.subscription_count, JBW_SUBSCRIPTIONS_MOST);
    expect_ok(stage_ask(&s, 0, ASK(UNSUBSCRIBE, .unsubscribe.subscription = first)));
    expect_error(stage_ask(&s, 0, ASK(UNSUBSCRIBE, .unsubscribe.subscription = first)),
                 JBW_ERROR_NOT_FOUND);
    subscribe.subscribe.topic = 3;
    expect_error(stage_ask(&s, 0, subscribe), JBW_ERROR_INVALID_ARGUMENT);
    subscribe.subscribe.topic = JBW_TOPIC_REGION;
    expect_error(stage_ask(&s, 0, subscribe), JBW_ERROR_INVALID_ARGUMENT);
    subscribe.subscribe.region = (jbw_region){0, 0, 1 << 20, 1 << 20};
    expect_error(stage_ask(&s, 0, subscribe), JBW_ERROR_TOO_LARGE);
    stage_leave(&s, 0);
    assert_int_equal(s.host.subscription_count, 0);
    stage_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hello_is_checked),
        cmocka_unit_test(test_bad_messages_get_errors),
        cmocka_unit_test(test_goodbye_gets_the_last_reply),
        cmocka_unit_test(test_subscriptions_are_limited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
