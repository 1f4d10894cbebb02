// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The lives of an Env: starting one, stepping, and what a step returns.
#include "env_parts.h"

#include <string.h>

// --- looking ------------------------------------------------------------------------------------

/// Everything that Python learns about the moment after a step.
typedef struct moment {
    core_observation observation;
    jbw_agent_result result;
    double reward;

    // what the info needs, unless the observation has that part as well
    int64_t position[2];
    int64_t start[2];
    uint8_t direction;
    uint64_t time;
    int32_t collected;
} moment;

// prepares a moment, with an observation in new arrays or in those of the layout; false with an
// exception
static bool moment_begin(moment *now, const core_env *self, bool is_new)
{
    *now = (moment){0};
    if (!core_observation_begin(&now->observation, &self->layout, is_new)) return false;
    jbw_observation *wanted = &now->observation.wanted;
    if (!wanted->position) wanted->position = now->position;
    if (!wanted->start) wanted->start = now->start;
    if (!wanted->direction) wanted->direction = &now->direction;
    if (!wanted->time) wanted->time = &now->time;
    if (!wanted->collected) wanted->collected = &now->collected;
    if (!wanted->inventory) wanted->inventory = self->latest;
    return true;
}

// needs no interpreter
static jbw_status look(const core_env *self, jbw_world *world, moment *now)
{
    const jbw_agent_id id = self->agent->id;
    jbw_status status = jbw_agent_observe(world, id, &now->observation.wanted);
    if (!status) status = jbw_agent_get_result(world, id, &now->result);
    if (status) return status;
    now->reward = self->reward ? jbw_agent_reward(world, id, self->reward->reward) : 0;
    return JBW_OK;
}

// looks at the world as it is now; false with an exception
static bool look_now(core_env *self, core_state *state, bool is_new, moment *now)
{
    if (!moment_begin(now, self, is_new)) return false;
    jbw_world *world = core_world_enter(self->world, state, true);
    jbw_status status = JBW_OK;
    if (world) {
        status = look(self, world, now);
        core_world_leave(self->world);
        if (status) core_raise(state, status, NULL);
    }
    if (world && !status) return true;
    core_observation_drop(&now->observation);
    return false;
}

// --- infos --------------------------------------------------------------------------------------

bool env_refresh_inventory(core_env *self)
{
    for (int i = 0; i < self->model->item_count; i++) {
        PyObject *name = PyTuple_GetItem(self->model->item_names, i);
        if (!core_set(self->inventory, name, PyLong_FromUnsignedLongLong(self->counts[i])))
            return false;
    }
    return true;
}

// a copy of the dict, which is changed only when the inventory has changed
static PyObject *copy_inventory(core_env *self, const uint64_t *latest)
{
    const size_t size = sizeof *self->counts * (size_t)self->model->item_count;
    if (size > 0 && memcmp(self->counts, latest, size) != 0) {
        memcpy(self->counts, latest, size);
        if (!env_refresh_inventory(self)) {
            memset(self->counts, 0xff, size); // the next one tries again
            return NULL;
        }
    }
    return PyDict_Copy(self->inventory);
}

// the text of the reward in force, made only when it has changed
static PyObject *reward_name(core_env *self, core_state *state, uint64_t time)
{
    if (!self->reward) return core_new(state->word_zero);
    if (!self->reward->is_scheduled) return core_new(self->reward->text);
    char text[512];
    const size_t size = jbw_reward_print_at(self->reward->reward, time, text, sizeof text);
    Py_ssize_t known_size = 0;
    const char *known = self->name ? PyUnicode_AsUTF8AndSize(self->name, &known_size) : NULL;
    if (self->name && !known) return NULL;
    const bool is_known =
        known && (size_t)known_size == size && size < sizeof text && memcmp(known, text, size) == 0;
    if (!is_known) {
        PyObject *name = core_reward_at(self->reward, time);
        if (!name) return NULL;
        core_drop(self->name);
        self->name = name;
    }
    return core_new(self->name);
}

static PyObject *make_cell(const int64_t cell[2])
{
    return core_from_position((jbw_position){cell[0], cell[1]});
}

static PyObject *make_info(core_env *self, core_state *state, const moment *now)
{
    const jbw_observation *seen = &now->observation.wanted;
    PyObject *info = PyDict_New();
    if (!info) return NULL;
    // the reward is that of the latest step; at the beginning, that of the first one
    const uint64_t time = now->result.time > 0 ? now->result.time - 1 : *seen->time;
    const bool done =
        core_set(info, state->word_position, make_cell(seen->position)) &&
        core_set(info, state->word_start, make_cell(seen->start)) &&
        PyDict_SetItem(info, state->word_direction, state->directions[*seen->direction]) == 0 &&
        core_set(info, state->word_time, PyLong_FromUnsignedLongLong(*seen->time)) &&
        core_set(info, state->word_collected, core_from_item(self->model, *seen->collected)) &&
        core_set(info, state->word_inventory, copy_inventory(self, seen->inventory)) &&
        PyDict_SetItem(info, state->word_outcome, state->outcomes[now->result.outcome]) == 0 &&
        core_set(info, state->word_reward_function, reward_name(self, state, time));
    if (!done) Py_CLEAR(info);
    return info;
}

// the observation and the info of a moment, which is over then; false with an exception
static bool moment_finish(moment *now, core_env *self, core_state *state, PyObject **observation,
                          PyObject **info)
{
    *observation = NULL;
    *info = make_info(self, state, now);
    if (*info)
        *observation = core_observation_finish(&now->observation, &self->layout, state);
    else
        core_observation_drop(&now->observation);
    if (!*observation) Py_CLEAR(*info);
    return *observation != NULL;
}

