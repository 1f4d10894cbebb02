// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Team: agents of one world that act together, by name: the core of environments with many agents.
/// A step is one call, which returns the five dicts that PettingZoo wants.
#include "life.h"

typedef struct member {
    PyObject *name;
    int team; // members with the same number share what Team[r] pays
    core_life life;
} member;

typedef struct core_team {
    PyObject_HEAD core_world *world;
    PyObject *parts; // from keys to names of parts
    core_form form;
    bool copies;
    core_info_kind info_kind;
    core_gate gate;   // entered before the world's
    member **members; // (count), in the order in which they were added
    Py_ssize_t count;

    // for the step in progress, (count) each
    core_moment *moments;
    jbw_agent_id *ids;
    int *actions;
    int *say;
    const char **texts;
    int *teams;
    double *payments;
} core_team;

// --- creating and destroying --------------------------------------------------------------------

static PyObject *team_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"world", "parts", "form", "copy", "info", NULL};
    core_state *state = core_state_of_type(type);
    core_world *world;
    PyObject *parts;
    const char *form_name = "dict";
    const char *info = "full";
    int copies = 1;
    core_form form;
    core_info_kind info_kind;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O!O|sps:Team", names, state->World,
                                     &world, &parts, &form_name, &copies, &info) ||
        !core_to_form(state, form_name, &form) || !core_to_info_kind(state, info, &info_kind))
        return NULL;
    core_team *self = (core_team *)PyType_GenericAlloc(type, 0);
    if (!self) return NULL;
    self->world = (core_world *)core_new(world);
    self->parts = core_new(parts);
    self->form = form;
    self->copies = copies != 0;
    self->info_kind = info_kind;
    if (!core_gate_init(&self->gate)) Py_CLEAR(self);
    return (PyObject *)self;
}

static int team_traverse(core_team *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE((PyObject *)self));
    Py_VISIT(self->world);
    Py_VISIT(self->parts);
    return 0;
}

static void member_free(member *one)
{
    if (!one) return;
    core_drop(one->name);
    core_life_deinit(&one->life);
    PyMem_Free(one);
}

static void team_dealloc(core_team *self)
{
    PyTypeObject *type = core_type(self);
    PyObject_GC_UnTrack(self);
    for (Py_ssize_t i = 0; i < self->count; i++) member_free(self->members[i]);
    PyMem_Free(self->members);
    PyMem_Free(self->moments);
    PyMem_Free(self->ids);
    PyMem_Free(self->actions);
    PyMem_Free(self->say);
    PyMem_Free((void *)self->texts);
    PyMem_Free(self->teams);
    PyMem_Free(self->payments);
    core_gate_deinit(&self->gate);
    core_drop(self->parts);
    core_drop(self->world);
    PyObject_GC_Del(self);
    core_drop(type);
}

// --- members ------------------------------------------------------------------------------------

// the place of a member, or -1 with an exception; in the gate
static Py_ssize_t find(core_team *self, core_state *state, PyObject *name)
{
    for (Py_ssize_t i = 0; i < self->count; i++) {
        const int equal = PyObject_RichCompareBool(self->members[i]->name, name, Py_EQ);
        if (equal < 0) return -1;
        if (equal) return i;
    }
    core_raise_argument(state, "there is no agent %R", name);
    return -1;
}

// makes room for one more member; false with an exception
static bool reserve(core_team *self)
{
    const size_t count = (size_t)self->count + 1;
    member **members = PyMem_Realloc(self->members, count * sizeof *members);
    if (members) self->members = members;
    core_moment *moments = PyMem_Realloc(self->moments, count * sizeof *moments);
    if (moments) self->moments = moments;
    jbw_agent_id *ids = PyMem_Realloc(self->ids, count * sizeof *ids);
    if (ids) self->ids = ids;
    int *actions = PyMem_Realloc(self->actions, count * sizeof *actions);
    if (actions) self->actions = actions;
    int *say = PyMem_Realloc(self->say, count * sizeof *say);
    if (say) self->say = say;
    const char **texts = PyMem_Realloc((void *)self->texts, count * sizeof *texts);
    if (texts) self->texts = texts;
    int *teams = PyMem_Realloc(self->teams, count * sizeof *teams);
    if (teams) self->teams = teams;
    double *payments = PyMem_Realloc(self->payments, count * sizeof *payments);
    if (payments) self->payments = payments;
    if (members && moments && ids && actions && say && texts && teams && payments) return true;
    PyErr_NoMemory();
    return false;
}

