// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Energies on the grid, compared with plain sums over all pairs of items: for patches of many
/// sizes in many arrangements, as items are added and removed, and from run to run.
#include "support/models.h"

#include "sim/generate/frontier/energy_grid.h"
#include "sim/model/config.h"
#include "sim/model/model.h"
#include "support/random.h"

enum { TYPES = 3, MOST_PATCHES = 64 };

typedef const char *const expressions[TYPES][TYPES];

// Values are multiples of a quarter, which fields represent exactly. The effects of C on A and B
// differ only by a factor, so they share a field; the others are tables and CrossHash, in one
// direction or both.
static expressions mixed = {
    {"PiecewiseBox[5, 20, 0.5, -0.75]", "CrossHash[3, 1, 3, -1, 0.25, -0.5, 2, 1.5]",
     "PiecewiseBox[9, 0, 0.5, 9]"},
    {"CrossHash[0.7, 0.5, 2, 2.5, -0.25, 1, 0.75, -3]", "Cross[1, 4, 1.25, -1, -0.75, 0.5]",
     "PiecewiseBox[9, 0, -1.5, 9]"},
    {NULL, NULL, "CrossHash[2, 0, 4, 0.5, 1, -1, 0.25, 0.5]"},
};

// more that could be shared than one type can read
static expressions alike = {
    {NULL, "PiecewiseBox[9, 0, 0.5, 9]", "PiecewiseBox[9, 0, -1.5, 9]"},
    {NULL, NULL, "PiecewiseBox[9, 0, 2, 9]"},
    {NULL, NULL, NULL},
};

typedef struct scene {
    const jbw_model *model;
    jbw_map map;
    jbw_energy_grid grid;
    uint64_t random;
} scene;

static uint32_t draw(scene *s, uint32_t bound)
{
    return random_below(&s->random, bound);
}

static jbw_model *make_model(int patch_size, expressions texts, bool force_fields,
                             jbw_coupling couplings[TYPES][TYPES], jbw_arena *arena)
{
    static const char *const names[TYPES] = {"A", "B", "C"};
    jbw_item_type items[TYPES];
    jbw_interaction interactions[TYPES][TYPES];
    for (int t = 0; t < TYPES; t++) {
        size_t count = 0;
        for (int u = 0; u < TYPES; u++)
            if (texts[t][u]) interactions[t][count++] = (jbw_interaction){names[u], texts[t][u]};
        items[t] = (jbw_item_type){.name = names[t],
                                   .intensity = "Zero",
                                   .interactions = interactions[t],
                                   .interaction_count = count};
    }
    const jbw_config config = small_config(patch_size, 1, items, TYPES);
    for (int t = 0; t < TYPES; t++)
        for (int u = 0; u < TYPES; u++)
            if (texts[t][u])
                assert_int_equal(jbw_config_compile_coupling(&config, texts[t][u], arena,
                                                             &couplings[t][u], NULL),
                                 JBW_OK);
    jbw_model *model;
    const jbw_model_options options = {.force_fields = force_fields};
    assert_int_equal(jbw_model_build(&config, options, &model, NULL), JBW_OK);
    return model;
}

// the patch at a position; a new one gets a few items
static jbw_patch *add_patch(scene *s, jbw_position at)
{
    jbw_patch *patch = jbw_map_find(&s->map, at);
    if (patch) return patch;
    patch = jbw_map_new_patch(&s->map, at, 1);
    assert_non_null(patch);
    assert_true(jbw_map_reserve(&s->map, 1));
    const uint32_t cells = (uint32_t)s->model->patch_cells;
    for (uint32_t i = 0; i < cells / 8 + 1; i++)
        patch->cells[draw(s, cells)] = (uint8_t)(1 + draw(s, TYPES));
    jbw_map_insert(&s->map, patch);
    return patch;
}

