// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What the files of the extension share: the module's state, the objects, and the rules for
/// threads.
///
/// A world may be used by one thread at a time, and steps with the interpreter's lock released. So
/// every mutable object has a gate: a thread that enters it holds the object until it leaves, and
/// others wait. Gates are entered and left with the interpreter's lock held; it is released only in
/// between and while waiting. The holder may enter again, to read, when a step calls back into
/// Python.
#ifndef JBW_PYTHON_CORE_H
#define JBW_PYTHON_CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_1_25_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL jbw_core_array_api
#ifndef JBW_CORE_IMPORTS_ARRAY
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "jbw/jbw.h"
#include "parts.h"

// --- the module's state -------------------------------------------------------------------------

/// Strings that are created once. The first column is the name in C.
#define CORE_WORDS(X)                     \
    X(vision, "vision")                   \
    X(scent, "scent")                     \
    X(moved, "moved")                     \
    X(reward, "reward")                   \
    X(position, "position")               \
    X(start, "start")                     \
    X(direction, "direction")             \
    X(time, "time")                       \
    X(collected, "collected")             \
    X(inventory, "inventory")             \
    X(outcome, "outcome")                 \
    X(reward_function, "reward_function") \
    X(action_mask, "action_mask")         \
    X(zero, "Zero")

/// The exceptions of jbw/errors.py.
#define CORE_ERRORS(X)  \
    X(Problem)          \
    X(Error)            \
    X(ArgumentError)    \
    X(ConfigError)      \
    X(RewardError)      \
    X(NotFoundError)    \
    X(NoSuchAgentError) \
    X(CellBlockedError) \
    X(OutOfRangeError)  \
    X(FileError)        \
    X(NoSuchFileError)  \
    X(DataError)        \
    X(UnsupportedError) \
    X(BusyError)        \
    X(NoConnectionError)

enum { CORE_DIRECTIONS = 4, CORE_OUTCOMES = 11 };

typedef struct core_state {
#define X(name) PyObject *name;
    CORE_ERRORS(X)
#undef X
#define X(name, text) PyObject *word_##name;
    CORE_WORDS(X)
#undef X
    PyObject *directions[CORE_DIRECTIONS];
    PyObject *outcomes[CORE_OUTCOMES];
    PyObject *numbers[2]; // numpy.int64, 0 and 1
    PyTypeObject *Model;
    PyTypeObject *World;
    PyTypeObject *Agent;
    PyTypeObject *Reward;
    PyTypeObject *Policy;
    PyTypeObject *Env;
    PyTypeObject *Batch;
    PyTypeObject *Atlas;
    PyTypeObject *Recorder;
    PyTypeObject *Recording;
    PyTypeObject *Film;
    PyTypeObject *Viewer;
    PyTypeObject *Team;
    PyTypeObject *Part;
    PyTypeObject *Result;
    PyTypeObject *Stats;
    PyTypeObject *Planes;
    PyTypeObject *Cell;
    PyTypeObject *Operation;
} core_state;

/// The state, from an object of one of the module's types, or from a type.
core_state *core_state_of(void *object);
core_state *core_state_of_type(PyTypeObject *type);

// --- references, of whatever type of object; NULL is fine ----------------------------------------

static inline PyObject *core_new(void *object)
{
    Py_XINCREF((PyObject *)object);
    return object;
}

static inline void core_drop(void *object)
{
    Py_XDECREF((PyObject *)object);
}

static inline PyTypeObject *core_type(void *object)
{
    return Py_TYPE((PyObject *)object);
}

// --- the interpreter's lock ---------------------------------------------------------------------

/// Runs a statement with the interpreter's lock released, such as an assignment of a call's status.
#define CORE_UNLOCKED(...)                            \
    do {                                              \
        PyThreadState *thread_ = PyEval_SaveThread(); \
        __VA_ARGS__;                                  \
        PyEval_RestoreThread(thread_);                \
    } while (0)

