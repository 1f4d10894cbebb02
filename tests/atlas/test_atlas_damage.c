// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// An atlas that was damaged, in every way that we could think of: whatever is found is right, and
/// what is not found is made and added again. No call fails.
#include "support/models.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "atlas/tile_file.h"
#include "base/bytes.h"
#include "jbw/atlas.h"
#include "jbw/patch_store.h"
#include "support/damage.h"
#include "support/files.h"
#include "support/options.h"
#include "support/random.h"

enum { SIDE = 5, PATCHES = SIDE * SIDE, CELLS = VARIED_SIZE * VARIED_SIZE, SEED = 6 };

static test_options options;

typedef struct scene {
    temporary_folder folder;
    jbw_model *model;
    jbw_atlas *atlas;
    char tile[PATH_SIZE]; // the path of the only tile
    uint8_t cells[PATCHES][CELLS];
} scene;

static jbw_position place_of(int index)
{
    return (jbw_position){index % SIDE, index / SIDE};
}

static void open_atlas(scene *s)
{
    jbw_error error;
    if (jbw_atlas_open(s->folder.path, NULL, &s->atlas, &error)) fail_msg("%s", error.text);
}

static jbw_world *world_with(const scene *s, jbw_atlas *atlas)
{
    jbw_world *world = world_of(s->model, SEED);
    if (atlas) assert_int_equal(jbw_world_set_atlas(world, atlas, NULL), JBW_OK);
    return world;
}

static void look(jbw_world *world, int index, uint8_t cells[CELLS])
{
    const jbw_position place = place_of(index);
    const jbw_region region = {place.x * VARIED_SIZE, place.y * VARIED_SIZE, VARIED_SIZE,
                               VARIED_SIZE};
    assert_int_equal(jbw_world_read_region(world, region, cells, NULL), JBW_OK);
}

// all patches of a world, whatever the atlas holds, are right
static void assert_right(const scene *s, jbw_atlas *atlas)
{
    jbw_world *world = world_with(s, atlas);
    for (int i = 0; i < PATCHES; i++) {
        uint8_t cells[CELLS];
        look(world, i, cells);
        assert_memory_equal(cells, s->cells[i], CELLS);
    }
    jbw_world_destroy(world);
}

// how many patches a new world finds
static int count_found(const scene *s)
{
    jbw_world *world = world_with(s, s->atlas);
    const jbw_patch_store *store = jbw_world_patch_store(world);
    int count = 0;
    for (int i = 0; i < PATCHES; i++) {
        uint8_t cells[CELLS];
        if (!store->find(store->user, place_of(i), cells)) continue;
        assert_memory_equal(cells, s->cells[i], CELLS);
        count++;
    }
    jbw_world_destroy(world);
    return count;
}

static void note_tile(const char *path, void *user)
{
    if (strstr(path, ".tile")) memcpy(user, path, strlen(path) + 1);
}

static scene begin(void)
{
    scene s = {0};
    assert_true(temporary_folder_create(&s.folder));
    jbw_config config = calm_config();
    config.generation = JBW_GENERATION_INVARIANT;
    s.model = model_of(&config);
    jbw_world *twin = world_with(&s, NULL);
    for (int i = 0; i < PATCHES; i++) look(twin, i, s.cells[i]);
    jbw_world_destroy(twin);
    open_atlas(&s);
    assert_right(&s, s.atlas);
    assert_int_equal(count_found(&s), PATCHES);
    visit_tree(s.folder.path, note_tile, s.tile);
    assert_true(s.tile[0] != '\0');
    return s;
}

static void end(scene *s)
{
    jbw_atlas_close(s->atlas);
    jbw_model_destroy(s->model);
    remove_tree(s->folder.path);
}

// as another process would: nothing is known of the files
static void open_again(scene *s)
{
    jbw_atlas_close(s->atlas);
    open_atlas(s);
}

// everything is right, and afterwards everything is there again
static void assert_heals(scene *s, const char *what)
{
    open_again(s);
    assert_right(s, s->atlas);
    const int found = count_found(s);
    if (found != PATCHES) fail_msg("%s: only %d patches are there again", what, found);
    open_again(s);
    assert_int_equal(count_found(s), PATCHES);
}

