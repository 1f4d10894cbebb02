// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include <stdio.h>

#include "commands.h"
#include "jbw/io.h"
#include "options.h"

int jbw_cmd_worlds(int argc, char **argv)
{
    const char *arguments[1];
    jbw_command_line line = {
        .verb = "worlds",
        .usage = "[NAME]",
        .purpose = "Lists the worlds that come with the tool, or prints one as a world file, to "
                   "start your\nown from.",
        .most_arguments = 1,
        .arguments = arguments,
    };
    const int code = jbw_command_line_parse(&line, argc, argv);
    if (code >= 0) return code;

    if (line.argument_count == 0) {
        for (size_t i = 0; jbw_shipped_world_name(i); i++) puts(jbw_shipped_world_name(i));
        return JBW_EXIT_GOOD;
    }
    const char *text = jbw_shipped_world_text(arguments[0]);
    if (!text) {
        fprintf(stderr, "jbw worlds: there is no shipped world '%s'; see jbw worlds\n",
                arguments[0]);
        return JBW_EXIT_USAGE;
    }
    fputs(text, stdout);
    return JBW_EXIT_GOOD;
}
