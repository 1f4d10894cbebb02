// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What the files of the module jbw._client share.
#ifndef JBW_PYTHON_CLIENT_PARTS_H
#define JBW_PYTHON_CLIENT_PARTS_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define NPY_NO_DEPRECATED_API NPY_2_0_API_VERSION
#define NPY_TARGET_VERSION NPY_1_25_API_VERSION
#define PY_ARRAY_UNIQUE_SYMBOL jbw_client_array_api
#ifndef JBW_CLIENT_MODULE
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "jbw/client.h"
#include "parts.h"

/// The exceptions of jbw/errors.py that a status becomes.
#define ERRORS(X)                       \
    X(INVALID_ARGUMENT, ArgumentError)  \
    X(INVALID_CONFIG, ConfigError)      \
    X(NOT_FOUND, NotFoundError)         \
    X(OUT_OF_RANGE, OutOfRangeError)    \
    X(NO_SUCH_AGENT, NoSuchAgentError)  \
    X(CELL_BLOCKED, CellBlockedError)   \
    X(UNSUPPORTED, UnsupportedError)    \
    X(INVALID_DATA, DataError)          \
    X(NO_CONNECTION, NoConnectionError) \
    X(TIMED_OUT, TimedOutError)         \
    X(NOT_PERMITTED, NotPermittedError)

typedef struct module_state {
    PyObject *Error;
#define X(status, name) PyObject *name;
    ERRORS(X)
#undef X
    PyTypeObject *Client;
} module_state;

typedef struct client_batch client_batch;

typedef struct client_object {
    PyObject_HEAD jbw_client *client; // NULL once it is closed
    PyThread_type_lock lock;
    jbw_part_axes axes;  // of the parts of observations
    client_batch *posts; // under way, or not collected yet; the oldest first
} client_object;

/// Every method: name, calling convention, documentation.
#define CLIENT_METHODS(X)                                                                   \
    X(close, METH_NOARGS, "Disconnects; closing twice is fine.")                            \
    X(world_file, METH_NOARGS, "The world file of the world, as YAML.")                     \
    X(info, METH_NOARGS, "What the client knows without asking.")                           \
    X(add_agent, METH_VARARGS, "(position or None, direction, force, body): its id.")       \
    X(remove_agent, METH_O, "")                                                             \
    X(set_active, METH_VARARGS, "(agent, active)")                                          \
    X(own_agents, METH_NOARGS, "The agents that this client has added or activated.")       \
    X(left_agents, METH_NOARGS, "The agents that the token had on connecting.")             \
    X(all_agents, METH_NOARGS, "All agents of the world.")                                  \
    X(observe, METH_VARARGS, "(agent, names of parts): an observation.")                    \
    X(act, METH_VARARGS, "(agent, request): True if the world has stepped.")                \
    X(act_and_observe, METH_VARARGS, "(agent, request, parts): an observation.")            \
    X(act_together, METH_VARARGS, "(agents, requests, parts): observations.")               \
    X(post, METH_VARARGS, "(agent, requests, parts): sends requests ahead.")                \
    X(posted, METH_O, "The number of actions of an agent that were posted, not collected.") \
    X(collect, METH_O, "The observation after the oldest action that was posted.")          \
    X(state, METH_O, "(position, start, direction, active, request, body) of an agent.")    \
    X(time, METH_NOARGS, "Steps taken so far.")                                             \
    X(hash, METH_NOARGS, "Of the world.")                                                   \
    X(save, METH_NOARGS, "Saves the world on the server: its time.")                        \
    X(region, METH_VARARGS, "(x, y, width, height): items and patch states.")               \
    X(planes, METH_VARARGS, "(x, y, width, height): the arrays of Planes.")                 \
    X(inspect, METH_VARARGS, "(x, y): what is in a cell, as World.inspect tells it.")       \
    X(smell, METH_VARARGS, "(x, y, width, height): scents.")                                \
    X(place, METH_VARARGS, "(item type, x, y, text or None)")                               \
    X(remove, METH_VARARGS, "(x, y)")                                                       \
    X(explore, METH_VARARGS, "(x, y)")                                                      \
    X(pause, METH_O, "Pauses or resumes.")                                                  \
    X(step, METH_O, "Takes that many steps now.")                                           \
    X(set_rate, METH_O, "Limits the steps per second; zero for no limit.")                  \
    X(stats, METH_NOARGS, "Statistics of the server.")                                      \
    X(subscribe, METH_VARARGS,                                                              \
      "(topic, region, detail, agent, rate): the number of the subscription.")              \
    X(unsubscribe, METH_O, "Ends a subscription.")                                          \
    X(next_frame, METH_O, "The next frame of any subscription, or None after that many seconds.")

#define X(name, flags, doc) PyObject *client_##name(client_object *self, PyObject *arguments);
CLIENT_METHODS(X)
#undef X

/// Begins to use the client, after other threads are done with it; NULL if it is closed.
jbw_client *client_enter(client_object *self);

/// Ends what `client_enter` began: true on success, otherwise false with an exception.
bool client_leave(client_object *self, jbw_status status);

/// Runs a call of the library that returns a status, and leaves; true on success.
#define CALL(self, done, expression)                  \
    do {                                              \
        PyThreadState *thread_ = PyEval_SaveThread(); \
        const jbw_status status_ = (expression);      \
        PyEval_RestoreThread(thread_);                \
        (done) = client_leave((self), status_);       \
    } while (0)

/// Frees what was posted and never collected; only when the client is closed.
void client_free_posts(client_object *self);

/// Agent ids from and to whole numbers; the former is a converter for PyArg_ParseTuple.
int client_to_agent(PyObject *object, void *out);
unsigned long long client_from_agent(jbw_agent_id id);

/// A request from (action, symbol, text or None), which must outlive it; a converter.
int client_to_request(PyObject *object, void *out);

/// An observation, and the arrays that its parts are written to.
typedef struct client_view {
    jbw_client_observation o;
    PyObject *parts; // a dict of arrays, by name
} client_view;

/// `wants` is a tuple of names of parts. False with an exception.
bool client_view_init(client_view *v, const client_object *self, PyObject *wants);
void client_view_clear(client_view *v);

/// (time, position, direction, active, resumed, result, parts)
PyObject *client_view_value(const client_view *v);

#endif
