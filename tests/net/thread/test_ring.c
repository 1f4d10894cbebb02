// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The ring between two threads, with the bell that wakes the reader.
#include "support/checks.h"

#include <pthread.h>

#include "net/thread/bell.h"
#include "net/thread/clock.h"
#include "net/thread/ring.h"

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

static void test_records_arrive_in_order(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_records_arrive_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