static double pair_sum(const scene *s, jbw_coupling couplings[TYPES][TYPES], int type,
                       jbw_position cell)
{
    const int size = s->model->patch_size;
    double sum = 0.0;
    for (int64_t y = cell.y - size; y <= cell.y + size; y++) {
        for (int64_t x = cell.x - size; x <= cell.x + size; x++) {
            int index;
            const jbw_patch *patch = jbw_map_find_cell(&s->map, (jbw_position){x, y}, &index);
            if (!patch || patch->cells[index] == 0 || (x == cell.x && y == cell.y)) continue;
            const int other = patch->cells[index] - 1;
            sum += jbw_coupling_value(&couplings[type][other], cell, (jbw_position){x, y}) +
                   jbw_coupling_value(&couplings[other][type], (jbw_position){x, y}, cell);
        }
    }
    return sum;
}

static double energy_at(const scene *s, const jbw_grid_patch *place, int type, int x, int y)
{
    const jbw_energy_scale *scale = &s->model->scales[type];
    const jbw_window *part = &place->part;
    const ptrdiff_t cell = (ptrdiff_t)y * part->stride + x;
    const jbw_plane *planes = s->model->planes;
    if (s->model->plane_count == 0)
        return scale->unit * (part->fields[cell + scale->field * part->field_stride] +
                              scale->shared_factor *
                                  part->fields[cell + scale->shared_field * part->field_stride]);
    const jbw_plane_sum *sum = &s->model->plane_sums[type];
    return scale->unit *
           ((double)sum->factors[0] * *jbw_plane_at(planes, sum->planes[0], part, x, y) +
            (double)sum->factors[1] * *jbw_plane_at(planes, sum->planes[1], part, x, y));
}

// some cells of each patch, including those at the border
static void check_energies(scene *s, jbw_coupling couplings[TYPES][TYPES])
{
    const int size = s->model->patch_size;
    for (size_t i = 0; i < s->grid.place_count; i++) {
        const jbw_grid_patch *place = &s->grid.places[i];
        for (int k = 0; k < 12; k++) {
            const int x = k % 3 == 0 ? 0 : k % 3 == 1 ? size - 1 : (int)draw(s, (uint32_t)size);
            const int y = (int)draw(s, (uint32_t)size);
            const int type = k % TYPES;
            const jbw_position cell = {place->part.origin.x + x, place->part.origin.y + y};
            const double expected = pair_sum(s, couplings, type, cell);
            const double found = energy_at(s, place, type, x, y);
            if (found != expected)
                fail_msg("size %d, patch (%d, %d), cell (%d, %d), type %d: %g, expected %g", size,
                         (int)place->patch->at.x, (int)place->patch->at.y, x, y, type, found,
                         expected);
        }
    }
}

static void change_items(scene *s)
{
    const uint32_t size = (uint32_t)s->model->patch_size;
    for (int i = 0; i < 60; i++) {
        const jbw_grid_patch *place = &s->grid.places[draw(s, (uint32_t)s->grid.place_count)];
        const uint32_t x = draw(s, size);
        const uint32_t y = draw(s, size);
        uint8_t *cell = &place->patch->cells[y * size + x];
        const bool is_empty = *cell == 0;
        const int type = is_empty ? (int)draw(s, TYPES) : *cell - 1;
        *cell = is_empty ? (uint8_t)(type + 1) : 0;
        jbw_energy_grid_stamp(s->model, place, type, (int)x, (int)y, is_empty ? 1 : -1);
    }
}

// one run: a rectangle of patches, with or without holes, or scattered patches
static void run_once(scene *s, jbw_coupling couplings[TYPES][TYPES], jbw_position first,
                     bool may_keep)
{
    jbw_patch *patches[MOST_PATCHES];
    size_t count = 0;
    const size_t first_new = s->map.patch_count;
    const uint32_t columns = 1 + draw(s, 4);
    const uint32_t rows = 1 + draw(s, 4);
    const int64_t spacing = draw(s, 4) == 0 ? 2 : 1;
    for (uint32_t y = 0; y < rows; y++)
        for (uint32_t x = 0; x < columns; x++)
            if (count == 0 || draw(s, 4) > 0)
                patches[count++] =
                    add_patch(s, (jbw_position){first.x + spacing * x, first.y + spacing * y});
    assert_true(jbw_energy_grid_reserve(&s->grid, count));
    jbw_energy_grid_prepare(&s->grid, &s->map, patches, count, may_keep, first_new);
    check_energies(s, couplings);
    change_items(s);
    check_energies(s, couplings);
}

