// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The atlas as worlds use it: they are the same with and without, cold and warm, in batches, in
/// copies, loaded and dropped from memory; and what was made is found. The twin has no atlas.
#include "support/models.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "jbw/agent.h"
#include "jbw/ahead.h"
#include "jbw/atlas.h"
#include "jbw/batch.h"
#include "jbw/patch_store.h"
#include "sim/world/terrain.h"
#include "support/files.h"
#include "support/life.h"
#include "support/random.h"

enum { MOST_TYPES = 8, ENGINE_BYTES = 1 << 20 };

typedef struct scene {
    temporary_folder folder;
    jbw_model *model;
    jbw_atlas *atlas;
} scene;

// without interactions, which makes generation fast; or as they are
static jbw_config make_config(bool is_calm)
{
    static jbw_item_type items[MOST_TYPES];
    jbw_config config = life_small_config();
    config.generation = JBW_GENERATION_INVARIANT;
    for (size_t i = 0; i < config.item_count; i++) {
        items[i] = config.items[i];
        if (is_calm) items[i].interaction_count = 0;
    }
    config.items = items;
    return config;
}

static jbw_atlas *open_atlas(const scene *s, jbw_atlas_options options)
{
    jbw_atlas *atlas;
    jbw_error error;
    if (jbw_atlas_open(s->folder.path, &options, &atlas, &error)) fail_msg("%s", error.text);
    return atlas;
}

static scene begin(bool is_calm)
{
    scene s;
    assert_true(temporary_folder_create(&s.folder));
    const jbw_config config = make_config(is_calm);
    s.model = model_of(&config);
    s.atlas = open_atlas(&s, (jbw_atlas_options){0});
    return s;
}

static void end(scene *s)
{
    jbw_atlas_close(s->atlas);
    jbw_model_destroy(s->model);
    remove_tree(s->folder.path);
}

static jbw_world *world_with(const scene *s, uint64_t seed)
{
    jbw_world *world = world_of(s->model, seed);
    assert_int_equal(jbw_world_set_atlas(world, s->atlas, NULL), JBW_OK);
    return world;
}

static void assert_same_world(jbw_world *a, jbw_world *b)
{
    life_view view_a = life_look(a);
    life_view view_b = life_look(b);
    view_a.stats = view_b.stats = 0; // how much was sampled may differ
    const char *difference = life_difference(&view_a, &view_b);
    if (difference) fail_msg("different in %s", difference);
}

static void assert_same_bytes(jbw_world *a, jbw_world *b)
{
    jbw_buffer bytes_a = encode_world(a);
    jbw_buffer bytes_b = encode_world(b);
    assert_int_equal(bytes_a.size, bytes_b.size);
    assert_memory_equal(bytes_a.bytes, bytes_b.bytes, bytes_a.size);
    jbw_buffer_free(&bytes_a);
    jbw_buffer_free(&bytes_b);
}

static void assert_same_cells(jbw_world *a, jbw_world *b, uint64_t *random)
{
    enum { WIDTH = 50, HEIGHT = 30 };
    static uint8_t cells[2][WIDTH * HEIGHT];
    const jbw_region region = {random_between(random, -300, 300), random_between(random, -300, 300),
                               WIDTH, HEIGHT};
    assert_int_equal(jbw_world_read_region(a, region, cells[0], NULL), JBW_OK);
    assert_int_equal(jbw_world_read_region(b, region, cells[1], NULL), JBW_OK);
    assert_memory_equal(cells[0], cells[1], sizeof cells[0]);
}

// ---- worlds ----

