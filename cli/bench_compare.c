// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "bench_compare.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "describe.h"

// ---- which figures to compare ----

bool jbw_bench_is_selected(const jbw_bench_selection *selection, const jbw_bench *bench)
{
    if (selection->bench_count == 0) return !bench->is_long;
    for (size_t i = 0; i < selection->bench_count; i++)
        if (strcmp(selection->benches[i], bench->name) == 0) return true;
    return false;
}

// "generate" reports "generate" and "generate_invariant"
static bool is_reported_by(const char *reported, const char *bench)
{
    const size_t length = strlen(bench);
    return strncmp(reported, bench, length) == 0 &&
           (reported[length] == '\0' || reported[length] == '_');
}

static bool was_measured(const jbw_bench_selection *selection, const jbw_figure *figure)
{
    if (selection->world && strcmp(selection->world, figure->world) != 0) return false;
    for (size_t i = 0; i < jbw_bench_count; i++)
        if (is_reported_by(figure->bench, jbw_benches[i].name))
            return jbw_bench_is_selected(selection, &jbw_benches[i]);
    return true; // a benchmark that no longer exists
}

static bool is_percentage(const jbw_figure *figure)
{
    static const char ending[] = "_percent";
    const size_t length = strlen(figure->name);
    return length >= sizeof ending - 1 &&
           strcmp(figure->name + length - (sizeof ending - 1), ending) == 0;
}

static bool is_beyond_noise(const jbw_figure *old, const jbw_figure *new, double noise)
{
    if (old->value == new->value) return false;
    if (is_percentage(old)) return fabs(new->value - old->value) > noise;
    const double ratio = new->value / old->value;
    const double limit = 1.0 + noise / 100.0;
    return !(ratio <= limit && ratio >= 1.0 / limit); // also if the old one is zero
}

// ---- as a table ----

static bool is_same_measurement(const jbw_figure *a, const jbw_figure *b)
{
    return strcmp(a->bench, b->bench) == 0 && strcmp(a->world, b->world) == 0 &&
           strcmp(a->setup, b->setup) == 0;
}

static void print_measurement(const jbw_figure *figure)
{
    printf("%s, %s%s%s", figure->bench, figure->world, figure->setup[0] ? ", " : "", figure->setup);
}

// the date of the old run, and the facts that differ
static void print_facts(const jbw_bench_results *old, const jbw_bench_results *new)
{
    if (old->facts[JBW_FACT_DATE][0]) printf("    measured on %s\n", old->facts[JBW_FACT_DATE]);
    for (int i = 0; i < JBW_FACT_COUNT; i++) {
        if (i == JBW_FACT_DATE || strcmp(old->facts[i], new->facts[i]) == 0) continue;
        if (old->facts[i][0] == '\0') continue; // a file of --json has none
        printf("    %s: %s, now %s\n", jbw_bench_fact_name((jbw_bench_fact)i), old->facts[i],
               new->facts[i]);
    }
}

static void print_change(const jbw_figure *old, const jbw_figure *new, double noise)
{
    printf("    %-32s %12.6g -> %-12.6g ", new->name, old->value, new->value);
    if (is_percentage(old))
        printf("%+8.1f points", new->value - old->value);
    else if (old->value != 0.0)
        printf("%8.3f", new->value / old->value);
    else
        printf("%8s", "-");
    printf("%s\n", is_beyond_noise(old, new, noise) ? " *" : "");
}

static void print_changes(const jbw_bench_results *old, const jbw_bench_results *new, double noise)
{
    const jbw_figure *before = NULL;
    size_t compared_count = 0;
    size_t changed_count = 0;
    for (size_t i = 0; i < new->figures.count; i++) {
        const jbw_figure *figure = &new->figures.items[i];
        const jbw_figure *same = jbw_figures_find(&old->figures, figure);
        if (!same) continue;
        if (!before || !is_same_measurement(before, figure)) {
            print_measurement(figure);
            printf("\n");
        }
        print_change(same, figure, noise);
        before = figure;
        compared_count++;
        changed_count += is_beyond_noise(same, figure, noise);
    }
    printf("%zu figures compared, %zu changed by more than %g %%\n", compared_count, changed_count,
           noise);
}

// the figures of one side that the other does not have
static void print_unmatched(const jbw_bench_results *from, const jbw_bench_results *other,
                            const jbw_bench_selection *selection, const char *title)
{
    bool has_title = false;
    for (size_t i = 0; i < from->figures.count; i++) {
        const jbw_figure *figure = &from->figures.items[i];
        if (jbw_figures_find(&other->figures, figure) || !was_measured(selection, figure)) continue;
        if (!has_title) printf("%s:\n", title);
        has_title = true;
        printf("    ");
        print_measurement(figure);
        printf(": %s\n", figure->name);
    }
}

// ---- as JSON ----

static void print_json(const jbw_figure *old, const jbw_figure *new, const char *old_path,
                       double noise)
{
    const jbw_figure *any = new ? new : old;
    jbw_description d;
    jbw_describe_begin(&d, true);
    jbw_describe_text(&d, "compared_with", old_path);
    jbw_describe_text(&d, "bench", any->bench);
    jbw_describe_text(&d, "world", any->world);
    jbw_describe_text(&d, "setup", any->setup);
    jbw_describe_text(&d, "figure", any->name);
    if (old) jbw_describe_real(&d, "old", old->value);
    if (new) jbw_describe_real(&d, "new", new->value);
    if (old && new && old->value != 0.0) jbw_describe_real(&d, "ratio", new->value / old->value);
    if (old && new) jbw_describe_flag(&d, "is_changed", is_beyond_noise(old, new, noise));
    jbw_describe_end(&d);
}

static void compare_as_json(const jbw_bench_results *old, const char *old_path,
                            const jbw_bench_results *new, const jbw_bench_selection *selection,
                            double noise)
{
    for (size_t i = 0; i < new->figures.count; i++) {
        const jbw_figure *figure = &new->figures.items[i];
        print_json(jbw_figures_find(&old->figures, figure), figure, old_path, noise);
    }
    for (size_t i = 0; i < old->figures.count; i++) {
        const jbw_figure *figure = &old->figures.items[i];
        if (!jbw_figures_find(&new->figures, figure) && was_measured(selection, figure))
            print_json(figure, NULL, old_path, noise);
    }
}

void jbw_bench_compare(const jbw_bench_results *old, const char *old_path,
                       const jbw_bench_results *new, const jbw_bench_selection *selection,
                       double noise, bool is_json)
{
    if (is_json) {
        compare_as_json(old, old_path, new, selection, noise);
        return;
    }
    printf("compared with %s: old -> new, new/old; * differs by more than %g %%\n", old_path,
           noise);
    print_facts(old, new);
    print_changes(old, new, noise);
    print_unmatched(old, new, selection, "only in the file");
    print_unmatched(new, old, selection, "only in this run");
}
