// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Which web pages may connect. Any page in any browser can reach a server on loopback, and the browser
/// tells in the header Origin where the page came from; other programs send none.
#ifndef JBW_NET_ACCESS_ORIGIN_H
#define JBW_NET_ACCESS_ORIGIN_H

#include "jbw/base.h"

/// `origin` and `host` are those headers, or empty; `listen_host` is where the server listens.
/// Allowed are: none, one that is listed, and the server's own page. The latter only under an address,
/// "localhost", or the name that the server listens at: with any other name somebody else's page could
/// pass for the server's own, by letting its name point here.
bool jbw_origin_is_allowed(const char *origin, const char *host, const char *listen_host,
                           const char *const *listed, size_t listed_count);

#endif
