// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Same seed and same steps, same hash: on every compiler, processor and optimisation level. The
/// hashes stand in tests/golden/hashes.txt, one line each: world, seed, steps, hash.
///
/// Worlds change only when they are meant to. Then `build/release/test_golden --update` writes the
/// hashes anew; look at the difference before it is committed.
///
/// Without cmocka, so that it runs on processors that have none.
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jbw/config.h"
#include "jbw/world.h"

#include "golden_worlds.inl"

#define HASHES JBW_SOURCE_DIR "/tests/golden/hashes.txt"

enum { MAX_LINES = 1024, STOPS = 3 };

// after so many steps the hash is taken
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
    printf("%s, seed %" PRIu64 ", after %d steps: no hash is known; test_golden --update\n", world,
           seed, steps);
    failures++;
}

// Two walkers: one straight to the right and then up, one from farther away, on a slant; and
// another one now and then, near the rim of the world.
static bool walk(const struct golden_world *golden, uint64_t seed, FILE *update)
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
        const uint64_t hash = jbw_world_hash(world);
        if (update)
            fprintf(update, "%s %" PRIu64 " %d %016" PRIx64 "\n", golden->name, seed, step, hash);
        else
            check(golden->name, seed, step, hash);
    }
    if (status) printf("%s: %s %s\n", golden->name, jbw_status_text(status), error.text);
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

    int checked = 0;
    for (size_t i = 0; i < sizeof golden_worlds / sizeof golden_worlds[0]; i++) {
        for (size_t k = 0; k < sizeof seeds / sizeof seeds[0]; k++) {
            if (!walk(&golden_worlds[i], seeds[k], update)) failures++;
            checked += STOPS;
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