// a busy life beside a twin without atlas, with few patches in memory
static void live(const scene *s, uint64_t seed, int calls, bool is_calm, int threads)
{
    jbw_world *with = world_with(s, seed);
    jbw_world *without = world_of(s->model, seed);
    assert_int_equal(jbw_world_set_generation_threads(with, threads), JBW_OK);
    uint64_t life_with = seed;
    uint64_t life_without = seed;
    uint64_t random = seed + 100;
    for (int i = 0; i < calls; i++) {
        assert_true(life_call(with, &life_with));
        assert_true(life_call(without, &life_without));
        if (i % 50 == 7) assert_same_world(with, without);
        if (is_calm && i % 20 == 3) assert_same_cells(with, without, &random);
        if (i % 90 == 40) {
            jbw_patch_cache_set_budget(with->generator.patch_cache, 1, ENGINE_BYTES);
            jbw_terrain_drop_if_full(with);
        }
        if (i % 60 == 30) {
            const bool is_saved = random_below(&random, 2) > 0;
            with = replaced_world(with, is_saved);
            if (is_saved) assert_null(jbw_world_patch_store(with));
            assert_int_equal(jbw_world_set_atlas(with, s->atlas, NULL), JBW_OK);
        }
    }
    assert_same_world(with, without);
    assert_same_bytes(with, without);
    jbw_world_destroy(with);
    jbw_world_destroy(without);
}

static void test_calm_twin(void **state)
{
    (void)state;
    scene s = begin(true);
    for (uint64_t seed = 1; seed <= 3; seed++) live(&s, seed, 300, true, 0);
    const jbw_atlas_counts cold = jbw_atlas_get_counts(s.atlas);
    assert_true(cold.added > 100);
    assert_int_equal(cold.added, cold.missing);
    assert_int_equal(cold.failed + cold.damaged, 0);
    for (uint64_t seed = 1; seed <= 3; seed++) live(&s, seed, 300, true, 0);
    const jbw_atlas_counts warm = jbw_atlas_get_counts(s.atlas);
    assert_int_equal(warm.missing, cold.missing);
    assert_true(warm.found > cold.found);
    end(&s);
}

static void test_twin(void **state)
{
    (void)state;
    scene s = begin(false);
    live(&s, 4, 60, false, 0);
    live(&s, 4, 70, false, 2); // the beginning is there, the rest is made ahead
    const jbw_atlas_counts cold = jbw_atlas_get_counts(s.atlas);
    assert_int_equal(cold.added, cold.missing);
    jbw_atlas_close(s.atlas);
    s.atlas = open_atlas(&s, (jbw_atlas_options){.is_read_only = true});
    live(&s, 4, 70, false, 0);
    assert_int_equal(jbw_atlas_get_counts(s.atlas).missing, 0);
    end(&s);
}

static void test_batch(void **state)
{
    (void)state;
    enum { WORLDS = 6, STEPS = 150 };
    scene s = begin(true);
    jbw_batch_world worlds[2][WORLDS];
    for (size_t i = 0; i < WORLDS; i++) {
        worlds[0][i] = (jbw_batch_world){.model = s.model, .seed = i / 2, .agent_count = 2};
        worlds[1][i] = worlds[0][i];
        worlds[1][i].prepare = jbw_atlas_attach;
        worlds[1][i].prepare_user = s.atlas;
    }
    jbw_batch *batches[2];
    for (int i = 0; i < 2; i++)
        assert_int_equal(jbw_batch_create(worlds[i], WORLDS, 3, NULL, &batches[i], NULL), JBW_OK);
    uint64_t random = 4;
    for (int i = 0; i < STEPS; i++) {
        int32_t actions[2 * WORLDS];
        for (int j = 0; j < 2 * WORLDS; j++)
            actions[j] = random_below(&random, 3) ? 0 : (int32_t)random_below(&random, 6);
        for (int j = 0; j < 2; j++) {
            assert_int_equal(jbw_batch_step(batches[j], actions), JBW_OK);
            if (i == STEPS / 2) assert_int_equal(jbw_batch_reset(batches[j], 1, 2), JBW_OK);
        }
    }
    for (size_t i = 0; i < WORLDS; i++) {
        jbw_world *a = jbw_batch_get_world(batches[0], i);
        jbw_world *b = jbw_batch_get_world(batches[1], i);
        assert_null(jbw_world_patch_store(a));
        assert_non_null(jbw_world_patch_store(b));
        assert_same_world(a, b);
    }
    const jbw_atlas_counts counts = jbw_atlas_get_counts(s.atlas);
    assert_true(counts.found > 0 && counts.added > 0 && counts.failed == 0);
    for (int i = 0; i < 2; i++) jbw_batch_destroy(batches[i]);
    end(&s);
}

static bool find_patch(const jbw_world *world, jbw_position patch)
{
    uint8_t cells[64 * 64];
    const jbw_patch_store *store = jbw_world_patch_store(world);
    return store->find(store->user, patch, cells);
}

