// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// What is served over HTTP: the pages that are part of the library, and how the server is doing.

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "net/server/server_parts.h"
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

static void put_health(jbw_server *server, jbw_buffer *out)
{
    const jbw_game_info info = jbw_server_info(server);
    const jbw_status status = jbw_server_status(server, NULL);
    put(out,
        "{\"status\": \"%s\", \"version\": \"%s\", \"time\": %" PRIu64 ", \"agents\": %" PRIu32
        ", \"clients\": %" PRIuFAST32 ", \"paused\": %s}\n",
        status ? jbw_status_name(status) : "ok", jbw_version(), info.time, info.agent_count,
        atomic_load(&server->counters.clients), info.is_paused ? "true" : "false");
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
        {"time", "gauge", "Steps that the world has taken.", (double)info.time},
        {"steps_total", "counter", "Steps since the server started.", (double)s.step_count},
        {"steps_per_second", "gauge", "Steps per second, lately.", info.steps_per_second},
        {"timeouts_total", "counter", "Steps that did not wait for everybody.",
         (double)s.timeout_count},
        {"agents", "gauge", "Agents in the world.", s.agent_count},
        {"agents_active", "gauge", "Agents that the world waits for.", s.active_count},
        {"clients", "gauge", "Connections.", s.client_count},
        {"connections_total", "counter", "Connections since the start.",
         (double)s.connection_count},
        {"subscriptions", "gauge", "Subscriptions.", s.subscription_count},
        {"requests_total", "counter", "Requests handed to the world.", (double)s.request_count},
        {"refused_total", "counter", "Requests answered by an error.", (double)s.refused_count},
        {"dropped_total", "counter", "Connections ended for what they did.",
         (double)s.dropped_count},
        {"frames_total", "counter", "Frames sent.", (double)s.frame_count},
        {"pictures_total", "counter", "Copies of the world made for frames.",
         (double)atomic_load(&server->counters.pictures)},
        {"received_bytes_total", "counter", "Bytes of messages received.",
         (double)s.bytes_received},
        {"sent_bytes_total", "counter", "Bytes of messages sent.", (double)s.bytes_sent},
        {"request_queue_bytes", "gauge", "Bytes of requests that wait for the world.",
         (double)(jbw_ring_length(&server->requests) + jbw_ring_length(&server->looks))},
        {"answer_queue_bytes", "gauge", "Bytes of answers that wait for the network.",
         (double)jbw_ring_length(&server->answers)},
        {"world_cpu_seconds_total", "counter", "Processor time of the world's thread.",
         s.world_cpu},
        {"saved_time", "gauge", "The world's time when it was saved last.", (double)s.saved_time},
        {"uptime_seconds", "gauge", "Seconds since the server started.",
         (double)(jbw_clock_now() - server->started) / 1e9},
    };
    for (size_t i = 0; i < sizeof metrics / sizeof *metrics; i++)
        put_metric(out, metrics[i].name, metrics[i].type, metrics[i].help, metrics[i].value);
}

// by the ending; all pages are text
static const char *type_of(const char *file)
{
    const char *ending = strrchr(file, '.');
    if (ending && strcmp(ending, ".html") == 0) return "text/html; charset=utf-8";
    if (ending && strcmp(ending, ".css") == 0) return "text/css; charset=utf-8";
    if (ending && strcmp(ending, ".js") == 0) return "text/javascript; charset=utf-8";
    if (ending && strcmp(ending, ".svg") == 0) return "image/svg+xml";
    return "text/plain; charset=utf-8";
}

// a file that is part of the library
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
