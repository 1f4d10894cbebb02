// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "net/game/residents.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "net/game/notes.h"

static bool is_same(jbw_agent_id a, jbw_agent_id b)
{
    return a.index1 == b.index1 && a.generation == b.generation;
}

// ---- in a game ----

// the first ones that still have an action, if the world was saved in the middle of a turn
static jbw_status wake(jbw_residents *residents, jbw_world *world)
{
    for (size_t i = 0; i < residents->count; i++) {
        const jbw_agent_id agent = residents->list[i].agent;
        jbw_agent_state state;
        for (size_t j = 0; j < i; j++)
            if (is_same(agent, residents->list[j].agent)) return JBW_INVALID_ARGUMENT;
        if (jbw_agent_get_state(world, agent, &state)) return JBW_INVALID_ARGUMENT;
        if (state.is_active && state.has_request && residents->acted_count == i)
            residents->acted_count++;
        const jbw_status status =
            state.is_active ? JBW_OK : jbw_agent_set_active(world, agent, true);
        if (status) return status;
        if (jbw_policy_is_learner(residents->list[i].policy)) residents->has_learner = true;
    }
    return JBW_OK;
}

jbw_status jbw_residents_init(jbw_residents *residents, jbw_world *world, const jbw_resident *list,
                              size_t count)
{
    *residents = (jbw_residents){0};
    if (count == 0) return JBW_OK;
    residents->list = calloc(count, sizeof *list);
    if (!residents->list) return JBW_OUT_OF_MEMORY;
    memcpy(residents->list, list, count * sizeof *list);
    residents->count = count;
    return wake(residents, world);
}

void jbw_residents_deinit(jbw_residents *residents)
{
    free(residents->list);
    *residents = (jbw_residents){0};
}

bool jbw_residents_include(const jbw_residents *residents, jbw_agent_id agent)
{
    for (size_t i = 0; i < residents->count; i++)
        if (is_same(residents->list[i].agent, agent)) return true;
    return false;
}

jbw_status jbw_residents_act(jbw_residents *residents, jbw_world *world)
{
    while (residents->acted_count < residents->count) {
        const jbw_resident *resident = &residents->list[residents->acted_count];
        int action;
        jbw_status status = jbw_policy_choose(resident->policy, world, resident->agent, &action);
        if (status) return status;
        status = jbw_agent_act(world, resident->agent, action, NULL);
        if (status) return status;
        residents->acted_count++;
    }
    return JBW_OK;
}

void jbw_residents_end_turn(jbw_residents *residents, const jbw_world *world)
{
    for (size_t i = 0; i < residents->acted_count; i++) {
        const jbw_resident *resident = &residents->list[i];
        const double reward =
            resident->reward ? jbw_agent_reward(world, resident->agent, resident->reward) : 0.0;
        jbw_policy_reward(resident->policy, reward);
    }
    residents->acted_count = 0;
}

// ---- the note in snapshots ----
//
// The number of residents, then the id, the size of the saved policy, and the policy of each.

jbw_status jbw_residents_encode(const jbw_residents *residents, jbw_buffer *out)
{
    jbw_writer w = jbw_writer_begin(out);
    jbw_buffer saved = {0};
    jbw_status status = JBW_OK;
    jbw_write_varint(&w, residents->count);
    for (size_t i = 0; i < residents->count && !status; i++) {
        const jbw_resident *resident = &residents->list[i];
        saved.size = 0;
        status = jbw_policy_save(resident->policy, &saved);
        jbw_write_u32(&w, resident->agent.index1);
        jbw_write_u32(&w, resident->agent.generation);
        jbw_write_varint(&w, saved.size);
        jbw_write_bytes(&w, saved.bytes, saved.size);
    }
    jbw_buffer_free(&saved);
    if (!status && !w.ok) status = JBW_OUT_OF_MEMORY;
    return status;
}

static jbw_status read_resident(jbw_reader *reader, const jbw_model *model,
                                const jbw_reward *reward, jbw_resident *out, jbw_error *error)
{
    out->agent.index1 = jbw_read_u32(reader);
    out->agent.generation = jbw_read_u32(reader);
    out->reward = reward;
    const size_t size = jbw_read_count(reader, 1);
    const uint8_t *bytes = jbw_read_bytes(reader, size);
    if (!bytes) return JBW_INVALID_DATA;
    return jbw_policy_load(bytes, size, model, reward, &out->policy, error);
}

jbw_status jbw_residents_load(const jbw_note *notes, size_t note_count, const jbw_model *model,
                              const jbw_reward *reward, jbw_resident **out, size_t *count,
                              jbw_error *error)
{
    enum { LEAST_ENTRY = 9 };
    *out = NULL;
    *count = 0;
    jbw_error_set(error, 0, 0, "%s", "");
    const jbw_note *note = jbw_note_find(notes, note_count, JBW_NOTE_RESIDENTS);
    if (!note) return JBW_OK;
    jbw_reader reader = jbw_reader_begin(note->bytes, note->size);
    const size_t saved_count = jbw_read_count(&reader, LEAST_ENTRY);
    jbw_resident *list = calloc(saved_count + 1, sizeof *list);
    jbw_status status = list ? JBW_OK : JBW_OUT_OF_MEMORY;
    for (size_t i = 0; i < saved_count && !status; i++)
        status = read_resident(&reader, model, reward, &list[i], error);
    if (!status && (!reader.ok || jbw_reader_left(&reader) > 0)) status = JBW_INVALID_DATA;
    if (status) {
        if (status == JBW_OUT_OF_MEMORY)
            jbw_error_set_status(error, status);
        else if (error && error->text[0] == '\0')
            jbw_error_set(error, 0, 0, "the snapshot's note " JBW_NOTE_RESIDENTS " is damaged");
        jbw_residents_free(list, list ? saved_count : 0);
        return status;
    }
    *out = list;
    *count = saved_count;
    return JBW_OK;
}

void jbw_residents_free(jbw_resident *residents, size_t count)
{
    for (size_t i = 0; i < count; i++) jbw_policy_destroy(residents[i].policy);
    free(residents);
}
