// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Film: the frames of a recording, drawn one by one.
#include "core.h"

typedef struct core_film {
    PyObject_HEAD PyObject *recording;
    jbw_film *film;
    jbw_reward *reward; // or NULL
    jbw_film_info info;
} core_film;

// the given reward, or else the one that `jbw run` noted; NULL in `*out` if there is neither
static jbw_status compile_reward(jbw_recording *recording, const char *text, jbw_reward **out,
                                 jbw_error *error)
{
    const jbw_note *note = jbw_recording_note(recording, "run.reward");
    const char *used = text ? text : note ? note->bytes : NULL; // notes end in a zero
    if (!used) return JBW_OK;
    return jbw_reward_compile(jbw_world_model(jbw_recording_world(recording)), used, NULL, 0, out,
                              error);
}

static jbw_status begin(core_film *self, jbw_recording *recording, jbw_film_options *options,
                        const char *reward, jbw_error *error)
{
    jbw_status status = compile_reward(recording, reward, &self->reward, error);
    options->reward = self->reward;
    if (!status) status = jbw_film_create(recording, options, &self->film, error);
    if (!status) self->info = jbw_film_get_info(self->film);
    return status;
}

// None is no text
static int to_text(PyObject *object, void *out)
{
    if (object == Py_None) return 1;
    PyObject *text = PyUnicode_Check(object) ? core_new(object) : PyObject_Str(object);
    const char *bytes = text ? PyUnicode_AsUTF8AndSize(text, NULL) : NULL;
    PyObject **kept = out;
    if (bytes) {
        *kept = text;
        return 1;
    }
    core_drop(text);
    return 0;
}

// None is the end
static int to_end(PyObject *object, void *out)
{
    jbw_film_options *options = out;
    if (object == Py_None) return 1;
    options->has_end = true;
    return core_to_uint64(object, &options->to);
}

PyObject *core_recording_frames(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"start", "end",   "every",  "agent", "region", "size",
                            "scale", "trail", "reward", "panel", "grid",   NULL};
    core_state *state = core_state_of(self);
    jbw_film_options options = {.agent = 1, .width = 41, .height = 31, .picture = {.scale = 20}};
    PyObject *region = NULL;
    PyObject *reward = NULL;
    int trail = 400;
    int panel = 1;
    int grid = 0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|$O&O&O&iO(ii)iiO&pp:frames", names,
                                     core_to_uint64, &options.from, to_end, &options,
                                     core_to_uint64, &options.every, &options.agent, &region,
                                     &options.width, &options.height, &options.picture.scale,
                                     &trail, to_text, &reward, &panel, &grid)) {
        core_drop(reward);
        return NULL;
    }
    core_film *film = NULL;
    if (trail < 0 || options.agent < 1 || options.width < 1 || options.height < 1)
        core_raise_argument(state, "trail must not be negative; agent and size are at least 1");
    else if (core_to_region(state, region, &options.region))
        film = (core_film *)PyType_GenericAlloc(state->Film, 0);
    jbw_recording *recording = film ? core_recording_enter(self, state) : NULL;
    if (!recording) {
        core_drop(film);
        core_drop(reward);
        return NULL;
    }
    film->recording = core_new(self);
    options.memory = trail > 0 ? trail : -1;
    options.picture.show_panel = panel != 0;
    options.picture.show_grid = grid != 0;
    const char *text = reward ? PyUnicode_AsUTF8AndSize(reward, NULL) : NULL;
    jbw_error error = {0};
    jbw_status status;
    CORE_UNLOCKED(status = begin(film, recording, &options, text, &error));
    core_recording_leave(self);
    core_drop(reward);
    if (!status) return (PyObject *)film;
    core_drop(film);
    return core_raise(state, status, error.text);
}

// everything that does not need C is in jbw.movies
PyObject *core_recording_movie(PyObject *self, PyObject *arguments, PyObject *keywords)
{
    PyObject *module = PyImport_ImportModule("jbw.movies");
    PyObject *function = module ? PyObject_GetAttrString(module, "write_movie") : NULL;
    PyObject *first = function ? PyTuple_Pack(1, self) : NULL;
    PyObject *all = first ? PySequence_Concat(first, arguments) : NULL;
    PyObject *result = all ? PyObject_Call(function, all, keywords) : NULL;
    core_drop(module);
    core_drop(function);
    core_drop(first);
    core_drop(all);
    return result;
}

static PyObject *film_next(core_film *self)
{
    core_state *state = core_state_of(self);
    jbw_recording *recording = core_recording_enter(self->recording, state);
    if (!recording) return NULL;
    const npy_intp shape[3] = {(npy_intp)self->info.height, (npy_intp)self->info.width, 3};
    PyArrayObject *array = (PyArrayObject *)PyArray_SimpleNew(3, shape, NPY_UINT8);
    jbw_error error = {0};
    jbw_status status = JBW_OK;
    if (array) {
        uint8_t *pixels = PyArray_DATA(array);
        CORE_UNLOCKED(status = jbw_film_next(self->film, pixels, &error));
    }
    core_recording_leave(self->recording);
    if (!array || !status) return (PyObject *)array;
    core_drop(array);
    return status == JBW_NOT_FOUND ? NULL : core_raise(state, status, error.text);
}

static Py_ssize_t film_length(core_film *self)
{
    return (Py_ssize_t)self->info.frame_count;
}

static PyObject *film_get_shape(core_film *self, void *unused)
{
    (void)unused;
    return Py_BuildValue("(LLi)", (long long)self->info.height, (long long)self->info.width, 3);
}

static int film_traverse(core_film *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE((PyObject *)self));
    Py_VISIT(self->recording);
    return 0;
}

static void film_dealloc(core_film *self)
{
    PyTypeObject *type = core_type(self);
    PyObject_GC_UnTrack(self);
    jbw_film_destroy(self->film);
    jbw_reward_destroy(self->reward);
    core_drop(self->recording);
    PyObject_GC_Del(self);
    core_drop(type);
}

static PyGetSetDef film_getters[] = {
    {"shape", (getter)film_get_shape, NULL, PyDoc_STR("The shape of a frame: (height, width, 3)."),
     NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyType_Slot film_slots[] = {
    {Py_tp_doc, PyDoc_STR("The frames of a recording, an iterator of arrays; see Recording.frames. "
                          "Its length is their number.")},
    {Py_tp_dealloc, film_dealloc},
    {Py_tp_traverse, film_traverse},
    {Py_tp_iter, PyObject_SelfIter},
    {Py_tp_iternext, film_next},
    {Py_mp_length, film_length},
    {Py_tp_getset, film_getters},
    {0, NULL},
};

PyType_Spec core_film_spec = {
    .name = "jbw._core.Film",
    .basicsize = sizeof(core_film),
    .flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_IMMUTABLETYPE |
             Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .slots = film_slots,
};
