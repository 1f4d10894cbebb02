// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Snapshots in memory and in files: their contents, the errors of bad ones, and that the old ones
/// in tests/golden stay readable forever.
#include "support/models.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "io/store/snapshot_frame.h"
#include "jbw/agent.h"
#include "jbw/snapshot.h"
#include "support/allocations.h"
#include "support/files.h"
#include "support/golden_snapshots.h"
#include "support/golden_worlds.h"
#include "support/life.h"

#define FORMAT JBW_SOURCE_DIR "/docs/snapshot_format.md"

static jbw_model *model;
static jbw_world *world;

static int make_world(void **state)
{
    (void)state;
    const jbw_config config = life_small_config();
    uint64_t random = 3;
    return jbw_model_create(&config, &model, NULL) || jbw_world_create(model, 2, &world) ||
           !life_run(world, &random, 120);
}

static int free_world(void **state)
{
    (void)state;
    jbw_world_destroy(world);
    jbw_model_destroy(model);
    return 0;
}

static jbw_buffer encode(const jbw_note *notes, size_t note_count)
{
    jbw_buffer bytes = {0};
    assert_int_equal(jbw_snapshot_encode(world, notes, note_count, &bytes), JBW_OK);
    return bytes;
}

static jbw_loaded decode(const jbw_buffer *bytes)
{
    jbw_loaded loaded;
    jbw_error error;
    if (jbw_snapshot_decode(bytes->bytes, bytes->size, NULL, &loaded, &error))
        fail_msg("%s", error.text);
    return loaded;
}

static void assert_same(jbw_world *a, jbw_world *b)
{
    const life_view view_a = life_look(a);
    const life_view view_b = life_look(b);
    const char *difference = life_difference(&view_a, &view_b);
    if (difference) fail_msg("different in %s", difference);
}

static void test_memory(void **state)
{
    (void)state;
    jbw_buffer bytes = encode(NULL, 0);
    jbw_loaded loaded = decode(&bytes);
    assert_same(world, loaded.world);
    assert_int_equal(loaded.note_count, 0);

    // appended to what is in the buffer
    jbw_buffer more = {0};
    assert_true(jbw_buffer_append(&more, "abc", 3));
    assert_int_equal(jbw_snapshot_encode(world, NULL, 0, &more), JBW_OK);
    assert_int_equal(more.size, bytes.size + 3);
    assert_memory_equal(more.bytes + 3, bytes.bytes, bytes.size);
    jbw_buffer_free(&more);

    // what the caller takes stays
    jbw_model *kept_model = loaded.model;
    jbw_world *kept_world = loaded.world;
    loaded.model = NULL;
    loaded.world = NULL;
    jbw_loaded_free(&loaded);
    assert_int_equal(jbw_world_hash(kept_world), jbw_world_hash(world));
    jbw_world_destroy(kept_world);
    jbw_model_destroy(kept_model);
    jbw_buffer_free(&bytes);
    jbw_loaded_free(&(jbw_loaded){0});
}

// ---- notes ----

static void test_notes(void **state)
{
    (void)state;
    const jbw_note notes[] = {
        {"reward", "Collect[Apple]", 14}, {"a.B-c_9", "\0\1\2", 3}, {"empty", NULL, 0}};
    jbw_buffer bytes = encode(notes, 3);
    jbw_loaded loaded = decode(&bytes);
    assert_int_equal(loaded.note_count, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_string_equal(loaded.notes[i].name, notes[i].name);
        assert_int_equal(loaded.notes[i].size, notes[i].size);
        if (notes[i].size)
            assert_memory_equal(loaded.notes[i].bytes, notes[i].bytes, notes[i].size);
        assert_ptr_equal(jbw_loaded_note(&loaded, notes[i].name), &loaded.notes[i]);
        // a zero follows the bytes, so a text can be used as it is
        assert_int_equal(((const char *)loaded.notes[i].bytes)[notes[i].size], 0);
    }
    assert_null(jbw_loaded_note(&loaded, "other"));
    assert_same(world, loaded.world);
    jbw_loaded_free(&loaded);
    jbw_buffer_free(&bytes);
}

