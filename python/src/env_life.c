// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The lives of an Env: starting one, stepping, and what a step returns.
#include "env_parts.h"

// --- looking ------------------------------------------------------------------------------------

// looks at the world as it is now; false with an exception
static bool look_now(core_env *self, core_state *state, bool is_new, core_moment *now)
{
    if (!core_moment_begin(now, &self->life, is_new)) return false;
    jbw_world *world = core_world_enter(self->world, state, true);
    jbw_status status = JBW_OK;
    if (world) {
        status = core_moment_look(now, &self->life, world);
        core_world_leave(self->world);
        if (status) core_raise(state, status, NULL);
    }
    if (world && !status) return true;
    core_moment_drop(now);
    return false;
}

// --- starting -----------------------------------------------------------------------------------

void env_move_in(core_env *self, PyObject *world, PyObject *agent)
{
    core_world *old_world = self->world;
    core_agent *old_agent = self->agent;
    if (old_world) core_viewers_move(core_state_of(self), old_world, (core_world *)world);
    self->world = (core_world *)world;
    if (self->life.reward && !self->world->reward)
        self->world->reward = core_new(self->life.reward->text);
    self->agent = (core_agent *)agent;
    self->life.id = self->agent->id;
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
    PyObject *world = core_world_make(state, self->life.model, seed, NULL);
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
    const bool is_fine = core_world_resume(owner);
    core_world_leave(owner);
    PyObject *agent = NULL;
    if (is_fine)
        agent = status ? core_raise(state, status, NULL) : core_world_agent(state, owner, id);
    if (!agent) {
        core_drop(world);
        return false;
    }
    env_move_in(self, world, agent);
    self->life.text[0] = '\0';
    return true;
}

static PyObject *reset(core_env *self, core_state *state, uint64_t seed)
{
    core_moment now;
    if (!env_begin_life(self, state, seed) ||
        !look_now(self, state, self->life.layout.copies, &now))
        return NULL;
    PyObject *observation = NULL;
    PyObject *info = NULL;
    if (!core_moment_finish(&now, &self->life, state, &observation, &info)) return NULL;
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
static bool act(core_env *self, core_state *state, jbw_request *request, core_moment *now)
{
    core_world *owner = self->world;
    jbw_world *world = core_world_enter_agents(owner, state);
    if (!world) return false;
    bool stepped = false;
    core_world_release(owner);
    core_life_begin_request(&self->life, request);
    jbw_status status = jbw_agent_request(world, self->life.id, request, &stepped);
    if (!status) core_life_end_request(&self->life, request->text);
    if (!status && stepped) status = core_moment_look(now, &self->life, world);
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

static PyObject *step(core_env *self, core_state *state, jbw_request *request)
{
    core_moment now;
    if (!core_moment_begin(&now, &self->life, self->life.layout.copies)) return NULL;
    if (!act(self, state, request, &now)) {
        core_moment_drop(&now);
        return NULL;
    }
    PyObject *observation = NULL;
    PyObject *info = NULL;
    if (!core_moment_finish(&now, &self->life, state, &observation, &info)) return NULL;
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
    jbw_request request;
    if (!core_to_request(state, self->life.model, action, &request) ||
        !core_gate_enter(&self->gate, state, false))
        return NULL;
    PyObject *all = step(self, state, &request);
    core_gate_leave(&self->gate);
    return all;
}

PyObject *env_write(core_env *self, PyObject *text)
{
    core_state *state = core_state_of(self);
    if (!core_gate_enter(&self->gate, state, false)) return NULL;
    PyObject *none = core_life_write(&self->life, state, text);
    core_gate_leave(&self->gate);
    return none;
}

PyObject *env_observe(core_env *self, PyObject *unused)
{
    (void)unused;
    core_state *state = core_state_of(self);
    PyObject *observation = NULL;
    core_moment now;
    if (!core_gate_enter(&self->gate, state, true)) return NULL;
    if (look_now(self, state, true, &now))
        core_moment_finish(&now, &self->life, state, &observation, NULL);
    core_gate_leave(&self->gate);
    return observation;
}

PyObject *env_info(core_env *self, PyObject *unused)
{
    (void)unused;
    core_state *state = core_state_of(self);
    PyObject *info = NULL;
    core_moment now;
    if (!core_gate_enter(&self->gate, state, true)) return NULL;
    if (look_now(self, state, true, &now))
        core_moment_finish(&now, &self->life, state, NULL, &info);
    core_gate_leave(&self->gate);
    return info;
}
