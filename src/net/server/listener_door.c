// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Who may connect, who may stay, and how much memory clients may take.

#include <dirent.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "net/server/listener_internal.h"

#define IDLE_TIME (30 * JBW_SECOND) // until someone who only watches may have to make room

enum {
    LOBBY_LEAST = 256, // visitors who have not said hello yet
    RESERVE = 32,      // descriptors for saving, recording and reading files
    DESCRIPTORS_UNKNOWN = 64,
    VISITORS_LEAST = 8,
    SLOTS_MOST = 65000, // their numbers have 16 bits
};

// ---- visitors ----

// descriptors that the process has open
static size_t count_descriptors(void)
{
    DIR *folder = opendir("/proc/self/fd");
    if (!folder) return DESCRIPTORS_UNKNOWN;
    size_t count = 0;
    while (readdir(folder)) count++;
    closedir(folder);
    return count;
}

size_t jbw_listener_visitors_most(const jbw_server *server)
{
    const size_t clients = server->options.clients_most;
    const size_t lobby = clients / 4 > LOBBY_LEAST ? clients / 4 : LOBBY_LEAST;
    size_t most = clients + lobby < SLOTS_MOST ? clients + lobby : SLOTS_MOST;
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return most;
    const size_t used = count_descriptors() + RESERVE + JBW_DOOR_SLACK;
    const size_t left = limit.rlim_cur > used ? (size_t)limit.rlim_cur - used : 0;
    if (most > left) most = left;
    return most > VISITORS_LEAST ? most : VISITORS_LEAST;
}

bool jbw_listener_may_come(const jbw_listener *l)
{
    if (jbw_door_is_open(&l->door)) return true;
    jbw_count(&l->server->counters.dropped, 1);
    return false;
}

static void get_address(struct lws *wsi, uint8_t address[JBW_ADDRESS_SIZE])
{
    struct sockaddr_storage peer = {0};
    socklen_t size = sizeof peer;
    memset(address, 0, JBW_ADDRESS_SIZE);
    if (getpeername(lws_get_socket_fd(wsi), (struct sockaddr *)&peer, &size) != 0) return;
    if (peer.ss_family == AF_INET) {
        const struct sockaddr_in *four = (const struct sockaddr_in *)&peer;
        memcpy(address, &four->sin_addr, sizeof four->sin_addr);
    } else if (peer.ss_family == AF_INET6) {
        // whoever has one address of a network often has all of them
        enum { NETWORK_SIZE = 8 };
        const struct sockaddr_in6 *six = (const struct sockaddr_in6 *)&peer;
        memcpy(address, &six->sin6_addr, NETWORK_SIZE);
        address[JBW_ADDRESS_SIZE - 1] = 1; // differs from all addresses of the other kind
    }
}

int jbw_listener_come(jbw_listener *l, struct lws *wsi)
{
    uint8_t address[JBW_ADDRESS_SIZE];
    get_address(wsi, address);
    if (!jbw_door_is_open(&l->door)) return -1;
    struct lws *away = jbw_door_come(&l->door, wsi, address, jbw_clock_now());
    if (!away) return 0;
    jbw_count(&l->server->counters.dropped, 1);
    if (away == wsi) return -1;
    lws_set_timeout(away, PENDING_TIMEOUT_USER_OK, LWS_TO_KILL_ASYNC);
    return 0;
}

// ---- clients ----

static uint64_t last_active(const jbw_connection *c)
{
    return c->heard > c->progress ? c->heard : c->progress;
}

// sends away the one without a token that has been idle for longest; false if there is none
static bool make_room(jbw_listener *l, bool only_idle, uint64_t now)
{
    jbw_connection *victim = NULL;
    for (size_t i = 0; i < l->slot_count; i++) {
        jbw_connection *c = l->slots[i].client;
        if (!c || !c->is_inside || c->session.key >= 0) continue;
        if (only_idle && last_active(c) + IDLE_TIME > now) continue;
        if (!victim || last_active(c) < last_active(victim)) victim = c;
    }
    if (!victim) return false;
    jbw_listener_leave(victim);
    jbw_session_end(&victim->session, &l->shared, 0, JBW_ERROR_TOO_MANY);
    return true;
}

bool jbw_listener_enter(void *user, const jbw_session *session)
{
    jbw_listener *l = user;
    jbw_connection *c = jbw_connection_find(l, session->connection);
    if (!c) return false;
    const bool is_full = l->inside_count >= l->server->options.clients_most;
    if (is_full && !make_room(l, session->key < 0, jbw_clock_now())) return false;
    c->is_inside = true;
    l->inside_count++;
    jbw_door_admit(&l->door, c->wsi);
    atomic_store(&l->server->counters.clients, (uint_fast32_t)l->inside_count);
    return true;
}

void jbw_listener_leave(jbw_connection *c)
{
    jbw_listener *l = c->listener;
    if (!c->is_inside) return;
    c->is_inside = false;
    l->inside_count--;
    atomic_store(&l->server->counters.clients, (uint_fast32_t)l->inside_count);
}

// ---- memory ----

static size_t memory_of(jbw_connection *c)
{
    size_t bytes = c->input.capacity + c->received.capacity + c->queue.capacity;
    if (lws_partial_buffered(c->wsi)) bytes += c->buffered;
    for (size_t i = 0; i < JBW_SUBSCRIPTIONS_MOST; i++) {
        const jbw_watch *watch = &c->session.watches[i];
        if (watch->is_used) bytes += watch->columns * watch->rows * sizeof *watch->sent;
    }
    return bytes;
}

static void set_memory(jbw_connection *c, size_t bytes)
{
    jbw_listener *l = c->listener;
    if (bytes < c->memory) l->freed += c->memory - bytes;
    l->memory = l->memory - c->memory + bytes;
    c->memory = bytes;
}

static jbw_connection *find_greediest(const jbw_listener *l)
{
    jbw_connection *greediest = NULL;
    for (size_t i = 0; i < l->slot_count; i++) {
        jbw_connection *c = l->slots[i].client;
        if (c && c->memory > 0 && (!greediest || c->memory > greediest->memory)) greediest = c;
    }
    return greediest;
}

void jbw_connection_forget_memory(jbw_connection *c)
{
    set_memory(c, 0);
}

void jbw_connection_note_memory(jbw_connection *c)
{
    jbw_listener *l = c->listener;
    if (c->is_dropped) return;
    set_memory(c, memory_of(c));
    while (l->memory > l->server->options.client_memory) {
        jbw_connection *greediest = find_greediest(l);
        if (!greediest) return;
        jbw_connection_drop(greediest);
        greediest->is_dropped = true;
        set_memory(greediest, 0); // it is about to close
    }
}
