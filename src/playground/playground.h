// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A world for one page in the same program: the game of a server (net/game), its session and its
/// frames, without sockets, threads or files. The page sends the messages of docs/protocol.md and
/// gets them through `jbw_host_send`.
#ifndef JBW_PLAYGROUND_PLAYGROUND_H
#define JBW_PLAYGROUND_PLAYGROUND_H

#include "jbw/server.h"

typedef struct jbw_playground jbw_playground;

/// How agents live.
typedef struct jbw_playground_life {
    const char *policy; ///< the name of a built-in one, and settings: "ppo preset=tiny"
    const char *reward; ///< in the reward language; NULL or empty is none
} jbw_playground_life;

/// Creates a world like the given one, which `jbw_world_encode` wrote, from a seed, with so many
/// agents. On failure `*out` is NULL and `error` says why; an error in the reward has a column.
jbw_status jbw_playground_create(const uint8_t *like, size_t size, uint64_t seed,
                                 size_t agent_count, const jbw_playground_life *life,
                                 jbw_playground **out, jbw_error *error);

/// Continues a snapshot. Its agents live on as they were saved; those of which nothing was saved
/// live as `life` says, except those that the page drove. A reward in the snapshot comes first.
jbw_status jbw_playground_load(const uint8_t *snapshot, size_t size,
                               const jbw_playground_life *life, jbw_playground **out,
                               jbw_error *error);

/// NULL is fine.
void jbw_playground_destroy(jbw_playground *playground);

/// Gives all agents another policy and reward. With `is_driven`, the first agent is the page's to
/// drive, and the world waits for it. On failure everything is as it was.
jbw_status jbw_playground_set_life(jbw_playground *playground, const jbw_playground_life *life,
                                   bool is_driven, jbw_error *error);

/// The page has connected; a connection that it had before is over.
void jbw_playground_connect(jbw_playground *playground);

/// A message from the page.
void jbw_playground_receive(jbw_playground *playground, const uint8_t *bytes, size_t size);

/// Lets the world live, sends frames and makes terrain, until a time of `jbw_host_now` or until
/// nothing is left to do. Returns when to call again. With `stops_at_frame` it also returns when a
/// frame was sent, so that the page can follow its agent.
double jbw_playground_run(jbw_playground *playground, double until, bool stops_at_frame);

/// Saves the world and all that lives in it, with a note of the page's own. The bytes belong to the
/// playground until the next call.
jbw_status jbw_playground_save(jbw_playground *playground, const char *note, const jbw_buffer **out,
                               jbw_error *error);

/// The page's own note in the snapshot that was loaded; empty if there is none.
const char *jbw_playground_note(const jbw_playground *playground);

/// The text of the reward; empty if there is none.
const char *jbw_playground_reward(const jbw_playground *playground);

jbw_world *jbw_playground_world(jbw_playground *playground);

#endif
