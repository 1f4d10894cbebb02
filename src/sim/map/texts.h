// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Texts that items carry: those of a patch are kept together, as bytes. A text belongs to the item in
/// its cell, and is gone when the item is.
///
///     bytes   for each text, by cell: its cell (two bytes, the lower one first), its length (one byte,
///             at least 1), and the text
///
/// Texts are kept apart from changes (change.h), so that worlds without them are as they are. While a
/// patch of an invariant world is not in memory, its bytes are in `map->evicted_texts`.
#ifndef JBW_SIM_MAP_TEXTS_H
#define JBW_SIM_MAP_TEXTS_H

#include "sim/map/map.h"

enum {
    JBW_TEXT_HEAD = 3,                            // bytes before a text
    JBW_TEXT_MOST = JBW_TEXT_HEAD + JBW_MAX_TEXT, // bytes that a text takes at most
};

/// Whether this may be a text: UTF-8 of at most JBW_MAX_TEXT bytes, without zeros.
bool jbw_text_is_valid(const char *text, size_t length);

/// The bytes of some texts. All zero has none.
typedef struct jbw_patch_texts {
    const uint8_t *bytes;
    size_t size;
} jbw_patch_texts;

/// Those of a patch, in memory or not. Valid until the map changes.
jbw_patch_texts jbw_texts_at(const jbw_map *map, jbw_position at);
jbw_patch_texts jbw_texts_of(const jbw_patch *patch);

/// One of them.
typedef struct jbw_text {
    int cell;
    const char *bytes; // no zero follows
    size_t length;
} jbw_text;

/// Takes the first text off; false if there is none. The bytes must be good.
bool jbw_texts_next(jbw_patch_texts *texts, jbw_text *out);

/// Whether bytes that may come from anywhere are texts of a patch.
bool jbw_texts_are_good(const jbw_model *model, jbw_patch_texts texts);

/// Writes the text of a cell, and a zero; an empty text if there is none.
void jbw_texts_read(jbw_patch_texts texts, int cell, char out[JBW_MAX_TEXT + 1]);

/// Makes room for `size` more bytes in a patch that owns its content. False when memory runs out.
bool jbw_texts_reserve(jbw_map *map, jbw_patch *patch, size_t size);

/// Adds a text, which is not empty, to a cell that has none. There must be room.
void jbw_texts_add(jbw_patch *patch, int cell, const char *text, size_t length);

/// Removes the text of a cell, if it has one.
void jbw_texts_remove(jbw_patch *patch, int cell);

/// Keeps the texts of a patch that is about to leave the map. False when memory runs out.
bool jbw_texts_evict(jbw_map *map, const jbw_patch *patch);

/// Gives kept texts back to a patch that was just generated and changed. There must be room.
void jbw_texts_restore(jbw_map *map, jbw_patch *patch);

#endif
