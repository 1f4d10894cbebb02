// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "options.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "commands.h"
#include "jbw/ahead.h"

enum { MAX_OPTIONS = 32 };

// a number that is a macro, as text
#define TEXT_OF(number) TEXT_OF_ITS_VALUE(number)
#define TEXT_OF_ITS_VALUE(value) #value

// --- help ---------------------------------------------------------------------------------------

static void print_help(const jbw_command_line *line)
{
    printf("usage: jbw %s %s\n\n%s\n\noptions:\n", line->verb, line->usage, line->purpose);
    for (size_t i = 0; i < line->option_count; i++) {
        const jbw_option *option = &line->options[i];
        char left[64];
        snprintf(left, sizeof left, "%s%s%s", option->name, option->value_name ? " " : "",
                 option->value_name ? option->value_name : "");
        printf("  %-22s %s\n", left, option->purpose);
    }
    printf("  %-22s %s\n", "--help", "this text");
}

static int fail(const jbw_command_line *line, const char *format, ...) JBW_PRINTF(2, 3);

static int fail(const jbw_command_line *line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "jbw %s: ", line->verb);
    vfprintf(stderr, format, arguments);
    fprintf(stderr, "; see jbw %s --help\n", line->verb);
    va_end(arguments);
    return JBW_EXIT_USAGE;
}

// --- values -------------------------------------------------------------------------------------

static bool parse_seed(const char *text, uint64_t *out)
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

// splits KEY=VALUE where it stands
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

// -1, or the exit code
static int take_value(const jbw_command_line *line, const jbw_option *option, char *value)
{
    bool is_good = true;
    const char *expected = "";
    switch (option->kind) {
    case JBW_OPTION_FLAG: *(bool *)option->target = true; break;
    case JBW_OPTION_TEXT: *(const char **)option->target = value; break;
    case JBW_OPTION_INT:
        expected = "a whole number";
        is_good = parse_int(value, option->target);
        break;
    case JBW_OPTION_THREADS:
        expected = "a whole number from 0 to " TEXT_OF(JBW_MAX_GENERATION_THREADS);
        is_good = parse_int(value, option->target) && *(int *)option->target >= 0 &&
                  *(int *)option->target <= JBW_MAX_GENERATION_THREADS;
        break;
    case JBW_OPTION_SEED:
        expected = "a whole number from 0 to 2^64 - 1";
        is_good = parse_seed(value, option->target);
        break;
    case JBW_OPTION_NUMBER:
        expected = "a number";
        is_good = jbw_parse_double(value, strlen(value), option->target);
        break;
    case JBW_OPTION_REGION:
        expected = "four whole numbers X,Y,W,H";
        is_good = parse_region(value, option->target);
        break;
    case JBW_OPTION_SET:
    case JBW_OPTION_KEY: {
        jbw_settings *settings = option->target;
        if (settings->count == sizeof settings->overrides / sizeof *settings->overrides)
            return fail(line, "%s was given too often", option->name);
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
            return fail(line, "%s was given too often", option->name);
        texts->texts[texts->count++] = value;
        break;
    }
    }
    if (is_good) return -1;
    return fail(line, "%s: found '%s', expected %s", option->name, value, expected);
}

// --- the command line ---------------------------------------------------------------------------

