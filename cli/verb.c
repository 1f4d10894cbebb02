// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "verb.h"

#include <stdarg.h>
#include <stdio.h>

int jbw_verb_exit_code(jbw_verb_status status)
{
    switch (status) {
    case JBW_VERB_OK:
    case JBW_VERB_HELPED: return 0;
    case JBW_VERB_FAILED: return 1;
    case JBW_VERB_BAD_INPUT: return 2;
    }
    return 1;
}

static void print_message(const char *verb, const char *format, va_list arguments)
{
    fprintf(stderr, "jbw %s: ", verb);
    vfprintf(stderr, format, arguments);
    fputs("\n", stderr);
}

jbw_verb_status jbw_verb_fail(const char *verb, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_message(verb, format, arguments);
    va_end(arguments);
    return JBW_VERB_FAILED;
}

jbw_verb_status jbw_verb_reject(const char *verb, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    print_message(verb, format, arguments);
    va_end(arguments);
    return JBW_VERB_BAD_INPUT;
}
