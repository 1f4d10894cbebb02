// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Batches within programs of XLA, the compiler of JAX: a step is a custom call, in XLA's threads and
/// without the interpreter, straight into XLA's arrays.
///
/// A program cannot hold a pointer: it may outlive the batch. It holds a ticket, three numbers in an
/// array: a place in a table, how often that place was used, and the number of steps taken. A step
/// takes a ticket and returns the next one, so programs cannot take steps in another order than they
/// were written, and an old ticket is an error.
#include "batch_parts.h"

#include <string.h>

enum { PLACES = 1024 };

/// A batch that programs may step. Its lock is taken first, then the gate of the batch.
typedef struct place {
    PyThread_type_lock lock; // made for the first batch here, and kept
    core_batch *batch;       // not a reference: the batch gives the place back; NULL if it is free
    uint32_t use;            // how many batches were here, and how often they started anew
    uint32_t step;
    double *rewards;                     // (agents)
    jbw_part_info infos[JBW_PART_COUNT]; // of a row
    void *wide[JBW_PART_COUNT];          // (agents, ...) of parts with elements of 64 bits, or NULL
} place;

static place places[PLACES];

// --- in Python ----------------------------------------------------------------------------------

static bool is_wide(const jbw_part_info *info)
{
    return info->element == JBW_ELEMENT_INT64 || info->element == JBW_ELEMENT_UINT64;
}

static void empty(place *p)
{
    PyMem_Free(p->rewards);
    p->rewards = NULL;
    for (int i = 0; i < JBW_PART_COUNT; i++) {
        PyMem_Free(p->wide[i]);
        p->wide[i] = NULL;
    }
    p->batch = NULL;
}

// memory for what XLA's arrays cannot hold as it is; false with an exception
static bool furnish(place *p, const core_batch *batch)
{
    const core_model *model = (core_model *)PyTuple_GetItem(batch->models, 0);
    p->rewards = PyMem_Calloc(batch->agent_count, sizeof *p->rewards);
    bool done = p->rewards != NULL;
    for (int i = 0; i < JBW_PART_COUNT && done; i++) {
        p->infos[i] = jbw_model_part(model->model, (jbw_part)i);
        if (!batch->arrays[i] || !is_wide(&p->infos[i])) continue;
        p->wide[i] = PyMem_Calloc(batch->agent_count, p->infos[i].size + 1);
        done = p->wide[i] != NULL;
    }
    if (!done) {
        empty(p);
        PyErr_NoMemory();
    }
    return done;
}

// a place for a batch, found or new; NULL with an exception
static place *find_place(core_batch *self, core_state *state)
{
    place *first = NULL;
    for (int i = 0; i < PLACES; i++) {
        if (places[i].batch == self) return &places[i];
        if (!places[i].batch && !first) first = &places[i];
    }
    if (!first) {
        core_raise_argument(state, "there are too many batches in compiled programs: %d", PLACES);
        return NULL;
    }
    if (!first->lock && !(first->lock = PyThread_allocate_lock())) {
        PyErr_NoMemory();
        return NULL;
    }
    return furnish(first, self) ? first : NULL;
}

PyObject *batch_ticket(core_batch *self, PyObject *unused)
{
    (void)unused;
    core_state *state = core_state_of(self);
    if (!batch_enter(self, state)) return NULL;
    core_gate_leave(&self->gate);
    place *p = find_place(self, state);
    const npy_intp count = 3;
    PyObject *ticket = p ? PyArray_SimpleNew(1, &count, NPY_UINT32) : NULL;
    if (!ticket) return NULL;
    CORE_UNLOCKED(PyThread_acquire_lock(p->lock, WAIT_LOCK));
    p->batch = self;
    p->use++;
    p->step = 0;
    const uint32_t numbers[] = {(uint32_t)(p - places), p->use, 0};
    PyThread_release_lock(p->lock);
    memcpy(PyArray_DATA((PyArrayObject *)ticket), numbers, sizeof numbers);
    return ticket;
}

void core_batch_return_ticket(core_batch *self)
{
    for (int i = 0; i < PLACES; i++) {
        place *p = &places[i];
        if (p->batch != self) continue;
        CORE_UNLOCKED(PyThread_acquire_lock(p->lock, WAIT_LOCK)); // after a step in progress
        empty(p);
        PyThread_release_lock(p->lock);
    }
}

// --- in programs --------------------------------------------------------------------------------

#ifdef JBW_HAS_XLA
#include <xla/ffi/api/c_api.h>

static XLA_FFI_Error *fail(const XLA_FFI_CallFrame *frame, const char *text)
{
    XLA_FFI_Error_Create_Args arguments = {
        .struct_size = XLA_FFI_Error_Create_Args_STRUCT_SIZE,
        .message = text,
        .errc = XLA_FFI_Error_Code_INVALID_ARGUMENT,
    };
    return frame->api->XLA_FFI_Error_Create(&arguments);
}

static bool is_array(const XLA_FFI_Buffer *buffer, XLA_FFI_DataType type, size_t count)
{
    size_t found = 1;
    for (int64_t i = 0; i < buffer->rank; i++) found *= (size_t)buffer->dims[i];
    return buffer->dtype == type && found == count;
}

// arrays have elements of 32 bits at most, unless the user asks XLA for more
static XLA_FFI_DataType type_of(const jbw_part_info *info)
{
    switch (info->element) {
    case JBW_ELEMENT_UINT8: return XLA_FFI_DataType_U8;
    case JBW_ELEMENT_FLOAT32: return XLA_FFI_DataType_F32;
    case JBW_ELEMENT_INT32:
    case JBW_ELEMENT_INT64:
    case JBW_ELEMENT_UINT64: break;
    }
    return XLA_FFI_DataType_S32;
}