// --- starting -----------------------------------------------------------------------------------

void env_move_in(core_env *self, PyObject *world, PyObject *agent)
{
    core_world *old_world = self->world;
    core_agent *old_agent = self->agent;
    if (old_world) core_viewers_move(core_state_of(self), old_world, (core_world *)world);
    self->world = (core_world *)world;
    self->agent = (core_agent *)agent;
    core_drop(old_agent);
    core_drop(old_world);
}

bool env_start_threads(const core_env *self, core_state *state, PyObject *world)
{
    return self->generation_threads == 0 ||
           core_world_set_generation_threads((core_world *)world, state, self->generation_threads);
}

bool env_begin_life(core_env *self, core_state *state, uint64_t seed)
{
    PyObject *world = core_world_make(state, self->model, seed);
    if (!world) return false;
    core_world *owner = (core_world *)world;
    jbw_agent_id id;
    // the threads come before the agent, so that they generate its surroundings together
    jbw_world *own =
        env_start_threads(self, state, world) ? core_world_enter_agents(owner, state) : NULL;
    if (!own) {
        core_drop(world);
        return false;
    }
    core_world_release(owner);
    const jbw_status status = jbw_world_add_agent(own, &self->place, &id);
    core_world_resume(owner);
    core_world_leave(owner);
    PyObject *agent = status ? core_raise(state, status, NULL) : core_world_agent(state, owner, id);
    if (!agent) {
        core_drop(world);
        return false;
    }
    env_move_in(self, world, agent);
    return true;
}

static PyObject *reset(core_env *self, core_state *state, uint64_t seed)
{
    moment now;
    if (!env_begin_life(self, state, seed) || !look_now(self, state, self->layout.copies, &now))
        return NULL;
    PyObject *observation;
    PyObject *info;
    if (!moment_finish(&now, self, state, &observation, &info)) return NULL;
    PyObject *both = PyTuple_Pack(2, observation, info);
    core_drop(observation);
    core_drop(info);
    return both;
}

PyObject *env_reset(core_env *self, PyObject *number)
{
    core_state *state = core_state_of(self);
    uint64_t seed;
    if (!core_to_uint64(number, &seed) || !core_gate_enter(&self->gate, state, false)) return NULL;
    PyObject *both = reset(self, state, seed);
    core_gate_leave(&self->gate);
    return both;
}

// --- stepping -----------------------------------------------------------------------------------

// acts and looks; false with an exception
static bool act(core_env *self, core_state *state, int action, moment *now)
{
    core_world *owner = self->world;
    jbw_world *world = core_world_enter_agents(owner, state);
    if (!world) return false;
    bool stepped = false;
    core_world_release(owner);
    jbw_status status = jbw_agent_act(world, self->agent->id, action, &stepped);
    if (!status && stepped) status = look(self, world, now);
    const bool is_fine = core_world_resume(owner);
    core_world_leave(owner);
    if (!is_fine) return false;
    if (status)
        core_raise(state, status, NULL);
    else if (!stepped)
        core_raise(state, JBW_INVALID_ARGUMENT,
                   "the world did not step: other active agents have not acted");
    return !status && stepped;
}

static PyObject *step(core_env *self, core_state *state, int action)
{
    moment now;
    if (!moment_begin(&now, self, self->layout.copies)) return NULL;
    if (!act(self, state, action, &now)) {
        core_observation_drop(&now.observation);
        return NULL;
    }
    PyObject *observation;
    PyObject *info;
    if (!moment_finish(&now, self, state, &observation, &info)) return NULL;
    PyObject *reward = PyFloat_FromDouble(now.reward);
    PyObject *all = reward ? PyTuple_New(5) : NULL;
    if (!all) {
        core_drop(observation);
        core_drop(info);
        core_drop(reward);
        return NULL;
    }
    PyTuple_SetItem(all, 0, observation);
    PyTuple_SetItem(all, 1, reward);
    PyTuple_SetItem(all, 2, core_new(Py_False));
    PyTuple_SetItem(all, 3, core_new(Py_False));
    PyTuple_SetItem(all, 4, info);
    return all;
}

PyObject *env_step(core_env *self, PyObject *action)
{
    core_state *state = core_state_of(self);
    const int number = core_to_action(state, self->model, action);
    if (number < 0 || !core_gate_enter(&self->gate, state, false)) return NULL;
    PyObject *all = step(self, state, number);
    core_gate_leave(&self->gate);
    return all;
}

PyObject *env_observe(core_env *self, PyObject *unused)
{
    (void)unused;
    core_state *state = core_state_of(self);
    PyObject *observation = NULL;
    moment now;
    if (!core_gate_enter(&self->gate, state, true)) return NULL;
    if (look_now(self, state, true, &now))
        observation = core_observation_finish(&now.observation, &self->layout, state);
    core_gate_leave(&self->gate);
    return observation;
}

PyObject *env_info(core_env *self, PyObject *unused)
{
    (void)unused;
    core_state *state = core_state_of(self);
    PyObject *info = NULL;
    moment now;
    if (!core_gate_enter(&self->gate, state, true)) return NULL;
    if (look_now(self, state, true, &now)) {
        info = make_info(self, state, &now);
        core_observation_drop(&now.observation);
    }
    core_gate_leave(&self->gate);
    return info;
}
