// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "net/game/look_queue.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

static const jbw_allocator allocator;

void jbw_look_queue_deinit(jbw_look_queue *queue)
{
    while (queue->count > 0) jbw_look_queue_pop(queue, &queue->lanes[0]);
    jbw_free(&allocator, queue->lanes, queue->capacity * sizeof *queue->lanes);
    *queue = (jbw_look_queue){0};
}

jbw_look_lane *jbw_look_queue_find(jbw_look_queue *queue, uint32_t connection)
{
    for (size_t i = 0; i < queue->count; i++)
        if (queue->lanes[i].connection == connection) return &queue->lanes[i];
    return NULL;
}

jbw_look *jbw_look_queue_add(jbw_look_queue *queue, uint32_t connection, const uint8_t *bytes,
                             size_t size)
{
    jbw_look_lane *lane = jbw_look_queue_find(queue, connection);
    if (!lane && !JBW_GROW(&allocator, queue->lanes, queue->capacity, queue->count + 1))
        return NULL;
    jbw_look *look = malloc(sizeof *look + size);
    if (!look) return NULL;
    *look = (jbw_look){.key = -1, .size = size};
    memcpy(look->bytes, bytes, size);
    if (lane) {
        lane->last->next = look;
    } else {
        lane = &queue->lanes[queue->count++];
        *lane = (jbw_look_lane){.connection = connection, .first = look};
    }
    lane->last = look;
    lane->bytes += size;
    return look;
}

void jbw_look_queue_pop(jbw_look_queue *queue, jbw_look_lane *lane)
{
    jbw_look *look = lane->first;
    lane->first = look->next;
    lane->bytes -= look->size;
    free(look);
    if (lane->first) return;
    // lanes keep their order, so that each gets its turn
    const size_t at = (size_t)(lane - queue->lanes);
    queue->count--;
    memmove(lane, lane + 1, (queue->count - at) * sizeof *lane);
    if (queue->turn > at) queue->turn--;
}
