// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Whole sessions: clients that send anything, come, go and wait. Every request gets at most one
/// reply, the server counts its agents correctly, and a second world that applies the operations of
/// the first ends up equal.
///
/// The input is a list of events. A byte says which client (its lowest two bits) does what (the
/// others): say hello with a token, leave, let time pass, or send a message, whose length and bytes
/// follow.
#include "target.h"

#include "jbw/operation.h"
#include "net/game/game.h"
#include "net/server/session.h"

enum { CLIENTS = 4, EVENTS_MOST = 200, STEPS_MOST = 20 };

/// What a client does.
typedef enum event {
    EVENT_HELLO,
    EVENT_LEAVE,
    EVENT_WAIT,
    EVENT_SAY, // and all larger values
} event;

typedef struct theatre {
    jbw_world *world;
    jbw_world *twin;
    jbw_game *game;
    jbw_session_shared host;
    jbw_session sessions[CLIENTS];
    uint64_t forwarded;
    uint64_t answered;
    uint64_t now;
} theatre;

static const double red[] = {1};
static const jbw_item_type items[] = {
    {.name = "Apple", .color = red, .scent = red, .intensity = "Constant[-2]"},
    {.name = "Wall", .color = red, .blocks_movement = true, .intensity = "Constant[-4]"},
    {.name = "Note", .color = red, .has_text = true, .intensity = "Constant[-2]"},
};
static const jbw_action actions[] = {
    {JBW_ACTION_MOVE_FORWARD, NULL},
    {JBW_ACTION_TURN_LEFT, NULL},
    {JBW_ACTION_DROP, "Apple"},
    {JBW_ACTION_DROP, "Note"},
};
static const jbw_body scout = {.name = "Scout", .actions = actions, .action_count = 2};
static const jbw_token tokens[] = {
    {.name = "ann", .secret = "ann-secret", .permissions = 31, .agents_most = 5},
    {.name = "bob", .secret = "bob-secret", .permissions = JBW_MAY_ACT, .agents_most = 2},
};

static jbw_model *make_model(void)
{
    jbw_config config = small_config(8, 20, items, 3);
    config.scent_dimensions = 1;
    config.scent_decay = 0.2;
    config.scent_diffusion = 0.01;
    config.agent.vision_range = 2;
    config.agent.actions = actions;
    config.agent.action_count = 4;
    config.agent.voice = (jbw_voice){.symbols = 3, .range = 5};
    config.bodies = &scout;
    config.body_count = 1;
    return fuzz_model(&config);
}

static void take_answer(void *user, uint32_t connection, const uint8_t *bytes, size_t size,
                        bool is_final)
{
    theatre *t = user;
    (void)is_final;
    if (connection < 1 || connection > CLIENTS || size < JBW_MESSAGE_HEADER_SIZE) abort();
    jbw_scratch scratch = {0};
    jbw_message message;
    if (jbw_message_decode(bytes, size, &scratch, &message)) abort();
    if (jbw_message_find(message.type)->sender != JBW_SENDER_SERVER) abort();
    jbw_scratch_deinit(&scratch);
    t->answered++;
}

static bool forward(void *user, uint32_t connection, int key, const uint8_t *bytes, size_t size)
{
    theatre *t = user;
    jbw_game_receive(t->game, connection, key, bytes, size, t->now);
    return true;
}

static void repeat(jbw_world *world, const jbw_operation *operation, void *user)
{
    theatre *t = user;
    (void)world;
    if (jbw_world_apply(t->twin, operation)) abort();
}

// many steps at once and large regions only take time
static bool is_cheap(const uint8_t *bytes, size_t size)
{
    jbw_scratch scratch = {0};
    jbw_message message;
    bool is_cheap = true;
    if (!jbw_message_decode(bytes, size, &scratch, &message)) {
        if (message.type == JBW_MESSAGE_STEP) is_cheap = message.step.count <= STEPS_MOST;
        if (message.type == JBW_MESSAGE_SMELL)
            is_cheap = message.smell.region.width < 8 && message.smell.region.height < 8;
    }
    jbw_scratch_deinit(&scratch);
    return is_cheap;
}

static void say(theatre *t, jbw_session *session, const uint8_t *bytes, size_t size)
{
    if (!is_cheap(bytes, size)) return;
    // in memory of exactly that size, so that sanitizers notice reads beyond it
    uint8_t *copy = malloc(size + 1);
    if (!copy) abort();
    if (size > 0) memcpy(copy, bytes, size);
    if (!jbw_session_receive(session, &t->host, copy, size)) abort();
    free(copy);
    if (!session->is_over) t->forwarded++;
}

