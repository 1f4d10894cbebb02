// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "net/game/turns.h"

#include "base/alloc.h"

static const jbw_allocator allocator;

static void append(jbw_turns *turns, uint32_t turn)
{
    jbw_turn *t = jbw_turns_get(turns, turn);
    const jbw_turn_list list = t->list;
    t->previous = turns->last[list];
    t->next = 0;
    if (t->previous)
        jbw_turns_get(turns, t->previous)->next = turn;
    else
        turns->first[list] = turn;
    turns->last[list] = turn;
}

static void take_out(jbw_turns *turns, uint32_t turn)
{
    const jbw_turn *t = jbw_turns_get(turns, turn);
    const jbw_turn_list list = t->list;
    if (t->previous)
        jbw_turns_get(turns, t->previous)->next = t->next;
    else
        turns->first[list] = t->next;
    if (t->next)
        jbw_turns_get(turns, t->next)->previous = t->previous;
    else
        turns->last[list] = t->previous;
}

// the number of a free turn, or zero when memory runs out
static uint32_t find_free(jbw_turns *turns)
{
    if (turns->first_free) return turns->first_free;
    const uint32_t number = turns->count ? turns->count : 1;
    if (!JBW_GROW(&allocator, turns->turns, turns->capacity, (size_t)number + 1)) return 0;
    turns->turns[number] = (jbw_turn){0};
    turns->count = number + 1;
    turns->first_free = number;
    return number;
}

// what a turn keeps of each agent: four lists in one piece of memory, the one with pointers first
enum { AGENT_SIZE = sizeof(char *) + sizeof(jbw_agent_id) + 2 * sizeof(int) };

static void free_letters(jbw_turn *t)
{
    jbw_free(&allocator, t->letters, t->letter_count);
    t->letters = NULL;
    t->letter_count = 0;
}

static bool reserve(jbw_turn *t, size_t count, size_t letter_count)
{
    if (count > t->capacity) {
        void *lists = jbw_alloc_zero(&allocator, count, AGENT_SIZE);
        if (!lists) return false;
        jbw_free(&allocator, t->texts, t->capacity * AGENT_SIZE);
        t->texts = lists;
        t->agents = (jbw_agent_id *)(t->texts + count);
        t->actions = (int *)(t->agents + count);
        t->say = t->actions + count;
        t->capacity = count;
    }
    if (letter_count == 0) return true;
    t->letters = jbw_alloc(&allocator, letter_count);
    if (t->letters) t->letter_count = letter_count;
    return t->letters != NULL;
}

uint32_t jbw_turns_add(jbw_turns *turns, jbw_turn_list list, size_t count, size_t letter_count)
{
    const uint32_t turn = find_free(turns);
    if (!turn || !reserve(jbw_turns_get(turns, turn), count, letter_count)) return 0;
    jbw_turn *t = jbw_turns_get(turns, turn);
    turns->first_free = t->next;
    t->list = list;
    t->later = 0;
    t->count = count;
    append(turns, turn);
    return turn;
}

void jbw_turns_move(jbw_turns *turns, uint32_t turn, jbw_turn_list list)
{
    take_out(turns, turn);
    jbw_turns_get(turns, turn)->list = list;
    append(turns, turn);
}

void jbw_turns_remove(jbw_turns *turns, uint32_t turn)
{
    take_out(turns, turn);
    jbw_turn *t = jbw_turns_get(turns, turn);
    free_letters(t);
    t->connection = 0;
    t->count = 0;
    t->next = turns->first_free;
    turns->first_free = turn;
}

void jbw_turns_deinit(jbw_turns *turns)
{
    for (uint32_t i = 1; i < turns->count; i++) {
        jbw_turn *t = jbw_turns_get(turns, i);
        jbw_free(&allocator, t->texts, t->capacity * AGENT_SIZE);
        free_letters(t);
    }
    jbw_free(&allocator, turns->turns, turns->capacity * sizeof *turns->turns);
    *turns = (jbw_turns){0};
}
