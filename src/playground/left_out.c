// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Parts of a server that a page has no use for: recordings, requests of programs, and tokens, since
// whoever has the page may do everything. The game asks for recordings and tokens only if it was given
// them.

#include "net/access/tokens.h"
#include "net/game/game_internal.h"
#include "net/game/player.h"

jbw_world *jbw_player_world(jbw_player *player)
{
    (void)player;
    return NULL;
}

jbw_status jbw_player_advance(jbw_player *player)
{
    (void)player;
    return JBW_NOT_FOUND;
}

jbw_status jbw_player_seek(jbw_player *player, uint64_t time)
{
    (void)player;
    (void)time;
    return JBW_UNSUPPORTED;
}

const char *jbw_player_name(const jbw_player *player)
{
    (void)player;
    return "";
}

uint64_t jbw_player_first_time(const jbw_player *player)
{
    (void)player;
    return 0;
}

uint64_t jbw_player_last_time(const jbw_player *player)
{
    (void)player;
    return 0;
}

size_t jbw_player_find_events(jbw_player *player, const jbw_wire_find_events *wanted,
                              jbw_wire_event *events, size_t most, uint64_t *known_to)
{
    (void)player;
    (void)wanted;
    (void)events;
    (void)most;
    *known_to = 0;
    return 0;
}

// any token is that of the one user
int jbw_token_set_check(const jbw_token_set *keys, jbw_field_text secret)
{
    (void)secret;
    return keys->count > 0 ? 0 : -1;
}

// the page is the only client, and makes no such requests
void jbw_game_handle_program(jbw_game *game, const jbw_game_request *request,
                             const jbw_message *message)
{
    (void)message;
    jbw_game_refuse_code(game, request, JBW_ERROR_UNKNOWN_MESSAGE);
}

bool jbw_game_check_words(const jbw_game *game, const jbw_wire_wish *wish, jbw_error *error)
{
    (void)game;
    (void)wish;
    (void)error;
    return false;
}
