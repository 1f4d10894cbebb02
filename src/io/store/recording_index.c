// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "io/store/recording_index.h"

#include <inttypes.h>

#include "base/error.h"

// A block says how much of the file was on disk when it was written. So the last head tells where
// bodies may be missing.
static jbw_status find_synced_size(jbw_record_reader *reader, uint64_t *out, jbw_error *error)
{
    *out = 0;
    jbw_record_block block;
    uint64_t offset = JBW_RECORDING_HEADER_SIZE;
    for (;; offset = jbw_record_block_end(&block)) {
        const jbw_status status = jbw_record_reader_read_head(reader, offset, &block, error);
        if (status) return status == JBW_NOT_FOUND ? JBW_OK : status;
        *out = block.synced_size;
    }
}

static jbw_status add_snapshot(jbw_recording_index *index, const jbw_record_block *block,
                               jbw_error *error)
{
    if (!JBW_GROW(&index->allocator, index->snapshots, index->snapshot_capacity,
                  index->snapshot_count + 1))
        return jbw_error_set_status(error, JBW_OUT_OF_MEMORY);
    index->snapshots[index->snapshot_count++] =
        (jbw_snapshot_place){.time = block->last_time, .offset = block->offset};
    return JBW_OK;
}

static jbw_status add_mark(jbw_recording_index *index, const jbw_record_block *block,
                           jbw_error *error)
{
    if (!JBW_GROW(&index->allocator, index->marks, index->mark_capacity, index->mark_count + 1))
        return jbw_error_set_status(error, JBW_OUT_OF_MEMORY);
    index->marks[index->mark_count++] =
        (jbw_snapshot_place){.time = block->last_time, .offset = block->offset};
    return JBW_OK;
}

static jbw_status fail_order(const jbw_record_block *block, uint64_t time, jbw_error *error)
{
    jbw_error_set(error, 0, 0,
                  "the block at byte %" PRIu64 " covers times %" PRIu64 " to %" PRIu64
                  ", but the block before it ends at time %" PRIu64,
                  block->offset, block->first_time, block->last_time, time);
    return JBW_INVALID_DATA;
}

static jbw_status add_block(jbw_recording_index *index, const jbw_record_block *block,
                            jbw_error *error)
{
    jbw_recording_info *info = &index->info;
    const bool is_snapshot = block->kind == JBW_RECORD_BLOCK_SNAPSHOT;
    if (block->kind == JBW_RECORD_BLOCK_MARK) return add_mark(index, block, error);
    if (!is_snapshot && block->kind != JBW_RECORD_BLOCK_LOG) return JBW_OK;
    if (index->snapshot_count == 0 && is_snapshot)
        info->first_time = info->last_time = block->first_time;
    const bool is_in_order =
        block->first_time == info->last_time && block->last_time >= block->first_time;
    if (!is_in_order || (is_snapshot && block->last_time != block->first_time))
        return fail_order(block, info->last_time, error);

    info->last_time = block->last_time;
    info->operation_count += block->operation_count;
    info->hash_count += block->hash_count + (is_snapshot ? 1 : 0);
    info->snapshot_count += is_snapshot ? 1 : 0;
    index->last = *block;
    return is_snapshot ? add_snapshot(index, block, error) : JBW_OK;
}

static jbw_status read_blocks(jbw_recording_index *index, jbw_record_reader *reader, uint64_t limit,
                              uint64_t synced_size, jbw_buffer *body, jbw_error *error)
{
    jbw_record_block block;
    uint64_t offset = JBW_RECORDING_HEADER_SIZE;
    jbw_status status = JBW_OK;
    for (; !status; offset = jbw_record_block_end(&block)) {
        index->info.size = offset;
        status = jbw_record_reader_read_head(reader, offset, &block, error);
        if (status) return status == JBW_NOT_FOUND ? JBW_OK : status;
        if (index->snapshot_count == 0 && block.kind == JBW_RECORD_BLOCK_LOG) {
            jbw_error_set(error, 0, 0, "does not begin with a snapshot");
            return JBW_INVALID_DATA;
        }
        if (offset >= synced_size) {
            jbw_error why;
            status = jbw_record_reader_read_body(reader, &block, limit, body, &why);
            if (status == JBW_INVALID_DATA) return JBW_OK; // torn
            if (status && error) *error = why;
        }
        if (!status) status = add_block(index, &block, error);
    }
    return status;
}

jbw_status jbw_recording_index_read(jbw_recording_index *index, jbw_record_reader *reader,
                                    uint64_t memory_limit, const jbw_allocator *allocator,
                                    jbw_error *error)
{
    *index = (jbw_recording_index){.allocator = *allocator};
    uint64_t synced_size;
    jbw_status status = find_synced_size(reader, &synced_size, error);
    if (status) return status;
    jbw_buffer body = {.allocator = *allocator};
    status = read_blocks(index, reader, memory_limit, synced_size, &body, error);
    jbw_buffer_free(&body);
    if (status) return status;
    if (index->snapshot_count == 0) {
        jbw_error_set(error, 0, 0, "contains no complete snapshot");
        return JBW_INVALID_DATA;
    }
    index->info.torn_size = reader->size - index->info.size;
    return JBW_OK;
}

void jbw_recording_index_free(jbw_recording_index *index)
{
    jbw_free(&index->allocator, index->snapshots,
             index->snapshot_capacity * sizeof *index->snapshots);
    jbw_free(&index->allocator, index->marks, index->mark_capacity * sizeof *index->marks);
    *index = (jbw_recording_index){.allocator = index->allocator};
}

const jbw_snapshot_place *jbw_recording_index_find(const jbw_recording_index *index, uint64_t time)
{
    size_t low = 0;
    size_t high = index->snapshot_count;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (index->snapshots[middle].time <= time)
            low = middle;
        else
            high = middle;
    }
    return &index->snapshots[low];
}

jbw_status jbw_recording_index_check_torn(const jbw_recording_index *index,
                                          jbw_record_reader *reader, jbw_error *error)
{
    jbw_record_block block;
    uint64_t offset = index->info.size;
    for (;; offset = block.offset + 1) {
        const jbw_status status = jbw_record_reader_search(reader, offset, &block, error);
        if (status) return status == JBW_NOT_FOUND ? JBW_OK : status;
        if (block.synced_size <= index->info.size) continue;
        jbw_error_set(error, 0, 0,
                      "is damaged at byte %" PRIu64 ", but another block follows at byte %" PRIu64
                      ": this is not a recording cut short by a crash",
                      index->info.size, block.offset);
        return JBW_INVALID_DATA;
    }
}
