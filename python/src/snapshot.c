// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Copies of worlds: in memory, as bytes, in files. The text of the world file is stored as a note,
/// so that a loaded world still has its Config.
#include "core.h"

#include <string.h>
#include <unistd.h>

#include "notes.h"

// --- copies -------------------------------------------------------------------------------------

PyObject *core_world_clone(core_world *self, PyObject *unused)
{
    (void)unused;
    core_state *state = core_state_of(self);
    jbw_world *world = core_world_enter(self, state, true);
    if (!world) return NULL;
    jbw_world *copy;
    core_world_release(self);
    const jbw_status status = jbw_world_clone(world, &copy);
    core_world_resume(self);
    core_world_leave(self);
    return status ? core_raise(state, status, NULL) : core_world_wrap(state, self->model, copy);
}

PyObject *core_world_deepcopy(core_world *self, PyObject *memo)
{
    (void)memo;
    return core_world_clone(self, NULL);
}

// --- notes --------------------------------------------------------------------------------------

static bool notes_add(core_notes *notes, PyObject *name, PyObject *value)
{
    if (!PyUnicode_Check(name) || !(PyUnicode_Check(value) || PyBytes_Check(value))) {
        PyErr_Format(PyExc_TypeError, "expected notes of str or bytes by name, found %R: %R", name,
                     value);
        return false;
    }
    jbw_note *note = &notes->notes[notes->count];
    note->name = PyUnicode_AsUTF8AndSize(name, NULL);
    Py_ssize_t size = 0;
    if (PyBytes_Check(value)) {
        char *bytes;
        if (PyBytes_AsStringAndSize(value, &bytes, &size) < 0) return false;
        note->bytes = bytes;
    } else {
        note->bytes = PyUnicode_AsUTF8AndSize(value, &size);
    }
    note->size = (size_t)size;
    if (!note->name || !note->bytes || PyList_Append(notes->keep, name) < 0 ||
        PyList_Append(notes->keep, value) < 0)
        return false;
    notes->count++;
    return true;
}

bool core_notes_init(core_notes *notes, core_state *state, core_model *model, PyObject *given)
{
    *notes = (core_notes){0};
    PyObject *dict = PyDict_New();
    notes->keep = PyList_New(0);
    bool done = dict && notes->keep;
    if (done && given && given != Py_None) done = PyDict_Update(dict, given) == 0;
    notes->notes = done ? PyMem_Calloc((size_t)PyDict_Size(dict) + 1, sizeof *notes->notes) : NULL;
    if (done && !notes->notes) PyErr_NoMemory();
    done = notes->notes != NULL;

    Py_ssize_t at = 0;
    PyObject *name;
    PyObject *value;
    while (done && PyDict_Next(dict, &at, &name, &value)) {
        done = notes_add(notes, name, value);
        if (done && strcmp(notes->notes[notes->count - 1].name, CORE_WORLD_NOTE) == 0) {
            core_raise_argument(state, "the note %R is reserved", name);
            done = false;
        }
    }
    if (done && model->config) {
        PyObject *text = core_model_text(state, model, false);
        PyObject *own = text ? PyUnicode_FromString(CORE_WORLD_NOTE) : NULL;
        done = own && notes_add(notes, own, text);
        core_drop(own);
        core_drop(text);
    }
    core_drop(dict);
    return done;
}

void core_notes_deinit(core_notes *notes)
{
    PyMem_Free(notes->notes);
    Py_CLEAR(notes->keep);
}

// --- saving -------------------------------------------------------------------------------------

// Notes of which one may be a policy. That one goes to the file piece by piece.
typedef struct long_notes {
    PyObject *others; // a mapping, or NULL
    PyObject *name;   // of the policy's note, if there is one
    core_policy *policy;
} long_notes;

