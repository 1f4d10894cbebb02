// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The code of patches in an atlas: by hand, there and back for all kinds of patches, against a slow
/// reader that was written from the description, and damaged.
#include "support/checks.h"

#include "atlas/patch_code.h"
#include "support/random.h"

enum { MOST_CELLS = 70 * 70, ROOM = 3 * MOST_CELLS };

static void test_by_hand(void **state)
{
    (void)state;
    uint8_t out[64];
    const uint8_t plain[10] = {0};
    assert_int_equal(jbw_patch_encode(plain, 10, out), 2);
    assert_memory_equal(out, ((uint8_t[]){0, 0}), 2);

    // background 2; cells 1, 9 and 18 hold 0, 3 and 1: codes 0, 2 and 1 of two bits each
    uint8_t cells[20];
    memset(cells, 2, sizeof cells);
    cells[1] = 0, cells[9] = 3, cells[18] = 1;
    assert_int_equal(jbw_patch_encode(cells, 20, out), 2 + 1 + 3 + 1);
    assert_memory_equal(out, ((uint8_t[]){2, 2, 7, 2, 2, 4, 0 | 2 << 2 | 1 << 4}), 7);
    uint8_t again[20];
    memset(out + 7, 0, JBW_PATCH_CODE_SLACK);
    assert_true(jbw_patch_decode(out, 7, 20, 3, again));
    assert_memory_equal(cells, again, 20);
    assert_false(jbw_patch_decode(out, 7, 20, 2, again)); // there is no content 3
}

static int bit_at(const uint8_t *bytes, size_t bit)
{
    return bytes[bit / 8] >> bit % 8 & 1;
}

// the description in patch_code.h, bit by bit; false if there are too few or too many bytes
static bool read_slowly(const uint8_t *bytes, size_t size, size_t cell_count, uint8_t *cells)
{
    const size_t group_count = (cell_count + 7) / 8;
    const int background = bytes[0];
    const int width = bytes[1];
    for (size_t i = 0; i < cell_count; i++) cells[i] = (uint8_t)background;
    if (width == 0) return size == 2;
    size_t mask = 2 + (group_count + 7) / 8;
    size_t code = mask;
    for (size_t g = 0; g < group_count; g++) code += (size_t)bit_at(bytes + 2, g);
    size_t bit = 8 * code;
    for (size_t g = 0; g < group_count; g++) {
        if (!bit_at(bytes + 2, g)) continue;
        for (size_t i = 0; i < 8; i++) {
            if (!bit_at(bytes + mask, i)) continue;
            int content = 0;
            for (int b = 0; b < width; b++) content |= bit_at(bytes, bit++) << b;
            cells[8 * g + i] = (uint8_t)(content >= background ? content + 1 : content);
        }
        mask++;
    }
    return size == (bit + 7) / 8;
}

static size_t draw_patch(uint64_t *random, uint8_t *cells, int *largest)
{
    const int side = random_between(random, 1, 70);
    const size_t count = (size_t)side * (size_t)side;
    *largest =
        random_below(random, 3) ? random_between(random, 1, 7) : random_between(random, 1, 254);
    const int percent = random_below(random, 4) ? random_between(random, 0, 30) : 100;
    const int usual = random_between(random, 0, *largest);
    for (size_t i = 0; i < count; i++) {
        const int other = random_between(random, 0, *largest);
        cells[i] = (uint8_t)(random_chance(random, percent) ? other : usual);
    }
    return count;
}

static void test_there_and_back(void **state)
{
    (void)state;
    static uint8_t cells[MOST_CELLS];
    static uint8_t again[MOST_CELLS];
    static uint8_t slow[MOST_CELLS + 8];
    static uint8_t bytes[ROOM];
    uint64_t random = 1;
    for (int i = 0; i < 2000; i++) {
        int largest;
        const size_t count = draw_patch(&random, cells, &largest);
        const size_t size = jbw_patch_encode(cells, count, bytes);
        assert_true(size <= jbw_patch_code_most(count));
        memset(bytes + size, 255, JBW_PATCH_CODE_SLACK); // what is behind makes no difference
        assert_true(jbw_patch_decode(bytes, size, count, (unsigned)largest, again));
        assert_memory_equal(cells, again, count);
        assert_true(read_slowly(bytes, size, count, slow));
        assert_memory_equal(cells, slow, count);
        assert_false(jbw_patch_decode(bytes, size - 1, count, (unsigned)largest, again));
        assert_false(jbw_patch_decode(bytes, size + 1, count, (unsigned)largest, again));
    }
}

// damaged bytes are refused, or are the code of other cells that are allowed
static void test_damage(void **state)
{
    (void)state;
    static uint8_t cells[MOST_CELLS];
    static uint8_t again[MOST_CELLS];
    static uint8_t slow[MOST_CELLS + 8];
    static uint8_t bytes[ROOM];
    uint64_t random = 2;
    for (int i = 0; i < 20000; i++) {
        int largest;
        const size_t count = draw_patch(&random, cells, &largest);
        if (count > 400) continue;
        size_t size = jbw_patch_encode(cells, count, bytes);
        for (int j = random_between(&random, 1, 3); j > 0; j--)
            bytes[random_below(&random, (uint32_t)size)] ^=
                (uint8_t)(1u << random_below(&random, 8));
        if (random_below(&random, 4) == 0) size = random_below(&random, (uint32_t)size + 1);
        memset(bytes + size, 0, JBW_PATCH_CODE_SLACK);
        if (!jbw_patch_decode(bytes, size, count, (unsigned)largest, again)) continue;
        for (size_t k = 0; k < count; k++) assert_true(again[k] <= largest);
        assert_true(read_slowly(bytes, size, count, slow));
        assert_memory_equal(again, slow, count);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_by_hand),
        cmocka_unit_test(test_there_and_back),
        cmocka_unit_test(test_damage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
