// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "options.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "jbw/ahead.h"

enum { MAX_OPTIONS = 32 };

// the value of a macro, as text
#define TEXT_OF(number) TEXT_OF_VALUE(number)
#define TEXT_OF_VALUE(value) #value

// --- help ---------------------------------------------------------------------------------------

// Prints a text with at most HELP_WIDTH columns, starting at column `indent`, where the cursor is.
// Line breaks and leading spaces are kept.
static void print_wrapped(const char *text, int indent)
{
    enum { HELP_WIDTH = 88 };
    int column = indent;
    while (*text != '\0') {
        const int space_count = (int)strspn(text, " ");
        const int length = (int)strcspn(text + space_count, " \n");
        if (column > indent && column + space_count + length > HELP_WIDTH) {
            printf("\n%*s%.*s", indent, "", length, text + space_count);
            column = indent + length;
        } else {
            printf("%.*s", space_count + length, text);
            column += space_count + length;
        }
        text += space_count + length;
        if (*text == '\n') {
            printf("\n%*s", indent, "");
            column = indent;
            text++;
        }
    }
    printf("\n");
}

static void print_option(const char *name, const char *value_name, const char *purpose)
{
    enum { PURPOSE_COLUMN = 25 };
    char left[64];
    snprintf(left, sizeof left, "%s%s%s", name, value_name ? " " : "",
             value_name ? value_name : "");
    printf("  %-*s ", PURPOSE_COLUMN - 3, left);
    print_wrapped(purpose, PURPOSE_COLUMN);
}

static void print_help(const jbw_command_line *line)
{
    printf("usage: jbw %s %s\n\n", line->verb, line->usage);
    print_wrapped(line->purpose, 0);
    printf("\noptions:\n");
    for (size_t i = 0; i < line->option_count; i++) {
        const jbw_option *option = &line->options[i];
        print_option(option->name, option->value_name, option->purpose);
    }
    print_option("--help", NULL, "print this help");
}

static jbw_verb_status reject(const jbw_command_line *line, const char *format, ...)
    JBW_PRINTF(2, 3);

