// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The basis of all other headers: visibility, version, status codes, errors, memory.
#ifndef JBW_BASE_H
#define JBW_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define JBW_BEGIN_DECLS extern "C" {
#define JBW_END_DECLS }
#else
#define JBW_BEGIN_DECLS
#define JBW_END_DECLS
#endif

#if defined(__GNUC__)
#define JBW_API __attribute__((visibility("default")))
#define JBW_PRINTF(format_index, first_argument) \
    __attribute__((format(printf, format_index, first_argument)))
#else
#define JBW_API
#define JBW_PRINTF(format_index, first_argument)
#endif

JBW_BEGIN_DECLS

#define JBW_VERSION_MAJOR 0
#define JBW_VERSION_MINOR 1
#define JBW_VERSION_PATCH 0

/// The version of the library at run time, such as "0.1.0".
JBW_API const char *jbw_version(void);

/// Every status that a function can return: its name, and a text for messages.
#define JBW_STATUS_LIST(X)                                                   \
    X(OK, "success")                                                         \
    X(OUT_OF_MEMORY, "out of memory")                                        \
    X(INVALID_ARGUMENT, "invalid argument")                                  \
    X(INVALID_CONFIG, "invalid world configuration")                         \
    X(INVALID_EXPRESSION, "invalid expression")                              \
    X(NOT_FOUND, "not found")                                                \
    X(OUT_OF_RANGE, "too far from the origin or from the beginning of time") \
    X(NO_SUCH_AGENT, "no such agent, or it was removed")                     \
    X(CELL_BLOCKED, "the cell is blocked or occupied")                       \
    X(READ_FAILED, "reading failed")                                         \
    X(WRITE_FAILED, "writing failed")                                        \
    X(UNSUPPORTED, "not supported by this build")                            \
    X(INVALID_DATA, "the data is damaged or of another kind")                \
    X(NO_CONNECTION, "not connected")                                        \
    X(TIMED_OUT, "timed out")                                                \
    X(NOT_PERMITTED, "not permitted")                                        \
    X(INTERRUPTED, "interrupted")

/// The result of a call. JBW_OK is zero, so `if (status)` means "if it failed".
typedef enum jbw_status {
#define JBW_STATUS_ENUM(name, text) JBW_##name,
    JBW_STATUS_LIST(JBW_STATUS_ENUM)
#undef JBW_STATUS_ENUM
} jbw_status;

/// The name of a status, such as "OUT_OF_MEMORY". Never NULL.
JBW_API const char *jbw_status_name(jbw_status status);

/// The text of a status, such as "out of memory". Never NULL.
JBW_API const char *jbw_status_text(jbw_status status);

/// The detail of a failure. Functions that take one accept NULL. `line` and `column` count from
/// one; they are zero if the error is not about a place in a text.
typedef struct jbw_error {
    int line;
    int column;
    char text[480];
} jbw_error;

/// Whether a call that takes long should stop.
typedef bool jbw_interrupt_function(void *user);

/// Where memory comes from. All zero means malloc and free. `release` gets the size that was
/// allocated and is never called with NULL. Both functions must be safe to call from every thread
/// that uses objects created with the allocator.
typedef struct jbw_allocator {
    void *(*allocate)(size_t size, void *user);
    void (*release)(void *memory, size_t size, void *user);
    void *user;
} jbw_allocator;

/// A growing array of bytes. All zero is an empty buffer that uses malloc and free.
typedef struct jbw_buffer {
    uint8_t *bytes;
    size_t size;
    size_t capacity;
    jbw_allocator allocator;
} jbw_buffer;

/// Frees the bytes of a buffer and makes it empty.
JBW_API void jbw_buffer_free(jbw_buffer *buffer);

/// Appends bytes. Returns false if memory runs out, and then leaves the buffer unchanged.
JBW_API bool jbw_buffer_append(jbw_buffer *buffer, const void *bytes, size_t size);

/// Takes bytes piece by piece, for what should not be in memory all at once.
typedef struct jbw_sink {
    bool (*take)(void *user, const void *bytes, size_t size); ///< false if it can take no more
    void *user;
} jbw_sink;

JBW_END_DECLS

#endif
