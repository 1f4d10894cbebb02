// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "twin.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- expressions --------------------------------------------------------------------------------

static const char *const names[] = {"Zero",      "Constant", "RadialHash", "PiecewiseBox", "Cross",
                                    "CrossHash", "Table",    "Noise",      "Biome"};

static bool is_named(const char *text, const char *name)
{
    const size_t length = strcspn(text, "[ +");
    return strlen(name) == length && memcmp(text, name, length) == 0;
}

// the end of the first term of a sum: a plus sign outside brackets, or the end of the text
static const char *end_of_term(const char *text)
{
    int depth = 0;
    for (; *text && (*text != '+' || depth > 0); text++) depth += (*text == '[') - (*text == ']');
    return text;
}

// the name and all numbers after it; brackets, commas and the rows of tables can be ignored
static bool parse(twin_function *function, const char *text, const jbw_config *config)
{
    bool is_known = false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (!is_named(text, names[i])) continue;
        function->kind = (twin_kind)i;
        is_known = true;
    }
    for (size_t i = 0; i < config->intensity_function_count; i++) {
        if (!is_named(text, config->intensity_functions[i].name)) continue;
        function->kind = TWIN_CUSTOM;
        function->custom_intensity = &config->intensity_functions[i];
    }
    for (size_t i = 0; i < config->interaction_function_count; i++) {
        if (!is_named(text, config->interaction_functions[i].name)) continue;
        function->kind = TWIN_CUSTOM;
        function->custom_interaction = &config->interaction_functions[i];
    }
    if (!is_known && function->kind != TWIN_CUSTOM) return false;

    function->numbers = malloc((strlen(text) + 1) * sizeof *function->numbers);
    if (!function->numbers) return false;
    const char *at = text + strcspn(text, "[ +");
    const char *after = end_of_term(text);
    for (;;) {
        at += strspn(at, "[](), \n");
        if (at == after) break;
        if (strncmp(at, "never", 5) == 0) {
            function->numbers[function->number_count++] = -INFINITY;
            at += 5;
            continue;
        }
        char *end;
        function->numbers[function->number_count++] = strtod(at, &end);
        if (end == at) return false;
        at = end;
    }
    if (!*after) return true;
    function->next = calloc(1, sizeof *function->next);
    return function->next && parse(function->next, after + 1 + strspn(after + 1, " \n"), config);
}

static void release(twin_function *function)
{
    for (twin_function *term = function->next; term;) {
        twin_function *next = term->next;
        free(term->numbers);
        free(term);
        term = next;
    }
    free(function->numbers);
}

static int find_type(const jbw_config *config, const char *name)
{
    for (size_t t = 0; t < config->item_count; t++)
        if (strcmp(config->items[t].name, name) == 0) return (int)t;
    return -1;
}

bool twin_law_init(twin_law *law, const jbw_config *config)
{
    const size_t types = config->item_count;
    law->type_count = (int)types;
    law->seed = 0;
    law->intensities = calloc(types + 1, sizeof *law->intensities);
    law->interactions = calloc(types * types + 1, sizeof *law->interactions);
    if (!law->intensities || !law->interactions) return false;

    for (size_t t = 0; t < types; t++) {
        const jbw_item_type *item = &config->items[t];
        twin_function *f = &law->intensities[t];
        if (item->intensity && !parse(f, item->intensity, config)) return false;
        for (size_t i = 0; i < item->interaction_count; i++) {
            const int other = find_type(config, item->interactions[i].item);
            if (other < 0) return false;
            twin_function *g = &law->interactions[t * types + (size_t)other];
            if (!parse(g, item->interactions[i].expression, config)) return false;
        }
    }
    return true;
}

void twin_law_deinit(twin_law *law)
{
    const size_t types = (size_t)law->type_count;
    if (law->intensities)
        for (size_t t = 0; t < types; t++) release(&law->intensities[t]);
    if (law->interactions)
        for (size_t t = 0; t < types * types; t++) release(&law->interactions[t]);
    free(law->intensities);
    free(law->interactions);
}

// --- functions ----------------------------------------------------------------------------------

uint32_t twin_murmur(uint32_t h)
{
    h ^= h >> 16;
    h *= 0x85ebca6bu;
    h ^= h >> 13;
    h *= 0xc2b2ae35u;
    h ^= h >> 16;
    return h;
}

