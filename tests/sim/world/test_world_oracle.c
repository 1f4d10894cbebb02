// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Worlds with agents against a slow oracle: random configs, random edits, random requests of
/// agents that come and go. After every call, everything that can be observed is compared.
///
/// A sequence that fails prints its seed: `test_world_oracle --seed N --sequences 1 --verbose` runs
/// it alone and prints every call.
#include "support/models.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
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

enum {
    FAR = 12,         // cells beyond that are edited and smelled, too
    MAX_FAILURES = 5, // then the test gives up
};

static uint64_t first_seed = 1;
static uint64_t sequence_count = 1000; // fewer under a sanitizer
static bool is_verbose;

// what occurred in all sequences, to check that nothing was left out
static struct {
    uint64_t steps;
    uint64_t outcomes[JBW_OUTCOME_NOT_ABLE + 1];
    uint64_t item_outcomes[JBW_OUTCOME_NOT_ABLE + 1];
    uint64_t grown;
    double scent_error; // the largest, relative to the tolerance
} tally;

// --- a sequence ---------------------------------------------------------------------------------

typedef struct run {
    uint64_t random;
    uint64_t bodies; // random numbers for them
    const jbw_config *config;
    jbw_world *world;
    oracle *o;
    jbw_position middle;
    bool perceives;
    int long_way;  // agents that are farther from the middle are removed
    bool is_timed; // items come and go by themselves, and there are noise and biomes
    int calls;
    uint64_t counted_time; // the latest step in the tally
    uint64_t heard_steps;  // how often the callback was called
    char what[160];        // the latest call
    jbw_agent_id gone;     // an agent that was removed
} run;

static void count_call(run *r)
{
    r->calls++;
    if (is_verbose) printf("    %3d: %s\n", r->calls, r->what);
}

JBW_PRINTF(2, 3) static void log_call(run *r, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(r->what, sizeof r->what, format, arguments);
    va_end(arguments);
    count_call(r);
}

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

static void on_step(jbw_world *world, void *user)
{
    run *r = user;
    r->heard_steps++;
    expect(r, "the time in the callback", (int64_t)jbw_world_time(world), (int64_t)r->heard_steps);
}

static jbw_position draw_cell(run *r, int spread)
{
    const int dx = random_between(&r->random, -spread, spread);
    const int dy = random_between(&r->random, -spread, spread);
    return (jbw_position){r->middle.x + dx, r->middle.y + dy};
}

// mostly near an agent, or where something has changed
static jbw_position draw_near(run *r)
{
    const oracle *o = r->o;
    if (r->is_timed && o->changed_count > 0 && random_chance(&r->random, 40)) {
        const size_t index = o->changed_cells[random_next(&r->random) % o->changed_count];
        return (jbw_position){o->corner.x + (int64_t)index % o->side,
                              o->corner.y + (int64_t)index / o->side};
    }
    const int pick = random_between(&r->random, 0, 7);
    const jbw_position cell = draw_cell(r, 12);
    jbw_agent_id ids[ORACLE_MAX_AGENTS];
    const size_t count = jbw_world_agents(r->world, ids, ORACLE_MAX_AGENTS);
    if (pick < 3 || count == 0) return cell;
    const oracle_agent *agent = oracle_find(r->o, ids[random_next(&r->random) % count]);
    const int dx = random_between(&r->random, -2, 2);
    const int dy = random_between(&r->random, -2, 2);
    if (!agent) return cell;
    return (jbw_position){agent->state.position.x + dx, agent->state.position.y + dy};
}

static jbw_agent_id draw_agent(run *r)
{
    jbw_agent_id ids[ORACLE_MAX_AGENTS];
    const size_t count = jbw_world_agents(r->world, ids, ORACLE_MAX_AGENTS);
    if (count == 0) return (jbw_agent_id){0, 0};
    return ids[random_next(&r->random) % count];
}

