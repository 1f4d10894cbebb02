// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Reading, changing and controlling the world.

#include <string.h>

#include "jbw/io.h"
#include "net/client/client_internal.h"

// ---- the model ----

static jbw_status take_world_file(jbw_client *client, const jbw_message *answer, void *user)
{
    (void)client;
    const jbw_field_bytes text = answer->world_file.text;
    return jbw_buffer_append(user, text.at, text.count) ? JBW_OK : JBW_OUT_OF_MEMORY;
}

jbw_status jbw_client_get_world_file(jbw_client *client, jbw_buffer *out)
{
    jbw_message request = {.type = JBW_MESSAGE_GET_WORLD_FILE};
    const jbw_question question = {
        .answer = JBW_MESSAGE_WORLD_FILE, .take = take_world_file, .user = out, .can_repeat = true};
    return jbw_client_ask(client, &request, &question);
}

const jbw_model *jbw_client_model(jbw_client *client)
{
    if (client->model) return client->model;
    const jbw_world_file_options options = {.allocator = client->allocator};
    jbw_buffer text = {.allocator = client->allocator};
    jbw_config *config = NULL;
    jbw_status status = jbw_client_get_world_file(client, &text);
    if (!status)
        status = jbw_world_file_parse((const char *)text.bytes, text.size,
                                      "the server's world file", &options, &config, &client->error);
    if (!status) jbw_model_create(config, &client->model, &client->error);
    jbw_config_free(config);
    jbw_buffer_free(&text);
    return client->model;
}

// ---- time, hash, statistics, control ----

static jbw_status take_pong(jbw_client *client, const jbw_message *answer, void *user)
{
    client->info.time = answer->pong.time;
    *(uint64_t *)user = answer->pong.time;
    return JBW_OK;
}

jbw_status jbw_client_get_time(jbw_client *client, uint64_t *time)
{
    jbw_message request = {.type = JBW_MESSAGE_PING};
    const jbw_question question = {
        .answer = JBW_MESSAGE_PONG, .take = take_pong, .user = time, .can_repeat = true};
    return jbw_client_ask(client, &request, &question);
}

static jbw_status take_hash(jbw_client *client, const jbw_message *answer, void *user)
{
    client->info.time = answer->hash.time;
    *(jbw_wire_hash *)user = answer->hash;
    return JBW_OK;
}

jbw_status jbw_client_get_hash(jbw_client *client, uint64_t *time, uint64_t *hash)
{
    jbw_wire_hash answer;
    jbw_message request = {.type = JBW_MESSAGE_GET_HASH};
    const jbw_question question = {
        .answer = JBW_MESSAGE_HASH, .take = take_hash, .user = &answer, .can_repeat = true};
    const jbw_status status = jbw_client_ask(client, &request, &question);
    if (status) return status;
    if (time) *time = answer.time;
    *hash = answer.hash;
    return JBW_OK;
}

static jbw_status take_stats(jbw_client *client, const jbw_message *answer, void *user)
{
    const jbw_wire_stats *s = &answer->stats;
    client->info.time = s->time;
    *(jbw_client_stats *)user = (jbw_client_stats){
        .time = s->time,
        .step_count = s->step_count,
        .timeout_count = s->timeout_count,
        .uptime = s->uptime,
        .world_cpu = s->world_cpu,
        .agent_count = s->agent_count,
        .active_count = s->active_count,
        .client_count = s->client_count,
        .subscription_count = s->subscription_count,
        .patch_count = s->patch_count,
        .final_patch_count = s->final_patch_count,
        .map_bytes = s->map_bytes,
        .is_paused = s->is_paused,
        .rate = s->rate,
        .saved_time = s->saved_time,
    };
    return JBW_OK;
}

jbw_status jbw_client_get_stats(jbw_client *client, jbw_client_stats *out)
{
    jbw_message request = {.type = JBW_MESSAGE_GET_STATS};
    const jbw_question question = {
        .answer = JBW_MESSAGE_STATS, .take = take_stats, .user = out, .can_repeat = true};
    return jbw_client_ask(client, &request, &question);
}

