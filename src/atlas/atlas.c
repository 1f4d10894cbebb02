// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#define _XOPEN_SOURCE 700 // realpath

#include "atlas/atlas.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

// all atlases of this process
static pthread_mutex_t list_mutex = PTHREAD_MUTEX_INITIALIZER;
static jbw_atlas *all_atlases;
static pthread_once_t once = PTHREAD_ONCE_INIT;

// ---- forking ----

// A child shares its parent's descriptors, and with them where appended bytes go: it opens its own.

static void lock_all(void)
{
    pthread_mutex_lock(&list_mutex);
    for (jbw_atlas *atlas = all_atlases; atlas; atlas = atlas->next) {
        pthread_mutex_lock(&atlas->add_mutex);
        pthread_mutex_lock(&atlas->mutex);
    }
}

static void unlock_all(void)
{
    for (jbw_atlas *atlas = all_atlases; atlas; atlas = atlas->next) {
        pthread_mutex_unlock(&atlas->mutex);
        pthread_mutex_unlock(&atlas->add_mutex);
    }
    pthread_mutex_unlock(&list_mutex);
}

static void begin_child(void)
{
    for (jbw_atlas *atlas = all_atlases; atlas; atlas = atlas->next) {
        for (size_t i = 0; i < atlas->tile_count; i++) jbw_open_tile_destroy(atlas->tiles[i]);
        atlas->tile_count = 0;
    }
    unlock_all();
}

static void watch_forks(void)
{
    (void)pthread_atfork(lock_all, unlock_all, begin_child);
}

// ---- opening ----

static jbw_status fail(jbw_error *error, jbw_status status, const char *path, const char *reason)
{
    jbw_error_set(error, 0, 0, "%s: %s", path, reason);
    return status;
}

// the folder as an absolute path, to be freed; created if it may be
static jbw_status find_root(const char *path, bool is_read_only, char **out, jbw_error *error)
{
    *out = NULL;
    if (!is_read_only && mkdir(path, 0777) != 0 && errno != EEXIST && errno != EROFS)
        return fail(error, JBW_WRITE_FAILED, path, strerror(errno));
    char *root = realpath(path, NULL);
    struct stat about;
    if (!root) return fail(error, JBW_READ_FAILED, path, strerror(errno));
    const char *reason = NULL;
    if (stat(root, &about) != 0)
        reason = strerror(errno);
    else if (!S_ISDIR(about.st_mode))
        reason = "not a folder";
    else if (access(root, R_OK | X_OK) != 0)
        reason = strerror(errno);
    else if (strlen(root) > JBW_ATLAS_ROOT_MOST)
        reason = "the path is too long";
    if (!reason) {
        *out = root;
        return JBW_OK;
    }
    free(root);
    return fail(error, JBW_READ_FAILED, path, reason);
}

static jbw_atlas *find_open(uint64_t device, uint64_t inode, bool is_read_only)
{
    for (jbw_atlas *atlas = all_atlases; atlas; atlas = atlas->next)
        if (atlas->device == device && atlas->inode == inode && atlas->is_read_only == is_read_only)
            return atlas;
    return NULL;
}

// takes over the path; NULL when memory runs out
static jbw_atlas *create(char *root, const struct stat *about, bool is_read_only)
{
    jbw_atlas *atlas = calloc(1, sizeof *atlas);
    if (!atlas) return NULL;
    atlas->root = root;
    atlas->device = (uint64_t)about->st_dev;
    atlas->inode = (uint64_t)about->st_ino;
    atlas->is_read_only = is_read_only;
    if (pthread_mutex_init(&atlas->mutex, NULL) == 0) {
        if (pthread_mutex_init(&atlas->add_mutex, NULL) == 0) return atlas;
        pthread_mutex_destroy(&atlas->mutex);
    }
    free(atlas);
    return NULL;
}

jbw_status jbw_atlas_open(const char *path, const jbw_atlas_options *options, jbw_atlas **out,
                          jbw_error *error)
{
    *out = NULL;
    if (error) *error = (jbw_error){0};
    const jbw_atlas_options given = options ? *options : (jbw_atlas_options){0};
    pthread_once(&once, watch_forks);
    char *root;
    const jbw_status status = find_root(path, given.is_read_only, &root, error);
    if (status) return status;
    struct stat about;
    if (stat(root, &about) != 0) {
        free(root);
        return fail(error, JBW_READ_FAILED, path, strerror(errno));
    }
    const bool is_read_only = given.is_read_only || access(root, W_OK) != 0;

    pthread_mutex_lock(&list_mutex);
    jbw_atlas *atlas = find_open((uint64_t)about.st_dev, (uint64_t)about.st_ino, is_read_only);
    if (atlas) {
        free(root);
    } else {
        atlas = create(root, &about, is_read_only);
        if (atlas) {
            atlas->next = all_atlases;
            all_atlases = atlas;
        }
    }
    if (atlas) {
        atlas->reference_count++;
        pthread_mutex_lock(&atlas->mutex);
        atlas->limit = given.limit > 0 ? given.limit : JBW_ATLAS_DEFAULT_LIMIT;
        pthread_mutex_unlock(&atlas->mutex);
    } else {
        free(root);
    }
    pthread_mutex_unlock(&list_mutex);
    *out = atlas;
    return atlas ? JBW_OK : jbw_error_set_status(error, JBW_OUT_OF_MEMORY);
}

// ---- closing ----

void jbw_open_tile_destroy(jbw_open_tile *tile)
{
    jbw_tile_file_close(&tile->file);
    free(tile);
}

void jbw_atlas_retain(jbw_atlas *atlas)
{
    pthread_mutex_lock(&list_mutex);
    atlas->reference_count++;
    pthread_mutex_unlock(&list_mutex);
}

void jbw_atlas_release(jbw_atlas *atlas)
{
    pthread_mutex_lock(&list_mutex);
    const bool is_last = --atlas->reference_count == 0;
    jbw_atlas **link = &all_atlases;
    while (is_last && *link != atlas) link = &(*link)->next;
    if (is_last) *link = atlas->next;
    pthread_mutex_unlock(&list_mutex);
    if (!is_last) return;
    for (size_t i = 0; i < atlas->tile_count; i++) jbw_open_tile_destroy(atlas->tiles[i]);
    pthread_mutex_destroy(&atlas->add_mutex);
    pthread_mutex_destroy(&atlas->mutex);
    free(atlas->root);
    free(atlas);
}

void jbw_atlas_close(jbw_atlas *atlas)
{
    if (atlas) jbw_atlas_release(atlas);
}

const char *jbw_atlas_path(const jbw_atlas *atlas)
{
    return atlas->root;
}

bool jbw_atlas_is_read_only(const jbw_atlas *atlas)
{
    return atlas->is_read_only;
}

jbw_atlas_counts jbw_atlas_get_counts(const jbw_atlas *atlas)
{
    jbw_atlas *locked = (jbw_atlas *)atlas; // only its lock changes
    pthread_mutex_lock(&locked->mutex);
    const jbw_atlas_counts counts = atlas->counts;
    pthread_mutex_unlock(&locked->mutex);
    return counts;
}
