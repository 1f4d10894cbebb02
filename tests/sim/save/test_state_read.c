// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Reading must not trust its input: a small world is written number by number, and each number is
/// wrong once.
#include "support/models.h"

#include <string.h>

#include "base/bytes.h"
#include "jbw/state.h"
#include "sim/world/world.h"

enum { NEIGHBOURS = 9 };

typedef struct bad_patch {
    int64_t x;
    int64_t y;
    uint8_t flags;
    uint64_t items[2]; // as written
    size_t item_count;
    uint64_t claimed_item_count;
    uint64_t undo_gap;
    uint8_t undo_generated;
    size_t undo_count; // 0 or 1
} bad_patch;

typedef struct bad_event {
    uint64_t age;
    uint64_t patch;
    uint64_t cell;
    uint8_t source;
    uint8_t sign;
} bad_event;

typedef struct bad_agent {
    uint64_t generation;
    uint8_t flags;
    jbw_position position;
    jbw_position start;
    uint8_t direction;
    uint64_t result_time;
    uint64_t result_action;
    uint8_t outcome;
    uint8_t moved;
    uint8_t item;
    uint64_t collected;
    uint64_t dropped;
    jbw_position before;
    jbw_position after;
} bad_agent;

/// Everything that is written, good or bad.
typedef struct scene {
    uint64_t version;
    uint64_t time;
    uint64_t claimed_patch_count;
    bad_patch patches[NEIGHBOURS];
    bad_event events[2];
    size_t event_count;
    bad_agent agents[2];
    uint64_t claimed_slot_count;
    uint64_t order[2];
    uint64_t request_slots[2];
    uint64_t request_actions[2];
    size_t request_count;
    bool has_more;
} scene;

static jbw_model *model;

static int make_model(void **state)
{
    (void)state;
    static const double smell = 1;
    static const jbw_item_type items[] = {
        {.name = "Bean", .scent = &smell, .intensity = "Constant[-1]"},
        {.name = "Wall", .intensity = "Constant[-2]"}};
    jbw_config config = small_config(3, 20, items, 2);
    config.scent_dimensions = 1;
    config.scent_decay = 0.5;
    return jbw_model_create(&config, &model, NULL) != JBW_OK;
}

static int free_model(void **state)
{
    (void)state;
    jbw_model_destroy(model);
    return 0;
}

// nine patches, the middle one final and with a change; two agents in it, one with a request
static scene good_scene(void)
{
    scene s = {.version = 1, .time = 5, .claimed_patch_count = NEIGHBOURS};
    for (int i = 0; i < NEIGHBOURS; i++)
        s.patches[i] = (bad_patch){.x = i % 3 - 1,
                                   .y = i / 3 - 1,
                                   .items = {1, 4},
                                   .item_count = 2,
                                   .claimed_item_count = 2};
    s.patches[4].flags = 1;
    s.patches[4].undo_gap = 8; // the last cell
    s.patches[4].undo_generated = 2;
    s.patches[4].undo_count = 1;
    s.event_count = 2;
    s.events[0] = (bad_event){.age = 3, .patch = 4, .cell = 8, .source = 1, .sign = 0};
    s.events[1] = (bad_event){.age = 3, .patch = 4, .cell = 0, .source = 0, .sign = 1};
    for (int i = 0; i < 2; i++)
        s.agents[i] = (bad_agent){.generation = 1,
                                  .flags = 3,
                                  .position = {1, 1},
                                  .start = {1, 1},
                                  .result_time = 5,
                                  .before = {1, 1},
                                  .after = {1, 1}};
    s.claimed_slot_count = 2;
    s.order[0] = 1;
    s.request_slots[0] = 1;
    s.request_slots[1] = 0;
    s.request_actions[0] = 2;
    s.request_count = 1;
    return s;
}

static void write_position(jbw_writer *w, jbw_position position)
{
    jbw_write_signed(w, position.x);
    jbw_write_signed(w, position.y);
}

static void write_patch(jbw_writer *w, const bad_patch *p)
{
    write_position(w, (jbw_position){p->x, p->y});
    jbw_write_u8(w, p->flags);
    if (p->flags == 0) jbw_write_u64(w, 7);
    jbw_write_varint(w, p->claimed_item_count);
    for (size_t i = 0; i < p->item_count; i++) jbw_write_varint(w, p->items[i]);
    if (p->flags == 0) return;
    jbw_write_varint(w, p->undo_count);
    if (p->undo_count == 0) return;
    jbw_write_varint(w, p->undo_gap);
    jbw_write_u8(w, p->undo_generated);
}

