// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "support/drawing.h"

#include <stdio.h>
#include <string.h>

static const char action_letters[] = "FBLRlruCNDE";

static const char facing_letters[] = "^>v<";

static const char outcome_letters[] = "-DIAL0UQOE";

enum { PLAIN_ACTIONS = 9 };

jbw_config drawn_config(const jbw_item_type *items, size_t item_count)
{
    // the actions need names that outlive this call, and those of items are the caller's
    static const jbw_action plain_actions[PLAIN_ACTIONS] = {
        {JBW_ACTION_MOVE_FORWARD, NULL}, {JBW_ACTION_MOVE_BACKWARD, NULL},
        {JBW_ACTION_MOVE_LEFT, NULL},    {JBW_ACTION_MOVE_RIGHT, NULL},
        {JBW_ACTION_TURN_LEFT, NULL},    {JBW_ACTION_TURN_RIGHT, NULL},
        {JBW_ACTION_TURN_AROUND, NULL},  {JBW_ACTION_COLLECT, NULL},
        {JBW_ACTION_NO_OP, NULL},
    };
    static jbw_action actions[PLAIN_ACTIONS + 2];
    memcpy(actions, plain_actions, sizeof plain_actions);
    size_t count = PLAIN_ACTIONS;
    for (size_t i = 0; i < 2 && i < item_count; i++)
        actions[count++] = (jbw_action){JBW_ACTION_DROP, items[i].name};

    // without iterations nothing is ever generated
    jbw_config config = small_config(DRAWN_PATCH_SIZE, 0, items, item_count);
    config.agent.vision_range = 3;
    config.agent.actions = actions;
    config.agent.action_count = count;
    return config;
}

static const char *letter_at(const char *drawing, int64_t x, int64_t y)
{
    int64_t height = 0;
    for (const char *c = drawing; *c; c++) height += *c == '\n';
    const char *row = drawing;
    for (int64_t skip = height - 1 - y; skip > 0; skip--) row = strchr(row, '\n') + 1;
    return row + x;
}

static void measure(const char *drawing, int64_t *width, int64_t *height)
{
    const char *end = strchr(drawing, '\n');
    assert_non_null(end);
    *width = end - drawing;
    *height = 0;
    for (const char *row = drawing; *row; row = strchr(row, '\n') + 1) {
        assert_int_equal(strchr(row, '\n') - row, *width);
        (*height)++;
    }
}

static jbw_direction direction_by_letter(char letter)
{
    const char *found = strchr(facing_letters, letter);
    assert_true(letter && found);
    return (jbw_direction)(found - facing_letters);
}

void draw_agent(drawn_world *d, jbw_position cell, jbw_direction direction)
{
    assert_true(d->agent_count < MAX_DRAWN_AGENTS);
    const jbw_agent_options options = {
        .has_position = true, .position = cell, .direction = direction};
    assert_int_equal(jbw_world_add_agent(d->world, &options, &d->agents[++d->agent_count]), JBW_OK);
}

void draw_world(drawn_world *d, const jbw_config *config, const char *letters, const char *facing,
                const char *drawing)
{
    *d = (drawn_world){.letters = letters};
    d->model = model_of(config);
    d->world = world_of(d->model, 1);

    int64_t width;
    int64_t height;
    measure(drawing, &width, &height);
    jbw_position places[MAX_DRAWN_AGENTS] = {{0, 0}};
    size_t count = 0;
    for (int64_t y = 0; y < height; y++)
        for (int64_t x = 0; x < width; x++) {
            const char letter = *letter_at(drawing, x, y);
            const char *item = strchr(letters, letter);
            if (letter >= '1' && letter <= '9') {
                places[letter - '1'] = (jbw_position){x, y};
                count++;
            } else if (letter != '.') {
                assert_non_null(item);
                assert_int_equal(
                    jbw_world_place_item(d->world, (int)(item - letters), (jbw_position){x, y}),
                    JBW_OK);
            }
        }
    assert_int_equal(strlen(facing), count);
    for (size_t i = 0; i < count; i++) draw_agent(d, places[i], direction_by_letter(facing[i]));
}

void erase_world(drawn_world *d)
{
    jbw_world_destroy(d->world);
    jbw_model_destroy(d->model);
    *d = (drawn_world){0};
}

