// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include <string.h>

#include "base/alloc.h"

void jbw_buffer_free(jbw_buffer *buffer)
{
    jbw_free(&buffer->allocator, buffer->bytes, buffer->capacity);
    *buffer = (jbw_buffer){.allocator = buffer->allocator};
}

bool jbw_buffer_append(jbw_buffer *buffer, const void *bytes, size_t size)
{
    if (size > SIZE_MAX - buffer->size) return false;
    if (!JBW_GROW(&buffer->allocator, buffer->bytes, buffer->capacity, buffer->size + size))
        return false;
    if (size > 0) memcpy(buffer->bytes + buffer->size, bytes, size);
    buffer->size += size;
    return true;
}