static void write_agent(jbw_writer *w, const bad_agent *a)
{
    jbw_write_varint(w, a->generation);
    jbw_write_u8(w, a->flags);
    if (!(a->flags & 1)) return;
    write_position(w, a->position);
    write_position(w, a->start);
    jbw_write_u8(w, a->direction);
    jbw_write_varint(w, a->result_time);
    jbw_write_varint(w, a->result_action);
    jbw_write_u8(w, a->outcome);
    jbw_write_u8(w, a->moved);
    jbw_write_u8(w, a->item);
    jbw_write_varint(w, a->collected);
    jbw_write_varint(w, a->dropped);
    write_position(w, a->before);
    write_position(w, a->after);
    for (int t = 0; t < 2; t++) jbw_write_varint(w, 9);
}

static jbw_buffer write_scene(const scene *s)
{
    jbw_buffer bytes = {0};
    jbw_writer w = jbw_writer_begin(&bytes);
    jbw_write_varint(&w, s->version);
    jbw_write_varint(&w, model->config_size);
    jbw_write_bytes(&w, model->config, model->config_size);
    jbw_write_u64(&w, 42);
    jbw_write_varint(&w, s->time);
    for (int i = 0; i < 3; i++) jbw_write_varint(&w, 1);
    jbw_write_varint(&w, s->claimed_patch_count);
    for (int i = 0; i < NEIGHBOURS; i++) write_patch(&w, &s->patches[i]);
    jbw_write_varint(&w, s->event_count);
    for (size_t i = 0; i < s->event_count; i++) {
        jbw_write_varint(&w, s->events[i].age);
        jbw_write_varint(&w, s->events[i].patch);
        jbw_write_varint(&w, s->events[i].cell);
        jbw_write_u8(&w, s->events[i].source);
        jbw_write_u8(&w, s->events[i].sign);
    }
    jbw_write_varint(&w, s->claimed_slot_count);
    for (int i = 0; i < 2; i++) write_agent(&w, &s->agents[i]);
    for (int i = 0; i < 2; i++)
        if (s->agents[i].flags & 1) jbw_write_varint(&w, s->order[i]);
    jbw_write_varint(&w, s->request_count);
    for (size_t i = 0; i < s->request_count; i++) {
        jbw_write_varint(&w, s->request_slots[i]);
        jbw_write_varint(&w, s->request_actions[i]);
    }
    if (s->has_more) jbw_write_u8(&w, 0);
    assert_true(w.ok);
    return bytes;
}

// `text` must occur in the message; NULL if the scene is good
static void expect(const scene *s, const char *text)
{
    jbw_buffer bytes = write_scene(s);
    jbw_model *made;
    jbw_world *world;
    jbw_error error;
    const jbw_load_options options = {.model = model};
    const jbw_status status =
        jbw_world_decode(bytes.bytes, bytes.size, &options, &made, &world, &error);
    if (status != (text ? JBW_INVALID_DATA : JBW_OK))
        fail_msg("%s: \"%s\", expected \"%s\"", jbw_status_name(status), error.text,
                 text ? text : "");
    if (text && !strstr(error.text, text)) fail_msg("\"%s\", expected \"%s\"", error.text, text);
    jbw_world_destroy(world);
    jbw_model_destroy(made);
    jbw_buffer_free(&bytes);
}

// a scene with one wrong number
#define EXPECT(text, ...)       \
    do {                        \
        scene s = good_scene(); \
        __VA_ARGS__;            \
        expect(&s, text);       \
    } while (0)

static void test_good(void **state)
{
    (void)state;
    EXPECT(NULL, (void)0);
    EXPECT(NULL, s.patches[0].items[1] = 15); // in the last cell
    EXPECT(NULL, s.agents[0].flags = 0, s.order[1] = 1, s.request_count = 0);
    EXPECT(NULL, s.agents[0].flags = 1, s.request_count = 0);
}

static void test_beginning(void **state)
{
    (void)state;
    EXPECT("unknown version", s.version = 0);
    EXPECT("does not match its config", s.version = 3);
    EXPECT("does not match its config", s.version = 5);
    EXPECT("does not match its config", s.version = 7);
    EXPECT("has version 25", s.version = 25);
    EXPECT("does not match its config", s.version = 14); // of an invariant world
    EXPECT("does not match its config", s.version = 2);
    EXPECT("invalid time", s.time = (UINT64_C(1) << 62) + 1);
    EXPECT("bytes after its end", s.has_more = true);
}

