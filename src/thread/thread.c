// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "thread/thread.h"

#ifdef _WIN32

// pthreads come with the compiler; the only signals are those that a thread raises itself

#include <windows.h>

bool jbw_thread_start(pthread_t *out, jbw_thread_function *run, void *user)
{
    return pthread_create(out, NULL, run, user) == 0;
}

size_t jbw_processor_count(void)
{
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    return info.dwNumberOfProcessors > 0 ? info.dwNumberOfProcessors : 1;
}

#else

#include <signal.h>
#include <unistd.h>

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

size_t jbw_processor_count(void)
{
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (size_t)count : 1;
}

#endif