// False with an exception; drop in any case. `given` may be NULL or None.
static bool long_notes_init(long_notes *notes, core_state *state, PyObject *given)
{
    *notes = (long_notes){0};
    if (!given || given == Py_None) return true;
    notes->others = PyDict_New();
    if (!notes->others || PyDict_Update(notes->others, given) < 0) return false;
    Py_ssize_t at = 0;
    PyObject *name;
    PyObject *value;
    while (PyDict_Next(notes->others, &at, &name, &value)) {
        if (!PyUnicode_Check(name) || !Py_IS_TYPE(value, state->Policy)) continue;
        if (notes->policy) {
            core_raise_argument(state, "expected one policy among the notes, found two");
            return false;
        }
        notes->name = core_new(name);
        notes->policy = (core_policy *)core_new(value);
    }
    return !notes->policy || PyDict_DelItem(notes->others, notes->name) == 0;
}

static void long_notes_drop(long_notes *notes)
{
    Py_CLEAR(notes->others);
    Py_CLEAR(notes->name);
    Py_CLEAR(notes->policy);
}

static jbw_status send_policy(void *user, jbw_sink sink)
{
    return jbw_policy_send(user, sink);
}

// to be called without the interpreter, with world and policy entered
static jbw_status write_snapshot(const jbw_world *world, const core_notes *notes,
                                 const jbw_long_note *policy, const char *path, jbw_error *error)
{
    if (!policy->name) return jbw_snapshot_write(world, notes->notes, notes->count, path, error);
    return jbw_snapshot_write_long(world, notes->notes, notes->count, policy, path, error);
}

// Writes to a path, as bytes. False with an exception, unless the status says what went wrong.
static bool save_to(core_world *self, core_state *state, const core_notes *notes,
                    const long_notes *given, PyObject *file, jbw_status *status, jbw_error *error)
{
    jbw_long_note long_note = {0};
    if (given->policy) {
        const char *name = PyUnicode_AsUTF8AndSize(given->name, NULL);
        if (!name || !core_gate_enter(&given->policy->gate, state, true)) return false;
        long_note = (jbw_long_note){name, send_policy, given->policy->policy};
    }
    jbw_world *world = core_world_enter(self, state, true);
    if (world) {
        const char *path = PyBytes_AsString(file);
        core_world_release(self);
        *status = write_snapshot(world, notes, &long_note, path, error);
        core_world_resume(self);
        core_world_leave(self);
    }
    if (given->policy) core_gate_leave(&given->policy->gate);
    return world != NULL;
}

PyObject *core_world_save(core_world *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"path", "notes", "replace", NULL};
    core_state *state = core_state_of(self);
    PyObject *path;
    PyObject *given = NULL;
    int replace = 0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|Op:save", names, &path, &given,
                                     &replace))
        return NULL;
    core_notes notes = {0};
    long_notes all;
    PyObject *file = core_path(path);
    jbw_status status = JBW_OK;
    jbw_error error = {0};
    if (!file) return NULL;
    if (!replace && access(PyBytes_AsString(file), F_OK) == 0) {
        core_drop(file);
        return core_raise_file(state, JBW_WRITE_FAILED, "already exists; replace=True replaces it",
                               path);
    }
    const bool done = long_notes_init(&all, state, given) &&
                      core_notes_init(&notes, state, self->model, all.others) &&
                      save_to(self, state, &notes, &all, file, &status, &error);
    core_notes_deinit(&notes);
    long_notes_drop(&all);
    core_drop(file);
    if (!done) return NULL;
    return status ? core_raise_file(state, status, error.text, path) : core_new(Py_None);
}

static PyObject *to_bytes(core_world *self, PyObject *given)
{
    core_state *state = core_state_of(self);
    core_notes notes;
    jbw_buffer buffer = {0};
    jbw_status status = JBW_OK;
    const bool done = core_notes_init(&notes, state, self->model, given);
    jbw_world *world = done ? core_world_enter(self, state, true) : NULL;
    if (world) {
        core_world_release(self);
        status = jbw_snapshot_encode(world, notes.notes, notes.count, &buffer);
        core_world_resume(self);
        core_world_leave(self);
    }
    core_notes_deinit(&notes);
    PyObject *bytes = NULL;
    if (world && !status)
        bytes = PyBytes_FromStringAndSize((const char *)buffer.bytes, (Py_ssize_t)buffer.size);
    else if (world)
        core_raise(state, status, NULL);
    jbw_buffer_free(&buffer);
    return bytes;
}

PyObject *core_world_to_bytes(core_world *self, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"notes", NULL};
    PyObject *given = NULL;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|O:to_bytes", names, &given))
        return NULL;
    return to_bytes(self, given);
}

