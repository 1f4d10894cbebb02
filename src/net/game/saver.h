// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Writes snapshots of copied worlds in a thread of its own, so that nothing waits for the disk.
#ifndef JBW_NET_GAME_SAVER_H
#define JBW_NET_GAME_SAVER_H

#include "jbw/snapshot.h"

typedef struct jbw_saver jbw_saver;

/// Called in the saver's thread when a save has finished.
typedef void jbw_saved_function(void *user);

jbw_status jbw_saver_create(const char *path, jbw_saved_function *on_saved, void *user,
                            jbw_saver **out);

/// Waits until a save in progress has been written. NULL is fine.
void jbw_saver_destroy(jbw_saver *saver);

/// True if `jbw_saver_begin` may be called: the result of the previous save has been collected.
bool jbw_saver_is_idle(const jbw_saver *saver);

/// Starts saving a world with its notes. The saver takes ownership of the world and copies the
/// notes. On failure the world still belongs to the caller.
jbw_status jbw_saver_begin(jbw_saver *saver, jbw_world *world, const jbw_note *notes,
                           size_t note_count);

/// Collects the result of a finished save and the time of its world. A save in progress is waited
/// for until that time of `jbw_clock_now`; zero does not wait. False if there is nothing to
/// collect.
bool jbw_saver_collect(jbw_saver *saver, uint64_t until, uint64_t *time, jbw_status *status,
                       jbw_error *error);

#endif