static void add_agent(run *r)
{
    jbw_agent_options options = {.direction = (jbw_direction)random_between(&r->random, 0, 3)};
    options.has_position = r->middle.x != 0 || random_chance(&r->random, 75);
    options.is_forced = options.has_position && random_chance(&r->random, 25);
    if (options.has_position)
        options.position = draw_cell(r, random_chance(&r->random, 80) ? 3 : r->long_way * 2 / 3);
    const oracle_agent *other = oracle_find(r->o, draw_agent(r));
    if (options.has_position && other && random_chance(&r->random, 30))
        options.position = other->state.position;
    // now and then one that does not exist
    if (r->config->body_count > 0)
        options.body = random_between(&r->bodies, random_chance(&r->bodies, 2) ? -1 : 0,
                                      (int)r->config->body_count + random_chance(&r->bodies, 2));
    const bool is_plain = !options.has_position && options.direction == JBW_UP && options.body == 0;
    log_call(r, "add an agent at (%" PRId64 ", %" PRId64 "), direction %d, body %d, %s%s",
             options.position.x, options.position.y, options.direction, options.body,
             options.has_position ? "" : "default place ", options.is_forced ? "forced" : "");
    jbw_agent_id id = {0, 0};
    const jbw_status status = jbw_world_add_agent(r->world, is_plain ? NULL : &options, &id);
    expect(r, "the status", status, oracle_add_agent(r->o, is_plain ? NULL : &options, status, id));
}

static void remove_agent(run *r, jbw_agent_id id)
{
    log_call(r, "remove agent %u", id.index1);
    if (oracle_find(r->o, id)) r->gone = id;
    const jbw_status status = jbw_world_remove_agent(r->world, id);
    expect(r, "the status", status, oracle_remove_agent(r->o, id));
}

static void set_active(run *r)
{
    const jbw_agent_id id = draw_agent(r);
    const bool is_active = random_chance(&r->random, 60);
    log_call(r, "make agent %u %s", id.index1, is_active ? "active" : "inactive");
    const jbw_status status = jbw_agent_set_active(r->world, id, is_active);
    expect(r, "the status", status, oracle_set_active(r->o, id, is_active));
}

static void place_at(run *r, int type, jbw_position cell)
{
    log_call(r, "place %s at (%" PRId64 ", %" PRId64 ")", oracle_item_names[type], cell.x, cell.y);
    const jbw_status status = jbw_world_place_item(r->world, type, cell);
    expect(r, "the status", status, oracle_place_item(r->o, type, cell, status));
}

static void place_item(run *r)
{
    const bool is_far = random_chance(&r->random, 15); // perhaps not final yet, or missing
    const jbw_position cell = is_far ? draw_cell(r, r->long_way + FAR) : draw_near(r);
    place_at(r, random_between(&r->random, 0, (int)r->config->item_count - 1), cell);
}

static void remove_item(run *r)
{
    const bool is_far = random_chance(&r->random, 15);
    jbw_position cell = is_far ? draw_cell(r, r->long_way + FAR) : draw_near(r);
    const jbw_position patch = jbw_world_patch_of(r->world, cell);
    if (oracle_patch_state(r->o, patch) != JBW_PATCH_FINAL) {
        // the oracle needs to know what was there
        log_call(r, "make patch (%" PRId64 ", %" PRId64 ") final", patch.x, patch.y);
        expect(r, "the status", jbw_world_finalize_patch(r->world, patch), JBW_OK);
        oracle_finalize_patch(r->o, patch);
        oracle_compare(r->o, false, false);
    }
    // most cells are empty: look for one that is not
    for (int i = 0; i < 6 && !oracle_item_at(r->o, cell); i++) {
        const jbw_position other = draw_near(r);
        if (oracle_patch_state(r->o, jbw_world_patch_of(r->world, other)) == JBW_PATCH_FINAL)
            cell = other;
    }
    log_call(r, "remove what is at (%" PRId64 ", %" PRId64 ")", cell.x, cell.y);
    const jbw_status status = jbw_world_remove_item(r->world, cell);
    expect(r, "the status", status, oracle_remove_item(r->o, cell));
}

static void explore(run *r)
{
    const jbw_position cell = draw_cell(r, r->long_way);
    if (random_chance(&r->random, 50)) {
        log_call(r, "explore (%" PRId64 ", %" PRId64 ")", cell.x, cell.y);
        expect(r, "the status", jbw_world_explore(r->world, &cell, 1), JBW_OK);
        oracle_explore(r->o, cell);
        return;
    }
    const jbw_position patch = jbw_world_patch_of(r->world, cell);
    log_call(r, "make patch (%" PRId64 ", %" PRId64 ") final", patch.x, patch.y);
    expect(r, "the status", jbw_world_finalize_patch(r->world, patch), JBW_OK);
    oracle_finalize_patch(r->o, patch);
}

