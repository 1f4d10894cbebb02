// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The `jbw` tool. All of it is in tool.c, which is also part of the library of the Python package.

#include "verb.h"

int main(int argc, char **argv)
{
    return jbw_tool_main(argc, argv);
}
