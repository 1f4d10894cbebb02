// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "support/words.h"

#include <string.h>

#include "support/random.h"

const char *words_text(uint64_t *random, char room[WORDS_ROOM])
{
    static const char *const pieces[] = {"to the north ", "\xc3\xa9", "\xe2\x82\xac", "."};
    const uint32_t kind = random_below(random, 8);
    if (kind == 0) return NULL;
    const size_t most = kind == 1 ? JBW_MAX_TEXT : random_below(random, 30);
    size_t length = 0;
    for (;;) {
        const char *piece = pieces[random_below(random, 4)];
        if (length + strlen(piece) > most) break;
        memcpy(room + length, piece, strlen(piece));
        length += strlen(piece);
    }
    room[length] = '\0';
    return room;
}

jbw_request words_request(const jbw_model *model, uint64_t *random, int action,
                          char room[WORDS_ROOM])
{
    jbw_request request = {.action = action};
    const int symbols = jbw_model_voice(model).symbols;
    if (symbols > 0) request.say = random_between(random, 0, symbols);
    if (jbw_model_item_has_text(model, jbw_model_action_item(model, action)))
        request.text = words_text(random, room);
    return request;
}

jbw_status words_act(jbw_world *world, uint64_t *random, const jbw_agent_id *agents,
                     const int *actions, size_t count)
{
    enum { MOST = 64 };
    char rooms[MOST][WORDS_ROOM];
    const char *texts[MOST];
    int say[MOST];
    for (size_t i = 0; i < count && i < MOST; i++) {
        const jbw_request one = words_request(jbw_world_model(world), random, actions[i], rooms[i]);
        say[i] = one.say;
        texts[i] = one.text;
    }
    const jbw_requests requests = {.actions = actions, .say = say, .texts = texts};
    return jbw_world_request(world, agents, &requests, count, NULL);
}

jbw_status words_place(jbw_world *world, uint64_t *random, int item_type, jbw_position cell)
{
    char room[WORDS_ROOM];
    const bool has_text = jbw_model_item_has_text(jbw_world_model(world), item_type);
    return jbw_world_place_text(world, item_type, cell, has_text ? words_text(random, room) : NULL);
}
