# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

# What a user can choose, and `jbw_settings`: the flags that everything of ours is compiled with.

include(CMakeDependentOption)
option(JBW_BUILD_SNAPSHOT "snapshots and recordings (needs libzstd)" ${PROJECT_IS_TOP_LEVEL})
option(JBW_BUILD_IO "world files and pictures (needs that and libfyaml)" ${PROJECT_IS_TOP_LEVEL})
option(JBW_PICTURES "PNG files (needs libpng); without it, drawing them fails and says so" ON)
option(JBW_BUILD_BATCH "many worlds at once (needs POSIX threads)" ${PROJECT_IS_TOP_LEVEL})
set(is_native_top_level ${PROJECT_IS_TOP_LEVEL})
if(CMAKE_CROSSCOMPILING)
    set(is_native_top_level OFF)
endif()
option(JBW_NET "server and client (needs libwebsockets, OpenSSL, and those above)"
       ${is_native_top_level})
option(JBW_BUILD_CLI "the jbw tool (needs world files and batches)" ${PROJECT_IS_TOP_LEVEL})
option(JBW_BUILD_PYTHON "the Python extension (needs world files, batches, Python and NumPy)" OFF)
cmake_dependent_option(JBW_BUILD_TESTS "the tests (need cmocka and JBW_PICTURES)" ${PROJECT_IS_TOP_LEVEL}
                       JBW_PICTURES OFF)
option(JBW_BUILD_FUZZERS "the fuzz targets, replaying their corpus" ${PROJECT_IS_TOP_LEVEL})
option(JBW_LIBFUZZER "let the fuzz targets search with libFuzzer (needs clang)" OFF)
option(JBW_SIMD "wide vectors, chosen at run time, with the same results" ON)
option(JBW_FAST_LOOPS "optimise the loops of src/nn in debug builds, too" ON)
option(JBW_WERROR "treat warnings as errors" OFF)
set(JBW_SANITIZE "" CACHE STRING "sanitizers, such as address,undefined")
set(JBW_GOLDEN_WORLDS "" CACHE FILEPATH "golden_worlds.inl of a native build, for a cross build")

if(JBW_BUILD_IO AND NOT JBW_BUILD_SNAPSHOT)
    message(FATAL_ERROR "JBW_BUILD_IO needs JBW_BUILD_SNAPSHOT")
endif()
if(JBW_NET AND NOT (JBW_BUILD_IO AND JBW_BUILD_BATCH))
    message(FATAL_ERROR "JBW_NET needs JBW_BUILD_IO and JBW_BUILD_BATCH")
endif()
if(JBW_BUILD_PYTHON AND NOT (JBW_BUILD_IO AND JBW_BUILD_BATCH))
    message(FATAL_ERROR "JBW_BUILD_PYTHON needs JBW_BUILD_IO and JBW_BUILD_BATCH")
endif()
if(JBW_BUILD_CLI AND NOT (JBW_BUILD_IO AND JBW_BUILD_BATCH))
    message(FATAL_ERROR "JBW_BUILD_CLI needs JBW_BUILD_IO and JBW_BUILD_BATCH")
endif()

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release or RelWithDebInfo" FORCE)
endif()

set(CMAKE_C_STANDARD 17)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(JBW_IS_WASM OFF)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "wasm32")
    set(JBW_IS_WASM ON)
endif()
if(NOT JBW_IS_WASM)
    set(CMAKE_POSITION_INDEPENDENT_CODE ON)
endif()
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_C_FLAGS_RELEASE "-O3 -DNDEBUG")
if(JBW_IS_WASM)
    set(CMAKE_C_FLAGS_RELEASE "-Oz -DNDEBUG")
    # the linker sees all files at once, and inlines what makes the module smaller: 12 KB less, as fast as before
    add_compile_options(-flto)
    add_link_options(-Wl,-mllvm,-inline-threshold=5)
endif()
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g1") # assertions stay alive, and sanitizers name lines

# programs and libraries land at the top of the build folder
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
set(CMAKE_ARCHIVE_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})

add_library(jbw_settings INTERFACE)
target_include_directories(jbw_settings INTERFACE
    ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src ${PROJECT_BINARY_DIR}/generated)
target_compile_options(jbw_settings INTERFACE
    -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wundef -Wstrict-prototypes
    -Wmissing-prototypes
    -ffp-contract=off # a fused multiply-add rounds once instead of twice: other bits
    $<$<BOOL:${JBW_WERROR}>:-Werror>)
target_link_libraries(jbw_settings INTERFACE m)

if(JBW_SANITIZE)
    target_compile_options(jbw_settings INTERFACE
        -fsanitize=${JBW_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${JBW_SANITIZE})
    set(JBW_SIMD OFF) # the dispatch runs before a sanitizer is ready
endif()
if(JBW_LIBFUZZER)
    target_compile_options(jbw_settings INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(JBW_IS_WASM)
    target_compile_definitions(jbw_settings INTERFACE JBW_SMALL=1) # loops are not written out for each width
endif()
if(JBW_SIMD)
    target_compile_definitions(jbw_settings INTERFACE JBW_SIMD=1)
endif()
