// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// jbw atlas build: makes the patches of a region for several seeds. Each thread takes one seed after
// the other; if there are more threads than seeds, the rest help to generate.

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "atlas_verbs.h"
#include "base/text.h"
#include "jbw/jbw.h"
#include "progress.h"
#include "world_source.h"

static const char verb[] = "atlas build";

enum {
    SQUARE = 16, // patches are made in squares, which neighbours share much of their work in
    MOST_THREADS = 64,
};

typedef struct work {
    const jbw_model *model;
    jbw_atlas *atlas;
    uint64_t first_seed;
    uint64_t seed_count;
    jbw_position first; // patches
    jbw_position last;
    int helpers;               // of each thread
    atomic_uint_fast64_t next; // seed, counted from the first
    atomic_uint_fast64_t done; // patches
    atomic_int status;         // the first that is not JBW_OK
    atomic_int running;        // threads
} work;

static bool is_interrupted(void *user)
{
    (void)user;
    return jbw_atlas_verb_is_interrupted != 0;
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

// makes a square of patches, one row of it after the other
static jbw_status make_square(work *w, const jbw_world *world, jbw_position at, uint8_t *cells)
{
    const int64_t size = jbw_model_patch_size(w->model);
    const int64_t right = smaller(at.x + SQUARE - 1, w->last.x);
    const int64_t top = smaller(at.y + SQUARE - 1, w->last.y);
    for (int64_t y = at.y; y <= top; y++) {
        const int64_t count = right - at.x + 1;
        const jbw_region region = {at.x * size, y * size, count * size, size};
        const jbw_status status = jbw_world_read_region(world, region, cells, NULL);
        if (status) return status;
        atomic_fetch_add(&w->done, (uint64_t)count);
    }
    return JBW_OK;
}

static jbw_status make_seed(work *w, uint64_t seed)
{
    const size_t size = (size_t)jbw_model_patch_size(w->model);
    uint8_t *cells = malloc(SQUARE * size * size);
    jbw_world *world = NULL;
    jbw_status status = cells ? jbw_world_create(w->model, seed, &world) : JBW_OUT_OF_MEMORY;
    if (!status) status = jbw_world_set_atlas(world, w->atlas, NULL);
    if (!status) status = jbw_world_set_generation_threads(world, w->helpers);
    if (!status) jbw_world_on_interrupt(world, is_interrupted, NULL);
    for (int64_t y = w->first.y; y <= w->last.y && !status; y += SQUARE)
        for (int64_t x = w->first.x; x <= w->last.x && !status; x += SQUARE)
            status = make_square(w, world, (jbw_position){x, y}, cells);
    jbw_world_destroy(world);
    free(cells);
    return status;
}

static void *run_thread(void *user)
{
    work *w = user;
    for (;;) {
        const uint64_t index = atomic_fetch_add(&w->next, 1);
        if (index >= w->seed_count || atomic_load(&w->status)) break;
        const jbw_status status = make_seed(w, w->first_seed + index);
        int fine = JBW_OK;
        if (status) atomic_compare_exchange_strong(&w->status, &fine, (int)status);
    }
    atomic_fetch_sub(&w->running, 1);
    return NULL;
}

static jbw_status make_all(work *w, int thread_count, uint64_t total)
{
    pthread_t threads[MOST_THREADS];
    int started = 0;
    atomic_store(&w->running, thread_count);
    while (started < thread_count && !pthread_create(&threads[started], NULL, run_thread, w))
        started++;
    atomic_fetch_sub(&w->running, thread_count - started);
    if (started == 0) return JBW_OUT_OF_MEMORY;
    jbw_progress progress;
    jbw_progress_begin(&progress, "making patches", total);
    while (atomic_load(&w->running) > 0) {
        const jbw_atlas_counts counts = jbw_atlas_get_counts(w->atlas);
        snprintf(progress.note, sizeof progress.note, "%" PRIu64 " made, %" PRIu64 " found",
                 counts.added, counts.found);
        jbw_progress_update(&progress, atomic_load(&w->done));
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
    jbw_progress_end(&progress);
    for (int i = 0; i < started; i++) pthread_join(threads[i], NULL);
    return (jbw_status)atomic_load(&w->status);
}

// ---- the command line ----

typedef struct request {
    const char *world;
    const char *seeds;
    jbw_region region;
    int threads;
    uint64_t limit; // in bytes
    jbw_atlas_request atlas;
    jbw_settings settings;
} request;

// A seed, or FIRST-LAST.
static bool read_seeds(const char *text, uint64_t *first, uint64_t *count)
{
    uint64_t bounds[2] = {0, 0};
    int index = 0;
    bool has_digit = false;
    for (; *text; text++) {
        if (*text == '-' && index == 0 && has_digit) {
            index = 1;
            has_digit = false;
            continue;
        }
        const uint64_t digit = (uint64_t)(*text - '0');
        if (*text < '0' || *text > '9' || bounds[index] > (UINT64_MAX - digit) / 10) return false;
        bounds[index] = 10 * bounds[index] + digit;
        has_digit = true;
    }
    if (index == 0) bounds[1] = bounds[0];
    if (!has_digit || bounds[1] < bounds[0] || bounds[1] - bounds[0] == UINT64_MAX) return false;
    *first = bounds[0];
    *count = bounds[1] - bounds[0] + 1;
    return true;
}

static int64_t floor_divide(int64_t a, int64_t b)
{
    return (a - (a < 0 ? b - 1 : 0)) / b;
}

static jbw_verb_status plan(work *w, const request *q, uint64_t *total)
{
    const jbw_region r = q->region;
    const int64_t size = jbw_model_patch_size(w->model);
    const int64_t most = JBW_MAX_COORDINATE - size;
    if (r.width < 1 || r.height < 1 || r.width > most || r.height > most || r.x < -most ||
        r.y < -most || r.x > most - r.width || r.y > most - r.height)
        return jbw_verb_reject(verb, "--region: expected X,Y,W,H within the world");
    w->first = (jbw_position){floor_divide(r.x, size), floor_divide(r.y, size)};
    w->last = (jbw_position){floor_divide(r.x + r.width - 1, size),
                             floor_divide(r.y + r.height - 1, size)};
    const uint64_t width = (uint64_t)(w->last.x - w->first.x + 1);
    const uint64_t height = (uint64_t)(w->last.y - w->first.y + 1);
    const uint64_t most_patches = UINT64_C(1) << 40;
    if (width > most_patches / height || width * height > most_patches / w->seed_count)
        return jbw_verb_reject(verb, "these are more than 2^40 patches");
    *total = width * height * w->seed_count;
    return JBW_VERB_OK;
}

static jbw_verb_status report(const work *w, jbw_status status, const request *q, uint64_t total)
{
    const jbw_atlas_counts counts = jbw_atlas_get_counts(w->atlas);
    const uint64_t done = atomic_load(&w->done);
    if (status == JBW_INTERRUPTED)
        return jbw_verb_fail(verb,
                             "interrupted: %" PRIu64 " of %" PRIu64
                             " patches are there; run it again to go on",
                             done, total);
    if (status) return jbw_verb_fail(verb, "%s", jbw_status_text(status));
    if (counts.failed > 0)
        return jbw_verb_fail(verb,
                             "%" PRIu64 " patches could not be added to %s: is the disk full?",
                             counts.failed, jbw_atlas_path(w->atlas));
    if (counts.bytes > q->limit)
        return jbw_verb_fail(verb, "these patches take more than the limit: see --limit");
    printf("%" PRIu64 " patches: %" PRIu64 " made, %" PRIu64 " found; %.1f MB added to %s\n", done,
           counts.added, counts.found, (double)counts.bytes / 1048576.0, jbw_atlas_path(w->atlas));
    return JBW_VERB_OK;
}

static jbw_verb_status build(work *w, const request *q)
{
    uint64_t total = 0;
    jbw_verb_status status = plan(w, q, &total);
    if (!status) status = jbw_atlas_verb_open(&q->atlas, verb, q->limit, &w->atlas);
    if (status) return status;
    if (jbw_atlas_is_read_only(w->atlas)) {
        status = jbw_verb_fail(verb, "%s is not writable", jbw_atlas_path(w->atlas));
    } else {
        const bool is_few = w->seed_count < (uint64_t)q->threads;
        const int thread_count = is_few ? (int)w->seed_count : q->threads;
        w->helpers = q->threads / thread_count - 1;
        jbw_atlas_verb_watch_interrupts();
        status = report(w, make_all(w, thread_count, total), q, total);
    }
    jbw_atlas_close(w->atlas);
    return status;
}

jbw_verb_status jbw_cmd_atlas_build(int argc, char **argv)
{
    static request q;
    q = (request){.seeds = "0", .threads = 1, .limit = JBW_ATLAS_DEFAULT_LIMIT};
    const jbw_option options[] = {
        {"--seeds", JBW_OPTION_TEXT, &q.seeds, "A-B", "seeds, such as 0-19 or 7 (0)"},
        {"--region", JBW_OPTION_REGION, &q.region, "X,Y,W,H",
         "the cells to make: lowest x and y, width, height"},
        {"--threads", JBW_OPTION_INT, &q.threads, "N", "number of threads (1)"},
        {"--limit", JBW_OPTION_SIZE, &q.limit, "MB",
         "megabytes that the folder may hold; beyond them, what was not used for longest is "
         "dropped (4096)"},
        jbw_option_atlas(&q.atlas),
        jbw_option_set(&q.settings),
        jbw_option_memory_budget(&q.settings),
    };
    jbw_command_line line = {
        .verb = verb,
        .usage = "WORLD --region X,Y,W,H [OPTIONS]",
        .purpose =
            "Makes all patches of a region of a world, with `generation: invariant`, and keeps "
            "them. What is there already is not made again, so a build that was interrupted "
            "goes on when it is started again; several may run at once.",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .min_arguments = 1,
        .max_arguments = 1,
        .arguments = &q.world,
    };
    jbw_verb_status status = jbw_command_line_parse(&line, argc, argv);
    if (status) return status;
    work w = {0};
    if (!read_seeds(q.seeds, &w.first_seed, &w.seed_count))
        return jbw_verb_reject(verb, "--seeds: found '%s', expected a seed, or FIRST-LAST",
                               q.seeds);
    if (q.threads < 1 || q.threads > MOST_THREADS)
        return jbw_verb_reject(verb, "--threads: expected 1 to %d", MOST_THREADS);
    q.settings.overrides[q.settings.count++] =
        (jbw_override){.key = "generation", .value = "invariant"};
    jbw_world_source source = {0};
    status = jbw_world_source_read(&source, q.world, &q.settings);
    w.model = source.model;
    if (!status) status = build(&w, &q);
    jbw_world_source_close(&source);
    return status;
}
