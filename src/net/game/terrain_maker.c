// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "net/game/terrain_maker.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/alloc.h"
#include "base/hash.h"
#include "net/thread/bell.h"
#include "net/thread/clock.h"
#include "thread/thread.h"

#define TURN (10 * JBW_MILLISECOND)      // processor time that a connection gets at once
#define NEWS_PAUSE (5 * JBW_MILLISECOND) // between two calls of `on_made`

enum { STORE_BYTES = 1 << 25, STORE_LEAST = 64 };

static const jbw_allocator allocator;

typedef struct wanted_list {
    uint32_t connection;
    uint32_t purpose;
    jbw_position *patches; // (count)
    size_t count;
    size_t next; // to be made
} wanted_list;

/// A patch that was made. It is in a chain of patches with the same hash.
typedef struct made_patch {
    jbw_position at;
    uint32_t next; // number in the store plus one
    bool is_used;
} made_patch;

struct jbw_terrain_maker {
    pthread_t thread;
    bool has_thread;
    jbw_bell bell;
    bool has_bell;
    pthread_mutex_t mutex;
    bool has_mutex;
    jbw_world *world; // the thread's own: nothing ever happens in it
    jbw_looking *looking;
    jbw_made_function *on_made;
    void *user;
    size_t patch_size;
    uint8_t *cells;  // (patch_cells): what the thread is making
    uint8_t *hidden; // the part of it that is out of season
    atomic_bool is_ending;
    atomic_uint_fast64_t made_count;
    atomic_uint_fast64_t news_count;

    // under the mutex
    wanted_list *lists;
    size_t list_count;
    size_t list_capacity;
    uint32_t at_connection; // whose turn it is
    uint32_t at_purpose;
    made_patch *store; // (store_most), a ring
    uint8_t *stored;   // (store_most x patch_cells)
    uint32_t *chains;  // (store_most): first patch with a hash, plus one
    size_t store_most;
    size_t store_next;
};

// ---- the store ----

static size_t chain_of(const jbw_terrain_maker *maker, jbw_position patch)
{
    jbw_hasher hasher = jbw_hash_begin(0);
    jbw_hash_u64(&hasher, (uint64_t)patch.x);
    jbw_hash_u64(&hasher, (uint64_t)patch.y);
    return (size_t)(hasher.value % maker->store_most);
}

// the place of a patch in the store, or `store_most`
static size_t find_stored(const jbw_terrain_maker *maker, jbw_position patch)
{
    uint32_t number = maker->chains[chain_of(maker, patch)];
    for (; number != 0; number = maker->store[number - 1].next) {
        const jbw_position at = maker->store[number - 1].at;
        if (at.x == patch.x && at.y == patch.y) return number - 1;
    }
    return maker->store_most;
}

// takes the oldest patch out of its chain
static void make_room(jbw_terrain_maker *maker)
{
    made_patch *old = &maker->store[maker->store_next];
    if (!old->is_used) return;
    const uint32_t number = (uint32_t)maker->store_next + 1;
    uint32_t *link = &maker->chains[chain_of(maker, old->at)];
    while (*link != number) link = &maker->store[*link - 1].next;
    *link = old->next;
    old->is_used = false;
}

static void store_patch(jbw_terrain_maker *maker, jbw_position patch)
{
    const size_t cells = maker->patch_size * maker->patch_size;
    make_room(maker);
    uint32_t *chain = &maker->chains[chain_of(maker, patch)];
    maker->store[maker->store_next] = (made_patch){.at = patch, .next = *chain, .is_used = true};
    *chain = (uint32_t)maker->store_next + 1;
    memcpy(maker->stored + maker->store_next * cells, maker->cells, cells);
    maker->store_next = (maker->store_next + 1) % maker->store_most;
}

// ---- turns ----

// The list to work on: another one of the same connection if `connection` has time left, otherwise
// one of the connection that follows it. NULL if there are no lists.
static wanted_list *choose_list(jbw_terrain_maker *maker, bool is_turn_over)
{
    wanted_list *best = NULL;
    uint64_t best_distance = UINT64_MAX;
    for (size_t i = 0; i < maker->list_count; i++) {
        wanted_list *list = &maker->lists[i];
        // cyclic distances from the current list; unsigned differences wrap around
        const uint32_t purpose = list->purpose - maker->at_purpose - (is_turn_over ? 0 : 1);
        uint32_t connection = list->connection - maker->at_connection;
        if (is_turn_over) connection--;
        const uint64_t distance = (uint64_t)connection << 32 | purpose;
        if (distance >= best_distance) continue;
        best = list;
        best_distance = distance;
    }
    return best;
}

static void drop_list(jbw_terrain_maker *maker, wanted_list *list)
{
    wanted_list *last = &maker->lists[--maker->list_count];
    free(list->patches);
    if (list != last) *list = *last;
    *last = (wanted_list){0};
}

