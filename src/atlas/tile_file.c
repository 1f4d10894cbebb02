// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "atlas/tile_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "atlas/patch_code.h"
#include "base/bytes.h"

enum {
    HEADER = 64,
    CHECKED = 56, // bytes of the header before its checksum
    SLOT = 8,
    FIRST_ENTRY = JBW_TILE_EMPTY_BYTES,
    SIZE_BITS = 24, // of a slot: the size of an entry; the rest is its offset
    CHECKSUM = 8,
    PREFIX = JBW_HASH_NAME_SIZE + 8 + 8 + 8, // what a checksum covers before the code
    MOST_WASTE = 4,       // a file this many times as large as it can need is made anew
    TOUCH_SECONDS = 3600, // how exactly the latest use is known
};

static const char magic[8] = {'J', 'B', 'W', 'A', 'T', 'L', 'A', 'S'};

// ---- places ----

static int64_t tile_coordinate(int64_t patch)
{
    return (patch - (patch < 0 ? JBW_TILE_SIDE - 1 : 0)) / JBW_TILE_SIDE;
}

jbw_position jbw_tile_of(jbw_position patch)
{
    return (jbw_position){tile_coordinate(patch.x), tile_coordinate(patch.y)};
}

size_t jbw_tile_slot_of(jbw_position patch)
{
    const jbw_position tile = jbw_tile_of(patch);
    return (size_t)((patch.y - tile.y * JBW_TILE_SIDE) * JBW_TILE_SIDE +
                    (patch.x - tile.x * JBW_TILE_SIDE));
}

jbw_position jbw_tile_patch_at(jbw_position tile, size_t slot)
{
    return (jbw_position){tile.x * JBW_TILE_SIDE + (int64_t)(slot % JBW_TILE_SIDE),
                          tile.y * JBW_TILE_SIDE + (int64_t)(slot / JBW_TILE_SIDE)};
}

static size_t cell_count_of(const jbw_tile_file *file)
{
    return (size_t)file->shape.patch_size * (size_t)file->shape.patch_size;
}

// ---- bytes ----

static bool read_at(int descriptor, uint8_t *bytes, size_t size, uint64_t offset)
{
    while (size > 0) {
        const ssize_t count = pread(descriptor, bytes, size, (off_t)offset);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return false;
        bytes += count;
        offset += (uint64_t)count;
        size -= (size_t)count;
    }
    return true;
}

// In one piece or not at all: the rest of a short write would land behind what others append.
static bool write_once(int descriptor, const uint8_t *bytes, size_t size)
{
    ssize_t count;
    do count = write(descriptor, bytes, size);
    while (count < 0 && errno == EINTR);
    return count == (ssize_t)size;
}

static uint64_t checksum_of(const uint8_t *bytes, size_t size)
{
    jbw_hasher hasher = jbw_hash_begin(0);
    jbw_hash_bytes(&hasher, bytes, size);
    return hasher.value;
}

static void write_header(const jbw_tile_file *file, uint8_t header[HEADER])
{
    memset(header, 0, HEADER);
    memcpy(header, magic, sizeof magic);
    jbw_put_u32(header + 8, JBW_ATLAS_VERSION);
    jbw_put_u32(header + 12, (uint32_t)file->shape.patch_size);
    memcpy(header + 16, file->name.world, JBW_HASH_NAME_SIZE);
    jbw_put_u64(header + 32, file->name.seed);
    jbw_put_u64(header + 40, (uint64_t)file->name.place.x);
    jbw_put_u64(header + 48, (uint64_t)file->name.place.y);
    jbw_put_u64(header + CHECKED, checksum_of(header, CHECKED));
}

// what an entry belongs to
static void write_prefix(const jbw_tile_file *file, jbw_position patch, uint8_t prefix[PREFIX])
{
    memcpy(prefix, file->name.world, JBW_HASH_NAME_SIZE);
    jbw_put_u64(prefix + JBW_HASH_NAME_SIZE, file->name.seed);
    jbw_put_u64(prefix + JBW_HASH_NAME_SIZE + 8, (uint64_t)patch.x);
    jbw_put_u64(prefix + JBW_HASH_NAME_SIZE + 16, (uint64_t)patch.y);
}

// ---- opening and creating ----

void jbw_tile_file_init(jbw_tile_file *file, const jbw_tile_name *name, jbw_tile_shape shape)
{
    *file = (jbw_tile_file){.name = *name, .shape = shape, .reads = -1, .appends = -1};
}

