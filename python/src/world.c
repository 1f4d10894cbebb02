// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// World: the map of one seed, and the agents in it. It either owns a world of the library, or
/// refers to one of a batch, as long as that exists.
#include "world_parts.h"

#include <limits.h>
#include <string.h>
#include <time.h>

// --- entering and leaving -----------------------------------------------------------------------

jbw_world *core_world_enter(core_world *self, core_state *state, bool reads)
{
    if (!self->batch) {
        // a signal handler runs while the map is half made
        if (self->is_asking && self->gate.holder == PyThread_get_thread_ident()) {
            PyErr_SetString(state->BusyError, "this world is being generated");
            return NULL;
        }
        if (!core_gate_enter(&self->gate, state, reads)) return NULL;
        if (!reads) self->version++;
        return self->own;
    }

    core_batch *batch = self->batch;
    if (!core_gate_enter(&batch->gate, state, reads)) return NULL;
    const char *problem = NULL;
    jbw_world *world = NULL;
    if (!batch->batch)
        problem = "the batch of this world was closed";
    else if (batch->lives[self->index] != self->life)
        problem = "this world has ended: it was reset in its batch";
    else if (!(world = jbw_batch_get_world(batch->batch, self->index)))
        problem = "this world is under way in its batch: receive it first";
    if (problem) {
        core_gate_leave(&batch->gate);
        PyErr_SetString(state->BusyError, problem);
        return NULL;
    }
    self->version++; // the batch may have stepped it
    return world;
}

jbw_world *core_world_enter_agents(core_world *self, core_state *state)
{
    if (self->batch) {
        PyErr_SetString(state->BusyError, "this world belongs to a batch, which steps it");
        return NULL;
    }
    return core_world_enter(self, state, false);
}

void core_world_leave(core_world *self)
{
    core_gate_leave(self->batch ? &self->batch->gate : &self->gate);
}

void core_world_release(core_world *self)
{
    self->thread = PyEval_SaveThread();
}

bool core_world_resume(core_world *self)
{
    PyEval_RestoreThread(self->thread);
    self->thread = NULL;
    if (!self->error[0]) return true;
    PyErr_Restore(self->error[0], self->error[1], self->error[2]);
    memset(self->error, 0, sizeof self->error);
    return false;
}

// --- signals ------------------------------------------------------------------------------------

static uint64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

// Asks Python whether a signal such as Ctrl-C has arrived, a few times a second. Called in the middle
// of calls on the world; those that may take long have released the interpreter's lock.
static bool is_interrupt_wanted(void *user)
{
    enum { PAUSE = 30 * 1000 * 1000 }; // nanoseconds
    core_world *self = user;
    if (self->error[0]) return !self->finishes_steps;
    const uint64_t time = now();
    if (!self->thread || time - self->asked_at < PAUSE) return false;
    self->asked_at = time;
    PyEval_RestoreThread(self->thread);
    self->is_asking = true;
    if (PyErr_CheckSignals() != 0) PyErr_Fetch(&self->error[0], &self->error[1], &self->error[2]);
    self->is_asking = false;
    self->thread = PyEval_SaveThread();
    return self->error[0] && !self->finishes_steps;
}

static void own(core_world *self, jbw_world *world)
{
    self->own = world;
    jbw_world_on_interrupt(world, is_interrupt_wanted, self);
}

// --- making and ending --------------------------------------------------------------------------

static core_world *allocate(core_state *state, core_model *model)
{
    core_world *self = (core_world *)PyType_GenericAlloc(state->World, 0);
    if (!self) return NULL;
    self->model = (core_model *)core_new(model);
    if (!core_gate_init(&self->gate)) {
        core_drop(self);
        return NULL;
    }
    return self;
}

PyObject *core_world_wrap(core_state *state, core_model *model, jbw_world *world)
{
    core_world *self = allocate(state, model);
    if (self)
        own(self, world);
    else
        jbw_world_destroy(world);
    return (PyObject *)self;
}