static jbw_status take_saved(jbw_client *client, const jbw_message *answer, void *user)
{
    (void)client;
    if (user) *(uint64_t *)user = answer->saved.time;
    return JBW_OK;
}

jbw_status jbw_client_save(jbw_client *client, uint64_t *time)
{
    jbw_message request = {.type = JBW_MESSAGE_SAVE};
    const jbw_question question = {
        .answer = JBW_MESSAGE_SAVED, .take = take_saved, .user = time, .can_repeat = true};
    return jbw_client_ask(client, &request, &question);
}

jbw_status jbw_client_pause(jbw_client *client, bool is_paused)
{
    return jbw_client_ask_ok(
        client, (jbw_message){.type = is_paused ? JBW_MESSAGE_PAUSE : JBW_MESSAGE_RESUME}, true);
}

jbw_status jbw_client_step(jbw_client *client, uint32_t count)
{
    return jbw_client_ask_ok(
        client, (jbw_message){.type = JBW_MESSAGE_STEP, .step = {.count = count}}, false);
}

jbw_status jbw_client_set_rate(jbw_client *client, double steps_per_second)
{
    return jbw_client_ask_ok(
        client, (jbw_message){.type = JBW_MESSAGE_SET_RATE, .set_rate = {.rate = steps_per_second}},
        true);
}

// ---- edits ----

jbw_status jbw_client_place_item(jbw_client *client, int item_type, jbw_position cell)
{
    return jbw_client_ask_ok(
        client,
        (jbw_message){.type = JBW_MESSAGE_PLACE_ITEM, .place_item = {(uint32_t)item_type, cell, 0}},
        false);
}

jbw_status jbw_client_place_text(jbw_client *client, int item_type, jbw_position cell,
                                 const char *text)
{
    const size_t length = text ? strlen(text) : 0;
    if (length == 0) return jbw_client_place_item(client, item_type, cell);
    if (!client->knows_words)
        return jbw_client_fail(client, JBW_UNSUPPORTED,
                               "this server is too old: its items carry no text");
    if (length > JBW_MAX_TEXT)
        return jbw_client_fail(client, JBW_INVALID_ARGUMENT,
                               "the text has %zu bytes, expected at most %d", length, JBW_MAX_TEXT);
    return jbw_client_ask_ok(client,
                             (jbw_message){.type = JBW_MESSAGE_PLACE_TEXT,
                                           .place_text = {.item = {(uint32_t)item_type, cell, 0},
                                                          .text = {(const uint8_t *)text, length}}},
                             false);
}

jbw_status jbw_client_remove_item(jbw_client *client, jbw_position cell)
{
    return jbw_client_ask_ok(
        client, (jbw_message){.type = JBW_MESSAGE_REMOVE_ITEM, .remove_item = {.position = cell}},
        false);
}

jbw_status jbw_client_explore(jbw_client *client, const jbw_position *positions, size_t count)
{
    jbw_wire_place *places = jbw_alloc_zero(&client->allocator, count, sizeof *places);
    if (!places) return jbw_client_fail(client, JBW_OUT_OF_MEMORY, "out of memory");
    for (size_t i = 0; i < count; i++) places[i].position = positions[i];
    const jbw_status status =
        jbw_client_ask_ok(client,
                          (jbw_message){.type = JBW_MESSAGE_EXPLORE,
                                        .explore = {.places = places, .places_count = count}},
                          true);
    jbw_free(&client->allocator, places, count * sizeof *places);
    return status;
}

// ---- regions, requested in bands of whole rows, or in pieces of rows that are too long ----

typedef struct piece {
    jbw_region region; // of this message
    jbw_region whole;
    jbw_region_planes planes;
    float *scent;
} piece;