// ---- bytes ----

static void test_every_bit(void **state)
{
    (void)state;
    scene s = begin();
    size_t size;
    uint8_t *good = (uint8_t *)file_read(s.tile, &size);
    assert_non_null(good);
    const size_t step = options.is_long ? 1 : 7;
    for (size_t bit = 0; bit < 8 * size; bit += step) {
        good[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_true(file_write(s.tile, good, size));
        good[bit / 8] ^= (uint8_t)(1u << bit % 8);
        open_again(&s);
        const int found = count_found(&s);
        const bool is_header = bit / 8 < 64;
        assert_true(is_header ? found == 0 : found >= PATCHES - 1);
        if (bit % 64 != 0) continue;
        assert_right(&s, s.atlas);
        assert_int_equal(count_found(&s), PATCHES);
    }
    free(good);
    end(&s);
}

static void test_random_damage(void **state)
{
    (void)state;
    scene s = begin();
    size_t size;
    uint8_t *good = (uint8_t *)file_read(s.tile, &size);
    uint8_t *bad = malloc(size + DAMAGE_MOST_ADDED);
    uint64_t random = options.seed;
    for (int i = 0; i < (options.is_long ? 20000 : 600); i++) {
        const size_t bad_size = damage(&random, good, size, bad);
        assert_true(file_write(s.tile, bad, bad_size));
        assert_heals(&s, "random damage");
    }
    free(bad);
    free(good);
    end(&s);
}

static void test_truncation(void **state)
{
    (void)state;
    scene s = begin();
    size_t size;
    uint8_t *good = (uint8_t *)file_read(s.tile, &size);
    for (size_t left = 0; left < size; left += left < 200 ? 7 : 61) {
        assert_true(file_write(s.tile, good, left));
        assert_heals(&s, "truncated");
    }
    // while it is open, and a world reads it
    for (off_t left = 0; left < (off_t)size; left += 97) {
        assert_true(file_write(s.tile, good, size));
        open_again(&s);
        assert_int_equal(count_found(&s), PATCHES);
        assert_int_equal(truncate(s.tile, left), 0);
        assert_true(count_found(&s) < PATCHES);
        assert_right(&s, s.atlas);
        assert_int_equal(count_found(&s), PATCHES);
    }
    free(good);
    end(&s);
}

// blocks that the disk lost: all zero, all ones, or a copy of the block before
static void test_lost_blocks(void **state)
{
    (void)state;
    scene s = begin();
    size_t size;
    uint8_t *good = (uint8_t *)file_read(s.tile, &size);
    uint8_t *bad = malloc(size);
    static const size_t blocks[] = {8, 64, 512, 4096};
    for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++) {
        for (size_t at = 0; at < size;
             at += blocks[b] < 512 && !options.is_long ? 448 : blocks[b]) {
            const size_t length = size - at < blocks[b] ? size - at : blocks[b];
            for (int kind = 0; kind < 3; kind++) {
                memcpy(bad, good, size);
                if (kind < 2)
                    memset(bad + at, kind ? 255 : 0, length);
                else if (at >= length)
                    memcpy(bad + at, good + at - length, length);
                assert_true(file_write(s.tile, bad, size));
                assert_heals(&s, "a lost block");
            }
        }
    }
    free(bad);
    free(good);
    end(&s);
}

