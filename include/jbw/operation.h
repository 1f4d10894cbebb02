// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Everything that changes a world, as data that can be stored, sent and repeated. Two equal worlds
/// stay equal if the same operations are applied to both.
#ifndef JBW_OPERATION_H
#define JBW_OPERATION_H

#include "jbw/agent.h"
#include "jbw/base.h"
#include "jbw/types.h"
#include "jbw/world.h"

JBW_BEGIN_DECLS

/// Kinds of operations. The numbers are part of the format of recordings.
typedef enum jbw_operation_kind {
    JBW_OPERATION_ACT = 1,          ///< `agent` requests `action`, with `say` and `text`
    JBW_OPERATION_ACT_TOGETHER = 2, ///< `agents` request `requests`, (count) each
    JBW_OPERATION_STEP = 3,
    JBW_OPERATION_ADD_AGENT = 4, ///< with `options`; `agent` is the id of the new agent
    JBW_OPERATION_REMOVE_AGENT = 5,
    JBW_OPERATION_SET_ACTIVE = 6,     ///< `agent`, `is_active`
    JBW_OPERATION_PLACE_ITEM = 7,     ///< `item_type` into `position`, with `text`
    JBW_OPERATION_REMOVE_ITEM = 8,    ///< from `position`
    JBW_OPERATION_EXPLORE = 9,        ///< `positions`, (count)
    JBW_OPERATION_FINALIZE_PATCH = 10 ///< `position`, in units of patches
} jbw_operation_kind;

typedef struct jbw_operation {
    jbw_operation_kind kind;
    jbw_agent_id agent;
    int action;
    int say;          ///< a symbol, or 0
    const char *text; ///< NULL if there is none
    bool is_active;
    int item_type;
    jbw_position position;
    jbw_agent_options options;
    const jbw_agent_id *agents;
    jbw_requests requests;
    const jbw_position *positions;
    size_t count;
} jbw_operation;

/// Called after each operation that changed a world, and after the step that it caused, but before
/// the function that made the change returns. Pointers are valid only during the call. The callback
/// may read the world but not change it.
typedef void jbw_operation_function(jbw_world *world, const jbw_operation *operation, void *user);

/// Sets the callback; NULL for none. If an operation fails after it made patches final, only making
/// them final is reported.
JBW_API void jbw_world_on_operation(jbw_world *world, jbw_operation_function *function, void *user);

/// Applies an operation. JBW_OPERATION_ADD_AGENT fails with JBW_INVALID_ARGUMENT, without adding
/// the agent, if the new agent would not get the id in the operation; a zero id accepts any.
JBW_API jbw_status jbw_world_apply(jbw_world *world, const jbw_operation *operation);

JBW_END_DECLS

#endif
