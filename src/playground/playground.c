// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "playground/playground.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "net/game/game_internal.h"
#include "net/game/notes.h"
#include "net/server/session.h"
#include "net/thread/clock.h"
#include "playground/host.h"
#include "playground/minds.h"
#include "playground/saver_memory.h"
#include "playground/terrain_maker_here.h"

#define NOTE_PAGE "playground.page" // what the page has to say about a saved world
#define FRAME_INTERVAL (JBW_SECOND / 60)
#define CATCH_UP (JBW_SECOND / 4)

enum { CONNECTION = 1, FIRST_RATE = 20, AGENTS_MOST = 1024 };

struct jbw_playground {
    jbw_model *model;
    jbw_world *world;
    jbw_minds minds;
    char *page_note;
    jbw_buffer owners; // the note that says which agents the page drove
    jbw_note notes[2]; // for the game
    jbw_game *game;    // holds copies of `minds.residents`
    jbw_saver *saver;
    jbw_terrain_maker *maker; // of an invariant world
    jbw_token_digest key;
    jbw_token_set keys;
    jbw_session_shared shared;
    jbw_session session;
    jbw_buffer frame;
    jbw_scratch scratch;
};

// ---- the page ----

static void answer(void *user, uint32_t connection, const uint8_t *bytes, size_t size,
                   bool is_final)
{
    jbw_playground *playground = user;
    if (connection != CONNECTION) return;
    if (playground->session.in_flight > 0) playground->session.in_flight--;
    jbw_host_send(bytes, size, is_final);
}

// what the session answers by itself
static void answer_early(void *user, uint32_t connection, const uint8_t *bytes, size_t size,
                         bool is_final)
{
    (void)user;
    (void)connection;
    jbw_host_send(bytes, size, is_final);
}

static bool forward(void *user, uint32_t connection, int key, const uint8_t *bytes, size_t size)
{
    const jbw_playground *playground = user;
    jbw_game_receive(playground->game, connection, key, bytes, size, jbw_clock_now());
    return true;
}

void jbw_playground_connect(jbw_playground *playground)
{
    if (playground->session.has_said_hello)
        jbw_game_forget(playground->game, CONNECTION, playground->session.key, jbw_clock_now());
    jbw_session_deinit(&playground->session, &playground->shared);
    jbw_session_init(&playground->session, CONNECTION);
}

void jbw_playground_receive(jbw_playground *playground, const uint8_t *bytes, size_t size)
{
    playground->shared.world_time = jbw_world_time(playground->world);
    jbw_session_receive(&playground->session, &playground->shared, bytes, size);
}

// ---- beginning and ending ----

static jbw_status create_game(jbw_playground *playground, size_t note_count, jbw_error *error)
{
    const jbw_game_options options = {
        .keys = &playground->keys,
        .rate = FIRST_RATE,
        .catch_up = CATCH_UP,
        .frame_rate = (float)JBW_SECOND / (float)FRAME_INTERVAL,
        .saver = playground->saver,
        .maker = playground->maker,
        .notes = playground->notes,
        .note_count = note_count,
        .residents = playground->minds.residents,
        .resident_count = playground->minds.count,
        .answer = answer,
        .user = playground,
    };
    const jbw_status status =
        jbw_game_create(playground->world, &options, jbw_clock_now(), &playground->game, error);
    if (!status) playground->game->options.reward = playground->minds.reward_text;
    return status;
}

