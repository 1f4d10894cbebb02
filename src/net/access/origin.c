// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "net/access/origin.h"

#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

enum { HOST_SIZE = 256 };

// true for an optional port after a name: nothing, or a colon and digits
static bool is_port(const char *text)
{
    if (*text == '\0') return true;
    return *text == ':' && strspn(text + 1, "0123456789") == strlen(text + 1);
}

// extracts the name or address from "name:port" or "[address]:port"; false if there is none, or
// anything else
static bool split_host(const char *text, char name[HOST_SIZE])
{
    const bool has_brackets = text[0] == '[';
    if (has_brackets) text++;
    const char *allowed = has_brackets ? "0123456789abcdefABCDEF:."
                                       : "0123456789abcdefghijklmnopqrstuvwxyz"
                                         "ABCDEFGHIJKLMNOPQRSTUVWXYZ.-_";
    const size_t length = strspn(text, allowed);
    if (length == 0 || length >= HOST_SIZE || (has_brackets && text[length] != ']')) return false;
    memcpy(name, text, length);
    name[length] = '\0';
    return is_port(text + length + has_brackets);
}

static bool is_address(const char *name)
{
    unsigned char address[16];
    return inet_pton(AF_INET, name, address) == 1 || inet_pton(AF_INET6, name, address) == 1;
}

static bool is_own_page(const char *origin, const char *host, const char *listen_host)
{
    const char *end = strstr(origin, "://");
    if (!end || strcasecmp(end + 3, host) != 0) return false;
    char name[HOST_SIZE];
    if (!split_host(host, name)) return false;
    return is_address(name) || strcasecmp(name, "localhost") == 0 ||
           strcasecmp(name, listen_host) == 0;
}

bool jbw_origin_is_allowed(const char *origin, const char *host, const char *listen_host,
                           const char *const *listed, size_t listed_count)
{
    if (origin[0] == '\0') return true;
    for (size_t i = 0; i < listed_count; i++)
        if (strcasecmp(origin, listed[i]) == 0) return true;
    return is_own_page(origin, host, listen_host);
}
