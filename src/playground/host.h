// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What the program around the playground provides: in a browser the Worker, in tests the test.
#ifndef JBW_PLAYGROUND_HOST_H
#define JBW_PLAYGROUND_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __wasm__
#define JBW_HOST_FUNCTION(name) __attribute__((import_module("host"), import_name(name)))
#else
#define JBW_HOST_FUNCTION(name)
#endif

/// Sends a message to the page. With `is_final`, the connection is over.
JBW_HOST_FUNCTION("send")
void jbw_host_send(const uint8_t *bytes, size_t size, bool is_final);

/// Milliseconds of a clock that never jumps.
JBW_HOST_FUNCTION("now")
double jbw_host_now(void);

#endif
