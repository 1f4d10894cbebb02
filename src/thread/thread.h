// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The library's own threads, on every system that has POSIX threads.
#ifndef JBW_THREAD_THREAD_H
#define JBW_THREAD_THREAD_H

#include <pthread.h>

#include "jbw/base.h"

typedef void *jbw_thread_function(void *user);

/// Starts a thread with all signals blocked but those for its own faults: signals belong to the
/// threads of the program, whose handlers may not expect to run anywhere else. False if the system
/// refuses.
bool jbw_thread_start(pthread_t *out, jbw_thread_function *run, void *user);

/// How many processors there are to run on; at least 1.
size_t jbw_processor_count(void);

#endif
