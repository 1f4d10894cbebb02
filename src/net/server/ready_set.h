// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Sockets of which the kernel tells when there is something to read, so that nobody has to look at
/// all of them: epoll on Linux, kqueue elsewhere. It tells of new bytes once.
#ifndef JBW_NET_SERVER_READY_SET_H
#define JBW_NET_SERVER_READY_SET_H

#include <stdbool.h>
#include <stdint.h>

/// A socket that has something to read, or whose peer has hung up.
typedef struct jbw_ready {
    uint32_t name; // what it was added with
    bool has_ended;
} jbw_ready;

/// A descriptor of its own, which is readable while sockets of the set are; -1 on failure. Close it
/// with `close`.
int jbw_ready_set_open(void);

/// Adds a socket, which leaves the set when it is closed.
bool jbw_ready_set_add(int set, int socket, uint32_t name);

/// A descriptor with which another thread can end a wait for the set; -1 on failure. A call is found
/// as a socket with the name 0.
int jbw_ready_set_open_call(int set);
void jbw_ready_set_call(int call);

/// Finds sockets that have become ready since they were last found, and waits that long until there
/// are some. Returns how many.
int jbw_ready_set_find(int set, jbw_ready *out, int most, int milliseconds);

#endif
