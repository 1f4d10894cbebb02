// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "net/server/ready_set.h"

#include <unistd.h>

enum { AT_ONCE = 64 };

static int least(int a, int b)
{
    return a < b ? a : b;
}

#if defined(__linux__)

#include <sys/epoll.h>
#include <sys/eventfd.h>

int jbw_ready_set_open(void)
{
    return epoll_create1(EPOLL_CLOEXEC);
}

bool jbw_ready_set_add(int set, int socket, uint32_t name)
{
    struct epoll_event event = {.events = EPOLLIN | EPOLLRDHUP | EPOLLET, .data.u32 = name};
    return epoll_ctl(set, EPOLL_CTL_ADD, socket, &event) == 0;
}

int jbw_ready_set_open_call(int set)
{
    const int call = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (call < 0 || jbw_ready_set_add(set, call, 0)) return call;
    close(call);
    return -1;
}

void jbw_ready_set_call(int call)
{
    eventfd_write(call, 1);
}

int jbw_ready_set_find(int set, jbw_ready *out, int most, int milliseconds)
{
    struct epoll_event events[AT_ONCE];
    const int count = epoll_wait(set, events, least(most, AT_ONCE), milliseconds);
    for (int i = 0; i < count; i++)
        out[i] = (jbw_ready){.name = events[i].data.u32,
                             .has_ended = events[i].events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)};
    return count > 0 ? count : 0;
}

#else

#include <fcntl.h>
#include <sys/event.h>
#include <sys/time.h>
#include <sys/types.h>

int jbw_ready_set_open(void)
{
    const int set = kqueue();
    if (set >= 0) fcntl(set, F_SETFD, FD_CLOEXEC);
    return set;
}

bool jbw_ready_set_add(int set, int socket, uint32_t name)
{
    struct kevent change;
    EV_SET(&change, (uintptr_t)socket, EVFILT_READ, EV_ADD | EV_CLEAR, 0, 0,
           (void *)(uintptr_t)name);
    return kevent(set, &change, 1, NULL, 0, NULL) == 0;
}

int jbw_ready_set_open_call(int set)
{
    struct kevent change;
    EV_SET(&change, 0, EVFILT_USER, EV_ADD | EV_CLEAR, 0, 0, NULL);
    return kevent(set, &change, 1, NULL, 0, NULL) == 0 ? dup(set) : -1;
}

void jbw_ready_set_call(int call)
{
    struct kevent change;
    EV_SET(&change, 0, EVFILT_USER, 0, NOTE_TRIGGER, 0, NULL);
    kevent(call, &change, 1, NULL, 0, NULL);
}

int jbw_ready_set_find(int set, jbw_ready *out, int most, int milliseconds)
{
    const struct timespec wait = {.tv_sec = milliseconds / 1000,
                                  .tv_nsec = milliseconds % 1000 * 1000000L};
    struct kevent events[AT_ONCE];
    const int count = kevent(set, NULL, 0, events, least(most, AT_ONCE), &wait);
    for (int i = 0; i < count; i++)
        out[i] = (jbw_ready){.name = (uint32_t)(uintptr_t)events[i].udata,
                             .has_ended = (events[i].flags & EV_EOF) != 0};
    return count > 0 ? count : 0;
}

#endif
