// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// What is served over HTTP: the embedded web pages, health and metrics.

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "net/server/server_internal.h"
#include "web_pages.inl"

static void put(jbw_buffer *out, const char *format, ...) JBW_PRINTF(2, 3);

static void put(jbw_buffer *out, const char *format, ...)
{
    char text[500];
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (length > 0 && (size_t)length < sizeof text) jbw_buffer_append(out, text, (size_t)length);
}

// as a JSON string
static void put_quoted(jbw_buffer *out, const char *text)
{
    put(out, "\"");
    for (; *text; text++) {
        const bool is_plain = (unsigned char)*text >= ' ' && *text != '"' && *text != '\\';
        if (is_plain)
            jbw_buffer_append(out, text, 1);
        else
            put(out, "\\u%04x", (unsigned)(unsigned char)*text);
    }
    put(out, "\"");
}

static void put_health(jbw_server *server, jbw_buffer *out)
{
    const jbw_game_info info = jbw_server_info(server);
    const jbw_status status = jbw_server_status(server, NULL);
    char record_error[200];
    jbw_server_copy_record_error(server, record_error, sizeof record_error);
    const char *text = info.save_failures > 0 ? "save failed"
                       : record_error[0]      ? "record failed"
                                              : "ok";
    put(out,
        "{\"status\": \"%s\", \"version\": \"%s\", \"time\": %" PRIu64 ", \"agents\": %" PRIu32
        ", \"clients\": %" PRIuFAST32 ", \"paused\": %s, \"saved_time\": %" PRIu64
        ", \"save_failures\": %" PRIu32 ", \"save_error\": ",
        status ? jbw_status_name(status) : text, jbw_version(), info.time, info.agent_count,
        atomic_load(&server->counters.clients), info.is_paused ? "true" : "false", info.saved_time,
        info.save_failures);
    put_quoted(out, info.save_error);
    put(out, ", \"record_error\": ");
    put_quoted(out, record_error);
    put(out, ", \"shows\": \"%s\", \"tokens\": %s}\n",
        server->is_view  ? "view"
        : server->player ? "recording"
                         : "world",
        server->keys.count > 0 ? "true" : "false");
}

static void put_metric(jbw_buffer *out, const char *name, const char *type, const char *help,
                       double value)
{
    put(out, "# HELP jbw_%s %s\n# TYPE jbw_%s %s\njbw_%s %.17g\n", name, help, name, type, name,
        value);
}

static void put_metrics(jbw_server *server, jbw_buffer *out)
{
    const jbw_game_info info = jbw_server_info(server);
    const jbw_server_stats s = jbw_server_get_stats(server);
    const struct {
        const char *name;
        const char *type;
        const char *help;
        double value;
    } metrics[] = {
        {"time", "gauge", "Time of the world: steps taken since its creation.", (double)info.time},
        {"steps_total", "counter", "Steps since the server started.", (double)s.step_count},
        {"steps_per_second", "gauge", "Steps per second over the last second.",
         info.steps_per_second},
        {"timeouts_total", "counter", "Steps taken without waiting for every agent.",
         (double)s.timeout_count},
        {"agents", "gauge", "Agents in the world.", s.agent_count},
        {"agents_active", "gauge", "Active agents, which steps wait for.", s.active_count},
        {"clients", "gauge", "Open connections.", s.client_count},
        {"connections_total", "counter", "Connections since the server started.",
         (double)s.connection_count},
        {"subscriptions", "gauge", "Open subscriptions.", s.subscription_count},
        {"requests_total", "counter", "Requests carried out by the world thread.",
         (double)s.request_count},
        {"refused_total", "counter", "Requests answered with an error.", (double)s.refused_count},
        {"dropped_total", "counter", "Connections dropped for misbehaving or not keeping up.",
         (double)s.dropped_count},
        {"frames_total", "counter", "Frames sent.", (double)s.frame_count},
        {"copies_total", "counter", "Copies of the world made for viewers.", (double)s.copy_count},
        {"received_bytes_total", "counter", "Bytes of messages received.",
         (double)s.bytes_received},
        {"sent_bytes_total", "counter", "Bytes of messages sent.", (double)s.bytes_sent},
        {"request_queue_bytes", "gauge", "Bytes of requests waiting for the world thread.",
         (double)(jbw_ring_length(&server->requests) + jbw_ring_length(&server->watch_requests))},
        {"answer_queue_bytes", "gauge", "Bytes of answers waiting for the network thread.",
         (double)jbw_ring_length(&server->answers)},
        {"world_cpu_seconds_total", "counter", "Processor time of the world thread.", s.world_cpu},
        {"looking_cpu_seconds_total", "counter",
         "Processor time for frames, queries and the terrain that they show.",
         (double)atomic_load(&server->looking.used) / 1e9},
        {"patches_made_total", "counter", "Patches generated for viewers.",
         server->maker ? (double)jbw_terrain_maker_count(server->maker) : 0.0},
        {"save_failures", "gauge", "Saves that failed since the latest one that succeeded.",
         s.save_failures},
        {"saved_time", "gauge", "Time of the world in the latest save.", (double)s.saved_time},
        {"uptime_seconds", "gauge", "Seconds since the server started.",
         (double)(jbw_clock_now() - server->started) / 1e9},
    };
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
        put_metric(out, metrics[i].name, metrics[i].type, metrics[i].help, metrics[i].value);
}

// by the file name extension; all pages are text
static const char *type_of(const char *file)
{
    const char *extension = strrchr(file, '.');
    if (extension && strcmp(extension, ".html") == 0) return "text/html; charset=utf-8";
    if (extension && strcmp(extension, ".css") == 0) return "text/css; charset=utf-8";
    if (extension && strcmp(extension, ".js") == 0) return "text/javascript; charset=utf-8";
    if (extension && strcmp(extension, ".svg") == 0) return "image/svg+xml";
    return "text/plain; charset=utf-8";
}

// an embedded file
static const char *find_file(const char *file, const char **bytes, size_t *size)
{
    for (size_t i = 0; i < sizeof web_pages / sizeof *web_pages; i++) {
        if (strcmp(web_pages[i].file, file) != 0) continue;
        *bytes = web_pages[i].text;
        *size = web_pages[i].length;
        return type_of(file);
    }
    return NULL;
}

const char *jbw_page_find(jbw_server *server, const char *path, jbw_buffer *out, const char **bytes,
                          size_t *size)
{
    out->size = 0;
    const char *type = NULL;
    if (strcmp(path, "/healthz") == 0) {
        put_health(server, out);
        type = "application/json";
    } else if (strcmp(path, "/metrics") == 0) {
        put_metrics(server, out);
        type = "text/plain; version=0.0.4";
    } else if (strcmp(path, "/reward") == 0) {
        const char *reward = server->options.reward ? server->options.reward : "";
        jbw_buffer_append(out, reward, strlen(reward));
        put(out, "\n");
        type = type_of("");
    } else {
        return find_file(strcmp(path, "/") == 0 ? "index.html" : path + 1, bytes, size);
    }
    *bytes = (const char *)out->bytes;
    *size = out->size;
    return type;
}
