// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "agents/learn/replay.h"

#include "agents/learn/save.h"

// ---- beginning and ending ----

static size_t mask_size(size_t floats)
{
    return (floats + 7) / 8;
}

size_t jbw_replay_largest(const jbw_replay_options *o)
{
    return mask_size(o->vision) + mask_size(o->scent) + (o->vision + o->scent) * sizeof(float);
}

bool jbw_replay_init(jbw_replay *r, const jbw_replay_options *options,
                     const jbw_allocator *allocator)
{
    *r = (jbw_replay){.options = *options};
    const size_t steps = options->most_steps;
    if (options->state > 0) r->state_count = steps / options->spacing + 2;
    r->bytes = jbw_alloc(allocator, options->most_bytes);
    r->sizes = jbw_alloc_zero(allocator, steps, sizeof *r->sizes);
    r->places = jbw_alloc_zero(allocator, steps, sizeof *r->places);
    r->moved = jbw_alloc_zero(allocator, steps, sizeof *r->moved);
    r->actions = jbw_alloc_zero(allocator, steps, sizeof *r->actions);
    r->rewards = jbw_alloc_zero(allocator, steps, sizeof *r->rewards);
    r->states = jbw_alloc_zero(allocator, r->state_count, options->state * sizeof(float));
    r->packed = jbw_alloc_zero(allocator, jbw_replay_largest(options), 1);
    return r->bytes && r->sizes && r->places && r->moved && r->actions && r->rewards && r->states &&
           r->packed;
}

void jbw_replay_deinit(jbw_replay *r, const jbw_allocator *allocator)
{
    const size_t steps = r->options.most_steps;
    jbw_free(allocator, r->bytes, r->options.most_bytes);
    jbw_free(allocator, r->sizes, steps * sizeof *r->sizes);
    jbw_free(allocator, r->places, steps * sizeof *r->places);
    jbw_free(allocator, r->moved, steps * sizeof *r->moved);
    jbw_free(allocator, r->actions, steps * sizeof *r->actions);
    jbw_free(allocator, r->rewards, steps * sizeof *r->rewards);
    jbw_free(allocator, r->states, r->state_count * r->options.state * sizeof(float));
    jbw_free(allocator, r->packed, jbw_replay_largest(&r->options));
    *r = (jbw_replay){0};
}

// ---- observations as bytes ----

// returns the end
static uint8_t *pack(const float *values, size_t count, uint8_t *to)
{
    uint8_t *mask = to;
    memset(mask, 0, mask_size(count));
    to += mask_size(count);
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        if (bits == 0) continue;
        mask[i / 8] = (uint8_t)(mask[i / 8] | 1u << i % 8);
        jbw_put_u32(to, bits);
        to += sizeof bits;
    }
    return to;
}

static const uint8_t *unpack(const uint8_t *from, size_t count, float *values)
{
    const uint8_t *mask = from;
    from += mask_size(count);
    if (count > 0) memset(values, 0, count * sizeof(float));
    for (size_t i = 0; i < count; i++) {
        if (mask[i / 8] == 0) {
            i |= 7; // eight at once
            continue;
        }
        if (!(mask[i / 8] >> i % 8 & 1)) continue;
        const uint32_t bits = jbw_get_u32(from);
        memcpy(&values[i], &bits, sizeof bits);
        from += sizeof bits;
    }
    return from;
}

// floats that follow a mask, or more than `count` if it has bits that it must not have
static size_t count_bits(const uint8_t *mask, size_t count)
{
    size_t sum = 0;
    for (size_t i = 0; i < mask_size(count) * 8; i++) {
        const bool is_set = mask[i / 8] >> i % 8 & 1;
        if (is_set && i >= count) return count + 1;
        sum += is_set;
    }
    return sum;
}

// ---- the ring ----

static size_t slot_of(const jbw_replay *r, uint64_t step)
{
    return (size_t)(step % r->options.most_steps);
}

static void forget_oldest(jbw_replay *r)
{
    const size_t size = r->sizes[slot_of(r, r->oldest)];
    r->first_byte = (r->first_byte + size) % r->options.most_bytes;
    r->byte_count -= size;
    r->oldest++;
}

// Puts an observation behind all others. It may run over the end of the bytes and go on at their beginning.
static void append(jbw_replay *r, const uint8_t *packed, size_t size)
{
    const size_t room = r->options.most_bytes;
    while (r->end - r->oldest == r->options.most_steps || r->byte_count + size > room)
        forget_oldest(r);
    const size_t slot = slot_of(r, r->end);
    const size_t place = (r->first_byte + r->byte_count) % room;
    const size_t straight = size < room - place ? size : room - place;
    memcpy(r->bytes + place, packed, straight);
    memcpy(r->bytes, packed + straight, size - straight);
    r->places[slot] = place;
    r->sizes[slot] = size;
    r->byte_count += size;
    r->end++;
}

// the bytes of an observation: where they are, or copied together
static const uint8_t *bytes_of(const jbw_replay *r, size_t slot)
{
    const size_t place = r->places[slot];
    const size_t size = r->sizes[slot];
    const size_t straight = r->options.most_bytes - place;
    if (size <= straight) return r->bytes + place;
    memcpy(r->packed, r->bytes + place, straight);
    memcpy(r->packed + straight, r->bytes, size - straight);
    return r->packed;
}

