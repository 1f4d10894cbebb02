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
typedef struct jbw_key {
    char name[JBW_TOKEN_NAME_SIZE];
    uint8_t digest[JBW_DIGEST_SIZE];
    uint32_t permissions;
    uint32_t agents_most;
} jbw_key;

typedef struct jbw_keys {
    jbw_key *keys;
    size_t count;
} jbw_keys;

/// Checks and copies tokens. JBW_INVALID_ARGUMENT if one is invalid or two share a name or a
/// secret.
jbw_status jbw_keys_init(jbw_keys *keys, const jbw_token *tokens, size_t count, jbw_error *error);
void jbw_keys_deinit(jbw_keys *keys);

/// The index of the key with this secret, or -1.
int jbw_keys_find(const jbw_keys *keys, jbw_field_text secret);

#endif
