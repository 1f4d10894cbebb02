// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Batch: many worlds, stepped in one call, straight into arrays of the caller. This file has the
/// type; batch_step.c steps, batch_look.c looks.
#include "batch_parts.h"

bool batch_keep(core_batch *self, PyObject *object)
{
    PyObject *one = PyTuple_Pack(1, object);
    PyObject *all = one ? PySequence_Concat(self->kept, one) : NULL;
    core_drop(one);
    if (!all) return false;
    core_drop(self->kept);
    self->kept = all;
    return true;
}

// --- creating and destroying --------------------------------------------------------------------

// `given` is one for all, or a sequence of `count`: a tuple of `count`, a new reference
static PyObject *spread(core_state *state, PyObject *given, bool is_one, Py_ssize_t count,
                        const char *what)
{
    if (!is_one && PyUnicode_Check(given)) {
        PyErr_Format(PyExc_TypeError, "expected %s, found %R", what, given);
        return NULL;
    }
    if (!is_one) {
        PyObject *tuple = PySequence_Tuple(given);
        if (tuple && PyTuple_Size(tuple) != count) {
            core_raise_argument(state, "there are %zd seeds, but %zd %s", count,
                                PyTuple_Size(tuple), what);
            Py_CLEAR(tuple);
        }
        return tuple;
    }
    PyObject *tuple = PyTuple_New(count);
    for (Py_ssize_t i = 0; tuple && i < count; i++) PyTuple_SetItem(tuple, i, core_new(given));
    return tuple;
}

static bool all_of(PyObject *tuple, PyTypeObject *type, bool may_be_none, const char *what)
{
    for (Py_ssize_t i = 0; i < PyTuple_Size(tuple); i++) {
        PyObject *item = PyTuple_GetItem(tuple, i);
        if (Py_IS_TYPE(item, type) || (may_be_none && item == Py_None)) continue;
        PyErr_Format(PyExc_TypeError, "expected %s, found %R", what, item);
        return false;
    }
    return true;
}

// lets a world look into the atlas of its model, which the batch keeps; false with an exception
static bool describe_atlas(core_batch *self, core_state *state, size_t index,
                           jbw_batch_world *world)
{
    const core_model *model = (core_model *)PyTuple_GetItem(self->models, (Py_ssize_t)index);
    PyObject *atlas = core_model_choose_atlas(state, model);
    const bool is_kept = atlas && batch_keep(self, atlas);
    world->prepare_user = is_kept ? core_atlas_inside(atlas) : NULL;
    if (world->prepare_user) world->prepare = jbw_atlas_attach;
    core_drop(atlas);
    return is_kept;
}

// the library's description of the worlds; false with an exception
static bool describe(core_batch *self, core_state *state, PyObject *seeds, PyObject *counts,
                     jbw_batch_world *worlds)
{
    for (size_t i = 0; i < self->world_count; i++) {
        PyObject *reward = PyTuple_GetItem(self->rewards, (Py_ssize_t)i);
        PyObject *seed = PyList_GetItem(seeds, (Py_ssize_t)i);
        const long count = PyLong_AsLong(PyTuple_GetItem(counts, (Py_ssize_t)i));
        if (count == -1 && PyErr_Occurred()) return false;
        if (count < 1 || count > 1000000) {
            core_raise_argument(state, "expected at least one agent in a world, found %ld", count);
            return false;
        }
        worlds[i].model = ((core_model *)PyTuple_GetItem(self->models, (Py_ssize_t)i))->model;
        worlds[i].reward = reward == Py_None ? NULL : ((core_reward *)reward)->reward;
        worlds[i].agent_count = (int)count;
        if (!describe_atlas(self, state, i, &worlds[i])) return false;
        if (!core_to_uint64(seed, &worlds[i].seed)) return false;
        self->first_rows[i + 1] = self->first_rows[i] + (size_t)count;
    }
    self->agent_count = self->first_rows[self->world_count];
    return true;
}