// makes a patch; the mutex is held, but not while it takes long. Returns the time used.
static uint64_t make(jbw_terrain_maker *maker, jbw_position patch)
{
    const int64_t size = (int64_t)maker->patch_size;
    pthread_mutex_unlock(&maker->mutex);
    const uint64_t cpu = jbw_clock_thread_cpu();
    const jbw_region region = {patch.x * size, patch.y * size, size, size};
    const jbw_region_planes planes = {.items = maker->cells, .hidden = maker->hidden};
    const jbw_status status = jbw_world_read_planes(maker->world, region, &planes);
    for (int64_t i = 0; !status && i < size * size; i++) maker->cells[i] |= maker->hidden[i];
    const uint64_t used = jbw_clock_thread_cpu() - cpu;
    jbw_looking_use(maker->looking, JBW_LOOKING_TERRAIN, jbw_clock_now(), used);
    pthread_mutex_lock(&maker->mutex);
    if (!status) {
        store_patch(maker, patch);
        atomic_fetch_add_explicit(&maker->made_count, 1, memory_order_relaxed);
    }
    return used;
}

/// How far the thread is.
typedef struct progress {
    uint64_t turn_used; ///< processor time in this turn
    bool has_news;      ///< that nobody has been told
    uint64_t news_due;  ///< no earlier than this
} progress;

static void note_news(jbw_terrain_maker *maker, progress *p)
{
    p->has_news = true;
    atomic_fetch_add(&maker->news_count, 1);
}

// works on the next patch; returns when to go on
static uint64_t work(jbw_terrain_maker *maker, progress *p)
{
    const uint64_t now = jbw_clock_now();
    const uint64_t due = jbw_looking_due(maker->looking, JBW_LOOKING_TERRAIN, now);
    if (due > now) return due;
    const bool is_turn_over = p->turn_used >= TURN;
    wanted_list *list = choose_list(maker, is_turn_over);
    if (!list) return UINT64_MAX;
    if (is_turn_over || list->connection != maker->at_connection) p->turn_used = 0;
    maker->at_connection = list->connection;
    maker->at_purpose = list->purpose;
    const jbw_position patch = list->patches[list->next++];
    if (list->next == list->count) drop_list(maker, list);
    if (find_stored(maker, patch) == maker->store_most) p->turn_used += make(maker, patch);
    note_news(maker, p);
    return now;
}

// The world and the network go first when there are more threads than processors.
static void step_back(void)
{
#ifdef __linux__
    enum { NICENESS = 10 };
    setpriority(PRIO_PROCESS, 0, NICENESS); // of this thread only
#endif
}

static void *run(void *user)
{
    jbw_terrain_maker *maker = user;
    progress p = {0};
    step_back();
    while (!atomic_load(&maker->is_ending)) {
        pthread_mutex_lock(&maker->mutex);
        const uint64_t next = work(maker, &p);
        pthread_mutex_unlock(&maker->mutex);
        const uint64_t now = jbw_clock_now();
        if (p.has_news && (next > now || now >= p.news_due)) {
            p.has_news = false;
            p.news_due = now + NEWS_PAUSE;
            maker->on_made(maker->user);
        }
        if (next > now) jbw_bell_wait(&maker->bell, next);
    }
    return NULL;
}

// ---- starting and ending ----

static bool init_maker(jbw_terrain_maker *maker)
{
    const size_t cells = maker->patch_size * maker->patch_size;
    maker->store_most = STORE_BYTES / (cells + sizeof *maker->store);
    if (maker->store_most < STORE_LEAST) maker->store_most = STORE_LEAST;
    maker->store = calloc(maker->store_most, sizeof *maker->store);
    maker->chains = calloc(maker->store_most, sizeof *maker->chains);
    // the system provides the pages of a large block only when they are first used
    maker->stored = malloc(maker->store_most * cells);
    maker->cells = malloc(cells);
    maker->hidden = malloc(cells);
    maker->has_bell = jbw_bell_init(&maker->bell);
    maker->has_mutex = pthread_mutex_init(&maker->mutex, NULL) == 0;
    return maker->store && maker->chains && maker->stored && maker->cells && maker->hidden &&
           maker->has_bell && maker->has_mutex;
}

jbw_status jbw_terrain_maker_create(const jbw_model *model, uint64_t seed,
                                    const jbw_patch_store *store, jbw_looking *looking,
                                    jbw_made_function *on_made, void *user, jbw_terrain_maker **out)
{
    *out = NULL;
    jbw_terrain_maker *maker = calloc(1, sizeof *maker);
    if (!maker) return JBW_OUT_OF_MEMORY;
    maker->looking = looking;
    maker->on_made = on_made;
    maker->user = user;
    maker->patch_size = (size_t)jbw_model_patch_size(model);
    jbw_status status = jbw_world_create(model, seed, &maker->world);
    if (!status && store) status = jbw_world_set_patch_store(maker->world, store);
    if (!status && !init_maker(maker)) status = JBW_OUT_OF_MEMORY;
    if (!status) {
        maker->has_thread = jbw_thread_start(&maker->thread, run, maker);
        if (!maker->has_thread) status = JBW_OUT_OF_MEMORY;
    }
    if (status)
        jbw_terrain_maker_destroy(maker);
    else
        *out = maker;
    return status;
}

