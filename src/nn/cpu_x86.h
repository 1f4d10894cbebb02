// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What an x86 processor can do. Asks the processor itself: `__builtin_cpu_supports` needs a part of the
/// compiler's library that not every compiler comes with.
#ifndef JBW_NN_CPU_X86_H
#define JBW_NN_CPU_X86_H

#include <cpuid.h>
#include <stdbool.h>
#include <stdint.h>

enum {
    JBW_CPU_YMM = 0x06, // registers that the system saves: SSE, AVX
    JBW_CPU_ZMM = 0xe6, // and those of AVX-512
};

// whether the system saves these registers when it switches between threads
static inline bool jbw_cpu_saves(uint32_t registers)
{
    uint32_t eax;
    uint32_t ebx;
    uint32_t ecx;
    uint32_t edx;
    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & bit_OSXSAVE)) return false;
    uint32_t low;
    uint32_t high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return (low & registers) == registers;
}

static inline bool jbw_cpu_has_avx2_and_fma(void)
{
    uint32_t eax;
    uint32_t ebx;
    uint32_t ecx;
    uint32_t edx;
    if (!jbw_cpu_saves(JBW_CPU_YMM)) return false;
    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & bit_FMA)) return false;
    return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && (ebx & bit_AVX2);
}

static inline bool jbw_cpu_has_avx512f(void)
{
    uint32_t eax;
    uint32_t ebx;
    uint32_t ecx;
    uint32_t edx;
    if (!jbw_cpu_saves(JBW_CPU_ZMM)) return false;
    return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && (ebx & bit_AVX512F);
}

#endif
