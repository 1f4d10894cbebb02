// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What agents write, read, say and hear, against a slow oracle: random worlds of both generators, with
/// seasons, regrowth, bodies and tools, in which agents come and go, and which are cloned, saved and
/// loaded.
///
/// A sequence that fails prints its seed: `test_words_oracle --seed N --sequences 1` runs it alone.
#include "support/models.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jbw/agent.h"
#include "sim/world/world.h"
#include "support/options.h"
#include "support/oracle.h"
#include "support/oracle_config.h"
#include "support/random.h"
#include "support/waiting.h"

static uint64_t first_seed = 1;
static uint64_t sequence_count = 1000; // fewer under a sanitizer

static struct {
    uint64_t read;
    uint64_t heard;
    uint64_t refused; // texts that are not possible
    uint64_t evicted; // patches with texts that left memory
    uint64_t unable;  // actions that a body lacks
} tally;

enum { WAY = 14 }; // agents that are farther from the middle are removed

typedef struct run {
    uint64_t random;
    const jbw_config *config;
    jbw_world *world;
    oracle *o;
} run;

static bool is_well(const run *r)
{
    return !r->o->problem[0];
}

static void expect(run *r, const char *what, int64_t found, int64_t expected)
{
    if (found != expected && is_well(r))
        snprintf(r->o->problem, sizeof r->o->problem, "%s is %" PRId64 ", not %" PRId64, what,
                 found, expected);
}

// ---- words ----

// a text of any length, seldom one that is not possible; NULL if there is none
static const char *draw_text(run *r, char room[300])
{
    static const char *const pieces[] = {"a",        "north ",       "\n",
                                         "\xc3\xa4", "\xe2\x82\xac", "\xf0\x9f\x8d\x8c"};
    static const char *const faults[] = {
        "\xff", "\x80", "\xc3", "\xc0\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82 east"};
    if (random_chance(&r->random, 10)) return NULL;
    const int most = random_chance(&r->random, 20) ? 258 : random_between(&r->random, 0, 20);
    size_t length = 0;
    for (;;) {
        const char *piece = pieces[random_between(&r->random, 0, 5)];
        if (length + strlen(piece) > (size_t)most) break;
        memcpy(room + length, piece, strlen(piece));
        length += strlen(piece);
    }
    room[length] = '\0';
    if (random_chance(&r->random, 2)) strcpy(room, faults[random_between(&r->random, 0, 6)]);
    return room;
}

static int draw_say(run *r)
{
    const int symbols = r->config->agent.voice.symbols;
    if (random_chance(&r->random, 1)) return symbols + 1 - random_between(&r->random, 0, 1) * 400;
    return random_chance(&r->random, 40) ? 0 : random_between(&r->random, 0, symbols);
}

// whether an action drops what may carry a text
static bool can_write(const run *r, int action)
{
    const char *item = r->config->agent.actions[action].item;
    for (size_t i = 0; item && i < r->config->item_count; i++)
        if (strcmp(r->config->items[i].name, item) == 0) return r->config->items[i].has_text;
    return false;
}

static int draw_action(run *r, jbw_agent_id id)
{
    const int count = (int)r->config->agent.action_count;
    const oracle_agent *agent = oracle_find(r->o, id);
    int action = random_between(&r->random, 0, count - 1);
    for (int i = 0; i < 12 && agent; i++) {
        if (oracle_is_interesting(r->o, agent, &r->config->agent.actions[action])) break;
        action = random_between(&r->random, 0, count - 1);
    }
    return action;
}

// ---- calls ----

static size_t list_agents(const run *r, jbw_agent_id *ids)
{
    return jbw_world_agents(r->world, ids, ORACLE_MAX_AGENTS);
}

// Some agents request something, one by one or together.
static void request(run *r, const jbw_agent_id *ids, size_t count)
{
    static char rooms[ORACLE_MAX_AGENTS][300];
    int actions[ORACLE_MAX_AGENTS];
    int say[ORACLE_MAX_AGENTS];
    const char *texts[ORACLE_MAX_AGENTS];
    for (size_t i = 0; i < count; i++) {
        actions[i] = draw_action(r, ids[i]);
        say[i] = draw_say(r);
        const bool may = can_write(r, actions[i]) || random_chance(&r->random, 1);
        texts[i] = may ? draw_text(r, rooms[i]) : NULL;
    }
    const jbw_requests requests = {.actions = actions,
                                   .say = random_chance(&r->random, 90) ? say : NULL,
                                   .texts = random_chance(&r->random, 90) ? texts : NULL};
    const uint64_t hash = jbw_world_hash(r->world);
    bool stepped = false;
    bool is_due = false;
    jbw_status status;
    if (count == 1 && random_chance(&r->random, 80)) {
        const jbw_request one = {.action = actions[0],
                                 .say = requests.say ? say[0] : 0,
                                 .text = requests.texts ? texts[0] : NULL};
        status = jbw_agent_request(r->world, ids[0], &one, &stepped);
    } else {
        status = jbw_world_request(r->world, ids, &requests, count, &stepped);
    }
    expect(r, "the status", status, oracle_request_together(r->o, ids, &requests, count, &is_due));
    expect(r, "stepped", stepped, is_due);
    if (status) expect(r, "a change", hash != jbw_world_hash(r->world), false);
    tally.refused += status == JBW_INVALID_ARGUMENT;
}

