// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// How jbw._core reaches the server in jbw._server, a separate module so that only World.view needs
/// the network libraries. Both modules contain the same library, built together, so each can use
/// the objects of the other.
#ifndef JBW_PYTHON_SERVER_TABLE_H
#define JBW_PYTHON_SERVER_TABLE_H

#include "jbw/jbw.h"

#define CORE_SERVER_TABLE "jbw._server.table" // a capsule

typedef struct core_server_table {
    const char *version; // of the library
    jbw_status (*attach)(jbw_world *world, const jbw_server_options *options, jbw_server **out,
                         jbw_error *error);
    bool (*publish)(jbw_server *server, const jbw_world *world);
    const char *(*url)(const jbw_server *server);
    int (*port)(const jbw_server *server);
    jbw_server_stats (*get_stats)(const jbw_server *server);
    void (*destroy)(jbw_server *server);
} core_server_table;

#endif
