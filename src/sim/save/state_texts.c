// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The texts that items of a world carry (sim/map/texts.h).

#include <string.h>

#include "sim/map/texts.h"
#include "sim/save/state.h"
#include "sim/save/state_list.h"

static bool has_texts(const jbw_map *map, jbw_position at)
{
    return jbw_texts_at(map, at).size > 0;
}

static void write_texts(jbw_writer *writer, const jbw_map *map, jbw_position at)
{
    const jbw_patch_texts texts = jbw_texts_at(map, at);
    jbw_write_varint(writer, texts.size);
    jbw_write_bytes(writer, texts.bytes, texts.size);
}

static bool read_bytes(jbw_state_reader *r, jbw_patch_texts *out)
{
    out->size = jbw_read_count(&r->in, 1);
    out->bytes = jbw_read_bytes(&r->in, out->size);
    if (!out->bytes || out->size == 0 || !jbw_texts_are_good(r->model, *out))
        return jbw_state_fail(r, "the texts of a patch are invalid");
    return jbw_state_charge(r, 2, out->size);
}

static bool read_into(jbw_state_reader *r, jbw_patch *patch)
{
    jbw_patch_texts texts;
    if (!read_bytes(r, &texts)) return false;
    if (!jbw_texts_reserve(&r->world->map, patch, texts.size)) return jbw_state_fail_memory(r);
    jbw_text text;
    while (jbw_texts_next(&texts, &text)) {
        const uint8_t item = patch->cells[text.cell];
        if (item == 0 || !r->model->items[item - 1].has_text)
            return jbw_state_fail(r, "there is a text in a cell whose item carries none");
        jbw_texts_add(patch, text.cell, text.bytes, text.length);
    }
    return true;
}

static bool read_kept(jbw_state_reader *r, jbw_position at)
{
    jbw_patch_texts texts;
    if (!read_bytes(r, &texts)) return false;
    uint8_t *bytes =
        jbw_evicted_changes_add(&r->world->map.evicted_texts, at, texts.size, &r->model->allocator);
    if (!bytes) return jbw_state_fail_memory(r);
    memcpy(bytes, texts.bytes, texts.size);
    return true;
}

static const jbw_state_list list = {
    .has = has_texts,
    .write = write_texts,
    .read = read_into,
    .read_kept = read_kept,
    .least_bytes = 6,
    .misplaced = "there is a text, but not in a final patch",
};

void jbw_state_write_texts(jbw_writer *writer, const jbw_world *world)
{
    jbw_state_write_list(writer, world, &list, &world->map.evicted_texts);
}

bool jbw_state_read_texts(jbw_state_reader *r)
{
    return jbw_state_read_list(r, &list);
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
