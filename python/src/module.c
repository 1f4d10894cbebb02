// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The module: its state, its types, its functions.
#define JBW_CORE_IMPORTS_ARRAY
#include "core.h"

static const char *const direction_names[CORE_DIRECTIONS] = {"up", "right", "down", "left"};

// as in jbw_outcome
static const char *const outcome_names[CORE_OUTCOMES] = {
    "none",          "done",          "blocked_by_item", "blocked_by_agent",
    "lost",          "nothing_there", "uncollectable",   "lacks_items",
    "cell_occupied", "end_of_world",  "not_able"};

core_state *core_state_of_type(PyTypeObject *type)
{
    return PyType_GetModuleState(type);
}

core_state *core_state_of(void *object)
{
    return PyType_GetModuleState(core_type(object));
}

// --- functions ----------------------------------------------------------------------------------

static PyObject *names_of(const char *(*name)(size_t index))
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list && name(i); i++) {
        PyObject *text = PyUnicode_FromString(name(i));
        if (!text || PyList_Append(list, text) < 0) Py_CLEAR(list);
        core_drop(text);
    }
    PyObject *names = list ? PyList_AsTuple(list) : NULL;
    core_drop(list);
    return names;
}

static PyObject *shipped_worlds(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    return names_of(jbw_shipped_world_name);
}

static PyObject *policy_names(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    return names_of(jbw_policy_name);
}

static PyObject *shipped_text(PyObject *module, PyObject *name)
{
    const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
    if (!text) return NULL;
    text = jbw_shipped_world_text(text);
    if (text) return PyUnicode_FromString(text);
    core_state *state = PyModule_GetState(module);
    PyErr_Format(state->NotFoundError, "there is no shipped world named %R", name);
    return NULL;
}

static PyObject *outcomes(PyObject *module, PyObject *unused)
{
    (void)unused;
    const core_state *state = PyModule_GetState(module);
    PyObject *names = PyTuple_New(CORE_OUTCOMES);
    for (int i = 0; names && i < CORE_OUTCOMES; i++)
        PyTuple_SetItem(names, i, core_new(state->outcomes[i]));
    return names;
}

static PyMethodDef functions[] = {
    {"shipped_worlds", shipped_worlds, METH_NOARGS,
     PyDoc_STR("shipped_worlds($module, /)\n--\n\n"
               "The names of the shipped worlds.")},
    {"shipped_text", shipped_text, METH_O,
     PyDoc_STR("shipped_text($module, name, /)\n--\n\n"
               "The YAML text of a shipped world; LookupError if there is no such world.")},
    {"policy_names", policy_names, METH_NOARGS,
     PyDoc_STR("policy_names($module, /)\n--\n\nThe names of the built-in policies.")},
    {"paint", (PyCFunction)(void (*)(void))core_paint, METH_VARARGS | METH_KEYWORDS,
     PyDoc_STR("paint($module, /, vision, scale=1, channels_first=False, out=None)\n--\n\n"
               "Vision as pictures, uint8 (..., side, side, colors) with scale pixels per cell, or "
               "with colors first.\n\nColors from 0 to 1 become 0 to 255; others are cut off.")},
    {"xla_handler", core_xla_handler, METH_NOARGS,
     PyDoc_STR(
         "xla_handler($module, /)\n--\n\n"
         "A capsule for XLA: steps batches within compiled programs, see Batch.ticket. None if "
         "this build has none.")},
    {"outcomes", outcomes, METH_NOARGS,
     PyDoc_STR("outcomes($module, /)\n--\n\nThe names of outcomes, by their numbers.")},
    {NULL, NULL, 0, NULL},
};

// --- making it ----------------------------------------------------------------------------------

