// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What every other header stands on: visibility, version, status codes, errors, memory.
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

/// The version of the library that is running, such as "0.1.0".
JBW_API const char *jbw_version(void);

/// Every status a function can return: name, and what it means to a person.
#define JBW_STATUS_LIST(X)                                      \
    X(OK, "success")                                            \
    X(OUT_OF_MEMORY, "out of memory")                           \
    X(INVALID_ARGUMENT, "an argument is not valid")             \
    X(INVALID_CONFIG, "the world's configuration is not valid") \
    X(INVALID_EXPRESSION, "the expression is not valid")        \
    X(NOT_FOUND, "not found")                                   \
    X(OUT_OF_RANGE, "a position is too far from the origin")    \
    X(NO_SUCH_AGENT, "there is no such agent, or not any more") \
    X(CELL_BLOCKED, "the cell is blocked, or taken")            \
    X(READ_FAILED, "reading failed")                            \
    X(WRITE_FAILED, "writing failed")                           \
    X(UNSUPPORTED, "not supported by this build")               \
    X(INVALID_DATA, "the data are damaged, or of another kind") \
    X(NO_CONNECTION, "there is no connection")                  \
    X(TIMED_OUT, "no answer came in time")                      \
    X(NOT_PERMITTED, "not permitted")

/// What became of a call. JBW_OK is zero, so `if (status)` reads as "if it failed".
typedef enum jbw_status {
#define JBW_STATUS_ENUM(name, text) JBW_##name,
    JBW_STATUS_LIST(JBW_STATUS_ENUM)
#undef JBW_STATUS_ENUM
} jbw_status;

/// The name of a status, such as "OUT_OF_MEMORY". Never NULL.
JBW_API const char *jbw_status_name(jbw_status status);

/// One line for a person, such as "out of memory". Never NULL.
JBW_API const char *jbw_status_text(jbw_status status);

/// The detail of a failure. Functions that take one accept NULL. `line` and `column` count from
/// one; zero means that the error has no place in a text.
typedef struct jbw_error {
    int line;
    int column;
    char text[480];
} jbw_error;

/// Where memory comes from. All zero means malloc and free. `release` gets the size that was
/// asked for, and is never called with NULL. Both must be callable from every thread that uses
/// the objects made with it.
typedef struct jbw_allocator {
    void *(*allocate)(size_t size, void *user);
    void (*release)(void *memory, size_t size, void *user);
    void *user;
} jbw_allocator;

/// Bytes that grow. All zero is empty, with malloc and free.
typedef struct jbw_buffer {
    uint8_t *bytes;
    size_t size;
    size_t capacity;
    jbw_allocator allocator;
} jbw_buffer;

/// Frees what a buffer holds, and makes it empty.
JBW_API void jbw_buffer_free(jbw_buffer *buffer);

/// Appends bytes. False when memory runs out; then the buffer is as it was.
JBW_API bool jbw_buffer_append(jbw_buffer *buffer, const void *bytes, size_t size);

JBW_END_DECLS

#endif
