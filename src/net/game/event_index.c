// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "net/game/event_index.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "jbw/agent.h"
#include "thread/thread.h"

enum {
    EVENTS_MOST = 1 << 20,
    STUCK_STEPS = 100, // an agent that stays within
    STUCK_CELLS = 2,   // this distance for that many steps is stuck
    STEPS_BETWEEN_NOTES = 256,
};

// the cell that an agent has stayed close to
typedef struct stay {
    uint32_t generation;
    jbw_position around;
    uint64_t since;
} stay;

struct jbw_event_index {
    pthread_t thread;
    bool has_thread;
    bool has_mutex;
    atomic_bool is_stopping;

    // private to the thread
    jbw_recording *recording;
    uint64_t last_time;
    stay *stays; // by the agent id's index
    size_t stay_count;
    jbw_agent_id *agents;
    size_t agent_capacity;

    // under the mutex
    pthread_mutex_t mutex;
    jbw_wire_event *events; // ordered by time
    size_t event_count;
    size_t event_capacity;
    uint64_t known_to;
};

// ---- indexing ----

static bool add_event(jbw_event_index *index, const jbw_wire_event *event)
{
    pthread_mutex_lock(&index->mutex);
    bool is_good = index->event_count < EVENTS_MOST;
    if (is_good && index->event_count == index->event_capacity) {
        const size_t capacity = index->event_capacity ? 2 * index->event_capacity : 256;
        jbw_wire_event *events = realloc(index->events, capacity * sizeof *events);
        is_good = events != NULL;
        if (is_good) {
            index->events = events;
            index->event_capacity = capacity;
        }
    }
    if (is_good) index->events[index->event_count++] = *event;
    pthread_mutex_unlock(&index->mutex);
    return is_good;
}

static int64_t distance(int64_t a, int64_t b)
{
    return a < b ? b - a : a - b;
}

// true in the step that makes an agent stuck
static bool note_stay(stay *s, jbw_agent_id agent, const jbw_agent_state *state, uint64_t time)
{
    const bool has_left = s->generation != agent.generation || !state->is_active ||
                          distance(s->around.x, state->position.x) > STUCK_CELLS ||
                          distance(s->around.y, state->position.y) > STUCK_CELLS;
    if (!has_left) return time - s->since == STUCK_STEPS;
    *s = (stay){.generation = agent.generation, .around = state->position, .since = time};
    return false;
}

// grows the arrays for this many agents, and for ids up to this index
static bool make_room(jbw_event_index *index, size_t agent_count, uint32_t largest_index)
{
    if (agent_count > index->agent_capacity) {
        jbw_agent_id *agents = realloc(index->agents, 2 * agent_count * sizeof *agents);
        if (!agents) return false;
        index->agents = agents;
        index->agent_capacity = 2 * agent_count;
    }
    if (largest_index > index->stay_count) {
        const size_t count = 2 * (size_t)largest_index;
        stay *stays = realloc(index->stays, count * sizeof *stays);
        if (!stays) return false;
        memset(stays + index->stay_count, 0, (count - index->stay_count) * sizeof *stays);
        index->stays = stays;
        index->stay_count = count;
    }
    return true;
}

static bool note_step(jbw_event_index *index, const jbw_world *world)
{
    const uint64_t time = jbw_world_time(world);
    const size_t count = jbw_world_agents(world, NULL, 0);
    if (!make_room(index, count, 0)) return false;
    jbw_world_agents(world, index->agents, count);
    for (size_t i = 0; i < count; i++) {
        const jbw_agent_id agent = index->agents[i];
        jbw_agent_result result;
        jbw_agent_state state;
        if (jbw_agent_get_result(world, agent, &result)) continue;
        if (jbw_agent_get_state(world, agent, &state)) continue;
        if (!make_room(index, count, agent.index1)) return false;
        jbw_wire_event event = {.time = time, .agent = agent, .item = -1};
        if (result.time == time && result.collected >= 0) {
            event.kind = JBW_EVENT_COLLECTED;
            event.item = result.collected;
            if (!add_event(index, &event)) return false;
        }
        if (note_stay(&index->stays[agent.index1 - 1], agent, &state, time)) {
            event.kind = JBW_EVENT_STUCK;
            event.item = -1;
            if (!add_event(index, &event)) return false;
        }
    }
    return true;
}

