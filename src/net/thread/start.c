// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "net/thread/start.h"

#include <signal.h>

bool jbw_thread_start(pthread_t *out, jbw_thread_function *run, void *user)
{
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    // these report faults of the thread itself: debuggers and sanitizers must see them
    const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) sigdelset(&all, faults[i]);
    // a new thread inherits the mask
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const bool is_started = pthread_create(out, NULL, run, user) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return is_started;
}
