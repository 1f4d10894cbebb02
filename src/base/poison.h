// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Telling the address sanitizer which bytes of a block are in use: it sees blocks, not the pieces of
/// them that are handed out.
#ifndef JBW_BASE_POISON_H
#define JBW_BASE_POISON_H

#if defined(__SANITIZE_ADDRESS__)
#define JBW_IS_POISONED 1
#elif defined(__has_feature)
#define JBW_IS_POISONED __has_feature(address_sanitizer)
#else
#define JBW_IS_POISONED 0
#endif

#if JBW_IS_POISONED
#include <sanitizer/asan_interface.h>
#define JBW_POISON(memory, size) ASAN_POISON_MEMORY_REGION(memory, size)
#define JBW_UNPOISON(memory, size) ASAN_UNPOISON_MEMORY_REGION(memory, size)
#else
#define JBW_POISON(memory, size) ((void)(memory), (void)(size))
#define JBW_UNPOISON(memory, size) ((void)(memory), (void)(size))
#endif

enum { JBW_POISON_GAP = JBW_IS_POISONED ? 64 : 0 }; // between two pieces

#endif
