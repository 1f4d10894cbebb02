# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

# `jbw_zstd`: libzstd, as pkg-config knows it. For other processors it comes from a folder of its own
# (scripts/sysroot) that pkg-config knows nothing of, and is linked statically.
add_library(jbw_zstd INTERFACE)
if(CMAKE_CROSSCOMPILING)
    find_path(JBW_ZSTD_HEADERS zstd.h)
    find_library(JBW_ZSTD_LIBRARY NAMES libzstd.a zstd)
    if(NOT JBW_ZSTD_HEADERS OR NOT JBW_ZSTD_LIBRARY)
        message(FATAL_ERROR "zstd was not found; scripts/sysroot gets it for other processors")
    endif()
    target_include_directories(jbw_zstd SYSTEM INTERFACE ${JBW_ZSTD_HEADERS})
    target_link_libraries(jbw_zstd INTERFACE ${JBW_ZSTD_LIBRARY})
else()
    find_package(PkgConfig REQUIRED)
    pkg_check_modules(zstd REQUIRED IMPORTED_TARGET libzstd)
    target_link_libraries(jbw_zstd INTERFACE PkgConfig::zstd)
endif()
