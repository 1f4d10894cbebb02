// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Whether seams are visible in a map: densities and pairs at the lines of each lattice that
/// generation uses, and waves of the density with their periods (support/seams.h).
///
///     test_seams                         a small sample: `invariant` passes, `frontier` does not
///     test_seams --world NAME [--worlds N] [--side CELLS] [--seed N] [--frontier] [--rare]
///     test_seams --world NAME ... --first
///     test_seams --world NAME ... --fold TYPE
///
/// The second form prints a table of all figures with their errors. A figure is bad if it exceeds
/// its limit by more than three standard errors. Types with few items are left out, unless --rare
/// is given. It also compares densities with those of large windows that are generated from the
/// same noise in one piece. A world whose distribution depends on the position is uneven by itself;
/// there all figures are relative to those of that window.
///
/// The third form measures only types that come first. They do not change after the first slice of
/// the others, so generation stops there, and many more worlds are possible; for the first world it
/// checks that they equal those of the map.
///
/// The last form prints how many items of a type there are in each cell of a patch, summed over all
/// patches, one row per line, the lowest first; docs/pictures/fold.py draws that.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jbw/jbw.h"
#include "sim/generate/frontier/frontier.h"
#include "sim/generate/invariant/block_builder.h"
#include "sim/generate/invariant/dynamics.h"
#include "sim/generate/invariant/invariant.h"
#include "support/plain_checks.h"
#include "support/seams.h"

enum { MAX_WORLDS = 4000, FEW = 5, WINDOW_MARGIN = 128 };

typedef struct settings {
    const char *world;
    int worlds;
    int side;
    uint64_t seed;
    bool is_frontier;
    bool is_first; // only types that come first
    bool has_rare; // types with few items, too
    bool is_quiet;
    const char *folded; // a type's name, or NULL
} settings;

// --- squares of cells --------------------------------------------------------------------------

// generates a patch; `source` is what it comes from
typedef jbw_status make_patch(void *source, jbw_position patch, uint8_t *cells);

static jbw_status make_invariant(void *source, jbw_position patch, uint8_t *cells)
{
    return jbw_invariant_make(source, patch, cells);
}

typedef struct frontier_source {
    jbw_frontier frontier;
    jbw_map map;
    uint64_t seed;
} frontier_source;

static jbw_status make_frontier(void *source, jbw_position patch, uint8_t *cells)
{
    frontier_source *s = source;
    const jbw_status status = jbw_frontier_finalize(&s->frontier, &s->map, s->seed, patch);
    if (status) return status;
    const jbw_patch *made = jbw_map_find(&s->map, patch);
    check(made && made->cells, "a final patch is missing");
    memcpy(cells, made->cells, (size_t)s->map.model->patch_cells);
    return JBW_OK;
}

static void fill(const jbw_model *model, make_patch *make, void *source, int side, uint8_t *cells)
{
    const int size = model->patch_size;
    uint8_t *patch = malloc((size_t)model->patch_cells);
    if (!patch) fail("out of memory");
    for (int y = 0; y < side; y += size) {
        for (int x = 0; x < side; x += size) {
            check(make(source, (jbw_position){x / size, y / size}, patch) == JBW_OK,
                  "out of memory");
            for (int row = 0; row < size && y + row < side; row++)
                memcpy(cells + (size_t)(y + row) * (size_t)side + x,
                       patch + (size_t)row * (size_t)size,
                       (size_t)(x + size <= side ? size : side - x));
        }
    }
    free(patch);
}

static void fill_world(const settings *s, const jbw_model *model, uint64_t seed, uint8_t *cells)
{
    if (s->is_frontier) {
        frontier_source source = {.seed = seed};
        jbw_frontier_init(&source.frontier, model);
        jbw_map_init(&source.map, model);
        fill(model, make_frontier, &source, s->side, cells);
        jbw_map_deinit(&source.map);
        jbw_frontier_deinit(&source.frontier);
        return;
    }
    jbw_invariant *invariant;
    check(jbw_invariant_create(model, seed, (size_t)1 << 26, &invariant) == JBW_OK,
          "out of memory");
    fill(model, make_invariant, invariant, s->side, cells);
    jbw_invariant_destroy(invariant);
}

// the types that come first, as they are when the others begin; those are left out
static void fill_first(const jbw_model *model, uint64_t seed, int side, uint8_t *cells)
{
    jbw_invariant_plan plan;
    jbw_block_builder blocks;
    check(jbw_invariant_plan_init(&plan, model, seed), "out of memory");
    check(plan.first_stage == 0, "no type comes first");
    for (int t = 0; t < model->type_count; t++)
        if (plan.types[t].role != JBW_ROLE_FIRST) plan.types[t].role = JBW_ROLE_INDEPENDENT;
    plan.stage_count = 2;
    plan.stages[1].end_slice = plan.stages[1].first_slice + 1;
    check(jbw_block_builder_init(&blocks, &plan, seed, (size_t)1 << 26), "out of memory");
    jbw_block_worker *worker = jbw_block_builder_add_worker(&blocks, false);
    const jbw_region square = {0, 0, side, side};
    check(worker && jbw_block_builder_load(&blocks, worker, square, cells), "out of memory");
    jbw_block_builder_deinit(&blocks);
    jbw_invariant_plan_deinit(&plan);
}