static jbw_tile_result read_slots(jbw_tile_file *file)
{
    uint8_t bytes[FIRST_ENTRY];
    uint8_t header[HEADER];
    if (!read_at(file->reads, bytes, sizeof bytes, 0)) return JBW_TILE_DAMAGED;
    write_header(file, header);
    if (memcmp(bytes, header, HEADER) != 0) return JBW_TILE_DAMAGED;
    for (size_t i = 0; i < JBW_TILE_SLOTS; i++)
        atomic_store_explicit(&file->slots[i], jbw_get_u64(bytes + HEADER + i * SLOT),
                              memory_order_relaxed);
    return JBW_TILE_FOUND;
}

jbw_tile_result jbw_tile_file_open(jbw_tile_file *file, const char *path, bool is_read_only)
{
    // a link could lead anywhere; and a pipe would make us wait
    const int flags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
    file->reads = open(path, (is_read_only ? O_RDONLY : O_RDWR) | flags);
    if (file->reads < 0 && !is_read_only && (errno == EACCES || errno == EROFS))
        file->reads = open(path, O_RDONLY | flags);
    if (file->reads < 0 && errno == ENOENT) return JBW_TILE_MISSING;
    if (file->reads < 0) return errno == ELOOP ? JBW_TILE_DAMAGED : JBW_TILE_REFUSED;
    struct stat about;
    const bool is_file = fstat(file->reads, &about) == 0 && S_ISREG(about.st_mode);
    const jbw_tile_result result = is_file ? read_slots(file) : JBW_TILE_DAMAGED;
    if (result) jbw_tile_file_close(file);
    return result;
}