// gives the agents of every world their bodies, by name; false with an exception
static bool describe_bodies(core_batch *self, core_state *state, PyObject *given,
                            jbw_batch_world *worlds)
{
    if (given == Py_None) return true;
    if (PyUnicode_Check(given)) {
        PyErr_Format(PyExc_TypeError, "expected a sequence of bodies, found %R", given);
        return false;
    }
    PyObject *names = PySequence_Tuple(given);
    if (!names) return false;
    const core_model *model = (core_model *)PyTuple_GetItem(self->models, 0);
    const Py_ssize_t count = PyTuple_Size(names);
    self->bodies = PyMem_Calloc((size_t)count + 1, sizeof *self->bodies);
    bool done = self->bodies != NULL;
    if (!done) PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < count && done; i++)
        done = core_to_body(state, model, PyTuple_GetItem(names, i), &self->bodies[i]);
    core_drop(names);
    for (size_t i = 0; i < self->world_count && done; i++) {
        worlds[i].bodies = self->bodies;
        done = worlds[i].agent_count == count;
        if (!done)
            core_raise_argument(state, "world %zu has %d agents, but there are %zd bodies", i,
                                worlds[i].agent_count, count);
    }
    return done;
}

// gives the agents of every world their teams; false with an exception
static bool describe_teams(core_batch *self, core_state *state, PyObject *given,
                           jbw_batch_world *worlds)
{
    if (given == Py_None) return true;
    PyObject *numbers = PySequence_Tuple(given);
    if (!numbers) return false;
    const Py_ssize_t count = PyTuple_Size(numbers);
    self->teams = PyMem_Calloc((size_t)count + 1, sizeof *self->teams);
    bool done = self->teams != NULL;
    if (!done) PyErr_NoMemory();
    for (Py_ssize_t i = 0; i < count && done; i++) {
        const long number = PyLong_AsLong(PyTuple_GetItem(numbers, i));
        done = !(number == -1 && PyErr_Occurred());
        self->teams[i] = (int)number;
    }
    core_drop(numbers);
    for (size_t i = 0; i < self->world_count && done; i++) {
        worlds[i].teams = self->teams;
        done = worlds[i].agent_count == count;
        if (!done)
            core_raise_argument(state, "world %zu has %d agents, but there are %zd teams", i,
                                worlds[i].agent_count, count);
    }
    return done;
}

// gives the agents of every world rewards of their own; false with an exception
static bool describe_own_rewards(core_batch *self, core_state *state, PyObject *given,
                                 jbw_batch_world *worlds)
{
    if (given == Py_None) return true;
    PyObject *rewards = PySequence_Tuple(given);
    if (!rewards) return false;
    const Py_ssize_t count = PyTuple_Size(rewards);
    self->own_rewards = PyMem_Calloc((size_t)count + 1, sizeof *self->own_rewards);
    bool done = self->own_rewards && batch_keep(self, rewards);
    if (!self->own_rewards) PyErr_NoMemory();
    done = done && all_of(rewards, state->Reward, true, "a Reward or None");
    for (Py_ssize_t i = 0; i < count && done; i++) {
        PyObject *reward = PyTuple_GetItem(rewards, i);
        self->own_rewards[i] = reward == Py_None ? NULL : ((core_reward *)reward)->reward;
    }
    core_drop(rewards);
    for (size_t i = 0; i < self->world_count && done; i++) {
        worlds[i].rewards = self->own_rewards;
        done = worlds[i].agent_count == count;
        if (!done)
            core_raise_argument(state,
                                "world %zu has %d agents, but there are %zd rewards of agents", i,
                                worlds[i].agent_count, count);
    }
    return done;
}

/// What a Batch is made with. References are borrowed.
typedef struct batch_arguments {
    PyObject *models;
    PyObject *seeds;
    PyObject *rewards;
    PyObject *counts; // NULL: one agent in each world
    int threads;
    PyObject *bodies;                 // (agents of a world) names or None; or None
    PyObject *teams;                  // (agents of a world) numbers; or None
    PyObject *own_rewards;            // (agents of a world) a Reward or None; or None
    PyObject *arrays[JBW_PART_COUNT]; // by part, or NULL
    PyObject *reward;                 // the same for rewards
} batch_arguments;

