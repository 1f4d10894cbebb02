// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Small parts of the server: the queue between its threads, tokens, where pages may come from.
#include "support/checks.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "net/access/origin.h"
#include "net/access/tokens.h"
#include "net/thread/bell.h"
#include "net/thread/clock.h"
#include "net/thread/ring.h"

// ---- the ring ----

enum { RECORDS = 20000 };

static size_t size_of_record(uint32_t number)
{
    return 4 + number * 7919 % 200;
}

typedef struct pipe_ends {
    jbw_ring ring;
    jbw_bell bell;
} pipe_ends;

static void *write_records(void *user)
{
    pipe_ends *ends = user;
    for (uint32_t i = 0; i < RECORDS; i++) {
        const size_t size = size_of_record(i);
        uint8_t *record;
        while (!(record = jbw_ring_reserve(&ends->ring, size))) jbw_bell_ring(&ends->bell);
        memset(record, (int)(i & 0xff), size);
        memcpy(record, &i, sizeof i);
        jbw_ring_commit(&ends->ring);
        jbw_bell_ring(&ends->bell);
    }
    return NULL;
}

static void records_arrive_in_order(void **unused)
{
    (void)unused;
    pipe_ends ends;
    assert_true(jbw_ring_init(&ends.ring, 4096));
    assert_true(jbw_bell_init(&ends.bell));
    pthread_t writer;
    assert_int_equal(pthread_create(&writer, NULL, write_records, &ends), 0);
    for (uint32_t i = 0; i < RECORDS;) {
        size_t size;
        const uint8_t *record = jbw_ring_peek(&ends.ring, &size);
        if (!record) {
            jbw_bell_wait(&ends.bell, jbw_clock_now() + 100000000);
            continue;
        }
        uint32_t number;
        memcpy(&number, record, sizeof number);
        assert_int_equal(number, i);
        assert_int_equal(size, size_of_record(i));
        for (size_t j = sizeof number; j < size; j++) assert_int_equal(record[j], i & 0xff);
        jbw_ring_release(&ends.ring);
        i++;
    }
    pthread_join(writer, NULL);
    assert_int_equal(jbw_ring_length(&ends.ring), 0);
    assert_null(jbw_ring_reserve(&ends.ring, 1025)); // more than a quarter
    jbw_bell_deinit(&ends.bell);
    jbw_ring_deinit(&ends.ring);
}

// ---- tokens ----

static jbw_status read_tokens(const char *text, jbw_tokens *out, jbw_error *error)
{
    char path[] = "/tmp/jbw-tokens-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0);
    assert_int_equal(write(file, text, strlen(text)), strlen(text));
    close(file);
    const jbw_status status = jbw_tokens_read(path, out, error);
    unlink(path);
    return status;
}

static void tokens_are_read(void **unused)
{
    (void)unused;
    jbw_tokens tokens;
    jbw_error error = {0};
    assert_int_equal(read_tokens("# who may do what\n"
                                 "\n"
                                 "ann  ann-secret  all 10   # the teacher\n"
                                 "\tbob.1 bob#secret act,edit\r\n"
                                 "eve eve-secret watch 0",
                                 &tokens, &error),
                     JBW_OK);
    assert_int_equal(tokens.count, 3);
    assert_int_equal(tokens.tokens[0].permissions, 31);
    assert_int_equal(tokens.tokens[0].agents_most, 10);
    assert_string_equal(tokens.tokens[1].name, "bob.1");
    assert_string_equal(tokens.tokens[1].secret, "bob#secret");
    assert_int_equal(tokens.tokens[1].permissions, JBW_MAY_ACT | JBW_MAY_EDIT);
    assert_int_equal(tokens.tokens[1].agents_most, 1);
    jbw_keys keys;
    assert_int_equal(jbw_keys_init(&keys, tokens.tokens, tokens.count, &error), JBW_OK);
    assert_int_equal(jbw_keys_find(&keys, jbw_text_field("ann-secret")), 0);
    assert_int_equal(jbw_keys_find(&keys, jbw_text_field("eve-secret")), 2);
    assert_int_equal(jbw_keys_find(&keys, jbw_text_field("eve-secre")), -1);
    assert_int_equal(jbw_keys_find(&keys, jbw_text_field("")), -1);
    jbw_keys_deinit(&keys);
    tokens.tokens[2].permissions = 64;
    assert_int_equal(jbw_keys_init(&keys, tokens.tokens, 3, &error), JBW_INVALID_ARGUMENT);
    jbw_tokens_free(&tokens);
}

static void bad_tokens_are_refused(void **unused)
{
    (void)unused;
    static const char *const texts[] = {
        "\nann short act\n",          "\nann ann-secret\n",
        "\nann ann-secret act,fly\n", "\nann ann-secret act, edit\n",
        "\nann ann-secret act -1\n",  "\nann ann-secret act 1 2\n",
        "\na/b ann-secret act\n",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        jbw_tokens tokens;
        jbw_error error = {0};
        assert_int_equal(read_tokens(texts[i], &tokens, &error), JBW_INVALID_DATA);
        assert_int_equal(error.line, 2);
        assert_int_equal(tokens.count, 0);
    }
    jbw_tokens tokens;
    assert_int_equal(jbw_tokens_read("/nowhere/at/all", &tokens, NULL), JBW_READ_FAILED);

    const jbw_token twice[] = {{"ann", "ann-secret", 2, 1}, {"bob", "ann-secret", 2, 1}};
    jbw_keys keys;
    assert_int_equal(jbw_keys_init(&keys, twice, 2, NULL), JBW_INVALID_ARGUMENT);
}

// ---- origins ----

static bool is_allowed(const char *origin, const char *host)
{
    static const char *const listed[] = {"https://class.example.org"};
    return jbw_origin_is_allowed(origin, host, "beans.example.org", listed, 1);
}

static void pages_of_others_are_kept_out(void **unused)
{
    (void)unused;
    assert_true(is_allowed("", "127.0.0.1:8765"));
    assert_true(is_allowed("http://127.0.0.1:8765", "127.0.0.1:8765"));
    assert_true(is_allowed("http://localhost:8765", "localhost:8765"));
    assert_true(is_allowed("https://[::1]:8765", "[::1]:8765"));
    assert_true(is_allowed("https://beans.example.org", "beans.example.org"));
    assert_true(is_allowed("https://class.example.org", "127.0.0.1:8765"));
    assert_false(is_allowed("http://evil.example.org", "127.0.0.1:8765"));
    assert_false(is_allowed("http://127.0.0.1:9999", "127.0.0.1:8765"));
    assert_false(is_allowed("null", "127.0.0.1:8765"));
    assert_false(is_allowed("https://class.example.org.evil", "127.0.0.1:8765"));
    // a name of theirs that points here
    assert_false(is_allowed("http://evil.example.org:8765", "evil.example.org:8765"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_arrive_in_order),
        cmocka_unit_test(tokens_are_read),
        cmocka_unit_test(bad_tokens_are_refused),
        cmocka_unit_test(pages_of_others_are_kept_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