// what decides cells keeps worlds apart, and nothing else does
static void test_keys(void **state)
{
    (void)state;
    scene s = begin(true);
    jbw_world *world = world_with(&s, 1);
    const jbw_position far = {-1000000000000, 99};
    assert_int_equal(jbw_world_finalize_patch(world, far), JBW_OK);
    assert_true(find_patch(world, far));
    assert_true(jbw_world_patch_is_ready(world, far));
    assert_false(find_patch(world, (jbw_position){far.x, 98}));

    jbw_world *other_seed = world_with(&s, 2);
    assert_false(find_patch(other_seed, far));
    jbw_config config = make_config(true);
    jbw_item_type items[MOST_TYPES];
    memcpy(items, config.items, config.item_count * sizeof *items);
    const double blue[] = {0.1, 0.9};
    items[0].color = items[0].scent = blue;
    config.items = items;
    config.agent.vision_range = 2;
    config.collision = JBW_COLLISION_ALLOW;
    jbw_model *repainted = model_of(&config);
    items[0].intensity = "Constant[-1.75]";
    jbw_model *denser = model_of(&config);
    jbw_world *others[] = {world_of(repainted, 1), world_of(denser, 1)};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(jbw_world_set_atlas(others[i], s.atlas, NULL), JBW_OK);
        assert_int_equal(find_patch(others[i], far), i == 0);
        jbw_world_destroy(others[i]);
    }
    jbw_model_destroy(repainted);
    jbw_model_destroy(denser);
    jbw_world_destroy(other_seed);
    jbw_world_destroy(world);
    end(&s);
}

// ---- opening ----

static void test_open(void **state)
{
    (void)state;
    scene s = begin(true);
    jbw_error error;
    jbw_atlas *atlas;
    char path[PATH_SIZE];
    char file[PATH_SIZE];
    temporary_path(&s.folder, "none/below", path);
    assert_int_equal(jbw_atlas_open(path, NULL, &atlas, &error), JBW_WRITE_FAILED);
    assert_contains(error.text, "none/below: ");
    assert_null(atlas);
    temporary_path(&s.folder, "none", path);
    const jbw_atlas_options read_only = {.is_read_only = true};
    assert_int_equal(jbw_atlas_open(path, &read_only, &atlas, &error), JBW_READ_FAILED);
    temporary_path(&s.folder, "file", file);
    assert_true(file_write(file, "x", 1));
    assert_int_equal(jbw_atlas_open(file, NULL, &atlas, &error), JBW_READ_FAILED);
    assert_contains(error.text, "not a folder");
    unlink(file);

    // through a link, it is the same folder
    assert_int_equal(symlink(s.folder.path, file), 0);
    assert_int_equal(jbw_atlas_open(file, &(jbw_atlas_options){.limit = 5}, &atlas, &error),
                     JBW_OK);
    assert_ptr_equal(atlas, s.atlas);
    assert_string_equal(jbw_atlas_path(atlas), s.folder.path);
    jbw_atlas_close(atlas);
    jbw_atlas_close(NULL);

    // a world keeps it open
    jbw_world *world = world_with(&s, 1);
    jbw_atlas_close(s.atlas);
    assert_int_equal(jbw_world_finalize_patch(world, (jbw_position){0, 0}), JBW_OK);
    jbw_world *copy = clone_of(world);
    jbw_world_destroy(world);
    assert_true(find_patch(copy, (jbw_position){0, 0}));
    s.atlas = open_atlas(&s, (jbw_atlas_options){0});
    assert_int_equal(jbw_atlas_get_counts(s.atlas).added, 1);
    jbw_world_destroy(copy);

    // frontier worlds have none
    jbw_config config = make_config(true);
    config.generation = JBW_GENERATION_FRONTIER;
    jbw_model *model = model_of(&config);
    world = world_of(model, 1);
    assert_int_equal(jbw_world_set_atlas(world, s.atlas, &error), JBW_UNSUPPORTED);
    assert_contains(error.text, "invariant");
    assert_int_equal(jbw_atlas_attach(world, s.atlas), JBW_OK);
    assert_int_equal(jbw_world_set_atlas(world, NULL, NULL), JBW_OK);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
    end(&s);
}

