// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "net/access/tokens.h"

#include <openssl/sha.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/text.h"

enum { MOST_TOKENS = 10000, LEAST_SECRET = 8, MOST_SECRET = 200, LINE_SIZE = 600 };

// ---- keys ----

static bool is_good_name(const char *name)
{
    const size_t length = strlen(name);
    if (length == 0 || length >= JBW_TOKEN_NAME_SIZE) return false;
    for (const char *at = name; *at; at++) {
        const bool is_letter = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z');
        const bool is_digit = *at >= '0' && *at <= '9';
        if (!is_letter && !is_digit && *at != '.' && *at != '-' && *at != '_') return false;
    }
    return true;
}

static bool is_good_secret(const char *secret)
{
    const size_t length = strlen(secret);
    if (length < LEAST_SECRET || length > MOST_SECRET) return false;
    for (const char *at = secret; *at; at++)
        if (*at <= ' ' || *at > '~') return false;
    return true;
}

// describes what is wrong with a token, or returns NULL
static const char *problem_with(const jbw_token *token)
{
    if (!token->name || !is_good_name(token->name))
        return "a name must have 1 to 63 letters, digits, '.', '-' or '_'";
    if (!token->secret || !is_good_secret(token->secret))
        return "a secret must have 8 to 200 printable characters without spaces";
    if (token->permissions >= 2 * JBW_MAY_SAVE) return "unknown permission bits";
    return NULL;
}

static void digest(const char *bytes, size_t size, uint8_t out[JBW_DIGEST_SIZE])
{
    SHA256((const unsigned char *)bytes, size, out);
}

jbw_status jbw_token_set_init(jbw_token_set *keys, const jbw_token *tokens, size_t count,
                              jbw_error *error)
{
    *keys = (jbw_token_set){0};
    if (count > MOST_TOKENS) {
        jbw_error_set(error, 0, 0, "more than %d tokens", MOST_TOKENS);
        return JBW_INVALID_ARGUMENT;
    }
    keys->keys = calloc(count + 1, sizeof *keys->keys);
    if (!keys->keys) return JBW_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++) {
        const jbw_token *token = &tokens[i];
        const char *problem = problem_with(token);
        jbw_token_digest *key = &keys->keys[i];
        if (!problem) {
            snprintf(key->name, sizeof key->name, "%s", token->name);
            digest(token->secret, strlen(token->secret), key->digest);
            key->permissions = token->permissions | JBW_MAY_WATCH;
            key->agents_most = token->agents_most;
        }
        for (size_t j = 0; j < i && !problem; j++)
            if (strcmp(key->name, keys->keys[j].name) == 0 ||
                memcmp(key->digest, keys->keys[j].digest, JBW_DIGEST_SIZE) == 0)
                problem = "another token has the same name or secret";
        if (problem) {
            jbw_error_set(error, (int)i + 1, 0, "token %zu: %s", i + 1, problem);
            jbw_token_set_deinit(keys);
            return JBW_INVALID_ARGUMENT;
        }
    }
    keys->count = count;
    return JBW_OK;
}

void jbw_token_set_deinit(jbw_token_set *keys)
{
    free(keys->keys);
    *keys = (jbw_token_set){0};
}

int jbw_token_set_check(const jbw_token_set *keys, jbw_field_text secret)
{
    uint8_t claimed[JBW_DIGEST_SIZE];
    digest(secret.at, secret.length, claimed);
    int found = -1;
    for (size_t i = 0; i < keys->count; i++) {
        unsigned difference = 0;
        for (size_t j = 0; j < JBW_DIGEST_SIZE; j++)
            difference |= (unsigned)(keys->keys[i].digest[j] ^ claimed[j]);
        // all ones if equal, computed without a branch
        const unsigned mask = (difference - 1u) >> 31 ? ~0u : 0u;
        found = (int)(((unsigned)found & ~mask) | ((unsigned)i & mask));
    }
    return found;
}

// ---- files ----

static const struct {
    const char *name;
    uint32_t bits;
} permission_names[] = {
    {"watch", JBW_MAY_WATCH},     {"act", JBW_MAY_ACT},   {"edit", JBW_MAY_EDIT},
    {"control", JBW_MAY_CONTROL}, {"save", JBW_MAY_SAVE}, {"all", 2 * JBW_MAY_SAVE - 1},
};
enum { PERMISSION_NAME_COUNT = sizeof permission_names / sizeof *permission_names };

