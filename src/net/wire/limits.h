// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Limits that a server enforces. `welcome` tells clients the ones they need.
#ifndef JBW_NET_WIRE_LIMITS_H
#define JBW_NET_WIRE_LIMITS_H

#include "jbw/types.h"

enum {
    JBW_MESSAGE_MOST = 1 << 16, ///< bytes of a message to the server
    JBW_ERROR_BYTES = 512, ///< kept ready, so that a client can be told that memory has run out
    JBW_REGION_CELLS_MOST = 1 << 16,
    JBW_SMELL_CELLS_MOST = 1 << 12,
    JBW_LOOK_PATCHES_MOST = 256,   ///< patches one query may have an invariant world generate
    JBW_LOOK_SECONDS = 10,         ///< until a query whose patches are not made yet is cut
    JBW_LOOK_BYTES_MOST = 1 << 16, ///< of queries of one connection that wait for their turn
    JBW_LIST_MOST = 1024,          ///< agents in one message
    JBW_SUBSCRIPTIONS_MOST = 8,    ///< of one connection
    JBW_SUBSCRIPTION_PATCHES_MOST = 1 << 14,
    JBW_STEP_COUNT_MOST = 1000,
    JBW_EXPLORE_PLACES_MOST = 16,
    JBW_AHEAD_MOST = 64, ///< actions an agent may queue after its pending one

    JBW_OBSERVED_BYTES_MOST = 1 << 24, ///< observations in one message, unless there is only one
    JBW_MALFORMED_MOST = 3,            ///< malformed messages until the connection is closed
    JBW_IN_FLIGHT_MOST = 256,          ///< unanswered requests of one connection
};

/// In addition to the states of `jbw_patch_state`, for viewers: the patch follows once it is made.
enum { JBW_PATCH_BEING_MADE = 3 };

/// True if a cell lies in the world, which ends at JBW_MAX_COORDINATE in each direction.
static inline bool jbw_limits_contain(jbw_position cell)
{
    return cell.x >= -JBW_MAX_COORDINATE && cell.x <= JBW_MAX_COORDINATE &&
           cell.y >= -JBW_MAX_COORDINATE && cell.y <= JBW_MAX_COORDINATE;
}

#endif
