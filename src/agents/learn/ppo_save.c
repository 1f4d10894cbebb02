// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "agents/learn/ppo_save.h"

#include "agents/learn/save.h"

static size_t vision_count(const jbw_ppo *ppo)
{
    return (size_t)jbw_vision_count(&ppo->options.network);
}

// the first row of a world
static ptrdiff_t first_of(const jbw_ppo *ppo, int world)
{
    return (ptrdiff_t)world * (ppo->options.rows / ppo->options.worlds);
}

// the hidden state before it
static float *hidden_of(const jbw_ppo *ppo, ptrdiff_t row)
{
    const jbw_rows input = ppo->pass.memory.input;
    return input.at + row * input.stride + ppo->network.feature_count;
}

// room for everything at once, so that the buffer does not grow several times
static size_t size_of(const jbw_ppo *ppo)
{
    const size_t worlds = (size_t)ppo->options.worlds;
    const size_t rows = (size_t)ppo->options.rows + worlds;
    const size_t floats = 4 * ppo->network.parameters.count +
                          2 * worlds * (size_t)ppo->options.network.lstm_size +
                          rows * (vision_count(ppo) + (size_t)ppo->options.network.scents);
    return floats * sizeof(float) + rows * 32 + 1024;
}

// ---- saving ----

static void save_numbers(const jbw_ppo *ppo, jbw_writer *writer)
{
    const jbw_ppo_report *r = &ppo->report;
    const double numbers[] = {ppo->optimizer.mean_power,
                              ppo->optimizer.square_power,
                              ppo->divergence_weight,
                              r->policy_loss,
                              r->value_loss,
                              r->entropy,
                              r->divergence,
                              r->gradient_norm};
    jbw_write_rng(writer, &ppo->rng);
    jbw_write_varint(writer, ppo->update_count);
    jbw_write_varint(writer, ppo->optimizer.step_count);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        jbw_write_double(writer, numbers[i]);
}

// what one world was like
static void save_rows(const jbw_ppo *ppo, int world, jbw_writer *writer)
{
    const jbw_network_options *o = &ppo->options.network;
    const size_t size = (size_t)o->lstm_size;
    const ptrdiff_t first = first_of(ppo, world);
    const size_t rows = (size_t)ppo->count + ppo->has_acted;
    jbw_write_floats(writer, hidden_of(ppo, first), size);
    jbw_write_floats(writer, ppo->pass.memory.cell_before + first * o->lstm_size, size);
    jbw_write_varint(writer, (uint64_t)ppo->count);
    jbw_write_u8(writer, ppo->has_acted);
    if (ppo->pass.vision)
        jbw_write_floats(writer, ppo->pass.vision + (size_t)first * vision_count(ppo),
                         vision_count(ppo) * rows);
    if (ppo->pass.scent)
        jbw_write_floats(writer, ppo->pass.scent + first * o->scents, (size_t)o->scents * rows);
    for (size_t i = 0; i < rows; i++) {
        jbw_write_u8(writer, ppo->pass.moved[first + (ptrdiff_t)i] > 0.0f);
        jbw_write_varint(writer, (uint64_t)ppo->actions[first + (ptrdiff_t)i]);
    }
    for (int i = 0; i < ppo->count; i++) jbw_write_double(writer, ppo->rewards[first + i]);
}

void jbw_ppo_save(const jbw_ppo *ppo, jbw_writer *writer)
{
    const jbw_parameters *p = &ppo->network.parameters;
    jbw_writer_expect(writer, size_of(ppo));
    jbw_write_varint(writer, p->count);
    save_numbers(ppo, writer);
    jbw_write_parameters(writer, p, ppo->options.is_amsgrad);
    jbw_remedies_save(&ppo->remedies, writer);
    for (int world = 0; world < ppo->options.worlds; world++) save_rows(ppo, world, writer);
}

// ---- loading ----

static void load_numbers(jbw_ppo *ppo, jbw_reader *reader)
{
    jbw_ppo_report *r = &ppo->report;
    double *const numbers[] = {&ppo->optimizer.mean_power,
                               &ppo->optimizer.square_power,
                               &ppo->divergence_weight,
                               &r->policy_loss,
                               &r->value_loss,
                               &r->entropy,
                               &r->divergence,
                               &r->gradient_norm};
    ppo->rng = jbw_read_rng(reader);
    ppo->update_count = jbw_read_varint(reader);
    ppo->optimizer.step_count = jbw_read_varint(reader);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        *numbers[i] = jbw_read_double(reader);
}

static void load_rows(jbw_ppo *ppo, int world, jbw_reader *reader)
{
    const jbw_network_options *o = &ppo->options.network;
    const size_t size = (size_t)o->lstm_size;
    const ptrdiff_t first = first_of(ppo, world);
    jbw_read_floats(reader, hidden_of(ppo, first), size);
    jbw_read_floats(reader, ppo->pass.memory.cell_before + first * o->lstm_size, size);
    const uint64_t count = jbw_read_varint(reader);
    const uint8_t has_acted = jbw_read_u8(reader);
    const uint64_t most = (uint64_t)first_of(ppo, 1);
    if (has_acted > 1 || count > most || count + has_acted > most) reader->ok = false;
    // all worlds have lived the same number of steps
    if (world > 0 && (count != (uint64_t)ppo->count || has_acted != ppo->has_acted))
        reader->ok = false;
    if (!reader->ok) return;
    const size_t rows = (size_t)count + has_acted;
    if (ppo->pass.vision)
        jbw_read_floats(reader, ppo->pass.vision + (size_t)first * vision_count(ppo),
                        vision_count(ppo) * rows);
    if (ppo->pass.scent)
        jbw_read_floats(reader, ppo->pass.scent + first * o->scents, (size_t)o->scents * rows);
    for (size_t i = 0; i < rows; i++) {
        const uint8_t moved = jbw_read_u8(reader);
        const uint64_t action = jbw_read_varint(reader);
        if (moved > 1 || action >= (uint64_t)o->actions) reader->ok = false;
        if (!reader->ok) return;
        ppo->pass.moved[first + (ptrdiff_t)i] = moved ? 1.0f : -1.0f;
        ppo->actions[first + (ptrdiff_t)i] = (int)action;
    }
    for (int i = 0; i < (int)count; i++) ppo->rewards[first + i] = jbw_read_double(reader);
    ppo->count = (int)count;
    ppo->has_acted = has_acted != 0;
}

void jbw_ppo_load(jbw_ppo *ppo, jbw_reader *reader)
{
    jbw_parameters *p = &ppo->network.parameters;
    if (jbw_read_varint(reader) != p->count) reader->ok = false;
    load_numbers(ppo, reader);
    jbw_read_parameters(reader, p, ppo->options.is_amsgrad);
    jbw_remedies_load(&ppo->remedies, reader);
    for (int world = 0; world < ppo->options.worlds && reader->ok; world++)
        load_rows(ppo, world, reader);
    if (reader->ok) jbw_ppo_recall(ppo, ppo->count + ppo->has_acted);
}