static float *state_at(const jbw_replay *r, uint64_t step)
{
    return r->states + (size_t)(step / r->options.spacing % r->state_count) * r->options.state;
}

static bool has_state(const jbw_replay *r, uint64_t step)
{
    return r->options.state > 0 && step % r->options.spacing == 0;
}

void jbw_replay_observe(jbw_replay *r, const float *vision, const float *scent, bool moved,
                        const float *state)
{
    uint8_t *end = pack(vision, r->options.vision, r->packed);
    end = pack(scent, r->options.scent, end);
    const uint64_t step = r->end;
    append(r, r->packed, (size_t)(end - r->packed));
    r->moved[slot_of(r, step)] = moved;
    r->actions[slot_of(r, step)] = 0;
    r->rewards[slot_of(r, step)] = 0.0;
    if (has_state(r, step)) memcpy(state_at(r, step), state, r->options.state * sizeof(float));
}

void jbw_replay_act(jbw_replay *r, int action)
{
    r->actions[slot_of(r, r->end - 1)] = (uint8_t)action;
}

void jbw_replay_reward(jbw_replay *r, double reward)
{
    r->rewards[slot_of(r, r->end - 1)] = reward;
}

jbw_replay_step jbw_replay_step_at(const jbw_replay *r, uint64_t step)
{
    const size_t slot = slot_of(r, step);
    return (jbw_replay_step){
        .moved = r->moved[slot] != 0, .action = r->actions[slot], .reward = r->rewards[slot]};
}

jbw_replay_step jbw_replay_recall(const jbw_replay *r, uint64_t step, float *vision, float *scent)
{
    const uint8_t *after = unpack(bytes_of(r, slot_of(r, step)), r->options.vision, vision);
    unpack(after, r->options.scent, scent);
    return jbw_replay_step_at(r, step);
}

const float *jbw_replay_state(const jbw_replay *r, uint64_t step)
{
    return state_at(r, step);
}

// ---- saving ----

void jbw_replay_save(const jbw_replay *r, jbw_writer *writer)
{
    const size_t steps = (size_t)(r->end - r->oldest);
    const size_t states = r->options.state > 0 ? steps / r->options.spacing + 1 : 0;
    jbw_writer_expect(writer,
                      r->byte_count + steps * 10 + 20 + states * r->options.state * sizeof(float));
    jbw_write_varint(writer, r->oldest);
    jbw_write_varint(writer, steps);
    for (uint64_t step = r->oldest; step < r->end; step++) {
        const size_t slot = slot_of(r, step);
        jbw_write_bytes(writer, bytes_of(r, slot), r->sizes[slot]);
        jbw_write_u8(writer, r->moved[slot]);
        jbw_write_u8(writer, r->actions[slot]);
        jbw_write_double(writer, r->rewards[slot]);
        if (has_state(r, step)) jbw_write_floats(writer, state_at(r, step), r->options.state);
    }
}

// copies one sense of a packed observation to `to` and returns the end, or NULL
static uint8_t *load_sense(jbw_reader *reader, size_t count, uint8_t *to)
{
    const uint8_t *mask = jbw_read_bytes(reader, mask_size(count));
    const size_t floats = mask ? count_bits(mask, count) : 0;
    const uint8_t *values = floats <= count ? jbw_read_bytes(reader, floats * sizeof(float)) : NULL;
    if (!mask || !values) {
        reader->ok = false;
        return NULL;
    }
    memcpy(to, mask, mask_size(count));
    memcpy(to + mask_size(count), values, floats * sizeof(float));
    return to + mask_size(count) + floats * sizeof(float);
}

static void load_step(jbw_replay *r, jbw_reader *reader)
{
    uint8_t *end = load_sense(reader, r->options.vision, r->packed);
    if (end) end = load_sense(reader, r->options.scent, end);
    const uint8_t moved = jbw_read_u8(reader);
    const uint8_t action = jbw_read_u8(reader);
    const double reward = jbw_read_double(reader);
    const size_t size = end ? (size_t)(end - r->packed) : 0;
    const bool has_room = r->byte_count + size <= r->options.most_bytes;
    if (moved > 1 || action >= r->options.actions || !has_room) reader->ok = false;
    if (!reader->ok) return;
    const uint64_t step = r->end;
    append(r, r->packed, size);
    r->moved[slot_of(r, step)] = moved;
    r->actions[slot_of(r, step)] = action;
    r->rewards[slot_of(r, step)] = reward;
    if (has_state(r, step)) jbw_read_floats(reader, state_at(r, step), r->options.state);
}

void jbw_replay_load(jbw_replay *r, jbw_reader *reader)
{
    const uint64_t oldest = jbw_read_varint(reader);
    const uint64_t steps = jbw_read_varint(reader);
    if (steps > r->options.most_steps || oldest > UINT64_MAX / 2) reader->ok = false;
    if (!reader->ok) return;
    r->oldest = r->end = oldest;
    for (uint64_t i = 0; i < steps && reader->ok; i++) load_step(r, reader);
}
