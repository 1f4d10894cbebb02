// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Loops that are compiled for wide vectors too, and chosen when the program starts. Only where every
/// version gives the same result: for whole numbers, and for fractions that are not added up in the loop.
#ifndef JBW_SIM_SIMD_H
#define JBW_SIM_SIMD_H

#include <stdint.h>

// The linker of Linux and its like chooses. Names must be unique in the library even if they are static:
// clang makes a global symbol of each.
#if defined(JBW_SIMD) && JBW_SIMD && defined(__x86_64__) && defined(__GNUC__) && defined(__ELF__)
#define JBW_SIMD_CLONES __attribute__((target_clones("default", "avx2")))
#else
#define JBW_SIMD_CLONES
#endif

// what a wide function calls must become part of it, or it would not be wide
#if defined(__GNUC__)
#define JBW_INLINE static inline __attribute__((always_inline))
#else
#define JBW_INLINE static inline
#endif

// the same for large functions: where size counts (WebAssembly, which has no wider functions), the
// compiler decides how many copies there are
#ifdef JBW_SMALL
#define JBW_INLINE_LARGE static inline
#else
#define JBW_INLINE_LARGE JBW_INLINE
#endif

// asks for memory that will be read soon
#if defined(__GNUC__)
#define JBW_PREFETCH(address) __builtin_prefetch(address)
#else
#define JBW_PREFETCH(address) ((void)(address))
#endif

// a condition that is as good as random, so that a choice is better than a branch
#if defined(__GNUC__) && !defined(__clang__)
#define JBW_UNPREDICTABLE(condition) __builtin_expect_with_probability(condition, 1, 0.5)
#elif defined(__clang__)
#define JBW_UNPREDICTABLE(condition) __builtin_unpredictable(condition)
#else
#define JBW_UNPREDICTABLE(condition) (condition)
#endif

// Eight or sixteen whole numbers at a time, wherever they lie. What compilers make of plain loops over them is
// a matter of luck once there are comparisons.
#if defined(__GNUC__)
#define JBW_HAS_I32X8 1
typedef int32_t jbw_i32x8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef uint32_t jbw_u32x8 __attribute__((vector_size(32), aligned(4), may_alias));
typedef int16_t jbw_i16x16 __attribute__((vector_size(32), aligned(2), may_alias));
typedef uint16_t jbw_u16x16 __attribute__((vector_size(32), aligned(2), may_alias));
#else
#define JBW_HAS_I32X8 0
#endif

#endif
