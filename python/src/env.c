// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Env: one world with one agent. A step is one call, which makes everything that Gymnasium wants:
/// building it in Python would cost more than the step itself.
#include "core.h"

#include <string.h>

typedef enum form { FORM_DICT, FORM_FLAT, FORM_PLAIN } form;
typedef enum sight { SIGHT_NONE, SIGHT_COLOR, SIGHT_ITEMS } sight;

typedef struct core_env {
    PyObject_HEAD core_model *model;
    core_reward *reward; // or NULL
    core_world *world;
    core_agent *agent;
    core_gate gate;          // entered before the world's
    jbw_agent_options place; // where the agent begins
    int generation_threads;  // of its worlds
    form form;
    sight sight;
    bool has_scent;
    bool has_moved;
    bool copies;
    npy_intp vision_size;
    npy_intp scent_size;
    void *scratch;       // for item vision
    PyObject *arrays[2]; // vision (or all that is flat) and scent, written again if not `copies`
    PyObject *name;      // of the reward in force
    uint64_t *counts;    // (item types) of the inventory that follows
    PyObject *inventory; // a dict, copied into each info
} core_env;

// everything about the moment after a step that Python is going to be told
typedef struct moment {
    jbw_agent_state state;
    jbw_agent_result result;
    uint64_t time;
    double reward;
    bool inventory_changed;
} moment;

// --- observing ----------------------------------------------------------------------------------

static PyObject *make_vision(const core_env *self)
{
    const core_model *model = self->model;
    const npy_intp shape[3] = {model->side, model->side,
                               self->sight == SIGHT_ITEMS ? model->item_count : model->colors};
    return PyArray_SimpleNew(3, shape, NPY_FLOAT32);
}

// the arrays that the next observation goes to: new references
static bool make_arrays(const core_env *self, bool wants_new, PyObject *out[2])
{
    out[0] = out[1] = NULL;
    if (!wants_new) {
        out[0] = core_new(self->arrays[0]);
        out[1] = core_new(self->arrays[1]);
        return true;
    }
    if (self->form == FORM_FLAT) {
        const npy_intp size = self->vision_size + self->scent_size + self->has_moved;
        out[0] = PyArray_SimpleNew(1, &size, NPY_FLOAT32);
        return out[0] != NULL;
    }
    if (self->sight != SIGHT_NONE && !(out[0] = make_vision(self))) return false;
    if (!self->has_scent) return true;
    out[1] = PyArray_SimpleNew(1, &self->scent_size, NPY_FLOAT32);
    if (!out[1]) Py_CLEAR(out[0]);
    return out[1] != NULL;
}

// needs no interpreter
static jbw_status perceive(const core_env *self, jbw_world *world, float *vision, float *scent)
{
    const jbw_agent_id id = self->agent->id;
    if (self->sight == SIGHT_ITEMS) {
        const jbw_status status = core_item_vision(world, id, self->scratch, vision);
        if (status || !scent) return status;
        vision = NULL;
    }
    return jbw_agent_perceive(world, id, vision, scent);
}

// needs no interpreter
static jbw_status look(core_env *self, jbw_world *world, PyObject *const arrays[2], moment *out)
{
    // parts of a flat vector lie behind each other
    float *vision = arrays[0] ? PyArray_DATA((PyArrayObject *)arrays[0]) : NULL;
    float *scent = arrays[1] ? PyArray_DATA((PyArrayObject *)arrays[1]) : NULL;
    float *moved = NULL;
    if (self->form == FORM_FLAT) {
        scent = self->has_scent ? vision + self->vision_size : NULL;
        moved = self->has_moved ? vision + self->vision_size + self->scent_size : NULL;
        if (self->sight == SIGHT_NONE) vision = NULL;
    }
    jbw_status status = perceive(self, world, vision, scent);
    if (status) return status;

    const jbw_agent_id id = self->agent->id;
    jbw_agent_get_state(world, id, &out->state);
    jbw_agent_get_result(world, id, &out->result);
    out->time = jbw_world_time(world);
    out->reward = self->reward ? jbw_agent_reward(world, id, self->reward->reward) : 0;
    const size_t size = sizeof *self->counts * (size_t)self->model->item_count;
    const uint64_t *counts = jbw_agent_inventory(world, id);
    out->inventory_changed = size > 0 && memcmp(self->counts, counts, size) != 0;
    if (out->inventory_changed) memcpy(self->counts, counts, size);
    if (moved) *moved = out->result.moved;
    return JBW_OK;
}

