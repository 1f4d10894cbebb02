# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

# Other systems, by zig's clang: -DJBW_ZIG_TARGET=aarch64-macos, for instance. JBW_ZIG_LIBRARIES may name a
# folder with libraries that were built for the same system.

set(CMAKE_TRY_COMPILE_PLATFORM_VARIABLES JBW_ZIG_TARGET JBW_ZIG_LIBRARIES)
string(REGEX MATCH "^([a-z0-9_]+)-([a-z]+)" unused "${JBW_ZIG_TARGET}")
set(CMAKE_SYSTEM_PROCESSOR ${CMAKE_MATCH_1})
set(system_linux Linux)
set(system_macos Darwin)
set(system_windows Windows)
set(CMAKE_SYSTEM_NAME ${system_${CMAKE_MATCH_2}})

execute_process(COMMAND ${CMAKE_CURRENT_LIST_DIR}/../../scripts/zig ${JBW_ZIG_TARGET}
                OUTPUT_VARIABLE tools OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
set(CMAKE_C_COMPILER ${tools}/cc)
set(CMAKE_AR ${tools}/ar)
set(CMAKE_RANLIB ${tools}/ranlib)
set(CMAKE_FIND_ROOT_PATH ${JBW_ZIG_LIBRARIES})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)

# functions with clones for wide vectors ask for the processor through a part of gcc's library, which
# zig does not have
if(JBW_ZIG_TARGET MATCHES "^x86_64-linux")
    execute_process(COMMAND gcc -print-libgcc-file-name OUTPUT_VARIABLE libgcc
                    OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    set(CMAKE_C_STANDARD_LIBRARIES_INIT ${libgcc})
endif()
