# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

# worldfile.wasm: reads world files as `jbw check` does. JBW_LIBFYAML is a folder with libfyaml's source, which
# scripts/playground fetches. Without it, world files are read as JSON.
set(JBW_LIBFYAML "" CACHE PATH "libfyaml's source, for the playground's world files")

set(files problems shipped world_check world_file world_reader yaml_guard yaml_path yaml_tree yaml_values)
if(JBW_LIBFYAML)
    list(APPEND files yaml yaml_builder)
    file(GLOB libfyaml ${JBW_LIBFYAML}/src/lib/*.c ${JBW_LIBFYAML}/src/xxhash/*.c)
    add_library(fyaml STATIC ${libfyaml})
    target_include_directories(fyaml PRIVATE absent ${JBW_LIBFYAML}/src/lib ${JBW_LIBFYAML}/src/xxhash)
    target_include_directories(fyaml SYSTEM PUBLIC ${JBW_LIBFYAML}/include)
    target_compile_definitions(fyaml PRIVATE _GNU_SOURCE _WASI_EMULATED_MMAN VERSION="page")
    target_compile_options(fyaml PRIVATE -w)
    set_target_properties(fyaml PROPERTIES C_EXTENSIONS ON)
    set(parser fyaml)
else()
    set(json yaml_json.c)
endif()
list(TRANSFORM files REPLACE "(.+)" "${PROJECT_SOURCE_DIR}/src/io/worldfile/\\1.c")

jbw_add_module(worldfile worldfile_exports.c environment_left_out.c files_left_out.c ${json} ${files})
target_compile_definitions(jbw_worldfile PRIVATE _POSIX_C_SOURCE=200809L $<$<BOOL:${json}>:JBW_WORLDFILE_JSON=1>)
target_link_libraries(jbw_worldfile PRIVATE ${parser} wasi-emulated-mman)
jbw_embed(jbw_worldfile shipped_worlds.inl shipped_worlds ${shipped_worlds})
