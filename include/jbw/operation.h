// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Everything that changes a world, as data: to be written down, sent, and done again. A world that
/// begins equal and is given the same operations stays equal.
#ifndef JBW_OPERATION_H
#define JBW_OPERATION_H

#include "jbw/agent.h"
#include "jbw/base.h"
#include "jbw/types.h"
#include "jbw/world.h"

JBW_BEGIN_DECLS

/// What was done; the numbers are part of the format of recordings.
typedef enum jbw_operation_kind {
    JBW_OPERATION_ACT = 1,          ///< `agent` asked for `action`
    JBW_OPERATION_ACT_TOGETHER = 2, ///< `agents` asked for `actions`, (count) each
    JBW_OPERATION_STEP = 3,
    JBW_OPERATION_ADD_AGENT = 4, ///< by `options`; `agent` is the id that it got
    JBW_OPERATION_REMOVE_AGENT = 5,
    JBW_OPERATION_SET_ACTIVE = 6,     ///< `agent`, `is_active`
    JBW_OPERATION_PLACE_ITEM = 7,     ///< `item_type` into `position`
    JBW_OPERATION_REMOVE_ITEM = 8,    ///< from `position`
    JBW_OPERATION_EXPLORE = 9,        ///< `positions`, (count)
    JBW_OPERATION_FINALIZE_PATCH = 10 ///< `position`, in units of patches
} jbw_operation_kind;

typedef struct jbw_operation {
    jbw_operation_kind kind;
    jbw_agent_id agent;
    int action;
    bool is_active;
    int item_type;
    jbw_position position;
    jbw_agent_options options;
    const jbw_agent_id *agents;
    const int *actions;
    const jbw_position *positions;
    size_t count;
} jbw_operation;

/// Told of each operation that has changed a world, before the function that did it returns, and
/// after the step that it caused. Its pointers live only during the call. It may read the world, but
/// not change it.
typedef void jbw_operation_function(jbw_world *world, const jbw_operation *operation, void *user);

/// Sets the function to be told; NULL for none. Of an operation that failed but made patches final
/// on its way, it is told what that did.
JBW_API void jbw_world_on_operation(jbw_world *world, jbw_operation_function *function, void *user);

/// Does an operation. With `JBW_OPERATION_ADD_AGENT` the id of the new agent must come out as the
/// operation says, unless that is no agent; otherwise it is JBW_INVALID_ARGUMENT, and the agent is
/// not added.
JBW_API jbw_status jbw_world_apply(jbw_world *world, const jbw_operation *operation);

JBW_END_DECLS

#endif
