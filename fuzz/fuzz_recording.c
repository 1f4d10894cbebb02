// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Recordings. The first byte of an input says what the rest is: a whole file, a log to replay, or
/// the head of a block with its body. For the last two, correct checksums are added, so that
/// fuzzing gets past them.
#include "target.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include <zstd.h>

#include "io/store/record_block.h"
#include "jbw/recording.h"

enum { WHOLE_FILE = 'f', LOG = 'l', BLOCK = 'b', MOST = 1 << 16, MOST_OPERATIONS = 5000 };

static jbw_model *model;
static char path[64];
static int descriptor = -1;
static uint8_t beginning[1 << 14]; // a recording of a world with two agents
static size_t beginning_size;

static jbw_model *make_model(void)
{
    static const double color[] = {1};
    static const jbw_item_type items[] = {
        {.name = "A", .color = color, .intensity = "Constant[-2]", .has_text = true},
        {.name = "B", .color = color, .intensity = "Constant[-3]", .blocks_movement = true}};
    static const jbw_action actions[] = {
        {JBW_ACTION_MOVE_FORWARD, NULL}, {JBW_ACTION_TURN_LEFT, NULL}, {JBW_ACTION_DROP, "A"}};
    // that of the recordings of the corpus, and words
    const jbw_config defaults = jbw_config_default();
    jbw_config config = small_config(8, 4, items, 2);
    config.scent_decay = defaults.scent_decay;
    config.scent_diffusion = defaults.scent_diffusion;
    config.agent.vision_range = 1;
    config.agent.actions = actions;
    config.agent.action_count = sizeof actions / sizeof actions[0];
    config.agent.voice = (jbw_voice){.symbols = 3, .range = 5};
    return fuzz_model(&config);
}

static void write_file(const void *bytes, size_t size)
{
    if (ftruncate(descriptor, 0) != 0) abort();
    if (pwrite(descriptor, bytes, size, 0) != (ssize_t)size) abort();
}

static void set_up(void)
{
    char name[] = "/tmp/fuzz-recording-XXXXXX";
    close(mkstemp(name));
    jbw_world *world;
    jbw_agent_id agent;
    jbw_recorder *recorder;
    model = make_model();
    if (jbw_world_create(model, 1, &world)) abort();
    for (int i = 0; i < 2; i++)
        if (jbw_world_add_agent(world, NULL, &agent)) abort();
    if (jbw_recorder_create(world, name, true, NULL, &recorder, NULL)) abort();
    if (jbw_recorder_close(recorder, NULL)) abort();
    jbw_world_destroy(world);
    descriptor = open(name, O_RDWR);
    const ssize_t got = pread(descriptor, beginning, sizeof beginning, 0);
    if (got <= 0) abort();
    beginning_size = (size_t)got;
    // nothing is left behind: from now on the file has no name
    unlink(name);
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
}

// ---- files around an input ----

static size_t end_block(uint8_t *out, jbw_record_block *block)
{
    block->offset = beginning_size;
    block->body_hash = jbw_record_block_body_hash(out + beginning_size + JBW_RECORD_BLOCK_HEAD_SIZE,
                                                  (size_t)block->size);
    jbw_record_block_head_encode(block, out + beginning_size);
    return (size_t)jbw_record_block_end(block);
}

static size_t put_log(uint8_t *out, const uint8_t *data, size_t size)
{
    uint8_t *body = out + beginning_size + JBW_RECORD_BLOCK_HEAD_SIZE;
    jbw_record_block block = {.kind = JBW_RECORD_BLOCK_LOG, .raw_size = size, .last_time = 3};
    block.size = ZSTD_compress(body, ZSTD_compressBound(size), data, size, 1);
    return end_block(out, &block);
}

// the fields of a head, then its body
static size_t put_block(uint8_t *out, const uint8_t *data, size_t size)
{
    uint8_t head[56] = {0};
    memcpy(head, data, size < sizeof head ? size : sizeof head);
    const size_t body_size = size > sizeof head ? size - sizeof head : 0;
    if (body_size > 0)
        memcpy(out + beginning_size + JBW_RECORD_BLOCK_HEAD_SIZE, data + sizeof head, body_size);
    uint64_t fields[7];
    memcpy(fields, head, sizeof fields);
    jbw_record_block block = {.kind = (uint32_t)(fields[0] & 3),
                              .has_world_hash = (fields[0] & 4) != 0,
                              .size = body_size,
                              .raw_size = fields[1],
                              .first_time = fields[2] & 3,
                              .last_time = fields[3] & 7,
                              .operation_count = fields[4],
                              .synced_size = fields[5],
                              .world_hash = fields[6]};
    return end_block(out, &block);
}

static void replay(void)
{
    const jbw_load_options options = {.model = model, .memory_limit = 32 << 20};
    jbw_recording *recording;
    jbw_error error = {0};
    jbw_status status = jbw_recording_open(path, &options, &recording, &error);
    if ((status == JBW_OK) != (recording != NULL)) abort();
    if (status && error.text[0] == '\0') abort();
    if (status) return;
    for (int i = 0; i < MOST_OPERATIONS && !status; i++) {
        error.text[0] = '\0';
        status = jbw_recording_next(recording, NULL, &error);
    }
    if (status && status != JBW_NOT_FOUND && error.text[0] == '\0') abort();
    if (status) {
        jbw_recording_seek(recording, 1, &error);
        jbw_recording_seek(recording, 0, &error);
    }
    jbw_recording_close(recording);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t file[sizeof beginning + 2 * MOST];
    if (descriptor < 0) set_up();
    if (size == 0 || size > MOST) return 0;
    memcpy(file, beginning, beginning_size);
    switch (data[0]) {
    case WHOLE_FILE: write_file(data + 1, size - 1); break;
    case LOG: write_file(file, put_log(file, data + 1, size - 1)); break;
    case BLOCK: write_file(file, put_block(file, data + 1, size - 1)); break;
    default: return 0;
    }
    replay();
    return 0;
}
