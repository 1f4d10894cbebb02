// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Vision as pictures: uint8, with several pixels for each cell.
#include "core.h"

#include <string.h>

/// A picture of one agent's vision.
typedef struct picture {
    npy_intp side;   // cells
    npy_intp colors; // in each cell
    npy_intp scale;  // pixels per cell, in each direction
    bool channels_first;
} picture;

static uint8_t to_byte(float value)
{
    const float cut = value > 0 ? (value < 1 ? value : 1) : 0; // not a number: 0
    return (uint8_t)(cut * 255.0f + 0.5f);
}

// one row of pixels: with colors last, or of one color
static void paint_row(const picture *p, const float *cells, npy_intp first, npy_intp last,
                      uint8_t *row)
{
    for (npy_intp x = 0; x < p->side; x++, cells += p->colors)
        for (npy_intp k = 0; k < p->scale; k++)
            for (npy_intp c = first; c < last; c++) *row++ = to_byte(cells[c]);
}

static void paint(const picture *p, const float *vision, uint8_t *pixels)
{
    const npy_intp planes = p->channels_first ? p->colors : 1;
    const npy_intp depth = p->channels_first ? 1 : p->colors;
    const size_t row_size = (size_t)(p->side * p->scale * depth);
    for (npy_intp plane = 0; plane < planes; plane++)
        for (npy_intp y = 0; y < p->side; y++) {
            const uint8_t *first = pixels;
            paint_row(p, vision + y * p->side * p->colors, plane, plane + depth, pixels);
            pixels += row_size;
            for (npy_intp k = 1; k < p->scale; k++, pixels += row_size)
                memcpy(pixels, first, row_size);
        }
}

PyObject *core_paint(PyObject *module, PyObject *arguments, PyObject *keywords)
{
    static char *names[] = {"vision", "scale", "channels_first", "out", NULL};
    core_state *state = PyModule_GetState(module);
    PyObject *given;
    Py_ssize_t scale = 1;
    int channels_first = 0;
    PyObject *out = Py_None;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|npO:paint", names, &given, &scale,
                                     &channels_first, &out))
        return NULL;
    PyArrayObject *vision =
        (PyArrayObject *)PyArray_FROMANY(given, NPY_FLOAT32, 3, 4, NPY_ARRAY_IN_ARRAY);
    if (!vision) return NULL;
    const int rank = PyArray_NDIM(vision);
    const npy_intp *axes = PyArray_DIMS(vision) + (rank - 3);
    const picture p = {axes[0], axes[2], scale, channels_first != 0};
    if (axes[0] != axes[1] || scale < 1 || scale > 64) {
        core_raise_argument(state,
                            "expected vision of shape (..., n, n, colors) and a scale from 1 "
                            "to 64");
        core_drop(vision);
        return NULL;
    }
    const npy_intp side = p.side * scale;
    const npy_intp count = rank == 4 ? PyArray_DIM(vision, 0) : 1;
    const npy_intp shape[4] = {count, channels_first ? p.colors : side, side,
                               channels_first ? side : p.colors};
    PyObject *pixels = NULL;
    if (out == Py_None)
        pixels = PyArray_SimpleNew(rank, shape + (4 - rank), NPY_UINT8);
    else if (core_array_check(state, out, "out", NPY_UINT8, rank, shape + (4 - rank)))
        pixels = core_new(out);
    if (pixels) {
        const float *from = PyArray_DATA(vision);
        uint8_t *to = PyArray_DATA((PyArrayObject *)pixels);
        const npy_intp cells = p.side * p.side * p.colors;
        for (npy_intp i = 0; i < count; i++)
            paint(&p, from + i * cells, to + i * cells * scale * scale);
    }
    core_drop(vision);
    return pixels;
}