// `plane_count`: what the model must have
static void check_runs(int patch_size, expressions texts, bool force_fields, int plane_count,
                       uint64_t seed)
{
    jbw_coupling couplings[TYPES][TYPES] = {0};
    jbw_arena arena = {0};
    jbw_model *model = make_model(patch_size, texts, force_fields, couplings, &arena);
    assert_int_equal(model->plane_count, plane_count);
    scene s = {.model = model, .random = seed};
    jbw_map_init(&s.map, model);
    jbw_energy_grid_init(&s.grid, model);
    jbw_position first = {-3, 5};
    for (int run = 0; run < 40; run++) {
        run_once(&s, couplings, first, run > 0 && run % 8 != 0);
        first.x += (int64_t)draw(&s, 5) - 2;
        first.y += (int64_t)draw(&s, 5) - 2;
        if (run % 16 == 15) first = (jbw_position){-(INT64_C(1) << 40), INT64_C(1) << 40};
    }
    jbw_energy_grid_deinit(&s.grid);
    jbw_map_deinit(&s.map);
    jbw_model_destroy(model);
    jbw_arena_deinit(&arena);
}

static void test_energies(void **state)
{
    (void)state;
    static const int sizes[] = {5, 6, 7, 8, 9, 12, 15, 16, 17, 24, 32};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        check_runs(sizes[i], mixed, true, 0, 7 * i);
        check_runs(sizes[i], mixed, false, 4, 7 * i);
        check_runs(sizes[i], alike, i % 2 == 0, i % 2 == 0 ? 0 : 4, 7 * i + 1);
    }
}

// fields that are split in two, by tables and by columns, and kernels of many widths
static void test_split_fields(void **state)
{
    (void)state;
    static expressions split = {
        {"Cross[4, 12, 2000, -2000, 0.25, -4000]", "PiecewiseBox[100, 200, -4000, 0.5]", NULL},
        {"PiecewiseBox[50, 290, 0.5, -4000]", "CrossHash[3, 2, 9, 2, 2000, -4000, -2000, 0.25]",
         "PiecewiseBox[2, 0, 0.5, 0]"},
        {NULL, NULL, "Cross[1, 20, 0.5, 0.25, 0.75, -0.25]"},
    };
    static expressions too_many = {
        {"Table[(100.25, 101, 103.25, 107, 112.25, 119, 127.25), "
         "(137, 148.25, 161, 175.25, 191, 208.25, 227), "
         "(247.25, 269, 292.25, 317, 343.25, 371, 400.25), "
         "(431, 463.25, 497, 0, 569, 607.25, 647), "
         "(688.25, 731, 775.25, 821, 868.25, 917, 967.25), "
         "(1019, 1072.25, 1127, 1183.25, 1241, 1300.25, 1361), "
         "(1423.25, 1487, 1552.25, 1619, 1687.25, 1757, 1828.25)]",
         NULL, NULL},
        {NULL, "PiecewiseBox[9, 20, 1, 0.5]", NULL},
        {NULL, NULL, NULL},
    };
    static const int sizes[] = {20, 33};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        check_runs(sizes[i], split, false, 5, 7 * i);
        check_runs(sizes[i], split, true, 0, 7 * i);
    }
    check_runs(8, too_many, false, 0, 1);
}

// planes that the same items change lie side by side
static void test_groups(void **state)
{
    (void)state;
    static expressions beside = {
        {"PiecewiseBox[10, 100, 0.25, -0.75]", "PiecewiseBox[10, 80, 0.5, -2]", NULL},
        {NULL, "PiecewiseBox[10, 100, 0, -0.75]", NULL},
        {NULL, NULL, "PiecewiseBox[5, 20, 1, -1]"},
    };
    static const int sizes[] = {10, 16, 23};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        check_runs(sizes[i], beside, false, 3, 7 * i);
    jbw_coupling couplings[TYPES][TYPES] = {0};
    jbw_arena arena = {0};
    jbw_model *model = make_model(10, beside, false, couplings, &arena);
    assert_int_equal(model->planes[0].size, 2);
    assert_int_equal(model->planes[1].size, 2);
    assert_int_equal(model->planes[2].size, 1);
    assert_int_equal(model->items[0].plane_kernel_count, 1);
    jbw_model_destroy(model);
    jbw_arena_deinit(&arena);
}

