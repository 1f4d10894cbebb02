// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "atlas/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"

enum {
    NAME_SIZE = 64,      // of a file or folder of ours
    PART_SECONDS = 3600, // what was not finished for so long never will be
    MOST_WORLD_BYTES = 1 << 24,
};

static const jbw_allocator system_memory; // all zero: malloc and free

// ---- names ----

void jbw_folder_world_name(const uint8_t world[JBW_HASH_NAME_SIZE], char out[JBW_WORLD_NAME_SIZE])
{
    for (int i = 0; i < JBW_HASH_NAME_SIZE; i++)
        snprintf(out + (ptrdiff_t)2 * i, 3, "%02x", (unsigned)world[i]);
}

// The path of a world's folder, or of something in it, if `more` is not empty.
static void world_path(const char *root, const uint8_t world[JBW_HASH_NAME_SIZE], const char *more,
                       char out[JBW_ATLAS_PATH_SIZE])
{
    char name[JBW_WORLD_NAME_SIZE];
    jbw_folder_world_name(world, name);
    snprintf(out, JBW_ATLAS_PATH_SIZE, "%s/atlas-%d/%s%s%s", root, JBW_ATLAS_VERSION, name,
             *more ? "/" : "", more);
}

static void seed_path(const char *root, const jbw_tile_name *name, char out[JBW_ATLAS_PATH_SIZE])
{
    char seed[NAME_SIZE];
    snprintf(seed, sizeof seed, "%016" PRIx64, name->seed);
    world_path(root, name->world, seed, out);
}

static void name_of_tile(jbw_position place, char out[NAME_SIZE])
{
    snprintf(out, NAME_SIZE, "%" PRId64 "_%" PRId64 ".tile", place.x, place.y);
}

void jbw_folder_tile_path(const char *root, const jbw_tile_name *name,
                          char out[JBW_ATLAS_PATH_SIZE])
{
    char tile[NAME_SIZE];
    name_of_tile(name->place, tile);
    char more[2 * NAME_SIZE];
    snprintf(more, sizeof more, "%016" PRIx64 "/%s", name->seed, tile);
    world_path(root, name->world, more, out);
}

static int digit_of(char letter)
{
    if (letter >= '0' && letter <= '9') return letter - '0';
    return letter >= 'a' && letter <= 'f' ? letter - 'a' + 10 : -1;
}