// slots that point at each other's entries, and entries of another place, seed or world
static void test_foreign_entries(void **state)
{
    (void)state;
    enum { SLOTS = 64 };
    scene s = begin();
    size_t size;
    uint8_t *bytes = (uint8_t *)file_read(s.tile, &size);
    uint8_t *first = bytes + SLOTS + 8 * jbw_tile_slot_of(place_of(0));
    uint8_t *other = bytes + SLOTS + 8 * jbw_tile_slot_of(place_of(7));
    uint8_t slot[8];
    memcpy(slot, first, sizeof slot);
    memcpy(first, other, sizeof slot);
    memcpy(other, slot, sizeof slot);
    assert_true(file_write(s.tile, bytes, size));
    open_again(&s);
    assert_int_equal(count_found(&s), PATCHES - 2);
    assert_heals(&s, "swapped slots");

    // all patches of another seed, under our name: even with a header that says otherwise
    jbw_world *world = world_of(s.model, SEED + 1);
    assert_int_equal(jbw_world_set_atlas(world, s.atlas, NULL), JBW_OK);
    for (int i = 0; i < PATCHES; i++)
        assert_int_equal(jbw_world_finalize_patch(world, place_of(i)), 0);
    jbw_world_destroy(world);
    char foreign[PATH_SIZE];
    memcpy(foreign, s.tile, sizeof foreign);
    char *seed = strstr(foreign, "/0_0.tile") - 1;
    *seed = (char)(*seed + 1);
    free(bytes);
    bytes = (uint8_t *)file_read(foreign, &size);
    assert_non_null(bytes);
    assert_true(file_write(s.tile, bytes, size));
    open_again(&s);
    assert_int_equal(count_found(&s), 0);
    bytes[32] = SEED;
    jbw_hasher hasher = jbw_hash_begin(0);
    jbw_hash_bytes(&hasher, bytes, 56);
    jbw_put_u64(bytes + 56, hasher.value);
    assert_true(file_write(s.tile, bytes, size));
    open_again(&s);
    assert_int_equal(count_found(&s), 0);
    assert_heals(&s, "another seed");
    free(bytes);
    end(&s);
}

// ---- files ----

static void test_foreign_files(void **state)
{
    (void)state;
    scene s = begin();
    char path[PATH_SIZE];
    char atlas[PATH_SIZE];
    temporary_path(&s.folder, "atlas-1", atlas);
    static const char *const names[] = {"/notes.txt", "/0123", "/../holiday.png", "/../atlas-2"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s%s", atlas, names[i]);
        assert_true(file_write(path, "something else", 14));
    }
    // beside tiles: a name that is almost one, and what somebody is writing just now
    const int folder = (int)(strrchr(s.tile, '/') - s.tile);
    static const char *const tiles[] = {"00_0.tile", "0_0.tile2", "5_.tile",
                                        "-0_0.tile", "7_7.tile",  "0_0.tile.1-0-0.part"};
    for (size_t i = 0; i < sizeof tiles / sizeof *tiles; i++) {
        snprintf(path, sizeof path, "%.*s/%s", folder, s.tile, tiles[i]);
        assert_true(file_write(path, "something else", 14));
    }
    assert_heals(&s, "foreign files");
    jbw_atlas_pruned pruned;
    assert_int_equal(jbw_atlas_prune(s.atlas, 0, &pruned), JBW_OK);
    assert_int_equal(pruned.file_count, 2); // ours, and the one that has a tile's name
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        snprintf(path, sizeof path, "%s%s", atlas, names[i]);
        char *text = file_read(path, NULL);
        assert_string_equal(text, "something else");
        free(text);
    }
    assert_heals(&s, "pruned");
    end(&s);
}

// another version of the format, or of the algorithm, is left alone
static void test_versions(void **state)
{
    (void)state;
    scene s = begin();
    size_t size;
    uint8_t *bytes = (uint8_t *)file_read(s.tile, &size);
    bytes[8] = JBW_ATLAS_VERSION + 1;
    jbw_hasher hasher = jbw_hash_begin(0);
    jbw_hash_bytes(&hasher, bytes, 56);
    jbw_put_u64(bytes + 56, hasher.value);
    assert_true(file_write(s.tile, bytes, size));
    open_again(&s);
    assert_int_equal(count_found(&s), 0);
    assert_heals(&s, "another version");
    free(bytes);
    end(&s);
}

// the file that says what a world is does not matter to worlds
static void test_world_file(void **state)
{
    (void)state;
    scene s = begin();
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s", s.tile);
    *strrchr(path, '/') = '\0';
    memcpy(strrchr(path, '/'), "/world", 7);
    size_t size;
    char *text = file_read(path, &size);
    assert_non_null(text);
    text[size / 2] ^= 1;
    assert_true(file_write(path, text, size));
    assert_heals(&s, "what the world is");
    const jbw_atlas_visitor visitor = {0};
    assert_int_equal(jbw_atlas_visit(s.atlas, &visitor), JBW_OK);
    free(text);
    end(&s);
}

