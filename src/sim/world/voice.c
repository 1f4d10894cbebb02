// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/world/voice.h"

#include <stdlib.h>
#include <string.h>

#include "sim/map/position.h"
#include "sim/world/world.h"

enum { FEW_SPEAKERS = 16 }; // of whom one asks each; more of them are sorted

void jbw_voices_deinit(jbw_voices *voices, const jbw_allocator *allocator)
{
    jbw_free(allocator, voices->speakers, voices->speaker_capacity * sizeof *voices->speakers);
    jbw_free(allocator, voices->totals, voices->total_capacity * sizeof *voices->totals);
}

bool jbw_voices_reserve(jbw_world *world)
{
    const jbw_step *step = &world->step;
    const jbw_allocator *allocator = &world->model->allocator;
    jbw_voices *voices = &world->step.voices;
    size_t count = 0;
    for (size_t i = 0; i < step->acting_count; i++)
        count += world->agents.slots[step->acting[i]].say != 0;
    return JBW_GROW(allocator, voices->speakers, voices->speaker_capacity, count) &&
           JBW_GROW(allocator, voices->totals, voices->total_capacity,
                    (count + 1) * (size_t)world->model->voice.symbols);
}

// by row, then by column
static int compare_speakers(const void *a, const void *b)
{
    return jbw_position_compare(((const jbw_speaker *)a)->position,
                                ((const jbw_speaker *)b)->position);
}

static void list_speakers(jbw_world *world)
{
    const jbw_step *step = &world->step;
    jbw_voices *voices = &world->step.voices;
    voices->speaker_count = 0;
    for (size_t i = 0; i < step->acting_count; i++) {
        jbw_agent *agent = &world->agents.slots[step->acting[i]];
        agent->next_result.said = agent->say;
        if (agent->say != 0)
            voices->speakers[voices->speaker_count++] = (jbw_speaker){agent->position, agent->say};
    }
    if (voices->speaker_count > FEW_SPEAKERS)
        qsort(voices->speakers, voices->speaker_count, sizeof *voices->speakers, compare_speakers);
}

static void listen_to_few(const jbw_voices *voices, const jbw_voice *voice, jbw_position ear,
                          uint32_t *heard)
{
    const int64_t range = voice->range;
    for (size_t i = 0; i < voices->speaker_count; i++) {
        const jbw_speaker *speaker = &voices->speakers[i];
        const int64_t dx = speaker->position.x - ear.x;
        const int64_t dy = speaker->position.y - ear.y;
        if (dx < -range || dx > range || dy < -range || dy > range) continue;
        if (dx * dx + dy * dy <= range * range) heard[speaker->symbol - 1]++;
    }
}

static void sum_up(jbw_voices *voices, size_t symbols)
{
    memset(voices->totals, 0, symbols * sizeof *voices->totals);
    for (size_t i = 0; i < voices->speaker_count; i++) {
        uint32_t *totals = voices->totals + (i + 1) * symbols;
        memcpy(totals, totals - symbols, symbols * sizeof *totals);
        totals[voices->speakers[i].symbol - 1]++;
    }
}

// the first speaker that is not before a position, in the order of rows
static size_t find_speaker(const jbw_voices *voices, size_t from, int64_t x, int64_t y)
{
    size_t low = from;
    size_t high = voices->speaker_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (jbw_position_compare(voices->speakers[middle].position, (jbw_position){x, y}) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// how many columns to either side are within reach in the rows at each distance: (range + 1)
static void find_widths(int range, int *widths)
{
    int width = range;
    for (int dy = 0; dy <= range; dy++) {
        while (width * width > range * range - dy * dy) width--;
        widths[dy] = width;
    }
}

static void listen(const jbw_voices *voices, const jbw_voice *voice, const int *widths,
                   jbw_position ear, uint32_t *heard)
{
    const int64_t range = voice->range;
    size_t i = find_speaker(voices, 0, ear.x - range, ear.y - range);
    while (i < voices->speaker_count) {
        const int64_t y = voices->speakers[i].position.y;
        if (y > ear.y + range) return;
        const int64_t width = widths[y < ear.y ? ear.y - y : y - ear.y];
        const size_t first = find_speaker(voices, i, ear.x - width, y);
        const size_t end = find_speaker(voices, first, ear.x + width + 1, y);
        const uint32_t *before = voices->totals + first * (size_t)voice->symbols;
        const uint32_t *after = voices->totals + end * (size_t)voice->symbols;
        for (int s = 0; s < voice->symbols; s++) heard[s] += after[s] - before[s];
        i = find_speaker(voices, end, ear.x - range, y + 1);
    }
}

void jbw_voices_spread(jbw_world *world)
{
    const jbw_voice *voice = &world->model->voice;
    const size_t symbols = (size_t)voice->symbols;
    jbw_voices *voices = &world->step.voices;
    int widths[JBW_MAX_PATCH_SIZE + 1];
    list_speakers(world);
    const bool are_few = voices->speaker_count <= FEW_SPEAKERS;
    if (!are_few) {
        find_widths(voice->range, widths);
        sum_up(voices, symbols);
    }
    for (size_t i = 0; i < world->agents.count; i++) {
        const jbw_agent *agent = &world->agents.slots[world->agents.order[i]];
        uint32_t *heard = jbw_agents_heard(&world->agents, agent);
        memset(heard, 0, symbols * sizeof *heard);
        if (are_few)
            listen_to_few(voices, voice, agent->position, heard);
        else
            listen(voices, voice, widths, agent->position, heard);
        if (agent->has_request && agent->say != 0) heard[agent->say - 1]--; // oneself
    }
}
