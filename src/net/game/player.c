// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "net/game/player.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "jbw/agent.h"

enum {
    EVENTS_MOST = 1 << 20,
    STUCK_STEPS = 100, // an agent that gets
    STUCK_CELLS = 2,   // no farther than this in so many steps is stuck
    STEPS_BETWEEN_NOTES = 256,
};

// the cell that an agent has stayed around, by the agent's place
typedef struct stay {
    uint32_t generation;
    jbw_position around;
    uint64_t since;
} stay;

struct jbw_player {
    jbw_recording *recording;
    jbw_recording_info info;
    char *path;

    // the one who looks through
    pthread_t thread;
    bool has_thread;
    atomic_bool is_stopping;
    jbw_recording *search;
    stay *stays;
    size_t stay_count;
    jbw_agent_id *agents;
    size_t agent_capacity;

    // between the two
    pthread_mutex_t mutex;
    jbw_wire_event *events; // in the order of time
    size_t event_count;
    size_t event_capacity;
    uint64_t known_to;
};

// ---- looking through ----

static bool add_event(jbw_player *player, const jbw_wire_event *event)
{
    pthread_mutex_lock(&player->mutex);
    bool is_good = player->event_count < EVENTS_MOST;
    if (is_good && player->event_count == player->event_capacity) {
        const size_t capacity = player->event_capacity ? 2 * player->event_capacity : 256;
        jbw_wire_event *events = realloc(player->events, capacity * sizeof *events);
        is_good = events != NULL;
        if (is_good) {
            player->events = events;
            player->event_capacity = capacity;
        }
    }
    if (is_good) player->events[player->event_count++] = *event;
    pthread_mutex_unlock(&player->mutex);
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

// room for all agents of the world, and for the place of each
static bool make_room(jbw_player *player, size_t agent_count, uint32_t most_index)
{
    if (agent_count > player->agent_capacity) {
        jbw_agent_id *agents = realloc(player->agents, 2 * agent_count * sizeof *agents);
        if (!agents) return false;
        player->agents = agents;
        player->agent_capacity = 2 * agent_count;
    }
    if (most_index > player->stay_count) {
        const size_t count = 2 * (size_t)most_index;
        stay *stays = realloc(player->stays, count * sizeof *stays);
        if (!stays) return false;
        memset(stays + player->stay_count, 0, (count - player->stay_count) * sizeof *stays);
        player->stays = stays;
        player->stay_count = count;
    }
    return true;
}

static bool note_step(jbw_player *player, const jbw_world *world)
{
    const uint64_t time = jbw_world_time(world);
    const size_t count = jbw_world_agents(world, NULL, 0);
    if (!make_room(player, count, 0)) return false;
    jbw_world_agents(world, player->agents, count);
    for (size_t i = 0; i < count; i++) {
        const jbw_agent_id agent = player->agents[i];
        jbw_agent_result result;
        jbw_agent_state state;
        if (jbw_agent_get_result(world, agent, &result)) continue;
        if (jbw_agent_get_state(world, agent, &state)) continue;
        if (!make_room(player, count, agent.index1)) return false;
        jbw_wire_event event = {.time = time, .agent = agent, .item = -1};
        if (result.time == time && result.collected >= 0) {
            event.kind = JBW_EVENT_COLLECTED;
            event.item = result.collected;
            if (!add_event(player, &event)) return false;
        }
        if (note_stay(&player->stays[agent.index1 - 1], agent, &state, time)) {
            event.kind = JBW_EVENT_STUCK;
            event.item = -1;
            if (!add_event(player, &event)) return false;
        }
    }
    return true;
}

static void note_known(jbw_player *player, uint64_t time)
{
    pthread_mutex_lock(&player->mutex);
    player->known_to = time;
    pthread_mutex_unlock(&player->mutex);
}

// Goes on until the world's time is another. JBW_NOT_FOUND at the end.
static jbw_status next_step(jbw_recording *recording)
{
    jbw_error error;
    const uint64_t time = jbw_world_time(jbw_recording_world(recording));
    jbw_status status = JBW_OK;
    while (!status && jbw_world_time(jbw_recording_world(recording)) == time)
        status = jbw_recording_next(recording, NULL, &error);
    return status;
}

static void *look_through(void *user)
{
    jbw_player *player = user;
    uint64_t steps = 0;
    bool is_good = true;
    while (is_good && !atomic_load(&player->is_stopping) && !next_step(player->search)) {
        const jbw_world *world = jbw_recording_world(player->search);
        is_good = note_step(player, world);
        if (++steps % STEPS_BETWEEN_NOTES == 0) note_known(player, jbw_world_time(world));
    }
    if (is_good && !atomic_load(&player->is_stopping)) note_known(player, player->info.last_time);
    return NULL;
}

// ---- beginning and end ----

static jbw_status start(jbw_player *player, jbw_error *error)
{
    jbw_status status = jbw_recording_open(player->path, NULL, &player->recording, error);
    if (!status) status = jbw_recording_open(player->path, NULL, &player->search, error);
    if (status) return status;
    player->info = jbw_recording_get_info(player->recording);
    player->known_to = player->info.first_time;
    // signals are for the threads of the program
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    player->has_thread = pthread_create(&player->thread, NULL, look_through, player) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return player->has_thread ? JBW_OK : JBW_OUT_OF_MEMORY;
}

jbw_status jbw_player_create(const char *path, jbw_player **out, jbw_error *error)
{
    *out = NULL;
    jbw_player *player = calloc(1, sizeof *player);
    if (!player) return JBW_OUT_OF_MEMORY;
    if (pthread_mutex_init(&player->mutex, NULL) != 0) {
        free(player);
        return JBW_OUT_OF_MEMORY;
    }
    const size_t size = strlen(path) + 1;
    player->path = malloc(size);
    if (player->path) memcpy(player->path, path, size);
    const jbw_status status = player->path ? start(player, error) : JBW_OUT_OF_MEMORY;
    if (status) {
        jbw_player_destroy(player);
        return status;
    }
    *out = player;
    return JBW_OK;
}

void jbw_player_destroy(jbw_player *player)
{
    if (!player) return;
    atomic_store(&player->is_stopping, true);
    if (player->has_thread) pthread_join(player->thread, NULL);
    jbw_recording_close(player->search);
    jbw_recording_close(player->recording);
    pthread_mutex_destroy(&player->mutex);
    free(player->stays);
    free(player->agents);
    free(player->events);
    free(player->path);
    free(player);
}

// ---- playing ----

jbw_world *jbw_player_world(jbw_player *player)
{
    return jbw_recording_world(player->recording);
}

const char *jbw_player_note(const jbw_player *player, const char *name)
{
    size_t count;
    const jbw_note *notes = jbw_recording_notes(player->recording, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(notes[i].name, name) == 0) return notes[i].bytes; // a zero stands behind it
    return NULL;
}

jbw_status jbw_player_advance(jbw_player *player)
{
    return next_step(player->recording);
}

jbw_status jbw_player_seek(jbw_player *player, uint64_t time)
{
    jbw_error error;
    if (time < player->info.first_time) time = player->info.first_time;
    if (time > player->info.last_time) time = player->info.last_time;
    return jbw_recording_seek(player->recording, time, &error);
}

const char *jbw_player_name(const jbw_player *player)
{
    const char *slash = strrchr(player->path, '/');
    return slash ? slash + 1 : player->path;
}

uint64_t jbw_player_first_time(const jbw_player *player)
{
    return player->info.first_time;
}

uint64_t jbw_player_last_time(const jbw_player *player)
{
    return player->info.last_time;
}

static bool is_wanted(const jbw_wire_event *event, const jbw_wire_find_events *wanted)
{
    const bool is_agent =
        wanted->agent.index1 == 0 || (wanted->agent.index1 == event->agent.index1 &&
                                      wanted->agent.generation == event->agent.generation);
    return is_agent && (event->kind & wanted->kinds) != 0;
}

// the first event at that time or later
static size_t find_time(const jbw_player *player, uint64_t time)
{
    size_t low = 0;
    size_t high = player->event_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (player->events[middle].time < time)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

size_t jbw_player_find_events(jbw_player *player, const jbw_wire_find_events *wanted,
                              jbw_wire_event *events, size_t most, uint64_t *known_to)
{
    if (wanted->most < most) most = wanted->most;
    size_t found = 0;
    pthread_mutex_lock(&player->mutex);
    const size_t first = find_time(player, wanted->from);
    const size_t end =
        wanted->to == UINT64_MAX ? player->event_count : find_time(player, wanted->to + 1);
    for (size_t i = first; i < end && found < most; i++) {
        const size_t at = wanted->is_backward ? first + end - 1 - i : i;
        if (is_wanted(&player->events[at], wanted)) events[found++] = player->events[at];
    }
    *known_to = player->known_to;
    pthread_mutex_unlock(&player->mutex);
    for (size_t i = 0; wanted->is_backward && i < found / 2; i++) {
        const jbw_wire_event event = events[i];
        events[i] = events[found - 1 - i];
        events[found - 1 - i] = event;
    }
    return found;
}
