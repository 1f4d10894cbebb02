// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// protocol_js: prints the table of messages as a module of JavaScript, web/messages.js. A test
// compares the two.

#include <stdio.h>

#include "net/wire/message.h"

static void print_records(void)
{
    printf("\nexport const records = {\n");
#define RECORD(name, text) printf("    %s: [\n", #name);
#define END_RECORD(name) printf("    ],\n");
#define MESSAGE(number, upper, name, sender, needs, answer, text) if (false) {
#define END_MESSAGE(name) }
#define FIELD(type, name, text) printf("        ['%s', '%s'],\n", #type, #name);
#define LIST(record, name, text) printf("        [['%s'], '%s'],\n", #record, #name);
#include "net/wire/messages.inl"
    printf("};\n");
}

static void print_messages(void)
{
    printf("\nexport const messages = {\n");
#define RECORD(name, text) if (false) {
#define END_RECORD(name) }
#define MESSAGE(number, upper, name, sender, needs, answer, text) \
    printf("    %s: [%d, [\n", #name, number);
#define END_MESSAGE(name) printf("    ]],\n");
#define FIELD(type, name, text) printf("        ['%s', '%s'],\n", #type, #name);
#define LIST(record, name, text) printf("        [['%s'], '%s'],\n", #record, #name);
#include "net/wire/messages.inl"
    printf("};\n");
}

int main(void)
{
    printf("// SPDX-FileCopyrightText: The Jelly Bean World in C authors\n"
           "// SPDX-License-Identifier: Apache-2.0\n"
           "\n"
           "// Made by protocol_js from src/net/wire/messages.inl. A field is [type, name]; a list "
           "of\n"
           "// records is [[record], name]; a message is [number, fields].\n"
           "\n"
           "export const version = %d;\n",
           JBW_PROTOCOL_VERSION);
    print_records();
    print_messages();
    printf("\nexport const errors = {\n");
#define ERROR(number, name, text) printf("    %d: '%s',\n", number, #name);
#include "net/wire/messages.inl"
    printf("};\n\nexport const flags = {\n");
#define FLAG(group, value, name, text) printf("    %s: %d,\n", #name, value);
#include "net/wire/messages.inl"
    printf("};\n");
    return ferror(stdout) || fflush(stdout) ? 1 : 0;
}
