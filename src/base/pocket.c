// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "base/pocket.h"

#include <stdalign.h>
#include <stddef.h>
#include <stdint.h>

#include "base/alloc.h"
#include "base/poison.h"

// A piece that is released is lost, unless it is the latest: arrays that outgrow a pocket stay outside.

static bool is_inside(const jbw_pocket *pocket, const void *memory)
{
    const uintptr_t at = (uintptr_t)memory;
    const uintptr_t begin = (uintptr_t)pocket->bytes;
    return pocket->size > 0 && at >= begin && at < begin + pocket->size;
}

size_t jbw_pocket_piece(size_t size)
{
    return (size + alignof(max_align_t) - 1) / alignof(max_align_t) * alignof(max_align_t) +
           JBW_POISON_GAP;
}

static void *allocate(size_t size, void *user)
{
    jbw_pocket *pocket = user;
    if (size > pocket->size || jbw_pocket_piece(size) > pocket->size - pocket->used)
        return jbw_alloc(pocket->outer, size);
    char *piece = pocket->bytes + pocket->used;
    pocket->used += jbw_pocket_piece(size);
    JBW_UNPOISON(piece, size);
    return piece;
}

static void release(void *memory, size_t size, void *user)
{
    jbw_pocket *pocket = user;
    if (!is_inside(pocket, memory)) {
        jbw_free(pocket->outer, memory, size);
        return;
    }
    JBW_POISON(memory, size);
    const size_t piece = jbw_pocket_piece(size);
    if ((char *)memory + piece == pocket->bytes + pocket->used) pocket->used -= piece;
}

void jbw_pocket_init(jbw_pocket *pocket, void *bytes, size_t size, const jbw_allocator *outer)
{
    *pocket = (jbw_pocket){
        .allocator = {.allocate = allocate, .release = release, .user = pocket},
        .outer = outer,
        .bytes = bytes,
        .size = size,
    };
    JBW_POISON(bytes, size);
}

void jbw_pocket_deinit(jbw_pocket *pocket)
{
    if (pocket->size > 0) JBW_UNPOISON(pocket->bytes, pocket->size);
    *pocket = (jbw_pocket){0};
}