// Each of these is false unless a name is exactly what we would have called it.
static bool read_hexadecimal(const char *name, uint8_t *out, size_t size)
{
    if (strlen(name) != 2 * size) return false;
    for (size_t i = 0; i < size; i++) {
        const int high = digit_of(name[2 * i]);
        const int low = digit_of(name[2 * i + 1]);
        if (high < 0 || low < 0) return false;
        out[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}

static bool read_seed(const char *name, uint64_t *seed)
{
    uint8_t bytes[8];
    if (!read_hexadecimal(name, bytes, sizeof bytes)) return false;
    *seed = 0;
    for (size_t i = 0; i < sizeof bytes; i++) *seed = *seed << 8 | bytes[i];
    return true;
}

static bool read_tile_place(const char *name, jbw_position *place)
{
    char *end;
    errno = 0;
    place->x = strtoll(name, &end, 10);
    if (errno || *end != '_') return false;
    place->y = strtoll(end + 1, NULL, 10);
    char again[NAME_SIZE];
    name_of_tile(*place, again);
    return !errno && strcmp(name, again) == 0;
}

// ---- making ----

static void part_path(const char *path, char out[JBW_ATLAS_PATH_SIZE])
{
    static atomic_uint counter;
    snprintf(out, JBW_ATLAS_PATH_SIZE, "%.*s.%ld-%x-%llx.part", JBW_ATLAS_ROOT_MOST + 160, path,
             (long)getpid(), atomic_fetch_add(&counter, 1), (unsigned long long)time(NULL));
}

static bool make_folder(const char *path)
{
    return mkdir(path, 0777) == 0 || errno == EEXIST;
}

static bool write_file(const char *path, const uint8_t *bytes, size_t size)
{
    char part[JBW_ATLAS_PATH_SIZE];
    part_path(path, part);
    const int descriptor = open(part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (descriptor < 0) return false;
    bool is_good = write(descriptor, bytes, size) == (ssize_t)size;
    is_good = close(descriptor) == 0 && is_good && rename(part, path) == 0;
    if (!is_good) unlink(part);
    return is_good;
}

bool jbw_folder_prepare(const char *root, const jbw_tile_name *name, const uint8_t *world,
                        size_t world_size)
{
    char path[JBW_ATLAS_PATH_SIZE];
    snprintf(path, sizeof path, "%s/atlas-%d", root, JBW_ATLAS_VERSION);
    if (!make_folder(path)) return false;
    world_path(root, name->world, "", path);
    if (!make_folder(path)) return false;
    seed_path(root, name, path);
    if (!make_folder(path)) return false;
    world_path(root, name->world, "world", path);
    struct stat about;
    if (lstat(path, &about) == 0 && S_ISREG(about.st_mode) && (size_t)about.st_size == world_size)
        return true;
    return write_file(path, world, world_size);
}

bool jbw_folder_read_world(const char *root, const uint8_t name[JBW_HASH_NAME_SIZE],
                           jbw_buffer *out)
{
    char path[JBW_ATLAS_PATH_SIZE];
    world_path(root, name, "world", path);
    const int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    struct stat about;
    if (descriptor < 0) return true;
    bool has_memory = true;
    if (fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0 &&
        about.st_size <= MOST_WORLD_BYTES) {
        const size_t size = (size_t)about.st_size;
        uint8_t *bytes = malloc(size);
        has_memory = bytes != NULL;
        uint8_t found[JBW_HASH_NAME_SIZE] = {0};
        if (bytes && read(descriptor, bytes, size) == (ssize_t)size)
            jbw_hash_name(bytes, size, found);
        if (bytes && memcmp(found, name, sizeof found) == 0)
            has_memory = jbw_buffer_append(out, bytes, size);
        free(bytes);
    }
    close(descriptor);
    return has_memory;
}

bool jbw_folder_create_tile(const jbw_tile_file *file, const char *path, bool replaces)
{
    char part[JBW_ATLAS_PATH_SIZE];
    part_path(path, part);
    return jbw_tile_file_create(file, path, part, replaces);
}

// ---- listing ----

typedef struct lister {
    const char *root;
    bool removes_parts;
    jbw_tile_list *list;
    jbw_tile_name name; // of what is being listed
} lister;

static bool has_end(const char *name, const char *end)
{
    const size_t length = strlen(name);
    return length > strlen(end) && strcmp(name + length - strlen(end), end) == 0;
}

static bool is_old(const struct stat *about)
{
    return time(NULL) - about->st_mtime > PART_SECONDS;
}

static bool list_tile(lister *l, const char *folder, const char *name)
{
    char path[JBW_ATLAS_PATH_SIZE];
    struct stat about;
    const bool is_part = has_end(name, ".part");
    if (!is_part && !read_tile_place(name, &l->name.place)) return true;
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path) return true;
    if (lstat(path, &about) != 0 || !S_ISREG(about.st_mode)) return true;
    if (is_part) {
        if (l->removes_parts && is_old(&about)) unlink(path);
        return true;
    }
    jbw_tile_list *list = l->list;
    if (!JBW_GROW(&system_memory, list->tiles, list->capacity, list->count + 1)) return false;
    list->tiles[list->count++] = (jbw_listed_tile){
        .name = l->name,
        .bytes = (uint64_t)about.st_size,
        .used = (int64_t)about.st_mtim.tv_sec * 1000000000 + about.st_mtim.tv_nsec,
    };
    list->bytes += (uint64_t)about.st_size;
    return true;
}

typedef bool lister_function(lister *l, const char *folder, const char *name);

// calls a function for everything in a folder; a folder that cannot be read is empty
static bool list_folder(lister *l, const char *path, lister_function *take)
{
    DIR *folder = opendir(path);
    if (!folder) return true;
    bool has_memory = true;
    for (struct dirent *entry; has_memory && (entry = readdir(folder));)
        has_memory = take(l, path, entry->d_name);
    closedir(folder);
    return has_memory;
}

static bool list_seed(lister *l, const char *folder, const char *name)
{
    (void)folder;
    char path[JBW_ATLAS_PATH_SIZE];
    if (!read_seed(name, &l->name.seed)) return true;
    seed_path(l->root, &l->name, path);
    return list_folder(l, path, list_tile);
}

static bool list_world(lister *l, const char *folder, const char *name)
{
    (void)folder;
    char path[JBW_ATLAS_PATH_SIZE];
    if (!read_hexadecimal(name, l->name.world, sizeof l->name.world)) return true;
    world_path(l->root, l->name.world, "", path);
    return list_folder(l, path, list_seed);
}

static int compare_numbers(int64_t a, int64_t b)
{
    return a < b ? -1 : a > b;
}

static int compare_names(const void *a, const void *b)
{
    const jbw_tile_name *p = &((const jbw_listed_tile *)a)->name;
    const jbw_tile_name *q = &((const jbw_listed_tile *)b)->name;
    int order = memcmp(p->world, q->world, sizeof p->world);
    if (order == 0) order = p->seed < q->seed ? -1 : p->seed > q->seed;
    if (order == 0) order = compare_numbers(p->place.y, q->place.y);
    return order != 0 ? order : compare_numbers(p->place.x, q->place.x);
}

bool jbw_folder_list(const char *root, bool removes_parts, jbw_tile_list *out)
{
    *out = (jbw_tile_list){0};
    lister l = {.root = root, .removes_parts = removes_parts, .list = out};
    char path[JBW_ATLAS_PATH_SIZE];
    snprintf(path, sizeof path, "%s/atlas-%d", root, JBW_ATLAS_VERSION);
    const bool has_memory = list_folder(&l, path, list_world);
    if (out->count > 0) qsort(out->tiles, out->count, sizeof *out->tiles, compare_names);
    if (!has_memory) jbw_tile_list_deinit(out);
    return has_memory;
}

void jbw_tile_list_deinit(jbw_tile_list *list)
{
    jbw_free(&system_memory, list->tiles, list->capacity * sizeof *list->tiles);
    *list = (jbw_tile_list){0};
}

// ---- pruning ----

// the least recently used first
static int compare_use(const void *a, const void *b)
{
    return compare_numbers(((const jbw_listed_tile *)a)->used, ((const jbw_listed_tile *)b)->used);
}

static void remove_empty_folders(const char *root, const jbw_tile_name *name)
{
    char path[JBW_ATLAS_PATH_SIZE];
    seed_path(root, name, path);
    (void)rmdir(path); // fails unless it is empty
}

void jbw_folder_prune(const char *root, jbw_tile_list *list, uint64_t limit, uint64_t *removed,
                      uint64_t *bytes)
{
    *removed = *bytes = 0;
    if (list->count > 0) qsort(list->tiles, list->count, sizeof *list->tiles, compare_use);
    for (size_t i = 0; i < list->count && list->bytes - *bytes > limit; i++) {
        char path[JBW_ATLAS_PATH_SIZE];
        jbw_folder_tile_path(root, &list->tiles[i].name, path);
        if (unlink(path) != 0 && errno != ENOENT) continue;
        *bytes += list->tiles[i].bytes;
        ++*removed;
        remove_empty_folders(root, &list->tiles[i].name);
    }
}