static void say_hello(theatre *t, jbw_session *session, unsigned which)
{
    const char *secrets[] = {"ann-secret", "bob-secret", "", "nobody's"};
    const jbw_message hello = {.type = JBW_MESSAGE_HELLO,
                               .request = 1,
                               .hello = {.version_least = 1,
                                         .version_most = 1,
                                         .token = jbw_text_field(secrets[which % 4])}};
    jbw_buffer bytes = {0};
    if (!jbw_message_encode(&hello, &bytes)) abort();
    say(t, session, bytes.bytes, bytes.size);
    jbw_buffer_free(&bytes);
}

static void leave(theatre *t, jbw_session *session)
{
    const uint32_t connection = session->connection;
    jbw_session_deinit(session, &t->host);
    jbw_game_forget(t->game, connection, t->sessions[connection - 1].key, t->now);
    jbw_session_init(session, connection);
}

static void look_at_frames(theatre *t, jbw_session *session)
{
    static uint64_t number;
    const jbw_view_copy picture = {.world = t->world, .number = ++number};
    jbw_buffer bytes = {0};
    for (size_t i = 0; i < JBW_SUBSCRIPTIONS_MOST; i++)
        if (jbw_watch_is_behind(&session->watches[i], &picture))
            jbw_watch_make_frame(&session->watches[i], &picture, &t->host.scratch, &bytes);
    jbw_buffer_free(&bytes);
}

static void play(theatre *t, const uint8_t *data, size_t size)
{
    size_t at = 0;
    for (int i = 0; i < EVENTS_MOST && at < size; i++) {
        const unsigned byte = data[at++];
        jbw_session *session = &t->sessions[byte % CLIENTS];
        const unsigned what = byte / CLIENTS;
        if (what % 8 == EVENT_HELLO) {
            say_hello(t, session, what / 8);
        } else if (what % 8 == EVENT_LEAVE) {
            leave(t, session);
        } else if (what % 8 == EVENT_WAIT) {
            t->now += (uint64_t)(what / 8) * 30000000;
            jbw_game_tick(t->game, t->now);
            look_at_frames(t, session);
        } else {
            const size_t wanted = at < size ? data[at++] : 0;
            const size_t left = size - at;
            const size_t length = wanted < left ? wanted : left;
            say(t, session, data + at, length);
            at += length;
        }
    }
}

static void check(theatre *t)
{
    const jbw_game_info info = jbw_game_get_info(t->game);
    jbw_agent_id agents[16];
    const size_t count = jbw_world_agents(t->world, agents, 16);
    if (count != info.agent_count || count > 7) abort();
    uint32_t active = 0;
    for (size_t i = 0; i < count; i++) {
        jbw_agent_state state;
        if (jbw_agent_get_state(t->world, agents[i], &state)) abort();
        active += state.is_active;
    }
    if (active != info.active_count) abort();
    if (info.time != jbw_world_time(t->twin)) abort();
    if (jbw_world_hash(t->world) != jbw_world_hash(t->twin)) abort();
    if (t->answered > t->forwarded + EVENTS_MOST) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static jbw_model *model;
    static jbw_token_set keys;
    if (!model) {
        model = make_model();
        if (jbw_token_set_init(&keys, tokens, 2, NULL)) abort();
    }
    if (size < 1) return 0;
    theatre t = {.now = 1000};
    const jbw_game_options options = {.keys = &keys,
                                      .is_paused = data[0] & 1,
                                      .rate = data[0] & 2 ? 20.0 : 0.0,
                                      .turn_timeout = data[0] & 4 ? 100000000 : 0,
                                      .deactivates = data[0] & 8,
                                      .answer = take_answer,
                                      .user = &t};
    if (jbw_world_create(model, 1, &t.world) || jbw_world_create(model, 1, &t.twin)) abort();
    if (jbw_game_create(t.world, &options, t.now, &t.game, NULL)) abort();
    jbw_world_on_operation(t.world, repeat, &t);
    t.host = (jbw_session_shared){
        .keys = &keys, .model = model, .forward = forward, .answer = take_answer, .user = &t};
    for (uint32_t i = 0; i < CLIENTS; i++) jbw_session_init(&t.sessions[i], i + 1);

    play(&t, data + 1, size - 1);
    check(&t);
    for (size_t i = 0; i < CLIENTS; i++) leave(&t, &t.sessions[i]);
    jbw_game_close(t.game);
    check(&t);

    for (size_t i = 0; i < CLIENTS; i++) jbw_session_deinit(&t.sessions[i], &t.host);
    jbw_game_destroy(t.game);
    jbw_session_shared_deinit(&t.host);
    jbw_world_destroy(t.world);
    jbw_world_destroy(t.twin);
    return 0;
}
