// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Decides which web pages may connect. Any page in any browser can reach a server on loopback; the
/// browser's Origin header says which site the page came from. Other programs send no such header.
#ifndef JBW_NET_ACCESS_ORIGIN_H
#define JBW_NET_ACCESS_ORIGIN_H

#include "jbw/base.h"

/// `origin` and `host` are the values of those headers, or empty; `listen_host` is the host the
/// server listens at. Allowed are an empty origin, a listed one, and the server's own page. The
/// latter only if it was loaded from an address, "localhost" or `listen_host`: under any other name
/// it could be a foreign page whose DNS name points to this server (DNS rebinding).
bool jbw_origin_is_allowed(const char *origin, const char *host, const char *listen_host,
                           const char *const *listed, size_t listed_count);

#endif
