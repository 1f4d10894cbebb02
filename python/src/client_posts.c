// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Actions that are sent ahead and collected one by one.
#include "client_parts.h"

enum { POSTED_MOST = 64 }; // actions of one agent; every server accepts that many

/// The actions of one `client_post`. The client writes to it until everything is collected or the
/// client is closed, so it belongs to the client and not to the caller.
struct client_batch {
    client_batch *next;
    jbw_agent_id agent;
    size_t count;
    size_t collected;
    client_view *views; // the first `collected` of them are empty
    jbw_client_observation *observations;
    uint32_t *tickets;
};

static void batch_free(client_batch *b)
{
    for (size_t i = 0; b->views && i < b->count; i++) client_view_clear(&b->views[i]);
    PyMem_Free(b->views);
    PyMem_Free(b->observations);
    PyMem_Free(b->tickets);
    PyMem_Free(b);
}

static client_batch *batch_new(const client_object *self, jbw_agent_id agent, size_t count,
                               PyObject *wants)
{
    client_batch *b = PyMem_Calloc(1, sizeof *b);
    if (!b) return (client_batch *)PyErr_NoMemory();
    b->agent = agent;
    b->count = count;
    b->views = PyMem_Calloc(count + 1, sizeof *b->views);
    b->observations = PyMem_Calloc(count + 1, sizeof *b->observations);
    b->tickets = PyMem_Calloc(count + 1, sizeof *b->tickets);
    bool done = b->views && b->observations && b->tickets;
    if (!done) PyErr_NoMemory();
    for (size_t i = 0; i < count && done; i++) {
        done = client_view_init(&b->views[i], self, wants);
        b->observations[i] = b->views[i].o;
    }
    if (done) return b;
    batch_free(b);
    return NULL;
}

void client_free_posts(client_object *self)
{
    while (self->posts) {
        client_batch *b = self->posts;
        self->posts = b->next;
        batch_free(b);
    }
}

static bool is_of(const client_batch *b, jbw_agent_id agent)
{
    return client_from_agent(b->agent) == client_from_agent(agent);
}

static size_t count_posted(const client_object *self, jbw_agent_id agent)
{
    size_t count = 0;
    for (const client_batch *b = self->posts; b; b = b->next)
        if (is_of(b, agent)) count += b->count - b->collected;
    return count;
}

// The list is read and changed only with the interpreter's lock, so this does not wait for calls of
// other threads.
PyObject *client_posted(client_object *self, PyObject *agent)
{
    jbw_agent_id id;
    if (!client_to_agent(agent, &id)) return NULL;
    return PyLong_FromSize_t(count_posted(self, id));
}

static const module_state *errors_of(client_object *self)
{
    return PyType_GetModuleState(Py_TYPE((PyObject *)self));
}

// sends a batch and appends to the list what was sent
static jbw_status send_batch(client_object *self, jbw_client *client, client_batch *b,
                             const jbw_requests *requests)
{
    PyThreadState *thread = PyEval_SaveThread();
    const jbw_status status =
        jbw_client_post_requests(client, b->agent, requests, b->count, b->observations, b->tickets);
    PyEval_RestoreThread(thread);

    // after a failure the first ones may have been sent
    size_t sent = 0;
    while (sent < b->count && b->tickets[sent]) sent++;
    for (size_t i = sent; i < b->count; i++) client_view_clear(&b->views[i]);
    b->count = sent;
    if (sent == 0) {
        batch_free(b);
        return status;
    }
    client_batch **end = &self->posts;
    while (*end) end = &(*end)->next;
    *end = b;
    return status;
}

PyObject *client_post(client_object *self, PyObject *arguments)
{
    jbw_agent_id id;
    PyObject *list;
    PyObject *wants;
    int actions[POSTED_MOST];
    int say[POSTED_MOST];
    const char *texts[POSTED_MOST];
    const jbw_requests requests = {.actions = actions, .say = say, .texts = texts};
    if (!PyArg_ParseTuple(arguments, "O&O!O!:post", client_to_agent, &id, &PyTuple_Type, &list,
                          &PyTuple_Type, &wants))
        return NULL;
    const size_t count = (size_t)PyTuple_Size(list);
    for (size_t i = 0; i < count && i < POSTED_MOST; i++) {
        jbw_request request;
        if (!client_to_request(PyTuple_GetItem(list, (Py_ssize_t)i), &request)) return NULL;
        actions[i] = request.action;
        say[i] = request.say;
        texts[i] = request.text;
    }
    jbw_client *client = client_enter(self);
    if (!client) return NULL;
    jbw_status status = JBW_OK;
    if (count > POSTED_MOST - count_posted(self, id)) {
        PyErr_Format(errors_of(self)->ArgumentError,
                     "at most %d actions of an agent can be under way", POSTED_MOST);
    } else {
        client_batch *b = batch_new(self, id, count, wants);
        if (b) status = send_batch(self, client, b, &requests);
    }
    return client_leave(self, status) ? Py_NewRef(Py_None) : NULL;
}

// removes the collected view from its batch, and the batch from the list when it is empty
static client_view take_view(client_batch **at)
{
    client_batch *b = *at;
    client_view view = b->views[b->collected];
    view.o = b->observations[b->collected];
    b->views[b->collected] = (client_view){0};
    if (++b->collected == b->count) {
        *at = b->next;
        batch_free(b);
    }
    return view;
}

PyObject *client_collect(client_object *self, PyObject *agent)
{
    jbw_agent_id id;
    jbw_client *client = client_to_agent(agent, &id) ? client_enter(self) : NULL;
    if (!client) return NULL;
    client_batch **at = &self->posts;
    while (*at && !is_of(*at, id)) at = &(*at)->next;
    if (!*at) {
        PyErr_SetString(errors_of(self)->NotFoundError, "no action of the agent is under way");
        client_leave(self, JBW_OK);
        return NULL;
    }
    PyThreadState *thread = PyEval_SaveThread();
    const jbw_status status = jbw_client_collect(client, (*at)->tickets[(*at)->collected]);
    PyEval_RestoreThread(thread);

    // after a timeout, or Ctrl-C, it can be collected again
    client_view view = {0};
    if (status != JBW_TIMED_OUT) view = take_view(at);
    PyObject *out = client_leave(self, status) ? client_view_value(&view) : NULL;
    client_view_clear(&view);
    return out;
}
