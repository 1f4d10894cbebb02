// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Plain HTTP: serving pages, and deciding which WebSockets may open.

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "net/access/origin.h"
#include "net/server/listener_internal.h"

/// Where the headers of an answer are written.
typedef struct header_writer {
    uint8_t bytes[LWS_PRE + 1024];
    uint8_t *at;
} header_writer;

static uint8_t *end_of(header_writer *w)
{
    return w->bytes + sizeof w->bytes - 1;
}

static bool begin_headers(header_writer *w, struct lws *wsi, unsigned code, const char *type,
                          size_t size)
{
    w->at = w->bytes + LWS_PRE;
    return !lws_add_http_common_headers(wsi, code, type, size, &w->at, end_of(w));
}

static bool add_header(header_writer *w, struct lws *wsi, const char *name, const char *value)
{
    return !lws_add_http_header_by_name(wsi, (const unsigned char *)name,
                                        (const unsigned char *)value, (int)strlen(value), &w->at,
                                        end_of(w));
}

static bool send_headers(header_writer *w, struct lws *wsi)
{
    return !lws_finalize_write_http_header(wsi, w->bytes + LWS_PRE, &w->at, end_of(w));
}

static int complete(struct lws *wsi)
{
    return lws_http_transaction_completed(wsi) ? -1 : 0;
}

static int refuse_http(struct lws *wsi, unsigned code)
{
    header_writer w;
    const bool is_sent =
        begin_headers(&w, wsi, code, "text/plain; charset=utf-8", 0) && send_headers(&w, wsi);
    return is_sent ? complete(wsi) : -1;
}

static bool send_body(struct lws *wsi, const char *bytes, size_t size)
{
    uint8_t *body = malloc(LWS_PRE + size + 1);
    if (!body) return false;
    memcpy(body + LWS_PRE, bytes, size);
    const int written = lws_write(wsi, body + LWS_PRE, size, LWS_WRITE_HTTP_FINAL);
    free(body);
    return written >= 0;
}

// pages are small: headers and body are sent in one go
int jbw_listener_serve_page(jbw_listener *l, struct lws *wsi, const char *path)
{
    static const char policy[] = "default-src 'self'; connect-src 'self' ws: wss:; "
                                 "img-src 'self' data: blob:; frame-ancestors 'none'";
    char *uri;
    int uri_length;
    const int method = lws_http_get_uri_and_method(wsi, &uri, &uri_length);
    if (method != LWSHUMETH_GET && method != LWSHUMETH_HEAD)
        return refuse_http(wsi, HTTP_STATUS_METHOD_NOT_ALLOWED);
    const char *bytes;
    size_t size;
    const char *type = jbw_page_find(l->server, path, &l->page, &bytes, &size);
    if (!type) return refuse_http(wsi, HTTP_STATUS_NOT_FOUND);
    header_writer w;
    if (!begin_headers(&w, wsi, HTTP_STATUS_OK, type, size) ||
        !add_header(&w, wsi, "content-security-policy:", policy) ||
        !add_header(&w, wsi, "x-content-type-options:", "nosniff") ||
        !add_header(&w, wsi, "cache-control:", "no-cache") || !send_headers(&w, wsi))
        return -1;
    if (method == LWSHUMETH_GET && !send_body(wsi, bytes, size)) return -1;
    return complete(wsi);
}

// libwebsockets would also change to HTTP/2 without TLS, and lose memory each time
bool jbw_listener_may_upgrade(struct lws *wsi)
{
    char protocol[16] = "";
    return lws_hdr_copy(wsi, protocol, sizeof protocol, WSI_TOKEN_UPGRADE) > 0 &&
           strcasecmp(protocol, "websocket") == 0;
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
