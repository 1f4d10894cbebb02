// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What the verbs that run a server share.
#ifndef JBW_CLI_LISTEN_H
#define JBW_CLI_LISTEN_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

#include "jbw/server.h"
#include "verb.h"

/// Splits HOST:PORT, [ADDRESS]:PORT, HOST or :PORT. A missing part keeps its value. False if it is
/// none of these.
bool jbw_parse_listen(const char *text, char *host, size_t host_size, int *port);

/// Blocks SIGINT and SIGTERM, for `jbw_wait_for_end` to wait for them.
void jbw_block_signals(sigset_t *signals);

/// Lets the program have as many descriptors as that many clients need, if the system permits it.
void jbw_allow_descriptors(uint32_t clients);

/// Waits for one of the signals. JBW_VERB_FAILED, after reporting it, if the server fails first.
jbw_verb_status jbw_wait_for_end(jbw_server *server, const sigset_t *signals, const char *verb);

#endif