PyObject *core_world_reduce(core_world *self, PyObject *unused)
{
    (void)unused;
    PyObject *bytes = to_bytes(self, self->notes);
    PyObject *load =
        bytes ? PyObject_GetAttrString((PyObject *)core_type(self), "from_bytes") : NULL;
    PyObject *functools = load ? PyImport_ImportModule("functools") : NULL;
    PyObject *partial = functools ? PyObject_GetAttrString(functools, "partial") : NULL;
    // who loads a pickle trusts it
    PyObject *arguments = partial ? Py_BuildValue("(O)", load) : NULL;
    PyObject *keywords = arguments ? Py_BuildValue("{sL}", "memory_limit", 1LL << 40) : NULL;
    PyObject *trusting = keywords ? PyObject_Call(partial, arguments, keywords) : NULL;
    core_drop(load);
    core_drop(functools);
    core_drop(partial);
    core_drop(arguments);
    core_drop(keywords);
    if (trusting) return Py_BuildValue("N(N)", trusting, bytes);
    core_drop(bytes);
    return NULL;
}

// --- loading ------------------------------------------------------------------------------------

jbw_config *core_config_of_note(const jbw_note *note)
{
    jbw_config *config = NULL;
    if (note) jbw_world_file_parse(note->bytes, note->size, CORE_WORLD_NOTE, NULL, &config, NULL);
    return config;
}

static PyObject *other_notes(const jbw_loaded *loaded)
{
    PyObject *notes = PyDict_New();
    for (size_t i = 0; notes && i < loaded->note_count; i++) {
        const jbw_note *note = &loaded->notes[i];
        if (strcmp(note->name, CORE_WORLD_NOTE) == 0) continue;
        PyObject *bytes = PyBytes_FromStringAndSize(note->bytes, (Py_ssize_t)note->size);
        if (!bytes || PyDict_SetItemString(notes, note->name, bytes) < 0) Py_CLEAR(notes);
        core_drop(bytes);
    }
    return notes;
}

// how to load a world
typedef struct loading {
    PyObject *source;
    jbw_load_options options;
    int generation_threads;
    PyObject *atlas;
} loading;

// megabytes, or None for the saved budget; false with an exception
static bool to_memory_budget(core_state *state, PyObject *object, int *out)
{
    if (object == Py_None) return true;
    int is_beyond;
    const long budget = PyLong_AsLongAndOverflow(object, &is_beyond);
    if (budget == -1 && PyErr_Occurred()) return false;
    if (is_beyond || budget < 1 || budget > JBW_MAX_MEMORY_BUDGET) {
        core_raise_argument(state, "memory_budget: found %R, expected 1 to %d megabytes", object,
                            JBW_MAX_MEMORY_BUDGET);
        return false;
    }
    *out = (int)budget;
    return true;
}

int core_to_memory_limit(PyObject *object, void *out)
{
    if (object == Py_None) return 1;
    const unsigned long long megabytes = PyLong_AsUnsignedLongLong(object);
    if (megabytes == (unsigned long long)-1 && PyErr_Occurred()) {
        if (!PyErr_ExceptionMatches(PyExc_OverflowError)) return 0;
        PyErr_Clear();
    }
    if (megabytes < 1 || megabytes > 1ULL << 40) {
        PyErr_Format(PyExc_ValueError, "memory_limit: found %R, expected 1 to 2**40 megabytes",
                     object);
        return 0;
    }
    *(uint64_t *)out = (uint64_t)megabytes << 20;
    return 1;
}

static bool parse_loading(core_state *state, PyObject *arguments, PyObject *keywords,
                          const char *format, loading *out)
{
    static char *names[] = {"",  "memory_budget", "generation_threads", "memory_limit", "atlas",
                            NULL};
    PyObject *budget = Py_None;
    *out = (loading){0};
    return PyArg_ParseTupleAndKeywords(arguments, keywords, format, names, &out->source, &budget,
                                       &out->generation_threads, core_to_memory_limit,
                                       &out->options.memory_limit, &out->atlas) &&
           to_memory_budget(state, budget, &out->options.memory_budget);
}

