// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Recordings of worlds that change by themselves: items with seasons, items that grow back, noise
/// and biomes; with agents of several bodies, and with tools. Random runs are recorded in parts, between which the world is cloned, or saved and
/// loaded. Every state of the replay must be the one that was recorded, also after jumps; and
/// returns and seasons are no operations.
#include "support/models.h"

#include <inttypes.h>
#include <stdlib.h>

#include "jbw/recording.h"
#include "sim/world/world.h"
#include "support/files.h"
#include "support/random.h"
#include "support/random_world.h"

static temporary_folder folder;
static char path[PATH_SIZE];

enum { MAX_MOMENTS = 2000, SIDE = 16 };

/// The world after each operation.
typedef struct trace {
    uint64_t hashes[MAX_MOMENTS];
    uint64_t times[MAX_MOMENTS];
    size_t count; // the first is the initial state
} trace;

/// What happened by itself near the origin.
typedef struct happened {
    uint8_t items[SIDE * SIDE];
    uint8_t hidden[SIDE * SIDE];
    uint8_t growing[SIDE * SIDE];
    int returns;
    int seasons; // cells in which an item appeared or disappeared
} happened;

static void draw_config(random_world_config *out, uint64_t *random, jbw_generation generation)
{
    random_world_config_draw(out, random);
    jbw_config *c = &out->config;
    c->generation = generation;
    c->patch_size = 14;
    c->agent.vision_range = 3;
    jbw_item_type *items = out->items;
    items[0].intensity = "Constant[-1] + Biome[6, 0, (0.5, 1), (0.5, never)]";
    items[0].regrows = "Uniform[2, 12]";
    items[0].interaction_count = generation == JBW_GENERATION_FRONTIER; // others take long
    items[1].intensity = "Noise[9, 0, -3, 1] + Biome[6, 0, (0.5, -1), (0.5, 0)]";
    items[1].regrows = "Geometric[5]";
    items[1].season = (jbw_season){.period = 20, .from = 4, .to = 13};
    items[2].season = (jbw_season){.period = 31, .from = 25, .to = 9};
    items[3].regrows = "Constant[3]";
    items[3].cost_count = 0;
    static const jbw_action slow[] = {{JBW_ACTION_MOVE_FORWARD, NULL}};
    static const double scent[] = {2, 1, 0, 0};
    static const jbw_body bodies[] = {
        {.name = "Slow", .actions = slow, .action_count = 1},
        {.name = "Scout", .scent = scent, .sight = {.has_vision_range = true, .vision_range = 5}},
    };
    static jbw_tool tools[] = {{NULL, {.has_vision_range = true, .vision_range = 1}}};
    tools[0].item = items[1].name;
    c->bodies = bodies;
    c->body_count = random_below(random, 3);
    c->agent.tools = tools;
    c->agent.tool_count = random_below(random, 2);
    items[0].has_text = true;
    items[1].has_text = true;
    c->agent.voice = (jbw_voice){.symbols = 2, .range = 4};
}

static void note(trace *t, const jbw_world *world)
{
    assert_true(t->count < MAX_MOMENTS);
    t->times[t->count] = jbw_world_time(world);
    t->hashes[t->count++] = jbw_world_hash(world);
}

static void check(jbw_status status, const jbw_error *error, const char *what)
{
    if (status) fail_msg("%s: %s: %s", what, jbw_status_name(status), error->text);
}

// compares the cells near the origin with those before the latest call
static void look(const jbw_world *world, happened *h)
{
    happened now = {.returns = h->returns, .seasons = h->seasons};
    const jbw_region_planes planes = {
        .items = now.items, .hidden = now.hidden, .growing = now.growing};
    const jbw_region region = {-SIDE / 2, -SIDE / 2, SIDE, SIDE};
    assert_int_equal(jbw_world_read_planes(world, region, &planes), JBW_OK);
    for (int i = 0; i < SIDE * SIDE; i++) {
        const uint8_t content = now.items[i] | now.hidden[i];
        now.returns += h->growing[i] && !now.growing[i] && content == h->growing[i];
        now.seasons += (h->items[i] && now.hidden[i] == h->items[i]) ||
                       (h->hidden[i] && now.items[i] == h->hidden[i]);
    }
    *h = now;
}