// the same square from one large window
static void fill_window(const jbw_model *model, uint64_t seed, int side, uint8_t *cells)
{
    jbw_invariant_plan plan;
    jbw_dynamics dynamics;
    check(jbw_invariant_plan_init(&plan, model, seed), "out of memory");
    const jbw_invariant_stage whole = {.side = side,
                                       .end_slice = plan.stages[JBW_STAGES - 1].end_slice,
                                       .first_margin = WINDOW_MARGIN,
                                       .last_margin = WINDOW_MARGIN};
    plan.most_side = side + 2 * WINDOW_MARGIN;
    check(jbw_dynamics_init(&dynamics, &plan, seed), "out of memory");
    jbw_workspace_begin(&dynamics.workspace, (jbw_position){-WINDOW_MARGIN, -WINDOW_MARGIN},
                        plan.most_side, JBW_SCOPE_ALL);
    if (plan.first_stage == 0) {
        jbw_invariant_stage first = plan.stages[0];
        first.first_margin = first.last_margin = WINDOW_MARGIN;
        check(jbw_dynamics_run(&dynamics, &first), "out of memory");
    }
    check(jbw_dynamics_run(&dynamics, &whole), "out of memory");
    const jbw_workspace *workspace = &dynamics.workspace;
    for (int y = 0; y < side; y++) {
        uint8_t *row = cells + (size_t)y * (size_t)side;
        memcpy(row,
               workspace->cells + (ptrdiff_t)(y + WINDOW_MARGIN) * workspace->window.width -
                   workspace->window.origin.x,
               (size_t)side);
        jbw_independent_types_fill(&plan.independent_types, seed, (jbw_position){0, y}, side, row);
    }
    jbw_dynamics_deinit(&dynamics);
    jbw_invariant_plan_deinit(&plan);
}

// --- judging ------------------------------------------------------------------------------------

typedef struct verdict {
    int bad;
    double largest; // the largest deviation, relative to its limit
    bool is_quiet;
} verdict;

static void judge(verdict *v, const char *type, const char *lattice, const char *what,
                  seams_figure figure, double expected, double allowed)
{
    const double off = fabs(figure.value - expected);
    const bool is_bad = off > allowed + 3.0 * figure.error;
    if (off / allowed > v->largest) v->largest = off / allowed;
    v->bad += is_bad;
    if (!v->is_quiet)
        printf("%-10s %-14s %-8s %7.4f +- %.4f%s%s\n", type, lattice, what, figure.value,
               figure.error, off > allowed ? "  off" : "", is_bad ? " BAD" : "");
}

// the ratio of two sums over worlds, and its error by leaving out one world at a time
static seams_figure ratio_of_sums(const double *above, const double *below, int count)
{
    double a = 0;
    double b = 0;
    for (int i = 0; i < count; i++) a += above[i], b += below[i];
    const double ratio = b > 0 ? a / b : 1.0;
    double squares = 0;
    for (int i = 0; i < count; i++) {
        const double without = b > below[i] ? (a - above[i]) / (b - below[i]) : ratio;
        squares += (without - ratio) * (without - ratio);
    }
    return (seams_figure){.value = ratio, .error = sqrt(squares * (count - 1) / count)};
}

// whether the distribution of a world is the same everywhere
static bool is_even(const jbw_model *model)
{
    for (int t = 0; t < model->type_count; t++) {
        if (!model->scales[t].has_constant_intensity) return false;
        for (int k = 0; k < model->items[t].kernel_count; k++)
            if (model->items[t].kernels[k].kind != JBW_KERNEL_TABLE) return false;
    }
    return true;
}

/// Squares of cells of all worlds: those of the map, and those of one large window from the same
/// noise.
typedef struct sample {
    const jbw_model *model;
    int worlds;
    int side;
    size_t cell_count; // of a square
    uint8_t *cells;    // (worlds x side x side)
    uint8_t *windows;  // the same; or NULL
    seams_sums *sums;  // (worlds)
    seams_sums *beside;
} sample;

