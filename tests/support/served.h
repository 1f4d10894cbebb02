// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A small world that is served in this process, for tests of clients; and a twin of it.
#ifndef JBW_TESTS_SERVED_H
#define JBW_TESTS_SERVED_H

#include "jbw/client.h"
#include "jbw/jbw.h"
#include "jbw/server.h"

/// Tokens of every served world: of one who may do everything, and of one who may only act.
#define SERVED_ALL "everything-is-permitted"
#define SERVED_ACT "only-acting-is-permitted"

enum { SERVED_SEED = 7 };

typedef struct served {
    jbw_model *model;
    jbw_server *server;
    char url[64];
} served;

/// The world file of it.
const char *served_text(void);

/// Its model; fails the test if that does not work.
jbw_model *served_model(void);

/// Starts a server; `options` may be NULL, tokens are filled in. Fails the test if that does not work.
void served_open(served *s, const jbw_server_options *options);

/// The same for a world that was saved.
void served_load(served *s, const jbw_server_options *options, const char *path);

/// Stops it, and ends its world.
void served_close(served *s);

/// A client of it; fails the test if it is refused.
jbw_client *served_connect(const served *s, const char *token);

/// A file name in a folder that the system empties now and then; to be removed by the test.
void served_path(char out[128], const char *name);

/// The least of several runs of a sanitizer are as slow as this: waits are so much longer.
double served_patience(void);

#endif