// --- gates --------------------------------------------------------------------------------------

/// A gate that is free costs one atomic operation; the system is asked only to wait.
typedef struct core_gate {
    atomic_bool is_taken;
    atomic_int waiting;        // threads
    atomic_bool is_signalled;  // one of them was told to try again, and has not done so yet
    PyThread_type_lock signal; // taken, except while is_signalled
    unsigned long holder;      // a thread's number, while depth is not zero
    int depth;                 // how often the holder has entered
} core_gate;

bool core_gate_init(core_gate *gate); // false, with an exception
void core_gate_deinit(core_gate *gate);

/// Waits until the object is free, and takes it. False, with BusyError, if this thread is already
/// using it, unless it only `reads`.
bool core_gate_enter(core_gate *gate, core_state *state, bool reads);
void core_gate_leave(core_gate *gate);

/// For threads that do without the interpreter: takes the gate if it is free, or waits until it is,
/// and opens it again.
bool core_gate_try(core_gate *gate);
void core_gate_wait(core_gate *gate);
void core_gate_open(core_gate *gate);

// --- objects ------------------------------------------------------------------------------------

typedef struct core_model {
    PyObject_HEAD jbw_model *model;
    jbw_config *config;      // NULL if the model is from a snapshot without the world file
    struct core_model *base; // owns both of them; or NULL
    PyObject *atlas;         // of its worlds: an Atlas, False for none, NULL for that of JBW_ATLAS
    PyObject *item_names;
    PyObject *action_names;
    PyObject *item_types; // a dict from names to numbers
    PyObject *actions;    // the same for actions
    PyObject *identity;   // text that equal models share, once it was asked for
    int side;
    int colors;
    int scents;
    int item_count;
    int action_count;
} core_model;

typedef struct core_agent core_agent;
typedef struct core_batch core_batch;
typedef struct core_recorder core_recorder;
typedef struct core_viewer core_viewer;

typedef struct core_world {
    PyObject_HEAD core_model *model;
    jbw_world *own;      // NULL if it belongs to a batch
    core_batch *batch;   // or NULL
    size_t index;        // in the batch
    uint64_t life;       // of that world in the batch; a reset starts another
    core_gate gate;      // not used if it belongs to a batch
    uint64_t version;    // grows with every change, so that agents know when to look again
    core_agent **agents; // (agent_capacity): by slot, its agents with an object, latest first
    size_t agent_capacity;
    core_recorder *recorder; // the active one; not a reference
    core_viewer *viewers;    // a list of references, changed in the gate only
    PyObject *callback;
    PyObject *error[3];    // what the callback raised, to be raised again by the call
    PyThreadState *thread; // the thread that steps, with the interpreter's lock released
    uint64_t asked_at;     // when Python was last asked for signals, in nanoseconds
    bool is_asking;        // Python handles signals in the middle of a call
    bool finishes_steps;   // after a signal, the step under way is finished
    PyObject *notes;       // NULL means none
    PyObject *reward;      // a text for viewers; NULL means none
} core_world;

struct core_agent {
    PyObject_HEAD core_world *world;
    jbw_agent_id id;
    core_agent *next; // object of the same slot, of an agent that was removed
    core_agent *previous;
    PyObject *vision; // arrays over memory of their own, or NULL until they are first read
    PyObject *scent;
    uint64_t vision_version; // the world's version that they show, plus one
    uint64_t scent_version;
};

typedef struct core_reward {
    PyObject_HEAD core_model *model;
    jbw_reward *reward;
    PyObject *text;
    bool is_scheduled;
} core_reward;

typedef struct core_policy {
    PyObject_HEAD core_model *model;
    core_reward *reward; // or NULL
    jbw_policy *policy;
    PyObject *name;
    core_gate gate;
} core_policy;