PyObject *core_world_make(core_state *state, core_model *model, uint64_t seed, PyObject *atlas)
{
    core_world *self = allocate(state, model);
    if (!self) return NULL;
    jbw_world *world;
    const jbw_status status = jbw_world_create(model->model, seed, &world);
    if (!status) own(self, world);
    if (!status && core_atlas_attach(state, model, atlas, world)) return (PyObject *)self;
    core_drop(self);
    return status ? core_raise(state, status, NULL) : NULL;
}

PyObject *core_world_of_batch(core_state *state, core_batch *batch, size_t index)
{
    core_model *model = (core_model *)PyTuple_GetItem(batch->models, (Py_ssize_t)index);
    core_world *self = allocate(state, model);
    if (!self) return NULL;
    self->batch = (core_batch *)core_new(batch);
    self->index = index;
    self->life = batch->lives[index];
    return (PyObject *)self;
}

// a Model from anything that describes a world, by way of jbw.config
static core_model *to_model(core_state *state, PyObject *world, PyObject *overrides)
{
    const bool has_overrides = overrides && overrides != Py_None;
    if (Py_IS_TYPE(world, state->Model) && !has_overrides) return (core_model *)core_new(world);
    PyObject *module = PyImport_ImportModule("jbw.config");
    PyObject *model = module ? PyObject_CallMethod(module, "compile_world", "OO", world,
                                                   has_overrides ? overrides : Py_None)
                             : NULL;
    core_drop(module);
    if (model && !Py_IS_TYPE(model, state->Model)) {
        PyErr_Format(PyExc_TypeError, "expected a world, found %R", world);
        Py_CLEAR(model);
    }
    return (core_model *)model;
}

static PyObject *world_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"world", "seed", "overrides", "generation_threads", "atlas", NULL};
    core_state *state = core_state_of_type(type);
    PyObject *world;
    PyObject *overrides = NULL;
    PyObject *atlas = NULL;
    uint64_t seed = 0;
    int threads = 0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|O&$OiO:World", names, &world,
                                     core_to_uint64, &seed, &overrides, &threads, &atlas))
        return NULL;
    core_model *model = to_model(state, world, overrides);
    PyObject *self = model ? core_world_make(state, model, seed, atlas) : NULL;
    core_drop(model);
    if (self && threads != 0 &&
        !core_world_set_generation_threads((core_world *)self, state, threads))
        Py_CLEAR(self);
    return self;
}

static int world_traverse(core_world *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE((PyObject *)self));
    Py_VISIT(self->model);
    Py_VISIT(self->batch);
    Py_VISIT(self->callback);
    Py_VISIT(self->notes);
    for (int i = 0; i < 3; i++) Py_VISIT(self->error[i]);
    return 0;
}

// references that may be part of a cycle; the others are needed until the end
static int world_clear(core_world *self)
{
    Py_CLEAR(self->callback);
    Py_CLEAR(self->notes);
    Py_CLEAR(self->reward);
    for (int i = 0; i < 3; i++) Py_CLEAR(self->error[i]);
    return 0;
}

static void world_dealloc(core_world *self)
{
    PyTypeObject *type = core_type(self);
    PyObject_GC_UnTrack(self);
    core_viewers_end(self);
    jbw_world_destroy(self->own);
    world_clear(self);
    core_gate_deinit(&self->gate);
    PyMem_Free(self->agents);
    core_drop(self->batch);
    core_drop(self->model);
    PyObject_GC_Del(self);
    core_drop(type);
}

// --- generation threads -------------------------------------------------------------------------

bool core_world_set_generation_threads(core_world *self, core_state *state, int count)
{
    jbw_world *world = core_world_enter_agents(self, state);
    if (!world) return false;
    core_world_release(self);
    const jbw_status status = jbw_world_set_generation_threads(world, count);
    core_world_resume(self);
    core_world_leave(self);
    if (status == JBW_INVALID_ARGUMENT)
        core_raise_argument(state, "generation_threads: expected 0 to %d",
                            JBW_MAX_GENERATION_THREADS);
    else if (status)
        core_raise(state, status, NULL);
    return !status;
}

