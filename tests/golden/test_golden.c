// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The same seed and the same steps give the same hash, with every compiler, processor and
/// optimisation level. tests/golden/hashes.txt holds the hashes, one per line: world, seed, steps,
/// hash. Lines with "world:agents" cover the world and everything that its agents perceived; lines
/// with "world:invariant" cover parts of its invariant map, near the origin and far away. Worlds in
/// which items grow back also have agents in their invariant map.
///
/// Worlds change only when they are meant to. Then `build/release/test_golden --update` rewrites
/// the hashes; review the difference before you commit it.
///
/// Without cmocka, so it also runs on processors that have none.
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "jbw/agent.h"
#include "jbw/config.h"
#include "jbw/reward.h"
#include "jbw/world.h"
#include "support/golden_worlds.h"

#define HASHES JBW_SOURCE_DIR "/tests/golden/hashes.txt"

enum { MAX_LINES = 1024, STOPS = 3 };

// the hash is taken after this many steps
static const int stops[STOPS] = {0, 100, 300};
static const uint64_t seeds[] = {1, UINT64_C(0xfedcba9876543210)};

typedef struct line {
    char world[64];
    uint64_t seed;
    int steps;
    uint64_t hash;
} line;

static line expected[MAX_LINES];
static int expected_count;
static int failures;
static int checked;

// the next word of a line, or "" where it ends
static char *next_word(char **at)
{
    char *word = *at + strspn(*at, " \n");
    *at = word + strcspn(word, " \n");
    if (**at) *(*at)++ = 0;
    return word;
}

static bool read_line(char *text, line *out)
{
    const char *world = next_word(&text);
    const char *seed = next_word(&text);
    const char *steps = next_word(&text);
    const char *hash = next_word(&text);
    if (!*hash || strlen(world) >= sizeof out->world) return false;
    memcpy(out->world, world, strlen(world) + 1);
    out->seed = strtoull(seed, NULL, 10);
    out->steps = (int)strtol(steps, NULL, 10);
    out->hash = strtoull(hash, NULL, 16);
    return true;
}

static bool read_hashes(void)
{
    FILE *file = fopen(HASHES, "r");
    if (!file) {
        perror(HASHES);
        return false;
    }
    char text[256];
    while (fgets(text, sizeof text, file)) {
        if (text[0] == '#') continue;
        if (expected_count == MAX_LINES || !read_line(text, &expected[expected_count])) {
            fprintf(stderr, "%s: cannot read: %s", HASHES, text);
            fclose(file);
            return false;
        }
        expected_count++;
    }
    fclose(file);
    return true;
}

static void check(const char *world, uint64_t seed, int steps, uint64_t hash)
{
    for (int i = 0; i < expected_count; i++) {
        const line *l = &expected[i];
        if (strcmp(l->world, world) != 0 || l->seed != seed || l->steps != steps) continue;
        if (l->hash == hash) return;
        printf("%s, seed %" PRIu64 ", after %d steps: hash %016" PRIx64 ", expected %016" PRIx64
               "\n",
               world, seed, steps, hash, l->hash);
        failures++;
        return;
    }
    printf("%s, seed %" PRIu64 ", after %d steps: no hash is known; run test_golden --update\n",
           world, seed, steps);
    failures++;
}

static void record(const char *world, uint64_t seed, int steps, uint64_t hash, FILE *update)
{
    checked++;
    if (update)
        fprintf(update, "%s %" PRIu64 " %d %016" PRIx64 "\n", world, seed, steps, hash);
    else
        check(world, seed, steps, hash);
}

// Two walkers: one goes to the right and then up, the other one diagonally, farther away; and once
// there is a third, near the end of the world.
static bool walk(const golden_world *golden, uint64_t seed, FILE *update)
{
    jbw_model *model = NULL;
    jbw_world *world = NULL;
    jbw_error error = {0};
    jbw_status status = jbw_model_create(&golden->config, &model, &error);
    if (!status) status = jbw_world_create(model, seed, &world);
    int stop = 0;
    for (int step = 0; !status && stop < STOPS; step++) {
        jbw_position at[3] = {{step < 150 ? step : 150, step < 150 ? 0 : step - 150},
                              {-500 - step / 2, 700 + step / 3},
                              {-(INT64_C(1) << 50), INT64_C(1) << 50}};
        status = jbw_world_explore(world, at, step == 200 ? 3 : 2);
        if (step != stops[stop]) continue;
        stop++;
        record(golden->name, seed, step, jbw_world_hash(world), update);
    }
    if (status) printf("%s: %s %s\n", golden->name, jbw_status_text(status), error.text);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
    return status == JBW_OK;
}

// ---- agents ----

enum { AGENTS = 6, AGENT_STEPS = 1000, MAX_VISION = 65 * 65 * 4 };