bool jbw_tile_file_create(const jbw_tile_file *file, const char *path, const char *temp_path,
                          bool replaces)
{
    uint8_t bytes[FIRST_ENTRY] = {0};
    write_header(file, bytes);
    const int descriptor =
        open(temp_path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (descriptor < 0) return false;
    bool is_good = write_once(descriptor, bytes, sizeof bytes);
    is_good = close(descriptor) == 0 && is_good;
    if (is_good && !replaces) {
        if (link(temp_path, path) == 0 || errno == EEXIST) {
            unlink(temp_path);
            return true;
        } // file systems without links: the latest wins, and what others append to theirs is lost
    }
    is_good = is_good && rename(temp_path, path) == 0;
    if (!is_good) unlink(temp_path);
    return is_good;
}

void jbw_tile_file_close(jbw_tile_file *file)
{
    if (file->reads >= 0) close(file->reads);
    if (file->appends >= 0) close(file->appends);
    file->reads = file->appends = -1;
}

void jbw_tile_file_touch(const jbw_tile_file *file)
{
    struct stat about;
    if (fstat(file->reads, &about) != 0 || time(NULL) - about.st_mtime < TOUCH_SECONDS) return;
    (void)futimens(file->reads, NULL); // a wrong time costs nothing but a wrong choice
}

// ---- reading ----

bool jbw_tile_file_has(const jbw_tile_file *file, jbw_position patch)
{
    return atomic_load_explicit(&file->slots[jbw_tile_slot_of(patch)], memory_order_relaxed) != 0;
}

// reads an entry into `room`, behind its prefix; true if it is what it should be
static bool read_entry(const jbw_tile_file *file, jbw_position patch, uint64_t offset, size_t size,
                       uint8_t *room)
{
    // the checksum comes first in the file: it is read to where the end of the prefix belongs
    uint8_t *entry = room + PREFIX - CHECKSUM;
    if (!read_at(file->reads, entry, size, offset)) return false;
    const uint64_t checksum = jbw_get_u64(entry);
    write_prefix(file, patch, room);
    return checksum == checksum_of(room, PREFIX + size - CHECKSUM);
}

// reads and decodes the entry that a slot points to; `cells` may be NULL, to check it only
static bool use_slot(const jbw_tile_file *file, jbw_position patch, uint64_t slot, uint8_t *cells)
{
    enum { USUAL = 6144 };
    const size_t size = slot & ((UINT64_C(1) << SIZE_BITS) - 1);
    const uint64_t offset = slot >> SIZE_BITS;
    const size_t most = CHECKSUM + jbw_patch_code_most(cell_count_of(file));
    if (size <= CHECKSUM || size > most || offset < FIRST_ENTRY) return false;

    uint8_t usual[PREFIX + USUAL + JBW_PATCH_CODE_SLACK];
    uint8_t *room = size <= USUAL ? usual : malloc(PREFIX + size + JBW_PATCH_CODE_SLACK);
    if (!room) return false;
    bool is_good = read_entry(file, patch, offset, size, room);
    if (is_good && cells) {
        memset(room + PREFIX + size - CHECKSUM, 0, JBW_PATCH_CODE_SLACK);
        is_good = jbw_patch_decode(room + PREFIX, size - CHECKSUM, cell_count_of(file),
                                   (unsigned)file->shape.type_count, cells);
    }
    if (room != usual) free(room);
    return is_good;
}

static bool read_slot(jbw_tile_file *file, size_t index, uint64_t *slot)
{
    uint8_t bytes[SLOT];
    if (!read_at(file->reads, bytes, SLOT, HEADER + index * SLOT)) return false;
    *slot = jbw_get_u64(bytes);
    atomic_store_explicit(&file->slots[index], *slot, memory_order_relaxed);
    return true;
}

jbw_tile_result jbw_tile_file_find(jbw_tile_file *file, jbw_position patch, uint8_t *cells,
                                   size_t *bytes)
{
    const size_t index = jbw_tile_slot_of(patch);
    const uint64_t known = atomic_load_explicit(&file->slots[index], memory_order_relaxed);
    uint64_t slot = known;
    bool is_good = slot != 0 && use_slot(file, patch, slot, cells);
    // another process may have set it since
    if (!is_good && read_slot(file, index, &slot) && slot != known && slot != 0)
        is_good = use_slot(file, patch, slot, cells);
    if (bytes) *bytes = slot & ((UINT64_C(1) << SIZE_BITS) - 1);
    if (is_good) return JBW_TILE_FOUND;
    return slot != 0 ? JBW_TILE_DAMAGED : JBW_TILE_MISSING;
}

// ---- adding ----

// whether the file is still the one at its path, of a reasonable size, and can be appended to
static jbw_tile_added prepare(jbw_tile_file *file, const char *path)
{
    struct stat about;
    struct stat at_path;
    if (file->appends < 0)
        file->appends = open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (file->appends < 0) return errno == ENOENT ? JBW_TILE_IS_GONE : JBW_TILE_FAILED;
    if (fstat(file->reads, &about) != 0 || fstat(file->appends, &at_path) != 0)
        return JBW_TILE_FAILED;
    const uint64_t most = FIRST_ENTRY + MOST_WASTE * JBW_TILE_SLOTS *
                                            (CHECKSUM + jbw_patch_code_most(cell_count_of(file)));
    const bool is_same = about.st_ino == at_path.st_ino && about.st_dev == at_path.st_dev;
    if (!is_same || about.st_nlink == 0) return JBW_TILE_IS_GONE;
    if (about.st_size < FIRST_ENTRY || (uint64_t)about.st_size > most) return JBW_TILE_IS_BROKEN;
    return JBW_TILE_ADDED;
}

static bool append(const jbw_tile_file *file, size_t index, const uint8_t *entry, size_t size)
{
    if (!write_once(file->appends, entry, size)) return false;
    const off_t end = lseek(file->appends, 0, SEEK_CUR); // behind what was just appended
    if (end < (off_t)(FIRST_ENTRY + size)) return false;
    uint8_t slot[SLOT];
    jbw_put_u64(slot, ((uint64_t)end - size) << SIZE_BITS | size);
    return pwrite(file->reads, slot, SLOT, (off_t)(HEADER + index * SLOT)) == SLOT;
}

jbw_tile_added jbw_tile_file_add(jbw_tile_file *file, const char *path, jbw_position patch,
                                 const uint8_t *cells, size_t *bytes)
{
    const size_t index = jbw_tile_slot_of(patch);
    const jbw_tile_added ready = prepare(file, path);
    if (ready) return ready;
    uint64_t slot;
    if (!read_slot(file, index, &slot)) return JBW_TILE_IS_BROKEN; // truncated
    if (slot != 0 && use_slot(file, patch, slot, NULL)) return JBW_TILE_WAS_THERE;

    const size_t cell_count = cell_count_of(file);
    uint8_t *room = malloc(PREFIX + jbw_patch_code_most(cell_count) + JBW_PATCH_CODE_SLACK);
    if (!room) return JBW_TILE_FAILED;
    const size_t code_size = jbw_patch_encode(cells, cell_count, room + PREFIX);
    write_prefix(file, patch, room);
    uint8_t *entry = room + PREFIX - CHECKSUM;
    jbw_put_u64(entry, checksum_of(room, PREFIX + code_size)); // over the end of the prefix
    const bool is_good = append(file, index, entry, CHECKSUM + code_size);
    free(room);
    *bytes = CHECKSUM + code_size;
    if (!is_good) return JBW_TILE_FAILED;
    (void)read_slot(file, index, &slot);
    return JBW_TILE_ADDED;
}