// the paper's M of an integer modulo 2^32, scaled to 0 to 1
static double unit_hash(double whole)
{
    double rest = fmod(whole, 4294967296.0);
    if (rest < 0) rest += 4294967296.0;
    return (double)twin_murmur((uint32_t)rest) / 4294967295.0;
}

// the paper's M-hat
static double smooth_hash(double t)
{
    const double floor_t = floor(t);
    const double fraction = t - floor_t;
    return (1 - fraction) * unit_hash(floor_t) + fraction * unit_hash(floor_t + 1);
}

static double cross(double inner, double outer, const double *values, double dx, double dy)
{
    const double d = fmin(fabs(dx), fabs(dy));
    const double distance = fmax(fabs(dx), fabs(dy));
    if (distance <= inner) return d == 0 ? values[0] : values[2];
    if (distance <= outer) return d == 0 ? values[1] : values[3];
    return 0;
}

static double intensity_term(const twin_function *f, uint64_t seed, twin_item item)
{
    const double *n = f->numbers;
    if (f->kind == TWIN_CONSTANT) return n[0];
    if (f->kind == TWIN_RADIAL_HASH) {
        const double x = (double)item.x;
        const double y = (double)item.y;
        return n[2] - n[3] * smooth_hash(sqrt(x * x + y * y) / n[1] + n[0]);
    }
    if (f->kind == TWIN_NOISE) {
        const double t = twin_noise(seed, (int64_t)n[0], (int64_t)n[1], item.x, item.y);
        return n[2] + (n[3] - n[2]) * (1 + t) / 2;
    }
    if (f->kind == TWIN_BIOME) {
        const double number = twin_biome(seed, (int64_t)n[0], (int64_t)n[1], item.x, item.y);
        double sum = n[2];
        size_t i = 2;
        for (; number >= sum && i + 2 < f->number_count; i += 2) sum += n[i + 2];
        return n[i + 1];
    }
    if (f->kind == TWIN_CUSTOM) {
        const jbw_intensity_function *custom = f->custom_intensity;
        return custom->value(n, (jbw_position){item.x, item.y}, custom->user);
    }
    return 0;
}

double twin_intensity(const twin_law *law, twin_item item)
{
    double sum = 0;
    for (const twin_function *f = &law->intensities[item.type]; f; f = f->next)
        sum += intensity_term(f, law->seed, item);
    return sum;
}

double twin_interaction(const twin_law *law, twin_item first, twin_item second)
{
    const twin_function *g = &law->interactions[first.type * law->type_count + second.type];
    const double *n = g->numbers;
    if (g->kind == TWIN_ZERO) return 0;
    const double dx = (double)(first.x - second.x);
    const double dy = (double)(first.y - second.y);

    if (g->kind == TWIN_PIECEWISE_BOX) {
        const double d = dx * dx + dy * dy;
        if (d < n[0]) return n[2];
        if (d < n[1]) return n[3];
        return 0;
    }
    if (g->kind == TWIN_CROSS) return cross(n[0], n[1], n + 2, dx, dy);
    if (g->kind == TWIN_CROSS_HASH) {
        const double inner = n[1] + n[2] * smooth_hash((double)first.x / n[0]);
        return cross(inner, inner + n[3], n + 4, dx, dy);
    }
    if (g->kind == TWIN_TABLE) {
        // the second item is at the centre of the table, the first one selects the value; the first
        // row is the top one
        const double side = round(sqrt((double)g->number_count));
        const double reach = (side - 1) / 2;
        if (fmax(fabs(dx), fabs(dy)) > reach) return 0;
        return n[(size_t)((reach - dy) * side + reach + dx)];
    }
    if (g->kind == TWIN_CUSTOM) {
        const jbw_interaction_function *custom = g->custom_interaction;
        int reach = custom->reach;
        double largest;
        if (custom->bounds) custom->bounds(n, custom->user, &reach, &largest);
        if (fmax(fabs(dx), fabs(dy)) > reach) return 0;
        return custom->value(n, (jbw_position){first.x, first.y},
                             (jbw_position){second.x, second.y}, custom->user);
    }
    return 0;
}

double twin_energy(const twin_law *law, const twin_item *items, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += twin_intensity(law, items[i]);
        for (size_t j = 0; j < count; j++)
            if (j != i) sum += twin_interaction(law, items[i], items[j]);
    }
    return sum;
}