// agents that can do everything, with a colour and a scent
static jbw_config lively(const golden_world *golden)
{
    static const double color[] = {0.3, 0.2, 0.1};
    static const double scent[] = {0.5, 0.25, 0.125};
    static jbw_action actions[] = {
        {JBW_ACTION_MOVE_FORWARD, NULL}, {JBW_ACTION_MOVE_BACKWARD, NULL},
        {JBW_ACTION_MOVE_LEFT, NULL},    {JBW_ACTION_MOVE_RIGHT, NULL},
        {JBW_ACTION_TURN_LEFT, NULL},    {JBW_ACTION_TURN_RIGHT, NULL},
        {JBW_ACTION_TURN_AROUND, NULL},  {JBW_ACTION_COLLECT, NULL},
        {JBW_ACTION_DROP, NULL},         {JBW_ACTION_NO_OP, NULL}};
    jbw_config config = golden->config;
    actions[8].item = config.items[0].name;
    // years, and what grows back takes, are shorter than the run
    static jbw_item_type items[JBW_MAX_ITEM_TYPES];
    for (size_t i = 0; i < config.item_count; i++) {
        enum { SHORTER = 50 };
        items[i] = config.items[i];
        items[i].season.period /= SHORTER;
        items[i].season.from /= SHORTER;
        items[i].season.to /= SHORTER;
        if (items[i].regrows) items[i].regrows = "Geometric[40]";
    }
    config.items = items;
    config.agent.actions = actions;
    config.agent.action_count = sizeof actions / sizeof actions[0];
    config.agent.color = color;
    config.agent.scent = config.scent_dimensions <= 3 ? scent : NULL;
    config.agent.visual_occlusion = true;
    config.agent.field_of_view = 200;
    config.collision = JBW_COLLISION_RANDOM;
    return config;
}

// the hashes were made with this generator, so it stays
static uint32_t draw(uint64_t *state, uint32_t bound)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33) % bound;
}

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// a schedule that switches often between the first and the last item type
static jbw_status make_reward(const jbw_model *model, const jbw_config *config, jbw_reward **out,
                              jbw_error *error)
{
    const char *first = config->items[0].name;
    const char *last = config->items[config->item_count - 1].name;
    char text[600];
    snprintf(text, sizeof text,
             "Action[-0.01] & Explore[0.1] & Cyclical[(Collect[%s] & Avoid[%s, 0.5], 17), "
             "(Gradual[Collect[%s], Collect[%s, 3], 300], 23)]",
             first, last, last, first);
    return jbw_reward_compile(model, text, NULL, 0, out, error);
}

// hashes what all agents see, smell, hear and read, and their rewards
static jbw_status perceive(jbw_world *world, const jbw_config *config, const jbw_reward *reward,
                           const jbw_agent_id *agents, jbw_hasher *hasher)
{
    static float vision[MAX_VISION];
    float scent[JBW_MAX_DIMENSIONS];
    const int side = jbw_model_vision_side(jbw_world_model(world));
    const int values = side * side * config->color_dimensions;
    for (int i = 0; i < AGENTS; i++) {
        const jbw_status status = jbw_agent_perceive(world, agents[i], vision, scent);
        if (status) return status;
        for (int k = 0; k < values; k++) jbw_hash_u64(hasher, bits_of(vision[k]));
        for (int k = 0; k < config->scent_dimensions; k++) jbw_hash_u64(hasher, bits_of(scent[k]));
        jbw_hash_double(hasher, jbw_agent_reward(world, agents[i], reward));
        if (!config->agent.voice.symbols) continue;
        const uint32_t *heard = jbw_agent_heard(world, agents[i]);
        for (int k = 0; k < config->agent.voice.symbols; k++) jbw_hash_u64(hasher, heard[k]);
        char text[JBW_MAX_TEXT + 1];
        const jbw_status reading = jbw_agent_read(world, agents[i], text);
        if (reading) return reading;
        jbw_hash_bytes(hasher, text, strlen(text));
    }
    return JBW_OK;
}

// one step: all agents act, mostly forward, and now and then the map is edited
static jbw_status take_step(jbw_world *world, const jbw_config *config, const jbw_agent_id *agents,
                            uint64_t *random)
{
    int actions[AGENTS];
    const uint32_t count = (uint32_t)config->agent.action_count;
    for (int i = 0; i < AGENTS; i++) actions[i] = draw(random, 2) ? 0 : (int)draw(random, count);
    // with a voice they also speak, and write on what they drop
    int say[AGENTS] = {0};
    const char *texts[AGENTS] = {NULL};
    for (int i = 0; i < AGENTS && config->agent.voice.symbols; i++) {
        say[i] = (int)draw(random, (uint32_t)config->agent.voice.symbols + 1);
        const bool drops = config->agent.actions[actions[i]].kind == JBW_ACTION_DROP;
        if (drops && config->items[0].has_text)
            texts[i] = draw(random, 2) ? "beans here" : "\xc3\xa9";
    }
    const jbw_requests requests = {.actions = actions, .say = say, .texts = texts};
    const jbw_status status = jbw_world_request(world, agents, &requests, AGENTS, NULL);
    if (status || draw(random, 10) > 0) return status;
    const int64_t x = (int64_t)draw(random, 20) - 10;
    const int64_t y = (int64_t)draw(random, 20) - 10;
    const jbw_status edit = jbw_world_remove_item(world, (jbw_position){x, y});
    if (edit != JBW_NOT_FOUND) return edit;
    return jbw_world_place_item(world, (int)draw(random, (uint32_t)config->item_count),
                                (jbw_position){x, y});
}