// takes an array out of the keywords, if there is one of that name; NULL otherwise
static PyObject *pop_array(PyObject *keywords, const char *name)
{
    PyObject *array = PyDict_GetItemString(keywords, name);
    if (array) PyDict_DelItemString(keywords, name);
    return array == Py_None ? NULL : array;
}

// every part has a keyword of its name; false with an exception
static bool parse_arguments(PyObject *arguments, PyObject *keywords, batch_arguments *out)
{
    static char *names[] = {"models",       "seeds",         "rewards",
                            "agent_counts", "threads",       "bodies",
                            "teams",        "agent_rewards", NULL};
    *out = (batch_arguments){
        .rewards = Py_None, .bodies = Py_None, .teams = Py_None, .own_rewards = Py_None};
    PyObject *others = keywords ? PyDict_Copy(keywords) : PyDict_New();
    if (!others) return false;
    for (int i = 0; i < JBW_PART_COUNT; i++)
        out->arrays[i] =
            pop_array(others, jbw_part_describe(&(jbw_part_axes){0}, (jbw_part)i).name);
    out->reward = pop_array(others, "reward");
    const bool done = PyArg_ParseTupleAndKeywords(
        arguments, others, "OO|OOi$OOO:Batch", names, &out->models, &out->seeds, &out->rewards,
        &out->counts, &out->threads, &out->bodies, &out->teams, &out->own_rewards);
    core_drop(others);
    return done;
}

// checks an array of the caller and keeps it: its data, or NULL with an exception
static void *take_array(core_state *state, PyObject *given, const char *name, int type, int rank,
                        const npy_intp *shape, PyObject **kept)
{
    if (!core_array_check(state, given, name, type, rank, shape)) return NULL;
    *kept = core_new(given);
    return PyArray_DATA((PyArrayObject *)given);
}

// takes the arrays of the caller, with one row per agent; false with an exception
static bool take_arrays(core_batch *self, core_state *state, const batch_arguments *given,
                        jbw_batch_buffers *out)
{
    const core_model *model = (core_model *)PyTuple_GetItem(self->models, 0);
    for (int i = 0; i < JBW_PART_COUNT; i++) {
        if (!given->arrays[i]) continue;
        const jbw_part_info info = jbw_model_part(model->model, (jbw_part)i);
        npy_intp shape[JBW_PART_MAX_RANK + 1];
        const int rank = part_shape(&info, &self->agent_count, shape);
        void *data = take_array(state, given->arrays[i], info.name, part_type(&info), rank, shape,
                                &self->arrays[i]);
        if (!data) return false;
        jbw_observation_set(&out->parts, (jbw_part)i, data);
    }
    if (!given->reward) return true;
    const npy_intp agents = (npy_intp)self->agent_count;
    out->reward =
        take_array(state, given->reward, "reward", NPY_FLOAT64, 1, &agents, &self->reward);
    return out->reward != NULL;
}

// fills in what Python keeps of each world, and describes the worlds; false with an exception
static bool take_worlds(core_batch *self, core_state *state, const batch_arguments *given,
                        PyObject *seeds, jbw_batch_world *worlds)
{
    const Py_ssize_t count = PyList_Size(seeds);
    self->models =
        spread(state, given->models, Py_IS_TYPE(given->models, state->Model), count, "models");
    if (!self->models || !all_of(self->models, state->Model, false, "a Model")) return false;
    const bool is_one = given->rewards == Py_None || Py_IS_TYPE(given->rewards, state->Reward);
    self->rewards = spread(state, given->rewards, is_one, count, "rewards");
    if (!self->rewards || !all_of(self->rewards, state->Reward, true, "a Reward or None"))
        return false;
    PyObject *numbers = given->counts ? core_new(given->counts) : PyLong_FromLong(1);
    PyObject *counts =
        numbers ? spread(state, numbers, PyLong_Check(numbers), count, "agent counts") : NULL;
    const bool done = counts && describe(self, state, seeds, counts, worlds) &&
                      describe_bodies(self, state, given->bodies, worlds) &&
                      describe_teams(self, state, given->teams, worlds) &&
                      describe_own_rewards(self, state, given->own_rewards, worlds);
    core_drop(numbers);
    core_drop(counts);
    return done;
}

