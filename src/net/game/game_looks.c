// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Requests that look at the world, or need terrain that may have to be generated first. They are
// answered at once if the terrain is there and looking has not used up its time. Otherwise they
// wait: each connection in a lane of its own, for terrain that the maker generates, until a
// deadline.

#include <stdio.h>

#include "net/game/game_internal.h"
#include "net/thread/clock.h"

// of the maker's lists: subscriptions have the others
enum { QUERY_PURPOSE = JBW_SUBSCRIPTIONS_MOST };

/// Patches from `first` to `last` along both axes.
typedef struct patch_range {
    jbw_position first;
    jbw_position last;
} patch_range;

// ---- what a request needs ----

static bool is_own(jbw_game *game, const jbw_game_request *request, jbw_field_agents agents)
{
    for (size_t i = 0; i < agents.count; i++) {
        const jbw_seat *seat = jbw_seats_find(&game->seats, agents.at[i]);
        if (request->key < 0 || !seat || seat->owner != request->key) return false;
    }
    return true;
}

// Perceiving with one's own agents is part of acting.
static bool is_look(jbw_game *game, const jbw_game_request *request, const jbw_message *message)
{
    switch (message->type) {
    case JBW_MESSAGE_READ_REGION:
    case JBW_MESSAGE_READ_PLANES:
    case JBW_MESSAGE_SMELL:
    case JBW_MESSAGE_INSPECT:
    case JBW_MESSAGE_EXAMINE:
    case JBW_MESSAGE_EXPLAIN:
    case JBW_MESSAGE_LIST_AGENTS:
    case JBW_MESSAGE_GET_AGENTS:
    case JBW_MESSAGE_ADD_AGENT:
    case JBW_MESSAGE_JOIN: return true;
    case JBW_MESSAGE_PERCEIVE: return !is_own(game, request, message->perceive.agents);
    default: return false;
    }
}

static bool contains(jbw_region region)
{
    // the first test keeps the sums from overflowing
    return jbw_limits_contain((jbw_position){region.x, region.y}) &&
           jbw_limits_contain(
               (jbw_position){region.x + region.width - 1, region.y + region.height - 1});
}

// the patches of an invariant world that a request needs; false if it needs none, or is refused
// anyway
static bool find_range(const jbw_game *game, const jbw_message *message, patch_range *out)
{
    if (!game->options.maker || jbw_game_is_too_large(game, message)) return false;
    jbw_region region = {0, 0, 1, 1};
    switch (message->type) {
    case JBW_MESSAGE_READ_REGION: region = message->read_region.region; break;
    case JBW_MESSAGE_READ_PLANES: region = message->read_planes.region; break;
    case JBW_MESSAGE_SMELL: region = message->smell.region; break;
    // messages that begin with the same fields share a case
    case JBW_MESSAGE_INSPECT:
    case JBW_MESSAGE_EXAMINE:
    case JBW_MESSAGE_EXPLAIN:
        region.x = message->inspect.position.x;
        region.y = message->inspect.position.y;
        break;
    case JBW_MESSAGE_ADD_AGENT:
    case JBW_MESSAGE_JOIN:
        if (!message->add_agent.has_position) return false;
        region.x = message->add_agent.position.x;
        region.y = message->add_agent.position.y;
        break;
    default: return false;
    }
    if (region.width < 1 || region.height < 1 || !contains(region)) return false;
    if (message->type == JBW_MESSAGE_READ_REGION || message->type == JBW_MESSAGE_READ_PLANES) {
        const jbw_position opposite = {region.x + region.width - 1, region.y + region.height - 1};
        out->first = jbw_world_patch_of(game->world, (jbw_position){region.x, region.y});
        out->last = jbw_world_patch_of(game->world, opposite);
    } else {
        jbw_world_patches_near(game->world, region, &out->first, &out->last);
    }
    return true;
}

// true if some of the patches lie beyond the end of the world, where the maker makes none
static bool is_beyond_end(const jbw_game *game, const patch_range *range)
{
    const int64_t farthest =
        JBW_MAX_COORDINATE / jbw_model_patch_size(jbw_world_model(game->world));
    return range->first.x < -farthest || range->first.y < -farthest || range->last.x >= farthest ||
           range->last.y >= farthest;
}