// takes over the arrays
static PyObject *make_observation(const core_env *self, core_state *state, PyObject *arrays[2],
                                  bool moved)
{
    if (self->form == FORM_FLAT) return arrays[0];
    if (self->form == FORM_PLAIN) return arrays[0] ? arrays[0] : arrays[1];
    PyObject *dict = PyDict_New();
    bool done = dict != NULL;
    if (done && arrays[0]) done = PyDict_SetItem(dict, state->word_vision, arrays[0]) == 0;
    if (done && arrays[1]) done = PyDict_SetItem(dict, state->word_scent, arrays[1]) == 0;
    if (done && self->has_moved)
        done = PyDict_SetItem(dict, state->word_moved, state->moved[moved]) == 0;
    if (!done) Py_CLEAR(dict);
    core_drop(arrays[0]);
    core_drop(arrays[1]);
    return dict;
}

// --- telling ------------------------------------------------------------------------------------

static bool refresh_inventory(core_env *self)
{
    for (int i = 0; i < self->model->item_count; i++) {
        PyObject *name = PyTuple_GetItem(self->model->item_names, i);
        if (!core_set(self->inventory, name, PyLong_FromUnsignedLongLong(self->counts[i])))
            return false;
    }
    return true;
}

// the text of the reward in force; made anew only when it is another one
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

static PyObject *make_info(core_env *self, core_state *state, const moment *now)
{
    if (now->inventory_changed && !refresh_inventory(self)) {
        memset(self->counts, 0xff, sizeof *self->counts * (size_t)self->model->item_count);
        return NULL;
    }
    PyObject *info = PyDict_New();
    if (!info) return NULL;
    // the reward was for the step that is over; at the beginning, for the one to come
    const uint64_t time = now->result.time > 0 ? now->result.time - 1 : now->time;
    const bool done =
        core_set(info, state->word_position, core_from_position(now->state.position)) &&
        core_set(info, state->word_start, core_from_position(now->state.start)) &&
        PyDict_SetItem(info, state->word_direction, state->directions[now->state.direction]) == 0 &&
        core_set(info, state->word_time, PyLong_FromUnsignedLongLong(now->time)) &&
        core_set(info, state->word_collected, core_from_item(self->model, now->result.collected)) &&
        core_set(info, state->word_inventory, PyDict_Copy(self->inventory)) &&
        PyDict_SetItem(info, state->word_outcome, state->outcomes[now->result.outcome]) == 0 &&
        core_set(info, state->word_reward_function, reward_name(self, state, time));
    if (!done) Py_CLEAR(info);
    return info;
}

// --- living -------------------------------------------------------------------------------------

// begins a life in a world that already has the agent; takes over both references
static void move_in(core_env *self, PyObject *world, PyObject *agent)
{
    core_world *old_world = self->world;
    core_agent *old_agent = self->agent;
    if (old_world) core_viewers_move(core_state_of(self), old_world, (core_world *)world);
    self->world = (core_world *)world;
    self->agent = (core_agent *)agent;
    core_drop(old_agent);
    core_drop(old_world);
}

// lets threads make a world of this environment ahead, if it has any; false with an exception
static bool start_threads(const core_env *self, core_state *state, PyObject *world)
{
    return self->generation_threads == 0 ||
           core_world_set_generation_threads((core_world *)world, state, self->generation_threads);
}