// all that the game needs, once there is a world with agents
static jbw_status prepare(jbw_playground *playground, jbw_error *error)
{
    const jbw_model *model = jbw_world_model(playground->world);
    playground->key = (jbw_token_digest){
        .name = "you",
        .permissions = JBW_PERMISSION_WATCH | JBW_PERMISSION_ACT | JBW_PERMISSION_EDIT |
                       JBW_PERMISSION_CONTROL | JBW_PERMISSION_SAVE,
        .agents_most = AGENTS_MOST};
    playground->keys = (jbw_token_set){&playground->key, 1};
    playground->shared = (jbw_session_shared){.keys = &playground->keys,
                                              .model = model,
                                              .frame_interval = FRAME_INTERVAL,
                                              .forward = forward,
                                              .answer = answer_early,
                                              .user = playground};
    jbw_session_init(&playground->session, CONNECTION);
    jbw_status status = jbw_saver_create("", NULL, NULL, &playground->saver);
    if (!status && !jbw_session_shared_init(&playground->shared)) status = JBW_OUT_OF_MEMORY;
    if (!status && jbw_model_generation(model) == JBW_GENERATION_INVARIANT)
        status = jbw_terrain_maker_create(model, jbw_world_seed(playground->world), NULL, NULL,
                                          NULL, NULL, &playground->maker);
    playground->shared.maker = playground->maker;
    return status ? jbw_error_set_status(error, status) : JBW_OK;
}

static jbw_status create(jbw_playground *playground, const uint8_t *like, size_t size,
                         uint64_t seed, size_t agent_count, const jbw_playground_life *life,
                         jbw_error *error)
{
    jbw_world *example;
    jbw_status status = jbw_world_decode(like, size, NULL, &playground->model, &example, error);
    if (status) return status;
    jbw_world_destroy(example);
    status = jbw_minds_set_reward(&playground->minds, playground->model, life->reward, error);
    if (status) return status;
    status = jbw_world_create(playground->model, seed, &playground->world);
    for (size_t i = 0; i < agent_count && !status; i++) {
        jbw_agent_id agent;
        status = jbw_world_add_agent(playground->world, NULL, &agent);
    }
    if (status) return jbw_error_set_status(error, status);
    status = jbw_minds_add_all(&playground->minds, playground->world, life->policy, error);
    if (!status) status = prepare(playground, error);
    if (!status) status = create_game(playground, 0, error);
    return status;
}

static jbw_playground *begin(jbw_playground **out, jbw_error *error)
{
    *out = NULL;
    jbw_playground *playground = calloc(1, sizeof *playground);
    if (!playground) jbw_error_set_status(error, JBW_OUT_OF_MEMORY);
    return playground;
}

static jbw_status finish(jbw_playground *playground, jbw_status status, jbw_playground **out,
                         jbw_error *error)
{
    if (!status) {
        *out = playground;
        return JBW_OK;
    }
    if (error && error->text[0] == '\0') jbw_error_set_status(error, status);
    jbw_playground_destroy(playground);
    return status;
}

jbw_status jbw_playground_create(const uint8_t *like, size_t size, uint64_t seed,
                                 size_t agent_count, const jbw_playground_life *life,
                                 jbw_playground **out, jbw_error *error)
{
    jbw_playground *playground = begin(out, error);
    if (!playground) return JBW_OUT_OF_MEMORY;
    const jbw_status status = create(playground, like, size, seed, agent_count, life, error);
    return finish(playground, status, out, error);
}

static jbw_status take_loaded(jbw_playground *playground, jbw_loaded *loaded,
                              const jbw_playground_life *life, jbw_error *error)
{
    playground->model = loaded->model;
    playground->world = loaded->world;
    loaded->model = NULL;
    loaded->world = NULL;
    const jbw_note *reward = jbw_loaded_note(loaded, JBW_NOTE_REWARD);
    const jbw_note *page = jbw_loaded_note(loaded, NOTE_PAGE);
    const jbw_note *owners = jbw_loaded_note(loaded, JBW_NOTE_OWNERS);
    jbw_status status = jbw_minds_set_reward(
        &playground->minds, playground->model,
        reward && reward->size > 0 ? (const char *)reward->bytes : life->reward, error);
    if (!status) status = jbw_minds_load(&playground->minds, playground->model, loaded, error);
    if (status) return status;
    // Agents of a page that have no policy were driven. Those of others have nobody to drive them.
    size_t note_count = 0;
    if (!page) {
        status = jbw_minds_add_all(&playground->minds, playground->world, life->policy, error);
    } else {
        playground->page_note = calloc(page->size + 1, 1);
        const bool has_owners =
            !owners || jbw_buffer_append(&playground->owners, owners->bytes, owners->size);
        if (!playground->page_note || !has_owners)
            return jbw_error_set_status(error, JBW_OUT_OF_MEMORY);
        memcpy(playground->page_note, page->bytes, page->size);
        if (owners)
            playground->notes[note_count++] =
                (jbw_note){JBW_NOTE_OWNERS, playground->owners.bytes, playground->owners.size};
    }
    if (!status) status = prepare(playground, error);
    if (!status) status = create_game(playground, note_count, error);
    return status;
}