static void everybody(run *r)
{
    jbw_agent_id all[ORACLE_MAX_AGENTS];
    jbw_agent_id ids[ORACLE_MAX_AGENTS];
    size_t count = 0;
    const size_t all_count = list_agents(r, all);
    for (size_t i = 0; i < all_count; i++) {
        const oracle_agent *agent = oracle_find(r->o, all[i]);
        if (agent && agent->state.is_active) ids[count++] = all[i];
    }
    const bool is_together = random_chance(&r->random, 50);
    for (size_t i = 0; i < count && !is_together && is_well(r); i++) {
        if (random_chance(&r->random, 10)) request(r, &ids[random_next(&r->random) % (i + 1)], 1);
        request(r, &ids[i], 1);
    }
    if (is_together && count > 0) request(r, ids, count);
}

static jbw_position draw_cell(run *r)
{
    const int most = WAY + r->config->patch_size; // in patches that no agent needs, too
    const int x = random_between(&r->random, -most, most);
    return (jbw_position){x, random_between(&r->random, -most, most)};
}

static void place(run *r)
{
    char room[300];
    const int type = random_between(&r->random, 0, (int)r->config->item_count - 1);
    jbw_agent_id ids[ORACLE_MAX_AGENTS];
    const size_t count = list_agents(r, ids);
    jbw_position cell = draw_cell(r);
    if (count > 0 && random_chance(&r->random, 50)) {
        cell = oracle_find(r->o, ids[random_next(&r->random) % count])->state.position;
        cell.x += random_between(&r->random, -1, 1);
        cell.y += random_between(&r->random, -1, 1);
    }
    const bool has_text = r->config->items[type].has_text || random_chance(&r->random, 5);
    const char *text = has_text ? draw_text(r, room) : NULL;
    const uint64_t hash = jbw_world_hash(r->world);
    const jbw_status status = jbw_world_place_text(r->world, type, cell, text);
    if (status == JBW_INVALID_ARGUMENT) {
        expect(r, "the status", status, oracle_write(r->o, type, cell, text));
        expect(r, "a change", hash != jbw_world_hash(r->world), false);
        tally.refused++;
        return;
    }
    const jbw_status due = oracle_place_item(r->o, type, cell, status);
    expect(r, "the status", status, due);
    if (!due) expect(r, "the status", status, oracle_write(r->o, type, cell, text));
}

static void take_away(run *r)
{
    const oracle *o = r->o;
    if (o->changed_count == 0) return;
    const size_t index = o->changed_cells[random_next(&r->random) % o->changed_count];
    const jbw_position cell = {o->corner.x + (int64_t)index % o->side,
                               o->corner.y + (int64_t)index / o->side};
    const jbw_status status = jbw_world_remove_item(r->world, cell);
    expect(r, "the status", status, oracle_remove_item(r->o, cell));
}

static void add_agent(run *r)
{
    const jbw_agent_options options = {
        .has_position = true,
        .is_forced = true,
        .position = {random_between(&r->random, -5, 5), random_between(&r->random, -5, 5)},
        .direction = (jbw_direction)random_between(&r->random, 0, 3),
        .body = random_between(&r->random, 0, (int)r->config->body_count)};
    jbw_agent_id id;
    const jbw_status status = jbw_world_add_agent(r->world, &options, &id);
    expect(r, "the status", status, oracle_add_agent(r->o, &options, status, id));
}

static void remove_agent(run *r, jbw_agent_id id)
{
    const jbw_status status = jbw_world_remove_agent(r->world, id);
    expect(r, "the status", status, oracle_remove_agent(r->o, id));
}

// an invariant world drops patches whenever it can, or often
static void use_world(run *r)
{
    const size_t budget = random_chance(&r->random, 50) ? 1 : 8000;
    if (r->world->generator.patch_cache)
        jbw_patch_cache_set_budget(r->world->generator.patch_cache, budget, 1 << 20);
}

// goes on with a copy, or with what the world is saved and loaded as; both have its hash and bytes
static void replace_world(run *r)
{
    r->world = r->o->world = replaced_world(r->world, random_chance(&r->random, 50));
    use_world(r);
    oracle_compare(r->o, true, false);
    oracle_compare_texts(r->o);
}