static bool begin_life(core_env *self, core_state *state, uint64_t seed)
{
    PyObject *world = core_world_make(state, self->model, seed);
    if (!world) return false;
    core_world *owner = (core_world *)world;
    jbw_agent_id id;
    // threads come before the agent, whose surroundings they then make together
    jbw_world *own =
        start_threads(self, state, world) ? core_world_enter_agents(owner, state) : NULL;
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
    move_in(self, world, agent);
    return true;
}

// looks at the world as it is now; NULLs with an exception
static bool look_now(core_env *self, core_state *state, bool wants_new, PyObject *arrays[2],
                     moment *now)
{
    if (!make_arrays(self, wants_new, arrays)) return false;
    jbw_world *world = core_world_enter(self->world, state, true);
    jbw_status status = JBW_OK;
    if (world) {
        status = look(self, world, arrays, now);
        core_world_leave(self->world);
        if (status) core_raise(state, status, NULL);
    }
    if (world && !status) return true;
    Py_CLEAR(arrays[0]);
    Py_CLEAR(arrays[1]);
    return false;
}

static PyObject *reset(core_env *self, core_state *state, uint64_t seed)
{
    PyObject *arrays[2];
    moment now = {0};
    if (!begin_life(self, state, seed) || !look_now(self, state, self->copies, arrays, &now))
        return NULL;
    PyObject *observation = make_observation(self, state, arrays, now.result.moved);
    PyObject *info = observation ? make_info(self, state, &now) : NULL;
    PyObject *both = info ? PyTuple_Pack(2, observation, info) : NULL;
    core_drop(observation);
    core_drop(info);
    return both;
}

static PyObject *env_reset(core_env *self, PyObject *number)
{
    core_state *state = core_state_of(self);
    uint64_t seed;
    if (!core_to_uint64(number, &seed) || !core_gate_enter(&self->gate, state, false)) return NULL;
    PyObject *both = reset(self, state, seed);
    core_gate_leave(&self->gate);
    return both;
}

// acts and looks; false with an exception
static bool act(core_env *self, core_state *state, int action, PyObject *const arrays[2],
                moment *now)
{
    core_world *owner = self->world;
    jbw_world *world = core_world_enter_agents(owner, state);
    if (!world) return false;
    bool stepped = false;
    core_world_release(owner);
    jbw_status status = jbw_agent_act(world, self->agent->id, action, &stepped);
    if (!status && stepped) status = look(self, world, arrays, now);
    const bool is_fine = core_world_resume(owner);
    core_world_leave(owner);
    if (!is_fine) return false;
    if (status)
        core_raise(state, status, NULL);
    else if (!stepped)
        core_raise(state, JBW_INVALID_ARGUMENT,
                   "the world did not step: other active agents have not asked for anything");
    return !status && stepped;
}