static jbw_verb_status reject(const jbw_command_line *line, const char *format, ...)
{
    char message[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return jbw_verb_reject(line->verb, "%s; see jbw %s --help", message, line->verb);
}

// --- values -------------------------------------------------------------------------------------

static bool parse_uint64(const char *text, uint64_t *out)
{
    uint64_t value = 0;
    if (*text == '\0') return false;
    for (; *text; text++) {
        if (*text < '0' || *text > '9') return false;
        const uint64_t digit = (uint64_t)(*text - '0');
        if (value > (UINT64_MAX - digit) / 10) return false;
        value = value * 10 + digit;
    }
    *out = value;
    return true;
}

static bool parse_megabytes(const char *text, uint64_t *out)
{
    uint64_t count;
    if (!parse_uint64(text, &count) || count < 1 || count > UINT64_C(1) << 40) return false;
    *out = count << 20;
    return true;
}

static bool parse_region(const char *text, jbw_region *out)
{
    int64_t values[4];
    for (int i = 0; i < 4; i++) {
        const size_t length = strcspn(text, ",");
        if (!jbw_parse_int64(text, length, &values[i])) return false;
        if (text[length] != (i < 3 ? ',' : '\0')) return false;
        text += length + (i < 3 ? 1 : 0);
    }
    *out = (jbw_region){.x = values[0], .y = values[1], .width = values[2], .height = values[3]};
    return true;
}

static bool parse_int(const char *text, int *out)
{
    int64_t value;
    if (!jbw_parse_int64(text, strlen(text), &value)) return false;
    if (value < INT_MIN || value > INT_MAX) return false;
    *out = (int)value;
    return true;
}

// splits KEY=VALUE in place
static bool parse_setting(char *text, jbw_settings *settings)
{
    char *equals = strchr(text, '=');
    if (!equals || equals == text) return false;
    *equals = '\0';
    settings->overrides[settings->count++] = (jbw_override){.key = text, .value = equals + 1};
    return true;
}

// the key that an option sets
static const char *key_of(const jbw_option *option)
{
    return strcmp(option->name, "--generation") == 0 ? "generation" : "memory_budget";
}

static jbw_verb_status take_value(const jbw_command_line *line, const jbw_option *option,
                                  char *value)
{
    bool is_good = true;
    const char *expected = "";
    switch (option->kind) {
    case JBW_OPTION_FLAG: *(bool *)option->target = true; break;
    case JBW_OPTION_TEXT: *(const char **)option->target = value; break;
    case JBW_OPTION_INT:
        expected = "an integer";
        is_good = parse_int(value, option->target);
        break;
    case JBW_OPTION_THREADS:
        expected = "an integer from 0 to " TEXT_OF(JBW_MAX_GENERATION_THREADS);
        is_good = parse_int(value, option->target) && *(int *)option->target >= 0 &&
                  *(int *)option->target <= JBW_MAX_GENERATION_THREADS;
        break;
    case JBW_OPTION_UINT64:
        expected = "an integer from 0 to 2^64 - 1";
        is_good = parse_uint64(value, option->target);
        break;
    case JBW_OPTION_SIZE:
        expected = "megabytes, from 1 to 2^40";
        is_good = parse_megabytes(value, option->target);
        break;
    case JBW_OPTION_NUMBER:
        expected = "a number";
        is_good = jbw_parse_double(value, strlen(value), option->target);
        break;
    case JBW_OPTION_REGION:
        expected = "four integers X,Y,W,H";
        is_good = parse_region(value, option->target);
        break;
    case JBW_OPTION_SET:
    case JBW_OPTION_KEY: {
        jbw_settings *settings = option->target;
        if (settings->count == sizeof settings->overrides / sizeof *settings->overrides)
            return reject(line, "%s is given too many times", option->name);
        expected = "KEY=VALUE";
        if (option->kind == JBW_OPTION_SET)
            is_good = parse_setting(value, settings);
        else
            settings->overrides[settings->count++] =
                (jbw_override){.key = key_of(option), .value = value};
        break;
    }
    case JBW_OPTION_TEXTS: {
        jbw_texts *texts = option->target;
        if (texts->count == sizeof texts->texts / sizeof *texts->texts)
            return reject(line, "%s is given too many times", option->name);
        texts->texts[texts->count++] = value;
        break;
    }
    }
    if (is_good) return JBW_VERB_OK;
    return reject(line, "%s: found '%.200s', expected %s", option->name, value, expected);
}

// --- the command line ---------------------------------------------------------------------------

static jbw_verb_status reject_option(const jbw_command_line *line, const char *name, size_t length)
{
    const char *names[MAX_OPTIONS + 1];
    size_t count = 0;
    for (; count < line->option_count && count < MAX_OPTIONS; count++)
        names[count] = line->options[count].name;
    names[count++] = "--help";
    const char *nearest = jbw_nearest_name(name, length, names, count);
    const int shown = length < 100 ? (int)length : 100;
    if (nearest)
        return reject(line, "unknown option '%.*s', did you mean '%s'?", shown, name, nearest);
    return reject(line, "unknown option '%.*s'", shown, name);
}

static const jbw_option *find_option(const jbw_command_line *line, const char *name, size_t length)
{
    for (size_t i = 0; i < line->option_count; i++) {
        const char *candidate = line->options[i].name;
        if (strlen(candidate) == length && memcmp(candidate, name, length) == 0)
            return &line->options[i];
    }
    return NULL;
}

// handles the option at `argv[*at]`, and the value after it
static jbw_verb_status take_option(const jbw_command_line *line, int argc, char **argv, int *at)
{
    char *text = argv[*at];
    const size_t length = strcspn(text, "=");
    const bool has_value = text[length] == '=';
    const jbw_option *option = find_option(line, text, length);
    if (!option) return reject_option(line, text, length);
    if (option->kind == JBW_OPTION_FLAG) {
        if (has_value) return reject(line, "%s takes no value", option->name);
        return take_value(line, option, NULL);
    }
    if (has_value) return take_value(line, option, text + length + 1);
    if (*at + 1 == argc) return reject(line, "%s needs a value", option->name);
    (*at)++;
    return take_value(line, option, argv[*at]);
}

jbw_verb_status jbw_command_line_parse(jbw_command_line *line, int argc, char **argv)
{
    bool only_arguments = false;
    for (int at = 0; at < argc; at++) {
        const char *text = argv[at];
        if (!only_arguments && strcmp(text, "--") == 0) {
            only_arguments = true;
        } else if (!only_arguments && (strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0)) {
            print_help(line);
            return JBW_VERB_HELPED;
        } else if (!only_arguments && text[0] == '-' && text[1] != '\0') {
            const jbw_verb_status status = take_option(line, argc, argv, &at);
            if (status) return status;
        } else {
            if (line->argument_count == line->max_arguments)
                return reject(line, "unexpected argument '%.200s'", text);
            line->arguments[line->argument_count++] = text;
        }
    }
    if (line->argument_count < line->min_arguments) return reject(line, "expected %s", line->usage);
    return JBW_VERB_OK;
}

// --- options of worlds --------------------------------------------------------------------------

jbw_option jbw_option_set(jbw_settings *settings)
{
    return (jbw_option){"--set", JBW_OPTION_SET, settings, "KEY=VALUE",
                        "override a key of the world file, such as agent.vision_range=5; "
                        "repeatable"};
}

jbw_option jbw_option_generation(jbw_settings *settings)
{
    return (jbw_option){"--generation", JBW_OPTION_KEY, settings, "HOW",
                        "frontier, as in the paper, or invariant: each cell depends on nothing but "
                        "the world, the seed and its position"};
}

jbw_option jbw_option_memory_budget(jbw_settings *settings)
{
    return (jbw_option){"--memory-budget", JBW_OPTION_KEY, settings, "MB",
                        "megabytes of terrain that an invariant world keeps in memory (64)"};
}

jbw_verb_status jbw_settings_take_memory_budget(jbw_settings *settings, const char *verb,
                                                int *budget)
{
    size_t kept_count = 0;
    for (size_t i = 0; i < settings->count; i++) {
        const jbw_override setting = settings->overrides[i];
        if (strcmp(setting.key, "memory_budget") != 0)
            settings->overrides[kept_count++] = setting;
        else if (!parse_int(setting.value, budget) || *budget < 1 ||
                 *budget > JBW_MAX_MEMORY_BUDGET)
            return jbw_verb_reject(verb, "--memory-budget: found '%s', expected 1 to %d megabytes",
                                   setting.value, JBW_MAX_MEMORY_BUDGET);
    }
    settings->count = kept_count;
    return JBW_VERB_OK;
}

jbw_option jbw_option_memory_limit(uint64_t *bytes)
{
    return (jbw_option){"--memory-limit", JBW_OPTION_SIZE, bytes, "MB",
                        "megabytes that reading a snapshot or a recording may take (1000 times its "
                        "size, at least 256)"};
}

jbw_option jbw_option_generation_threads(int *count)
{
    return (jbw_option){"--generation-threads", JBW_OPTION_THREADS, count, "N",
                        "number of background threads that generate an invariant world; results "
                        "do not depend on it (1, or 0 on a single processor)"};
}

int jbw_default_generation_threads(void)
{
    return sysconf(_SC_NPROCESSORS_ONLN) > 1 ? 1 : 0;
}