// takes over what was loaded
static PyObject *wrap_loaded(core_state *state, jbw_loaded *loaded, const loading *how)
{
    PyObject *self = NULL;
    PyObject *notes = other_notes(loaded);
    jbw_config *config = core_config_of_note(jbw_loaded_note(loaded, CORE_WORLD_NOTE));
    core_model *model = NULL;
    if (config && how->options.memory_budget > 0)
        config->memory_budget = how->options.memory_budget;
    if (notes) model = (core_model *)core_model_wrap(state, loaded->model, config);
    if (model) {
        loaded->model = NULL;
        self = core_world_wrap(state, model, loaded->world);
        loaded->world = NULL;
    } else {
        jbw_config_free(config);
    }
    core_drop(model);
    if (self && PyDict_Size(notes) > 0) ((core_world *)self)->notes = core_new(notes);
    core_drop(notes);
    jbw_loaded_free(loaded);
    if (self && !core_atlas_attach(state, ((core_world *)self)->model, how->atlas,
                                   ((core_world *)self)->own))
        Py_CLEAR(self);
    if (self && how->generation_threads != 0 &&
        !core_world_set_generation_threads((core_world *)self, state, how->generation_threads))
        Py_CLEAR(self);
    return self;
}

// reads or decodes a snapshot
typedef struct snapshot_source {
    const char *path; // or NULL
    const char *bytes;
    Py_ssize_t size;
} snapshot_source;

static jbw_status read_once(const snapshot_source *source, const jbw_load_options *options,
                            jbw_loaded *loaded, jbw_error *error)
{
    jbw_status status;
    if (source->path)
        CORE_UNLOCKED(status = jbw_snapshot_read(source->path, options, loaded, error));
    else
        CORE_UNLOCKED(status = jbw_snapshot_decode(source->bytes, (size_t)source->size, options,
                                                   loaded, error));
    return status;
}

// the budget of an invariant world in the note, if it is not the default; or zero
static int noted_budget(const jbw_loaded *loaded)
{
    jbw_config *config = core_config_of_note(jbw_loaded_note(loaded, CORE_WORLD_NOTE));
    const bool is_unusual = config && config->generation == JBW_GENERATION_INVARIANT &&
                            config->memory_budget != jbw_config_default().memory_budget;
    const int budget = is_unusual ? config->memory_budget : 0;
    jbw_config_free(config);
    return budget;
}

// A snapshot does not contain the memory budget, but its note with the world file does: then the
// snapshot, which is small, is read again.
static jbw_status read_source(const snapshot_source *source, jbw_load_options *options,
                              jbw_loaded *loaded, jbw_error *error)
{
    const jbw_status status = read_once(source, options, loaded, error);
    if (status || options->memory_budget > 0) return status;
    options->memory_budget = noted_budget(loaded);
    if (options->memory_budget == 0) return status;
    jbw_loaded_free(loaded);
    return read_once(source, options, loaded, error);
}

PyObject *core_world_load(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    core_state *state = core_state_of_type(type);
    loading how;
    if (!parse_loading(state, arguments, keywords, "O|$OiO&O:load", &how)) return NULL;
    PyObject *file = core_path(how.source);
    if (!file) return NULL;
    const snapshot_source source = {.path = PyBytes_AsString(file)};
    jbw_loaded loaded;
    jbw_error error = {0};
    const jbw_status status = read_source(&source, &how.options, &loaded, &error);
    core_drop(file);
    return status ? core_raise_file(state, status, error.text, how.source)
                  : wrap_loaded(state, &loaded, &how);
}

PyObject *core_world_from_bytes(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    core_state *state = core_state_of_type(type);
    loading how;
    if (!parse_loading(state, arguments, keywords, "O|$OiO&O:from_bytes", &how)) return NULL;
    snapshot_source source = {0};
    char *bytes;
    if (PyBytes_AsStringAndSize(how.source, &bytes, &source.size) < 0) return NULL;
    source.bytes = bytes;
    jbw_loaded loaded;
    jbw_error error = {0};
    const jbw_status status = read_source(&source, &how.options, &loaded, &error);
    return status ? core_raise(state, status, error.text) : wrap_loaded(state, &loaded, &how);
}