static PyObject *step(core_env *self, core_state *state, int action)
{
    PyObject *arrays[2];
    if (!make_arrays(self, self->copies, arrays)) return NULL;
    moment now = {0};
    if (!act(self, state, action, arrays, &now)) {
        core_drop(arrays[0]);
        core_drop(arrays[1]);
        return NULL;
    }
    PyObject *observation = make_observation(self, state, arrays, now.result.moved);
    PyObject *info = observation ? make_info(self, state, &now) : NULL;
    PyObject *reward = info ? PyFloat_FromDouble(now.reward) : NULL;
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

static PyObject *env_step(core_env *self, PyObject *action)
{
    core_state *state = core_state_of(self);
    const int number = core_to_action(state, self->model, action);
    if (number < 0 || !core_gate_enter(&self->gate, state, false)) return NULL;
    PyObject *all = step(self, state, number);
    core_gate_leave(&self->gate);
    return all;
}

static PyObject *env_observe(core_env *self, PyObject *unused)
{
    (void)unused;
    core_state *state = core_state_of(self);
    PyObject *arrays[2];
    PyObject *observation = NULL;
    moment now = {0};
    if (!core_gate_enter(&self->gate, state, true)) return NULL;
    if (look_now(self, state, true, arrays, &now)) {
        // the counts were taken, so the dict must follow
        PyObject *info = make_info(self, state, &now);
        observation = make_observation(self, state, arrays, now.result.moved);
        if (!info) Py_CLEAR(observation);
        core_drop(info);
    }
    core_gate_leave(&self->gate);
    return observation;
}

static PyObject *env_info(core_env *self, PyObject *unused)
{
    (void)unused;
    core_state *state = core_state_of(self);
    PyObject *arrays[2];
    PyObject *info = NULL;
    moment now = {0};
    if (!core_gate_enter(&self->gate, state, true)) return NULL;
    if (look_now(self, state, true, arrays, &now)) {
        info = make_info(self, state, &now);
        core_drop(arrays[0]);
        core_drop(arrays[1]);
    }
    core_gate_leave(&self->gate);
    return info;
}

// --- making and ending --------------------------------------------------------------------------

// 0 with an exception
static int choose(core_state *state, const char *what, const char *word, const char *const *words,
                  int *out)
{
    for (int i = 0; words[i]; i++) {
        if (strcmp(word, words[i]) != 0) continue;
        *out = i;
        return 1;
    }
    core_raise_argument(state, "unknown %s \"%s\"", what, word);
    return 0;
}

// everything but the world
static core_env *allocate(PyTypeObject *type, core_state *state, core_model *model,
                          PyObject *reward, const core_env *options)
{
    core_env *self = (core_env *)PyType_GenericAlloc(type, 0);
    if (!self) return NULL;
    self->model = (core_model *)core_new(model);
    self->reward = reward == Py_None ? NULL : (core_reward *)core_new(reward);
    self->place = options->place;
    self->generation_threads = options->generation_threads;
    self->form = options->form;
    self->sight = options->sight;
    self->has_scent = options->has_scent && model->scents > 0;
    self->has_moved = options->has_moved && options->form != FORM_PLAIN;
    self->copies = options->copies;
    const int depth = self->sight == SIGHT_ITEMS ? model->item_count : model->colors;
    self->vision_size = self->sight == SIGHT_NONE ? 0 : model->side * model->side * depth;
    self->scent_size = self->has_scent ? model->scents : 0;
    self->counts = PyMem_Calloc((size_t)model->item_count + 1, sizeof *self->counts);
    self->scratch = PyMem_Malloc(core_item_vision_scratch(model->model));
    self->inventory = PyDict_New();
    if (!core_gate_init(&self->gate)) {
        core_drop(self);
        return NULL;
    }
    if (self->counts && self->scratch && self->inventory && refresh_inventory(self)) {
        const bool has_vision = self->sight != SIGHT_NONE;
        if (self->form == FORM_PLAIN && has_vision == self->has_scent)
            core_raise_argument(state, "a plain observation is either vision or scent");
        else if (self->form != FORM_DICT && !has_vision && !self->has_scent && !self->has_moved)
            core_raise_argument(state, "there is nothing to observe");
        else if (make_arrays(self, true, self->arrays))
            return self;
    } else if (!PyErr_Occurred()) {
        PyErr_NoMemory();
    }
    core_drop(self);
    return NULL;
}

static PyObject *env_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"model",    "reward",    "seed",  "vision",
                            "scent",    "moved",     "form",  "copy",
                            "position", "direction", "force", "generation_threads",
                            NULL};
    static const char *const forms[] = {"dict", "flat", "plain", NULL};
    static const char *const sights[] = {"", "color", "items", NULL};
    core_state *state = core_state_of_type(type);
    core_model *model;
    PyObject *reward = Py_None;
    PyObject *position = Py_None;
    uint64_t seed = 0;
    const char *vision = "color";
    const char *form_name = "dict";
    int scent = 1;
    int moved = 1;
    int copy = 1;
    int force = 0;
    core_env options = {0};
    if (!PyArg_ParseTupleAndKeywords(
            arguments, keywords, "O!|OO&$zppspOO&pi:Env", names, state->Model, &model, &reward,
            core_to_uint64, &seed, &vision, &scent, &moved, &form_name, &copy, &position,
            core_to_direction, &options.place.direction, &force, &options.generation_threads))
        return NULL;
    if (reward != Py_None && !Py_IS_TYPE(reward, state->Reward)) {
        PyErr_Format(PyExc_TypeError, "expected a Reward or None, found %R", reward);
        return NULL;
    }
    int form_number;
    int sight_number;
    if (!choose(state, "form", form_name, forms, &form_number) ||
        !choose(state, "vision", vision ? vision : "", sights, &sight_number))
        return NULL;
    options.place.has_position = position != Py_None;
    options.place.is_forced = force != 0;
    if (position != Py_None && !core_to_position(position, &options.place.position)) return NULL;
    options.form = (form)form_number;
    options.sight = (sight)sight_number;
    options.has_scent = scent != 0;
    options.has_moved = moved != 0;
    options.copies = copy != 0;

    core_env *self = allocate(type, state, model, reward, &options);
    if (self && !begin_life(self, state, seed)) Py_CLEAR(self);
    return (PyObject *)self;
}

