// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Fills the records of messages from a world or a model. Lists are allocated in a scratch.
#ifndef JBW_NET_WIRE_LOOK_H
#define JBW_NET_WIRE_LOOK_H

#include "jbw/agent.h"
#include "jbw/observation.h"
#include "net/wire/message.h"

/// The parts of an observation (jbw/observation.h) that the record `observation` has a field for. The
/// field has the name of the part, and the part NAME has the bit JBW_WANT_NAME in a field `wants`.
#define JBW_WIRE_PART_LIST(X) \
    X(VISION, vision)         \
    X(SCENT, scent)           \
    X(ITEMS, items)           \
    X(INVENTORY, inventory)   \
    X(SEEN, seen)

/// All bits that a field `wants` may have.
enum {
#define JBW_WANT_BIT(NAME, name) | JBW_WANT_##NAME
    JBW_WANT_ALL = JBW_WANT_WORDS JBW_WIRE_PART_LIST(JBW_WANT_BIT)
#undef JBW_WANT_BIT
};

/// The approximate largest size of an observation in a message, in bytes.
size_t jbw_look_observation_size(const jbw_model *model, unsigned wants);

jbw_status jbw_look_observation(jbw_world *world, jbw_agent_id agent, unsigned wants,
                                jbw_scratch *scratch, jbw_wire_observation *out);

jbw_status jbw_look_words(const jbw_world *world, jbw_agent_id agent, jbw_scratch *scratch,
                          jbw_wire_words *out);

/// Fills in everything except the owner.
jbw_status jbw_look_agent(const jbw_world *world, jbw_agent_id agent, jbw_scratch *scratch,
                          jbw_wire_agent_info *out);

/// Of the words, only its body and what was said are filled in.
jbw_status jbw_look_mark(const jbw_world *world, jbw_agent_id agent, jbw_wire_agent_mark *out,
                         jbw_wire_words *words);

/// Fills in the fields of `welcome` that follow from the model.
jbw_status jbw_look_model(const jbw_model *model, jbw_scratch *scratch, jbw_wire_welcome *out);

/// Fills in when the items of each type are there.
jbw_status jbw_look_calendar(const jbw_model *model, jbw_scratch *scratch, jbw_wire_calendar *out);

/// Fills in what agents may be, say and write.
jbw_status jbw_look_features(const jbw_model *model, jbw_scratch *scratch, jbw_wire_features *out);

/// Whether agents have bodies, talk or leave texts: more than the first version of the protocol knows.
bool jbw_look_has_words(const jbw_model *model);

/// The error code to answer with when the world has refused a request.
jbw_error_code jbw_look_error(jbw_status status);

#endif
