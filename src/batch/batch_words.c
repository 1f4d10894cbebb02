// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// What the agents of a batch say and write. Symbols are for the next step; a text waits for a step in
// which its agent asks to drop an item that may carry one.

#include <string.h>

#include "base/alloc.h"
#include "base/utf8.h"
#include "batch/batch_parts.h"

enum { ROOM = JBW_MAX_TEXT + 1 };

static bool has_texts(const jbw_model *model)
{
    bool has_any = false;
    for (int t = 0; t < jbw_model_item_type_count(model); t++)
        has_any = has_any || jbw_model_item_has_text(model, t);
    return has_any;
}

bool jbw_batch_words_init(jbw_batch *batch, const jbw_model *model)
{
    jbw_batch_words *words = &batch->words;
    const jbw_allocator *allocator = &batch->allocator;
    const size_t count = batch->agent_count;
    words->symbols = jbw_model_voice(model).symbols;
    if (words->symbols > 0) {
        words->say = jbw_alloc_zero(allocator, count, sizeof *words->say);
        words->taken_say = jbw_alloc_zero(allocator, count, sizeof *words->taken_say);
        if (!words->say || !words->taken_say) return false;
    }
    if (!has_texts(model)) return true;
    words->texts = jbw_alloc_zero(allocator, count, ROOM);
    words->taken_texts = jbw_alloc_zero(allocator, count, sizeof *words->taken_texts);
    return words->texts && words->taken_texts;
}

void jbw_batch_words_deinit(jbw_batch *batch)
{
    const jbw_batch_words *words = &batch->words;
    const size_t count = batch->agent_count;
    jbw_free(&batch->allocator, words->say, count * sizeof *words->say);
    jbw_free(&batch->allocator, words->taken_say, count * sizeof *words->taken_say);
    jbw_free(&batch->allocator, words->texts, count * ROOM);
    jbw_free(&batch->allocator, words->taken_texts, count * sizeof *words->taken_texts);
}

jbw_requests jbw_batch_take_words(jbw_batch *batch, const jbw_batch_entry *e, const int *actions)
{
    const jbw_batch_words *words = &batch->words;
    jbw_requests requests = {.actions = actions};
    if (!words->say && !words->texts) return requests;
    size_t count = 0;
    for (size_t row = e->first_row; row < e->first_row + e->agent_count; row++) {
        if (jbw_batch_is_absent(batch, row)) continue;
        const size_t at = e->first_row + count;
        if (words->say) words->taken_say[at] = words->say[row];
        if (words->texts) {
            const char *text = words->texts + row * ROOM;
            const int item = jbw_model_action_item(e->model, actions[count]);
            const bool fits = *text != '\0' && jbw_model_item_has_text(e->model, item);
            words->taken_texts[at] = fits ? text : NULL;
        }
        count++;
    }
    if (words->say) requests.say = words->taken_say + e->first_row;
    if (words->texts) requests.texts = words->taken_texts + e->first_row;
    return requests;
}

void jbw_batch_forget_words(jbw_batch *batch, const jbw_batch_entry *e, bool has_stepped)
{
    const jbw_batch_words *words = &batch->words;
    for (size_t i = 0; i < e->agent_count; i++) {
        const size_t row = e->first_row + i;
        if (words->say) words->say[row] = 0;
        if (words->texts && !has_stepped) words->texts[row * ROOM] = '\0';
    }
    // of those that wait, a step has used the ones that were taken
    for (size_t i = 0; has_stepped && words->texts && i < e->agent_count; i++) {
        const char *text = words->taken_texts[e->first_row + i];
        if (text) words->texts[text - words->texts] = '\0';
        words->taken_texts[e->first_row + i] = NULL;
    }
}

jbw_status jbw_batch_say(jbw_batch *batch, const size_t *worlds, size_t count, const int32_t *say)
{
    if (!batch || (count > 0 && !say)) return JBW_INVALID_ARGUMENT;
    const int32_t *checked = say;
    for (size_t i = 0; i < count; i++) {
        const jbw_batch_entry *e = jbw_batch_find_idle(batch, worlds ? worlds[i] : i);
        if (!e) return JBW_INVALID_ARGUMENT;
        for (size_t k = 0; k < e->agent_count; k++, checked++)
            if (*checked < 0 || *checked > batch->words.symbols) return JBW_INVALID_ARGUMENT;
    }
    for (size_t i = 0; i < count && batch->words.say; i++) {
        const jbw_batch_entry *e = &batch->entries[worlds ? worlds[i] : i];
        for (size_t k = 0; k < e->agent_count; k++) batch->words.say[e->first_row + k] = *say++;
    }
    return JBW_OK;
}

jbw_status jbw_batch_write(jbw_batch *batch, size_t row, const char *text)
{
    const size_t length = text ? strlen(text) : 0;
    if (!jbw_batch_find_world_of(batch, row) || !batch->words.texts || length > JBW_MAX_TEXT ||
        !jbw_utf8_is_valid(text, length))
        return JBW_INVALID_ARGUMENT;
    char *room = batch->words.texts + row * ROOM;
    if (length > 0) memcpy(room, text, length);
    room[length] = '\0';
    return JBW_OK;
}

const char *jbw_batch_written(const jbw_batch *batch, size_t row)
{
    const bool has_room = batch && row < batch->agent_count && batch->words.texts;
    return has_room ? batch->words.texts + row * ROOM : "";
}
