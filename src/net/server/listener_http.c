// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Plain HTTP: serving pages, and deciding which WebSockets may open.

#include <stdlib.h>
#include <string.h>

#include "net/access/origin.h"
#include "net/server/listener_internal.h"

static int refuse_http(struct lws *wsi, unsigned code)
{
    if (lws_return_http_status(wsi, code, NULL) != 0) return -1;
    return lws_http_transaction_completed(wsi) ? -1 : 0;
}

// pages are small: headers and body are sent in one go
int jbw_listener_serve_page(jbw_listener *l, struct lws *wsi, const char *path)
{
    const char *bytes;
    size_t size;
    const char *type = jbw_page_find(l->server, path, &l->page, &bytes, &size);
    if (!type) return refuse_http(wsi, HTTP_STATUS_NOT_FOUND);
    uint8_t headers[LWS_PRE + 1024];
    uint8_t *start = headers + LWS_PRE;
    uint8_t *at = start;
    uint8_t *end = headers + sizeof headers - 1;
    static const char policy[] = "default-src 'self'; connect-src 'self' ws: wss:; "
                                 "img-src 'self' data: blob:; frame-ancestors 'none'";
    if (lws_add_http_common_headers(wsi, HTTP_STATUS_OK, type, size, &at, end) ||
        lws_add_http_header_by_name(wsi, (const unsigned char *)"content-security-policy:",
                                    (const unsigned char *)policy, (int)strlen(policy), &at, end) ||
        lws_add_http_header_by_name(wsi, (const unsigned char *)"x-content-type-options:",
                                    (const unsigned char *)"nosniff", 7, &at, end) ||
        lws_add_http_header_by_name(wsi, (const unsigned char *)"cache-control:",
                                    (const unsigned char *)"no-cache", 8, &at, end) ||
        lws_finalize_write_http_header(wsi, start, &at, end))
        return -1;
    uint8_t *body = malloc(LWS_PRE + size + 1);
    if (!body) return -1;
    memcpy(body + LWS_PRE, bytes, size);
    const int written = lws_write(wsi, body + LWS_PRE, size, LWS_WRITE_HTTP_FINAL);
    free(body);
    if (written < 0) return -1;
    return lws_http_transaction_completed(wsi) ? -1 : 0;
}

bool jbw_listener_may_connect(jbw_listener *l, struct lws *wsi)
{
    char path[64] = "";
    char origin[300] = "";
    char host[300] = "";
    const jbw_server_options *o = &l->server->options;
    if (lws_hdr_copy(wsi, path, sizeof path, WSI_TOKEN_GET_URI) < 0) return false;
    if (lws_hdr_total_length(wsi, WSI_TOKEN_ORIGIN) > 0 &&
        lws_hdr_copy(wsi, origin, sizeof origin, WSI_TOKEN_ORIGIN) < 0)
        return false;
    if (lws_hdr_total_length(wsi, WSI_TOKEN_HOST) > 0 &&
        lws_hdr_copy(wsi, host, sizeof host, WSI_TOKEN_HOST) < 0)
        return false;
    return (strcmp(path, "/ws") == 0 || strcmp(path, "/") == 0) &&
           l->client_count < l->slot_count &&
           jbw_origin_is_allowed(origin, host, o->host, o->origins, o->origin_count);
}