static size_t size_of(const patch_range *range)
{
    return (size_t)((range->last.x - range->first.x + 1) * (range->last.y - range->first.y + 1));
}

// Puts the patches that have been made into the world, and lists the others in scratch memory.
// Returns their number, or one more than there are patches when memory runs out.
static size_t collect(jbw_game *game, const patch_range *range, jbw_position **missing)
{
    const size_t size = (size_t)jbw_model_patch_size(jbw_world_model(game->world));
    const size_t count = size_of(range);
    size_t missing_count = 0;
    *missing = jbw_scratch_alloc(&game->scratch, count, sizeof **missing);
    uint8_t *cells = jbw_scratch_alloc(&game->scratch, size * size, 1);
    if (!*missing || !cells) return count + 1;
    for (jbw_position at = range->first; at.y <= range->last.y; at.y++) {
        for (at.x = range->first.x; at.x <= range->last.x; at.x++) {
            if (jbw_world_patch_is_ready(game->world, at)) continue;
            const bool is_made = jbw_terrain_maker_get(game->options.maker, at, cells);
            if (is_made && jbw_world_put_patch(game->world, at, cells)) return count + 1;
            if (!is_made) (*missing)[missing_count++] = at;
        }
    }
    return missing_count;
}

static bool is_ready(const jbw_game *game, const patch_range *range)
{
    for (jbw_position at = range->first; at.y <= range->last.y; at.y++)
        for (at.x = range->first.x; at.x <= range->last.x; at.x++)
            if (!jbw_world_patch_is_ready(game->world, at)) return false;
    return true;
}

// ---- time ----

static uint64_t looks_due(const jbw_game *game)
{
    return jbw_looking_due(game->options.looking, JBW_LOOKING_QUERIES, game->now);
}

static void pay_for_look(jbw_game *game, uint64_t cpu_before)
{
    const uint64_t used = jbw_clock_thread_cpu() - cpu_before;
    jbw_looking_use(game->options.looking, JBW_LOOKING_QUERIES, game->now, used);
}

// ---- requests that wait ----

static void wait_for_turn(jbw_game *game, const jbw_game_request *request, const uint8_t *bytes,
                          size_t size)
{
    const jbw_look_lane *lane = jbw_look_queue_find(&game->looks, request->connection);
    if (lane && lane->bytes + size > JBW_LOOK_BYTES_MOST) {
        jbw_game_refuse(game, request, JBW_ERROR_TOO_MANY, "too many queries at once");
        return;
    }
    jbw_look *look = jbw_look_queue_add(&game->looks, request->connection, bytes, size);
    if (!look) {
        jbw_game_refuse_code(game, request, JBW_ERROR_OUT_OF_MEMORY);
        return;
    }
    look->key = request->key;
    look->deadline = game->now + JBW_LOOK_SECONDS * JBW_SECOND;
}

bool jbw_game_look(jbw_game *game, const jbw_game_request *request, const jbw_message *message,
                   const uint8_t *bytes, size_t size)
{
    patch_range range;
    if (!game->options.looking || !is_look(game, request, message)) return false;
    const bool needs_patches = find_range(game, message, &range);
    if (needs_patches && is_beyond_end(game, &range)) {
        jbw_game_refuse_code(game, request, JBW_ERROR_OUT_OF_RANGE);
        return true;
    }
    if (jbw_look_queue_find(&game->looks, request->connection) || looks_due(game) > game->now ||
        (needs_patches && !is_ready(game, &range))) {
        wait_for_turn(game, request, bytes, size);
        return true;
    }
    const uint64_t cpu = jbw_clock_thread_cpu();
    jbw_game_handle(game, request, message);
    pay_for_look(game, cpu);
    return true;
}

static void cut(jbw_game *game, const jbw_game_request *request, size_t missing, size_t count)
{
    char text[120];
    snprintf(text, sizeof text,
             "cut after %d seconds: %zu of %zu patches were made; ask again, or for less",
             JBW_LOOK_SECONDS, count - missing, count);
    jbw_game_refuse(game, request, JBW_ERROR_CUT, text);
}

