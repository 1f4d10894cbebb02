// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The texts that items of a world carry (sim/map/texts.h), in the order of the patches, or of their
// positions in an invariant world, where it makes no difference which patches are in memory.

#include <stdlib.h>
#include <string.h>

#include "sim/map/position.h"
#include "sim/map/texts.h"
#include "sim/save/state.h"
#include "sim/save/state_reader.h"

// ---- writing ----

static void write_bytes(jbw_writer *writer, jbw_patch_texts texts)
{
    jbw_write_varint(writer, texts.size);
    jbw_write_bytes(writer, texts.bytes, texts.size);
}

static void write_by_number(jbw_writer *writer, const jbw_map *map)
{
    uint64_t count = 0;
    for (size_t i = 0; i < map->patch_count; i++) count += map->patches[i]->content->text_size > 0;
    jbw_write_varint(writer, count);
    for (size_t i = 0; i < map->patch_count; i++) {
        if (map->patches[i]->content->text_size == 0) continue;
        jbw_write_varint(writer, i);
        write_bytes(writer, jbw_texts_of(map->patches[i]));
    }
}

static int compare_positions(const void *a, const void *b)
{
    return jbw_position_compare(*(const jbw_position *)a, *(const jbw_position *)b);
}

// the patches with texts, in memory or not; only counts them if `list` is NULL
static size_t list_patches(const jbw_map *map, jbw_position *list)
{
    size_t count = 0;
    for (size_t i = 0; i < map->patch_count; i++) {
        if (map->patches[i]->content->text_size == 0) continue;
        if (list) list[count] = map->patches[i]->at;
        count++;
    }
    for (size_t i = 0; i < map->evicted_texts.slot_count; i++) {
        if (map->evicted_texts.slots[i].size == 0) continue;
        if (list) list[count] = map->evicted_texts.slots[i].at;
        count++;
    }
    return count;
}

static void write_by_position(jbw_writer *writer, const jbw_map *map)
{
    const jbw_allocator *allocator = &map->model->allocator;
    const size_t count = list_patches(map, NULL);
    jbw_position *list = jbw_alloc(allocator, count * sizeof *list);
    if (!list) {
        writer->ok = false;
        return;
    }
    list_patches(map, list);
    qsort(list, count, sizeof *list, compare_positions);
    jbw_write_varint(writer, count);
    for (size_t i = 0; i < count; i++) {
        jbw_write_signed(writer, list[i].x);
        jbw_write_signed(writer, list[i].y);
        write_bytes(writer, jbw_texts_at(map, list[i]));
    }
    jbw_free(allocator, list, count * sizeof *list);
}

void jbw_state_write_texts(jbw_writer *writer, const jbw_world *world)
{
    if (jbw_generator_has_history(&world->generator))
        write_by_number(writer, &world->map);
    else
        write_by_position(writer, &world->map);
}

// ---- reading ----

static bool read_bytes(jbw_state_reader *r, jbw_patch_texts *out)
{
    out->size = jbw_read_count(&r->in, 1);
    out->bytes = jbw_read_bytes(&r->in, out->size);
    if (!out->bytes || out->size == 0 || !jbw_texts_are_good(r->model, *out))
        return jbw_state_fail(r, "the texts of a patch are invalid");
    return jbw_state_charge(r, 2, out->size);
}

static bool read_by_number(jbw_state_reader *r, uint64_t *least_number)
{
    jbw_map *map = &r->world->map;
    const uint64_t number = jbw_read_varint(&r->in);
    if (!r->in.ok || number < *least_number || number >= map->patch_count ||
        !map->patches[number]->is_final)
        return jbw_state_fail(r, "there is a text, but not in a final patch");
    *least_number = number + 1;
    jbw_patch_texts texts;
    if (!read_bytes(r, &texts)) return false;
    jbw_patch *patch = map->patches[number];
    if (!jbw_texts_reserve(map, patch, texts.size)) return jbw_state_fail_memory(r);
    jbw_text text;
    while (jbw_texts_next(&texts, &text)) {
        const uint8_t item = patch->cells[text.cell];
        if (item == 0 || !r->model->items[item - 1].has_text)
            return jbw_state_fail(r, "there is a text in a cell whose item carries none");
        jbw_texts_add(patch, text.cell, text.bytes, text.length);
    }
    return true;
}

static bool read_by_position(jbw_state_reader *r, bool is_first, jbw_position *before)
{
    jbw_map *map = &r->world->map;
    const jbw_position at = jbw_state_read_position(r);
    if (!r->in.ok || !jbw_state_patch_is_in_world(r->model, at))
        return jbw_state_fail(r, "a patch is outside of the world");
    if (!is_first && jbw_position_compare(*before, at) >= 0)
        return jbw_state_fail(r, "patches are not ordered by position");
    *before = at;
    jbw_patch_texts texts;
    if (!read_bytes(r, &texts)) return false;
    uint8_t *bytes =
        jbw_evicted_changes_add(&map->evicted_texts, at, texts.size, &r->model->allocator);
    if (!bytes) return jbw_state_fail_memory(r);
    memcpy(bytes, texts.bytes, texts.size);
    return true;
}

bool jbw_state_read_texts(jbw_state_reader *r)
{
    enum { LEAST_BYTES = 6, MOST_SLOTS = 6 };
    const bool has_history = jbw_generator_has_history(&r->world->generator);
    const size_t count = jbw_read_count(&r->in, LEAST_BYTES);
    if (!has_history &&
        !jbw_state_charge(r, 16 + MOST_SLOTS * (uint64_t)count, sizeof(jbw_evicted_patch)))
        return false;
    uint64_t least_number = 0;
    jbw_position before = {0, 0};
    for (size_t i = 0; i < count; i++)
        if (!(has_history ? read_by_number(r, &least_number)
                          : read_by_position(r, i == 0, &before)))
            return false;
    return true;
}

bool jbw_state_read_text(jbw_state_reader *r, char out[JBW_MAX_TEXT + 1])
{
    out[0] = '\0';
    const size_t length = jbw_read_count(&r->in, 1);
    const char *text = (const char *)jbw_read_bytes(&r->in, length);
    if (!text || !jbw_text_is_valid(text, length)) return jbw_state_fail(r, "a text is invalid");
    memcpy(out, text, length);
    out[length] = '\0';
    return true;
}
