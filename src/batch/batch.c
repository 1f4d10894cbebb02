// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// While a thread works on a world it writes to that world, its entry here and its agents' rows in
// the caller's buffers, none of which any other thread touches.

#include "jbw/batch.h"

#include <limits.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "batch/batch_parts.h"
#include "jbw/fetch.h"
#include "jbw/place.h"

enum { MANY_WORLDS = 256 }; // so many that a world is not in the caches when it is its turn

// ---- one world ----

// where the parts of a row go that lies `rows` behind another one
jbw_observation jbw_batch_row_behind(const jbw_batch *batch, const jbw_observation *parts,
                                     size_t rows)
{
    jbw_observation row;
#define FIND_ROW(NAME, name, type, shape, about) \
    row.name = parts->name ? parts->name + rows * batch->counts[JBW_PART_##NAME] : NULL;
    JBW_PART_LIST(FIND_ROW)
#undef FIND_ROW
    return row;
}

// writes what each agent of a world earns by its own reward
static void find_own_rewards(const jbw_batch *batch, const jbw_batch_entry *e, double *out)
{
    const jbw_agent_id *agents = batch->agents + e->first_row;
    double *shares = batch->shares + e->first_row;
    const jbw_reward *shared = NULL; // of whom `shares` are
    for (size_t i = 0; i < e->agent_count; i++) {
        const jbw_reward *own = batch->own_rewards[e->first_row + i];
        if (!own || !jbw_reward_has_team(own)) {
            out[i] = own ? jbw_agent_reward(e->world, agents[i], own) : 0.0;
            continue;
        }
        if (own != shared)
            jbw_team_rewards(e->world, own, agents,
                             batch->teams ? batch->teams + e->first_row : NULL, e->agent_count,
                             shares);
        shared = own;
        // an empty row earns nothing, whatever its team does
        out[i] = jbw_batch_is_absent(batch, e->first_row + i) ? 0.0 : shares[i];
    }
}

// writes the rewards of a world's agents
void jbw_batch_find_rewards(const jbw_batch *batch, const jbw_batch_entry *e, double *out)
{
    if (batch->own_rewards) {
        find_own_rewards(batch, e, out);
        return;
    }
    if (!e->reward) {
        memset(out, 0, e->agent_count * sizeof *out);
        return;
    }
    jbw_team_rewards(e->world, e->reward, batch->agents + e->first_row,
                     batch->teams ? batch->teams + e->first_row : NULL, e->agent_count, out);
    for (size_t i = 0; i < e->agent_count && e->absent_count > 0; i++)
        if (jbw_batch_is_absent(batch, e->first_row + i)) out[i] = 0.0;
}

// Writes the rows of a world. This cannot fail: the agents exist, and scent has its memory.
void jbw_batch_write_rows(const jbw_batch *batch, const jbw_batch_entry *e)
{
    const jbw_agent_id *agents = batch->agents + e->first_row;
    for (size_t i = 0; i < e->agent_count; i++) {
        const jbw_observation behind =
            i == 0 ? e->first_parts : jbw_batch_row_behind(batch, &e->first_parts, i);
        if (e->absent_count > 0 && jbw_batch_is_absent(batch, e->first_row + i))
            jbw_batch_clear_row(batch, &behind);
        else
            jbw_agent_observe(e->world, agents[i], &behind);
    }
    if (batch->buffers.reward)
        jbw_batch_find_rewards(batch, e, batch->buffers.reward + e->first_row);
}

// creates a world with its agents at a place; on failure *out is NULL
static jbw_status make_world(const jbw_batch_entry *e, uint64_t seed, void *place, jbw_world **out)
{
    jbw_status status = jbw_world_create_at(e->model, seed, place, out);
    if (!status && e->prepare) status = e->prepare(*out, e->prepare_user);
    for (size_t i = 0; i < e->agent_count && !status; i++) {
        jbw_agent_id agent;
        const jbw_agent_options options = {.body = e->bodies ? e->bodies[i] : 0};
        status = jbw_world_add_agent(*out, &options, &agent);
    }
    if (status) {
        jbw_world_destroy(*out);
        *out = NULL;
    }
    return status;
}

// replaces the world of an entry, if it has one; without `seats`, rows are in the order of agents
static void enter_world(jbw_batch *batch, jbw_batch_entry *e, jbw_world *world,
                        const jbw_agent_id *seats)
{
    jbw_batch_destroy_world(batch, e);
    e->world = world;
    e->absent_count = 0;
    jbw_agent_id *agents = batch->agents + e->first_row;
    if (seats)
        memcpy(agents, seats, e->agent_count * sizeof *agents);
    else
        jbw_world_agents(world, agents, e->agent_count);
    for (size_t i = 0; i < e->agent_count; i++)
        e->absent_count += jbw_batch_is_absent(batch, e->first_row + i);
    jbw_batch_forget_words(batch, e, false);
    jbw_batch_write_rows(batch, e);
}

static jbw_status begin_world(jbw_batch *batch, jbw_batch_entry *e, uint64_t seed, void *place)
{
    jbw_world *world;
    const jbw_status status = make_world(e, seed, place, &world);
    if (!status) enter_world(batch, e, world, NULL);
    return status;
}

// one step with the actions of the world's rows
jbw_status jbw_batch_act(jbw_batch *batch, const jbw_batch_entry *e)
{
    bool has_stepped;
    jbw_status status;
    if (e->absent_count > 0) {
        status = jbw_batch_act_present(batch, e, &has_stepped);
    } else {
        const jbw_requests requests = jbw_batch_take_words(batch, e, batch->actions + e->first_row);
        status = jbw_world_request(e->world, batch->agents + e->first_row, &requests,
                                   e->agent_count, &has_stepped);
    }
    // the batch does not wait for agents that the user has added
    if (!status && !has_stepped) status = jbw_world_step(e->world);
    if (!status) jbw_batch_forget_words(batch, e, true);
    return status;
}

static jbw_status step_world(jbw_batch *batch, jbw_batch_entry *e)
{
    const jbw_status status = jbw_batch_act(batch, e);
    if (!status) jbw_batch_write_rows(batch, e);
    return status;
}

static void do_task(void *user, size_t index)
{
    jbw_batch *batch = user;
    jbw_batch_entry *e = &batch->entries[index];
    const jbw_status status =
        batch->task == JBW_BATCH_BEGIN
            ? begin_world(batch, e, e->seed, jbw_batch_place(&batch->places, index))
        : batch->task == JBW_BATCH_LIVE ? jbw_batch_live_world(batch, e)
                                        : step_world(batch, e);
    // entries share cache lines, and the caller reads them all: write only what has changed
    if (e->status != status) e->status = status;
}

// asks for the memory of a world whose step comes soon
static void foresee_task(void *user, size_t index, size_t distance)
{
    _Static_assert((int)JBW_FETCH_STAGES == (int)JBW_WORKERS_AHEAD, "one stage at each distance");
    const jbw_batch *batch = user;
    if (batch->task == JBW_BATCH_STEP)
        jbw_world_fetch(batch->entries[index].world, batch->places.size,
                        JBW_FETCH_STAGES - (int)distance);
}

// ---- create and destroy ----

static const char *difference(const jbw_model *a, const jbw_model *b)
{
    if (jbw_model_vision_side(a) != jbw_model_vision_side(b)) return "vision range";
    if (jbw_model_color_dimensions(a) != jbw_model_color_dimensions(b)) return "color dimensions";
    if (jbw_model_scent_dimensions(a) != jbw_model_scent_dimensions(b)) return "scent dimensions";
    if (jbw_model_item_type_count(a) != jbw_model_item_type_count(b)) return "items";
    for (int t = 0; t < jbw_model_item_type_count(a); t++)
        if (strcmp(jbw_model_item_name(a, t), jbw_model_item_name(b, t)) != 0) return "items";
    if (jbw_model_body_count(a) != jbw_model_body_count(b)) return "bodies";
    for (int i = 1; i < jbw_model_body_count(a); i++)
        if (strcmp(jbw_model_body_name(a, i), jbw_model_body_name(b, i)) != 0) return "bodies";
    if (jbw_model_action_count(a) != jbw_model_action_count(b)) return "actions";
    for (int i = 0; i < jbw_model_action_count(a); i++)
        if (jbw_model_action_kind(a, i) != jbw_model_action_kind(b, i) ||
            jbw_model_action_item(a, i) != jbw_model_action_item(b, i))
            return "actions";
    if (jbw_model_voice(a).symbols != jbw_model_voice(b).symbols) return "voice";
    for (int t = 0; t < jbw_model_item_type_count(a); t++)
        if (jbw_model_item_has_text(a, t) != jbw_model_item_has_text(b, t)) return "texts";
    return NULL;
}

// a body of the list that the model does not have, or 0
static int find_unknown_body(const jbw_batch_world *world)
{
    for (int i = 0; world->bodies && i < world->agent_count; i++)
        if (world->bodies[i] < 0 || world->bodies[i] >= jbw_model_body_count(world->model))
            return world->bodies[i];
    return 0;
}

static jbw_status check_worlds(const jbw_batch_world *worlds, size_t count, int thread_count,
                               jbw_error *error)
{
    const jbw_status bad = JBW_INVALID_ARGUMENT;
    if (!worlds || count == 0 || count > SIZE_MAX / sizeof(jbw_batch_entry))
        return jbw_error_set(error, 0, 0, "a batch needs at least one world"), bad;
    if (thread_count < 0)
        return jbw_error_set(error, 0, 0, "%d threads were requested, expected 0 or more",
                             thread_count),
               bad;
    size_t row_count = 0;
    for (size_t i = 0; i < count; i++) {
        if (!worlds[i].model) return jbw_error_set(error, 0, 0, "world %zu has no model", i), bad;
        if (worlds[i].agent_count < 1)
            return jbw_error_set(error, 0, 0, "world %zu has %d agents, expected at least one", i,
                                 worlds[i].agent_count),
                   bad;
        const int body = find_unknown_body(&worlds[i]);
        if (body != 0) return jbw_error_set(error, 0, 0, "world %zu has no body %d", i, body), bad;
        row_count += (size_t)worlds[i].agent_count;
        if (row_count > SIZE_MAX / 2 - INT_MAX)
            return jbw_error_set(error, 0, 0, "there are too many agents"), bad;
        const char *what = worlds[i].model == worlds[0].model
                               ? NULL
                               : difference(worlds[0].model, worlds[i].model);
        if (what)
            return jbw_error_set(error, 0, 0, "world %zu differs from world 0 in its %s", i, what),
                   bad;
    }
    return JBW_OK;
}

// false for lack of memory
static bool copy_teams(jbw_batch *batch, const jbw_batch_world *worlds)
{
    bool has_teams = false;
    for (size_t i = 0; i < batch->world_count; i++) has_teams = has_teams || worlds[i].teams;
    if (!has_teams) return true;
    batch->teams = jbw_alloc_zero(&batch->allocator, batch->agent_count, sizeof *batch->teams);
    if (!batch->teams) return false;
    for (size_t i = 0; i < batch->world_count; i++) {
        const jbw_batch_entry *e = &batch->entries[i];
        if (worlds[i].teams)
            memcpy(batch->teams + e->first_row, worlds[i].teams,
                   e->agent_count * sizeof *batch->teams);
    }
    return true;
}

// false for lack of memory
static bool copy_rewards(jbw_batch *batch, const jbw_batch_world *worlds)
{
    bool has_own = false;
    for (size_t i = 0; i < batch->world_count; i++) has_own = has_own || worlds[i].rewards;
    if (!has_own) return true;
    const jbw_allocator *allocator = &batch->allocator;
    batch->own_rewards = jbw_alloc_zero(allocator, batch->agent_count, sizeof *batch->own_rewards);
    batch->shares = jbw_alloc_zero(allocator, batch->agent_count, sizeof *batch->shares);
    if (!batch->own_rewards || !batch->shares) return false;
    for (size_t i = 0; i < batch->world_count; i++) {
        const jbw_batch_entry *e = &batch->entries[i];
        for (size_t k = 0; k < e->agent_count; k++)
            batch->own_rewards[e->first_row + k] =
                worlds[i].rewards ? worlds[i].rewards[k] : worlds[i].reward;
    }
    return true;
}

static bool init(jbw_batch *batch, const jbw_batch_world *worlds, size_t world_count)
{
    const jbw_model *model = worlds[0].model;
    for (int p = 0; p < JBW_PART_COUNT; p++)
        batch->counts[p] = jbw_model_part(model, (jbw_part)p).count;
    batch->action_count = jbw_model_action_count(model);
    batch->world_count = world_count;
    batch->entries = jbw_alloc_zero(&batch->allocator, world_count, sizeof *batch->entries);
    if (!batch->entries) return false;
    for (size_t i = 0; i < world_count; i++) {
        batch->entries[i] = (jbw_batch_entry){
            .model = worlds[i].model,
            .reward = worlds[i].reward,
            .prepare = worlds[i].prepare,
            .prepare_user = worlds[i].prepare_user,
            .bodies = worlds[i].bodies,
            .seed = worlds[i].seed,
            .first_row = batch->agent_count,
            .agent_count = (size_t)worlds[i].agent_count,
            .first_parts = jbw_batch_row_behind(batch, &batch->buffers.parts, batch->agent_count),
        };
        batch->agent_count += (size_t)worlds[i].agent_count;
    }
    batch->agents = jbw_alloc_zero(&batch->allocator, batch->agent_count, sizeof *batch->agents);
    batch->actions = jbw_alloc_zero(&batch->allocator, batch->agent_count, sizeof *batch->actions);
    batch->rewards = jbw_alloc_zero(&batch->allocator, batch->agent_count, sizeof *batch->rewards);
    return batch->agents && batch->actions && batch->rewards &&
           jbw_batch_places_init(&batch->places, worlds, world_count, &batch->allocator) &&
           copy_teams(batch, worlds) && copy_rewards(batch, worlds) &&
           jbw_batch_words_init(batch, model);
}

// the failed world with the lowest index, whichever failed first
const jbw_batch_entry *jbw_batch_find_failure(const jbw_batch *batch)
{
    for (size_t i = 0; i < batch->world_count; i++)
        if (batch->entries[i].status) return &batch->entries[i];
    return NULL;
}

// creates all worlds in parallel, as generating their first patches takes a while
static jbw_status begin_all(jbw_batch *batch, jbw_error *error)
{
    batch->task = JBW_BATCH_BEGIN;
    jbw_workers_run(batch->workers);
    batch->task = JBW_BATCH_STEP;
    const jbw_batch_entry *failed = jbw_batch_find_failure(batch);
    if (!failed) return JBW_OK;
    jbw_error_set(error, 0, 0, "world %zu: %s", (size_t)(failed - batch->entries),
                  jbw_status_text(failed->status));
    return failed->status;
}

jbw_status jbw_batch_create(const jbw_batch_world *worlds, size_t world_count, int thread_count,
                            const jbw_batch_buffers *buffers, jbw_batch **out, jbw_error *error)
{
    if (!out) return JBW_INVALID_ARGUMENT;
    *out = NULL;
    jbw_status status = check_worlds(worlds, world_count, thread_count, error);
    if (status) return status;

    const jbw_allocator allocator = jbw_model_allocator(worlds[0].model);
    jbw_batch *batch = jbw_alloc_zero(&allocator, 1, sizeof *batch);
    if (batch) batch->allocator = allocator;
    if (batch && buffers) batch->buffers = *buffers;
    status = batch && init(batch, worlds, world_count)
                 ? jbw_workers_create(&allocator, thread_count, world_count, do_task, batch,
                                      &batch->workers)
                 : JBW_OUT_OF_MEMORY;
    if (status) {
        jbw_error_set(error, 0, 0, "not enough memory or threads for %zu worlds", world_count);
    } else {
        if (world_count >= MANY_WORLDS) jbw_workers_foresee(batch->workers, foresee_task);
        status = begin_all(batch, error);
        // what a caller's allocator hands out is left alone
        const bool joins = !status && world_count >= MANY_WORLDS && !allocator.allocate;
        if (joins) jbw_batch_join_pages(batch);
    }
    if (status) {
        jbw_batch_destroy(batch);
        return status;
    }
    *out = batch;
    return JBW_OK;
}

void jbw_batch_destroy(jbw_batch *batch)
{
    if (!batch) return;
    jbw_workers_destroy(batch->workers);
    for (size_t i = 0; i < batch->world_count && batch->entries; i++)
        jbw_world_destroy(batch->entries[i].world);
    const jbw_allocator allocator = batch->allocator;
    jbw_batch_places_deinit(&batch->places, &allocator);
    jbw_batch_words_deinit(batch);
    jbw_free(&allocator, batch->seen, batch->agent_count * sizeof *batch->seen);
    jbw_free(&allocator, batch->rewards, batch->agent_count * sizeof *batch->rewards);
    jbw_free(&allocator, batch->teams, batch->agent_count * sizeof *batch->teams);
    jbw_free(&allocator, batch->own_rewards, batch->agent_count * sizeof *batch->own_rewards);
    jbw_free(&allocator, batch->shares, batch->agent_count * sizeof *batch->shares);
    jbw_free(&allocator, batch->requests, batch->agent_count * sizeof *batch->requests);
    jbw_free(&allocator, batch->present, batch->agent_count * sizeof *batch->present);
    jbw_free(&allocator, batch->actions, batch->agent_count * sizeof *batch->actions);
    jbw_free(&allocator, batch->agents, batch->agent_count * sizeof *batch->agents);
    jbw_free(&allocator, batch->entries, batch->world_count * sizeof *batch->entries);
    jbw_free(&allocator, batch, sizeof *batch);
}

// ---- looking ----

size_t jbw_batch_world_count(const jbw_batch *batch)
{
    return batch ? batch->world_count : 0;
}

size_t jbw_batch_agent_count(const jbw_batch *batch)
{
    return batch ? batch->agent_count : 0;
}

// the entry of a world that is not away, or NULL
jbw_batch_entry *jbw_batch_find_idle(jbw_batch *batch, size_t index)
{
    if (!batch || index >= batch->world_count || batch->entries[index].is_away) return NULL;
    return &batch->entries[index];
}

jbw_world *jbw_batch_get_world(jbw_batch *batch, size_t index)
{
    const jbw_batch_entry *e = jbw_batch_find_idle(batch, index);
    return e ? e->world : NULL;
}

jbw_agent_id jbw_batch_agent(const jbw_batch *batch, size_t row)
{
    return batch && row < batch->agent_count ? batch->agents[row] : (jbw_agent_id){0, 0};
}

jbw_status jbw_batch_observe(jbw_batch *batch, const jbw_observation *parts)
{
    if (!batch || !parts || batch->away_count > 0) return JBW_INVALID_ARGUMENT;
    for (size_t i = 0; i < batch->world_count; i++) {
        const jbw_batch_entry *e = &batch->entries[i];
        for (size_t row = e->first_row; row < e->first_row + e->agent_count; row++) {
            const jbw_observation wanted = jbw_batch_row_behind(batch, parts, row);
            if (jbw_batch_is_absent(batch, row)) {
                jbw_batch_clear_row(batch, &wanted);
                continue;
            }
            const jbw_status status = jbw_agent_observe(e->world, batch->agents[row], &wanted);
            if (status) return status;
        }
    }
    return JBW_OK;
}

// ---- stepping ----

static bool are_actions(const jbw_batch *batch, const int32_t *actions, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (actions[i] < 0 || actions[i] >= batch->action_count) return false;
    return true;
}

jbw_status jbw_batch_step(jbw_batch *batch, const int32_t *actions)
{
    if (!batch || !actions || batch->away_count > 0 ||
        !are_actions(batch, actions, batch->agent_count))
        return JBW_INVALID_ARGUMENT;
    for (size_t i = 0; i < batch->agent_count; i++) batch->actions[i] = actions[i];
    jbw_workers_run(batch->workers);
    const jbw_batch_entry *failed = jbw_batch_find_failure(batch);
    return failed ? failed->status : JBW_OK;
}

static bool has_parts(const jbw_batch *batch, const jbw_observation *wanted)
{
    for (int p = 0; p < JBW_PART_COUNT; p++)
        if (jbw_observation_get(wanted, (jbw_part)p) &&
            !jbw_observation_get(&batch->buffers.parts, (jbw_part)p))
            return false;
    return true;
}

static void set_buffers(jbw_batch *batch, const jbw_batch_buffers *buffers)
{
    const bool is_elsewhere =
        memcmp(&batch->buffers.parts, &buffers->parts, sizeof buffers->parts) != 0;
    batch->buffers = *buffers;
    for (size_t i = 0; is_elsewhere && i < batch->world_count; i++)
        batch->entries[i].first_parts =
            jbw_batch_row_behind(batch, &buffers->parts, batch->entries[i].first_row);
}

jbw_status jbw_batch_step_into(jbw_batch *batch, const int32_t *actions,
                               const jbw_batch_buffers *buffers)
{
    if (!batch || !buffers || batch->away_count > 0 || !has_parts(batch, &buffers->parts))
        return JBW_INVALID_ARGUMENT;
    const jbw_batch_buffers own = batch->buffers;
    set_buffers(batch, buffers);
    const jbw_status status = jbw_batch_step(batch, actions);
    set_buffers(batch, &own);
    return status;
}

jbw_status jbw_batch_reset(jbw_batch *batch, size_t index, uint64_t seed)
{
    jbw_batch_entry *e = jbw_batch_find_idle(batch, index);
    if (!e) return JBW_INVALID_ARGUMENT;
    void *place = jbw_batch_take_place(&batch->places);
    const jbw_status status = begin_world(batch, e, seed, place);
    if (status) jbw_batch_leave_place(&batch->places, place);
    return status;
}

// Scent in a copied world allocates memory the first time, which may fail: get that over with.
static jbw_status prepare_senses(const jbw_batch *batch, jbw_world *world)
{
    float scent[JBW_MAX_DIMENSIONS];
    jbw_agent_id agent;
    if (!batch->buffers.parts.scent || jbw_world_agents(world, &agent, 1) == 0) return JBW_OK;
    return jbw_agent_observe(world, agent, &(jbw_observation){.scent = scent});
}

jbw_status jbw_batch_set_world(jbw_batch *batch, size_t index, jbw_world *world)
{
    jbw_batch_entry *e = jbw_batch_find_idle(batch, index);
    if (!e || !world || world == e->world || jbw_world_agents(world, NULL, 0) != e->agent_count ||
        difference(e->model, jbw_world_model(world)))
        return JBW_INVALID_ARGUMENT;
    const jbw_status status = prepare_senses(batch, world);
    if (status) return status;
    enter_world(batch, e, world, NULL);
    return JBW_OK;
}

// whether rows can have these agents: all are in the world, none twice, and there are no others
static bool are_seats(const jbw_world *world, const jbw_agent_id *agents, size_t count)
{
    size_t seated = 0;
    for (size_t i = 0; i < count; i++) {
        if (agents[i].index1 == 0) continue;
        jbw_agent_state state;
        if (jbw_agent_get_state(world, agents[i], &state)) return false;
        for (size_t k = 0; k < i; k++)
            if (agents[k].index1 == agents[i].index1) return false;
        seated++;
    }
    return jbw_world_agents(world, NULL, 0) == seated;
}

jbw_status jbw_batch_seat_world(jbw_batch *batch, size_t index, jbw_world *world,
                                const jbw_agent_id *agents)
{
    jbw_batch_entry *e = jbw_batch_find_idle(batch, index);
    if (!e || !world || !agents || world == e->world ||
        difference(e->model, jbw_world_model(world)) || !are_seats(world, agents, e->agent_count))
        return JBW_INVALID_ARGUMENT;
    if (!jbw_batch_reserve_seats(batch)) return JBW_OUT_OF_MEMORY;
    const jbw_status status = prepare_senses(batch, world);
    if (status) return status;
    enter_world(batch, e, world, agents);
    return JBW_OK;
}

// ---- some worlds at a time ----

// Marks worlds as away. If one of them cannot be sent, or is listed twice, none is marked.
static bool mark_away(jbw_batch *batch, const size_t *worlds, size_t count, const int32_t *actions)
{
    for (size_t i = 0; i < count; i++) {
        jbw_batch_entry *e = jbw_batch_find_idle(batch, worlds[i]);
        if (!e || !are_actions(batch, actions, e->agent_count)) {
            while (i-- > 0) batch->entries[worlds[i]].is_away = false;
            return false;
        }
        actions += e->agent_count;
        e->is_away = true;
    }
    return true;
}

jbw_status jbw_batch_send(jbw_batch *batch, const size_t *worlds, size_t count,
                          const int32_t *actions)
{
    if (!batch || (count > 0 && (!worlds || !actions))) return JBW_INVALID_ARGUMENT;
    if (count == 0) return JBW_OK;
    if (!mark_away(batch, worlds, count, actions)) return JBW_INVALID_ARGUMENT;
    for (size_t i = 0; i < count; i++) {
        const jbw_batch_entry *e = &batch->entries[worlds[i]];
        for (size_t k = 0; k < e->agent_count; k++) batch->actions[e->first_row + k] = *actions++;
    }
    const jbw_status status = jbw_workers_post(batch->workers, worlds, count);
    for (size_t i = 0; i < count && status; i++) batch->entries[worlds[i]].is_away = false;
    if (!status) batch->away_count += count;
    return status;
}

jbw_status jbw_batch_receive(jbw_batch *batch, size_t wanted, size_t *worlds, size_t capacity,
                             size_t *count)
{
    if (!batch || !count || wanted > capacity || (capacity > 0 && !worlds))
        return JBW_INVALID_ARGUMENT;
    *count = jbw_workers_collect(batch->workers, wanted, worlds, capacity);
    batch->away_count -= *count;
    jbw_status status = JBW_OK;
    for (size_t i = 0; i < *count; i++) {
        jbw_batch_entry *e = &batch->entries[worlds[i]];
        e->is_away = false;
        if (!status) status = e->status;
    }
    return status;
}