static void add_bytes(const char *path, void *user)
{
    struct stat about;
    if (stat(path, &about) == 0) *(uint64_t *)user += (uint64_t)about.st_size;
}

static uint64_t folder_bytes(const scene *s)
{
    uint64_t bytes = 0;
    visit_tree(s->folder.path, add_bytes, &bytes);
    return bytes;
}

static void test_read_only(void **state)
{
    (void)state;
    scene s = begin(true);
    jbw_world *world = world_with(&s, 1);
    explore_cell(world, 5, 5);
    jbw_world_destroy(world);
    const uint64_t bytes = folder_bytes(&s);
    jbw_atlas *all = s.atlas;
    s.atlas = open_atlas(&s, (jbw_atlas_options){.is_read_only = true});
    assert_ptr_not_equal(all, s.atlas);
    assert_true(jbw_atlas_is_read_only(s.atlas));
    assert_false(jbw_atlas_is_read_only(all));
    world = world_with(&s, 1);
    explore_cell(world, 5, 5);
    explore_cell(world, 555, 5);
    const jbw_atlas_counts counts = jbw_atlas_get_counts(s.atlas);
    assert_true(counts.found > 0 && counts.missing > 0);
    assert_int_equal(counts.added + counts.failed, 0);
    assert_int_equal(folder_bytes(&s), bytes);
    assert_int_equal(jbw_atlas_prune(s.atlas, 0, NULL), JBW_NOT_PERMITTED);
    jbw_world_destroy(world);
    jbw_atlas_close(all);
    end(&s);
}

// ---- limits ----

static void test_limit(void **state)
{
    (void)state;
    enum { LIMIT = 64 << 10 };
    scene s = begin(true);
    jbw_atlas_close(s.atlas);
    s.atlas = open_atlas(&s, (jbw_atlas_options){.limit = LIMIT});
    jbw_world *world = world_with(&s, 1);
    uint64_t most = 0;
    for (int64_t i = 0; i < 400; i++) {
        const jbw_position patch = {i * 7, 0};
        assert_int_equal(jbw_world_finalize_patch(world, patch), JBW_OK);
        const uint64_t bytes = folder_bytes(&s);
        most = bytes > most ? bytes : most;
        assert_true(find_patch(world, patch)); // the latest is there
    }
    assert_true(most > LIMIT / 2 && most < LIMIT + LIMIT / 8);
    assert_int_equal(jbw_atlas_get_counts(s.atlas).failed, 0);

    jbw_atlas_pruned pruned;
    assert_int_equal(jbw_atlas_prune(s.atlas, LIMIT / 4, &pruned), JBW_OK);
    assert_true(pruned.file_count > 0 && pruned.left_bytes <= LIMIT / 4);
    assert_true(folder_bytes(&s) < LIMIT / 4 + 4096);
    assert_int_equal(jbw_atlas_prune(s.atlas, 0, &pruned), JBW_OK);
    assert_int_equal(pruned.left_file_count, 0);

    // files that were removed while they were open are made anew
    const uint64_t added = jbw_atlas_get_counts(s.atlas).added;
    const jbw_position patch = {400 * 7 + 1, 0};
    assert_int_equal(jbw_world_finalize_patch(world, patch), JBW_OK);
    assert_int_equal(jbw_atlas_get_counts(s.atlas).added, added + 1);
    jbw_world *fresh = world_with(&s, 1);
    assert_true(find_patch(fresh, patch));
    assert_false(find_patch(fresh, (jbw_position){0, 0}));
    jbw_world_destroy(fresh);
    jbw_world_destroy(world);
    end(&s);
}

// ---- visiting ----

typedef struct visited {
    int worlds;
    int files;
    int patches;
    bool is_wrong;
    jbw_world *twin; // without atlas
} visited;

static bool on_world(void *user, const jbw_atlas_world *world)
{
    ((visited *)user)->worlds++;
    return strlen(world->name) == 32 && jbw_model_item_type_count(world->model) == 4;
}

static bool on_file(void *user, const jbw_atlas_file *file)
{
    ((visited *)user)->files++;
    return file->is_good && file->seed == 3;
}