// --- random numbers: O'Neill's PCG, 32 bits at a time -------------------------------------------

static uint32_t next_random(twin_world *world)
{
    const uint64_t old = world->random;
    world->random = old * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    const uint32_t shifted = (uint32_t)(((old >> 18) ^ old) >> 27);
    const uint32_t turn = (uint32_t)(old >> 59);
    return (shifted >> turn) | (shifted << ((32 - turn) & 31));
}

// in (0, 1), excluding 0, which has no logarithm
static double random_unit(twin_world *world)
{
    const double high = next_random(world);
    const double low = next_random(world);
    return (high + (low + 0.5) / 4294967296.0) / 4294967296.0;
}

static size_t random_below(twin_world *world, size_t bound)
{
    return (size_t)(random_unit(world) * (double)bound);
}

// --- sampling -----------------------------------------------------------------------------------

static twin_patch *find_patch(const twin_world *world, int64_t x, int64_t y)
{
    for (size_t i = 0; i < world->patch_count; i++)
        if (world->patches[i]->x == x && world->patches[i]->y == y) return world->patches[i];
    return NULL;
}

// the increase of the exponent when an item joins all others around it
static double energy_of(const twin_world *world, const twin_patch *patch, twin_item item)
{
    const twin_law *law = &world->law;
    double sum = twin_intensity(law, item);
    for (int64_t y = patch->y - 1; y <= patch->y + 1; y++) {
        for (int64_t x = patch->x - 1; x <= patch->x + 1; x++) {
            const twin_patch *near = find_patch(world, x, y);
            for (size_t i = 0; near && i < near->count; i++) {
                const twin_item other = near->items[i];
                if (other.x == item.x && other.y == item.y) continue; // itself
                if (law->interactions[item.type * law->type_count + other.type].kind)
                    sum += twin_interaction(law, item, other);
                if (law->interactions[other.type * law->type_count + item.type].kind)
                    sum += twin_interaction(law, other, item);
            }
        }
    }
    return sum;
}

static void propose(twin_world *world, twin_patch *patch)
{
    const size_t side = (size_t)world->patch_size;
    const double choices = (double)(side * side) * world->law.type_count;
    world->proposal_count++;

    if (random_unit(world) < 0.5) { // add
        const size_t cell_x = random_below(world, side);
        const size_t cell_y = random_below(world, side);
        const twin_item item = {patch->x * world->patch_size + (int64_t)cell_x,
                                patch->y * world->patch_size + (int64_t)cell_y,
                                (int)random_below(world, (size_t)world->law.type_count)};
        for (size_t i = 0; i < patch->count; i++)
            if (patch->items[i].x == item.x && patch->items[i].y == item.y) return;

        const double m = (double)patch->count;
        const double log_ratio = energy_of(world, patch, item) + log(choices / (m + 1));
        if (log(random_unit(world)) >= log_ratio) return;
        patch->items[patch->count++] = item;
    } else { // remove
        if (patch->count == 0) return;
        const size_t i = random_below(world, patch->count);
        const double m = (double)patch->count;
        const double log_ratio = log(m / choices) - energy_of(world, patch, patch->items[i]);
        if (log(random_unit(world)) >= log_ratio) return;
        patch->items[i] = patch->items[--patch->count];
    }
    world->accepted_count++;
}

// --- worlds ---------------------------------------------------------------------------------

twin_world *twin_world_create(const jbw_config *config, uint64_t seed)
{
    twin_world *world = calloc(1, sizeof *world);
    if (!world) return NULL;
    world->patch_size = config->patch_size;
    world->mh_iterations = config->mh_iterations;
    if (!twin_law_init(&world->law, config)) {
        twin_world_destroy(world);
        return NULL;
    }
    world->law.seed = seed;
    world->random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    for (int i = 0; i < 8; i++) next_random(world);
    return world;
}

void twin_world_destroy(twin_world *world)
{
    if (!world) return;
    for (size_t i = 0; i < world->patch_count; i++) {
        free(world->patches[i]->items);
        free(world->patches[i]);
    }
    free(world->patches);
    twin_law_deinit(&world->law);
    free(world);
}