static int env_traverse(core_env *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE((PyObject *)self));
    Py_VISIT(self->world);
    Py_VISIT(self->agent);
    return 0;
}

static void env_dealloc(core_env *self)
{
    PyTypeObject *type = core_type(self);
    PyObject_GC_UnTrack(self);
    core_drop(self->agent);
    core_drop(self->world);
    core_drop(self->reward);
    core_drop(self->model);
    core_drop(self->arrays[0]);
    core_drop(self->arrays[1]);
    core_drop(self->name);
    core_drop(self->inventory);
    PyMem_Free(self->counts);
    PyMem_Free(self->scratch);
    core_gate_deinit(&self->gate);
    PyObject_GC_Del(self);
    core_drop(type);
}

// --- properties ---------------------------------------------------------------------------------

static PyObject *env_get_model(core_env *self, void *unused)
{
    (void)unused;
    return core_new(self->model);
}

static PyObject *env_get_reward(core_env *self, void *unused)
{
    (void)unused;
    return core_new(self->reward ? (PyObject *)self->reward : Py_None);
}

static PyObject *env_get_agent(core_env *self, void *unused)
{
    (void)unused;
    return core_new(self->agent);
}

static PyObject *env_get_world(core_env *self, void *unused)
{
    (void)unused;
    return core_new(self->world);
}

static int env_set_world(core_env *self, PyObject *world, void *unused)
{
    (void)unused;
    core_state *state = core_state_of(self);
    if (!world || !Py_IS_TYPE(world, state->World)) {
        PyErr_SetString(PyExc_TypeError, "expected a World");
        return -1;
    }
    core_world *owner = (core_world *)world;
    const int equal = core_model_equals(state, owner->model, self->model);
    if (equal < 0) return -1;
    if (!equal || owner->batch) {
        core_raise_argument(state, "the world has another model, or belongs to a batch");
        return -1;
    }
    jbw_world *own = core_world_enter(owner, state, true);
    if (!own) return -1;
    jbw_agent_id id;
    const size_t count = jbw_world_agents(own, &id, 1);
    core_world_leave(owner);
    if (count == 0) {
        core_raise(state, JBW_NO_SUCH_AGENT, "there is no agent in the world");
        return -1;
    }
    PyObject *agent = core_world_agent(state, owner, id);
    if (!agent) return -1;
    if (!core_gate_enter(&self->gate, state, false)) {
        core_drop(agent);
        return -1;
    }
    move_in(self, core_new(world), agent);
    core_gate_leave(&self->gate);
    return 0;
}

static PyObject *env_get_observation_shapes(core_env *self, void *unused)
{
    (void)unused;
    core_state *state = core_state_of(self);
    const core_model *model = self->model;
    PyObject *shapes = PyDict_New();
    bool done = shapes != NULL;
    if (done && self->sight != SIGHT_NONE)
        done =
            core_set(shapes, state->word_vision,
                     Py_BuildValue("(iii)", model->side, model->side,
                                   self->sight == SIGHT_ITEMS ? model->item_count : model->colors));
    if (done && self->has_scent)
        done = core_set(shapes, state->word_scent, Py_BuildValue("(i)", model->scents));
    if (!done) Py_CLEAR(shapes);
    return shapes;
}

