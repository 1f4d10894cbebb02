// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Exceptions for the statuses of the library.
#include "core.h"

#include <stdarg.h>
#include <string.h>

static PyObject *exception_of(core_state *state, jbw_status status)
{
    switch (status) {
    case JBW_OUT_OF_MEMORY: return PyExc_MemoryError;
    case JBW_INVALID_ARGUMENT: return state->ArgumentError;
    case JBW_INVALID_CONFIG: return state->ConfigError;
    case JBW_INVALID_EXPRESSION: return state->RewardError;
    case JBW_NOT_FOUND: return state->NotFoundError;
    case JBW_OUT_OF_RANGE: return state->OutOfRangeError;
    case JBW_NO_SUCH_AGENT: return state->NoSuchAgentError;
    case JBW_CELL_BLOCKED: return state->CellBlockedError;
    case JBW_READ_FAILED:
    case JBW_WRITE_FAILED: return state->FileError;
    case JBW_UNSUPPORTED: return state->UnsupportedError;
    case JBW_INVALID_DATA: return state->DataError;
    case JBW_NO_CONNECTION: return state->NoConnectionError;
    default: return state->Error;
    }
}

// text from the library is UTF-8, but may quote any input
static PyObject *decode(const char *text)
{
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

PyObject *core_raise(core_state *state, jbw_status status, const char *detail)
{
    // the exception that interrupted the call, such as KeyboardInterrupt
    if (status == JBW_INTERRUPTED && PyErr_Occurred()) return NULL;
    // the detail of a lack of memory is a limit, or nothing new
    if (status == JBW_OUT_OF_MEMORY &&
        (!detail || !*detail || strcmp(detail, jbw_status_text(status)) == 0))
        return PyErr_NoMemory();
    PyObject *text = decode(detail && *detail ? detail : jbw_status_text(status));
    if (!text) return NULL;
    PyErr_SetObject(exception_of(state, status), text);
    core_drop(text);
    return NULL;
}

PyObject *core_raise_file(core_state *state, jbw_status status, const char *detail, PyObject *path)
{
    PyObject *kind = status == JBW_NOT_FOUND ? state->NoSuchFileError : state->FileError;
    if (status != JBW_READ_FAILED && status != JBW_WRITE_FAILED && status != JBW_NOT_FOUND)
        return core_raise(state, status, detail);
    PyObject *text = decode(detail && *detail ? detail : jbw_status_text(status));
    PyObject *name = text ? PyObject_Str(path) : NULL;
    PyObject *error = name ? PyObject_CallFunctionObjArgs(kind, text, name, NULL) : NULL;
    if (error) PyErr_SetObject(kind, error);
    core_drop(text);
    core_drop(name);
    core_drop(error);
    return NULL;
}

PyObject *core_raise_argument(core_state *state, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    PyErr_FormatV(state->ArgumentError, format, arguments);
    va_end(arguments);
    return NULL;
}