jbw_status jbw_playground_load(const uint8_t *snapshot, size_t size,
                               const jbw_playground_life *life, jbw_playground **out,
                               jbw_error *error)
{
    jbw_playground *playground = begin(out, error);
    if (!playground) return JBW_OUT_OF_MEMORY;
    jbw_loaded loaded;
    jbw_status status = jbw_snapshot_decode(snapshot, size, NULL, &loaded, error);
    if (!status) status = take_loaded(playground, &loaded, life, error);
    jbw_loaded_free(&loaded);
    return finish(playground, status, out, error);
}

void jbw_playground_destroy(jbw_playground *playground)
{
    if (!playground) return;
    jbw_session_deinit(&playground->session, &playground->shared);
    jbw_session_shared_deinit(&playground->shared);
    jbw_game_destroy(playground->game);
    jbw_terrain_maker_destroy(playground->maker);
    jbw_saver_destroy(playground->saver);
    jbw_minds_deinit(&playground->minds);
    jbw_world_destroy(playground->world);
    jbw_model_destroy(playground->model);
    jbw_scratch_deinit(&playground->scratch);
    jbw_buffer_free(&playground->frame);
    jbw_buffer_free(&playground->owners);
    free(playground->page_note);
    free(playground);
}

// ---- policies ----

// policies for all agents, or all but the first
static jbw_status think_anew(const jbw_world *world, const jbw_agent_id *agents, size_t count,
                             const jbw_playground_life *life, jbw_minds *out, jbw_error *error)
{
    jbw_status status = jbw_minds_set_reward(out, jbw_world_model(world), life->reward, error);
    for (size_t i = 0; i < count && !status; i++)
        status = jbw_minds_add(out, world, agents[i], life->policy, error);
    return status;
}

// says whose an agent is: the page's, or nobody's
static void set_owner(jbw_game *game, jbw_agent_id agent, int owner)
{
    jbw_seat *seat = jbw_seats_find(&game->seats, agent);
    jbw_owner *page = &game->seats.owners[0];
    if (seat->owner == owner) return;
    jbw_game_leave_turn(game, seat, JBW_ERROR_NOT_YOURS);
    if (owner == 0) page->agent_count++;
    if (seat->owner == 0) page->agent_count--;
    seat->owner = owner;
    seat->driver = JBW_NO_CONNECTION_ID;
}

// hands the minds to the game; this cannot fail
static void enter_minds(jbw_playground *playground, const jbw_minds *minds, jbw_resident *list)
{
    jbw_game *game = playground->game;
    jbw_residents *residents = &game->residents;
    free(residents->list);
    *residents = (jbw_residents){.list = list, .count = minds->count};
    for (size_t i = 0; i < minds->count; i++) {
        jbw_agent_state state;
        residents->has_learner |= jbw_policy_is_learner(list[i].policy);
        // those that have acted in this turn do not act twice
        if (residents->acted_count == i &&
            !jbw_agent_get_state(playground->world, list[i].agent, &state) && state.has_request)
            residents->acted_count++;
    }
    game->options.reward = minds->reward_text;
    jbw_minds_deinit(&playground->minds);
    playground->minds = *minds;
}