// --- copies -------------------------------------------------------------------------------------

static PyObject *env_clone(core_env *self, PyObject *unused)
{
    (void)unused;
    core_state *state = core_state_of(self);
    core_env *copy = allocate(core_type(self), state, self->model,
                              self->reward ? (PyObject *)self->reward : Py_None, self);
    if (!copy) return NULL;
    PyObject *world = NULL;
    PyObject *agent = NULL;
    if (core_gate_enter(&self->gate, state, true)) {
        world = core_world_clone(self->world, NULL);
        if (world && start_threads(self, state, world))
            agent = core_world_agent(state, (core_world *)world, self->agent->id);
        core_gate_leave(&self->gate);
    }
    if (agent) {
        move_in(copy, world, agent);
    } else {
        core_drop(world);
        Py_CLEAR(copy);
    }
    return (PyObject *)copy;
}

static PyObject *env_deepcopy(core_env *self, PyObject *memo)
{
    (void)memo;
    return env_clone(self, NULL);
}

// an environment is its options, its world, and which of the agents is its own
static PyObject *env_reduce(core_env *self, PyObject *unused)
{
    (void)unused;
    PyObject *rebuild = PyObject_GetAttrString((PyObject *)core_type(self), "_rebuild");
    if (!rebuild) return NULL;
    PyObject *agent = PyLong_FromUnsignedLongLong((uint64_t)self->agent->id.generation << 32 |
                                                  self->agent->id.index1);
    const jbw_agent_options *place = &self->place;
    return Py_BuildValue("N(OOON(iiiii)(iLLii)i)", rebuild, (PyObject *)self->model,
                         self->reward ? (PyObject *)self->reward : Py_None, (PyObject *)self->world,
                         agent, (int)self->form, (int)self->sight, self->has_scent, self->has_moved,
                         self->copies, place->has_position, (long long)place->position.x,
                         (long long)place->position.y, (int)place->direction, place->is_forced,
                         self->generation_threads);
}

static PyObject *env_rebuild(PyTypeObject *type, PyObject *arguments)
{
    core_state *state = core_state_of_type(type);
    core_model *model;
    PyObject *reward;
    core_world *world;
    unsigned long long id;
    core_env options = {0};
    int numbers[5];
    int has_position;
    int direction;
    int is_forced;
    long long x;
    long long y;
    if (!PyArg_ParseTuple(arguments, "O!OO!K(iiiii)(iLLii)i", state->Model, &model, &reward,
                          state->World, &world, &id, &numbers[0], &numbers[1], &numbers[2],
                          &numbers[3], &numbers[4], &has_position, &x, &y, &direction, &is_forced,
                          &options.generation_threads))
        return NULL;
    if ((reward != Py_None && !Py_IS_TYPE(reward, state->Reward)) || numbers[0] < FORM_DICT ||
        numbers[0] > FORM_PLAIN || numbers[1] < SIGHT_NONE || numbers[1] > SIGHT_ITEMS ||
        direction < 0 || direction >= CORE_DIRECTIONS || world->batch ||
        core_model_equals(state, model, world->model) != 1) {
        if (!PyErr_Occurred()) core_raise(state, JBW_INVALID_DATA, NULL);
        return NULL;
    }
    options.form = (form)numbers[0];
    options.sight = (sight)numbers[1];
    options.has_scent = numbers[2] != 0;
    options.has_moved = numbers[3] != 0;
    options.copies = numbers[4] != 0;
    options.place = (jbw_agent_options){.has_position = has_position != 0,
                                        .position = {x, y},
                                        .direction = (jbw_direction)direction,
                                        .is_forced = is_forced != 0};
    core_env *self = allocate(type, state, model, reward, &options);
    PyObject *agent = NULL;
    if (self && start_threads(self, state, (PyObject *)world))
        agent = PyObject_CallMethod((PyObject *)world, "agent", "K", id);
    if (!agent) {
        core_drop(self);
        return NULL;
    }
    move_in(self, core_new(world), agent);
    return (PyObject *)self;
}