static member *member_make(core_team *self, core_state *state, PyObject *name, core_agent *agent,
                           PyObject *reward)
{
    member *one = PyMem_Calloc(1, sizeof *one);
    if (!one) {
        PyErr_NoMemory();
        return NULL;
    }
    one->name = core_new(name);
    if (!core_life_init(&one->life, state, self->world->model, reward, self->parts, self->form,
                        self->copies, self->info_kind)) {
        member_free(one);
        return NULL;
    }
    one->life.id = agent->id;
    return one;
}

static PyObject *team_add(core_team *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"name", "agent", "reward", "team", NULL};
    core_state *state = core_state_of(self);
    PyObject *name;
    core_agent *agent;
    PyObject *reward = Py_None;
    int team = 0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "UO!|Oi:add", names, &name, state->Agent,
                                     &agent, &reward, &team))
        return NULL;
    if (reward != Py_None && !Py_IS_TYPE(reward, state->Reward)) {
        PyErr_Format(PyExc_TypeError, "expected a Reward or None, found %R", reward);
        return NULL;
    }
    if (agent->world != self->world)
        return core_raise_argument(state, "%R is in another world", name);
    member *one = member_make(self, state, name, agent, reward);
    if (!one) return NULL;
    one->team = team;
    bool done = core_gate_enter(&self->gate, state, false);
    if (done) {
        done = reserve(self);
        if (done) {
            self->ids[self->count] = agent->id;
            self->members[self->count++] = one;
        }
        core_gate_leave(&self->gate);
    }
    if (!done) member_free(one);
    return done ? core_new(Py_None) : NULL;
}

static PyObject *team_remove(core_team *self, PyObject *name)
{
    core_state *state = core_state_of(self);
    if (!core_gate_enter(&self->gate, state, false)) return NULL;
    const Py_ssize_t index = find(self, state, name);
    if (index >= 0) {
        member_free(self->members[index]);
        self->count--;
        for (Py_ssize_t i = index; i < self->count; i++) {
            self->members[i] = self->members[i + 1];
            self->ids[i] = self->ids[i + 1];
        }
    }
    core_gate_leave(&self->gate);
    return index >= 0 ? core_new(Py_None) : NULL;
}

// --- stepping -----------------------------------------------------------------------------------

// tells which agents have no action, or which actions have no agent
static void raise_mismatch(core_team *self, core_state *state, PyObject *actions)
{
    PyObject *missing = PyList_New(0);
    PyObject *strangers = PyDict_Keys(actions);
    for (Py_ssize_t i = 0; missing && strangers && i < self->count; i++) {
        PyObject *name = self->members[i]->name;
        const int has = PyDict_Contains(actions, name);
        if (has < 0) break;
        if (!has) {
            if (PyList_Append(missing, name) < 0) break;
        } else {
            const Py_ssize_t at = PySequence_Index(strangers, name);
            if (at < 0 || PySequence_DelItem(strangers, at) < 0) break;
        }
    }
    if (missing && strangers && !PyErr_Occurred()) {
        const bool is_strange = PyList_Size(strangers) > 0;
        if (PyList_Size(missing) == 0)
            core_raise_argument(state, "no such agents: %R", strangers);
        else if (is_strange)
            core_raise_argument(state, "actions are missing for %R; no such agents: %R", missing,
                                strangers);
        else
            core_raise_argument(state, "actions are missing for %R", missing);
    }
    core_drop(missing);
    core_drop(strangers);
}

// the actions of all members; false with an exception
static bool read_actions(core_team *self, core_state *state, PyObject *actions)
{
    bool fits = PyDict_Size(actions) == self->count;
    for (Py_ssize_t i = 0; fits && i < self->count; i++) {
        PyObject *name = self->members[i]->name;
        PyObject *action = PyDict_GetItemWithError(actions, name);
        if (!action && PyErr_Occurred()) return false;
        fits = action != NULL;
        if (!fits) break;
        jbw_request request;
        if (core_to_request(state, self->world->model, action, &request)) {
            core_life_begin_request(&self->members[i]->life, &request);
            self->actions[i] = request.action;
            self->say[i] = request.say;
            self->texts[i] = request.text;
            continue;
        }
        if (jbw_model_voice(self->world->model->model).symbols > 0) return false;
        const bool is_type = PyErr_ExceptionMatches(PyExc_TypeError);
        if (is_type || PyErr_ExceptionMatches(state->ArgumentError)) {
            PyErr_Clear();
            PyErr_Format(is_type ? PyExc_TypeError : state->ArgumentError,
                         "%U has action %R, expected 0 to %d", name, action,
                         self->world->model->action_count - 1);
        }
        return false;
    }
    if (!fits) raise_mismatch(self, state, actions);
    return fits;
}