// creates the worlds; false with an exception
static bool create(core_batch *self, core_state *state, const batch_arguments *given,
                   PyObject *seeds)
{
    self->world_count = (size_t)PyList_Size(seeds);
    if (self->world_count == 0) {
        core_raise_argument(state, "a batch needs at least one world");
        return false;
    }
    self->lives = PyMem_Calloc(self->world_count, sizeof *self->lives);
    self->first_rows = PyMem_Calloc(self->world_count + 1, sizeof *self->first_rows);
    self->kept = PyTuple_New(0);
    jbw_batch_world *worlds = PyMem_Calloc(self->world_count, sizeof *worlds);
    if (!self->lives || !self->first_rows || !self->kept || !worlds) {
        PyMem_Free(worlds);
        PyErr_NoMemory();
        return false;
    }
    jbw_batch_buffers buffers = {0};
    const bool is_good =
        take_worlds(self, state, given, seeds, worlds) && take_arrays(self, state, given, &buffers);
    jbw_status status = JBW_OK;
    jbw_error error = {0};
    if (is_good)
        CORE_UNLOCKED(status = jbw_batch_create(worlds, self->world_count, given->threads, &buffers,
                                                &self->batch, &error));
    PyMem_Free(worlds);
    if (status) core_raise(state, status, error.text);
    return is_good && !status;
}

static PyObject *batch_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    core_state *state = core_state_of_type(type);
    batch_arguments given;
    if (!parse_arguments(arguments, keywords, &given)) return NULL;
    PyObject *seeds = PySequence_List(given.seeds);
    core_batch *self = seeds ? (core_batch *)PyType_GenericAlloc(type, 0) : NULL;
    if (self && (!core_gate_init(&self->gate) || !create(self, state, &given, seeds)))
        Py_CLEAR(self);
    core_drop(seeds);
    return (PyObject *)self;
}

static int batch_traverse(core_batch *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE((PyObject *)self));
    Py_VISIT(self->models);
    Py_VISIT(self->rewards);
    Py_VISIT(self->kept);
    for (int i = 0; i < JBW_PART_COUNT; i++) Py_VISIT(self->arrays[i]);
    Py_VISIT(self->reward);
    return 0;
}

// ends the batch first: it writes to the buffers
static void end_batch(core_batch *self)
{
    jbw_batch *batch = self->batch;
    self->batch = NULL;
    if (batch) CORE_UNLOCKED(jbw_batch_destroy(batch));
    for (int i = 0; i < JBW_PART_COUNT; i++) Py_CLEAR(self->arrays[i]);
    Py_CLEAR(self->reward);
}

static void batch_dealloc(core_batch *self)
{
    PyTypeObject *type = core_type(self);
    PyObject_GC_UnTrack(self);
    core_batch_return_ticket(self);
    end_batch(self);
    core_gate_deinit(&self->gate);
    PyMem_Free(self->lives);
    PyMem_Free(self->first_rows);
    PyMem_Free(self->bodies);
    PyMem_Free(self->teams);
    PyMem_Free((void *)self->own_rewards);
    core_drop(self->models);
    core_drop(self->rewards);
    core_drop(self->kept);
    PyObject_GC_Del(self);
    core_drop(type);
}

jbw_batch *batch_enter(core_batch *self, core_state *state)
{
    if (!core_gate_enter(&self->gate, state, false)) return NULL;
    if (self->batch) return self->batch;
    core_gate_leave(&self->gate);
    PyErr_SetString(state->BusyError, "the batch was closed");
    return NULL;
}

