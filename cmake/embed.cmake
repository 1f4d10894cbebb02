# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

# Turns text files into C. `jbw_embed(target output array files...)` makes
# <build>/generated/<output>, which defines
#
#     static const struct {
#         const char *file; // the file's name
#         const char *name; // the same without its ending
#         const char *text; // ends in a zero
#         size_t length;    // without that zero
#     } <array>[] = {...};  // sorted by name
#
# The texts are arrays of characters, since a string literal may not be longer than 4095.

if(NOT CMAKE_SCRIPT_MODE_FILE)
    function(jbw_embed target output array)
        set(output ${PROJECT_BINARY_DIR}/generated/${output})
        list(TRANSFORM ARGN PREPEND ${PROJECT_SOURCE_DIR}/ OUTPUT_VARIABLE files)
        set(script ${PROJECT_SOURCE_DIR}/cmake/embed.cmake)
        add_custom_command(OUTPUT ${output}
            COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DARRAY=${array} "-DFILES=${files}"
                    -P ${script}
            DEPENDS ${files} ${script}
            VERBATIM)
        target_sources(${target} PRIVATE ${output})
    endfunction()
    return()
endif()

# called as a script: OUTPUT, ARRAY and FILES are given
set(texts "")
set(entries "")
foreach(file IN LISTS FILES)
    get_filename_component(name ${file} NAME_WLE)
    get_filename_component(file_name ${file} NAME)
    list(APPEND names ${name})
    set(file_of_${name} ${file})
    set(file_name_of_${name} ${file_name})
endforeach()
list(SORT names)

foreach(name IN LISTS names)
    string(MAKE_C_IDENTIFIER "${ARRAY}_${name}" identifier)
    file(READ ${file_of_${name}} bytes HEX)
    string(REGEX REPLACE "(..)" "'\\\\x\\1'," bytes "${bytes}")
    string(REGEX REPLACE "(0a',)" "\\1\n    " bytes "${bytes}") # one line of C per line of text
    string(APPEND texts "static const char ${identifier}[] = {\n    ${bytes}0,\n};\n\n")
    string(APPEND entries "    {\"${file_name_of_${name}}\", \"${name}\", ${identifier}, sizeof ${identifier} - 1},\n")
endforeach()

file(WRITE ${OUTPUT} "// made by cmake/embed.cmake\n\n${texts}"
    "static const struct {\n    const char *file;\n    const char *name;\n    const char *text;\n    size_t length;\n"
    "} ${ARRAY}[] = {\n${entries}};\n")
