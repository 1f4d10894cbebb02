// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The parts of observations (jbw/observation.h) as NumPy arrays: what the modules jbw._core and
/// jbw._client share. To be included after NumPy.
#ifndef JBW_PYTHON_PARTS_H
#define JBW_PYTHON_PARTS_H

#include "jbw/observation.h"

/// The NumPy type of a part's elements.
static inline int part_type(const jbw_part_info *info)
{
    static const int types[] = {
        [JBW_ELEMENT_UINT8] = NPY_UINT8,     [JBW_ELEMENT_INT32] = NPY_INT32,
        [JBW_ELEMENT_INT64] = NPY_INT64,     [JBW_ELEMENT_UINT64] = NPY_UINT64,
        [JBW_ELEMENT_FLOAT32] = NPY_FLOAT32,
    };
    return types[info->element];
}

/// The shape of so many rows of a part: the number of axes. Without rows, of the part itself.
static inline int part_shape(const jbw_part_info *info, const size_t *rows,
                             npy_intp shape[JBW_PART_MAX_RANK + 1])
{
    int rank = 0;
    if (rows) shape[rank++] = (npy_intp)*rows;
    for (int i = 0; i < info->rank; i++) shape[rank++] = (npy_intp)info->shape[i];
    return rank;
}

/// A new array for a part, not filled in; NULL with an exception.
static inline PyObject *part_array(const jbw_part_info *info)
{
    npy_intp shape[JBW_PART_MAX_RANK + 1];
    const int rank = part_shape(info, NULL, shape);
    return PyArray_SimpleNew(rank, shape, part_type(info));
}

#endif
