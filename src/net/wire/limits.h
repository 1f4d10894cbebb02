// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// How much of everything a server takes and gives. Clients are told in `welcome`.
#ifndef JBW_NET_WIRE_LIMITS_H
#define JBW_NET_WIRE_LIMITS_H

enum {
    JBW_MESSAGE_MOST = 1 << 16, ///< bytes of a message to the server
    JBW_REGION_CELLS_MOST = 1 << 16,
    JBW_SMELL_CELLS_MOST = 1 << 12,
    JBW_LOOK_PATCHES_MOST = 256, ///< that one request may have an invariant world make, about
    JBW_LIST_MOST = 1024,        ///< agents in one message
    JBW_SUBSCRIPTIONS_MOST = 8,
    JBW_SUBSCRIPTION_PATCHES_MOST = 1 << 14,
    JBW_STEP_COUNT_MOST = 1000,
    JBW_EXPLORE_PLACES_MOST = 16,
    JBW_AHEAD_MOST = 64, ///< actions of an agent behind the one that it asked for

    JBW_OBSERVED_BYTES_MOST = 1 << 24, ///< of perceptions in one message, unless it is a single one
    JBW_MALFORMED_MOST = 3,            ///< messages, then the connection is closed
    JBW_IN_FLIGHT_MOST = 256,          ///< requests of a connection that are not answered yet
};

#endif
