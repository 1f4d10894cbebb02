// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Tokens: who may do what. Secrets are kept only as hashes, and a claimed secret is compared with
/// all of them in full, so that timing reveals nothing.
#ifndef JBW_NET_ACCESS_TOKENS_H
#define JBW_NET_ACCESS_TOKENS_H

#include "jbw/server.h"
#include "net/wire/message.h"

enum { JBW_DIGEST_SIZE = 32, JBW_TOKEN_NAME_SIZE = 64 };

/// A token without its secret.
typedef struct jbw_token_digest {
    char name[JBW_TOKEN_NAME_SIZE];
    uint8_t digest[JBW_DIGEST_SIZE];
    uint32_t permissions;
    uint32_t agents_most;
} jbw_token_digest;

/// All tokens of a server. server/session.c checks the tokens of clients with it.
typedef struct jbw_token_set {
    jbw_token_digest *keys;
    size_t count;
} jbw_token_set;

/// Validates and copies the tokens of a server's operator. JBW_INVALID_ARGUMENT if one is invalid or two share a name or a
/// secret.
jbw_status jbw_token_set_init(jbw_token_set *keys, const jbw_token *tokens, size_t count,
                              jbw_error *error);
void jbw_token_set_deinit(jbw_token_set *keys);

/// Checks a client's token: the index of the one with this secret, or -1.
int jbw_token_set_check(const jbw_token_set *keys, jbw_field_text secret);

#endif
