// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "net/server/session.h"

#include "base/alloc.h"
#include "net/wire/look.h"

bool jbw_session_shared_init(jbw_session_shared *shared)
{
    jbw_buffer *out = &shared->out;
    return JBW_GROW(&out->allocator, out->bytes, out->capacity, JBW_ERROR_BYTES);
}

void jbw_session_shared_deinit(jbw_session_shared *shared)
{
    jbw_scratch_deinit(&shared->scratch);
    jbw_buffer_free(&shared->out);
}

void jbw_session_init(jbw_session *session, uint32_t connection)
{
    *session = (jbw_session){.connection = connection, .key = -1};
}

void jbw_session_deinit(jbw_session *session, jbw_session_shared *shared)
{
    for (size_t i = 0; i < JBW_SUBSCRIPTIONS_MOST; i++) {
        if (session->watches[i].is_used) shared->subscription_count--;
        jbw_watch_deinit(&session->watches[i]);
    }
    session->is_over = true;
}

// ---- answering ----

static void answer(jbw_session *session, jbw_session_shared *shared, const jbw_message *message,
                   bool is_final)
{
    shared->out.size = 0;
    if (is_final) session->is_over = true;
    if (jbw_message_encode(message, &shared->out))
        shared->answer(shared->user, session->connection, shared->out.bytes, shared->out.size,
                       is_final);
}

static void refuse_text(jbw_session *session, jbw_session_shared *shared, uint32_t request,
                        jbw_error_code code, bool is_final, const char *text)
{
    const jbw_message message = {
        .type = JBW_MESSAGE_ERROR,
        .request = request,
        .error = {.code = (uint16_t)code, .is_final = is_final, .text = jbw_text_field(text)}};
    shared->refused_count++;
    answer(session, shared, &message, is_final);
}

static void refuse(jbw_session *session, jbw_session_shared *shared, uint32_t request,
                   jbw_error_code code, bool is_final)
{
    refuse_text(session, shared, request, code, is_final, jbw_error_code_text(code));
}

static void answer_ok(jbw_session *session, jbw_session_shared *shared, uint32_t request)
{
    const jbw_message message = {
        .type = JBW_MESSAGE_OK, .request = request, .ok = {.time = shared->world_time}};
    answer(session, shared, &message, false);
}

void jbw_session_end(jbw_session *session, jbw_session_shared *shared, uint32_t request,
                     jbw_error_code code)
{
    if (!session->is_over) refuse(session, shared, request, code, true);
}

// ---- subscriptions ----

static jbw_watch *find_watch(jbw_session *session, bool is_used, uint32_t request)
{
    for (size_t i = 0; i < JBW_SUBSCRIPTIONS_MOST; i++) {
        jbw_watch *watch = &session->watches[i];
        if (watch->is_used == is_used && (!is_used || watch->request == request)) return watch;
    }
    return NULL;
}

static void subscribe(jbw_session *session, jbw_session_shared *shared, const jbw_message *message)
{
    const uint32_t request = message->request;
    if (find_watch(session, true, request)) {
        refuse_text(session, shared, request, JBW_ERROR_INVALID_ARGUMENT, false,
                    "another subscription has this request number");
        return;
    }
    jbw_watch *watch = find_watch(session, false, 0);
    if (!watch) {
        refuse(session, shared, request, JBW_ERROR_TOO_MANY, false);
        return;
    }
    const jbw_status status =
        jbw_watch_init(watch, shared->model, request, &message->subscribe, shared->frame_interval);
    switch (status) {
    case JBW_OK:
        if (shared->maker)
            jbw_watch_set_maker(watch, shared->maker, session->connection,
                                (uint32_t)(watch - session->watches));
        shared->subscription_count++;
        answer_ok(session, shared, request);
        break;
    case JBW_INVALID_ARGUMENT:
        refuse(session, shared, request, JBW_ERROR_INVALID_ARGUMENT, false);
        break;
    case JBW_OUT_OF_RANGE: refuse(session, shared, request, JBW_ERROR_OUT_OF_RANGE, false); break;
    case JBW_UNSUPPORTED: refuse(session, shared, request, JBW_ERROR_TOO_LARGE, false); break;
    default: refuse(session, shared, request, JBW_ERROR_OUT_OF_MEMORY, false); break;
    }
}

static void unsubscribe(jbw_session *session, jbw_session_shared *shared,
                        const jbw_message *message)
{
    jbw_watch *watch = find_watch(session, true, message->unsubscribe.subscription);
    if (!watch) {
        refuse(session, shared, message->request, JBW_ERROR_NOT_FOUND, false);
        return;
    }
    jbw_watch_deinit(watch);
    shared->subscription_count--;
    answer_ok(session, shared, message->request);
}

// ---- requests ----

