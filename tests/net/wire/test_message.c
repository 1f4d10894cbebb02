// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Messages: each one, filled with random values, round-trips; truncated anywhere, or with
/// something after its end, it is rejected.
#include "support/checks.h"

#include <string.h>

#include "net/wire/message.h"
#include "support/random.h"

static uint64_t random_state = 12345;

static uint64_t draw(void)
{
    return random_next(&random_state);
}

static uint32_t draw_below(uint32_t bound)
{
    return random_below(&random_state, bound);
}

// ---- random values of each type ----

static float floats[8];
static uint64_t numbers[8];
static uint8_t some_bytes[8];
static jbw_agent_id agents[8];

static void fill_bool(bool *out)
{
    *out = draw_below(2) == 1;
}

static void fill_u8(uint8_t *out)
{
    *out = (uint8_t)draw();
}

static void fill_u16(uint16_t *out)
{
    *out = (uint16_t)draw();
}

static void fill_u32(uint32_t *out)
{
    *out = (uint32_t)draw();
}

static void fill_u64(uint64_t *out)
{
    *out = draw();
}

static void fill_i32(int32_t *out)
{
    *out = (int32_t)draw();
}

static void fill_f32(float *out)
{
    *out = (float)draw_below(1 << 24) / 3.0F;
}

static void fill_f64(double *out)
{
    *out = (double)draw() / -7.0;
}

static void fill_agent(jbw_agent_id *out)
{
    out->index1 = (uint32_t)draw();
    out->generation = (uint32_t)draw();
}

static void fill_position(jbw_position *out)
{
    out->x = (int64_t)draw();
    out->y = (int64_t)draw();
}

static void fill_region(jbw_region *out)
{
    out->x = (int64_t)draw();
    out->y = (int64_t)draw();
    out->width = draw_below(1 << 24);
    out->height = draw_below(1 << 24);
}

static void fill_text(jbw_field_text *out)
{
    static const char *const texts[] = {"", "Jelly Bean", "Bohne – 豆", "a"};
    *out = jbw_text_field(texts[draw_below(4)]);
}

static void fill_bytes(jbw_field_bytes *out)
{
    for (size_t i = 0; i < 8; i++) some_bytes[i] = (uint8_t)draw();
    *out = (jbw_field_bytes){some_bytes, draw_below(9)};
}

static void fill_f32s(jbw_field_f32s *out)
{
    for (size_t i = 0; i < 8; i++) fill_f32(&floats[i]);
    *out = (jbw_field_f32s){floats, draw_below(9)};
}

static void fill_sparse(jbw_field_sparse *out)
{
    fill_f32s(out);
    for (size_t i = 0; i < 8; i += 1 + draw_below(3)) floats[i] = 0.0F;
}

static void fill_u64s(jbw_field_u64s *out)
{
    for (size_t i = 0; i < 8; i++) numbers[i] = draw();
    *out = (jbw_field_u64s){numbers, draw_below(9)};
}

static void fill_agents(jbw_field_agents *out)
{
    for (size_t i = 0; i < 8; i++) fill_agent(&agents[i]);
    *out = (jbw_field_agents){agents, draw_below(9)};
}

// ---- random records and messages ----

#define RECORD(name, text)                              \
    static void fill_record_##name(jbw_wire_##name *to) \
    {
#define END_RECORD(name) }
#define MESSAGE(number, upper, name, sender, needs, answer, text) \
    static void fill_message_##name(jbw_wire_##name *to)          \
    {
#define END_MESSAGE(name) \
    to->unused = 0;       \
    }
#define FIELD(type, name, text) fill_##type(&to->name);
#define LIST(record, name, text)                                       \
    {                                                                  \
        static jbw_wire_##record list[3];                              \
        for (size_t i = 0; i < 3; i++) fill_record_##record(&list[i]); \
        to->name = list;                                               \
        to->name##_count = draw_below(4);                              \
    }
#define FIELDS_OF(message, name) fill_message_##message(&to->name);
#include "net/wire/messages.inl"

static void fill_message(jbw_message *message)
{
    message->request = (uint32_t)draw();
    switch (message->type) {
#define MESSAGE(number, upper, name, sender, needs, answer, text) \
    case JBW_MESSAGE_##upper: {                                   \
        fill_message_##name(&message->name);                      \
        break;                                                    \
    }
#include "net/wire/messages.inl"
    }
}