static bool make_words(core_state *state)
{
#define X(name, text) \
    if (!(state->word_##name = PyUnicode_InternFromString(text))) return false;
    CORE_WORDS(X)
#undef X
    for (int i = 0; i < CORE_DIRECTIONS; i++)
        if (!(state->directions[i] = PyUnicode_InternFromString(direction_names[i]))) return false;
    for (int i = 0; i < CORE_OUTCOMES; i++)
        if (!(state->outcomes[i] = PyUnicode_InternFromString(outcome_names[i]))) return false;
    for (int i = 0; i < 2; i++) {
        const int64_t value = i;
        PyArray_Descr *descr = PyArray_DescrFromType(NPY_INT64);
        if (!descr) return false;
        state->numbers[i] = PyArray_Scalar((void *)&value, descr, NULL);
        core_drop(descr);
        if (!state->numbers[i]) return false;
    }
    return true;
}

static bool find_errors(core_state *state)
{
    PyObject *errors = PyImport_ImportModule("jbw.errors");
    if (!errors) return false;
    bool done = true;
#define X(name) done = done && (state->name = PyObject_GetAttrString(errors, #name));
    CORE_ERRORS(X)
#undef X
    core_drop(errors);
    return done;
}

static bool add_type(PyObject *module, PyType_Spec *spec, PyTypeObject **out)
{
    *out = (PyTypeObject *)PyType_FromModuleAndSpec(module, spec, NULL);
    return *out && PyModule_AddType(module, *out) == 0;
}

static bool add_sequence(PyObject *module, PyStructSequence_Desc *desc, PyTypeObject **out)
{
    *out = PyStructSequence_NewType(desc);
    return *out && PyModule_AddType(module, *out) == 0;
}

// NumPy, whose arrays the objects of this module share, works in the main interpreter only
static bool is_main_interpreter(void)
{
    const int64_t number = PyInterpreterState_GetID(PyInterpreterState_Get());
    if (number == 0) return true;
    if (number > 0)
        PyErr_SetString(PyExc_ImportError,
                        "jbw does not work in subinterpreters: use threads or processes instead");
    return false;
}

static int execute(PyObject *module)
{
    core_state *state = PyModule_GetState(module);
    if (!is_main_interpreter()) return -1;
    if (PyArray_ImportNumPyAPI() < 0) return -1;
    const bool done = find_errors(state) && make_words(state) &&
                      add_type(module, &core_model_spec, &state->Model) &&
                      add_type(module, &core_world_spec, &state->World) &&
                      add_type(module, &core_agent_spec, &state->Agent) &&
                      add_type(module, &core_reward_spec, &state->Reward) &&
                      add_type(module, &core_policy_spec, &state->Policy) &&
                      add_type(module, &core_env_spec, &state->Env) &&
                      add_type(module, &core_batch_spec, &state->Batch) &&
                      add_type(module, &core_team_spec, &state->Team) &&
                      add_type(module, &core_atlas_spec, &state->Atlas) &&
                      add_type(module, &core_recorder_spec, &state->Recorder) &&
                      add_type(module, &core_recording_spec, &state->Recording) &&
                      add_type(module, &core_film_spec, &state->Film) &&
                      add_type(module, &core_viewer_spec, &state->Viewer) &&
                      add_sequence(module, &core_part_desc, &state->Part) &&
                      add_sequence(module, &core_result_desc, &state->Result) &&
                      add_sequence(module, &core_stats_desc, &state->Stats) &&
                      add_sequence(module, &core_planes_desc, &state->Planes) &&
                      add_sequence(module, &core_cell_desc, &state->Cell) &&
                      add_sequence(module, &core_operation_desc, &state->Operation);
    if (!done || PyModule_AddIntConstant(module, "learner_version", JBW_LEARNER_VERSION)) return -1;
    return PyModule_AddStringConstant(module, "version", jbw_version());
}

// every reference that the state holds
// clang-format off
#define EACH_REFERENCE(DO) \
    CORE_ERRORS(DO) \
    DO(Model) \
    DO(World) \
    DO(Agent) \
    DO(Reward) \
    DO(Policy) \
    DO(Env) \
    DO(Batch) \
    DO(Team) \
    DO(Part) \
    DO(Atlas) \
    DO(Recorder) \
    DO(Recording) \
    DO(Film) \
    DO(Viewer) \
    DO(Result) \
    DO(Stats) \
    DO(Planes) \
    DO(Cell) \
    DO(Operation)
// clang-format on

static int traverse(PyObject *module, visitproc visit, void *arg)
{
    core_state *state = PyModule_GetState(module);
    if (!state) return 0;
#define X(name) Py_VISIT(state->name);
    EACH_REFERENCE(X)
#undef X
    return 0;
}

static int clear(PyObject *module)
{
    core_state *state = PyModule_GetState(module);
    if (!state) return 0;
#define X(name) Py_CLEAR(state->name);
    EACH_REFERENCE(X)
#undef X
#define X(name, text) Py_CLEAR(state->word_##name);
    CORE_WORDS(X)
#undef X
    for (int i = 0; i < CORE_DIRECTIONS; i++) Py_CLEAR(state->directions[i]);
    for (int i = 0; i < CORE_OUTCOMES; i++) Py_CLEAR(state->outcomes[i]);
    for (int i = 0; i < 2; i++) Py_CLEAR(state->numbers[i]);
    return 0;
}

static void free_module(void *module)
{
    clear(module);
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, execute},
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "jbw._core",
    .m_doc = PyDoc_STR(
        "The C extension: worlds, agents, rewards, environments and batches, over the C library."),
    .m_size = sizeof(core_state),
    .m_methods = functions,
    .m_slots = slots,
    .m_traverse = traverse,
    .m_clear = clear,
    .m_free = free_module,
};

PyMODINIT_FUNC PyInit__core(void); // found by name

PyMODINIT_FUNC PyInit__core(void)
{
    return PyModuleDef_Init(&definition);
}
