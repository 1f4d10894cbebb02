// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Writes snapshots in a thread of its own: copies of worlds, so that nobody waits for the disk.
#ifndef JBW_NET_GAME_SAVER_H
#define JBW_NET_GAME_SAVER_H

#include "jbw/snapshot.h"

typedef struct jbw_saver jbw_saver;

/// Called by the saver's thread when something was saved.
typedef void jbw_saved_function(void *user);

jbw_status jbw_saver_create(const char *path, jbw_saved_function *on_saved, void *user,
                            jbw_saver **out);

/// Waits for what is being written. NULL is fine.
void jbw_saver_destroy(jbw_saver *saver);

/// True if `jbw_saver_begin` may be called: the result of the one before was collected.
bool jbw_saver_is_idle(const jbw_saver *saver);

/// Begins to save a world with its notes. The world belongs to the saver from now on; the notes' bytes
/// are copied. On failure the world is still the caller's.
jbw_status jbw_saver_begin(jbw_saver *saver, jbw_world *world, const jbw_note *notes,
                           size_t note_count);

/// True when a save is over; then what became of it, and the time of that world. Collects it.
bool jbw_saver_collect(jbw_saver *saver, bool waits, uint64_t *time, jbw_status *status,
                       jbw_error *error);

#endif
