// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// What messages say of a world: fills their records from it. Lists live in a scratch.
#ifndef JBW_NET_WIRE_LOOK_H
#define JBW_NET_WIRE_LOOK_H

#include "jbw/agent.h"
#include "net/wire/message.h"

/// All bits that a field `wants` may have.
enum {
    JBW_WANT_ALL =
        JBW_WANT_VISION | JBW_WANT_SCENT | JBW_WANT_ITEMS | JBW_WANT_INVENTORY | JBW_WANT_SEEN,
};

/// The bytes that an observation takes at most, about.
size_t jbw_look_observation_size(const jbw_model *model, unsigned wants);

jbw_status jbw_look_observation(jbw_world *world, jbw_agent_id agent, unsigned wants,
                                jbw_scratch *scratch, jbw_wire_observation *out);

/// All but whose it is.
jbw_status jbw_look_agent(const jbw_world *world, jbw_agent_id agent, jbw_scratch *scratch,
                          jbw_wire_agent_info *out);

jbw_status jbw_look_mark(const jbw_world *world, jbw_agent_id agent, jbw_wire_agent_mark *out);

/// The parts of `welcome` that follow from the model.
jbw_status jbw_look_model(const jbw_model *model, jbw_scratch *scratch, jbw_wire_welcome *out);

/// What to answer when the world has refused something.
jbw_error_code jbw_look_error(jbw_status status);

#endif