static bool on_patch(void *user, const jbw_atlas_patch *patch)
{
    visited *v = user;
    uint8_t cells[32 * 32];
    const int size = jbw_model_patch_size(patch->file->world->model);
    const jbw_region region = {patch->place.x * size, patch->place.y * size, size, size};
    v->patches++;
    if (jbw_world_read_region(v->twin, region, cells, NULL) || !patch->cells ||
        memcmp(cells, patch->cells, (size_t)size * (size_t)size) != 0)
        v->is_wrong = true;
    return v->patches < 100;
}

static void test_visit(void **state)
{
    (void)state;
    scene s = begin(true);
    jbw_world *world = world_with(&s, 3);
    for (int64_t i = -20; i < 20; i++) jbw_world_finalize_patch(world, (jbw_position){i, i / 2});
    visited v = {.twin = world_of(s.model, 3)};
    const jbw_atlas_visitor visitor = {
        .user = &v, .on_world = on_world, .on_file = on_file, .on_patch = on_patch};
    assert_int_equal(jbw_atlas_visit(s.atlas, &visitor), JBW_OK);
    assert_int_equal(v.worlds, 1);
    assert_int_equal(v.files, 5);
    assert_int_equal(v.patches, 40);
    assert_false(v.is_wrong);
    v.patches = 90;
    assert_int_equal(jbw_atlas_visit(s.atlas, &visitor), JBW_INTERRUPTED);
    jbw_world_destroy(v.twin);
    jbw_world_destroy(world);
    end(&s);
}

// ---- threads and children ----

static void *explore(void *user)
{
    jbw_world *world = user;
    for (int64_t i = 0; i < 300; i++) {
        const jbw_position patch = {i * 5 % 97, i % 31};
        if (jbw_world_finalize_patch(world, patch)) return NULL;
    }
    return user;
}

static void test_threads(void **state)
{
    (void)state;
    enum { THREADS = 4 };
    scene s = begin(true);
    pthread_t threads[THREADS];
    jbw_world *worlds[THREADS];
    for (int i = 0; i < THREADS; i++) {
        worlds[i] = world_with(&s, 1);
        assert_int_equal(pthread_create(&threads[i], NULL, explore, worlds[i]), 0);
    }
    jbw_world *twin = world_of(s.model, 1);
    explore(twin);
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        assert_non_null(result);
        assert_same_world(worlds[i], twin);
        jbw_world_destroy(worlds[i]);
    }
    const jbw_atlas_counts counts = jbw_atlas_get_counts(s.atlas);
    assert_int_equal(counts.added, 300);
    assert_int_equal(counts.damaged + counts.failed, 0);
    jbw_world_destroy(twin);
    end(&s);
}

// a child goes on with its parent's world, while the parent does the same
static void test_fork(void **state)
{
    (void)state;
    scene s = begin(true);
    jbw_world *world = world_with(&s, 1);
    jbw_world_finalize_patch(world, (jbw_position){0, 0});
    const pid_t child = fork();
    for (int64_t i = 0; i < 200; i++) {
        const jbw_position patch = {i % 16, i / 16};
        if (!jbw_world_finalize_patch(world, patch) && find_patch(world, patch)) continue;
        if (child == 0) _exit(1);
        fail_msg("patch %d is not found", (int)i);
    }
    if (child == 0) _exit(0);
    int outcome;
    assert_int_equal(waitpid(child, &outcome, 0), child);
    assert_int_equal(outcome, 0);
    visited v = {.twin = world_of(s.model, 1)};
    const jbw_atlas_visitor visitor = {.user = &v, .on_patch = on_patch};
    v.patches = -1000;
    assert_int_equal(jbw_atlas_visit(s.atlas, &visitor), JBW_OK);
    assert_int_equal(v.patches, -1000 + 200);
    assert_false(v.is_wrong);
    jbw_world_destroy(v.twin);
    jbw_world_destroy(world);
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_calm_twin), cmocka_unit_test(test_twin),
        cmocka_unit_test(test_batch),     cmocka_unit_test(test_keys),
        cmocka_unit_test(test_open),      cmocka_unit_test(test_read_only),
        cmocka_unit_test(test_limit),     cmocka_unit_test(test_visit),
        cmocka_unit_test(test_threads),   cmocka_unit_test(test_fork),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