struct core_batch {
    PyObject_HEAD jbw_batch *batch; // NULL once it is closed
    core_gate gate;
    size_t world_count;
    size_t agent_count;
    uint64_t *lives;                  // (world_count): how often each was reset
    size_t *first_rows;               // (world_count + 1)
    int *bodies;                      // of the agents of a world, or NULL
    int *teams;                       // the same
    const jbw_reward **own_rewards;   // the same
    PyObject *models;                 // a tuple, by world
    PyObject *rewards;                // a tuple, by world
    PyObject *arrays[JBW_PART_COUNT]; // of the caller, by part, or NULL
    PyObject *reward;                 // the same for rewards
    PyObject *kept;                   // a tuple: what worlds use beside their models and rewards
};

// --- errors.c -----------------------------------------------------------------------------------

/// Raises the exception for a status, with `detail` (may be NULL) or the text of the status.
/// Returns NULL.
PyObject *core_raise(core_state *state, jbw_status status, const char *detail);

/// The same for a file: not found is NoSuchFileError.
PyObject *core_raise_file(core_state *state, jbw_status status, const char *detail, PyObject *path);

/// Raises an ArgumentError.
PyObject *core_raise_argument(core_state *state, const char *format, ...);

// --- convert.c ----------------------------------------------------------------------------------

/// Converters for PyArg_ParseTupleAndKeywords: 0 with an exception, or 1.
int core_to_uint64(PyObject *object, void *out);    // uint64_t
int core_to_position(PyObject *object, void *out);  // jbw_position
int core_to_direction(PyObject *object, void *out); // jbw_direction

/// The names of a model's bodies, a new tuple; NULL with an exception.
PyObject *core_model_body_names(const core_model *model);

/// What a body can do: a new int8 (actions) of 1 and 0.
PyObject *core_model_action_mask(const core_model *model, int body);

/// A body by its name, or None for that of `agent`; false with an exception.
bool core_to_body(core_state *state, const core_model *model, PyObject *object, int *out);

/// Also a converter: None leaves it alone, megabytes become bytes.
int core_to_memory_limit(PyObject *object, void *out); // uint64_t; snapshot.c

/// A path as bytes in the file system's encoding, or NULL with an exception. A new reference.
PyObject *core_path(PyObject *path);

/// An action's number, by name or number; -1 with an exception.
int core_to_action(core_state *state, const core_model *model, PyObject *object);

// --- words.c ------------------------------------------------------------------------------------

/// A text that an item can carry, and a zero; None is an empty one. False with an exception.
bool core_to_text(core_state *state, PyObject *object, char out[JBW_MAX_TEXT + 1]);

/// An action by name or number; or, if agents have a voice, an action and a symbol. False with an
/// exception.
bool core_to_request(core_state *state, const core_model *model, PyObject *object,
                     jbw_request *out);

/// A symbol, or 0 for silence; false with an exception.
bool core_to_symbol(core_state *state, const core_model *model, PyObject *object, int *out);

/// Raises what became of a request, with the reason. Returns NULL.
PyObject *core_raise_request(core_state *state, const core_model *model, jbw_status status,
                             const jbw_request *request);

/// Agent.act and Agent.note.
PyObject *core_agent_act(core_agent *self, PyObject *const *arguments, Py_ssize_t count,
                         PyObject *names);
PyObject *core_agent_get_note(core_agent *self, void *unused);

/// Model.voice and Model.text_items.
PyObject *core_model_get_voice(core_model *self, void *unused);
PyObject *core_model_get_text_items(core_model *self, void *unused);

/// An item's type, by name or number; -1 with an exception.
int core_to_item(core_state *state, const core_model *model, PyObject *object);

/// (x, y) as a new tuple.
PyObject *core_from_position(jbw_position position);

/// The name of an item type, or None if it is negative. A new reference.
PyObject *core_from_item(const core_model *model, int item_type);

/// Positions from an (n, 2) or (2,) array-like: an int64 array, a new reference, or NULL.
PyArrayObject *core_to_positions(core_state *state, PyObject *object);

