// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- lists of figures ----

bool jbw_figures_add(jbw_figures *figures, const jbw_figure *figure)
{
    if (figures->count == figures->capacity) {
        const size_t capacity = figures->capacity > 0 ? 2 * figures->capacity : 64;
        jbw_figure *items = realloc(figures->items, capacity * sizeof *items);
        if (!items) return false;
        figures->items = items;
        figures->capacity = capacity;
    }
    figures->items[figures->count++] = *figure;
    return true;
}

const jbw_figure *jbw_figures_find(const jbw_figures *figures, const jbw_figure *like)
{
    for (size_t i = 0; i < figures->count; i++) {
        const jbw_figure *figure = &figures->items[i];
        if (strcmp(figure->bench, like->bench) == 0 && strcmp(figure->world, like->world) == 0 &&
            strcmp(figure->setup, like->setup) == 0 && strcmp(figure->name, like->name) == 0)
            return figure;
    }
    return NULL;
}

void jbw_figures_free(jbw_figures *figures)
{
    free(figures->items);
    *figures = (jbw_figures){0};
}

// ---- reporting ----

static void print_value(const jbw_report *report, const char *name, double value)
{
    if (report->is_json) {
        printf(", \"%s\": %.6g", name, value);
        return;
    }
    const int decimals = fabs(value) >= 100.0 || value == floor(value) ? 0
                         : fabs(value) >= 1                            ? 1
                                                                       : 3;
    printf("    %-28s %15.*f\n", name, decimals, value);
}

// appends "NAME=TEXT" to the setup
static void add_to_setup(jbw_report *report, const char *name, const char *text)
{
    char *setup = report->current.setup;
    const size_t length = strlen(setup);
    snprintf(setup + length, JBW_FIGURE_TEXT_SIZE - length, "%s%s=%s", length > 0 ? " " : "", name,
             text);
}

void jbw_report_begin(jbw_report *report, const char *bench, const char *world)
{
    report->current = (jbw_figure){0};
    snprintf(report->current.bench, JBW_FIGURE_TEXT_SIZE, "%s", bench);
    snprintf(report->current.world, JBW_FIGURE_TEXT_SIZE, "%s", world);
    if (report->is_json)
        printf("{\"bench\": \"%s\", \"world\": \"%s\"", bench, world);
    else
        printf("%s, %s\n", bench, world);
}

void jbw_report_parameter(jbw_report *report, const char *name, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.15g", value);
    add_to_setup(report, name, text);
    print_value(report, name, value);
}

void jbw_report_text_parameter(jbw_report *report, const char *name, const char *text)
{
    add_to_setup(report, name, text);
    if (report->is_json)
        printf(", \"%s\": \"%s\"", name, text);
    else
        printf("    %-28s %15s\n", name, text);
}

void jbw_report_figure(jbw_report *report, const char *name, double value)
{
    jbw_figure figure = report->current;
    snprintf(figure.name, sizeof figure.name, "%s", name);
    figure.value = value;
    if (!jbw_figures_add(&report->figures, &figure)) report->is_out_of_memory = true;
    print_value(report, name, value);
}

void jbw_report_end(jbw_report *report)
{
    if (report->is_json) printf(", \"setup\": \"%s\"}", report->current.setup);
    printf("\n");
    fflush(stdout);
}
