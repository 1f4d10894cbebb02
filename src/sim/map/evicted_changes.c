// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/map/evicted_changes.h"

#include <string.h>

#include "sim/map/position.h"

static bool is_inlined(const jbw_evicted_patch *patch)
{
    return patch->size <= sizeof patch->inlined;
}

static uint8_t *bytes_of(jbw_evicted_patch *patch)
{
    if (is_inlined(patch)) return patch->inlined;
    uint8_t *elsewhere;
    memcpy(&elsewhere, patch->inlined, sizeof elsewhere);
    return elsewhere;
}

const uint8_t *jbw_evicted_changes_bytes(const jbw_evicted_patch *patch)
{
    if (is_inlined(patch)) return patch->inlined;
    const uint8_t *elsewhere;
    memcpy(&elsewhere, patch->inlined, sizeof elsewhere);
    return elsewhere;
}

void jbw_evicted_changes_deinit(jbw_evicted_changes *evicted, const jbw_allocator *allocator)
{
    for (size_t i = 0; i < evicted->slot_count; i++)
        if (!is_inlined(&evicted->slots[i]))
            jbw_free(allocator, bytes_of(&evicted->slots[i]), evicted->slots[i].size);
    jbw_free(allocator, evicted->slots, evicted->slot_count * sizeof *evicted->slots);
    *evicted = (jbw_evicted_changes){0};
}

static size_t home_of(const jbw_evicted_changes *evicted, jbw_position at)
{
    return (size_t)jbw_position_hash(at) & (evicted->slot_count - 1);
}

// the slot of a patch, or the free slot where it would go
static jbw_evicted_patch *find_slot(const jbw_evicted_changes *evicted, jbw_position at)
{
    size_t slot = home_of(evicted, at);
    while (evicted->slots[slot].size != 0 && !jbw_position_is_same(evicted->slots[slot].at, at))
        slot = (slot + 1) & (evicted->slot_count - 1);
    return &evicted->slots[slot];
}

const jbw_evicted_patch *jbw_evicted_changes_find(const jbw_evicted_changes *evicted,
                                                  jbw_position at)
{
    if (evicted->count == 0) return NULL;
    const jbw_evicted_patch *patch = find_slot(evicted, at);
    return patch->size != 0 ? patch : NULL;
}

// at most three quarters of the slots are used
static bool reserve(jbw_evicted_changes *evicted, size_t count, const jbw_allocator *allocator)
{
    if (count <= evicted->slot_count / 4 * 3) return true;
    jbw_evicted_changes larger = *evicted;
    larger.slot_count = evicted->slot_count ? evicted->slot_count * 2 : 16;
    while (count > larger.slot_count / 4 * 3) larger.slot_count *= 2;
    larger.slots = jbw_alloc_zero(allocator, larger.slot_count, sizeof *larger.slots);
    if (!larger.slots) return false;
    for (size_t i = 0; i < evicted->slot_count; i++)
        if (evicted->slots[i].size != 0)
            *find_slot(&larger, evicted->slots[i].at) = evicted->slots[i];
    larger.bytes += (larger.slot_count - evicted->slot_count) * sizeof *larger.slots;
    jbw_free(allocator, evicted->slots, evicted->slot_count * sizeof *evicted->slots);
    *evicted = larger;
    return true;
}

uint8_t *jbw_evicted_changes_add(jbw_evicted_changes *evicted, jbw_position at, size_t size,
                                 const jbw_allocator *allocator)
{
    if (!reserve(evicted, evicted->count + 1, allocator)) return NULL;
    jbw_evicted_patch patch = {.at = at, .size = (uint32_t)size};
    if (!is_inlined(&patch)) {
        uint8_t *elsewhere = jbw_alloc(allocator, size);
        if (!elsewhere) return NULL;
        memcpy(patch.inlined, &elsewhere, sizeof elsewhere);
        evicted->bytes += size;
    }
    jbw_evicted_patch *slot = find_slot(evicted, at);
    *slot = patch;
    evicted->count++;
    return bytes_of(slot);
}

void jbw_evicted_changes_replace(jbw_evicted_changes *evicted, jbw_position at, uint8_t *bytes,
                                 size_t size, const jbw_allocator *allocator)
{
    jbw_evicted_patch *patch = find_slot(evicted, at);
    if (!is_inlined(patch)) {
        evicted->bytes -= patch->size;
        jbw_free(allocator, bytes_of(patch), patch->size);
    }
    patch->size = (uint32_t)size;
    if (is_inlined(patch)) {
        memcpy(patch->inlined, bytes, size);
        jbw_free(allocator, bytes, size);
    } else {
        memcpy(patch->inlined, &bytes, sizeof bytes);
        evicted->bytes += size;
    }
}

void jbw_evicted_changes_remove(jbw_evicted_changes *evicted, jbw_position at,
                                const jbw_allocator *allocator)
{
    if (evicted->count == 0) return;
    jbw_evicted_patch *patch = find_slot(evicted, at);
    if (patch->size == 0) return;
    if (!is_inlined(patch)) {
        evicted->bytes -= patch->size;
        jbw_free(allocator, bytes_of(patch), patch->size);
    }
    evicted->count--;

    // move up the entries behind it that could no longer be found
    const size_t mask = evicted->slot_count - 1;
    size_t hole = (size_t)(patch - evicted->slots);
    for (size_t i = (hole + 1) & mask; evicted->slots[i].size != 0; i = (i + 1) & mask) {
        const size_t from_home = (i - home_of(evicted, evicted->slots[i].at)) & mask;
        if (from_home < ((i - hole) & mask)) continue;
        evicted->slots[hole] = evicted->slots[i];
        hole = i;
    }
    evicted->slots[hole] = (jbw_evicted_patch){0};
}

bool jbw_evicted_changes_copy(jbw_evicted_changes *evicted, const jbw_evicted_changes *from,
                              const jbw_allocator *allocator)
{
    for (size_t i = 0; i < from->slot_count; i++) {
        const jbw_evicted_patch *patch = &from->slots[i];
        if (patch->size == 0) continue;
        if (evicted->slot_count == 0 && !reserve(evicted, from->count, allocator)) return false;
        uint8_t *bytes = jbw_evicted_changes_add(evicted, patch->at, patch->size, allocator);
        if (!bytes) return false;
        memcpy(bytes, jbw_evicted_changes_bytes(patch), patch->size);
    }
    return true;
}
