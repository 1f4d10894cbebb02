// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The notes of snapshots and recordings, from a mapping of names to str or bytes.
#ifndef JBW_PYTHON_NOTES_H
#define JBW_PYTHON_NOTES_H

#include "core.h"

/// The note that holds the text of the world file.
#define CORE_WORLD_NOTE "world.yaml"

typedef struct core_notes {
    jbw_note *notes;
    size_t count;
    PyObject *keep; // what the notes point into
} core_notes;

/// False with an exception; deinit in any case. `given` may be NULL or None.
bool core_notes_init(core_notes *notes, core_state *state, core_model *model, PyObject *given);
void core_notes_deinit(core_notes *notes);

/// The config that such a note holds; NULL if there is none.
jbw_config *core_config_of_note(const jbw_note *note);

#endif