static int fail_unknown(const jbw_command_line *line, const char *name, size_t length)
{
    const char *names[MAX_OPTIONS + 1];
    size_t count = 0;
    for (; count < line->option_count && count < MAX_OPTIONS; count++)
        names[count] = line->options[count].name;
    names[count++] = "--help";
    const char *nearest = jbw_nearest_name(name, length, names, count);
    const int shown = length < 100 ? (int)length : 100;
    if (nearest)
        return fail(line, "unknown option '%.*s', did you mean '%s'?", shown, name, nearest);
    return fail(line, "unknown option '%.*s'", shown, name);
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

// Handles the option at `argv[*at]`, and the value behind it. -1, or the exit code.
static int take_option(const jbw_command_line *line, int argc, char **argv, int *at)
{
    char *text = argv[*at];
    const size_t length = strcspn(text, "=");
    const bool has_value = text[length] == '=';
    const jbw_option *option = find_option(line, text, length);
    if (!option) return fail_unknown(line, text, length);
    if (option->kind == JBW_OPTION_FLAG) {
        if (has_value) return fail(line, "%s has no value", option->name);
        return take_value(line, option, NULL);
    }
    if (has_value) return take_value(line, option, text + length + 1);
    if (*at + 1 == argc) return fail(line, "%s needs a value", option->name);
    (*at)++;
    return take_value(line, option, argv[*at]);
}

int jbw_command_line_parse(jbw_command_line *line, int argc, char **argv)
{
    bool only_arguments = false;
    for (int at = 0; at < argc; at++) {
        const char *text = argv[at];
        if (!only_arguments && strcmp(text, "--") == 0) {
            only_arguments = true;
        } else if (!only_arguments && (strcmp(text, "--help") == 0 || strcmp(text, "-h") == 0)) {
            print_help(line);
            return JBW_EXIT_GOOD;
        } else if (!only_arguments && text[0] == '-' && text[1] != '\0') {
            const int code = take_option(line, argc, argv, &at);
            if (code >= 0) return code;
        } else {
            if (line->argument_count == line->most_arguments)
                return fail(line, "'%s' is one argument too many", text);
            line->arguments[line->argument_count++] = text;
        }
    }
    if (line->argument_count < line->least_arguments) return fail(line, "expected %s", line->usage);
    return -1;
}

// --- worlds -------------------------------------------------------------------------------------

jbw_option jbw_option_generation(jbw_settings *settings)
{
    return (jbw_option){
        "--generation", JBW_OPTION_KEY, settings, "HOW",
        "frontier, as in the paper, or invariant: every cell follows from its place"};
}

jbw_option jbw_option_memory_budget(jbw_settings *settings)
{
    return (jbw_option){"--memory-budget", JBW_OPTION_KEY, settings, "MB",
                        "megabytes that an invariant world keeps of what it can make again (64)"};
}

int jbw_take_memory_budget(const char *verb, jbw_settings *settings, int *budget)
{
    size_t kept_count = 0;
    for (size_t i = 0; i < settings->count; i++) {
        const jbw_override setting = settings->overrides[i];
        if (strcmp(setting.key, "memory_budget") != 0) {
            settings->overrides[kept_count++] = setting;
        } else if (!parse_int(setting.value, budget) || *budget < 1 ||
                   *budget > JBW_MAX_MEMORY_BUDGET) {
            fprintf(stderr, "jbw %s: --memory-budget: found '%s', expected 1 to %d megabytes\n",
                    verb, setting.value, JBW_MAX_MEMORY_BUDGET);
            return JBW_EXIT_USAGE;
        }
    }
    settings->count = kept_count;
    return -1;
}

jbw_option jbw_option_generation_threads(int *count)
{
    return (jbw_option){
        "--generation-threads", JBW_OPTION_THREADS, count, "N",
        "threads that make an invariant world ahead, same result (1; on one processor 0)"};
}

int jbw_default_generation_threads(void)
{
    return sysconf(_SC_NPROCESSORS_ONLN) > 1 ? 1 : 0;
}

jbw_option jbw_option_set(jbw_settings *settings)
{
    return (jbw_option){"--set", JBW_OPTION_SET, settings, "KEY=VALUE",
                        "change the world, as in --set agent.vision_range=5; any number of times"};
}

static void print_diagnostic(const jbw_diagnostic *diagnostic, void *user)
{
    (void)user;
    if (diagnostic->line > 0)
        fprintf(stderr, "%s:%d:%d: error: %s\n", diagnostic->source, diagnostic->line,
                diagnostic->column, diagnostic->text);
    else
        fprintf(stderr, "%s: error: %s\n", diagnostic->source, diagnostic->text);
}

int jbw_load_world(const char *name, const jbw_settings *settings, jbw_config **out)
{
    const jbw_world_file_options options = {.overrides = settings->overrides,
                                            .override_count = settings->count,
                                            .report = print_diagnostic};
    const jbw_status status = jbw_world_file_read(name, &options, out, NULL);
    if (status == JBW_OK) return -1;
    if (status != JBW_OUT_OF_MEMORY) return JBW_EXIT_USAGE;
    fprintf(stderr, "%s: error: %s\n", name, jbw_status_text(status));
    return JBW_EXIT_FAILED;
}
