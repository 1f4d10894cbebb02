// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "describe.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void print_json_text(const char *text, size_t length)
{
    putchar('"');
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)text[i];
        if (c == '"' || c == '\\')
            printf("\\%c", c);
        else if (c < ' ' || c == 127)
            printf("\\u%04x", c);
        else
            putchar(c);
    }
    putchar('"');
}

// starts a field, or an array element if it has no name
static void begin_field(jbw_description *d, const char *name)
{
    if (!d->is_json) {
        printf("  %-14s ", name);
        return;
    }
    if (d->has_field) printf(", ");
    d->has_field = true;
    if (!name) return;
    print_json_text(name, strlen(name));
    printf(": ");
}

void jbw_describe_begin(jbw_description *d, bool is_json)
{
    *d = (jbw_description){.is_json = is_json};
    if (is_json) putchar('{');
}

void jbw_describe_end(jbw_description *d)
{
    if (d->is_json) printf("}\n");
}

void jbw_describe_number(jbw_description *d, const char *name, uint64_t value)
{
    begin_field(d, name);
    printf("%" PRIu64 "%s", value, d->is_json ? "" : "\n");
}

void jbw_describe_signed(jbw_description *d, const char *name, int64_t value)
{
    begin_field(d, name);
    printf("%" PRId64 "%s", value, d->is_json ? "" : "\n");
}

void jbw_describe_real(jbw_description *d, const char *name, double value)
{
    begin_field(d, name);
    printf("%.6g", value);
}

void jbw_describe_flag(jbw_description *d, const char *name, bool value)
{
    begin_field(d, name);
    printf("%s", value ? "true" : "false");
}

void jbw_describe_text(jbw_description *d, const char *name, const char *text)
{
    begin_field(d, name);
    if (d->is_json)
        print_json_text(text, strlen(text));
    else
        printf("%s\n", text);
}

static bool is_printable(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] < ' ' || bytes[i] > '~') return false;
    return size > 0;
}

void jbw_describe_bytes(jbw_description *d, const char *name, const void *bytes, size_t size)
{
    enum { MAX_SHOWN = 200 };
    begin_field(d, name);
    if (is_printable(bytes, size)) {
        if (d->is_json)
            print_json_text(bytes, size);
        else
            printf("%.*s%s\n", size < MAX_SHOWN ? (int)size : MAX_SHOWN, (const char *)bytes,
                   size < MAX_SHOWN ? "" : "...");
    } else if (d->is_json) {
        printf("{\"bytes\": %zu}", size);
    } else {
        printf("%zu bytes\n", size);
    }
}

void jbw_describe_open(jbw_description *d, const char *name, char bracket)
{
    begin_field(d, name);
    putchar(bracket);
    d->has_field = false;
}

void jbw_describe_close(jbw_description *d, char bracket)
{
    putchar(bracket);
    d->has_field = true;
}