// calls that must fail and change nothing
static void misuse(run *r)
{
    const uint64_t hash = jbw_world_hash(r->world);
    const jbw_agent_id id = draw_agent(r);
    const int action_count = (int)r->config->agent.action_count;
    const jbw_agent_id never = {77, 1};
    bool stepped = true;
    log_call(r, "misuse");
    if (id.index1) {
        expect(r, "status of too large an action",
               jbw_agent_act(r->world, id, action_count, &stepped), JBW_INVALID_ARGUMENT);
        expect(r, "status of too small an action", jbw_agent_act(r->world, id, -1, NULL),
               JBW_INVALID_ARGUMENT);
        const jbw_agent_id both[] = {id, r->gone};
        const int actions[] = {0, 0};
        if (r->gone.index1 && oracle_find(r->o, id)->state.is_active)
            expect(r, "the status for a removed agent",
                   jbw_world_act(r->world, both, actions, 2, &stepped), JBW_NO_SUCH_AGENT);
    }
    if (r->gone.index1) {
        expect(r, "the status for a removed agent", jbw_agent_act(r->world, r->gone, 0, &stepped),
               JBW_NO_SUCH_AGENT);
        expect(r, "the status for a removed agent", jbw_world_remove_agent(r->world, r->gone),
               JBW_NO_SUCH_AGENT);
    }
    expect(r, "the status for an unknown agent", jbw_agent_act(r->world, never, 0, NULL),
           JBW_NO_SUCH_AGENT);
    expect(r, "status for no agent", jbw_agent_set_active(r->world, (jbw_agent_id){0, 0}, false),
           JBW_NO_SUCH_AGENT);
    expect(r, "status of a type too large",
           jbw_world_place_item(r->world, (int)r->config->item_count, r->middle),
           JBW_INVALID_ARGUMENT);
    expect(r, "status of a type too small", jbw_world_place_item(r->world, -1, r->middle),
           JBW_INVALID_ARGUMENT);
    expect(r, "a change by misuse", hash != jbw_world_hash(r->world), false);
}

static int draw_action(run *r, jbw_agent_id id)
{
    const int count = (int)r->config->agent.action_count;
    const oracle_agent *agent = oracle_find(r->o, id);
    int action = random_between(&r->random, 0, count - 1);
    for (int i = 0; i < 12 && agent; i++) {
        if (oracle_is_interesting(r->o, agent, &r->config->agent.actions[action])) break;
        const bool is_move = r->config->agent.actions[action].kind >= JBW_ACTION_MOVE_FORWARD &&
                             r->config->agent.actions[action].kind <= JBW_ACTION_MOVE_RIGHT;
        if (random_chance(&r->random, is_move ? 30 : 70))
            action = random_between(&r->random, 0, count - 1);
    }
    return action;
}

static bool act(run *r, jbw_agent_id id)
{
    const int action = draw_action(r, id);
    log_call(r, "agent %u: %s", id.index1,
             jbw_action_kind_name(r->config->agent.actions[action].kind));
    bool stepped = false;
    bool is_due = false;
    const jbw_status status = jbw_agent_act(r->world, id, action, &stepped);
    expect(r, "the status", status, oracle_act(r->o, id, action, &is_due));
    expect(r, "stepped", stepped, is_due);
    return is_due;
}

static void shuffle(run *r, jbw_agent_id *ids, size_t count)
{
    for (size_t i = count; i > 1; i--) {
        const size_t k = random_next(&r->random) % i;
        const jbw_agent_id swapped = ids[k];
        ids[k] = ids[i - 1];
        ids[i - 1] = swapped;
    }
}

