// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/map/texts.h"

#include <string.h>

#include "base/utf8.h"

bool jbw_text_is_valid(const char *text, size_t length)
{
    return length <= JBW_MAX_TEXT && jbw_utf8_is_valid(text, length);
}

// ---- reading ----

jbw_patch_texts jbw_texts_of(const jbw_patch *patch)
{
    return (jbw_patch_texts){patch->content->texts, patch->content->text_size};
}

jbw_patch_texts jbw_texts_at(const jbw_map *map, jbw_position at)
{
    const jbw_patch *patch = jbw_map_find(map, at);
    if (patch) return jbw_texts_of(patch);
    const jbw_evicted_patch *evicted = jbw_evicted_changes_find(&map->evicted_texts, at);
    if (!evicted) return (jbw_patch_texts){0};
    return (jbw_patch_texts){jbw_evicted_changes_bytes(evicted), evicted->size};
}

bool jbw_texts_next(jbw_patch_texts *texts, jbw_text *out)
{
    if (texts->size == 0) return false;
    *out = (jbw_text){.cell = texts->bytes[0] | texts->bytes[1] << 8,
                      .bytes = (const char *)texts->bytes + JBW_TEXT_HEAD,
                      .length = texts->bytes[2]};
    texts->bytes += JBW_TEXT_HEAD + out->length;
    texts->size -= JBW_TEXT_HEAD + out->length;
    return true;
}

bool jbw_texts_are_good(const jbw_model *model, jbw_patch_texts texts)
{
    int before = -1;
    while (texts.size > 0) {
        jbw_text text;
        if (texts.size <= JBW_TEXT_HEAD || texts.size < (size_t)JBW_TEXT_HEAD + texts.bytes[2])
            return false;
        jbw_texts_next(&texts, &text);
        if (text.cell <= before || text.cell >= model->patch_cells || text.length == 0 ||
            !jbw_text_is_valid(text.bytes, text.length))
            return false;
        before = text.cell;
    }
    return true;
}

void jbw_texts_read(jbw_patch_texts texts, int cell, char out[JBW_MAX_TEXT + 1])
{
    jbw_text text = {0};
    while (jbw_texts_next(&texts, &text) && text.cell < cell) {
    }
    const size_t length = text.bytes && text.cell == cell ? text.length : 0;
    if (length > 0) memcpy(out, text.bytes, length);
    out[length] = '\0';
}

// ---- changing ----

bool jbw_texts_reserve(jbw_map *map, jbw_patch *patch, size_t size)
{
    jbw_content *content = patch->content;
    size_t capacity = content->text_capacity;
    if (!JBW_GROW(&map->model->allocator, content->texts, capacity, content->text_size + size))
        return false;
    map->undo_bytes += capacity - content->text_capacity;
    content->text_capacity = (uint32_t)capacity;
    return true;
}

// where the text of a cell is, or would be
static size_t find(const jbw_content *content, int cell, bool *is_there)
{
    jbw_patch_texts texts = {content->texts, content->text_size};
    jbw_text text;
    size_t at = 0;
    *is_there = false;
    while (jbw_texts_next(&texts, &text) && text.cell <= cell) {
        *is_there = text.cell == cell;
        if (*is_there) break;
        at = content->text_size - texts.size;
    }
    return at;
}

void jbw_texts_add(jbw_patch *patch, int cell, const char *text, size_t length)
{
    jbw_content *content = patch->content;
    bool is_there;
    const size_t at = find(content, cell, &is_there);
    uint8_t *bytes = content->texts + at;
    memmove(bytes + JBW_TEXT_HEAD + length, bytes, content->text_size - at);
    bytes[0] = (uint8_t)(cell & 255);
    bytes[1] = (uint8_t)(cell >> 8);
    bytes[2] = (uint8_t)length;
    memcpy(bytes + JBW_TEXT_HEAD, text, length);
    content->text_size += (uint32_t)(JBW_TEXT_HEAD + length);
}

void jbw_texts_remove(jbw_patch *patch, int cell)
{
    jbw_content *content = patch->content;
    bool is_there;
    const size_t at = find(content, cell, &is_there);
    if (!is_there) return;
    uint8_t *bytes = content->texts + at;
    const size_t size = (size_t)JBW_TEXT_HEAD + bytes[2];
    memmove(bytes, bytes + size, content->text_size - at - size);
    content->text_size -= (uint32_t)size;
}

// ---- patches that leave memory and come back ----

bool jbw_texts_evict(jbw_map *map, const jbw_patch *patch)
{
    const jbw_patch_texts texts = jbw_texts_of(patch);
    if (texts.size == 0) return true;
    uint8_t *bytes =
        jbw_evicted_changes_add(&map->evicted_texts, patch->at, texts.size, &map->model->allocator);
    if (bytes) memcpy(bytes, texts.bytes, texts.size);
    return bytes != NULL;
}

void jbw_texts_restore(jbw_map *map, jbw_patch *patch)
{
    jbw_patch_texts texts = jbw_texts_at(map, patch->at);
    jbw_text text;
    while (jbw_texts_next(&texts, &text)) {
        // forged bytes may list anything
        const uint8_t item = patch->cells[text.cell];
        if (item != 0 && map->model->items[item - 1].has_text)
            jbw_texts_add(patch, text.cell, text.bytes, text.length);
    }
    jbw_evicted_changes_remove(&map->evicted_texts, patch->at, &map->model->allocator);
}