bool batch_has_world(const core_batch *self, Py_ssize_t index)
{
    if (index >= 0 && (size_t)index < self->world_count) return true;
    PyErr_Format(PyExc_IndexError, "there is no world %zd, expected 0 to %zu", index,
                 self->world_count - 1);
    return false;
}

static PyObject *batch_close(core_batch *self, PyObject *unused)
{
    (void)unused;
    core_batch_return_ticket(self); // before the gate, as its lock comes first
    if (!core_gate_enter(&self->gate, core_state_of(self), false)) return NULL;
    end_batch(self);
    core_gate_leave(&self->gate);
    return core_new(Py_None);
}

static PyObject *batch_get_world_count(core_batch *self, void *unused)
{
    (void)unused;
    return PyLong_FromSize_t(self->world_count);
}

static PyObject *batch_get_agent_count(core_batch *self, void *unused)
{
    (void)unused;
    return PyLong_FromSize_t(self->agent_count);
}

static PyObject *batch_get_model(core_batch *self, void *unused)
{
    (void)unused;
    return core_new(PyTuple_GetItem(self->models, 0));
}

// --- the type -----------------------------------------------------------------------------------

#define KEYWORDS(function) (PyCFunction)(void (*)(void))(function), METH_VARARGS | METH_KEYWORDS