static void test_bad_notes(void **state)
{
    (void)state;
    char name[65];
    memset(name, 'x', sizeof name - 1);
    name[64] = '\0';
    const char *const bad[] = {"", "a b", "a/b", "\xc3\xa4", name};
    jbw_buffer bytes = {0};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const jbw_note note = {bad[i], "x", 1};
        assert_int_equal(jbw_snapshot_encode(world, &note, 1, &bytes), JBW_INVALID_ARGUMENT);
    }
    const jbw_note nameless = {NULL, "x", 1};
    assert_int_equal(jbw_snapshot_encode(world, &nameless, 1, &bytes), JBW_INVALID_ARGUMENT);
    const jbw_note twice[] = {{"a", "x", 1}, {"b", "y", 1}, {"a", "z", 1}};
    assert_int_equal(jbw_snapshot_encode(world, twice, 3, &bytes), JBW_INVALID_ARGUMENT);
    assert_int_equal(bytes.size, 0);
    name[63] = '\0';
    const jbw_note longest = {name, "x", 1};
    assert_int_equal(jbw_snapshot_encode(world, &longest, 1, &bytes), JBW_OK);
    jbw_buffer_free(&bytes);
}

// ---- bad snapshots ----

static void expect_failure(const void *bytes, size_t size, const jbw_load_options *options,
                           jbw_status expected, const char *text)
{
    jbw_loaded loaded = {.note_count = 7};
    jbw_error error;
    const jbw_status status = jbw_snapshot_decode(bytes, size, options, &loaded, &error);
    if (status != expected || !strstr(error.text, text))
        fail_msg("%s, \"%s\", expected %s, \"%s\"", jbw_status_name(status), error.text,
                 jbw_status_name(expected), text);
    assert_null(loaded.world);
    assert_null(loaded.model);
    assert_int_equal(loaded.note_count, 0);
}