/// A region from (x, y, width, height), or an empty one from None; false with an exception.
bool core_to_region(core_state *state, PyObject *object, jbw_region *out);

/// Sets a dict's entry to a new reference that is taken over; false with an exception.
bool core_set(PyObject *dict, PyObject *key, PyObject *value);

/// A new named tuple of new references, which are taken over; NULL if one of them is NULL.
PyObject *core_sequence(PyTypeObject *type, PyObject *const *values, int count);

// --- arrays.c -----------------------------------------------------------------------------------

/// A read-only array over zeroed memory of its own, which lives as long as any view of it.
PyObject *core_array_view(int dimensions, const npy_intp *shape, int type);

/// Checks that an object is a C-contiguous, aligned, writeable array of that type and shape.
bool core_array_check(core_state *state, PyObject *object, const char *name, int type,
                      int dimensions, const npy_intp *shape);

// --- observe.c ----------------------------------------------------------------------------------

/// What an observation is in Python: a dict of its parts, one vector of floats, or its only part.
typedef enum core_form { CORE_DICT, CORE_FLAT, CORE_PLAIN } core_form;

/// A form by its name: "dict", "flat" or "plain"; false with an exception.
bool core_to_form(core_state *state, const char *name, core_form *out);

typedef struct core_layout_entry {
    jbw_part part;
    jbw_part_info info;
    PyObject *key;   // in a dict
    npy_intp offset; // in a vector
    void *scratch;   // where the part is written if that is not its place in Python; else NULL
    const PyObject *shown; // in the dict that is kept: 0 or 1 of the module's state, or NULL
} core_layout_entry;

/// An observation that is being made.
typedef struct core_observation {
    bool is_new;                      // in arrays of its own, not in those that a layout keeps
    PyObject *arrays[JBW_PART_COUNT]; // by entry; the only one of a flat layout is the first
    jbw_observation wanted;           // points into them, and into the layout's scratch
} core_observation;

/// Which parts an observation has, and its form. All zero has none.
typedef struct core_layout {
    core_form form;
    bool copies; // every observation has new arrays
    int count;
    core_layout_entry entries[JBW_PART_COUNT]; // in their order
    npy_intp flat_size;
    uint64_t *scratch;
    core_observation kept; // with the arrays that are used again if not `copies`
    PyObject *kept_dict;   // of them, if that is the form
} core_layout;

/// Fills in a layout that is all zero. `parts` maps keys to names of parts. False with an
/// exception; it must be deinitialized in any case.
bool core_layout_init(core_layout *layout, core_state *state, const core_model *model,
                      PyObject *parts, core_form form, bool copies);
void core_layout_deinit(core_layout *layout);

/// New dicts by key: the names of the parts; the shapes of those that are float32.
PyObject *core_layout_parts(const core_layout *layout);
PyObject *core_layout_shapes(const core_layout *layout);

/// Gets the arrays, new ones or those of the layout; false with an exception. After that, have the
/// library write to `wanted`, without the interpreter if you like, and finish or drop the
/// observation.
bool core_observation_begin(core_observation *observation, const core_layout *layout, bool is_new);
PyObject *core_observation_finish(core_observation *observation, core_layout *layout,
                                  core_state *state);
void core_observation_drop(core_observation *observation);

/// The shape of a part as a tuple, and the descriptions of all parts as a dict. New references.
PyObject *core_part_shape(const jbw_part_info *info);
PyObject *core_model_parts(core_state *state, const core_model *model);

// --- atlas.c ------------------------------------------------------------------------------------

typedef struct core_atlas core_atlas;

/// An Atlas from one, or from a path. New reference.
PyObject *core_atlas_from(core_state *state, PyObject *object);

/// What worlds of a model look into: an Atlas, or None or False for none. New reference; NULL with an
/// exception.
PyObject *core_model_choose_atlas(core_state *state, const core_model *model);

