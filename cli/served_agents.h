// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// The agents that `jbw serve --agent` puts into its world.
#ifndef JBW_CLI_SERVED_AGENTS_H
#define JBW_CLI_SERVED_AGENTS_H

#include "jbw/server.h"
#include "options.h"
#include "world_source.h"

/// Residents of a server, and what they need. All zero is none.
typedef struct jbw_served_agents {
    jbw_resident *list; // (count)
    size_t count;
    jbw_reward *reward; // of all of them
    char *reward_text;
} jbw_served_agents;

/// The agents that the world was saved with, and new ones after them. `names` holds the policies of
/// all of them, the saved ones first, or nothing: then there are no new ones. Settings go to the new
/// ones that have them. `reward` may be NULL. Errors are reported on stderr.
jbw_verb_status jbw_served_agents_open(jbw_served_agents *agents, const char *verb,
                                       jbw_world_source *source, const jbw_texts *names,
                                       const jbw_settings *settings, const char *reward);

/// Call this after the server was destroyed.
void jbw_served_agents_close(jbw_served_agents *agents);

/// Writes the names of their policies, separated by commas.
void jbw_served_agents_print(const jbw_served_agents *agents, char *out, size_t capacity);

#endif
