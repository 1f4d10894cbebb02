// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The module jbw._server: nothing but a capsule with the functions of a server; see
/// server_table.h.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "server_table.h"

static core_server_table table = {
    .attach = jbw_server_attach,
    .publish = jbw_server_publish,
    .url = jbw_server_url,
    .port = jbw_server_port,
    .get_stats = jbw_server_get_stats,
    .destroy = jbw_server_destroy,
};

static int execute(PyObject *module)
{
    table.version = jbw_version();
    PyObject *capsule = PyCapsule_New(&table, CORE_SERVER_TABLE, NULL);
    if (!capsule) return -1;
    const int failed = PyModule_AddObjectRef(module, "table", capsule);
    Py_DECREF(capsule);
    return failed;
}

static PyModuleDef_Slot slots[] = {
    {Py_mod_exec, execute},
    {0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "jbw._server",
    .m_doc = PyDoc_STR("The server that World.view uses."),
    .m_slots = slots,
};

PyMODINIT_FUNC PyInit__server(void); // found by name

PyMODINIT_FUNC PyInit__server(void)
{
    return PyModuleDef_Init(&definition);
}