// parses a comma-separated list of names
static bool parse_permissions(const char *text, uint32_t *out)
{
    *out = 0;
    for (;;) {
        const size_t length = strcspn(text, ",");
        size_t i = 0;
        while (i < PERMISSION_NAME_COUNT && (strlen(permission_names[i].name) != length ||
                                             memcmp(permission_names[i].name, text, length) != 0))
            i++;
        if (i == PERMISSION_NAME_COUNT) return false;
        *out |= permission_names[i].bits;
        if (text[length] == '\0') return true;
        text += length + 1;
    }
}

// splits a line into words, ignoring comments
static size_t split(char *line, char **words, size_t most)
{
    size_t count = 0;
    for (char *at = line;;) {
        at += strspn(at, " \t\r\n");
        if (*at == '\0' || *at == '#' || count == most) return count;
        words[count++] = at;
        at += strcspn(at, " \t\r\n");
        if (*at != '\0') *at++ = '\0';
    }
}

static char *copy_text(const char *text)
{
    const size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    if (copy) memcpy(copy, text, size);
    return copy;
}

// parses one line, which may be empty
static jbw_status parse_line(jbw_tokens *tokens, size_t *capacity, char *line, int number,
                             jbw_error *error)
{
    char *words[5];
    const size_t count = split(line, words, 5);
    if (count == 0) return JBW_OK;
    jbw_token token = {.agents_most = 1};
    int64_t agents = 1;
    const char *problem = NULL;
    if (count < 3 || count > 4) {
        problem = "expected NAME SECRET PERMISSIONS [AGENTS]";
    } else if (!parse_permissions(words[2], &token.permissions)) {
        problem =
            "permissions must be a comma-separated list of watch, act, edit, control, save and all";
    } else if (count == 4 && (!jbw_parse_int64(words[3], strlen(words[3]), &agents) || agents < 0 ||
                              agents > INT32_MAX)) {
        problem = "expected a number of agents";
    } else {
        token.name = words[0];
        token.secret = words[1];
        token.agents_most = (uint32_t)agents;
        problem = problem_with(&token);
    }
    if (problem) {
        jbw_error_set(error, number, 0, "%s", problem);
        return JBW_INVALID_DATA;
    }
    const jbw_allocator allocator = {0};
    if (!JBW_GROW(&allocator, tokens->tokens, *capacity, tokens->count + 1))
        return JBW_OUT_OF_MEMORY;
    token.name = copy_text(token.name);
    token.secret = copy_text(token.secret);
    tokens->tokens[tokens->count++] = token;
    return token.name && token.secret ? JBW_OK : JBW_OUT_OF_MEMORY;
}

jbw_status jbw_tokens_read(const char *path, jbw_tokens *out, jbw_error *error)
{
    *out = (jbw_tokens){0};
    FILE *file = fopen(path, "r");
    if (!file) {
        jbw_error_set(error, 0, 0, "%s cannot be read", path);
        return JBW_READ_FAILED;
    }
    size_t capacity = 0;
    char line[LINE_SIZE];
    jbw_status status = JBW_OK;
    for (int number = 1; !status && fgets(line, sizeof line, file); number++) {
        if (strlen(line) + 1 == sizeof line) {
            jbw_error_set(error, number, 0, "the line is too long");
            status = JBW_INVALID_DATA;
        } else {
            status = parse_line(out, &capacity, line, number, error);
        }
    }
    if (!status && ferror(file)) {
        jbw_error_set(error, 0, 0, "%s cannot be read", path);
        status = JBW_READ_FAILED;
    }
    fclose(file);
    memset(line, 0, sizeof line);
    if (status) jbw_tokens_free(out);
    return status;
}

void jbw_tokens_free(jbw_tokens *tokens)
{
    for (size_t i = 0; i < tokens->count; i++) {
        free((char *)tokens->tokens[i].name);
        free((char *)tokens->tokens[i].secret);
    }
    free(tokens->tokens);
    *tokens = (jbw_tokens){0};
}
