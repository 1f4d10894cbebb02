// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The oracle's words: texts that items carry, one string per cell, and voices, in a double loop.
#include "support/oracle_parts.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jbw/observation.h"

// ---- texts ----

// the bytes of a character; returns their number
static size_t encode(uint32_t c, unsigned char out[4])
{
    if (c < 0x80) {
        out[0] = (unsigned char)c;
        return 1;
    }
    const size_t length = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    static const unsigned char heads[] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (size_t i = length - 1; i > 0; i--, c >>= 6) out[i] = (unsigned char)(0x80 | (c & 0x3f));
    out[0] = (unsigned char)(heads[length] | c);
    return length;
}

// whether a text begins with the shortest form of some character, and how long that is
static size_t first_length(const char *text)
{
    const unsigned char *bytes = (const unsigned char *)text;
    const size_t left = strlen(text);
    for (size_t length = 1; length <= 4 && length <= left; length++) {
        uint32_t c = bytes[0];
        if (length > 1) c &= 0xffu >> (length + 1);
        for (size_t i = 1; i < length; i++) c = c << 6 | (bytes[i] & 0x3f);
        unsigned char again[4];
        if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000)) continue;
        if (encode(c, again) == length && memcmp(again, bytes, length) == 0) return length;
    }
    return 0;
}

bool oracle_can_write(const oracle *o, const char *item, const char *text)
{
    if (!text || !*text) return true;
    bool is_possible = false;
    for (size_t i = 0; item && i < o->config->item_count; i++)
        if (strcmp(o->config->items[i].name, item) == 0) is_possible = o->config->items[i].has_text;
    if (strlen(text) > 255) return false;
    for (const char *at = text; *at && is_possible;) {
        const size_t length = first_length(at);
        if (length == 0) return false;
        at += length;
    }
    return is_possible;
}

void oracle_set_text(oracle *o, jbw_position cell, const char *text)
{
    char **place = &o->texts[oracle_cell_index(o, cell)];
    free(*place);
    *place = NULL;
    if (!text || !*text) return;
    *place = oracle_checked(malloc(strlen(text) + 1));
    strcpy(*place, text);
}

jbw_status oracle_write(oracle *o, int item_type, jbw_position cell, const char *text)
{
    if (!oracle_can_write(o, o->config->items[item_type].name, text)) return JBW_INVALID_ARGUMENT;
    oracle_set_text(o, cell, text);
    return JBW_OK;
}

jbw_status oracle_act(oracle *o, jbw_agent_id id, int action, bool *stepped)
{
    return oracle_act_together(o, &id, &action, 1, stepped);
}

jbw_status oracle_act_together(oracle *o, const jbw_agent_id *ids, const int *actions, size_t count,
                               bool *stepped)
{
    return oracle_request_together(o, ids, &(jbw_requests){.actions = actions}, count, stepped);
}

// what an agent reads
static const char *text_for(const oracle *o, const oracle_agent *agent)
{
    const char *text = o->texts[oracle_cell_index(o, agent->state.position)];
    return text && oracle_item_at(o, agent->state.position) ? text : agent->collected;
}

// ---- voices ----

void oracle_hear(oracle *o)
{
    const jbw_voice *voice = &o->config->agent.voice;
    for (size_t i = 0; i < o->agent_count; i++) {
        oracle_agent *ear = &o->agents[i];
        memset(ear->heard, 0, sizeof ear->heard);
        for (size_t k = 0; k < o->agent_count; k++) {
            const oracle_agent *mouth = &o->agents[k];
            if (k == i || mouth->is_gone || !mouth->state.has_request || mouth->state.say == 0)
                continue;
            const int64_t dx = mouth->state.position.x - ear->state.position.x;
            const int64_t dy = mouth->state.position.y - ear->state.position.y;
            if (dx * dx + dy * dy <= voice->range * voice->range)
                ear->heard[mouth->state.say - 1]++;
        }
    }
}

// ---- comparing ----

void oracle_compare_words(oracle *o, const oracle_agent *agent)
{
    enum { ROOM = JBW_MAX_TEXT + 1 };
    const unsigned id = agent->id.index1;
    jbw_agent_state state;
    jbw_agent_result result;
    float heard[ORACLE_MAX_SYMBOLS] = {0};
    char read[ROOM];
    uint8_t text[ROOM];
    memset(text, 7, sizeof text);
    if (jbw_agent_get_state(o->world, agent->id, &state) ||
        jbw_agent_get_result(o->world, agent->id, &result) ||
        jbw_agent_read(o->world, agent->id, read) ||
        jbw_agent_observe(o->world, agent->id, &(jbw_observation){.heard = heard, .text = text})) {
        oracle_tell(o, "agent %u has no words", id);
        return;
    }
    const int say = agent->state.has_request ? agent->state.say : 0;
    const char *written = agent->state.has_request ? agent->text : "";
    if (state.say != say) oracle_tell(o, "agent %u asks to say %d, not %d", id, state.say, say);
    if (strcmp(state.text, written) != 0)
        oracle_tell(o, "agent %u asks to write '%s', not '%s'", id, state.text, written);
    if (result.said != agent->result.said)
        oracle_tell(o, "agent %u said %d, not %d", id, result.said, agent->result.said);
    for (int s = 0; s < o->config->agent.voice.symbols; s++)
        if (heard[s] != (float)agent->heard[s])
            oracle_tell(o, "agent %u heard %g of symbol %d, not %d", id, heard[s], s + 1,
                        agent->heard[s]);
    char padded[ROOM] = {0};
    strcpy(padded, text_for(o, agent));
    if (strcmp(read, padded) != 0 || memcmp(text, padded, sizeof padded) != 0)
        oracle_tell(o, "agent %u reads '%s', not '%s'", id, read, padded);
}

bool oracle_compare_texts(oracle *o)
{
    for (size_t i = 0; i < o->changed_count; i++) {
        const size_t index = o->changed_cells[i];
        const jbw_position cell = {o->corner.x + (int64_t)index % o->side,
                                   o->corner.y + (int64_t)index / o->side};
        jbw_cell_info info;
        const char *due = o->texts[index] ? o->texts[index] : "";
        if (jbw_world_inspect(o->world, cell, &info))
            oracle_tell(o, "a cell cannot be inspected");
        else if (info.item + 1 != o->actual[index] || strcmp(info.text, due) != 0)
            oracle_tell(o, "(%" PRId64 ", %" PRId64 ") holds %d with '%s', not %d with '%s'",
                        cell.x, cell.y, info.item + 1, info.text, o->actual[index], due);
    }
    return !o->problem[0];
}