// a new patch starts with the items of a random one of the first `old_count` patches
static twin_patch *create_patch(twin_world *world, int64_t x, int64_t y, size_t old_count)
{
    twin_patch **patches =
        realloc(world->patches, (world->patch_count + 1) * sizeof *world->patches);
    if (!patches) return NULL;
    world->patches = patches;
    const size_t side = (size_t)world->patch_size;
    twin_patch *patch = calloc(1, sizeof *patch);
    if (!patch) return NULL;
    patches[world->patch_count++] = patch;
    patch->x = x;
    patch->y = y;
    patch->items = malloc(side * side * sizeof *patch->items);
    if (!patch->items) return NULL;
    if (old_count == 0) return patch;

    const twin_patch *old = patches[random_below(world, old_count)];
    for (size_t i = 0; i < old->count; i++) {
        patch->items[i] = old->items[i];
        patch->items[i].x += (x - old->x) * world->patch_size;
        patch->items[i].y += (y - old->y) * world->patch_size;
    }
    patch->count = old->count;
    return patch;
}

static int64_t floor_divide(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

static int compare_places(const void *a, const void *b)
{
    const jbw_position *p = a;
    const jbw_position *q = b;
    if (p->y != q->y) return p->y < q->y ? -1 : 1;
    return (p->x > q->x) - (p->x < q->x);
}

static void add_place(jbw_position *places, size_t *count, int64_t x, int64_t y)
{
    for (size_t i = 0; i < *count; i++)
        if (places[i].x == x && places[i].y == y) return;
    places[(*count)++] = (jbw_position){x, y};
}

static bool is_final(const twin_world *world, int64_t x, int64_t y)
{
    const twin_patch *patch = find_patch(world, x, y);
    return patch && patch->is_final;
}

static bool sample(twin_world *world, const jbw_position *needed, size_t needed_count)
{
    // the needed patches and those neighbours that are not final, by row, then column
    jbw_position *places = malloc(9 * needed_count * sizeof *places);
    twin_patch **sampled = malloc(9 * needed_count * sizeof *sampled);
    size_t count = 0;
    bool ok = places && sampled;
    for (size_t i = 0; ok && i < needed_count; i++)
        for (int64_t y = needed[i].y - 1; y <= needed[i].y + 1; y++)
            for (int64_t x = needed[i].x - 1; x <= needed[i].x + 1; x++)
                if (!is_final(world, x, y)) add_place(places, &count, x, y);
    if (ok) qsort(places, count, sizeof *places, compare_places);

    const size_t old_count = world->patch_count;
    for (size_t i = 0; ok && i < count; i++) {
        sampled[i] = find_patch(world, places[i].x, places[i].y);
        if (!sampled[i]) sampled[i] = create_patch(world, places[i].x, places[i].y, old_count);
        ok = sampled[i] != NULL;
    }

    if (ok) {
        for (int round = 0; round < world->mh_iterations; round++)
            for (size_t i = 0; i < count; i++) propose(world, sampled[i]);
        for (size_t i = 0; i < needed_count; i++)
            find_patch(world, needed[i].x, needed[i].y)->is_final = true;
    }
    free(places);
    free(sampled);
    return ok;
}

bool twin_world_explore(twin_world *world, const jbw_position *cells, size_t count)
{
    // the patches around each agent that are not final yet
    const int64_t size = world->patch_size;
    jbw_position *needed = malloc((4 * count + 1) * sizeof *needed);
    if (!needed) return false;
    size_t needed_count = 0;
    for (size_t i = 0; i < count; i++) {
        const int64_t left = cells[i].x - size / 2;
        const int64_t low = cells[i].y - size / 2;
        for (int64_t y = floor_divide(low, size); y <= floor_divide(low + size - 1, size); y++)
            for (int64_t x = floor_divide(left, size); x <= floor_divide(left + size - 1, size);
                 x++)
                if (!is_final(world, x, y)) add_place(needed, &needed_count, x, y);
    }
    const bool ok = needed_count == 0 || sample(world, needed, needed_count);
    free(needed);
    return ok;
}

const twin_patch *twin_world_patch(const twin_world *world, int64_t x, int64_t y)
{
    return find_patch(world, x, y);
}

size_t twin_world_item_count(const twin_world *world, int type)
{
    size_t sum = 0;
    for (size_t p = 0; p < world->patch_count; p++) {
        const twin_patch *patch = world->patches[p];
        for (size_t i = 0; patch->is_final && i < patch->count; i++)
            sum += type < 0 || patch->items[i].type == type;
    }
    return sum;
}