static void test_other_kinds(void **state)
{
    (void)state;
    static const struct {
        const char *bytes;
        size_t size;
        const char *text;
    } cases[] = {
        {"", 0, "it is empty"},
        {"\x89JB", 3, "it is truncated"},
        {"\x89JBS\r\n\x1a\n", 8, "truncated"},
        {"\x89JBS\n\x1a\n..............................................", 53, "line endings"},
        {"\x89JBR\r\n\x1a\n........", 16, "it is a recording"},
        {"\x89PNG\r\n\x1a\n", 8, "PNG picture"},
        {"\x28\xb5\x2f\xfd....", 8, "zstd"},
        {"\x1f\x8b\x08.....", 8, "gzip"},
        {"PK\x03\x04....", 8, "zip"},
        {"# a world\npatch_size: 64\n", 25, "such as a world file"},
        {"\1\2\3\4\5\6\7\10\11", 9, "its first bytes are unknown"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        expect_failure(cases[i].bytes, cases[i].size, NULL, JBW_INVALID_DATA, cases[i].text);
}

static uint64_t checksum(const uint8_t *bytes, size_t size)
{
    jbw_hasher hasher = jbw_hash_begin(0);
    jbw_hash_bytes(&hasher, bytes, size);
    return hasher.value;
}

// corrects the checksum of a header
static void fix_checksum(uint8_t *header)
{
    jbw_put_u64(header + 48, checksum(header, 48));
}

static void test_bad_headers(void **state)
{
    (void)state;
    jbw_buffer good = encode(NULL, 0);
    uint8_t *bytes = malloc(good.size + 1);
    assert_non_null(bytes);
    const size_t size = good.size;
    uint8_t *frame = bytes + JBW_SNAPSHOT_HEADER_SIZE;
#define RESET() (memcpy(bytes, good.bytes, size), bytes[size] = 0)

    RESET();
    jbw_put_u32(bytes + 8, 2);
    expect_failure(bytes, size, NULL, JBW_INVALID_DATA, "has version 2, but this library reads");
    fix_checksum(bytes);
    expect_failure(bytes, size, NULL, JBW_INVALID_DATA, "has version 2, but this library reads");
    RESET();
    jbw_put_u32(bytes + 8, 0);
    fix_checksum(bytes);
    expect_failure(bytes, size, NULL, JBW_INVALID_DATA, "unknown version or unknown flags");
    RESET();
    jbw_put_u32(bytes + 12, 1);
    expect_failure(bytes, size, NULL, JBW_INVALID_DATA, "checksum of its header");
    fix_checksum(bytes);
    expect_failure(bytes, size, NULL, JBW_INVALID_DATA, "unknown version or unknown flags");

    RESET();
    expect_failure(bytes, size - 1, NULL, JBW_INVALID_DATA, "is truncated");
    expect_failure(bytes, size + 1, NULL, JBW_INVALID_DATA, "data after its end");
    expect_failure(bytes, JBW_SNAPSHOT_HEADER_SIZE, NULL, JBW_INVALID_DATA, "is truncated");
    expect_failure(bytes, JBW_SNAPSHOT_HEADER_SIZE - 1, NULL, JBW_INVALID_DATA, "is truncated");
    bytes[size - 1] ^= 1;
    expect_failure(bytes, size, NULL, JBW_INVALID_DATA, "its checksum is wrong");
    jbw_put_u64(bytes + 40, checksum(frame, size - JBW_SNAPSHOT_HEADER_SIZE));
    fix_checksum(bytes);
    expect_failure(bytes, size, NULL, JBW_INVALID_DATA, "damaged");

    // changed contents
    RESET();
    bytes[32] ^= 1;
    fix_checksum(bytes);
    expect_failure(bytes, size, NULL, JBW_INVALID_DATA, "the checksum of its contents");
    RESET();
    jbw_put_u64(bytes + 16, jbw_get_u64(bytes + 16) + 1);
    fix_checksum(bytes);
    expect_failure(bytes, size, NULL, JBW_INVALID_DATA, "its sizes disagree");

    // bombs: impossible or excessive sizes
    RESET();
    jbw_put_u64(bytes + 16, UINT64_MAX);
    fix_checksum(bytes);
    expect_failure(bytes, size, NULL, JBW_INVALID_DATA, "more than it can");
    jbw_put_u64(bytes + 16, UINT64_C(65536) * (size - JBW_SNAPSHOT_HEADER_SIZE));
    fix_checksum(bytes);
    const jbw_load_options options = {.memory_limit = 1 << 20};
    expect_failure(bytes, size, &options, JBW_OUT_OF_MEMORY, "limit of 1048576 bytes");
#undef RESET
    free(bytes);
    jbw_buffer_free(&good);
}

// two frames where one is expected
static void test_two_frames(void **state)
{
    (void)state;
    jbw_buffer good = encode(NULL, 0);
    const size_t frame_size = good.size - JBW_SNAPSHOT_HEADER_SIZE;
    uint8_t *copy = malloc(frame_size);
    assert_non_null(copy);
    memcpy(copy, good.bytes + JBW_SNAPSHOT_HEADER_SIZE, frame_size);
    assert_true(jbw_buffer_append(&good, copy, frame_size));
    jbw_put_u64(good.bytes + 24, 2 * frame_size);
    jbw_put_u64(good.bytes + 40, checksum(good.bytes + JBW_SNAPSHOT_HEADER_SIZE, 2 * frame_size));
    fix_checksum(good.bytes);
    expect_failure(good.bytes, good.size, NULL, JBW_INVALID_DATA, "its sizes disagree");
    free(copy);
    jbw_buffer_free(&good);
}

static void test_memory_limit(void **state)
{
    (void)state;
    counting_allocator counting = {0};
    const jbw_note notes[] = {{"one", "some bytes to be kept", 21}, {"two", "more", 4}};
    jbw_buffer bytes = encode(notes, 2);
    for (uint64_t limit = 1;; limit += limit / 8 + 1) {
        counting.most_byte_count = 0;
        const jbw_load_options options = {.allocator = counting_allocator_make(&counting),
                                          .memory_limit = limit};
        jbw_loaded loaded;
        const jbw_status status =
            jbw_snapshot_decode(bytes.bytes, bytes.size, &options, &loaded, NULL);
        assert_true(counting.most_byte_count <= limit);
        jbw_loaded_free(&loaded);
        assert_int_equal(counting.block_count, 0);
        if (!status) break;
        assert_int_equal(status, JBW_OUT_OF_MEMORY);
        assert_true(limit < 20 << 20);
    }
    jbw_buffer_free(&bytes);
}

static jbw_status write_with_notes(const void *notes, jbw_buffer *out)
{
    return jbw_snapshot_encode(world, notes, 2, out);
}

static void test_failing_memory(void **state)
{
    (void)state;
    const jbw_note notes[] = {{"one", "some bytes to be kept", 21}, {"two", "more", 4}};
    jbw_buffer good = encode(notes, 2);
    fail_every_allocation(write_with_notes, notes);
    jbw_status status = JBW_OUT_OF_MEMORY;
    for (size_t n = 1; status; n++) {
        counting_allocator counting = {.fail_at = n, .fail_count = 1};
        const jbw_load_options options = {.allocator = counting_allocator_make(&counting)};
        jbw_loaded loaded;
        jbw_error error;
        status = jbw_snapshot_decode(good.bytes, good.size, &options, &loaded, &error);
        if (status) {
            assert_int_equal(status, JBW_OUT_OF_MEMORY);
            assert_true(error.text[0] != '\0');
            assert_null(loaded.world);
        }
        jbw_loaded_free(&loaded);
        assert_int_equal(counting.block_count, 0);
        assert_int_equal(counting.byte_count, 0);
    }
    jbw_buffer_free(&good);
}

// ---- files ----

static void make_folder(temporary_folder *folder, char path[PATH_SIZE])
{
    assert_true(temporary_folder_create(folder));
    temporary_path(folder, "world.snapshot", path);
}

static void test_files(void **state)
{
    (void)state;
    temporary_folder folder;
    char path[PATH_SIZE];
    make_folder(&folder, path);
    const jbw_note note = {"reward", "Zero", 4};
    jbw_error error;
    jbw_loaded loaded;
    for (int i = 0; i < 2; i++) { // a new file, then a replacement
        assert_int_equal(jbw_snapshot_write(world, &note, i == 1, path, &error), JBW_OK);
        assert_int_equal(temporary_folder_count(&folder, ""), 1);
        assert_int_equal(jbw_snapshot_read(path, NULL, &loaded, &error), JBW_OK);
        assert_same(world, loaded.world);
        assert_int_equal(loaded.note_count, i);
        jbw_loaded_free(&loaded);
    }

    // the same bytes as in memory
    jbw_buffer bytes = encode(&note, 1);
    size_t size;
    char *found = file_read(path, &size);
    assert_non_null(found);
    assert_int_equal(size, bytes.size);
    assert_memory_equal(found, bytes.bytes, bytes.size);
    free(found);
    jbw_buffer_free(&bytes);

    // a failure leaves the old file unchanged
    const jbw_note bad = {"a b", "", 0};
    assert_int_equal(jbw_snapshot_write(world, &bad, 1, path, &error), JBW_INVALID_ARGUMENT);
    assert_contains(error.text, "invalid or duplicate name");
    assert_int_equal(temporary_folder_count(&folder, ""), 1);
    assert_int_equal(jbw_snapshot_read(path, NULL, &loaded, &error), JBW_OK);
    jbw_loaded_free(&loaded);
    remove(path);
    assert_true(temporary_folder_remove(&folder));
}

static void test_bad_files(void **state)
{
    (void)state;
    temporary_folder folder;
    char path[PATH_SIZE];
    make_folder(&folder, path);
    jbw_error error;
    jbw_loaded loaded = {.note_count = 7};
    assert_int_equal(jbw_snapshot_read(path, NULL, &loaded, &error), JBW_NOT_FOUND);
    assert_contains(error.text, path);
    assert_contains(error.text, "cannot be opened");
    assert_int_equal(loaded.note_count, 0);
    assert_int_equal(jbw_snapshot_read(folder.path, NULL, &loaded, &error), JBW_READ_FAILED);
    assert_int_equal(jbw_snapshot_read(JBW_SOURCE_DIR "/worlds/scent.yaml", NULL, &loaded, &error),
                     JBW_INVALID_DATA);
    assert_contains(error.text, "scent.yaml: not a snapshot: it looks like a text file");

    char missing[PATH_SIZE];
    temporary_path(&folder, "no/such", missing);
    assert_int_equal(jbw_snapshot_write(world, NULL, 0, missing, &error), JBW_WRITE_FAILED);
    assert_contains(error.text, "cannot be written");
    assert_int_equal(jbw_snapshot_write(world, NULL, 0, "/dev/full", &error), JBW_WRITE_FAILED);
    assert_int_equal(temporary_folder_count(&folder, ""), 0);
    remove(path);
    assert_true(temporary_folder_remove(&folder));
}

// ---- documented and golden snapshots ----

// reads the bytes of the example in docs/snapshot_format.md: lines of hexadecimal numbers, each
// followed by an explanation
static size_t read_example(uint8_t *bytes, size_t capacity)
{
    FILE *file = fopen(FORMAT, "r");
    assert_non_null(file);
    char line[256];
    size_t size = 0;
    bool is_example = false;
    while (fgets(line, sizeof line, file)) {
        if (strncmp(line, "```", 3) == 0) is_example = strncmp(line + 3, "example", 7) == 0;
        if (!is_example || line[0] == '`') continue;
        for (const char *at = line; isxdigit(at[0]) && isxdigit(at[1]) && isspace(at[2]);) {
            assert_true(size < capacity);
            const char digits[] = {at[0], at[1], '\0'};
            bytes[size++] = (uint8_t)strtoul(digits, NULL, 16);
            if (at[2] != ' ') break;
            at += 3;
        }
    }
    fclose(file);
    return size;
}

// The documented example: beans with a scent, and walls, in patches of 3 x 3 cells; two agents
// after one step, one of which has requested its next action; a bean that was placed; a note.
static jbw_buffer make_example(void)
{
    const double smell = 1;
    const jbw_item_type items[] = {
        {.name = "Bean", .scent = &smell, .intensity = "Constant[-1]"},
        {.name = "Wall", .blocks_movement = true, .intensity = "Constant[-2]"}};
    const jbw_note note = {"by", "me", 2};
    jbw_config config = small_config(3, 20, items, 2);
    config.scent_dimensions = 1;
    config.scent_decay = 0.5;
    jbw_model *small_model;
    jbw_world *small_world;
    jbw_agent_id agents[2];
    assert_int_equal(jbw_model_create(&config, &small_model, NULL), JBW_OK);
    assert_int_equal(jbw_world_create(small_model, 42, &small_world), JBW_OK);
    const jbw_agent_options first = {.has_position = true, .position = {1, 1}, .is_forced = true};
    for (int i = 0; i < 2; i++)
        assert_int_equal(jbw_world_add_agent(small_world, &first, &agents[i]), JBW_OK);
    assert_int_equal(jbw_world_step(small_world), JBW_OK);
    assert_int_equal(jbw_world_place_item(small_world, 0, (jbw_position){2, 2}), JBW_OK);
    assert_int_equal(jbw_agent_act(small_world, agents[1], 2, NULL), JBW_OK);
    jbw_buffer bytes = {0};
    assert_int_equal(jbw_snapshot_encode(small_world, &note, 1, &bytes), JBW_OK);
    jbw_world_destroy(small_world);
    jbw_model_destroy(small_model);
    return bytes;
}

static void test_example(void **state)
{
    (void)state;
    jbw_buffer bytes = make_example();
    jbw_buffer contents = {0};
    assert_int_equal(jbw_snapshot_unpack(bytes.bytes, bytes.size, UINT64_MAX, &contents, NULL),
                     JBW_OK);
    uint8_t expected[2048];
    const size_t size = read_example(expected, sizeof expected);
    if (size != contents.size || memcmp(expected, contents.bytes, size) != 0) {
        for (size_t i = 0; i < contents.size; i++) printf("%02x ", contents.bytes[i]);
        fail_msg("\nthe example in docs/snapshot_format.md differs");
    }
    // and the documented bytes can be read
    jbw_buffer packed = {0};
    assert_int_equal(jbw_snapshot_pack(expected, size, &packed), JBW_OK);
    jbw_loaded loaded = decode(&packed);
    assert_int_equal(jbw_world_agents(loaded.world, NULL, 0), 2);
    assert_string_equal(loaded.notes[0].bytes, "me");
    jbw_loaded_free(&loaded);
    jbw_buffer_free(&packed);
    jbw_buffer_free(&contents);
    jbw_buffer_free(&bytes);
}

// how many agents have requested an action in this turn
static size_t count_requests(const jbw_world *in)
{
    jbw_agent_id agents[16];
    const size_t count = jbw_world_agents(in, agents, 16);
    size_t request_count = 0;
    for (size_t i = 0; i < count && i < 16; i++) {
        jbw_agent_state agent;
        if (!jbw_agent_get_state(in, agents[i], &agent)) request_count += agent.has_request;
    }
    return request_count;
}

// A world full of scent, in mid-turn.
static int write_golden(const char *path)
{
    jbw_config config = {0};
    for (size_t i = 0; i < golden_world_count; i++)
        if (strcmp(golden_worlds[i].name, "scent") == 0) config = golden_worlds[i].config;
    config = life_config(&config);
    jbw_model *scent_model = NULL;
    jbw_world *scent_world = NULL;
    jbw_error error = {0};
    const char *text = "Collect[JellyBean] & Avoid[Onion]";
    const jbw_note note = {"reward", text, strlen(text)};
    uint64_t random = 4;
    jbw_status status = jbw_model_create(&config, &scent_model, &error);
    if (!status) status = jbw_world_create(scent_model, 12345, &scent_world);
    for (int i = 0; !status && (i < 200 || count_requests(scent_world) < 2); i++)
        if (!life_call(scent_world, &random)) status = JBW_OUT_OF_MEMORY;
    if (!status) status = jbw_snapshot_write(scent_world, &note, 1, path, &error);
    if (status)
        fprintf(stderr, "%s %s\n", jbw_status_text(status), error.text);
    else
        printf("time %llu, hash 0x%016llx, %zu agents\n",
               (unsigned long long)jbw_world_time(scent_world),
               (unsigned long long)jbw_world_hash(scent_world),
               jbw_world_agents(scent_world, NULL, 0));
    jbw_world_destroy(scent_world);
    jbw_model_destroy(scent_model);
    return status != JBW_OK;
}

static void test_golden_snapshots(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof golden_snapshots / sizeof golden_snapshots[0]; i++) {
        const struct golden_snapshot *golden = &golden_snapshots[i];
        jbw_loaded loaded;
        jbw_error error;
        if (jbw_snapshot_read(golden->path, NULL, &loaded, &error)) fail_msg("%s", error.text);
        assert_int_equal(jbw_world_time(loaded.world), golden->time);
        assert_int_equal(jbw_world_hash(loaded.world), golden->hash);
        assert_int_equal(jbw_world_agents(loaded.world, NULL, 0), golden->agent_count);
        const jbw_note *note = jbw_loaded_note(&loaded, "reward");
        assert_non_null(note);
        assert_string_equal(note->bytes, golden->reward);

        // some agents have requested an action, and some have not
        assert_in_range(count_requests(loaded.world), 1, golden->agent_count - 1);

        // and the world continues
        uint64_t random = 1;
        assert_true(life_run(loaded.world, &random, 50));
        jbw_loaded_free(&loaded);
    }
}

int main(int argc, char **argv)
{
    // --write FILE writes a golden snapshot of the current version
    if (argc == 3 && strcmp(argv[1], "--write") == 0) return write_golden(argv[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory),       cmocka_unit_test(test_notes),
        cmocka_unit_test(test_bad_notes),    cmocka_unit_test(test_other_kinds),
        cmocka_unit_test(test_bad_headers),  cmocka_unit_test(test_two_frames),
        cmocka_unit_test(test_memory_limit), cmocka_unit_test(test_failing_memory),
        cmocka_unit_test(test_files),        cmocka_unit_test(test_bad_files),
        cmocka_unit_test(test_example),      cmocka_unit_test(test_golden_snapshots),
    };
    return cmocka_run_group_tests(tests, make_world, free_world);
}
