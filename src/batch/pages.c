// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "batch/pages.h"

#include <stdint.h>

#define PAGE_SIZE ((uintptr_t)2 << 20)

#if defined(__linux__)

#include <errno.h>
#include <sys/mman.h>

enum { COLLAPSE = 25 }; // MADV_COLLAPSE since Linux 6.1; headers may be older

// Moves what is there into one page at once. Older systems refuse, and so does memory in which
// something else is mapped as well.
static void join(uintptr_t page)
{
    const int before = errno;
    (void)madvise((void *)(page * PAGE_SIZE), PAGE_SIZE, COLLAPSE);
    errno = before;
}

#else

static void join(uintptr_t page)
{
    (void)page;
}

#endif

void jbw_pages_join(const void *place, const void *before)
{
    const uintptr_t page = (uintptr_t)place / PAGE_SIZE;
    if (page != (uintptr_t)before / PAGE_SIZE) join(page);
}