int action_by_letter(char letter)
{
    const char *found = strchr(action_letters, letter);
    assert_true(letter && found);
    return (int)(found - action_letters);
}

static void ask_all(drawn_world *d, const char *script, bool steps_at_last)
{
    for (const char *c = script; *c; c += c[2] ? 3 : 2) {
        bool stepped = false;
        const int agent = c[0] - '0';
        assert_true(agent >= 1 && (size_t)agent <= d->agent_count);
        assert_int_equal(
            jbw_agent_act(d->world, d->agents[agent], action_by_letter(c[1]), &stepped), JBW_OK);
        assert_int_equal(stepped, steps_at_last && !c[2]);
    }
}

void play(drawn_world *d, const char *script)
{
    ask_all(d, script, true);
}

void ask(drawn_world *d, const char *script)
{
    ask_all(d, script, false);
}

char item_letter(const drawn_world *d, jbw_position cell)
{
    uint8_t item;
    const jbw_region region = {cell.x, cell.y, 1, 1};
    assert_int_equal(jbw_world_read_region(d->world, region, &item, NULL), JBW_OK);
    return item ? d->letters[item - 1] : '.';
}

jbw_agent_state state_of(const drawn_world *d, int agent)
{
    jbw_agent_state state;
    assert_int_equal(jbw_agent_get_state(d->world, d->agents[agent], &state), JBW_OK);
    return state;
}

jbw_agent_result result_of(const drawn_world *d, int agent)
{
    jbw_agent_result result;
    assert_int_equal(jbw_agent_get_result(d->world, d->agents[agent], &result), JBW_OK);
    return result;
}

static bool is_there(const drawn_world *d, size_t agent)
{
    jbw_agent_state state;
    return jbw_agent_get_state(d->world, d->agents[agent], &state) == JBW_OK;
}

void assert_drawing(const drawn_world *d, const char *drawing)
{
    char found[1024];
    int64_t width;
    int64_t height;
    measure(drawing, &width, &height);
    assert_true(strlen(drawing) < sizeof found);
    memcpy(found, drawing, strlen(drawing) + 1);
    for (int64_t y = 0; y < height; y++)
        for (int64_t x = 0; x < width; x++)
            found[letter_at(drawing, x, y) - drawing] = item_letter(d, (jbw_position){x, y});
    for (size_t i = 1; i <= d->agent_count; i++) {
        if (!is_there(d, i)) continue;
        const jbw_position at = state_of(d, (int)i).position;
        if (at.x < 0 || at.x >= width || at.y < 0 || at.y >= height)
            fail_msg("agent %zu has left the drawing", i);
        found[letter_at(drawing, at.x, at.y) - drawing] = (char)('0' + i);
    }
    if (strcmp(found, drawing) != 0) fail_msg("the world is\n%snot\n%s", found, drawing);
}

void assert_facing(const drawn_world *d, const char *facing)
{
    for (size_t i = 1; i <= d->agent_count; i++)
        assert_int_equal(facing_letters[state_of(d, (int)i).direction], facing[i - 1]);
}

static void assert_letters(const drawn_world *d, const char *expected, bool of_items)
{
    char found[MAX_DRAWN_AGENTS + 1] = {0};
    for (size_t i = 1; i <= d->agent_count; i++) {
        if (!is_there(d, i)) {
            found[i - 1] = ' ';
            continue;
        }
        const jbw_agent_result result = result_of(d, (int)i);
        found[i - 1] = outcome_letters[of_items ? result.item : result.outcome];
    }
    assert_string_equal(found, expected);
}

void assert_outcomes(const drawn_world *d, const char *outcomes)
{
    assert_letters(d, outcomes, false);
}

void assert_item_outcomes(const drawn_world *d, const char *outcomes)
{
    assert_letters(d, outcomes, true);
}

void assert_carries(const drawn_world *d, int agent, const char *counts)
{
    const uint64_t *inventory = jbw_agent_inventory(d->world, d->agents[agent]);
    assert_non_null(inventory);
    char found[128];
    int length = 0;
    for (int i = 0; i < jbw_model_item_type_count(d->model); i++)
        length += snprintf(found + length, sizeof found - (size_t)length, "%s%llu", i ? " " : "",
                           (unsigned long long)inventory[i]);
    assert_string_equal(found, counts);
}