static PyObject *world_get_generation_threads(core_world *self, void *unused)
{
    (void)unused;
    jbw_world *world = core_world_enter(self, core_state_of(self), true);
    if (!world) return NULL;
    const int count = jbw_world_generation_threads(world);
    core_world_leave(self);
    return PyLong_FromLong(count);
}

static int world_set_generation_threads(core_world *self, PyObject *value, void *unused)
{
    (void)unused;
    if (!value) {
        PyErr_SetString(PyExc_AttributeError, "generation_threads cannot be deleted");
        return -1;
    }
    const long count = PyLong_AsLong(value);
    if (count == -1 && PyErr_Occurred()) return -1;
    const int number = count < 0 || count > INT_MAX ? -1 : (int)count;
    return core_world_set_generation_threads(self, core_state_of(self), number) ? 0 : -1;
}

// --- the type -----------------------------------------------------------------------------------

#define KEYWORDS(function) (PyCFunction)(void (*)(void))(function), METH_VARARGS | METH_KEYWORDS

static PyMethodDef methods[] = {
    {"agent", (PyCFunction)world_agent, METH_O,
     PyDoc_STR("agent($self, id, /)\n--\n\n"
               "The agent with that id; NoSuchAgentError if there is none.")},
    {"add_agent", KEYWORDS(world_add_agent),
     PyDoc_STR("add_agent($self, /, position=None, direction='up', force=False, "
               "body=None)\n--\n\n"
               "Adds an agent: by default on the first free cell of a spiral around the origin.\n\n"
               "CellBlockedError if the cell is blocked or taken, unless force. body is one of "
               "Model.bodies.")},
    {"act", KEYWORDS(world_act),
     PyDoc_STR("act($self, /, agents, actions=None, texts=None)\n--\n\n"
               "Requests actions for several agents: a mapping, or agents and their actions.\n\n"
               "Either all requests are made or none. True if the world has stepped, since all "
               "active agents "
               "have asked.")},
    {"step", (PyCFunction)world_step, METH_NOARGS,
     PyDoc_STR("step($self, /)\n--\n\n"
               "Steps the world now; agents that have not requested an action do nothing.")},
    {"items", KEYWORDS(world_items),
     PyDoc_STR("items($self, /, x, y, width, height)\n--\n\n"
               "The items in cells [x, x + width) times [y, y + height): a new (height, width) "
               "array of uint8.\n\nRow 0 has the lowest y. 0 is an empty or unknown cell, "
               "otherwise the item type plus one.\nNothing is generated: see explore.")},
    {"patch_states", KEYWORDS(world_patch_states),
     PyDoc_STR("patch_states($self, /, x, y, width, height)\n--\n\n"
               "(height, width) of uint8, row 0 with the lowest y: 0 where nothing is known, 1 "
               "where items may\nstill be sampled again, 2 where generated items are final.")},
    {"planes", KEYWORDS(world_planes),
     PyDoc_STR("planes($self, /, x, y, width, height)\n--\n\n"
               "A region as items and patch_states show it, and what agents cannot see there "
               "now.")},
    {"inspect", KEYWORDS(world_inspect),
     PyDoc_STR("inspect($self, /, x, y)\n--\n\n"
               "What is in a cell, and since when; nothing is generated or changed.")},
    {"place", KEYWORDS(world_place),
     PyDoc_STR("place($self, /, item, x, y, text=None)\n--\n\n"
               "Places an item in an empty cell; CellBlockedError if it is not empty.")},
    {"remove", KEYWORDS(world_remove),
     PyDoc_STR("remove($self, /, x, y)\n--\n\n"
               "Removes the item of a cell; NotFoundError if there is none.")},
    {"smell", KEYWORDS(world_smell),
     PyDoc_STR("smell($self, /, x, y)\n--\n\n"
               "The current scent of a cell: a new (scent_dimensions) array of float32.")},
    {"explore", (PyCFunction)world_explore, METH_O,
     PyDoc_STR("explore($self, positions, /)\n--\n\n"
               "Makes the patches final that agents at these cells would need: (n, 2) or "
               "(2,).")},
    {"explore_region", KEYWORDS(world_explore_region),
     PyDoc_STR("explore_region($self, /, x, y, width, height)\n--\n\n"
               "Makes every patch that touches the region final, one by one, row by row.")},
    {"hash", (PyCFunction)world_hash, METH_NOARGS,
     PyDoc_STR("hash($self, /)\n--\n\n"
               "Equal for equal worlds, on every platform, and almost never otherwise.")},
    {"on_step", (PyCFunction)world_on_step, METH_O,
     PyDoc_STR(
         "on_step($self, function, /)\n--\n\n"
         "Calls function(world) after each step, before the call that caused it returns.\n\n"
         "It may read the world but not change it. That call raises its exceptions. None removes "
         "it. Copies and\nloaded worlds have none.")},
    {"draw", KEYWORDS(world_draw),
     PyDoc_STR("draw($self, /, path, x, y, width, height, *, scale=4, grid=False, legend=False, "
               "agent=None, panel=None, trail=None, fade=0, rewards=None)\n--\n\n"
               "Draws a region into a PNG file, scale pixels per cell; see picture.")},
    {"picture", KEYWORDS(world_picture),
     PyDoc_STR("picture($self, /, region=None, *, scale=0, grid=False, legend=False, agent=None, "
               "panel=None, trail=None, fade=0, rewards=None)\n--\n\n"
               "A picture of the world: uint8, (height, width, 3).\n\n"
               "region is (x, y, width, height), or else cells around the agent; scale is pixels "
               "per cell, 0 chooses it.\nThe agent is highlighted, and its panel beside the map "
               "shows what it sees, smells and carries, and the\nrewards of its latest steps. "
               "trail is (n, 2) cells, and fades over that many steps if fade is not 0.\nNothing "
               "changes, and nothing is generated.")},
    {"view", KEYWORDS(core_world_view),
     PyDoc_STR(
         "view($self, /, port=0, *, open=False, quiet=False, reward=None, "
         "host='127.0.0.1', frame_rate=30.0)\n--\n\n"
         "Lets browsers watch the world while Python continues to use it, and prints the "
         "address.\n\nPort 0 is any free one; open also opens a browser; reward is the reward "
         "whose rate the page plots at\nfirst. Watchers cannot change anything, and without "
         "watchers it costs next to nothing. It lasts until the\nviewer is closed or the "
         "world is destroyed.")},
    {"clone", (PyCFunction)core_world_clone, METH_NOARGS,
     PyDoc_STR("clone($self, /)\n--\n\n"
               "An independent copy; cheap, since both share what neither changes.")},
    {"save", KEYWORDS(core_world_save),
     PyDoc_STR(
         "save($self, /, path, notes=None, replace=False)\n--\n\n"
         "Writes a snapshot. An existing file is an error unless replace; on failure it stays "
         "as it was. One of the notes may be a Policy, which is written as its to_bytes() "
         "without being in memory a second time.")},
    {"load", KEYWORDS(core_world_load) | METH_CLASS,
     PyDoc_STR(
         "load($type, path, /, *, memory_budget=None, generation_threads=0, "
         "memory_limit=None, atlas=None)\n--\n\n"
         "Reads a snapshot. The world continues bit by bit as the saved one.\n\n"
         "memory_budget is that of an invariant world, in megabytes; None means that of the "
         "saved one.\ngeneration_threads and atlas are those of World. memory_limit is how many "
         "megabytes loading may take; None means\n1,000 times the size of the file, at "
         "least 256 MB. More is a MemoryError.")},
    {"to_bytes", KEYWORDS(core_world_to_bytes),
     PyDoc_STR("to_bytes($self, /, notes=None)\n--\n\nA snapshot in memory.")},
    {"from_bytes", KEYWORDS(core_world_from_bytes) | METH_CLASS,
     PyDoc_STR(
         "from_bytes($type, snapshot, /, *, memory_budget=None, generation_threads=0, "
         "memory_limit=None, atlas=None)\n--\n\nThe world of a snapshot in memory; see load.")},
    {"pop_note", (PyCFunction)world_pop_note, METH_O,
     PyDoc_STR("pop_note($self, name, /)\n--\n\n"
               "Removes one of the notes and returns it, so that a large one does not stay in "
               "memory.")},
    {"record", KEYWORDS(core_world_record),
     PyDoc_STR("record($self, /, path, replace=False, *, append=False, notes=None, hash_every=0, "
               "snapshot_every=0, flush_every=0)\n--\n\n"
               "Starts a recording of everything that happens until the recorder is closed.\n\n"
               "append continues a recording that ends with this world. Zero means 10,000 steps "
               "between hashes,\n1,000,000 between snapshots and 1,000 between flushes.")},
    {"__copy__", (PyCFunction)core_world_clone, METH_NOARGS, NULL},
    {"__deepcopy__", (PyCFunction)core_world_deepcopy, METH_O, NULL},
    {"__reduce__", (PyCFunction)core_world_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

#define GETTER(name, doc)                                           \
    {                                                               \
#name, (getter)world_get_##name, NULL, PyDoc_STR(doc), NULL \
    }

static PyGetSetDef getters[] = {
    GETTER(model, "The world file, checked and compiled."),
    GETTER(config, "A new Config that describes this world."),
    GETTER(seed, "The seed of the world."),
    GETTER(time, "Steps taken so far."),
    GETTER(item_names, "Names by item type."),
    GETTER(action_names, "Names by action number."),
    GETTER(agents, "The agents in the world, in the order in which they were added."),
    GETTER(stats, "Statistics of the world."),
    GETTER(notes, "The notes of the snapshot that the world was loaded from; otherwise "
                  "empty."),
    {"generation_threads", (getter)world_get_generation_threads,
     (setter)world_set_generation_threads,
     PyDoc_STR("The number of background threads that generate the world, if it is invariant."),
     NULL},
    {"viewers", (getter)core_world_get_viewers, NULL,
     PyDoc_STR("The viewers that show this world, in the order of World.view."), NULL},
    {"reward", (getter)core_world_get_reward, (setter)core_world_set_reward,
     PyDoc_STR("The reward that World.view lets pages plot unless it is told another: that of the "
               "environment whose\nworld this is, or None. It has no effect on the world."),
     NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc,
     PyDoc_STR("World(world, seed=0, *, overrides=None, generation_threads=0, atlas=None)\n--\n\n"
               "An endless world: the map of one seed, and the agents in it.\n\n"
               "world is the name of a shipped world, a path, YAML as a mapping, a "
               "Config or a Model; overrides\nreplaces keys such as "
               "{\"agent.field_of_view\": 90}. seed is from 0 to 2**64 - 1. "
               "generation_threads is the\nnumber of background threads that generate "
               "an invariant world; atlas is a folder that keeps its "
               "patches (an Atlas, a path, or False for none\nwhatever JBW_ATLAS "
               "says). Results depend on neither.")},
    {Py_tp_new, world_new},
    {Py_tp_dealloc, world_dealloc},
    {Py_tp_traverse, world_traverse},
    {Py_tp_clear, world_clear},
    {Py_tp_repr, world_repr},
    {Py_tp_methods, methods},
    {Py_tp_getset, getters},
    {0, NULL},
};

PyType_Spec core_world_spec = {
    .name = "jbw._core.World",
    .basicsize = sizeof(core_world),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};