static void drop_moments(core_team *self, Py_ssize_t begin, Py_ssize_t end)
{
    for (Py_ssize_t i = begin; i < end; i++) core_moment_drop(&self->moments[i]);
}

// Pays members whose reward has a Team[r] for what others have done. Needs no interpreter.
static void pay_teams(core_team *self, const jbw_world *world)
{
    const jbw_reward *paid = NULL;
    for (Py_ssize_t i = 0; i < self->count; i++) {
        const core_life *life = &self->members[i]->life;
        if (!life->reward || !jbw_reward_has_team(life->reward->reward)) continue;
        if (paid != life->reward->reward) { // most have the same one
            for (Py_ssize_t k = 0; k < self->count; k++) self->teams[k] = self->members[k]->team;
            paid = life->reward->reward;
            jbw_team_rewards(world, paid, self->ids, self->teams, (size_t)self->count,
                             self->payments);
        }
        self->moments[i].reward = self->payments[i];
    }
}

// lets all act, and looks at the world through the eyes of each; false with an exception, and
// without moments
static bool act(core_team *self, core_state *state)
{
    for (Py_ssize_t i = 0; i < self->count; i++)
        if (!core_moment_begin(&self->moments[i], &self->members[i]->life, self->copies)) {
            drop_moments(self, 0, i);
            return false;
        }
    core_world *owner = self->world;
    jbw_world *world = core_world_enter_agents(owner, state);
    if (!world) {
        drop_moments(self, 0, self->count);
        return false;
    }
    bool stepped = false;
    core_world_release(owner);
    const jbw_requests requests = {
        .actions = self->actions, .say = self->say, .texts = self->texts};
    jbw_status status =
        jbw_world_request(world, self->ids, &requests, (size_t)self->count, &stepped);
    for (Py_ssize_t i = 0; i < self->count && !status; i++)
        core_life_end_request(&self->members[i]->life, self->texts[i]);
    for (Py_ssize_t i = 0; i < self->count && !status && stepped; i++)
        status = core_moment_look(&self->moments[i], &self->members[i]->life, world);
    if (!status && stepped) pay_teams(self, world);
    const bool is_fine = core_world_resume(owner);
    core_world_leave(owner);
    if (is_fine && !status && stepped) return true;
    drop_moments(self, 0, self->count);
    if (is_fine)
        core_raise(state, status ? status : JBW_INVALID_ARGUMENT,
                   status ? NULL : "the world did not step: other active agents have not acted");
    return false;
}

// puts what all members have seen into dicts: observations, rewards, terminations, truncations and
// infos; false with an exception
static bool fill(core_team *self, core_state *state, PyObject *const dicts[5])
{
    for (Py_ssize_t i = 0; i < self->count; i++) {
        member *one = self->members[i];
        PyObject *observation = NULL;
        PyObject *info = NULL;
        const bool is_seen =
            core_moment_finish(&self->moments[i], &one->life, state, &observation, &info);
        const bool done =
            is_seen && core_set(dicts[0], one->name, observation) &&
            core_set(dicts[1], one->name, PyFloat_FromDouble(self->moments[i].reward)) &&
            PyDict_SetItem(dicts[2], one->name, Py_False) == 0 &&
            PyDict_SetItem(dicts[3], one->name, Py_False) == 0 &&
            PyDict_SetItem(dicts[4], one->name, info) == 0;
        core_drop(info);
        if (!done) {
            drop_moments(self, i + 1, self->count);
            return false;
        }
    }
    return true;
}

static PyObject *step(core_team *self, core_state *state, PyObject *actions)
{
    if (!read_actions(self, state, actions)) return NULL;
    PyObject *dicts[5] = {NULL};
    bool done = true;
    for (int i = 0; i < 5 && done; i++) done = (dicts[i] = PyDict_New()) != NULL;
    // without agents the world stands still
    if (done && self->count > 0) done = act(self, state) && fill(self, state, dicts);
    PyObject *all = done ? PyTuple_New(5) : NULL;
    for (int i = 0; i < 5; i++) {
        if (all)
            PyTuple_SetItem(all, i, dicts[i]);
        else
            core_drop(dicts[i]);
    }
    return all;
}

static PyObject *team_step(core_team *self, PyObject *given)
{
    core_state *state = core_state_of(self);
    PyObject *actions = PyDict_Check(given) ? core_new(given) : PyDict_New();
    PyObject *all = NULL;
    if (actions && (actions == given || PyDict_Update(actions, given) == 0) &&
        core_gate_enter(&self->gate, state, false)) {
        all = step(self, state, actions);
        core_gate_leave(&self->gate);
    }
    core_drop(actions);
    return all;
}