static void act_together(run *r, const jbw_agent_id *ids, size_t count)
{
    int actions[ORACLE_MAX_AGENTS];
    int length = snprintf(r->what, sizeof r->what, "together:");
    for (size_t i = 0; i < count; i++) {
        actions[i] = draw_action(r, ids[i]);
        if (length < (int)sizeof r->what)
            length +=
                snprintf(r->what + length, sizeof r->what - (size_t)length, " %u %s", ids[i].index1,
                         jbw_action_kind_name(r->config->agent.actions[actions[i]].kind));
    }
    count_call(r);
    bool stepped = false;
    bool is_due = false;
    const jbw_status status = jbw_world_act(r->world, ids, actions, count, &stepped);
    expect(r, "the status", status, oracle_act_together(r->o, ids, actions, count, &is_due));
    expect(r, "stepped", stepped, is_due);
}

// all active agents act, alone or together
static void everybody_acts(run *r)
{
    jbw_agent_id all[ORACLE_MAX_AGENTS];
    jbw_agent_id ids[ORACLE_MAX_AGENTS];
    const size_t all_count = jbw_world_agents(r->world, all, ORACLE_MAX_AGENTS);
    size_t count = 0;
    for (size_t i = 0; i < all_count; i++) {
        const oracle_agent *agent = oracle_find(r->o, all[i]);
        if (agent && (agent->state.is_active || random_chance(&r->random, 5)))
            ids[count++] = all[i];
    }
    shuffle(r, ids, count);
    const size_t alone =
        random_chance(&r->random, 30) ? count : random_next(&r->random) % (count + 1);
    for (size_t i = 0; i < alone && is_well(r); i++) {
        if (i > 0 && random_chance(&r->random, 20) && act(r, ids[random_next(&r->random) % i]))
            return;
        if (act(r, ids[i])) return;
        if (!oracle_compare(r->o, false, false)) return;
    }
    if (is_well(r)) act_together(r, ids + alone, count - alone);
}

static void do_something(run *r)
{
    const int pick = random_between(&r->random, 0, 99);
    jbw_agent_id ids[ORACLE_MAX_AGENTS];
    const size_t count = jbw_world_agents(r->world, ids, ORACLE_MAX_AGENTS);
    if (pick < 5 && count < 7 && r->o->agent_count < ORACLE_MAX_AGENTS - 2) {
        add_agent(r);
    } else if (pick < 7 && count > 1) {
        remove_agent(r, draw_agent(r));
    } else if (pick < 11 && count) {
        set_active(r);
    } else if (pick < 18) {
        place_item(r);
    } else if (pick < 22) {
        remove_item(r);
    } else if (pick < 24) {
        explore(r);
    } else if (pick < 26) {
        misuse(r);
    } else if (pick < 29 && count) {
        act(r, draw_agent(r)); // the others do not act yet
    } else if (pick < 34) {
        if (count && random_chance(&r->random, 50) && act(r, draw_agent(r))) return;
        if (!is_well(r)) return;
        log_call(r, "step");
        expect(r, "the status", jbw_world_step(r->world), JBW_OK);
        oracle_step(r->o);
    } else {
        everybody_acts(r);
    }
}

// agents that walked far are removed, so that the oracle can be small
static void remove_distant_agents(run *r)
{
    for (size_t i = 0; i < r->o->agent_count; i++) {
        const oracle_agent *agent = &r->o->agents[i];
        if (agent->is_gone) continue;
        if (llabs(agent->state.position.x - r->middle.x) > r->long_way - 5 ||
            llabs(agent->state.position.y - r->middle.y) > r->long_way - 5)
            remove_agent(r, agent->id);
    }
}

static void count_outcomes(run *r)
{
    if (r->o->time == r->counted_time) return;
    r->counted_time = r->o->time;
    tally.steps++;
    for (size_t i = 0; i < r->o->agent_count; i++) {
        const oracle_agent *agent = &r->o->agents[i];
        if (agent->is_gone) continue;
        tally.outcomes[agent->result.outcome]++;
        tally.item_outcomes[agent->result.item]++;
    }
}

static void compare(run *r, bool is_thorough)
{
    count_outcomes(r);
    expect(r, "calls of the callback", (int64_t)r->heard_steps, (int64_t)r->o->time);
    oracle_compare(r->o, r->perceives, is_thorough);
    const uint64_t random = r->random; // what is observed must not affect what happens next
    for (int i = 0; i < 2 && r->perceives && is_well(r); i++)
        oracle_compare_scent(r->o, i == 0 ? draw_near(r) : draw_cell(r, r->long_way + FAR));
    r->random = random;
}

