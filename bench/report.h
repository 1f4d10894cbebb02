// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The figures that benchmarks measure: printed as they come, and kept to be saved or compared.
#ifndef JBW_BENCH_REPORT_H
#define JBW_BENCH_REPORT_H

#include <stdbool.h>
#include <stddef.h>

enum { JBW_FIGURE_TEXT_SIZE = 160 }; // longer texts are cut

/// A measured value. The texts identify it.
typedef struct jbw_figure {
    char bench[JBW_FIGURE_TEXT_SIZE];
    char world[JBW_FIGURE_TEXT_SIZE];
    char setup[JBW_FIGURE_TEXT_SIZE]; // parameters such as "worlds=64 threads=2"; may be empty
    char name[JBW_FIGURE_TEXT_SIZE];  // with its unit, such as "ns_per_step"
    double value;
} jbw_figure;

/// A list of figures. All zero is empty.
typedef struct jbw_figures {
    jbw_figure *items;
    size_t count;
    size_t capacity;
} jbw_figures;

/// Appends a figure. False when memory runs out.
bool jbw_figures_add(jbw_figures *figures, const jbw_figure *figure);

/// The figure with the same texts, or NULL.
const jbw_figure *jbw_figures_find(const jbw_figures *figures, const jbw_figure *like);

void jbw_figures_free(jbw_figures *figures);

/// Where benchmarks report to. All zero is an empty report, printed as a table.
typedef struct jbw_report {
    bool is_json;          // one object per line
    jbw_figures figures;   // everything reported so far
    bool is_out_of_memory; // some figures were not kept
    jbw_figure current;    // the texts of the measurement that is being reported
} jbw_report;

/// Reports one measurement: begin, parameters, figures, end. Parameters tell measurements of the
/// same benchmark and world apart.
void jbw_report_begin(jbw_report *report, const char *bench, const char *world);
void jbw_report_parameter(jbw_report *report, const char *name, double value);
void jbw_report_text_parameter(jbw_report *report, const char *name, const char *text);
void jbw_report_figure(jbw_report *report, const char *name, double value);
void jbw_report_end(jbw_report *report);

#endif