static void test_links(void **state)
{
    (void)state;
    scene s = begin();
    char target[PATH_SIZE];
    temporary_path(&s.folder, "precious", target);
    assert_int_equal(rename(s.tile, target), 0);
    size_t size;
    char *before = file_read(target, &size);
    assert_int_equal(symlink(target, s.tile), 0);
    open_again(&s);
    assert_int_equal(count_found(&s), 0); // links are not followed
    assert_heals(&s, "a link");
    size_t size_after;
    char *after = file_read(target, &size_after);
    assert_int_equal(size, size_after);
    assert_memory_equal(before, after, size);
    free(before);
    free(after);

    // a folder where a tile should be: made again each time, never added
    assert_int_equal(unlink(s.tile), 0);
    assert_int_equal(mkdir(s.tile, 0777), 0);
    open_again(&s);
    assert_right(&s, s.atlas);
    assert_int_equal(count_found(&s), 0);
    assert_true(jbw_atlas_get_counts(s.atlas).failed > 0);
    end(&s);
}

static void test_vanishing(void **state)
{
    (void)state;
    scene s = begin();
    jbw_world *world = world_with(&s, s.atlas);
    assert_int_equal(jbw_world_finalize_patch(world, place_of(0)), JBW_OK);
    remove_tree(s.folder.path);
    assert_right(&s, s.atlas);
    assert_int_equal(jbw_world_finalize_patch(world, (jbw_position){100, 100}), JBW_OK);
    assert_int_equal(access(s.folder.path, F_OK), -1); // nobody makes it again
    assert_int_equal(jbw_atlas_prune(s.atlas, 0, NULL), JBW_OK);
    jbw_world_destroy(world);
    jbw_atlas_close(s.atlas);

    // it comes back
    assert_int_equal(mkdir(s.folder.path, 0777), 0);
    open_atlas(&s);
    assert_heals(&s, "a new folder");
    end(&s);
}

// A file that grows out of all proportion, since what is added is damaged again and again, is
// replaced.
static void test_endless_damage(void **state)
{
    (void)state;
    scene s = begin();
    off_t most = 0;
    for (int i = 0; i < 40; i++) {
        struct stat about;
        assert_int_equal(stat(s.tile, &about), 0);
        most = about.st_size > most ? about.st_size : most;
        assert_int_equal(truncate(s.tile, about.st_size + 10000), 0);
        assert_heals(&s, "grown");
        uint8_t *bytes = (uint8_t *)file_read(s.tile, NULL);
        memset(bytes + 64, 255, 8 * (size_t)JBW_TILE_SLOTS);
        assert_true(file_write(s.tile, bytes, (size_t)about.st_size));
        free(bytes);
        assert_heals(&s, "all slots damaged");
    }
    assert_true(most < 400000);
    end(&s);
}

// ---- the system says no ----

