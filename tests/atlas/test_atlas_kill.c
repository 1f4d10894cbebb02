// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Eight processes fill one atlas at once, beside others that prune and damage it, and are killed at
/// random. Nobody ever reads a wrong cell, and nobody's call fails. --long takes a minute; --seed N
/// kills at other moments.
#include "support/models.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "jbw/atlas.h"
#include "jbw/patch_store.h"
#include "support/files.h"
#include "support/options.h"
#include "support/random.h"

enum { PROCESSES = 8, SIDE = 40, SEEDS = 3, CELLS = VARIED_SIZE * VARIED_SIZE };

static test_options options;

typedef struct scene {
    temporary_folder folder;
    jbw_model *model;
    uint8_t cells[SEEDS][SIDE * SIDE][CELLS]; // what is right
} scene;

static jbw_position place_of(int index)
{
    return (jbw_position){index % SIDE - SIDE / 2, index / SIDE - SIDE / 2};
}

static void begin(scene *s)
{
    assert_true(temporary_folder_create(&s->folder));
    jbw_config config = calm_config();
    config.generation = JBW_GENERATION_INVARIANT;
    s->model = model_of(&config);
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        jbw_world *world = world_of(s->model, seed);
        for (int i = 0; i < SIDE * SIDE; i++) {
            const jbw_position place = place_of(i);
            const jbw_region region = {place.x * VARIED_SIZE, place.y * VARIED_SIZE, VARIED_SIZE,
                                       VARIED_SIZE};
            assert_int_equal(jbw_world_read_region(world, region, s->cells[seed][i], NULL), JBW_OK);
        }
        jbw_world_destroy(world);
    }
}

// ---- what the processes do; each returns an exit code, if it lives to see its end ----

// Finds patches, and adds those that are missing. Takes what is found for wrong unless it is right.
static int fill(const scene *s, uint64_t *random)
{
    jbw_atlas *atlas;
    const uint64_t limit = random_below(random, 4) ? 0 : 100000;
    if (jbw_atlas_open(s->folder.path, &(jbw_atlas_options){.limit = limit}, &atlas, NULL))
        return 2;
    for (;;) {
        const uint64_t seed = random_below(random, SEEDS);
        jbw_world *world;
        if (jbw_world_create(s->model, seed, &world)) return 3;
        if (jbw_world_set_atlas(world, atlas, NULL)) return 3;
        const jbw_patch_store *store = jbw_world_patch_store(world);
        const int start = (int)random_below(random, SIDE * SIDE);
        for (int i = 0; i < 200; i++) {
            const int index = (start + i) % (SIDE * SIDE);
            const uint8_t *right = s->cells[seed][index];
            uint8_t cells[CELLS];
            if (!store->find(store->user, place_of(index), cells))
                store->offer(store->user, place_of(index), right);
            else if (memcmp(cells, right, CELLS) != 0)
                return 4;
        }
        jbw_world_destroy(world);
    }
}

static int prune(const scene *s, uint64_t *random)
{
    jbw_atlas *atlas;
    if (jbw_atlas_open(s->folder.path, NULL, &atlas, NULL)) return 2;
    for (;;) {
        if (jbw_atlas_prune(atlas, random_below(random, 400000), NULL)) return 3;
        nanosleep(&(struct timespec){.tv_nsec = 3000000}, NULL);
    }
}

static void spoil_file(const char *path, void *user)
{
    uint64_t *random = user;
    if (random_below(random, 8) != 0) return;
    FILE *file = fopen(path, "r+b");
    if (!file) return;
    if (fseek(file, 0, SEEK_END) == 0) {
        const long size = ftell(file);
        const long at = size > 0 ? (long)random_below(random, (uint32_t)size) : 0;
        if (random_below(random, 4) == 0)
            (void)!truncate(path, at);
        else if (fseek(file, at, SEEK_SET) == 0)
            fputc((int)random_below(random, 256), file);
    }
    fclose(file);
}

static void spoil(const scene *s, uint64_t *random)
{
    for (;;) {
        visit_tree(s->folder.path, spoil_file, random);
        nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    }
}

// ---- killing ----

static pid_t start(const scene *s, int role, uint64_t random)
{
    fflush(NULL);
    const pid_t child = fork();
    if (child != 0) return child;
    if (role < PROCESSES) _exit(fill(s, &random));
    if (role == PROCESSES) _exit(prune(s, &random));
    spoil(s, &random);
    return 0;
}

// ends a process at any moment; it must not have ended by itself
static void kill_process(pid_t process)
{
    int outcome;
    kill(process, SIGKILL);
    assert_int_equal(waitpid(process, &outcome, 0), process);
    if (!WIFSIGNALED(outcome)) fail_msg("a process ended by itself, with %d", WEXITSTATUS(outcome));
}

// Kills processes one after the other and starts others in their place.
static void torment(const scene *s, int rounds, int process_count)
{
    pid_t processes[PROCESSES + 2];
    uint64_t random = options.seed;
    for (int i = 0; i < process_count; i++) processes[i] = start(s, i, random_next(&random));
    for (int i = 0; i < rounds; i++) {
        nanosleep(&(struct timespec){.tv_nsec = (long)random_below(&random, 2000000)}, NULL);
        const int victim = (int)random_below(&random, (uint32_t)process_count);
        kill_process(processes[victim]);
        processes[victim] = start(s, victim, random_next(&random));
    }
    for (int i = 0; i < process_count; i++) kill_process(processes[i]);
}

typedef struct verdict {
    const scene *s;
    int patch_count;
    int damaged_count;
} verdict;

static bool judge(void *user, const jbw_atlas_patch *patch)
{
    verdict *v = user;
    const int64_t x = patch->place.x + SIDE / 2;
    const int64_t y = patch->place.y + SIDE / 2;
    v->patch_count++;
    v->damaged_count += patch->cells == NULL;
    if (!patch->cells) return true;
    assert_true(x >= 0 && x < SIDE && y >= 0 && y < SIDE && patch->file->seed < SEEDS);
    assert_memory_equal(patch->cells, v->s->cells[patch->file->seed][y * SIDE + x], CELLS);
    return true;
}

static verdict judge_all(const scene *s)
{
    jbw_atlas *atlas;
    assert_int_equal(jbw_atlas_open(s->folder.path, NULL, &atlas, NULL), JBW_OK);
    verdict v = {.s = s};
    const jbw_atlas_visitor visitor = {.user = &v, .on_patch = judge};
    assert_int_equal(jbw_atlas_visit(atlas, &visitor), JBW_OK);
    jbw_atlas_close(atlas);
    return v;
}

static void test_killed(void **state)
{
    const scene *s = *state;
    torment(s, options.is_long ? 20000 : 250, PROCESSES);
    // a killed process leaves at most the entry that it was adding
    const verdict v = judge_all(s);
    assert_true(v.patch_count > 100);
    assert_true(v.damaged_count <= PROCESSES);
}

static void test_killed_and_spoiled(void **state)
{
    const scene *s = *state;
    torment(s, options.is_long ? 20000 : 250, PROCESSES + 2);
    (void)judge_all(s);
}

int main(int argc, char **argv)
{
    options = test_options_read(argc, argv);
    static scene s;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(test_killed, &s),
        cmocka_unit_test_prestate(test_killed_and_spoiled, &s),
    };
    begin(&s);
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    jbw_model_destroy(s.model);
    remove_tree(s.folder.path);
    return failed;
}
