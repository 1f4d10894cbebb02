// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A small world, served by this process, for tests of clients and servers. Each function fails the
/// test, with the text of the error, if it does not succeed.
#ifndef JBW_TESTS_SERVED_H
#define JBW_TESTS_SERVED_H

#include "support/models.h"

#include "jbw/client.h"
#include "jbw/jbw.h"
#include "jbw/server.h"

/// The tokens of every served world: the first permits everything, the second only acting, with two
/// agents.
#define SERVED_ALL "everything-is-permitted"
#define SERVED_ACT "only-acting-is-permitted"

/// The actions of the world, and its seed.
enum { FORWARD, LEFT, RIGHT, NO_OP };
enum { SERVED_SEED = 7 };

typedef struct served {
    jbw_model *model;
    jbw_server *server;
    char url[64];
} served;

/// The world file of the world, and its model. Onions have a season and jelly beans grow back.
const char *served_text(void);
jbw_model *served_model(void);

/// Starts a server; `options` may be NULL, tokens are filled in.
void served_open(served *s, const jbw_server_options *options);

/// The same for the world of another world file, and for a new world of a model that then belongs to
/// `s`; its clients have no world file.
void served_open_text(served *s, const jbw_server_options *options, const char *text);
void served_open_model(served *s, const jbw_server_options *options, jbw_model *model);

/// The same for a saved world.
void served_load(served *s, const jbw_server_options *options, const char *path);

/// Stops the server and destroys the world.
void served_close(served *s);

/// A client of the server. The second form takes more options.
jbw_client *served_connect(const served *s, const char *token);
jbw_client *served_connect_with(const served *s, const jbw_client_options *options);

/// Adds an agent at its default place.
jbw_agent_id served_add_agent(jbw_client *client);

#endif
