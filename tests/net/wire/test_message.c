// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Messages: every one of the table, filled with anything, comes back as it was; cut off anywhere, or
/// with something behind it, it is refused.
#include "support/checks.h"

#include <stdio.h>
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

// ---- anything, of each type ----

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

// ---- anything, of each record and message ----

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

static void decode_cut_off(const jbw_buffer *bytes, jbw_scratch *scratch)
{
    jbw_message message;
    for (size_t size = 0; size < bytes->size; size++) {
        jbw_scratch_reset(scratch);
        // in memory of exactly that size, so that reading too far is noticed
        uint8_t *copy = test_malloc(size + 1);
        memcpy(copy, bytes->bytes, size);
        const jbw_status status = jbw_message_decode(copy, size, scratch, &message);
        assert_int_equal(status, JBW_INVALID_DATA);
        test_free(copy);
    }
}

static void messages_come_back(void **unused)
{
    (void)unused;
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

        decode_cut_off(&first, &scratch);
        assert_true(jbw_buffer_append(&first, "", 1));
        assert_int_equal(jbw_message_decode(first.bytes, first.size, &scratch, &back),
                         JBW_INVALID_DATA);
    }
    jbw_buffer_free(&first);
    jbw_buffer_free(&second);
    jbw_scratch_deinit(&scratch);
}

static void bytes_stand_where_they_should(void **unused)
{
    (void)unused;
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
    jbw_buffer_free(&bytes);
}

static void bad_values_are_refused(void **unused)
{
    (void)unused;
    jbw_scratch scratch = {0};
    jbw_message message;
    const uint8_t unknown[] = {99, 0, 7, 0, 0, 0};
    assert_int_equal(jbw_message_decode(unknown, sizeof unknown, &scratch, &message),
                     JBW_UNSUPPORTED);
    assert_int_equal(message.request, 7);

    // a bool that is neither
    uint8_t act[20] = {8};
    act[18] = 2;
    assert_int_equal(jbw_message_decode(act, sizeof act, &scratch, &message), JBW_INVALID_DATA);
    act[18] = 1;
    assert_int_equal(jbw_message_decode(act, sizeof act, &scratch, &message), JBW_OK);

    // texts: a control character, half a character
    uint8_t hello[16] = {1, 0, 0, 0, 0, 0, 1, 0, 1, 0, 2, 0, 'a', 'b', 0, 0};
    assert_int_equal(jbw_message_decode(hello, sizeof hello, &scratch, &message), JBW_OK);
    assert_int_equal(message.hello.token.length, 2);
    hello[13] = '\n';
    assert_int_equal(jbw_message_decode(hello, sizeof hello, &scratch, &message), JBW_INVALID_DATA);
    hello[13] = 0xc3;
    assert_int_equal(jbw_message_decode(hello, sizeof hello, &scratch, &message), JBW_INVALID_DATA);

    // a list that cannot be there asks for no memory
    uint8_t many[12] = {9, 0, 0, 0, 0, 0, 1, 0, 0xff, 0xff, 0xff, 0xff};
    assert_int_equal(jbw_message_decode(many, sizeof many, &scratch, &message), JBW_INVALID_DATA);
    assert_null(scratch.blocks);
    jbw_scratch_deinit(&scratch);
}

static void what_cannot_be_said_is_not_said(void **unused)
{
    (void)unused;
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

// whatever else is decoded, nothing bad happens
static void damaged_messages_do_no_harm(void **unused)
{
    (void)unused;
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

static void names_are_known(void **unused)
{
    (void)unused;
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
        cmocka_unit_test(messages_come_back),
        cmocka_unit_test(bytes_stand_where_they_should),
        cmocka_unit_test(bad_values_are_refused),
        cmocka_unit_test(what_cannot_be_said_is_not_said),
        cmocka_unit_test(damaged_messages_do_no_harm),
        cmocka_unit_test(names_are_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