// --- the type -----------------------------------------------------------------------------------

static PyMethodDef methods[] = {
    {"reset", (PyCFunction)env_reset, METH_O,
     PyDoc_STR("reset($self, seed, /)\n--\n\n"
               "Starts a new life: another World, the agent added anew. The old World object "
               "lives on.\n\nReturns (observation, info).")},
    {"step", (PyCFunction)env_step, METH_O,
     PyDoc_STR("step($self, action, /)\n--\n\n"
               "(observation, reward, False, False, info). action is an int or a NumPy "
               "integer.")},
    {"observe", (PyCFunction)env_observe, METH_NOARGS,
     PyDoc_STR("observe($self, /)\n--\n\nThe observation as of now, always in new arrays.")},
    {"info", (PyCFunction)env_info, METH_NOARGS,
     PyDoc_STR("info($self, /)\n--\n\nThe info as of now.")},
    {"clone", (PyCFunction)env_clone, METH_NOARGS,
     PyDoc_STR("clone($self, /)\n--\n\nA copy that goes on by itself.")},
    {"__copy__", (PyCFunction)env_clone, METH_NOARGS, NULL},
    {"__deepcopy__", (PyCFunction)env_deepcopy, METH_O, NULL},
    {"__reduce__", (PyCFunction)env_reduce, METH_NOARGS, NULL},
    {"_rebuild", (PyCFunction)env_rebuild, METH_VARARGS | METH_CLASS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef getters[] = {
    {"model", (getter)env_get_model, NULL, PyDoc_STR("What its worlds are made by."), NULL},
    {"reward", (getter)env_get_reward, NULL, PyDoc_STR("What it pays, or None."), NULL},
    {"world", (getter)env_get_world, (setter)env_set_world,
     PyDoc_STR("The world of this life. It may be looked at, edited, cloned and saved; stepping it "
               "or adding agents\nis possible, and then up to the user. Setting it goes on with "
               "another world of an equal model, and its\nfirst agent."),
     NULL},
    {"agent", (getter)env_get_agent, NULL, PyDoc_STR("The agent of this life."), NULL},
    {"observation_shapes", (getter)env_get_observation_shapes, NULL,
     PyDoc_STR("The shapes of the parts of an observation that are float32, by name, in their "
               "order."),
     NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot slots[] = {
    {Py_tp_doc,
     PyDoc_STR(
         "Env(model, reward=None, seed=0, *, vision='color', scent=True, moved=True, form='dict', "
         "copy=True, position=None, direction='up', force=False, generation_threads=0)\n--\n\n"
         "One world with one agent, stepped and observed in one call: what environments are made "
         "of.\n\n"
         "Observations are made of vision (\"color\": float32 (2 R + 1, 2 R + 1, "
         "color_dimensions), \"items\": float32\n(2 R + 1, 2 R + 1, item types), or None), scent "
         "(float32 (scent_dimensions)) and moved (numpy.int64), as a\ndict by these names, one "
         "flat float32 vector, or plain, the only array. With copy every step returns new\n"
         "arrays. info has position, start, direction, time, collected, inventory, outcome and "
         "reward_function. So\nmany generation_threads make its worlds ahead of the agent, if they "
         "are invariant.")},
    {Py_tp_new, env_new},
    {Py_tp_dealloc, env_dealloc},
    {Py_tp_traverse, env_traverse},
    {Py_tp_methods, methods},
    {Py_tp_getset, getters},
    {0, NULL},
};

PyType_Spec core_env_spec = {
    .name = "jbw._core.Env",
    .basicsize = sizeof(core_env),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE,
    .slots = slots,
};