static sample take_sample(const settings *s, const jbw_model *model)
{
    sample all = {.model = model, .worlds = s->worlds, .side = s->side};
    const size_t worlds = (size_t)s->worlds;
    all.cell_count = (size_t)s->side * (size_t)s->side;
    all.cells = malloc(all.cell_count * worlds);
    all.sums = calloc(worlds, sizeof *all.sums);
    all.beside = calloc(worlds, sizeof *all.beside);
    const bool has_windows = !s->is_frontier && !s->is_first;
    if (has_windows) all.windows = malloc(all.cell_count * worlds);
    check(all.cells && all.sums && all.beside && (all.windows || !has_windows), "out of memory");
    for (size_t w = 0; w < worlds; w++) {
        if (s->is_first)
            fill_first(model, s->seed + w, s->side, all.cells + all.cell_count * w);
        else
            fill_world(s, model, s->seed + w, all.cells + all.cell_count * w);
        if (all.windows) fill_window(model, s->seed + w, s->side, all.windows + all.cell_count * w);
    }
    return all;
}

static void check_first(const settings *s, const sample *all)
{
    jbw_invariant_plan plan;
    uint8_t *map = malloc(all->cell_count);
    if (!map) fail("out of memory");
    check(jbw_invariant_plan_init(&plan, all->model, s->seed), "out of memory");
    fill_world(s, all->model, s->seed, map);
    for (size_t i = 0; i < all->cell_count; i++) {
        const bool is_first = map[i] != 0 && plan.types[map[i] - 1].role == JBW_ROLE_FIRST;
        check(all->cells[i] == (is_first ? map[i] : 0),
              "types that come first differ from those of the map");
    }
    jbw_invariant_plan_deinit(&plan);
    free(map);
}

static void free_sample(sample *all)
{
    free(all->beside);
    free(all->sums);
    free(all->windows);
    free(all->cells);
}

static double count_type(const uint8_t *cells, size_t count, int type)
{
    double found = 0;
    for (size_t i = 0; i < count; i++) found += cells[i] == type + 1;
    return found;
}

// Measures all worlds; returns the figures of the windows if those of the map are relative to them.
// `cuts` are those of all worlds, or NULL.
static const seams_sums *measure_all(const sample *all, int type, seams_lattice lattice,
                                     double *const *cuts)
{
    const bool has_windows = all->windows && !is_even(all->model);
    for (int w = 0; w < all->worlds; w++) {
        const size_t from = all->cell_count * (size_t)w;
        all->sums[w] =
            seams_measure(all->cells + from, all->side, type, lattice, cuts ? cuts[w] : NULL);
        if (has_windows)
            all->beside[w] = seams_measure(all->windows + from, all->side, type, lattice,
                                           cuts ? cuts[MAX_WORLDS + w] : NULL);
    }
    return has_windows ? all->beside : NULL;
}

static void find_cuts(const sample *all, int type, double *cuts[2 * MAX_WORLDS])
{
    for (int w = 0; w < all->worlds; w++) {
        const size_t from = all->cell_count * (size_t)w;
        cuts[w] = seams_cuts(all->cells + from, all->side, type);
        if (all->windows && !is_even(all->model))
            cuts[MAX_WORLDS + w] = seams_cuts(all->windows + from, all->side, type);
    }
}

static void judge_type(verdict *v, const sample *all, int t)
{
    const seams_lattice lattices[] = {{"patch", all->model->patch_size, 0},
                                      {"128", 128, 0},
                                      {"128 shifted", 128, 64},   // blocks of the last stage
                                      {"256", 256, 0},            // of stage 1, in some worlds
                                      {"384 shifted", 384, 192},  // of stage 1, in others
                                      {"256 shifted", 256, 128}}; // of stages 0 and 2
    const seams_lattice waves[] = {{"8", 8, 0},
                                   {"16", 16, 0},
                                   {"32", 32, 0},
                                   {"64", 64, 0},
                                   {"128", 128, 0},
                                   {"256", 256, 0},
                                   {"patch", all->model->patch_size, 0}};
    const char *name = all->model->items[t].name;
    const size_t worlds = (size_t)all->worlds;
    double *cuts[2 * MAX_WORLDS] = {NULL};
    find_cuts(all, t, cuts);
    for (size_t i = 0; i < sizeof lattices / sizeof lattices[0]; i++) {
        const seams_sums *beside = measure_all(all, t, lattices[i], cuts);
        judge(v, name, lattices[i].name, "density", seams_density(all->sums, beside, worlds), 1.0,
              0.02);
        judge(v, name, lattices[i].name, "pairs", seams_pairs(all->sums, beside, worlds), 1.0,
              0.03);
    }
    for (size_t i = 0; i < 2 * MAX_WORLDS; i++) free(cuts[i]);
    for (size_t i = 0; i < sizeof waves / sizeof waves[0]; i++) {
        const seams_sums *beside = measure_all(all, t, waves[i], NULL);
        judge(v, name, waves[i].name, "wave", seams_wave(all->sums, beside, worlds), 0.0, 0.02);
    }
    if (!all->windows || all->model->scales[t].unit == 0.0) return;
    double above[MAX_WORLDS];
    double below[MAX_WORLDS];
    for (size_t w = 0; w < worlds; w++) {
        above[w] = count_type(all->cells + all->cell_count * w, all->cell_count, t);
        below[w] = count_type(all->windows + all->cell_count * w, all->cell_count, t);
    }
    judge(v, name, "one window", "density", ratio_of_sums(above, below, all->worlds), 1.0, 0.01);
}