// an invariant world drops patches whenever it can, or often
static void use_world(run *r)
{
    jbw_world_on_step(r->world, on_step, r);
    const size_t budget = random_chance(&r->random, 25) ? 1 : 8000;
    if (r->world->generator.patch_cache)
        jbw_patch_cache_set_budget(r->world->generator.patch_cache, budget, 1 << 20);
}

// goes on with a copy of the world, or with the world that it is saved and loaded as
static void replace_world(run *r)
{
    const bool is_saved = random_chance(&r->random, 50);
    log_call(r, is_saved ? "save and load" : "clone");
    r->world = r->o->world = replaced_world(r->world, is_saved);
    use_world(r);
}

static void begin(run *r, uint64_t seed, oracle_config *storage, jbw_model **model)
{
    jbw_error error = {0};
    oracle_config_draw(storage, &r->random);
    if (r->is_timed) oracle_config_add_time(storage, &r->random);
    if (r->is_timed) oracle_config_add_space(storage, &r->random);
    // from a stream of its own, so that the other worlds stay the same
    uint64_t things = seed ^ UINT64_C(0x7468696e6773);
    if (random_chance(&things, 50)) oracle_config_add_things(storage, &things);
    r->bodies = seed ^ UINT64_C(0x626f64696573);
    if (random_chance(&r->bodies, 50)) oracle_config_add_bodies(storage, &r->bodies);
    r->config = &storage->config;
    if (jbw_model_create(r->config, model, &error))
        fail_msg("seed %" PRIu64 ": %s", seed, error.text);
    r->world = world_of(*model, seed);
    use_world(r);

    // now and then far away
    const int64_t size = r->config->patch_size;
    jbw_position patch = {0, 0};
    if (random_chance(&r->random, 10))
        patch = (jbw_position){INT64_C(1) << 52, -(INT64_C(1) << 53)};
    r->middle = (jbw_position){patch.x * size, patch.y * size};
    r->o = oracle_create(r->config, r->world, patch, (int)((r->long_way + FAR) / size + 2));
}

// A small room full of items, with walls if there is a blocking type: agents meet there.
static void furnish(run *r)
{
    const int half = random_between(&r->random, 1, 3);
    const int fill = random_between(&r->random, 0, 60);
    for (int y = -half - 1; y <= half + 1 && is_well(r); y++)
        for (int x = -half - 1; x <= half + 1 && is_well(r); x++) {
            const bool is_wall = abs(x) > half || abs(y) > half;
            int type = random_between(&r->random, 0, (int)r->config->item_count - 1);
            for (int i = 0; i < 9 && is_wall && !r->config->items[type].blocks_movement; i++)
                type = random_between(&r->random, 0, (int)r->config->item_count - 1);
            if (is_wall && !r->config->items[type].blocks_movement) continue;
            if (!is_wall && !random_chance(&r->random, fill)) continue;
            place_at(r, type, (jbw_position){r->middle.x + x, r->middle.y + y});
        }
}

