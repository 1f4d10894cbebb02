// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Everyone who has connected, whether they have said anything or not, and whom to turn away when
/// there are too many. Those who have said hello are inside and stay; the others wait at the door,
/// where there is only so much room, and less for those from one address.
///
///     waiting: a a a a a b c    ->    inside: a b d e
///
/// When there is no room, whoever has waited longest is turned away: of the same address, or of the
/// address with the most visitors. So a crowd from one address that never says hello leaves room for
/// others.
#ifndef JBW_NET_SERVER_DOOR_H
#define JBW_NET_SERVER_DOOR_H

#include "jbw/base.h"

enum { JBW_ADDRESS_SIZE = 16 };

typedef struct jbw_visitor {
    void *who; // any pointer, different for each
    uint8_t address[JBW_ADDRESS_SIZE];
    uint64_t since;
    bool is_inside;
} jbw_visitor;

typedef struct jbw_door {
    jbw_visitor *visitors; // (most + JBW_DOOR_SLACK), in the order in which they came
    size_t count;
    size_t most;         // of all visitors
    size_t address_most; // of those who wait and have the same address
} jbw_door;

/// Those who are turned away take a moment to leave.
enum { JBW_DOOR_SLACK = 32 };

/// False when memory runs out.
bool jbw_door_init(jbw_door *door, size_t most, size_t address_most);
void jbw_door_deinit(jbw_door *door);

/// Whether another visitor may come at all.
static inline bool jbw_door_is_open(const jbw_door *door)
{
    return door->count < door->most + JBW_DOOR_SLACK;
}

/// A visitor comes; the door must be open. Returns who is to be turned away, maybe the newcomer, or
/// NULL. Whoever is turned away is forgotten.
void *jbw_door_come(jbw_door *door, void *who, const uint8_t address[JBW_ADDRESS_SIZE],
                    uint64_t now);

/// A visitor has said hello.
void jbw_door_admit(jbw_door *door, const void *who);

/// A visitor has gone; nothing happens if it is not known.
void jbw_door_leave(jbw_door *door, const void *who);

#endif
