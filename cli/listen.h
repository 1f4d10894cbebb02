// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What the verbs that serve something share.
#ifndef JBW_CLI_LISTEN_H
#define JBW_CLI_LISTEN_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/// Splits HOST:PORT, [ADDRESS]:PORT, HOST or :PORT; what is missing keeps its value. False if it is
/// something else.
bool jbw_parse_listen(const char *text, char *host, size_t host_size, int *port);

/// From now on interrupts are waited for with `signals`, instead of ending the program.
void jbw_hold_signals(sigset_t *signals);

#endif
