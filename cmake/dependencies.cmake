# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

# Finds every library that the chosen parts need before anything is built, and names all that are
# missing in one error, with the commands that install them.

# jbw_need(NAME PART): a row of the table of missing libraries, by its name in pkg-config
function(jbw_need name part)
    set_property(GLOBAL APPEND PROPERTY jbw_missing "${name}|${part}")
endfunction()

# NAME in pkg-config | what apt-get, dnf and brew call it
set(jbw_package_names
    "xxhash|libxxhash-dev|xxhash-devel|xxhash"
    "libzstd|libzstd-dev|libzstd-devel|zstd"
    "libfyaml|libfyaml-dev|libfyaml-devel|libfyaml"
    "libpng|libpng-dev|libpng-devel|libpng"
    "libwebsockets|libwebsockets-dev|libwebsockets-devel|libwebsockets"
    "libssl|libssl-dev|openssl-devel|openssl@3"
    "cmocka|libcmocka-dev|libcmocka-devel|cmocka"
    "pkg-config|pkgconf|pkgconf-pkg-config|pkgconf")

# one error for all that `jbw_need` was told
function(jbw_report_missing)
    get_property(missing GLOBAL PROPERTY jbw_missing)
    if(NOT missing)
        return()
    endif()
    set(table "")
    foreach(entry IN LISTS missing)
        string(REPLACE "|" ";" entry "${entry}")
        list(GET entry 0 name)
        list(GET entry 1 part)
        string(APPEND table "\n    ${name}: for ${part}")
        foreach(row IN LISTS jbw_package_names)
            string(REPLACE "|" ";" row "${row}")
            list(GET row 0 row_name)
            if(row_name STREQUAL name)
                list(GET row 1 package)
                list(APPEND apt ${package})
                list(GET row 2 package)
                list(APPEND dnf ${package})
                list(GET row 3 package)
                list(APPEND brew ${package})
            endif()
        endforeach()
    endforeach()
    list(JOIN apt " " apt)
    list(JOIN dnf " " dnf)
    list(JOIN brew " " brew)
    message(FATAL_ERROR "These libraries are missing:${table}\n"
        "Install them:\n"
        "    apt-get install ${apt}\n"
        "    dnf install ${dnf}\n"
        "    brew install ${brew}\n"
        "or leave parts out: -DJBW_NET=OFF (server, client), -DJBW_PICTURES=OFF (PNG files), "
        "-DJBW_BUILD_TESTS=OFF.")
endfunction()

# xxhash is one header. A copy of its own folder keeps the host's other headers out of cross builds.
find_file(JBW_XXHASH_HEADER xxhash.h PATHS /usr/include NO_CMAKE_FIND_ROOT_PATH)
if(NOT JBW_XXHASH_HEADER)
    jbw_need(xxhash "everything")
else()
    configure_file(${JBW_XXHASH_HEADER} ${PROJECT_BINARY_DIR}/generated/xxhash/xxhash.h COPYONLY)
    target_include_directories(jbw_settings SYSTEM INTERFACE ${PROJECT_BINARY_DIR}/generated/xxhash)
endif()

# jbw_find(TARGET PART NAME...): makes PkgConfig::TARGET of what pkg-config knows by these names
function(jbw_find target part name)
    if(PKG_CONFIG_FOUND)
        pkg_check_modules(${target} QUIET IMPORTED_TARGET GLOBAL ${name} ${ARGN})
    endif()
    if(NOT ${target}_FOUND)
        jbw_need(${name} "${part}")
    endif()
endfunction()

if(JBW_BUILD_SNAPSHOT OR (JBW_BUILD_TESTS AND NOT CMAKE_CROSSCOMPILING))
    find_package(PkgConfig QUIET)
    if(NOT PKG_CONFIG_FOUND)
        jbw_need(pkg-config "finding the others")
    endif()
endif()
if(JBW_BUILD_SNAPSHOT)
    # For other processors zstd comes from a folder of its own (scripts/sysroot) that pkg-config knows
    # nothing of, and is linked statically.
    add_library(jbw_zstd INTERFACE)
    if(CMAKE_CROSSCOMPILING AND NOT JBW_BUILD_IO)
        find_path(JBW_ZSTD_HEADERS zstd.h)
        find_library(JBW_ZSTD_LIBRARY NAMES libzstd.a zstd)
        if(NOT JBW_ZSTD_HEADERS OR NOT JBW_ZSTD_LIBRARY)
            message(FATAL_ERROR "zstd was not found; scripts/sysroot gets it for other processors")
        endif()
        target_include_directories(jbw_zstd SYSTEM INTERFACE ${JBW_ZSTD_HEADERS})
        target_link_libraries(jbw_zstd INTERFACE ${JBW_ZSTD_LIBRARY})
    else()
        jbw_find(zstd "snapshots and recordings" libzstd)
        target_link_libraries(jbw_zstd INTERFACE PkgConfig::zstd)
    endif()
endif()
if(JBW_BUILD_IO)
    jbw_find(fyaml "world files" libfyaml)
    if(JBW_PICTURES)
        jbw_find(png "pictures" libpng)
    endif()
endif()
if(JBW_NET)
    jbw_find(websockets "server and client" libwebsockets)
    jbw_find(ssl "server and client" libssl libcrypto)
endif()
if(JBW_BUILD_TESTS AND NOT CMAKE_CROSSCOMPILING)
    jbw_find(cmocka "tests" cmocka)
endif()
jbw_report_missing()