typedef jbw_status piece_function(jbw_client *client, piece *p);

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static jbw_status each_piece(jbw_client *client, piece p, uint32_t most, piece_function *ask)
{
    const jbw_region whole = p.whole;
    if (whole.width < 0 || whole.height < 0 || whole.width > UINT32_MAX ||
        whole.height > UINT32_MAX || most == 0)
        return jbw_client_fail(client, JBW_INVALID_ARGUMENT, "the region is too large");
    if (whole.width == 0 || whole.height == 0) return JBW_OK;
    const int64_t width = least(whole.width, most);
    const int64_t height = least(whole.height, most / width);
    for (int64_t y = 0; y < whole.height; y += height)
        for (int64_t x = 0; x < whole.width; x += width) {
            p.region = (jbw_region){whole.x + x, whole.y + y, least(width, whole.width - x),
                                    least(height, whole.height - y)};
            const jbw_status status = ask(client, &p);
            if (status) return status;
        }
    return JBW_OK;
}

static bool has_shape(const piece *p, jbw_region told, size_t count, size_t values)
{
    return told.x == p->region.x && told.y == p->region.y && told.width == p->region.width &&
           told.height == p->region.height &&
           count == (size_t)p->region.width * (size_t)p->region.height * values;
}

// copies the rows of a piece to their place in the whole; `size` is the size of a cell in bytes
static void put_rows(const piece *p, void *to, const void *from, size_t size)
{
    const size_t row = (size_t)p->region.width * size;
    const size_t stride = (size_t)p->whole.width * size;
    uint8_t *at = (uint8_t *)to + (size_t)(p->region.y - p->whole.y) * stride +
                  (size_t)(p->region.x - p->whole.x) * size;
    for (size_t i = 0; i < (size_t)p->region.height && row > 0; i++)
        memcpy(at + i * stride, (const uint8_t *)from + i * row, row);
}

static jbw_status take_region(jbw_client *client, const jbw_message *answer, void *user)
{
    const piece *p = user;
    const jbw_wire_region *r = &answer->region;
    client->info.time = r->time;
    if (!has_shape(p, r->region, r->items.count, 1)) return JBW_INVALID_DATA;
    if (p->planes.states && r->states.count != r->items.count) return JBW_INVALID_DATA;
    put_rows(p, p->planes.items, r->items.at, 1);
    if (p->planes.states) put_rows(p, p->planes.states, r->states.at, 1);
    return JBW_OK;
}

static jbw_status ask_region(jbw_client *client, piece *p)
{
    jbw_message request = {
        .type = JBW_MESSAGE_READ_REGION,
        .read_region = {.region = p->region, .wants_states = p->planes.states != NULL},
    };
    const jbw_question question = {
        .answer = JBW_MESSAGE_REGION, .take = take_region, .user = p, .can_repeat = true};
    return jbw_client_ask(client, &request, &question);
}

jbw_status jbw_client_read_region(jbw_client *client, jbw_region region, uint8_t *items,
                                  uint8_t *states)
{
    const piece p = {.whole = region, .planes = {.items = items, .states = states}};
    return each_piece(client, p, client->region_cells_most, ask_region);
}

// a plane of a piece, if it is wanted
static bool put_plane(const piece *p, jbw_region told, uint8_t *to, jbw_field_bytes from)
{
    if (!to) return true;
    if (!has_shape(p, told, from.count, 1)) return false;
    put_rows(p, to, from.at, 1);
    return true;
}

static jbw_status take_planes(jbw_client *client, const jbw_message *answer, void *user)
{
    const piece *p = user;
    const jbw_wire_planes *a = &answer->planes;
    client->info.time = a->time;
    const bool is_good = put_plane(p, a->region, p->planes.items, a->items) &&
                         put_plane(p, a->region, p->planes.hidden, a->hidden) &&
                         put_plane(p, a->region, p->planes.growing, a->growing) &&
                         put_plane(p, a->region, p->planes.states, a->states);
    return is_good ? JBW_OK : JBW_INVALID_DATA;
}