static void note_known(jbw_event_index *index, uint64_t time)
{
    pthread_mutex_lock(&index->mutex);
    index->known_to = time;
    pthread_mutex_unlock(&index->mutex);
}

jbw_status jbw_recording_advance(jbw_recording *recording)
{
    jbw_error error;
    const uint64_t time = jbw_world_time(jbw_recording_world(recording));
    jbw_status status = JBW_OK;
    while (!status && jbw_world_time(jbw_recording_world(recording)) == time)
        status = jbw_recording_next(recording, NULL, &error);
    return status;
}

static void *run(void *user)
{
    jbw_event_index *index = user;
    uint64_t steps = 0;
    bool is_good = true;
    while (is_good && !atomic_load(&index->is_stopping) &&
           !jbw_recording_advance(index->recording)) {
        const jbw_world *world = jbw_recording_world(index->recording);
        is_good = note_step(index, world);
        if (++steps % STEPS_BETWEEN_NOTES == 0) note_known(index, jbw_world_time(world));
    }
    if (is_good && !atomic_load(&index->is_stopping)) note_known(index, index->last_time);
    return NULL;
}

// ---- creation ----

static jbw_status start(jbw_event_index *index, const char *path, jbw_error *error)
{
    index->has_mutex = pthread_mutex_init(&index->mutex, NULL) == 0;
    if (!index->has_mutex) return JBW_OUT_OF_MEMORY;
    const jbw_status status = jbw_recording_open(path, NULL, &index->recording, error);
    if (status) return status;
    const jbw_recording_info info = jbw_recording_get_info(index->recording);
    index->known_to = info.first_time;
    index->last_time = info.last_time;
    index->has_thread = jbw_thread_start(&index->thread, run, index);
    return index->has_thread ? JBW_OK : JBW_OUT_OF_MEMORY;
}

jbw_status jbw_event_index_create(const char *path, jbw_event_index **out, jbw_error *error)
{
    *out = NULL;
    jbw_event_index *index = calloc(1, sizeof *index);
    if (!index) return JBW_OUT_OF_MEMORY;
    const jbw_status status = start(index, path, error);
    if (status) {
        jbw_event_index_destroy(index);
        return status;
    }
    *out = index;
    return JBW_OK;
}

void jbw_event_index_destroy(jbw_event_index *index)
{
    if (!index) return;
    atomic_store(&index->is_stopping, true);
    if (index->has_thread) pthread_join(index->thread, NULL);
    if (index->has_mutex) pthread_mutex_destroy(&index->mutex);
    jbw_recording_close(index->recording);
    free(index->stays);
    free(index->agents);
    free(index->events);
    free(index);
}

// ---- searching ----

static bool is_wanted(const jbw_wire_event *event, const jbw_wire_find_events *wanted)
{
    const bool is_agent =
        wanted->agent.index1 == 0 || (wanted->agent.index1 == event->agent.index1 &&
                                      wanted->agent.generation == event->agent.generation);
    return is_agent && (event->kind & wanted->kinds) != 0;
}

// the first event at that time or later
static size_t find_time(const jbw_event_index *index, uint64_t time)
{
    size_t low = 0;
    size_t high = index->event_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (index->events[middle].time < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t jbw_event_index_find(jbw_event_index *index, const jbw_wire_find_events *wanted,
                            jbw_wire_event *events, size_t most, uint64_t *known_to)
{
    if (wanted->most < most) most = wanted->most;
    size_t found = 0;
    pthread_mutex_lock(&index->mutex);
    const size_t first = find_time(index, wanted->from);
    const size_t end =
        wanted->to == UINT64_MAX ? index->event_count : find_time(index, wanted->to + 1);
    for (size_t i = first; i < end && found < most; i++) {
        const size_t at = wanted->is_backward ? first + end - 1 - i : i;
        if (is_wanted(&index->events[at], wanted)) events[found++] = index->events[at];
    }
    *known_to = index->known_to;
    pthread_mutex_unlock(&index->mutex);
    for (size_t i = 0; wanted->is_backward && i < found / 2; i++) {
        const jbw_wire_event event = events[i];
        events[i] = events[found - 1 - i];
        events[found - 1 - i] = event;
    }
    return found;
}