static jbw_recorder *record(jbw_world *world, bool is_new)
{
    const jbw_recorder_options how = {.hash_every = 9, .snapshot_every = 40, .flush_every = 20};
    jbw_recorder *recorder;
    jbw_error error = {0};
    check(is_new ? jbw_recorder_create(world, path, true, &how, &recorder, &error)
                 : jbw_recorder_append(world, path, &how, &recorder, &error),
          &error, "record");
    return recorder;
}

static void note_operation(jbw_world *world, const jbw_operation *operation, void *user)
{
    (void)operation;
    note(user, world);
}

// an invariant world keeps no patch that no agent needs
static void use_world(jbw_world *world)
{
    if (world->generator.patch_cache)
        jbw_patch_cache_set_budget(world->generator.patch_cache, 1, 1 << 20);
}

// Records a run in three parts. `original` receives the states of the same run in a world without a
// recorder, which is never replaced.
static void record_run(const random_world_config *config, uint64_t seed, trace *original,
                       happened *what)
{
    uint64_t random = seed * 77;
    jbw_model *model = model_of(&config->config);
    jbw_world *world = world_of(model, seed);
    jbw_world *twin = world_of(model, seed);
    original->count = 0;
    note(original, twin);
    look(twin, what);
    jbw_world_on_operation(twin, note_operation, original);
    for (int part = 0; part < 3; part++) {
        if (part > 0) world = replaced_world(world, part == 1);
        use_world(world);
        jbw_recorder *recorder = record(world, part == 0);
        for (int i = 0; i < 150; i++) {
            uint64_t same = random;
            random_world_change(twin, &same);
            random_world_change(world, &random);
            look(twin, what);
        }
        assert_int_equal(jbw_recorder_close(recorder, NULL), JBW_OK);
    }
    assert_true(jbw_world_hash(world) == jbw_world_hash(twin));
    jbw_world_destroy(world);
    jbw_world_destroy(twin);
    jbw_model_destroy(model);
}

static void check_state(jbw_recording *recording, const trace *original, size_t at)
{
    const jbw_world *world = jbw_recording_world(recording);
    assert_int_equal(jbw_world_time(world), original->times[at]);
    if (jbw_world_hash(world) != original->hashes[at]) fail_msg("operation %zu differs", at);
}

// all operations one by one; the world of the replay is also cloned, and saved and loaded
static void replay(jbw_recording *recording, const trace *original)
{
    jbw_error error = {0};
    for (size_t i = 0; i < original->count; i++) {
        check_state(recording, original, i);
        if (i % 100 == 50)
            jbw_world_destroy(
                replaced_world(clone_of(jbw_recording_world(recording)), i % 200 == 50));
        if (i + 1 < original->count)
            check(jbw_recording_next(recording, NULL, &error), &error, "next");
    }
    assert_int_equal(jbw_recording_next(recording, NULL, NULL), JBW_NOT_FOUND);
}

// to the steps that led to some times, forwards and backwards
static void jump_about(jbw_recording *recording, const trace *original, uint64_t seed)
{
    uint64_t random = seed;
    for (int i = 0; i < 6; i++) {
        const uint64_t last = original->times[original->count - 1];
        const uint64_t time = 1 + random_below(&random, (uint32_t)last);
        size_t at = 0;
        while (original->times[at] < time) at++;
        jbw_error error = {0};
        check(jbw_recording_seek(recording, time, &error), &error, "seek");
        check_state(recording, original, at);
    }
}