/// The library's; NULL for None and False.
jbw_atlas *core_atlas_inside(PyObject *atlas);

/// Lets a new world look into what was given: an Atlas, a path, False for none, None or NULL for what
/// its model has. False with an exception.
bool core_atlas_attach(core_state *state, const core_model *model, PyObject *given,
                       jbw_world *world);

// --- policy.c, learner.c ------------------------------------------------------------------------

/// Settings of a policy that a Python mapping holds. All zero has none.
typedef struct core_settings {
    jbw_policy_setting *pairs; // (count)
    size_t count;
    PyObject *texts; // keeps their texts alive
} core_settings;

/// Reads a mapping from names to values, or None; false with an exception.
bool core_settings_init(core_settings *settings, PyObject *given);
void core_settings_deinit(core_settings *settings);

/// Whether a policy was made for an equal model; false with an exception if not.
bool core_policy_check_model(const core_policy *self, core_state *state, core_model *model);

/// Whether a policy is for one agent; false with an exception if not.
bool core_policy_is_single(const core_policy *self, core_state *state);

PyObject *core_policy_choose(core_policy *self, PyObject *agent);
PyObject *core_policy_reward(core_policy *self, PyObject *value);
PyObject *core_policy_reward_all(core_policy *self, PyObject *values);
PyObject *core_policy_hash(core_policy *self, PyObject *unused);
PyObject *core_policy_describe_settings(PyTypeObject *type, PyObject *name);
PyObject *core_policy_get_settings(core_policy *self, void *unused);
PyObject *core_policy_get_learning(core_policy *self, void *unused);
int core_policy_set_learning(core_policy *self, PyObject *value, void *unused);
PyObject *core_policy_get_threads(core_policy *self, void *unused);
int core_policy_set_threads(core_policy *self, PyObject *value, void *unused);
PyObject *core_policy_get_all_weights(core_policy *self, void *unused);
PyObject *core_policy_get_metrics(core_policy *self, void *unused);

// --- xla.c --------------------------------------------------------------------------------------

/// The function `xla_handler` of the module.
PyObject *core_xla_handler(PyObject *module, PyObject *unused);

// --- paint.c ------------------------------------------------------------------------------------

/// The function `paint` of the module.
PyObject *core_paint(PyObject *module, PyObject *arguments, PyObject *keywords);

// --- model.c ------------------------------------------------------------------------------------

/// Wraps a model and its config (may be NULL), which are taken over unless it fails.
PyObject *core_model_wrap(core_state *state, jbw_model *model, jbw_config *config);

/// The canonical text; NULL with an exception.
PyObject *core_model_text(core_state *state, core_model *self, bool as_json);

/// True if two models describe the same world; -1 with an exception.
int core_model_equals(core_state *state, core_model *a, core_model *b);

// --- world.c ------------------------------------------------------------------------------------

/// Takes the world to read or to change it; NULL with an exception. Leave with `core_world_leave`.
jbw_world *core_world_enter(core_world *self, core_state *state, bool reads);

/// The same for stepping the world and changing its agents, which worlds of a batch do not allow.
jbw_world *core_world_enter_agents(core_world *self, core_state *state);

void core_world_leave(core_world *self);

/// Around C code that runs without the interpreter's lock, between enter and leave. `resume` is
/// false if the callback of a step or a signal handler has raised.
void core_world_release(core_world *self);
bool core_world_resume(core_world *self);

/// Wraps a world, which is taken over, also on failure.
PyObject *core_world_wrap(core_state *state, core_model *model, jbw_world *world);

/// A new World for a model and a seed.
PyObject *core_world_make(core_state *state, core_model *model, uint64_t seed, PyObject *atlas);

/// A World that refers to one of a batch.
PyObject *core_world_of_batch(core_state *state, core_batch *batch, size_t index);

/// Sets the number of generation threads; false with an exception.
bool core_world_set_generation_threads(core_world *self, core_state *state, int count);