void jbw_terrain_maker_stop(jbw_terrain_maker *maker)
{
    if (!maker || !maker->has_thread) return;
    atomic_store(&maker->is_ending, true);
    jbw_bell_ring(&maker->bell);
    pthread_join(maker->thread, NULL);
    maker->has_thread = false;
}

void jbw_terrain_maker_destroy(jbw_terrain_maker *maker)
{
    if (!maker) return;
    jbw_terrain_maker_stop(maker);
    while (maker->list_count > 0) drop_list(maker, &maker->lists[0]);
    jbw_free(&allocator, maker->lists, maker->list_capacity * sizeof *maker->lists);
    if (maker->has_mutex) pthread_mutex_destroy(&maker->mutex);
    if (maker->has_bell) jbw_bell_deinit(&maker->bell);
    jbw_world_destroy(maker->world);
    free(maker->cells);
    free(maker->hidden);
    free(maker->stored);
    free(maker->chains);
    free(maker->store);
    free(maker);
}

// ---- for other threads ----

static wanted_list *find_list(jbw_terrain_maker *maker, uint32_t connection, uint32_t purpose)
{
    for (size_t i = 0; i < maker->list_count; i++) {
        wanted_list *list = &maker->lists[i];
        if (list->connection == connection && list->purpose == purpose) return list;
    }
    return NULL;
}

// the list, new or emptied; NULL when memory runs out
static wanted_list *prepare_list(jbw_terrain_maker *maker, uint32_t connection, uint32_t purpose,
                                 jbw_position *patches)
{
    wanted_list *list = find_list(maker, connection, purpose);
    if (!list) {
        if (!JBW_GROW(&allocator, maker->lists, maker->list_capacity, maker->list_count + 1))
            return NULL;
        list = &maker->lists[maker->list_count++];
        *list = (wanted_list){.connection = connection, .purpose = purpose};
    }
    free(list->patches);
    list->patches = patches;
    list->next = 0;
    return list;
}

void jbw_terrain_maker_want(jbw_terrain_maker *maker, uint32_t connection, uint32_t purpose,
                            const jbw_position *patches, size_t count)
{
    if (count > JBW_WANTED_MOST) count = JBW_WANTED_MOST;
    jbw_position *copy = count > 0 ? malloc(count * sizeof *copy) : NULL;
    if (copy) memcpy(copy, patches, count * sizeof *copy);
    pthread_mutex_lock(&maker->mutex);
    wanted_list *list = copy ? prepare_list(maker, connection, purpose, copy)
                             : find_list(maker, connection, purpose);
    if (list) list->count = count;
    if (list && !copy) drop_list(maker, list);
    pthread_mutex_unlock(&maker->mutex);
    if (copy && !list) free(copy);
    if (copy) jbw_bell_ring(&maker->bell);
}

bool jbw_terrain_maker_is_at(jbw_terrain_maker *maker, uint32_t connection, uint32_t purpose)
{
    pthread_mutex_lock(&maker->mutex);
    const bool is_at = find_list(maker, connection, purpose) != NULL;
    pthread_mutex_unlock(&maker->mutex);
    return is_at;
}

void jbw_terrain_maker_forget(jbw_terrain_maker *maker, uint32_t connection)
{
    pthread_mutex_lock(&maker->mutex);
    for (size_t i = maker->list_count; i-- > 0;)
        if (maker->lists[i].connection == connection) drop_list(maker, &maker->lists[i]);
    pthread_mutex_unlock(&maker->mutex);
}

bool jbw_terrain_maker_get(jbw_terrain_maker *maker, jbw_position patch, uint8_t *cells)
{
    const size_t count = maker->patch_size * maker->patch_size;
    pthread_mutex_lock(&maker->mutex);
    const size_t at = find_stored(maker, patch);
    const bool is_there = at < maker->store_most;
    if (is_there) memcpy(cells, maker->stored + at * count, count);
    pthread_mutex_unlock(&maker->mutex);
    return is_there;
}

uint64_t jbw_terrain_maker_news(const jbw_terrain_maker *maker)
{
    return atomic_load(&maker->news_count);
}

uint64_t jbw_terrain_maker_count(const jbw_terrain_maker *maker)
{
    return atomic_load_explicit(&maker->made_count, memory_order_relaxed);
}
