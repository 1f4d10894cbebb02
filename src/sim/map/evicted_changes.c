// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/map/evicted_changes.h"

#include <string.h>

#include "sim/map/position.h"

static bool is_here(const jbw_evicted_patch *patch)
{
    return patch->size <= sizeof patch->here;
}

static uint8_t *bytes_of(jbw_evicted_patch *patch)
{
    if (is_here(patch)) return patch->here;
    uint8_t *elsewhere;
    memcpy(&elsewhere, patch->here, sizeof elsewhere);
    return elsewhere;
}

const uint8_t *jbw_evicted_changes_bytes(const jbw_evicted_patch *patch)
{
    if (is_here(patch)) return patch->here;
    const uint8_t *elsewhere;
    memcpy(&elsewhere, patch->here, sizeof elsewhere);
    return elsewhere;
}

void jbw_evicted_changes_deinit(jbw_evicted_changes *kept, const jbw_allocator *allocator)
{
    for (size_t i = 0; i < kept->slot_count; i++)
        if (!is_here(&kept->slots[i]))
            jbw_free(allocator, bytes_of(&kept->slots[i]), kept->slots[i].size);
    jbw_free(allocator, kept->slots, kept->slot_count * sizeof *kept->slots);
    *kept = (jbw_evicted_changes){0};
}

static size_t home_of(const jbw_evicted_changes *kept, jbw_position at)
{
    return (size_t)jbw_position_hash(at) & (kept->slot_count - 1);
}

// the slot of a patch, or the free one where it would be
static jbw_evicted_patch *find_slot(const jbw_evicted_changes *kept, jbw_position at)
{
    size_t slot = home_of(kept, at);
    while (kept->slots[slot].size != 0 && !jbw_position_is_same(kept->slots[slot].at, at))
        slot = (slot + 1) & (kept->slot_count - 1);
    return &kept->slots[slot];
}

const jbw_evicted_patch *jbw_evicted_changes_find(const jbw_evicted_changes *kept, jbw_position at)
{
    if (kept->count == 0) return NULL;
    const jbw_evicted_patch *patch = find_slot(kept, at);
    return patch->size != 0 ? patch : NULL;
}

// at most three quarters of the slots are taken
static bool reserve(jbw_evicted_changes *kept, size_t count, const jbw_allocator *allocator)
{
    if (count <= kept->slot_count / 4 * 3) return true;
    jbw_evicted_changes larger = *kept;
    larger.slot_count = kept->slot_count ? kept->slot_count * 2 : 16;
    while (count > larger.slot_count / 4 * 3) larger.slot_count *= 2;
    larger.slots = jbw_alloc_zero(allocator, larger.slot_count, sizeof *larger.slots);
    if (!larger.slots) return false;
    for (size_t i = 0; i < kept->slot_count; i++)
        if (kept->slots[i].size != 0) *find_slot(&larger, kept->slots[i].at) = kept->slots[i];
    larger.bytes += (larger.slot_count - kept->slot_count) * sizeof *larger.slots;
    jbw_free(allocator, kept->slots, kept->slot_count * sizeof *kept->slots);
    *kept = larger;
    return true;
}

uint8_t *jbw_evicted_changes_add(jbw_evicted_changes *kept, jbw_position at, size_t size,
                                 const jbw_allocator *allocator)
{
    if (!reserve(kept, kept->count + 1, allocator)) return NULL;
    jbw_evicted_patch patch = {.at = at, .size = (uint32_t)size};
    if (!is_here(&patch)) {
        uint8_t *elsewhere = jbw_alloc(allocator, size);
        if (!elsewhere) return NULL;
        memcpy(patch.here, &elsewhere, sizeof elsewhere);
        kept->bytes += size;
    }
    jbw_evicted_patch *slot = find_slot(kept, at);
    *slot = patch;
    kept->count++;
    return bytes_of(slot);
}

void jbw_evicted_changes_remove(jbw_evicted_changes *kept, jbw_position at,
                                const jbw_allocator *allocator)
{
    if (kept->count == 0) return;
    jbw_evicted_patch *patch = find_slot(kept, at);
    if (patch->size == 0) return;
    if (!is_here(patch)) {
        kept->bytes -= patch->size;
        jbw_free(allocator, bytes_of(patch), patch->size);
    }
    kept->count--;

    // those behind it that would not be found any more move up
    const size_t mask = kept->slot_count - 1;
    size_t hole = (size_t)(patch - kept->slots);
    for (size_t i = (hole + 1) & mask; kept->slots[i].size != 0; i = (i + 1) & mask) {
        const size_t from_home = (i - home_of(kept, kept->slots[i].at)) & mask;
        if (from_home < ((i - hole) & mask)) continue;
        kept->slots[hole] = kept->slots[i];
        hole = i;
    }
    kept->slots[hole] = (jbw_evicted_patch){0};
}

bool jbw_evicted_changes_copy(jbw_evicted_changes *kept, const jbw_evicted_changes *from,
                              const jbw_allocator *allocator)
{
    for (size_t i = 0; i < from->slot_count; i++) {
        const jbw_evicted_patch *patch = &from->slots[i];
        if (patch->size == 0) continue;
        if (kept->slot_count == 0 && !reserve(kept, from->count, allocator)) return false;
        uint8_t *bytes = jbw_evicted_changes_add(kept, patch->at, patch->size, allocator);
        if (!bytes) return false;
        memcpy(bytes, jbw_evicted_changes_bytes(patch), patch->size);
    }
    return true;
}