static PyObject *team_write(core_team *self, PyObject *arguments)
{
    core_state *state = core_state_of(self);
    PyObject *name;
    PyObject *text;
    if (!PyArg_ParseTuple(arguments, "OO:write", &name, &text) ||
        !core_gate_enter(&self->gate, state, false))
        return NULL;
    const Py_ssize_t index = find(self, state, name);
    PyObject *none = index >= 0 ? core_life_write(&self->members[index]->life, state, text) : NULL;
    core_gate_leave(&self->gate);
    return none;
}

static PyObject *team_written(core_team *self, PyObject *name)
{
    core_state *state = core_state_of(self);
    if (!core_gate_enter(&self->gate, state, false)) return NULL;
    const Py_ssize_t index = find(self, state, name);
    PyObject *text = index >= 0 ? PyUnicode_FromString(self->members[index]->life.text) : NULL;
    core_gate_leave(&self->gate);
    return text;
}

// --- looking ------------------------------------------------------------------------------------

// what one member observes now, and its info (either may be NULL); false with an exception
static bool look(core_team *self, PyObject *name, PyObject **observation, PyObject **info)
{
    core_state *state = core_state_of(self);
    if (!core_gate_enter(&self->gate, state, true)) return false;
    const Py_ssize_t index = find(self, state, name);
    core_life *life = index >= 0 ? &self->members[index]->life : NULL;
    core_moment now;
    bool done = life && core_moment_begin(&now, life, self->copies || !observation);
    if (done) {
        jbw_world *world = core_world_enter(self->world, state, true);
        jbw_status status = JBW_OK;
        if (world) {
            status = core_moment_look(&now, life, world);
            core_world_leave(self->world);
            if (status) core_raise(state, status, NULL);
        }
        done = world && !status;
        if (done)
            done = core_moment_finish(&now, life, state, observation, info);
        else
            core_moment_drop(&now);
    }
    core_gate_leave(&self->gate);
    return done;
}

static PyObject *team_observe(core_team *self, PyObject *name)
{
    PyObject *observation = NULL;
    return look(self, name, &observation, NULL) ? observation : NULL;
}

static PyObject *team_info(core_team *self, PyObject *name)
{
    PyObject *info = NULL;
    return look(self, name, NULL, &info) ? info : NULL;
}

// --- the type -----------------------------------------------------------------------------------

static PyMethodDef methods[] = {
    {"add", (PyCFunction)(void (*)(void))team_add, METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("add($self, /, name, agent, reward=None, team=0)\n--\n\n"
               "Adds an agent of the world under a name, with its own reward. Agents with the same "
               "team share what Team[r] pays.")},
    {"remove", (PyCFunction)team_remove, METH_O,
     PyDoc_STR("remove($self, name, /)\n--\n\n"
               "Forgets an agent. It stays in the world.")},
    {"step", (PyCFunction)team_step, METH_O,
     PyDoc_STR("step($self, actions, /)\n--\n\n"
               "Steps the world with an action for every agent: (observations, rewards, "
               "terminations, truncations,\ninfos), dicts by name. Actions that compete count in "
               "the order in which agents were added.")},
    {"write", (PyCFunction)team_write, METH_VARARGS,
     PyDoc_STR("write($self, name, text, /)\n--\n\n"
               "The next item that the agent drops and that may carry a text carries this one.")},
    {"written", (PyCFunction)team_written, METH_O,
     PyDoc_STR("written($self, name, /)\n--\n\n"
               "The text that waits for an item that the agent drops; empty if there is none.")},
    {"observe", (PyCFunction)team_observe, METH_O,
     PyDoc_STR("observe($self, name, /)\n--\n\nAn agent's current observation.")},
    {"info", (PyCFunction)team_info, METH_O,
     PyDoc_STR("info($self, name, /)\n--\n\nAn agent's current info.")},
    {NULL, NULL, 0, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc, PyDoc_STR("Team(world, parts, form='dict', copy=True, info='full')\n--\n\n"
                          "Agents of a world that act together, by name. parts, form, copy and "
                          "info are those of Env.")},
    {Py_tp_new, team_new},
    {Py_tp_dealloc, team_dealloc},
    {Py_tp_traverse, team_traverse},
    {Py_tp_methods, methods},
    {0, NULL},
};

PyType_Spec core_team_spec = {
    .name = "jbw._core.Team",
    .basicsize = sizeof(core_team),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};
