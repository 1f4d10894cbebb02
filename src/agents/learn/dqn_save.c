// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "agents/learn/dqn_save.h"

#include "agents/learn/save.h"

// the state before the next step
static float *hidden_of(const jbw_dqn *dqn)
{
    return dqn->live.memory.input.at + dqn->network.feature_count;
}

void jbw_dqn_save(const jbw_dqn *dqn, jbw_writer *writer)
{
    const jbw_parameters *p = &dqn->network.parameters;
    const size_t size = (size_t)dqn->options.network.lstm_size;
    const double numbers[] = {dqn->optimizer.mean_power, dqn->optimizer.square_power,
                              dqn->report.loss,          dqn->report.value,
                              dqn->report.target,        dqn->report.gradient_norm};
    jbw_writer_expect(writer, (5 * p->count + 2 * size) * sizeof(float) + 1024);
    jbw_write_varint(writer, p->count);
    jbw_write_rng(writer, &dqn->explorer);
    jbw_write_rng(writer, &dqn->sampler);
    jbw_write_u8(writer, dqn->has_acted);
    jbw_write_varint(writer, dqn->update_count);
    jbw_write_varint(writer, dqn->optimizer.step_count);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        jbw_write_double(writer, numbers[i]);
    jbw_write_parameters(writer, p, dqn->options.is_amsgrad);
    jbw_write_floats(writer, dqn->target.parameters.weights, p->count);
    jbw_write_floats(writer, hidden_of(dqn), size);
    jbw_write_floats(writer, dqn->live.memory.cell_before, size);
    jbw_remedies_save(&dqn->remedies, writer);
    jbw_replay_save(&dqn->replay, writer);
}

void jbw_dqn_load(jbw_dqn *dqn, jbw_reader *reader)
{
    const jbw_parameters *p = &dqn->network.parameters;
    const size_t size = (size_t)dqn->options.network.lstm_size;
    double *const numbers[] = {&dqn->optimizer.mean_power, &dqn->optimizer.square_power,
                               &dqn->report.loss,          &dqn->report.value,
                               &dqn->report.target,        &dqn->report.gradient_norm};
    if (jbw_read_varint(reader) != p->count) reader->ok = false;
    dqn->explorer = jbw_read_rng(reader);
    dqn->sampler = jbw_read_rng(reader);
    const uint8_t has_acted = jbw_read_u8(reader);
    dqn->update_count = jbw_read_varint(reader);
    dqn->optimizer.step_count = jbw_read_varint(reader);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        *numbers[i] = jbw_read_double(reader);
    jbw_read_parameters(reader, &dqn->network.parameters, dqn->options.is_amsgrad);
    jbw_read_floats(reader, dqn->target.parameters.weights, p->count);
    jbw_read_floats(reader, hidden_of(dqn), size);
    jbw_read_floats(reader, dqn->live.memory.cell_before, size);
    jbw_remedies_load(&dqn->remedies, reader);
    jbw_replay_load(&dqn->replay, reader);
    // an action that waits for its reward is in the replay
    if (has_acted > 1 || (has_acted && dqn->replay.oldest == dqn->replay.end)) reader->ok = false;
    if (!reader->ok) return;
    dqn->has_acted = has_acted != 0;
}