static void check_runs(jbw_generation generation)
{
    static trace original;
    happened what = {.returns = 0};
    for (uint64_t seed = 1; seed <= 8; seed++) {
        uint64_t random = seed;
        random_world_config config;
        draw_config(&config, &random, generation);
        record_run(&config, seed, &original, &what);
        jbw_recording *recording;
        jbw_error error = {0};
        check(jbw_recording_open(path, NULL, &recording, &error), &error, "open");
        const jbw_recording_info info = jbw_recording_get_info(recording);
        assert_int_equal(info.operation_count, original.count - 1);
        assert_int_equal(info.torn_size, 0);
        replay(recording, &original);
        jump_about(recording, &original, seed);
        jbw_recording_close(recording);
    }
    print_message("%d items grew back, %d came or went with the season\n", what.returns,
                  what.seasons);
    assert_true(what.returns > 20);
    assert_true(what.seasons > 500);
}

static void test_frontier(void **state)
{
    (void)state;
    check_runs(JBW_GENERATION_FRONTIER);
}

static void test_invariant(void **state)
{
    (void)state;
    check_runs(JBW_GENERATION_INVARIANT);
}

// A step is one operation, whatever comes and goes in it: as many, and as large, as in a world that
// does not change by itself.
static void test_only_calls_are_recorded(void **state)
{
    (void)state;
    uint64_t sizes[2];
    for (int is_plain = 0; is_plain < 2; is_plain++) {
        uint64_t random = 3;
        random_world_config config;
        draw_config(&config, &random, JBW_GENERATION_FRONTIER);
        config.config.collection = JBW_COLLECTION_AUTOMATIC;
        for (int i = 0; i < RANDOM_WORLD_TYPES && is_plain; i++) {
            config.items[i].regrows = NULL;
            config.items[i].season = (jbw_season){0};
        }
        jbw_model *model = model_of(&config.config);
        jbw_world *world = world_of(model, 5);
        jbw_agent_id agent;
        const jbw_agent_options anywhere = {.has_position = true, .is_forced = true};
        assert_int_equal(jbw_world_add_agent(world, &anywhere, &agent), JBW_OK);
        const jbw_recorder_options how = {
            .hash_every = UINT64_MAX, .snapshot_every = UINT64_MAX, .flush_every = UINT64_MAX};
        jbw_recorder *recorder;
        jbw_error error = {0};
        check(jbw_recorder_create(world, path, true, &how, &recorder, &error), &error, "record");
        size_t begun;
        free(file_read(path, &begun));
        happened what = {.returns = 0};
        for (int i = 0; i < 300; i++) {
            // four steps ahead and a turn: a round through the same cells
            assert_int_equal(jbw_agent_act(world, agent, i % 5 == 4 ? 5 : 0, NULL), JBW_OK);
            look(world, &what);
        }
        assert_int_equal(jbw_recorder_close(recorder, NULL), JBW_OK);
        jbw_recording *recording;
        check(jbw_recording_open(path, NULL, &recording, &error), &error, "open");
        assert_int_equal(jbw_recording_get_info(recording).operation_count, 300);
        sizes[is_plain] = jbw_recording_get_info(recording).size - begun;
        jbw_recording_close(recording);
        if (!is_plain) assert_true(what.returns > 10 && what.seasons > 100);
        if (is_plain) assert_true(what.returns == 0 && what.seasons == 0);
        jbw_world_destroy(world);
        jbw_model_destroy(model);
    }
    assert_int_equal(sizes[0], sizes[1]);
}

static int open_folder(void **state)
{
    (void)state;
    if (!temporary_folder_create(&folder)) return 1;
    temporary_path(&folder, "a.jbwr", path);
    return 0;
}

static int close_folder(void **state)
{
    (void)state;
    temporary_folder_clear(&folder);
    return temporary_folder_remove(&folder) ? 0 : 1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_frontier),
        cmocka_unit_test(test_invariant),
        cmocka_unit_test(test_only_calls_are_recorded),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
