// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "prepare.h"

#include <math.h>
#include <sys/resource.h>
#include <unistd.h>

#include "progress.h"

/// The patches that overlap a region: first to last, inclusive, along both axes.
typedef struct patch_span {
    jbw_position first;
    jbw_position last;
    uint64_t count;
} patch_span;

static patch_span patches_of(const jbw_world *world, jbw_region region)
{
    const jbw_position low = {region.x, region.y};
    const jbw_position high = {region.x + region.width - 1, region.y + region.height - 1};
    patch_span span = {.first = jbw_world_patch_of(world, low),
                       .last = jbw_world_patch_of(world, high)};
    span.count =
        (uint64_t)(span.last.x - span.first.x + 1) * (uint64_t)(span.last.y - span.first.y + 1);
    return span;
}

// The system hands out more memory than it has and kills the process later, so estimate first: one
// byte per cell, and some more per patch. False if that is more than the machine has.
static bool fits_memory(const jbw_world *world, uint64_t patch_count)
{
#ifdef _SC_PHYS_PAGES
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long page_size = sysconf(_SC_PAGESIZE);
    if (pages <= 0 || page_size <= 0) return true;
    double room = (double)pages * (double)page_size;
    struct rlimit limit; // of `ulimit -v`
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        room = fmin(room, (double)limit.rlim_cur);
    const double side = jbw_model_patch_size(jbw_world_model(world));
    return (double)patch_count * (side * side + 256.0) < room;
#else
    (void)world;
    (void)patch_count;
    return true;
#endif
}

jbw_status jbw_prepare_region(jbw_world *world, jbw_region region)
{
    // there, drawing a patch generates it
    if (jbw_model_generation(jbw_world_model(world)) == JBW_GENERATION_INVARIANT) return JBW_OK;
    const patch_span span = patches_of(world, region);
    if (!fits_memory(world, span.count)) return JBW_OUT_OF_MEMORY;
    jbw_progress progress;
    jbw_progress_begin(&progress, "sampling", span.count);
    jbw_status status = JBW_OK;
    uint64_t done = 0;
    for (int64_t y = span.first.y; y <= span.last.y && !status; y++) {
        for (int64_t x = span.first.x; x <= span.last.x && !status; x++) {
            status = jbw_world_finalize_patch(world, (jbw_position){x, y});
            jbw_progress_update(&progress, ++done);
        }
    }
    jbw_progress_end(&progress);
    return status;
}

jbw_verb_status jbw_prepare_time(jbw_world *world, const char *verb, uint64_t time)
{
    const uint64_t now = jbw_world_time(world);
    if (time < now)
        return jbw_verb_reject(verb, "time %llu has passed: the world is at %llu",
                               (unsigned long long)time, (unsigned long long)now);
    jbw_progress progress;
    jbw_progress_begin(&progress, "waiting", time - now);
    jbw_status status = JBW_OK;
    for (uint64_t t = now; t < time && !status; t++) {
        enum { UPDATE_INTERVAL = 1024 };
        status = jbw_world_step(world);
        if (t % UPDATE_INTERVAL == 0) jbw_progress_update(&progress, t - now);
    }
    jbw_progress_end(&progress);
    return status ? jbw_verb_fail(verb, "%s", jbw_status_text(status)) : JBW_VERB_OK;
}
