// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "agents/learn/save.h"

void jbw_write_floats(jbw_writer *writer, const float *values, size_t count)
{
    enum { AT_ONCE = 4096 };
    for (size_t first = 0; first < count; first += AT_ONCE) {
        const size_t some = count - first < AT_ONCE ? count - first : AT_ONCE;
        uint8_t *at = jbw_writer_room(writer, some * sizeof(float));
        if (!at) return;
        for (size_t i = first; i < first + some; i++, at += sizeof(float)) {
            uint32_t bits;
            memcpy(&bits, &values[i], sizeof bits);
            jbw_put_u32(at, bits);
        }
        jbw_writer_advance(writer, at);
    }
}

void jbw_read_floats(jbw_reader *reader, float *values, size_t count)
{
    const uint8_t *at = jbw_read_bytes(reader, count * sizeof(float));
    for (size_t i = 0; at && i < count; i++, at += sizeof(float)) {
        const uint32_t bits = jbw_get_u32(at);
        memcpy(&values[i], &bits, sizeof bits);
    }
}

void jbw_write_rng(jbw_writer *writer, const jbw_rng *rng)
{
    jbw_write_u64(writer, rng->state);
    jbw_write_u64(writer, rng->step);
}

jbw_rng jbw_read_rng(jbw_reader *reader)
{
    const uint64_t state = jbw_read_u64(reader);
    const uint64_t step = jbw_read_u64(reader);
    if (step % 2 == 0) reader->ok = false;
    return (jbw_rng){.state = state, .step = step};
}

void jbw_write_parameters(jbw_writer *writer, const jbw_parameters *p, bool is_amsgrad)
{
    jbw_write_floats(writer, p->weights, p->count);
    jbw_write_floats(writer, p->mean, p->count);
    jbw_write_floats(writer, p->square, p->count);
    if (is_amsgrad) jbw_write_floats(writer, p->largest, p->count);
}

void jbw_read_parameters(jbw_reader *reader, jbw_parameters *p, bool is_amsgrad)
{
    jbw_read_floats(reader, p->weights, p->count);
    jbw_read_floats(reader, p->mean, p->count);
    jbw_read_floats(reader, p->square, p->count);
    if (is_amsgrad) jbw_read_floats(reader, p->largest, p->count);
}