// in a child that may not make large files: the disk is full
static void test_full_disk(void **state)
{
    (void)state;
    scene s = begin();
    struct stat about;
    assert_int_equal(stat(s.tile, &about), 0);
    const pid_t child = fork();
    if (child == 0) {
        (void)signal(SIGXFSZ, SIG_IGN);
        // the first entries fit, one is cut in the middle, the rest fail
        const rlim_t room = (rlim_t)about.st_size + 100;
        const struct rlimit limit = {.rlim_cur = room, .rlim_max = room};
        if (setrlimit(RLIMIT_FSIZE, &limit)) _exit(2);
        jbw_world *world = world_with(&s, s.atlas);
        for (int i = 0; i < 16 * 16; i++)
            if (jbw_world_finalize_patch(world, (jbw_position){i % 16, i / 16})) _exit(3);
        const jbw_atlas_counts counts = jbw_atlas_get_counts(s.atlas);
        _exit(counts.failed > 0 ? 0 : 4);
    }
    int outcome;
    assert_int_equal(waitpid(child, &outcome, 0), child);
    assert_int_equal(outcome, 0);
    open_again(&s);
    assert_int_equal(count_found(&s), PATCHES);
    jbw_world *world = world_with(&s, s.atlas);
    jbw_world *twin = world_with(&s, NULL);
    for (int i = 0; i < 16 * 16; i++) {
        assert_int_equal(jbw_world_finalize_patch(world, (jbw_position){i % 16, i / 16}), JBW_OK);
        assert_int_equal(jbw_world_finalize_patch(twin, (jbw_position){i % 16, i / 16}), JBW_OK);
    }
    uint8_t cells[2][CELLS * 256];
    const jbw_region region = {0, 0, 16 * VARIED_SIZE, 16 * VARIED_SIZE};
    assert_int_equal(jbw_world_read_region(world, region, cells[0], NULL), JBW_OK);
    assert_int_equal(jbw_world_read_region(twin, region, cells[1], NULL), JBW_OK);
    assert_memory_equal(cells[0], cells[1], sizeof cells[0]);
    jbw_world_destroy(twin);
    jbw_world_destroy(world);
    end(&s);
}

// in a child that is nobody: what root may do says nothing
static void test_no_permission(void **state)
{
    (void)state;
    scene s = begin();
    assert_int_equal(chmod(s.folder.path, 0555), 0);
    const pid_t child = fork();
    if (child == 0) {
        if (getuid() == 0 && (setgid(65534) || setuid(65534))) _exit(2);
        jbw_atlas *atlas;
        if (jbw_atlas_open(s.folder.path, NULL, &atlas, NULL)) _exit(3);
        if (!jbw_atlas_is_read_only(atlas)) _exit(4);
        jbw_world *world = world_with(&s, atlas);
        for (int i = 0; i < 16 * 16; i++)
            if (jbw_world_finalize_patch(world, (jbw_position){i % 16, i / 16})) _exit(5);
        const jbw_atlas_counts counts = jbw_atlas_get_counts(atlas);
        _exit(counts.found == PATCHES && counts.added == 0 ? 0 : 6);
    }
    int outcome;
    assert_int_equal(waitpid(child, &outcome, 0), child);
    assert_int_equal(outcome, 0);
    chmod(s.folder.path, 0777);

    // the folder may be written to, its files may not, or may not even be read
    for (int mode = 0; mode <= 0444; mode += 0444) {
        chmod(s.tile, (mode_t)mode);
        const pid_t other = fork();
        if (other == 0) {
            if (getuid() == 0 && (setgid(65534) || setuid(65534))) _exit(2);
            jbw_atlas *atlas;
            if (jbw_atlas_open(s.folder.path, NULL, &atlas, NULL)) _exit(3);
            const jbw_atlas_counts before = jbw_atlas_get_counts(atlas); // the parent's
            jbw_world *world = world_with(&s, atlas);
            for (int i = 0; i < 16 * 16; i++)
                if (jbw_world_finalize_patch(world, (jbw_position){i % 16, i / 16})) _exit(5);
            const jbw_atlas_counts counts = jbw_atlas_get_counts(atlas);
            const uint64_t found = counts.found - before.found;
            _exit(found == (mode ? PATCHES : 0) && counts.added == before.added ? 0 : 6);
        }
        assert_int_equal(waitpid(other, &outcome, 0), other);
        assert_int_equal(outcome, 0);
    }
    chmod(s.tile, 0666);
    end(&s);
}

int main(int argc, char **argv)
{
    options = test_options_read(argc, argv);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_bit),       cmocka_unit_test(test_random_damage),
        cmocka_unit_test(test_truncation),      cmocka_unit_test(test_lost_blocks),
        cmocka_unit_test(test_foreign_entries), cmocka_unit_test(test_foreign_files),
        cmocka_unit_test(test_versions),        cmocka_unit_test(test_world_file),
        cmocka_unit_test(test_links),           cmocka_unit_test(test_vanishing),
        cmocka_unit_test(test_endless_damage),  cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_no_permission),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
