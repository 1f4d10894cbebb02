// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include <stdio.h>

#include "jbw/io.h"
#include "options.h"
#include "verb.h"

static const char verb[] = "worlds";

jbw_verb_status jbw_cmd_worlds(int argc, char **argv)
{
    const char *arguments[1];
    jbw_command_line line = {
        .verb = verb,
        .usage = "[NAME]",
        .purpose =
            "Lists the shipped worlds, or prints one as a world file, to start your own from.",
        .max_arguments = 1,
        .arguments = arguments,
    };
    const jbw_verb_status status = jbw_command_line_parse(&line, argc, argv);
    if (status) return status;

    if (line.argument_count == 0) {
        for (size_t i = 0; jbw_shipped_world_name(i); i++) puts(jbw_shipped_world_name(i));
        return JBW_VERB_OK;
    }
    const char *text = jbw_shipped_world_text(arguments[0]);
    if (!text)
        return jbw_verb_reject(verb, "no shipped world '%s'; jbw worlds lists them", arguments[0]);
    fputs(text, stdout);
    return JBW_VERB_OK;
}