static PyMethodDef methods[] = {
    {"write", (PyCFunction)(void (*)(void))batch_write, METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("write($self, /, row, text)\n--\n\n"
               "The next item that the agent of a row drops and that may carry a text carries this "
               "one.")},
    {"step", (PyCFunction)batch_step, METH_O,
     PyDoc_STR("step($self, actions, /)\n--\n\n"
               "Steps all worlds: (agents) action numbers, by row. An int32 array is not copied.")},
    {"choose", (PyCFunction)batch_choose, METH_O,
     PyDoc_STR("choose($self, policy, /)\n--\n\n"
               "Lets one policy look at what all agents perceive, and returns their next actions, "
               "int32\n(agents). The policy must be for as many agents.")},
    {"run", (PyCFunction)batch_run, METH_O,
     PyDoc_STR("run($self, actions, /)\n--\n\n"
               "Steps all worlds once for each row of actions, int32 (steps, agents), in one call. "
               "The arrays hold the\nresults of the last step.")},
    {"send", KEYWORDS(batch_send),
     PyDoc_STR("send($self, /, worlds, actions)\n--\n\n"
               "Starts a step of some worlds, (n) indexes, and returns at once. actions are those "
               "of their agents, in\nthat order, and are copied.")},
    {"receive", KEYWORDS(batch_receive),
     PyDoc_STR("receive($self, /, wanted=1)\n--\n\n"
               "Waits for at least wanted of the worlds that were sent, and returns the indexes of "
               "all that are done,\nin the order in which they finished: int64.")},
    {"reset", KEYWORDS(batch_reset),
     PyDoc_STR("reset($self, /, index, seed)\n--\n\n"
               "Replaces one world by a new one with another seed.")},
    {"leave", (PyCFunction)batch_leave, METH_O,
     PyDoc_STR("leave($self, row, /)\n--\n\n"
               "Removes the agent of a row from its world. The row stays, empty: zeros, and its "
               "action is ignored.")},
    {"join", KEYWORDS(batch_join),
     PyDoc_STR("join($self, /, row, position=None, direction='up', body=None)\n--\n\n"
               "Adds an agent to the world of an empty row.")},
    {"agent_ids", (PyCFunction)batch_agent_ids, METH_NOARGS,
     PyDoc_STR("agent_ids($self, /)\n--\n\n"
               "The number of each row's agent, as Agent.id; None for empty rows.")},
    {"written", (PyCFunction)batch_written, METH_O,
     PyDoc_STR("written($self, row, /)\n--\n\n"
               "The text that waits for an item that the agent of a row drops; empty if there is "
               "none.")},
    {"set_world", KEYWORDS(batch_set_world),
     PyDoc_STR("set_world($self, /, index, world, agents=None)\n--\n\n"
               "Replaces one world by a copy of another one with an equal model and as many "
               "agents. Its rows become what\nthey were after its latest step. agents are the "
               "numbers of the agents of its rows, None for empty rows.")},
    {"world", (PyCFunction)batch_world, METH_O,
     PyDoc_STR("world($self, index, /)\n--\n\n"
               "A World to look at and edit between steps; it cannot be stepped, and agents cannot "
               "be added. It raises\nafter a reset, and while its world is in progress.")},
    {"agent", (PyCFunction)batch_agent, METH_O,
     PyDoc_STR("agent($self, row, /)\n--\n\nThe agent of a row.")},
    {"hash", (PyCFunction)batch_hash, METH_O,
     PyDoc_STR("hash($self, index, /)\n--\n\nWorld.hash of one world.")},
    {"item_vision", KEYWORDS(batch_item_vision),
     PyDoc_STR("item_vision($self, /, out=None)\n--\n\n"
               "Agent.item_vision of all agents: float32 (agents, 2 R + 1, 2 R + 1, item types), "
               "written to out.")},
    {"states", (PyCFunction)batch_states, METH_NOARGS,
     PyDoc_STR("states($self, /)\n--\n\n"
               "New arrays, one row per agent: position int64 (agents, 2), direction int8 "
               "(agents,) as 0 up, 1 right,\n2 down, 3 left, time int64 (agents,) and inventory "
               "int64 (agents, item types).")},
    {"reward_function", (PyCFunction)batch_reward_function, METH_O,
     PyDoc_STR("reward_function($self, index, /)\n--\n\n"
               "The text of the reward in force in the next step of one world.")},
    {"ticket", (PyCFunction)batch_ticket, METH_NOARGS,
     PyDoc_STR("ticket($self, /)\n--\n\n"
               "What a compiled program needs for the next step: uint32 (3). A step returns the "
               "next ticket. Earlier\ntickets are void.")},
    {"close", (PyCFunction)batch_close, METH_NOARGS,
     PyDoc_STR("close($self, /)\n--\n\n"
               "Waits for steps in progress and destroys the worlds; later calls raise. Closing "
               "twice is fine.")},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef getters[] = {
    {"world_count", (getter)batch_get_world_count, NULL, PyDoc_STR("The number of worlds."), NULL},
    {"agent_count", (getter)batch_get_agent_count, NULL,
     PyDoc_STR("The number of agents in all worlds, which is the number of rows."), NULL},
    {"model", (getter)batch_get_model, NULL, PyDoc_STR("The model of world 0."), NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

// a keyword for each part
#define KEYWORD(NAME, name, type, shape, about) #name "=None, "
#define PART_KEYWORDS JBW_PART_LIST(KEYWORD)

static PyType_Slot slots[] = {
    {Py_tp_doc,
     PyDoc_STR("Batch(models, seeds, rewards=None, agent_counts=1, threads=0, *, "
               "bodies=None, teams=None, agent_rewards=None, " PART_KEYWORDS "reward=None)\n--\n\n"
               "Many worlds, stepped together by a pool of threads, straight into your arrays.\n\n"
               "There is one row per agent: first the agents of world 0 in the order in which they "
               "were added, then those\nof world 1, and so on. All models must have the same "
               "shapes, actions and items. threads 0 means one per\nprocessor. bodies, teams and "
               "agent_rewards are those of the\nagents of every world. The arrays are "
               "C-contiguous and writeable, and the batch keeps them alive: reward is float64\n"
               "(agents,), and every part of Model.parts has its dtype and the shape (agents, "
               "*shape).")},
    {Py_tp_new, batch_new},
    {Py_tp_dealloc, batch_dealloc},
    {Py_tp_traverse, batch_traverse},
    {Py_tp_methods, methods},
    {Py_tp_getset, getters},
    {0, NULL},
};

PyType_Spec core_batch_spec = {
    .name = "jbw._core.Batch",
    .basicsize = sizeof(core_batch),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};