static const jbw_message_type types[] = {
#define MESSAGE(number, upper, name, sender, needs, answer, text) JBW_MESSAGE_##upper,
#include "net/wire/messages.inl"
};
enum { TYPE_COUNT = sizeof types / sizeof *types, ROUNDS = 40 };

// ---- tests ----

static void decode_truncated(const jbw_buffer *bytes, jbw_scratch *scratch)
{
    jbw_message message;
    for (size_t size = 0; size < bytes->size; size++) {
        jbw_scratch_reset(scratch);
        // in memory of exactly that size, so that sanitizers notice reads beyond it
        uint8_t *copy = test_malloc(size + 1);
        memcpy(copy, bytes->bytes, size);
        const jbw_status status = jbw_message_decode(copy, size, scratch, &message);
        assert_int_equal(status, JBW_INVALID_DATA);
        test_free(copy);
    }
}

static void test_round_trip(void **state)
{
    (void)state;
    jbw_scratch scratch = {0};
    jbw_buffer first = {0};
    jbw_buffer second = {0};
    for (size_t i = 0; i < ROUNDS * TYPE_COUNT; i++) {
        jbw_message message = {.type = types[i % TYPE_COUNT]};
        fill_message(&message);
        first.size = 0;
        second.size = 0;
        assert_true(jbw_message_encode(&message, &first));

        jbw_message back;
        jbw_scratch_reset(&scratch);
        assert_int_equal(jbw_message_decode(first.bytes, first.size, &scratch, &back), JBW_OK);
        assert_int_equal(back.type, message.type);
        assert_int_equal(back.request, message.request);
        assert_true(jbw_message_encode(&back, &second));
        assert_int_equal(first.size, second.size);
        assert_memory_equal(first.bytes, second.bytes, first.size);

        decode_truncated(&first, &scratch);
        assert_true(jbw_buffer_append(&first, "", 1));
        assert_int_equal(jbw_message_decode(first.bytes, first.size, &scratch, &back),
                         JBW_INVALID_DATA);
    }
    jbw_buffer_free(&first);
    jbw_buffer_free(&second);
    jbw_scratch_deinit(&scratch);
}

static void test_byte_layout(void **state)
{
    (void)state;
    const jbw_message message = {
        .type = JBW_MESSAGE_ACT,
        .request = 0x01020304,
        .act = {.agent = {0x11121314, 0x21222324}, .action = 2, .waits = true, .wants = 3}};
    static const uint8_t expected[] = {8,    0,    4,    3,    2, 1, 0x14, 0x13, 0x12, 0x11,
                                       0x24, 0x23, 0x22, 0x21, 2, 0, 0,    0,    1,    3};
    jbw_buffer bytes = {0};
    assert_true(jbw_message_encode(&message, &bytes));
    assert_int_equal(bytes.size, sizeof expected);
    assert_memory_equal(bytes.bytes, expected, sizeof expected);

    // the fields of another message stand in its place
    const jbw_message join = {
        .type = JBW_MESSAGE_JOIN,
        .join = {.place = {.position = {1, -1}, .direction = 2, .is_forced = true}, .body = 9}};
    static const uint8_t expected_join[] = {35,   0,    0,    0,    0,    0, 0,    1,    0,
                                            0,    0,    0,    0,    0,    0, 0xff, 0xff, 0xff,
                                            0xff, 0xff, 0xff, 0xff, 0xff, 2, 1,    9};
    bytes.size = 0;
    assert_true(jbw_message_encode(&join, &bytes));
    assert_int_equal(bytes.size, sizeof expected_join);
    assert_memory_equal(bytes.bytes, expected_join, sizeof expected_join);
    jbw_buffer_free(&bytes);
}

