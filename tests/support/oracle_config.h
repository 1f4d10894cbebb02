// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Random configs for comparing worlds with the oracle: every feature, and extreme parameters now
/// and then.
#ifndef JBW_TESTS_ORACLE_CONFIG_H
#define JBW_TESTS_ORACLE_CONFIG_H

#include "jbw/config.h"

enum {
    ORACLE_CONFIG_TYPES = 5,
    ORACLE_CONFIG_DIMENSIONS = 4,
    ORACLE_CONFIG_KINDS = 3,
    ORACLE_CONFIG_BODIES = 3
};

/// The names of the item types.
extern const char *const oracle_item_names[ORACLE_CONFIG_TYPES];

/// A config that points into itself: do not copy it.
typedef struct oracle_config {
    jbw_config config;
    jbw_item_type items[ORACLE_CONFIG_TYPES];
    double colors[ORACLE_CONFIG_TYPES + 1][ORACLE_CONFIG_DIMENSIONS];
    double scents[ORACLE_CONFIG_TYPES + 1][ORACLE_CONFIG_DIMENSIONS];
    char intensities[ORACLE_CONFIG_TYPES][160];
    char expressions[ORACLE_CONFIG_TYPES][2][64];
    jbw_interaction interactions[ORACLE_CONFIG_TYPES][2];
    jbw_item_count requirements[ORACLE_CONFIG_TYPES][4];
    jbw_item_count costs[ORACLE_CONFIG_TYPES][4];
    jbw_item_count ever[ORACLE_CONFIG_TYPES][4];
    jbw_item_count drops[ORACLE_CONFIG_TYPES][4];
    jbw_kind kinds[ORACLE_CONFIG_KINDS];
    const char *members[ORACLE_CONFIG_KINDS][ORACLE_CONFIG_TYPES + ORACLE_CONFIG_KINDS];
    jbw_action actions[32];
    char regrowth[ORACLE_CONFIG_TYPES][32];
    jbw_body bodies[ORACLE_CONFIG_BODIES];
    double body_colors[ORACLE_CONFIG_BODIES][ORACLE_CONFIG_DIMENSIONS];
    double body_scents[ORACLE_CONFIG_BODIES][ORACLE_CONFIG_DIMENSIONS];
    jbw_action body_actions[ORACLE_CONFIG_BODIES][32];
    jbw_tool tools[ORACLE_CONFIG_TYPES];
} oracle_config;

void oracle_config_draw(oracle_config *r, uint64_t *random);

/// Adds what makes a world change by itself to such a config, and perhaps the other generator.
void oracle_config_add_time(oracle_config *r, uint64_t *random);

/// Adds noise and biomes to the intensities of such a config: small ones, so that there are many
/// borders.
void oracle_config_add_space(oracle_config *r, uint64_t *random);

/// Adds kinds to such a config, and what items ask of agents.
void oracle_config_add_things(oracle_config *r, uint64_t *random);

/// Adds bodies and tools to such a config.
void oracle_config_add_bodies(oracle_config *r, uint64_t *random);

/// Lets some items of such a config carry texts, and agents speak. Takes scent and interactions away,
/// which would only take time.
void oracle_config_add_words(oracle_config *r, uint64_t *random);

#endif