// tables whose rows above an item differ from those below
static void test_lopsided_tables(void **state)
{
    (void)state;
    static expressions lopsided = {
        {"PiecewiseBox[9, 20, 1, 0.5]",
         "Table[(0.25, 0, 1, 0, 0), (0, 2, 0, 0, 0), (1, 0, 0, 0.5, 0), (0, 0, 0, 0, 1), "
         "(3, 0, 0, 0, -0.5)]",
         NULL},
        {NULL, "Table[(1, 0, 0), (0, 0, 2), (3, 0, 0.5)]", NULL},
        {NULL, NULL, "Table[(1, 2, 0.5), (3, 0, 2), (1, 2, 0.5)]"},
    };
    static const int sizes[] = {7, 16, 33};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        check_runs(sizes[i], lopsided, false, 3, 7 * i);
    jbw_coupling couplings[TYPES][TYPES] = {0};
    jbw_arena arena = {0};
    jbw_model *model = make_model(16, lopsided, false, couplings, &arena);
    assert_false(model->items[1].plane_kernels[0].is_symmetric);
    assert_true(model->items[2].plane_kernels[0].is_symmetric);
    jbw_model_destroy(model);
    jbw_arena_deinit(&arena);
}

// a row of patches that is too wide for one window, and energies where two windows meet
static void test_wide_rows(void **state)
{
    (void)state;
    enum { SIZE = JBW_MAX_PATCH_SIZE, COUNT = 20 };
    jbw_coupling couplings[TYPES][TYPES] = {0};
    jbw_arena arena = {0};
    jbw_model *model = make_model(SIZE, mixed, false, couplings, &arena);
    scene s = {.model = model, .random = 1};
    jbw_map_init(&s.map, model);
    jbw_energy_grid_init(&s.grid, model);
    jbw_patch *patches[COUNT];
    for (int i = 0; i < COUNT; i++) patches[i] = add_patch(&s, (jbw_position){i, 0});
    assert_true(jbw_energy_grid_reserve(&s.grid, COUNT));
    jbw_energy_grid_prepare(&s.grid, &s.map, patches, COUNT, false, 0);
    assert_int_equal(s.grid.window_count, 2);
    int borders = 0;
    for (int i = 0; i < COUNT; i++) {
        const jbw_grid_patch *place = &s.grid.places[i];
        assert_true((SIZE - 1) * place->part.stride + SIZE <= 1 << JBW_GRID_CELL_BITS);
        if (i == 0 || place->window == place[-1].window) continue;
        borders++;
        for (int type = 0; type < TYPES; type++) {
            const jbw_position cell = {place->part.origin.x, place->part.origin.y + 99};
            assert_true(energy_at(&s, place, type, 0, 99) == pair_sum(&s, couplings, type, cell));
        }
    }
    assert_int_equal(borders, 1);
    jbw_energy_grid_deinit(&s.grid);
    jbw_map_deinit(&s.map);
    jbw_model_destroy(model);
    jbw_arena_deinit(&arena);
}

static void test_shared_fields(void **state)
{
    (void)state;
    jbw_coupling couplings[TYPES][TYPES] = {0};
    jbw_arena arena = {0};
    jbw_model *model = make_model(8, mixed, false, couplings, &arena);
    assert_int_equal(model->field_count, TYPES + 1);
    assert_int_equal(model->items[2].kernel_count, 2); // the shared one, and its own
    assert_int_equal(model->scales[0].shared_field, TYPES);
    assert_int_equal(model->scales[1].shared_field, TYPES);
    assert_true(model->scales[0].shared_factor != 0);
    assert_int_equal(model->scales[2].shared_factor, 0);
    jbw_model_destroy(model);
    jbw_arena_deinit(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_energies),  cmocka_unit_test(test_split_fields),
        cmocka_unit_test(test_groups),    cmocka_unit_test(test_lopsided_tables),
        cmocka_unit_test(test_wide_rows), cmocka_unit_test(test_shared_fields),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