// --- world_agents.c -----------------------------------------------------------------------------

/// The object of an agent, existing or new. A new reference.
PyObject *core_world_agent(core_state *state, core_world *self, jbw_agent_id id);

/// Installs the callback of a world after steps, if it has a function or viewers; in its gate.
void core_world_listen(core_world *self, jbw_world *world);

// --- agent.c ------------------------------------------------------------------------------------

/// A Result.
PyObject *core_agent_result(core_state *state, core_model *model, const jbw_agent_result *result);

// --- reward.c -----------------------------------------------------------------------------------

/// The text of the reward in force at a time. A new reference.
PyObject *core_reward_at(core_reward *self, uint64_t time);

// --- snapshot.c ---------------------------------------------------------------------------------

PyObject *core_world_clone(core_world *self, PyObject *unused);
PyObject *core_world_deepcopy(core_world *self, PyObject *memo);
PyObject *core_world_save(core_world *self, PyObject *arguments, PyObject *keywords);
PyObject *core_world_load(PyTypeObject *type, PyObject *arguments, PyObject *keywords);
PyObject *core_world_to_bytes(core_world *self, PyObject *arguments, PyObject *keywords);
PyObject *core_world_from_bytes(PyTypeObject *type, PyObject *arguments, PyObject *keywords);
PyObject *core_world_reduce(core_world *self, PyObject *unused);

// --- recorder.c ---------------------------------------------------------------------------------

PyObject *core_world_record(core_world *self, PyObject *arguments, PyObject *keywords);

// --- operation.c --------------------------------------------------------------------------------

/// What a recording replayed; the world is that after it. A new reference.
PyObject *core_operation_make(core_state *state, const jbw_world *world,
                              const jbw_operation *operation);

// --- recording.c --------------------------------------------------------------------------------

/// Takes a Recording to replay it; NULL with an exception, also if it was closed.
jbw_recording *core_recording_enter(PyObject *recording, core_state *state);
void core_recording_leave(PyObject *recording);

// --- film.c -------------------------------------------------------------------------------------

PyObject *core_recording_frames(PyObject *self, PyObject *arguments, PyObject *keywords);
PyObject *core_recording_movie(PyObject *self, PyObject *arguments, PyObject *keywords);

// --- viewer.c -----------------------------------------------------------------------------------

/// Offers a world to its viewers, after a step. Needs no interpreter.
void core_viewers_publish(core_viewer *first, jbw_world *world);

/// Closes all viewers of a world that is being destroyed.
void core_viewers_end(core_world *world);

/// Switches the viewers of a world to another one, if possible.
void core_viewers_move(core_state *state, core_world *from, core_world *to);

PyObject *core_world_get_viewers(core_world *self, void *unused);
PyObject *core_world_get_reward(core_world *self, void *unused);
int core_world_set_reward(core_world *self, PyObject *reward, void *unused);
PyObject *core_world_view(core_world *self, PyObject *arguments, PyObject *keywords);

// --- types, made when the module is -------------------------------------------------------------

extern PyType_Spec core_atlas_spec;
extern PyType_Spec core_model_spec;
extern PyType_Spec core_world_spec;
extern PyType_Spec core_agent_spec;
extern PyType_Spec core_reward_spec;
extern PyType_Spec core_policy_spec;
extern PyType_Spec core_env_spec;
extern PyType_Spec core_batch_spec;
extern PyType_Spec core_team_spec;
extern PyType_Spec core_recorder_spec;
extern PyType_Spec core_recording_spec;
extern PyType_Spec core_film_spec;
extern PyType_Spec core_viewer_spec;
extern PyStructSequence_Desc core_part_desc;
extern PyStructSequence_Desc core_result_desc;
extern PyStructSequence_Desc core_stats_desc;
extern PyStructSequence_Desc core_planes_desc;
extern PyStructSequence_Desc core_cell_desc;
extern PyStructSequence_Desc core_operation_desc;

#endif