static jbw_status ask_planes(jbw_client *client, piece *p)
{
    const unsigned wanted =
        (p->planes.items ? JBW_PLANE_ITEMS : 0U) | (p->planes.hidden ? JBW_PLANE_HIDDEN : 0U) |
        (p->planes.growing ? JBW_PLANE_GROWING : 0U) | (p->planes.states ? JBW_PLANE_STATES : 0U);
    jbw_message request = {
        .type = JBW_MESSAGE_READ_PLANES,
        .read_planes = {.region = p->region, .planes = (uint8_t)wanted},
    };
    const jbw_question question = {
        .answer = JBW_MESSAGE_PLANES, .take = take_planes, .user = p, .can_repeat = true};
    return jbw_client_ask(client, &request, &question);
}

jbw_status jbw_client_read_planes(jbw_client *client, jbw_region region,
                                  const jbw_region_planes *planes)
{
    if (!planes->items && !planes->hidden && !planes->growing && !planes->states) return JBW_OK;
    const piece p = {.whole = region, .planes = *planes};
    return each_piece(client, p, client->region_cells_most, ask_planes);
}

// `explained` begins with `cell_details`
static jbw_status take_cell(jbw_client *client, const jbw_message *answer, void *user)
{
    const jbw_wire_cell_details *c = &answer->cell_details;
    client->info.time = c->time;
    const int types = (int)client->axes.item_types;
    if (c->state > JBW_PATCH_FINAL || c->item < -1 || c->item >= types || c->growing < -1 ||
        c->growing >= types)
        return JBW_INVALID_DATA;
    jbw_cell_info *info = user;
    *info = (jbw_cell_info){
        .state = (jbw_patch_state)c->state,
        .item = c->item,
        .is_hidden = c->is_hidden,
        .is_generated = c->is_generated,
        .is_since_known = c->is_since_known,
        .since = c->since,
        .growing = c->growing,
        .due = c->due,
    };
    if (answer->type != JBW_MESSAGE_EXPLAINED) return JBW_OK;
    const jbw_field_bytes text = answer->explained.text;
    if (text.count > JBW_MAX_TEXT) return JBW_INVALID_DATA;
    if (text.count > 0) memcpy(info->text, text.at, text.count);
    return JBW_OK;
}

jbw_status jbw_client_inspect(jbw_client *client, jbw_position cell, jbw_cell_info *out)
{
    jbw_message request = {.type = JBW_MESSAGE_EXAMINE, .examine = {.position = cell}};
    jbw_question question = {
        .answer = JBW_MESSAGE_CELL_DETAILS, .take = take_cell, .user = out, .can_repeat = true};
    if (client->knows_words) {
        request.type = JBW_MESSAGE_EXPLAIN; // with the same fields
        question.answer = JBW_MESSAGE_EXPLAINED;
    }
    return jbw_client_ask(client, &request, &question);
}

static jbw_status take_scent(jbw_client *client, const jbw_message *answer, void *user)
{
    const piece *p = user;
    const jbw_wire_scent *s = &answer->scent;
    client->info.time = s->time;
    if (!has_shape(p, s->region, s->scent.count, client->axes.scents)) return JBW_INVALID_DATA;
    put_rows(p, p->scent, s->scent.at, client->axes.scents * sizeof *p->scent);
    return JBW_OK;
}

static jbw_status ask_scent(jbw_client *client, piece *p)
{
    jbw_message request = {.type = JBW_MESSAGE_SMELL, .smell = {.region = p->region}};
    const jbw_question question = {
        .answer = JBW_MESSAGE_SCENT, .take = take_scent, .user = p, .can_repeat = true};
    return jbw_client_ask(client, &request, &question);
}

jbw_status jbw_client_smell(jbw_client *client, jbw_region region, float *scent)
{
    const piece p = {.whole = region, .scent = scent};
    return each_piece(client, p, client->smell_cells_most, ask_scent);
}
