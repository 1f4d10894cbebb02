// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "support/allocations.h"

#include <stdlib.h>

// each block begins with its size, which is compared on release
typedef union block_head {
    size_t size;
    max_align_t align;
} block_head;

static void *counting_allocate(size_t size, void *user)
{
    counting_allocator *counting = user;
    counting->call_count++;
    if (counting->fail_at && counting->call_count >= counting->fail_at &&
        counting->call_count - counting->fail_at < counting->fail_count)
        return NULL;
    block_head *head = malloc(sizeof *head + size);
    if (!head) return NULL;
    head->size = size;
    memset(head + 1, 0xA5, size); // exposes code that relies on zeros without asking for them
    counting->block_count++;
    counting->byte_count += size;
    if (counting->byte_count > counting->most_byte_count)
        counting->most_byte_count = counting->byte_count;
    return head + 1;
}

static void counting_release(void *memory, size_t size, void *user)
{
    counting_allocator *counting = user;
    block_head *head = (block_head *)memory - 1;
    assert_int_equal(head->size, size);
    assert_true(counting->block_count > 0);
    counting->block_count--;
    counting->byte_count -= size;
    free(head);
}

jbw_allocator counting_allocator_make(counting_allocator *counting)
{
    return (jbw_allocator){counting_allocate, counting_release, counting};
}

void fail_allocations(counting_allocator *counting, size_t n, size_t count)
{
    counting->fail_at = counting->call_count + n;
    counting->fail_count = count;
}

void allow_allocations(counting_allocator *counting)
{
    counting->fail_at = 0;
}

void fail_every_allocation(buffer_writer *write, const void *what)
{
    jbw_status status = JBW_OUT_OF_MEMORY;
    for (size_t n = 1; status; n++) {
        counting_allocator counting = {.fail_at = n, .fail_count = 1};
        jbw_buffer bytes = {.allocator = counting_allocator_make(&counting)};
        status = write(what, &bytes);
        if (status) {
            assert_int_equal(status, JBW_OUT_OF_MEMORY);
            assert_int_equal(bytes.size, 0);
        }
        jbw_buffer_free(&bytes);
        assert_int_equal(counting.block_count, 0);
    }
}
