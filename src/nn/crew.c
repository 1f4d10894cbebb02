// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "nn/crew.h"

#include "base/alloc.h"
#include "thread/workers.h"

struct jbw_crew {
    jbw_allocator allocator;
    jbw_workers *workers;
    size_t size;
    // the task of the moment
    jbw_piece_function *function;
    const void *task;
    size_t total, unit;
};

static void do_piece(void *user, size_t piece)
{
    const jbw_crew *crew = user;
    const size_t units = (crew->total + crew->unit - 1) / crew->unit;
    const size_t first = units * piece / crew->size * crew->unit;
    size_t end = units * (piece + 1) / crew->size * crew->unit;
    if (end > crew->total) end = crew->total;
    if (first < end) crew->function(crew->task, first, end - first, piece);
}

jbw_status jbw_crew_create(const jbw_allocator *allocator, int size, jbw_crew **out)
{
    *out = NULL;
    jbw_crew *crew = jbw_alloc_zero(allocator, 1, sizeof *crew);
    if (!crew) return JBW_OUT_OF_MEMORY;
    crew->allocator = *allocator;
    crew->size = (size_t)size;
    const jbw_status status =
        jbw_workers_create(allocator, size, crew->size, do_piece, crew, &crew->workers);
    if (status) {
        jbw_crew_destroy(crew);
        return status;
    }
    *out = crew;
    return JBW_OK;
}

void jbw_crew_destroy(jbw_crew *crew)
{
    if (!crew) return;
    jbw_workers_destroy(crew->workers);
    const jbw_allocator allocator = crew->allocator;
    jbw_free(&allocator, crew, sizeof *crew);
}

void jbw_crew_run(jbw_crew *crew, size_t total, size_t unit, jbw_piece_function *function,
                  const void *task)
{
    crew->function = function;
    crew->task = task;
    crew->total = total;
    crew->unit = unit;
    jbw_workers_run(crew->workers);
}