// checks the version and the token of a client; false if it was refused
static bool admit(jbw_session *session, jbw_session_shared *shared, const jbw_message *message)
{
    const jbw_wire_hello *hello = &message->hello;
    if (hello->version_least > JBW_PROTOCOL_VERSION ||
        hello->version_most < JBW_PROTOCOL_WITHOUT_WORDS) {
        refuse(session, shared, message->request, JBW_ERROR_VERSION, true);
        return false;
    }
    if (hello->version_most == JBW_PROTOCOL_WITHOUT_WORDS && jbw_look_has_words(shared->model)) {
        refuse_text(session, shared, message->request, JBW_ERROR_VERSION, true,
                    "agents of this world have bodies, talk or leave texts, and this client is too "
                    "old for that: update it");
        return false;
    }
    session->permissions = shared->is_play ? JBW_PERMISSIONS_OF_PLAY : JBW_PERMISSION_WATCH;
    if (hello->token.length > 0) {
        session->key = jbw_token_set_check(shared->keys, hello->token);
        if (session->key < 0) {
            refuse(session, shared, message->request, JBW_ERROR_BAD_TOKEN, true);
            return false;
        }
        if (!shared->is_view && !shared->is_play)
            session->permissions = (uint8_t)shared->keys->keys[session->key].permissions;
    }
    if (!shared->enter || shared->enter(shared->user, session)) return true;
    refuse_text(session, shared, message->request, JBW_ERROR_TOO_MANY, true,
                "too many clients are connected");
    return false;
}

static const char *permission_text(unsigned needed)
{
    switch (needed) {
    case JBW_PERMISSION_ACT: return "this needs a token with the permission act";
    case JBW_PERMISSION_EDIT: return "this needs a token with the permission edit";
    case JBW_PERMISSION_CONTROL: return "this needs a token with the permission control";
    case JBW_PERMISSION_SAVE: return "this needs a token with the permission save";
    default: return jbw_error_code_text(JBW_ERROR_NOT_PERMITTED);
    }
}

// handles a well-formed message
static bool take(jbw_session *session, jbw_session_shared *shared, const jbw_message *message,
                 const uint8_t *bytes, size_t size)
{
    const jbw_message_info *info = jbw_message_find(message->type);
    const bool is_hello = message->type == JBW_MESSAGE_HELLO;
    if (is_hello == session->has_said_hello) {
        refuse(session, shared, message->request, JBW_ERROR_HELLO_FIRST, !session->has_said_hello);
        return true;
    }
    if (info->sender != JBW_SENDER_CLIENT) {
        refuse(session, shared, message->request, JBW_ERROR_UNKNOWN_MESSAGE, false);
        return true;
    }
    if (is_hello && !admit(session, shared, message)) return true;
    if ((info->needs & session->permissions) != info->needs) {
        refuse_text(session, shared, message->request, JBW_ERROR_NOT_PERMITTED, false,
                    shared->is_view || shared->is_play ? "this world is read-only"
                                                       : permission_text(info->needs));
        return true;
    }
    switch (message->type) {
    case JBW_MESSAGE_SUBSCRIBE: subscribe(session, shared, message); return true;
    case JBW_MESSAGE_UNSUBSCRIBE: unsubscribe(session, shared, message); return true;
    default: break;
    }
    session->in_flight++; // the answer may come before this returns
    if (!shared->forward(shared->user, session->connection, session->key, bytes, size)) {
        session->in_flight--;
        return false;
    }
    if (is_hello) session->has_said_hello = true;
    if (message->type == JBW_MESSAGE_GOODBYE) session->is_over = true;
    return true;
}

bool jbw_session_receive(jbw_session *session, jbw_session_shared *shared, const uint8_t *bytes,
                         size_t size)
{
    if (session->is_over) return true;
    jbw_message message;
    jbw_scratch_reset(&shared->scratch);
    if (size > JBW_MESSAGE_MOST) {
        refuse(session, shared, 0, JBW_ERROR_TOO_LARGE, true);
        return true;
    }
    switch (jbw_message_decode(bytes, size, &shared->scratch, &message)) {
    case JBW_OK: return take(session, shared, &message, bytes, size);
    case JBW_UNSUPPORTED:
        refuse(session, shared, message.request, JBW_ERROR_UNKNOWN_MESSAGE,
               !session->has_said_hello);
        return true;
    case JBW_OUT_OF_MEMORY:
        refuse(session, shared, message.request, JBW_ERROR_OUT_OF_MEMORY, false);
        return true;
    default: break;
    }
    const bool is_final =
        ++session->malformed_count >= JBW_MALFORMED_MOST || !session->has_said_hello;
    refuse(session, shared, message.request, JBW_ERROR_MALFORMED, is_final);
    return true;
}
