// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Who may do what. Secrets are kept as hashes only, and a secret that somebody claims to have is
/// compared with all of them, to the last byte: how long that takes tells nothing.
#ifndef JBW_NET_ACCESS_TOKENS_H
#define JBW_NET_ACCESS_TOKENS_H

#include "jbw/server.h"
#include "net/wire/message.h"

enum { JBW_DIGEST_SIZE = 32, JBW_TOKEN_NAME_SIZE = 64 };

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

/// Checks and copies tokens. JBW_INVALID_ARGUMENT if one makes no sense, or two are the same.
jbw_status jbw_keys_init(jbw_keys *keys, const jbw_token *tokens, size_t count, jbw_error *error);
void jbw_keys_deinit(jbw_keys *keys);

/// The number of the key that opens with this secret, or -1.
int jbw_keys_find(const jbw_keys *keys, jbw_field_text secret);

#endif
