// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The notes that a server reads from snapshots and recordings.
#ifndef JBW_NET_GAME_NOTES_H
#define JBW_NET_GAME_NOTES_H

#include <string.h>

#include "jbw/snapshot.h"

#define JBW_NOTE_OWNERS "server.owners"       ///< agent ownership, see seats.h
#define JBW_NOTE_RESIDENTS "server.residents" ///< agents that the server lets act, see residents.h
#define JBW_NOTE_WORLD_FILE "server.world_file" ///< text of the world file
#define JBW_NOTE_REWARD "run.reward"            ///< text of the reward of `jbw run`
#define JBW_NOTE_RUN_POLICY "run.policy"        ///< the policy of `jbw run`, as it was saved
#define JBW_NOTE_RUN_LOG "run.log"              ///< its statistics

/// The note with a name, or NULL.
static inline const jbw_note *jbw_note_find(const jbw_note *notes, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(notes[i].name, name) == 0) return &notes[i];
    return NULL;
}

#endif
