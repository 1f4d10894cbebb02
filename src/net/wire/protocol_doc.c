// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// protocol_doc [--check] FILE: replaces the table of messages between the two marks in
// docs/protocol.md. With --check it writes nothing and fails if the file is out of date.

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/wire/message.h"

static const char begin_mark[] = "<!-- from src/net/wire/messages.inl: begin -->\n";
static const char end_mark[] = "<!-- from src/net/wire/messages.inl: end -->\n";

// ---- the table as Markdown ----

static jbw_buffer page;

static void put(const char *format, ...) JBW_PRINTF(1, 2);

static void put(const char *format, ...)
{
    char text[2000];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length < 0 || !jbw_buffer_append(&page, text, (size_t)length)) abort();
}

// a paragraph, with line breaks
static void put_wrapped(const char *text)
{
    enum { COLUMNS = 110 };
    size_t column = 0;
    while (*text) {
        const size_t length = strcspn(text, " ");
        if (column > 0) put(column + 1 + length > COLUMNS ? "\n" : " ");
        column = column + 1 + length > COLUMNS || column == 0 ? length : column + 1 + length;
        put("%.*s", (int)length, text);
        text += length + strspn(text + length, " ");
    }
    put("\n");
}

static void put_message_head(unsigned number, const char *name, const char *sender,
                             const char *needs, const char *answer, const char *text)
{
    char paragraph[2000];
    const bool has_answer = answer[0] != '\0';
    const bool has_needs = strcmp(sender, "CLIENT") == 0 && strcmp(needs, "NOTHING") != 0;
    snprintf(paragraph, sizeof paragraph, "%s%s%s%s%s%s%s", text, has_answer ? " Answer: `" : "",
             answer, has_answer ? "`." : "", has_needs ? " Requires the permission " : "",
             has_needs ? needs : "", has_needs ? "." : "");
    put("\n#### %u %s\n\n", number, name);
    put_wrapped(paragraph);
}

static bool has_table; // whether the current record or message has a table of fields yet

static void put_row(const char *type, const char *name, const char *text)
{
    if (!has_table) put("\n| type | field | |\n| --- | --- | --- |\n");
    has_table = true;
    put("| %s | `%s` | %s |\n", type, name, text);
}

static void put_errors(void)
{
    put("\n### Errors\n\n| code | name | |\n| --- | --- | --- |\n");
#define ERROR(number, name, text) put("| %d | %s | %s |\n", number, #name, text);
#include "net/wire/messages.inl"
}

static void put_flags(void)
{
    put("\n### Flags and topics\n\n| field | value | name | |\n| --- | --- | --- | --- |\n");
#define FLAG(group, value, name, text) put("| `%s` | %d | %s | %s |\n", #group, value, #name, text);
#include "net/wire/messages.inl"
}

static void put_records(void)
{
    put("\n### Records\n\nThe elements of lists.\n");
#define RECORD(name, text) \
    has_table = false;     \
    put("\n#### %s\n\n%s\n", #name, text);
#define FIELD(type, name, text) put_row(#type, #name, text);
#define MESSAGE(number, upper, name, sender, needs, answer, text) if (false) {
#define END_MESSAGE(name) }
#define LIST(record, name, text) put_row("list of " #record, #name, text);
#include "net/wire/messages.inl"
}

static void put_messages(const char *wanted_sender, const char *title)
{
    put("\n### %s\n", title);
#define RECORD(name, text) if (false) {
#define END_RECORD(name) }
#define MESSAGE(number, upper, name, sender, needs, answer, text) \
    has_table = false;                                            \
    if (strcmp(wanted_sender, #sender) == 0) {                    \
        put_message_head(number, #name, #sender, #needs, #answer, text);
#define END_MESSAGE(name) }
#define FIELD(type, name, text) put_row(#type, #name, text);
#define LIST(record, name, text) put_row("list of " #record, #name, text);
#define FIELDS_OF(message, name) put_row("", #message, "all fields of this message");
#include "net/wire/messages.inl"
}

static void put_table(void)
{
    put("\nVersion %d.\n", JBW_PROTOCOL_VERSION);
    put_messages("CLIENT", "Messages from clients");
    put_messages("SERVER", "Messages from the server");
    put_records();
    put_flags();
    put_errors();
    put("\n");
}

// ---- the file ----

static char *read_all(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file) return NULL;
    jbw_buffer text = {0};
    char part[4096];
    size_t count;
    while ((count = fread(part, 1, sizeof part, file)) > 0)
        if (!jbw_buffer_append(&text, part, count)) abort();
    fclose(file);
    if (!jbw_buffer_append(&text, "", 1)) abort();
    return (char *)text.bytes;
}

static int fail(const char *path, const char *why)
{
    fprintf(stderr, "protocol_doc: %s: %s\n", path, why);
    return 1;
}

int main(int argc, char **argv)
{
    const bool checks = argc == 3 && strcmp(argv[1], "--check") == 0;
    if (argc != (checks ? 3 : 2)) return fail("usage", "protocol_doc [--check] FILE");
    const char *path = argv[argc - 1];
    char *old = read_all(path);
    if (!old) return fail(path, "cannot be read");
    const char *begin = strstr(old, begin_mark);
    const char *end = strstr(old, end_mark);
    if (!begin || !end || end < begin) return fail(path, "lacks the two marks");

    if (!jbw_buffer_append(&page, old, (size_t)(begin - old) + strlen(begin_mark))) abort();
    put_table();
    if (!jbw_buffer_append(&page, end, strlen(end) + 1)) abort();
    const bool is_same = strcmp(old, (const char *)page.bytes) == 0;
    free(old);
    if (is_same) return 0;
    if (checks) return fail(path, "is out of date; run protocol_doc");
    FILE *file = fopen(path, "wb");
    if (!file) return fail(path, "cannot be written");
    const size_t size = page.size - 1;
    const bool is_good = fwrite(page.bytes, 1, size, file) == size;
    return fclose(file) == 0 && is_good ? 0 : fail(path, "cannot be written");
}