static void test_bad_values(void **state)
{
    (void)state;
    jbw_scratch scratch = {0};
    jbw_message message;
    const uint8_t unknown[] = {99, 0, 7, 0, 0, 0};
    assert_int_equal(jbw_message_decode(unknown, sizeof unknown, &scratch, &message),
                     JBW_UNSUPPORTED);
    assert_int_equal(message.request, 7);

    // a bool that is neither 0 nor 1
    uint8_t act[20] = {8};
    act[18] = 2;
    assert_int_equal(jbw_message_decode(act, sizeof act, &scratch, &message), JBW_INVALID_DATA);
    act[18] = 1;
    assert_int_equal(jbw_message_decode(act, sizeof act, &scratch, &message), JBW_OK);

    // texts: a control character, a truncated character
    uint8_t hello[16] = {1, 0, 0, 0, 0, 0, 1, 0, 1, 0, 2, 0, 'a', 'b', 0, 0};
    assert_int_equal(jbw_message_decode(hello, sizeof hello, &scratch, &message), JBW_OK);
    assert_int_equal(message.hello.token.length, 2);
    hello[13] = '\n';
    assert_int_equal(jbw_message_decode(hello, sizeof hello, &scratch, &message), JBW_INVALID_DATA);
    hello[13] = 0xc3;
    assert_int_equal(jbw_message_decode(hello, sizeof hello, &scratch, &message), JBW_INVALID_DATA);

    // a list that cannot be complete allocates nothing
    uint8_t many[12] = {9, 0, 0, 0, 0, 0, 1, 0, 0xff, 0xff, 0xff, 0xff};
    assert_int_equal(jbw_message_decode(many, sizeof many, &scratch, &message), JBW_INVALID_DATA);
    assert_null(scratch.blocks);
    jbw_scratch_deinit(&scratch);
}

static void test_values_that_cannot_be_encoded(void **state)
{
    (void)state;
    static char text[JBW_MAX_WIRE_TEXT + 2];
    memset(text, 'x', sizeof text - 1);
    jbw_message message = {.type = JBW_MESSAGE_ERROR, .error = {.text = jbw_text_field(text)}};
    jbw_buffer bytes = {0};
    assert_false(jbw_message_encode(&message, &bytes));
    assert_int_equal(bytes.size, 0);
    message.error.text.length--;
    assert_true(jbw_message_encode(&message, &bytes));
    message = (jbw_message){.type = JBW_MESSAGE_SMELL, .smell = {.region = {0, 0, -1, 1}}};
    const size_t size = bytes.size;
    assert_false(jbw_message_encode(&message, &bytes));
    assert_int_equal(bytes.size, size);
    jbw_buffer_free(&bytes);
}

// damaged messages may or may not decode, but do no harm
static void test_damaged_messages(void **state)
{
    (void)state;
    jbw_scratch scratch = {0};
    jbw_buffer bytes = {0};
    size_t good = 0;
    for (size_t i = 0; i < 200 * TYPE_COUNT; i++) {
        jbw_message message = {.type = types[i % TYPE_COUNT]};
        fill_message(&message);
        bytes.size = 0;
        assert_true(jbw_message_encode(&message, &bytes));
        for (int damage = 0; damage < 3; damage++)
            bytes.bytes[draw_below((uint32_t)bytes.size)] = (uint8_t)draw();
        jbw_scratch_reset(&scratch);
        if (!jbw_message_decode(bytes.bytes, bytes.size, &scratch, &message)) good++;
    }
    assert_true(good > 0);
    jbw_buffer_free(&bytes);
    jbw_scratch_deinit(&scratch);
}

static void test_names(void **state)
{
    (void)state;
    assert_string_equal(jbw_message_find(JBW_MESSAGE_ACT)->name, "act");
    assert_int_equal(jbw_message_find(JBW_MESSAGE_ACT)->needs, JBW_PERMISSION_ACT);
    assert_int_equal(jbw_message_find(JBW_MESSAGE_FRAME)->sender, JBW_SENDER_SERVER);
    assert_null(jbw_message_find(0));
    assert_null(jbw_message_find(65535));
    assert_string_equal(jbw_error_code_name(JBW_ERROR_NOT_PERMITTED), "NOT_PERMITTED");
    assert_string_equal(jbw_error_code_name(60000), "UNKNOWN");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_byte_layout),
        cmocka_unit_test(test_bad_values),
        cmocka_unit_test(test_values_that_cannot_be_encoded),
        cmocka_unit_test(test_damaged_messages),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