jbw_status jbw_playground_set_life(jbw_playground *playground, const jbw_playground_life *life,
                                   bool is_driven, jbw_error *error)
{
    const size_t count = jbw_world_agents(playground->world, NULL, 0);
    const size_t driven = is_driven && count > 0 ? 1 : 0;
    jbw_minds minds = {0};
    jbw_agent_id *agents = calloc(count + 1, sizeof *agents);
    jbw_resident *list = calloc(count + 1, sizeof *list);
    jbw_status status = JBW_OUT_OF_MEMORY;
    if (agents && list) {
        jbw_world_agents(playground->world, agents, count);
        status =
            think_anew(playground->world, agents + driven, count - driven, life, &minds, error);
    } else {
        jbw_error_set_status(error, status);
    }
    if (status) {
        jbw_minds_deinit(&minds);
        free(list);
        free(agents);
        return status;
    }
    if (minds.count > 0) memcpy(list, minds.residents, minds.count * sizeof *list);
    for (size_t i = 0; i < count; i++)
        set_owner(playground->game, agents[i], i < driven ? 0 : JBW_NOBODY);
    enter_minds(playground, &minds, list);
    for (size_t i = 0; i < count; i++) {
        jbw_seat *seat = jbw_seats_find(&playground->game->seats, agents[i]);
        if (!seat->is_active) jbw_game_set_active(playground->game, seat, true);
    }
    free(agents);
    return JBW_OK;
}

// ---- living ----

// sends the frames that are due, or only the first ones of new subscriptions; returns when the next
// one is due
static uint64_t send_frames(jbw_playground *playground, bool only_first, bool *has_sent)
{
    const uint64_t now = jbw_clock_now();
    const jbw_game_info info = jbw_game_get_info(playground->game);
    // changes are counted from zero, copies from one
    const jbw_view_copy view = {.world = playground->world,
                                .number = info.change_count + 1,
                                .is_paused = info.is_paused,
                                .rate = info.rate,
                                .steps_per_second = info.steps_per_second};
    uint64_t next = UINT64_MAX;
    for (size_t i = 0; i < JBW_SUBSCRIPTIONS_MOST; i++) {
        jbw_watch *watch = &playground->session.watches[i];
        if (!jbw_watch_is_behind(watch, &view)) continue;
        if (now >= watch->due && (!only_first || watch->copy_seen == 0)) {
            playground->frame.size = 0;
            if (jbw_watch_make_frame(watch, &view, &playground->scratch, &playground->frame)) {
                jbw_host_send(playground->frame.bytes, playground->frame.size, false);
                *has_sent = true;
            }
            watch->due = now + watch->interval;
        }
        if (jbw_watch_is_behind(watch, &view)) next = jbw_earlier(next, watch->due);
    }
    return next;
}

double jbw_playground_run(jbw_playground *playground, double until, bool stops_at_frame)
{
    const uint64_t end = (uint64_t)(until * (double)JBW_MILLISECOND);
    bool has_sent = false;
    // the page waits for a map that it has asked for just now
    uint64_t next = send_frames(playground, stops_at_frame, &has_sent);
    uint64_t now = jbw_clock_now();
    while (!(stops_at_frame && has_sent)) {
        next = jbw_game_tick(playground->game, now);
        if (playground->maker && jbw_terrain_maker_work(playground->maker)) next = now;
        if (!stops_at_frame) next = jbw_earlier(next, send_frames(playground, false, &has_sent));
        now = jbw_clock_now();
        if (next <= now && now < end) continue;
        if (stops_at_frame) next = jbw_earlier(next, send_frames(playground, false, &has_sent));
        break;
    }
    return next == UINT64_MAX ? -1.0 : (double)next / (double)JBW_MILLISECOND;
}

// ---- saving ----

jbw_status jbw_playground_save(jbw_playground *playground, const char *note, const jbw_buffer **out,
                               jbw_error *error)
{
    jbw_game_options *options = &playground->game->options;
    const jbw_note with_note[1] = {{NOTE_PAGE, note, strlen(note)}};
    const jbw_note *const old_notes = options->notes;
    const size_t old_count = options->note_count;
    options->notes = with_note;
    options->note_count = 1;
    const jbw_status status = jbw_game_save(playground->game, 0, error);
    options->notes = old_notes;
    options->note_count = old_count;
    *out = jbw_saver_memory(playground->saver);
    return status;
}

const char *jbw_playground_note(const jbw_playground *playground)
{
    return playground->page_note ? playground->page_note : "";
}

const char *jbw_playground_reward(const jbw_playground *playground)
{
    return playground->minds.reward_text;
}

jbw_world *jbw_playground_world(jbw_playground *playground)
{
    return playground->world;
}