static void test_patches(void **state)
{
    (void)state;
    const int64_t far = JBW_MAX_COORDINATE / 3 + 3;
    EXPECT("outside of the world", s.patches[0].x = far);
    EXPECT("outside of the world", s.patches[0].x = INT64_MIN);
    EXPECT("outside of the world", s.patches[0].y = -far);
    EXPECT("two patches have the same position", s.patches[0].x = 0);
    EXPECT("unknown flag", s.patches[4].flags = 2);
    EXPECT("lacks a neighbor", s.patches[0].x = 5);
    EXPECT("do not fit", s.patches[0].items[1] = 16); // in the cell after the last one
    EXPECT("a number is malformed", s.patches[0].items[1] = UINT64_MAX);
    EXPECT("do not fit", s.patches[0].claimed_item_count = 10);
    EXPECT("ends too early", s.patches[0].claimed_item_count = 1 << 20);
    EXPECT("ends too early", s.claimed_patch_count = UINT64_MAX);
    EXPECT("outside of its patch", s.patches[4].undo_gap = 9);
    EXPECT("outside of its patch", s.patches[4].undo_gap = UINT64_MAX);
    EXPECT("unknown item type", s.patches[4].undo_generated = 3);
    EXPECT("changes nothing", s.patches[4].undo_generated = 0);
}

static void test_events(void **state)
{
    (void)state;
    EXPECT("ordered by time", s.events[0].age = 2);
    EXPECT("too old", s.events[0].age = 6);
    EXPECT("too old", s.time = 1000, s.events[0].age = 900);
    EXPECT("not in a final patch", s.events[0].patch = 3);
    EXPECT("not in a final patch", s.events[0].patch = NEIGHBOURS);
    EXPECT("not in a final patch", s.events[0].patch = (UINT64_C(1) << 32) + 4);
    EXPECT("outside of its patch", s.events[0].cell = 9);
    EXPECT("outside of its patch", s.events[0].cell = 65536 + 8);
    EXPECT("invalid source or sign", s.events[0].source = 2);
    EXPECT("invalid source or sign", s.events[0].source = 255); // agents have no scent here
    EXPECT("invalid source or sign", s.events[0].sign = 2);
}

static void test_agents(void **state)
{
    (void)state;
    const int64_t far = JBW_MAX_COORDINATE + 1;
    EXPECT("ends too early", s.claimed_slot_count = UINT32_MAX);
    EXPECT("invalid id", s.agents[0].generation = 0);
    EXPECT("invalid id", s.agents[0].generation = UINT64_C(1) << 32);
    EXPECT("unknown flag", s.agents[0].flags = 2);
    EXPECT("unknown flag", s.agents[0].flags = 5);
    EXPECT("missing or not final", s.agents[0].position.x = 0);
    EXPECT("missing or not final", s.agents[0].position.y = 2);
    EXPECT("missing or not final", s.agents[0].position.y = far);
    EXPECT("started outside of the world", s.agents[0].start.x = -far);
    EXPECT("unknown direction", s.agents[0].direction = 4);
    EXPECT("result is impossible", s.agents[0].result_time = 6);
    EXPECT("result is impossible", s.agents[0].moved = 2);
    EXPECT("result is impossible", s.agents[0].before.x = far);
    EXPECT("result is impossible", s.agents[0].after.y = far);
    EXPECT("unknown action or item type", s.agents[0].result_action = 4);
    EXPECT("unknown action or item type", s.agents[0].collected = 3);
    EXPECT("unknown action or item type", s.agents[0].dropped = 3);
    EXPECT("unknown outcome", s.agents[0].outcome = 10);
    EXPECT("unknown outcome", s.agents[0].item = 10);
    EXPECT("order of the agents is invalid", s.order[0] = 0);
    EXPECT("order of the agents is invalid", s.order[0] = 2);
    EXPECT("order of the agents is invalid", s.agents[0].flags = 0, s.order[1] = 0,
           s.request_count = 0);
}

static void test_requests(void **state)
{
    (void)state;
    EXPECT("invalid request", s.request_slots[0] = 2);
    EXPECT("invalid request", s.request_actions[0] = 3);
    EXPECT("invalid request", s.request_actions[0] = UINT64_MAX);
    EXPECT("invalid request", s.request_count = 2, s.request_slots[1] = 1);
    EXPECT("invalid request", s.agents[1].flags = 1); // it is inactive
    EXPECT("no step was taken", s.request_count = 2);
    EXPECT("more requests than active agents", s.agents[0].flags = 1, s.request_count = 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_good),    cmocka_unit_test(test_beginning),
        cmocka_unit_test(test_patches), cmocka_unit_test(test_events),
        cmocka_unit_test(test_agents),  cmocka_unit_test(test_requests),
    };
    return cmocka_run_group_tests(tests, make_model, free_model);
}