// true if there was no difference; `hash` receives that of the world at the end
static bool run_sequence(uint64_t seed, bool perceives, bool is_timed, uint64_t *hash)
{
    run r = {.random = seed * UINT64_C(0xD1342543DE82EF95) + 1,
             .perceives = perceives,
             .long_way = is_timed ? 16 : 45, // biomes take long to generate
             .is_timed = is_timed};
    static oracle_config storage;
    jbw_model *model;
    begin(&r, seed, &storage, &model);
    if (is_verbose)
        printf("seed %" PRIu64 ": patch %d, scent %.2f %.2f, collision %d, collection %d\n", seed,
               r.config->patch_size, r.config->scent_decay, r.config->scent_diffusion,
               r.config->collision, r.config->collection);

    if (random_chance(&r.random, 60)) furnish(&r);
    const int agents = seed % 25 == 7 ? 35 : random_between(&r.random, 1, 6); // now and then many
    for (int i = 0; i < agents && is_well(&r); i++) {
        add_agent(&r);
        compare(&r, false);
    }
    const int rounds = seed % 50 == 0 ? 400 : random_between(&r.random, 10, 40);
    for (int i = 0; i < rounds && is_well(&r); i++) {
        do_something(&r);
        compare(&r, false);
        remove_distant_agents(&r);
        if (is_timed && is_well(&r) && random_chance(&r.random, 5)) replace_world(&r);
    }
    if (is_well(&r)) compare(&r, true);
    if (is_well(&r) && is_timed) oracle_compare_space(r.o, seed);

    *hash = jbw_world_hash(r.world);
    tally.scent_error = fmax(tally.scent_error, r.o->scent_error);
    tally.grown += r.o->grown_count;
    const bool all_well = is_well(&r);
    if (!all_well)
        print_error("--seed %" PRIu64 " --sequences 1%s: call %d, %s: %s\n", seed,
                    is_timed ? ", changing by itself" : "", r.calls, r.what, r.o->problem);
    oracle_destroy(r.o);
    jbw_world_destroy(r.world);
    jbw_model_destroy(model);
    return all_well;
}

// --- tests --------------------------------------------------------------------------------------

static void run_sequences(uint64_t count, bool is_timed)
{
    int failures = 0;
    memset(&tally, 0, sizeof tally);
    for (uint64_t i = 0; i < count && failures < MAX_FAILURES; i++) {
        uint64_t hash;
        if (!run_sequence(first_seed + i, true, is_timed, &hash)) failures++;
    }
    assert_int_equal(failures, 0);
    print_message("%" PRIu64 " steps, %" PRIu64
                  " items grew back; the largest scent error is %.3f of the tolerance\n",
                  tally.steps, tally.grown, tally.scent_error);
}

static void test_random_sequences(void **state)
{
    (void)state;
    run_sequences(sequence_count, false);
    static const char *const outcome_names[] = {
        "none",          "done",          "blocked by item", "blocked by agent", "lost",
        "nothing there", "uncollectable", "lacks items",     "cell occupied",
    };
    assert_true(sequence_count < 1000 || tally.outcomes[JBW_OUTCOME_NOT_ABLE] > 1000);
    for (int i = 0; i < JBW_OUTCOME_END_OF_WORLD; i++)
        print_message("%-16s %8" PRIu64 " actions %8" PRIu64 " items\n", outcome_names[i],
                      tally.outcomes[i], tally.item_outcomes[i]);
    if (sequence_count < 1000) return;
    for (int i = 0; i < JBW_OUTCOME_END_OF_WORLD; i++) assert_true(tally.outcomes[i] > 100);
    assert_true(tally.item_outcomes[JBW_OUTCOME_LOST] > 10);
}

// Everything that changes in time and space: items with seasons that grow back, noise, biomes, both
// generators, and worlds that are cloned or saved and loaded.
static void test_changing_sequences(void **state)
{
    (void)state;
    run_sequences(sequence_count, true);
}

// observing a world changes nothing
static void test_observing_changes_nothing(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < sequence_count / 25 + 1; i++) {
        uint64_t hash;
        uint64_t blind_hash;
        const bool is_timed = i % 2 == 0;
        assert_true(run_sequence(first_seed + i, true, is_timed, &hash));
        assert_true(run_sequence(first_seed + i, false, is_timed, &blind_hash));
        if (hash != blind_hash)
            fail_msg("seed %" PRIu64 ": observing made a difference", first_seed + i);
    }
}

int main(int argc, char **argv)
{
    if (is_sanitized()) sequence_count = 200;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--verbose") == 0) {
            is_verbose = true;
            continue;
        }
        if (i + 1 < argc && strcmp(argv[i], "--seed") == 0 && read_number(argv[i + 1], &first_seed))
            i++;
        else if (i + 1 < argc && strcmp(argv[i], "--sequences") == 0 &&
                 read_number(argv[i + 1], &sequence_count))
            i++;
        else {
            fprintf(stderr, "usage: %s [--seed N] [--sequences M] [--verbose]\n", argv[0]);
            return 2;
        }
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_sequences),
        cmocka_unit_test(test_changing_sequences),
        cmocka_unit_test(test_observing_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