static void narrow(const int64_t *from, size_t count, int32_t *to)
{
    for (size_t i = 0; i < count; i++) {
        const int64_t value = from[i]; // times and counts are below 2**63
        to[i] = value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : (int32_t)value;
    }
}

// the parts that the program wants, a bit for each; false if it does not say
static bool read_parts(const XLA_FFI_Attrs *attributes, uint64_t *parts)
{
    if (attributes->size != 1 || attributes->types[0] != XLA_FFI_AttrType_SCALAR) return false;
    const XLA_FFI_Scalar *scalar = attributes->attrs[0];
    if (scalar->dtype != XLA_FFI_DataType_U64) return false;
    memcpy(parts, scalar->value, sizeof *parts);
    return true;
}

// Checks the arrays of a program, and says where the batch is to write; NULL, or what is wrong.
static const char *find_buffers(const place *p, const XLA_FFI_CallFrame *frame, uint64_t parts,
                                jbw_batch_buffers *out)
{
    const size_t agents = p->batch->agent_count;
    XLA_FFI_Buffer *const *returned = (XLA_FFI_Buffer *const *)frame->rets.rets;
    if (!is_array(frame->args.args[1], XLA_FFI_DataType_S32, agents))
        return "expected an int32 array of actions, one for each agent";
    if (!is_array(returned[1], XLA_FFI_DataType_F32, agents))
        return "this state is of an environment with another number of worlds";
    *out = (jbw_batch_buffers){.reward = p->rewards};
    int64_t next = 2;
    for (int i = 0; i < JBW_PART_COUNT; i++) {
        if (!(parts >> i & 1)) continue;
        const jbw_part_info *info = &p->infos[i];
        if (next >= frame->rets.size || !p->batch->arrays[i] ||
            !is_array(returned[next], type_of(info), agents * info->count))
            return "this state is of an environment with other observations";
        jbw_observation_set(&out->parts, (jbw_part)i,
                            p->wide[i] ? p->wide[i] : returned[next]->data);
        next++;
    }
    return next == frame->rets.size ? NULL : "the number of results is wrong";
}

// takes a step of the batch at a place; NULL, or what is wrong
static const char *step(place *p, const XLA_FFI_CallFrame *frame, uint64_t parts)
{
    jbw_batch_buffers buffers;
    const char *problem = find_buffers(p, frame, parts, &buffers);
    if (problem) return problem;
    const XLA_FFI_Buffer *actions = frame->args.args[1];
    core_batch *batch = p->batch;
    core_gate_wait(&batch->gate);
    const jbw_status status = batch->batch
                                  ? jbw_batch_step_into(batch->batch, actions->data, &buffers)
                                  : JBW_INVALID_ARGUMENT;
    core_gate_open(&batch->gate);
    if (status == JBW_INVALID_ARGUMENT)
        return "there is no such action, or the environment was closed";
    if (status) return jbw_status_text(status);

    XLA_FFI_Buffer *const *returned = (XLA_FFI_Buffer *const *)frame->rets.rets;
    float *rewards = returned[1]->data;
    for (size_t i = 0; i < batch->agent_count; i++) rewards[i] = (float)p->rewards[i];
    int64_t next = 2;
    for (int i = 0; i < JBW_PART_COUNT; i++) {
        if (!(parts >> i & 1)) continue;
        if (p->wide[i])
            narrow(p->wide[i], batch->agent_count * p->infos[i].count, returned[next]->data);
        next++;
    }
    p->step++;
    const uint32_t ticket[] = {(uint32_t)(p - places), p->use, p->step};
    memcpy(returned[0]->data, ticket, sizeof ticket);
    return NULL;
}

static const char *step_with(const XLA_FFI_CallFrame *frame, uint64_t parts)
{
    uint32_t ticket[3];
    memcpy(ticket, ((XLA_FFI_Buffer *)frame->args.args[0])->data, sizeof ticket);
    place *p = ticket[0] < PLACES ? &places[ticket[0]] : NULL;
    if (!p || !p->lock) return "this is no state of an environment";
    PyThread_acquire_lock(p->lock, WAIT_LOCK);
    const char *problem = NULL;
    if (!p->batch || p->use != ticket[1])
        problem = "the environment of this state was closed or reset";
    else if (p->step != ticket[2])
        problem = "this state is not the latest one: worlds cannot go back. Use each state once";
    else
        problem = step(p, frame, parts);
    PyThread_release_lock(p->lock);
    return problem;
}

static XLA_FFI_Error *handle(XLA_FFI_CallFrame *frame)
{
    const XLA_FFI_Extension_Base *extension = frame->extension_start;
    if (extension && extension->type == XLA_FFI_Extension_Metadata) {
        XLA_FFI_Metadata *metadata = ((const XLA_FFI_Metadata_Extension *)extension)->metadata;
        metadata->api_version.major_version = XLA_FFI_API_MAJOR;
        metadata->api_version.minor_version = XLA_FFI_API_MINOR;
        return NULL;
    }
    uint64_t parts;
    if (frame->args.size != 2 || frame->rets.size < 2 || !read_parts(&frame->attrs, &parts) ||
        !is_array(frame->args.args[0], XLA_FFI_DataType_U32, 3) ||
        !is_array(frame->rets.rets[0], XLA_FFI_DataType_U32, 3))
        return fail(frame, "expected a state and actions");
    const char *problem = step_with(frame, parts);
    return problem ? fail(frame, problem) : NULL;
}

PyObject *core_xla_handler(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    return PyCapsule_New((void *)handle, NULL, NULL);
}
#else
PyObject *core_xla_handler(PyObject *module, PyObject *unused)
{
    (void)module;
    (void)unused;
    return core_new(Py_None);
}
#endif