static verdict measure(const settings *s)
{
    jbw_model *model = read_model(s->world);
    sample all = take_sample(s, model);
    if (s->is_first) check_first(s, &all);
    const size_t total = all.cell_count * (size_t)all.worlds;
    verdict v = {.is_quiet = s->is_quiet};
    for (int t = 0; t < model->type_count; t++) {
        const double per_patch =
            count_type(all.cells, total, t) * model->patch_cells / (double)total;
        if (!s->is_quiet) printf("%-10s %.2f items per patch\n", model->items[t].name, per_patch);
        if (per_patch > FEW || (s->has_rare && per_patch > 0.0)) judge_type(&v, &all, t);
    }
    size_t different = 0;
    for (size_t i = 0; i < total && all.windows; i++) different += all.cells[i] != all.windows[i];
    if (!s->is_quiet && all.windows)
        printf("cells that differ from one window: %.5f\n", (double)different / (double)total);
    free_sample(&all);
    jbw_model_destroy(model);
    return v;
}

static void print_fold(const settings *s)
{
    jbw_model *model = read_model(s->world);
    const int size = model->patch_size;
    uint8_t *cells = malloc((size_t)s->side * (size_t)s->side);
    long *folded = calloc((size_t)model->patch_cells, sizeof *folded);
    check(cells && folded, "out of memory");
    for (int w = 0; w < s->worlds; w++) {
        fill_world(s, model, s->seed + (uint64_t)w, cells);
        for (int y = 0; y < s->side; y++) {
            for (int x = 0; x < s->side; x++) {
                const int cell = cells[(size_t)y * (size_t)s->side + (size_t)x];
                if (cell > 0 && strcmp(model->items[cell - 1].name, s->folded) == 0)
                    folded[y % size * size + x % size]++;
            }
        }
    }
    for (int i = 0; i < model->patch_cells; i++)
        printf("%ld%c", folded[i], i % size == size - 1 ? '\n' : ' ');
    free(folded);
    free(cells);
    jbw_model_destroy(model);
}

static int run_short(void)
{
    settings s = {.world = "scent", .worlds = 8, .side = 512, .seed = 1, .is_quiet = true};
    const verdict good = measure(&s);
    printf("invariant: %d bad figures, the largest is %.2f of its limit\n", good.bad, good.largest);
    s.is_frontier = true;
    s.worlds = 4;
    const verdict bad = measure(&s);
    printf("frontier: %d bad figures, the largest is %.2f of its limit\n", bad.bad, bad.largest);
    return good.bad == 0 && bad.bad > 0 ? 0 : 1;
}

static int usage(const char *name)
{
    fprintf(stderr,
            "usage: %s [--world NAME] [--worlds N] [--side CELLS] [--seed N] [--frontier] [--rare] "
            "[--first | --fold TYPE]\n",
            name);
    return 2;
}

int main(int argc, char **argv)
{
    settings s = {.worlds = 20, .side = 1024, .seed = 1};
    for (int i = 1; i < argc; i++) {
        const bool has_value = i + 1 < argc;
        if (strcmp(argv[i], "--frontier") == 0)
            s.is_frontier = true;
        else if (strcmp(argv[i], "--first") == 0)
            s.is_first = true;
        else if (strcmp(argv[i], "--rare") == 0)
            s.has_rare = true;
        else if (strcmp(argv[i], "--world") == 0 && has_value)
            s.world = argv[++i];
        else if (strcmp(argv[i], "--worlds") == 0 && has_value)
            s.worlds = (int)strtol(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--side") == 0 && has_value)
            s.side = (int)strtol(argv[++i], NULL, 10);
        else if (strcmp(argv[i], "--fold") == 0 && has_value)
            s.folded = argv[++i];
        else if (strcmp(argv[i], "--seed") == 0 && has_value)
            s.seed = strtoull(argv[++i], NULL, 10);
        else
            return usage(argv[0]);
    }
    if (!s.world) return run_short();
    if (s.worlds < 2 || s.worlds > MAX_WORLDS || s.side < 256 || s.side > 4096 ||
        (s.is_first && s.is_frontier))
        return usage(argv[0]);
    if (s.folded) {
        print_fold(&s);
        return 0;
    }
    const verdict v = measure(&s);
    printf("%d bad figures\n", v.bad);
    return v.bad > 0;
}
