// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Agent ownership. Every agent of a served world has a seat, which says who may use it. Its owner
/// is the name of a token, and never changes. Its driver is the connection that used it last.
#ifndef JBW_NET_GAME_SEATS_H
#define JBW_NET_GAME_SEATS_H

#include "jbw/agent.h"
#include "jbw/snapshot.h"
#include "net/access/tokens.h"

enum { JBW_NOBODY = -1, JBW_NO_CONNECTION_ID = 0 };

typedef struct jbw_seat {
    jbw_agent_id agent; // all zero: the seat is free
    int owner;          // index into `owners`, or JBW_NOBODY
    uint32_t driver;    // a connection, or JBW_NO_CONNECTION_ID
    bool is_active;
    uint32_t turn;        // the agent's pending turn; zero for none
    uint32_t first_ahead; // the turns queued behind it
    uint32_t last_ahead;
    uint32_t ahead_count;
    uint32_t mark; // of the latest message that named the agent, to detect duplicates
} jbw_seat;

typedef struct jbw_owner {
    char name[JBW_TOKEN_NAME_SIZE];
    uint32_t agent_count;
} jbw_owner;

typedef struct jbw_seats {
    jbw_seat *seats; // by the agent id's index
    size_t count;
    size_t capacity;
    size_t active_count;
    size_t agent_count;
    jbw_owner *owners; // the server's keys first, in their order, then other names from a snapshot
    size_t owner_count;
    size_t owner_capacity;
} jbw_seats;

bool jbw_seats_init(jbw_seats *seats, const jbw_token_set *keys);
void jbw_seats_deinit(jbw_seats *seats);

/// Ensures that there is memory for `seat_count` seats, so that the next agent can take one. False
/// when memory runs out.
bool jbw_seats_reserve(jbw_seats *seats, size_t seat_count);

/// Gives an agent its seat, inactive and without a driver. The seat must have been reserved.
jbw_seat *jbw_seats_take(jbw_seats *seats, jbw_agent_id agent, int owner);
void jbw_seats_leave(jbw_seats *seats, jbw_seat *seat);
void jbw_seats_set_active(jbw_seats *seats, jbw_seat *seat, bool is_active);

/// The seat of an agent, or NULL.
jbw_seat *jbw_seats_find(jbw_seats *seats, jbw_agent_id agent);

/// The name of an owner; empty for JBW_NOBODY.
const char *jbw_seats_name(const jbw_seats *seats, int owner);

/// Writes the note that stores ownership in snapshots, JBW_NOTE_OWNERS.
bool jbw_seats_encode(const jbw_seats *seats, jbw_buffer *out);

/// Seats all agents of a world, with the owners that the note lists (NULL for no owners). Names
/// without a token are kept. JBW_INVALID_DATA if the note is damaged.
jbw_status jbw_seats_decode(jbw_seats *seats, const jbw_world *world, const jbw_note *note);

#endif