static void do_something(run *r)
{
    jbw_agent_id ids[ORACLE_MAX_AGENTS];
    const size_t count = list_agents(r, ids);
    const int pick = random_between(&r->random, 0, 99);
    if (pick < 4 && r->o->agent_count < ORACLE_MAX_AGENTS - 2) {
        add_agent(r);
    } else if (pick < 6 && count > 1) {
        remove_agent(r, ids[random_next(&r->random) % count]);
    } else if (pick < 9 && count > 0) {
        const jbw_agent_id id = ids[random_next(&r->random) % count];
        const bool is_active = random_chance(&r->random, 70);
        const jbw_status status = jbw_agent_set_active(r->world, id, is_active);
        expect(r, "the status", status, oracle_set_active(r->o, id, is_active));
    } else if (pick < 22) {
        place(r);
    } else if (pick < 26) {
        take_away(r);
    } else if (pick < 30 && count > 0) {
        request(r, &ids[random_next(&r->random) % count], 1);
    } else if (pick < 34) {
        expect(r, "the status", jbw_world_step(r->world), JBW_OK);
        oracle_step(r->o);
    } else if (pick < 38) {
        replace_world(r);
    } else {
        everybody(r);
    }
}

static void compare(run *r)
{
    oracle_compare(r->o, false, false);
    for (size_t i = 0; i < r->o->agent_count; i++) {
        const oracle_agent *agent = &r->o->agents[i];
        if (agent->is_gone) continue;
        char text[JBW_MAX_TEXT + 1] = "";
        jbw_agent_read(r->world, agent->id, text);
        tally.read += text[0] != '\0';
        jbw_agent_result result = {0};
        jbw_agent_get_result(r->world, agent->id, &result);
        tally.unable += result.outcome == JBW_OUTCOME_NOT_ABLE;
        for (int s = 0; s < r->config->agent.voice.symbols; s++)
            tally.heard += (uint64_t)agent->heard[s];
    }
    tally.evicted += r->world->map.evicted_texts.count;
}

static bool run_sequence(uint64_t seed)
{
    run r = {.random = seed * UINT64_C(0xD1342543DE82EF95) + 3};
    static oracle_config storage;
    oracle_config_draw(&storage, &r.random);
    if (random_chance(&r.random, 60)) oracle_config_add_time(&storage, &r.random);
    if (random_chance(&r.random, 30)) oracle_config_add_things(&storage, &r.random);
    oracle_config_add_words(&storage, &r.random);
    if (random_chance(&r.random, 50)) oracle_config_add_bodies(&storage, &r.random);
    r.config = &storage.config;
    jbw_error error = {0};
    jbw_model *model;
    if (jbw_model_create(r.config, &model, &error))
        fail_msg("seed %" PRIu64 ": %s", seed, error.text);
    r.world = world_of(model, seed);
    use_world(&r);
    r.o = oracle_create(r.config, r.world, (jbw_position){0, 0}, WAY / r.config->patch_size + 3);

    const int agents = seed % 25 == 7 ? 30 : random_between(&r.random, 1, 5); // now and then many
    for (int i = 0; i < agents && is_well(&r); i++) add_agent(&r);
    const int rounds = seed % 50 == 0 ? 200 : random_between(&r.random, 20, 60);
    for (int i = 0; i < rounds && is_well(&r); i++) {
        do_something(&r);
        compare(&r);
        for (size_t k = 0; k < r.o->agent_count; k++) {
            const oracle_agent *agent = &r.o->agents[k];
            if (!agent->is_gone && (llabs(agent->state.position.x) > WAY - 3 ||
                                    llabs(agent->state.position.y) > WAY - 3))
                remove_agent(&r, agent->id);
        }
    }
    if (is_well(&r)) oracle_compare(r.o, true, true);
    if (is_well(&r)) oracle_compare_texts(r.o);
    const bool all_well = is_well(&r);
    if (!all_well) print_error("--seed %" PRIu64 " --sequences 1: %s\n", seed, r.o->problem);
    oracle_destroy(r.o);
    jbw_world_destroy(r.world);
    jbw_model_destroy(model);
    return all_well;
}

static void test_random_sequences(void **state)
{
    (void)state;
    int failures = 0;
    for (uint64_t i = 0; i < sequence_count && failures < 5; i++)
        failures += !run_sequence(first_seed + i);
    assert_int_equal(failures, 0);
    print_message("texts read %" PRIu64 ", symbols heard %" PRIu64 ", requests refused %" PRIu64
                  ", patches with texts out of memory %" PRIu64 ", actions not able %" PRIu64 "\n",
                  tally.read, tally.heard, tally.refused, tally.evicted, tally.unable);
    if (sequence_count < 1000) return;
    assert_true(tally.read > 1000 && tally.heard > 1000 && tally.refused > 100 &&
                tally.evicted > 100 && tally.unable > 1000);
}

int main(int argc, char **argv)
{
    if (is_sanitized()) sequence_count = 200;
    for (int i = 1; i + 1 < argc; i += 2) {
        uint64_t *number = strcmp(argv[i], "--seed") == 0 ? &first_seed : &sequence_count;
        if (!read_number(argv[i + 1], number)) return 2;
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_sequences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