static bool run_agents(const golden_world *golden, uint64_t seed, jbw_generation generation,
                       FILE *update)
{
    jbw_config config = lively(golden);
    config.generation = generation;
    jbw_model *model = NULL;
    jbw_world *world = NULL;
    jbw_error error = {0};
    jbw_agent_id agents[AGENTS];
    jbw_reward *reward = NULL;
    jbw_status status = jbw_model_create(&config, &model, &error);
    if (!status) status = make_reward(model, &config, &reward, &error);
    if (!status) status = jbw_world_create(model, seed, &world);
    for (int i = 0; i < AGENTS && !status; i++) {
        const jbw_agent_options options = {.body = i % ((int)config.body_count + 1)};
        status = jbw_world_add_agent(world, &options, &agents[i]);
    }
    jbw_hasher hasher = jbw_hash_begin(seed);
    uint64_t random = seed;
    for (int step = 0; step < AGENT_STEPS && !status; step++) {
        status = take_step(world, &config, agents, &random);
        if (!status) status = perceive(world, &config, reward, agents, &hasher);
    }
    if (status) {
        printf("%s: %s %s\n", golden->name, jbw_status_text(status), error.text);
    } else {
        char name[64];
        const bool is_invariant = generation == JBW_GENERATION_INVARIANT;
        snprintf(name, sizeof name, "%s:%s", golden->name,
                 is_invariant ? "invariant-agents" : "agents");
        jbw_hash_u64(&hasher, jbw_world_hash(world));
        record(name, seed, AGENT_STEPS, hasher.value, update);
    }
    jbw_reward_destroy(reward);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
    return status == JBW_OK;
}

static bool grows_back(const jbw_config *config)
{
    for (size_t i = 0; i < config->item_count; i++)
        if (config->items[i].regrows) return true;
    return false;
}

// Such a line has zero steps: an invariant map needs none.
static bool read_invariant(const golden_world *golden, uint64_t seed, FILE *update)
{
    enum { SIDE = 100 };
    static const jbw_position corners[] = {{-SIDE / 2, -SIDE / 2}, {-1000000007, 1000000009}};
    jbw_config config = golden->config;
    config.generation = JBW_GENERATION_INVARIANT;
    jbw_model *model = NULL;
    jbw_world *world = NULL;
    jbw_error error = {0};
    jbw_status status = jbw_model_create(&config, &model, &error);
    if (!status) status = jbw_world_create(model, seed, &world);
    jbw_hasher hasher = jbw_hash_begin(seed);
    for (size_t i = 0; i < sizeof corners / sizeof *corners && !status; i++) {
        uint8_t items[SIDE * SIDE];
        const jbw_region region = {corners[i].x, corners[i].y, SIDE, SIDE};
        status = jbw_world_read_region(world, region, items, NULL);
        if (!status) jbw_hash_bytes(&hasher, items, sizeof items);
    }
    if (status) {
        printf("%s: %s %s\n", golden->name, jbw_status_text(status), error.text);
    } else {
        char name[64];
        snprintf(name, sizeof name, "%s:invariant", golden->name);
        record(name, seed, 0, hasher.value, update);
    }
    jbw_world_destroy(world);
    jbw_model_destroy(model);
    return status == JBW_OK;
}

int main(int argc, char **argv)
{
    const bool is_update = argc == 2 && strcmp(argv[1], "--update") == 0;
    if (argc > 1 && !is_update) {
        fprintf(stderr, "usage: %s [--update]\n", argv[0]);
        return 2;
    }
    FILE *update = NULL;
    if (is_update) {
        update = fopen(HASHES, "w");
        if (!update) {
            perror(HASHES);
            return 1;
        }
        fprintf(update, "# world, seed, steps, hash; made by test_golden --update\n");
    } else if (!read_hashes()) {
        return 1;
    }

    for (size_t i = 0; i < golden_world_count; i++) {
        for (size_t k = 0; k < sizeof seeds / sizeof seeds[0]; k++) {
            if (!walk(&golden_worlds[i], seeds[k], update)) failures++;
            if (!run_agents(&golden_worlds[i], seeds[k], JBW_GENERATION_FRONTIER, update))
                failures++;
            if (grows_back(&golden_worlds[i].config) &&
                !run_agents(&golden_worlds[i], seeds[k], JBW_GENERATION_INVARIANT, update))
                failures++;
            if (k == 0 && !read_invariant(&golden_worlds[i], seeds[k], update)) failures++;
        }
    }
    if (update && fclose(update)) {
        perror(HASHES);
        return 1;
    }
    if (!update && checked != expected_count) {
        printf("%d hashes are known, %d were checked\n", expected_count, checked);
        failures++;
    }
    printf("%d hashes, %d wrong\n", checked, failures);
    return failures ? 1 : 0;
}
