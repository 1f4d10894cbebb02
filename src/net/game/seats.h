// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Whose agents are whose. Every agent of a served world has a seat. Its owner is the name that goes
/// with a token, and stays; its driver is a connection, and changes.
#ifndef JBW_NET_GAME_SEATS_H
#define JBW_NET_GAME_SEATS_H

#include "jbw/agent.h"
#include "jbw/snapshot.h"
#include "net/access/tokens.h"

enum { JBW_NOBODY = -1, JBW_NO_CONNECTION_ID = 0 };

typedef struct jbw_seat {
    jbw_agent_id agent; // all zero: nobody sits here
    int owner;          // the number of a name, or JBW_NOBODY
    uint32_t driver;    // a connection, or JBW_NO_CONNECTION_ID
    bool is_active;
    uint32_t turn;        // what it is waiting for, counted from one; zero for nothing
    uint32_t first_ahead; // the turns behind that one
    uint32_t last_ahead;
    uint32_t ahead_count;
    uint32_t mark; // of the message that named it last, to find who is named twice
} jbw_seat;

typedef struct jbw_owner {
    char name[JBW_TOKEN_NAME_SIZE];
    uint32_t agent_count;
} jbw_owner;

typedef struct jbw_seats {
    jbw_seat *seats; // by the place of the agent in its id
    size_t count;
    size_t capacity;
    size_t active_count;
    size_t agent_count;
    jbw_owner *owners; // those of the keys come first, by their numbers
    size_t owner_count;
    size_t owner_capacity;
} jbw_seats;

bool jbw_seats_init(jbw_seats *seats, const jbw_keys *keys);
void jbw_seats_deinit(jbw_seats *seats);

/// Makes room, so that the next agent can be given a seat. False when memory runs out.
bool jbw_seats_reserve(jbw_seats *seats, size_t place_count);

/// Gives an agent a seat, inactive and without a driver. There must be room for it.
jbw_seat *jbw_seats_take(jbw_seats *seats, jbw_agent_id agent, int owner);
void jbw_seats_leave(jbw_seats *seats, jbw_seat *seat);
void jbw_seats_set_active(jbw_seats *seats, jbw_seat *seat, bool is_active);

/// The seat of an agent, or NULL.
jbw_seat *jbw_seats_find(jbw_seats *seats, jbw_agent_id agent);

/// The name of an owner; empty for JBW_NOBODY.
const char *jbw_seats_name(const jbw_seats *seats, int owner);

/// The note that keeps who owns what, along with a snapshot.
extern const char jbw_seats_note[];
bool jbw_seats_encode(const jbw_seats *seats, jbw_buffer *out);

/// Gives seats to all agents of a world, their owners being what the note says (NULL for none).
/// Names that nobody has a token for are kept. JBW_INVALID_DATA if the note is damaged.
jbw_status jbw_seats_decode(jbw_seats *seats, const jbw_world *world, const jbw_note *note);

#endif
