// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The options of a server: defaults, checks, and copies of everything they point to.

#include "base/text.h"
#include "jbw/reward.h"
#include "net/game/notes.h"
#include "net/server/server_internal.h"

enum { DEFAULT_FRAME_RATE = 30, DEFAULT_CLIENTS = 1000, DEFAULT_SAVE_TIMEOUT = 60 };

#define DEFAULT_CLIENT_MEMORY ((size_t)256 << 20)

static bool copy_text(jbw_server *server, const char **text)
{
    if (!*text) return true;
    *text = jbw_arena_text(server->texts, *text, strlen(*text));
    return *text != NULL;
}

static bool copy_notes(jbw_server *server)
{
    jbw_server_options *o = &server->options;
    jbw_note *notes = jbw_arena_alloc(server->texts, o->note_count + 1, sizeof *notes);
    if (!notes) return false;
    for (size_t i = 0; i < o->note_count; i++) {
        const jbw_note *from = &o->notes[i];
        notes[i].name = jbw_arena_text(server->texts, from->name, strlen(from->name));
        notes[i].bytes = jbw_arena_text(server->texts, from->bytes, from->size);
        notes[i].size = from->size;
        if (!notes[i].name || !notes[i].bytes) return false;
    }
    o->notes = notes;
    const jbw_note *world_file = jbw_note_find(notes, o->note_count, JBW_NOTE_WORLD_FILE);
    const jbw_note *reward = jbw_note_find(notes, o->note_count, JBW_NOTE_REWARD);
    if (!o->world_file && world_file) o->world_file = world_file->bytes; // zero-terminated
    if (!o->reward && reward) o->reward = reward->bytes;
    return true;
}

static bool copy_origins(jbw_server *server)
{
    jbw_server_options *o = &server->options;
    const char **origins = jbw_arena_alloc(server->texts, o->origin_count + 1, sizeof *origins);
    if (!origins) return false;
    for (size_t i = 0; i < o->origin_count; i++) {
        origins[i] = o->origins[i];
        if (!copy_text(server, &origins[i])) return false;
    }
    o->origins = origins;
    return true;
}

jbw_status jbw_server_check_reward(const jbw_model *model, const char *text, jbw_error *error)
{
    jbw_reward *reward = NULL;
    jbw_error found = {0};
    const jbw_status status =
        text ? jbw_reward_compile(model, text, NULL, 0, &reward, &found) : JBW_OK;
    jbw_reward_destroy(reward);
    if (status)
        jbw_error_set(error, found.line, found.column, "reward:%d:%d: %s", found.line, found.column,
                      found.text);
    return status;
}

// the ranges keep times far from overflow, and connection ids in 16 bits
static bool is_in_range(const jbw_server_options *o)
{
    return o->port >= 0 && o->port < 65536 && o->clients_most <= 60000 && o->frame_rate >= 0.01 &&
           o->frame_rate <= 1000.0 && (o->rate == 0.0 || (o->rate >= 1e-3 && o->rate <= 1e9)) &&
           o->save_timeout <= 1e6 && !o->cert == !o->key;
}

jbw_status jbw_server_set_options(jbw_server *server, const jbw_server_options *options,
                                  jbw_error *error)
{
    jbw_server_options *o = &server->options;
    if (options) *o = *options;
    if (!o->host) o->host = "127.0.0.1";
    if (o->clients_most == 0) o->clients_most = DEFAULT_CLIENTS;
    if (o->client_memory == 0) o->client_memory = DEFAULT_CLIENT_MEMORY;
    if (o->frame_rate == 0.0) o->frame_rate = DEFAULT_FRAME_RATE;
    if (o->save_timeout == 0.0) o->save_timeout = DEFAULT_SAVE_TIMEOUT;
    if (!is_in_range(o)) {
        jbw_error_set(error, 0, 0, "a server option is out of range");
        return JBW_INVALID_ARGUMENT;
    }
    server->frame_interval = (uint64_t)(1e9 / o->frame_rate);
    jbw_status status = jbw_token_set_init(&server->keys, o->tokens, o->token_count, error);
    if (!status && !server->player)
        status = jbw_server_check_reward(server->model, o->reward, error);
    if (status) return status;
    const char **texts[] = {&o->host,        &o->cert,       &o->key,   &o->save_path,
                            &o->record_path, &o->world_file, &o->reward};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!copy_text(server, texts[i])) return JBW_OUT_OF_MEMORY;
    return copy_origins(server) && copy_notes(server) ? JBW_OK : JBW_OUT_OF_MEMORY;
}
