// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// An index of the events in a recording. A thread builds it by reading the whole recording once,
/// from the beginning; meanwhile the index can be searched as far as it has come.
#ifndef JBW_NET_GAME_EVENT_INDEX_H
#define JBW_NET_GAME_EVENT_INDEX_H

#include "jbw/recording.h"
#include "net/wire/message.h"

typedef struct jbw_event_index jbw_event_index;

/// Opens the recording a second time and starts indexing. On failure `*out` is NULL, and `error`
/// says why.
jbw_status jbw_event_index_create(const char *path, jbw_event_index **out, jbw_error *error);

/// NULL is fine.
void jbw_event_index_destroy(jbw_event_index *index);

/// Writes the matching events to `events`, which has room for `most`, ordered by time. Returns
/// their number. `*known_to` is the time up to which the recording has been indexed.
size_t jbw_event_index_find(jbw_event_index *index, const jbw_wire_find_events *wanted,
                            jbw_wire_event *events, size_t most, uint64_t *known_to);

/// Reads a recording up to the end of the next step. JBW_NOT_FOUND at the end.
jbw_status jbw_recording_advance(jbw_recording *recording);

#endif
