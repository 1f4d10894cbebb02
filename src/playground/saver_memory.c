// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "playground/saver_memory.h"

#include <stdlib.h>

#include "base/error.h"
#include "jbw/agent.h"

struct jbw_saver {
    jbw_buffer bytes;
    jbw_status status;
    uint64_t time;
    bool is_done; // and its result has not been collected
};

const jbw_buffer *jbw_saver_memory(const jbw_saver *saver)
{
    return &saver->bytes;
}

jbw_status jbw_saver_create(const char *path, jbw_saved_function *on_saved, void *user,
                            jbw_saver **out)
{
    (void)path;
    (void)on_saved;
    (void)user;
    *out = calloc(1, sizeof **out);
    return *out ? JBW_OK : JBW_OUT_OF_MEMORY;
}

void jbw_saver_destroy(jbw_saver *saver)
{
    if (!saver) return;
    jbw_buffer_free(&saver->bytes);
    free(saver);
}

bool jbw_saver_is_idle(const jbw_saver *saver)
{
    return !saver->is_done;
}

jbw_status jbw_saver_begin(jbw_saver *saver, jbw_world *world, const jbw_note *notes,
                           size_t note_count)
{
    saver->bytes.size = 0;
    saver->status = jbw_snapshot_encode(world, notes, note_count, &saver->bytes);
    saver->time = jbw_world_time(world);
    saver->is_done = true;
    jbw_world_destroy(world);
    return JBW_OK;
}

bool jbw_saver_collect(jbw_saver *saver, uint64_t until, uint64_t *time, jbw_status *status,
                       jbw_error *error)
{
    (void)until;
    if (!saver->is_done) return false;
    saver->is_done = false;
    *time = saver->time;
    *status = saver->status;
    if (saver->status) jbw_error_set_status(error, saver->status);
    return true;
}
