// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// jbw atlas verify: reads everything, makes a sample of the patches again, and compares.

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "atlas_verbs.h"
#include "base/rng.h"
#include "jbw/jbw.h"
#include "progress.h"

static const char verb[] = "atlas verify";

typedef struct check {
    uint64_t patch_count; // that are good, as a first visit found
    uint64_t damaged_count;
    uint64_t damaged_file_count;
    uint64_t unknown_count; // worlds without a model
    uint64_t left;          // good patches that the second visit has not come to
    uint64_t wanted;        // how many of these it should make again
    uint64_t random;
    uint64_t compared_count;
    uint64_t wrong_count;
    jbw_world *world; // the one that makes patches again, or NULL
    uint8_t *cells;
    jbw_status status;
    jbw_progress progress;
} check;

// ---- first: what is there ----

static bool count_world(void *user, const jbw_atlas_world *world)
{
    ((check *)user)->unknown_count += !world->model;
    return true;
}

static bool count_file(void *user, const jbw_atlas_file *file)
{
    ((check *)user)->damaged_file_count += !file->is_good;
    return true;
}

static bool count_patch(void *user, const jbw_atlas_patch *patch)
{
    check *c = user;
    if (patch->cells)
        c->patch_count++;
    else
        c->damaged_count++;
    return !jbw_atlas_verb_is_interrupted;
}

// ---- then: is it right ----

static void drop_world(check *c)
{
    jbw_world_destroy(c->world);
    free(c->cells);
    c->world = NULL;
    c->cells = NULL;
}

static bool end_world(void *user, const jbw_atlas_world *world)
{
    (void)world;
    drop_world(user);
    return true;
}

// a world without atlas that makes patches of a file
static jbw_status prepare_world(check *c, const jbw_atlas_file *file)
{
    if (c->world && jbw_world_seed(c->world) == file->seed) return JBW_OK;
    drop_world(c);
    const size_t size = (size_t)jbw_model_patch_size(file->world->model);
    c->cells = malloc(size * size);
    return c->cells ? jbw_world_create(file->world->model, file->seed, &c->world)
                    : JBW_OUT_OF_MEMORY;
}

static bool compare_patch(void *user, const jbw_atlas_patch *patch)
{
    check *c = user;
    if (jbw_atlas_verb_is_interrupted) return false;
    if (!patch->cells || c->left == 0) return true;
    // each choice of `wanted` patches is equally likely
    c->random = jbw_mix64(c->random + 0x9E3779B97F4A7C15u);
    const bool is_chosen = c->random % c->left < c->wanted;
    c->left--;
    if (!is_chosen) return true;
    c->wanted--;
    c->status = prepare_world(c, patch->file);
    const int64_t size = jbw_model_patch_size(patch->file->world->model);
    const jbw_region region = {patch->place.x * size, patch->place.y * size, size, size};
    if (!c->status) c->status = jbw_world_read_region(c->world, region, c->cells, NULL);
    if (c->status) return false;
    c->compared_count++;
    if (memcmp(c->cells, patch->cells, (size_t)size * (size_t)size) != 0) {
        c->wrong_count++;
        fprintf(stderr, "%s: patch %" PRId64 ",%" PRId64 " is wrong\n", patch->file->path,
                patch->place.x, patch->place.y);
    }
    jbw_progress_update(&c->progress, c->compared_count);
    return true;
}

static jbw_verb_status verify(const jbw_atlas *atlas, uint64_t sample, uint64_t seed)
{
    check c = {.random = seed};
    const jbw_atlas_visitor counter = {
        .user = &c, .on_world = count_world, .on_file = count_file, .on_patch = count_patch};
    const jbw_atlas_visitor comparer = {
        .user = &c, .on_patch = compare_patch, .on_world_end = end_world};
    jbw_status status = jbw_atlas_visit(atlas, &counter);
    c.left = c.patch_count;
    c.wanted = sample < c.left ? sample : c.left;
    jbw_progress_begin(&c.progress, "making patches again", c.wanted);
    if (!status) status = jbw_atlas_visit(atlas, &comparer);
    jbw_progress_end(&c.progress);
    drop_world(&c);
    if (c.status) status = c.status;
    if (status) return jbw_verb_fail(verb, "%s", jbw_status_text(status));

    printf("%" PRIu64 " patches can be read", c.patch_count);
    if (c.damaged_count > 0) printf(", %" PRIu64 " are damaged", c.damaged_count);
    if (c.damaged_file_count > 0) printf(", %" PRIu64 " files are damaged", c.damaged_file_count);
    if (c.unknown_count > 0)
        printf(", %" PRIu64 " worlds are of another version or damaged", c.unknown_count);
    printf("\n%" PRIu64 " were made again: %" PRIu64 " are wrong\n", c.compared_count,
           c.wrong_count);
    if (c.wrong_count == 0) return JBW_VERB_OK;
    return jbw_verb_fail(verb, "remove %s", jbw_atlas_path(atlas));
}

jbw_verb_status jbw_cmd_atlas_verify(int argc, char **argv)
{
    jbw_atlas_request request = {.is_read_only = true};
    uint64_t sample = 100;
    uint64_t seed = 0;
    const jbw_option options[] = {
        {"--sample", JBW_OPTION_UINT64, &sample, "N", "how many patches to make again (100)"},
        {"--seed", JBW_OPTION_UINT64, &seed, "S", "choose another sample (0)"},
        jbw_option_atlas(&request),
    };
    jbw_command_line line = {
        .verb = verb,
        .usage = "[OPTIONS]",
        .purpose = "Reads all patches of an atlas, makes a sample of them again, and compares. "
                   "Damaged patches are harmless: worlds make them again. A wrong one is not.",
        .options = options,
        .option_count = sizeof options / sizeof *options,
    };
    jbw_verb_status status = jbw_command_line_parse(&line, argc, argv);
    jbw_atlas *atlas;
    if (!status) status = jbw_atlas_verb_open(&request, verb, 0, &atlas);
    if (status) return status;
    jbw_atlas_verb_watch_interrupts();
    status = verify(atlas, sample, seed);
    jbw_atlas_close(atlas);
    return status;
}
