// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "net/game/saver.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "jbw/agent.h"
#include "net/thread/clock.h"
#include "thread/thread.h"

enum { NOTES_MOST = 64, NOTE_NAME_SIZE = 64 };

/// The progress of the one job.
typedef enum job_state {
    JOB_NONE,
    JOB_GIVEN,
    JOB_DONE,
} job_state;

struct jbw_saver {
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t changed;
    bool has_thread;
    char *path;
    jbw_saved_function *on_saved;
    void *user;

    // under the mutex
    job_state state;
    bool is_ending;

    // the job; belongs to the thread while its state is JOB_GIVEN
    jbw_world *world;
    jbw_note notes[NOTES_MOST];
    char names[NOTES_MOST][NOTE_NAME_SIZE];
    size_t note_count;
    jbw_buffer bytes; // contents of the notes
    uint64_t time;
    jbw_status status;
    jbw_error error;
};

static void save(jbw_saver *saver)
{
    saver->error = (jbw_error){0};
    saver->status = jbw_snapshot_write(saver->world, saver->notes, saver->note_count, saver->path,
                                       &saver->error);
    saver->time = jbw_world_time(saver->world);
    jbw_world_destroy(saver->world);
    saver->world = NULL;
}

static void *run(void *user)
{
    jbw_saver *saver = user;
    pthread_mutex_lock(&saver->mutex);
    for (;;) {
        while (saver->state != JOB_GIVEN && !saver->is_ending)
            pthread_cond_wait(&saver->changed, &saver->mutex);
        if (saver->state != JOB_GIVEN) break;
        pthread_mutex_unlock(&saver->mutex);
        save(saver);
        pthread_mutex_lock(&saver->mutex);
        saver->state = JOB_DONE;
        pthread_cond_broadcast(&saver->changed);
        pthread_mutex_unlock(&saver->mutex);
        saver->on_saved(saver->user);
        pthread_mutex_lock(&saver->mutex);
    }
    pthread_mutex_unlock(&saver->mutex);
    return NULL;
}

jbw_status jbw_saver_create(const char *path, jbw_saved_function *on_saved, void *user,
                            jbw_saver **out)
{
    *out = NULL;
    jbw_saver *saver = calloc(1, sizeof *saver);
    if (!saver) return JBW_OUT_OF_MEMORY;
    pthread_condattr_t monotonic;
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_mutex_init(&saver->mutex, NULL);
    pthread_cond_init(&saver->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    saver->on_saved = on_saved;
    saver->user = user;
    saver->path = malloc(strlen(path) + 1);
    if (saver->path) memcpy(saver->path, path, strlen(path) + 1);
    saver->has_thread = saver->path && jbw_thread_start(&saver->thread, run, saver);
    if (!saver->has_thread) {
        jbw_saver_destroy(saver);
        return JBW_OUT_OF_MEMORY;
    }
    *out = saver;
    return JBW_OK;
}

void jbw_saver_destroy(jbw_saver *saver)
{
    if (!saver) return;
    if (saver->has_thread) {
        pthread_mutex_lock(&saver->mutex);
        saver->is_ending = true;
        pthread_cond_broadcast(&saver->changed);
        pthread_mutex_unlock(&saver->mutex);
        pthread_join(saver->thread, NULL);
    }
    pthread_cond_destroy(&saver->changed);
    pthread_mutex_destroy(&saver->mutex);
    jbw_buffer_free(&saver->bytes);
    free(saver->path);
    free(saver);
}

bool jbw_saver_is_idle(const jbw_saver *saver)
{
    jbw_saver *s = (jbw_saver *)saver;
    pthread_mutex_lock(&s->mutex);
    const bool is_idle = s->state == JOB_NONE;
    pthread_mutex_unlock(&s->mutex);
    return is_idle;
}

static bool copy_notes(jbw_saver *saver, const jbw_note *notes, size_t count)
{
    if (count > NOTES_MOST) return false;
    saver->bytes.size = 0;
    for (size_t i = 0; i < count; i++)
        if (!jbw_buffer_append(&saver->bytes, notes[i].bytes, notes[i].size)) return false;
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        const size_t length = strlen(notes[i].name);
        if (length >= NOTE_NAME_SIZE) return false;
        memcpy(saver->names[i], notes[i].name, length + 1);
        saver->notes[i] = (jbw_note){
            .name = saver->names[i], .bytes = saver->bytes.bytes + at, .size = notes[i].size};
        at += notes[i].size;
    }
    saver->note_count = count;
    return true;
}

jbw_status jbw_saver_begin(jbw_saver *saver, jbw_world *world, const jbw_note *notes,
                           size_t note_count)
{
    if (!jbw_saver_is_idle(saver)) return JBW_INVALID_ARGUMENT;
    if (!copy_notes(saver, notes, note_count)) return JBW_OUT_OF_MEMORY;
    saver->world = world;
    pthread_mutex_lock(&saver->mutex);
    saver->state = JOB_GIVEN;
    pthread_cond_broadcast(&saver->changed);
    pthread_mutex_unlock(&saver->mutex);
    return JBW_OK;
}

bool jbw_saver_collect(jbw_saver *saver, uint64_t until, uint64_t *time, jbw_status *status,
                       jbw_error *error)
{
    const struct timespec end = {.tv_sec = (time_t)(until / JBW_SECOND),
                                 .tv_nsec = (long)(until % JBW_SECOND)};
    pthread_mutex_lock(&saver->mutex);
    while (until > 0 && saver->state == JOB_GIVEN)
        if (pthread_cond_timedwait(&saver->changed, &saver->mutex, &end) != 0) break;
    const bool is_done = saver->state == JOB_DONE;
    if (is_done) {
        *time = saver->time;
        *status = saver->status;
        if (error) *error = saver->error;
        saver->state = JOB_NONE;
    }
    pthread_mutex_unlock(&saver->mutex);
    return is_done;
}