/// What became of the first request of a lane.
typedef enum look_result {
    LOOK_DONE,
    LOOK_WAITS, ///< for patches
} look_result;

// true if nothing has changed since the request was last tried
static bool is_still_waiting(const jbw_game *game, jbw_look *look)
{
    if (!look->is_asked) return false;
    const uint64_t news = jbw_terrain_maker_news(game->options.maker);
    if (news == look->news_seen && game->now < look->deadline) return true;
    look->news_seen = news;
    return false;
}

// answers the first request of a lane, or asks for the patches that it needs
static look_result try_look(jbw_game *game, const jbw_look_lane *lane)
{
    jbw_look *look = lane->first;
    jbw_terrain_maker *maker = game->options.maker;
    const bool is_late = game->now >= look->deadline;
    jbw_message message;
    jbw_scratch_reset(&game->scratch);
    jbw_status status = jbw_message_decode(look->bytes, look->size, &game->scratch, &message);
    const jbw_game_request request = {
        .connection = lane->connection, .number = message.request, .key = look->key};
    patch_range range;
    if (!status && find_range(game, &message, &range)) {
        // collecting is worth it only when the maker is through with the list
        if (look->is_asked && !is_late &&
            jbw_terrain_maker_is_at(maker, lane->connection, QUERY_PURPOSE))
            return LOOK_WAITS;
        jbw_position *missing;
        const size_t count = size_of(&range);
        const size_t missing_count = collect(game, &range, &missing);
        if (missing_count > count) {
            status = JBW_OUT_OF_MEMORY;
        } else if (missing_count > 0 && is_late) {
            jbw_terrain_maker_want(maker, lane->connection, QUERY_PURPOSE, NULL, 0);
            cut(game, &request, missing_count, count);
            return LOOK_DONE;
        } else if (missing_count > 0) {
            jbw_terrain_maker_want(maker, lane->connection, QUERY_PURPOSE, missing, missing_count);
            look->is_asked = true;
            return LOOK_WAITS;
        }
    }
    if (status)
        jbw_game_answer_status(game, &request, status);
    else
        jbw_game_handle(game, &request, &message);
    return LOOK_DONE;
}

uint64_t jbw_game_tick_looks(jbw_game *game)
{
    jbw_look_queue *looks = &game->looks;
    uint64_t next = UINT64_MAX;
    // every lane is tried once, until the time is used up
    for (size_t left = looks->count; left > 0 && looks->count > 0; left--) {
        const uint64_t due = looks_due(game);
        if (due > game->now) return due;
        if (looks->turn >= looks->count) looks->turn = 0;
        jbw_look_lane *lane = &looks->lanes[looks->turn++];
        if (is_still_waiting(game, lane->first)) {
            next = jbw_earlier(next, lane->first->deadline);
            continue;
        }
        const uint64_t cpu = jbw_clock_thread_cpu();
        if (try_look(game, lane) == LOOK_DONE) {
            jbw_look_queue_pop(looks, lane);
            next = game->now;
        } else {
            next = jbw_earlier(next, lane->first->deadline);
        }
        pay_for_look(game, cpu);
    }
    return next;
}

void jbw_game_forget_looks(jbw_game *game, uint32_t connection)
{
    jbw_look_lane *lane;
    while ((lane = jbw_look_queue_find(&game->looks, connection)))
        jbw_look_queue_pop(&game->looks, lane);
    if (game->options.maker) jbw_terrain_maker_forget(game->options.maker, connection);
}

void jbw_game_end_looks(jbw_game *game, jbw_error_code code)
{
    while (game->looks.count > 0) {
        jbw_look_lane *lane = &game->looks.lanes[0];
        jbw_message message;
        jbw_scratch_reset(&game->scratch);
        (void)jbw_message_decode(lane->first->bytes, lane->first->size, &game->scratch, &message);
        const jbw_game_request request = {.connection = lane->connection,
                                          .number = message.request};
        jbw_game_refuse_code(game, &request, code);
        jbw_look_queue_pop(&game->looks, lane);
    }
}
