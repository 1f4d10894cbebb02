// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include <signal.h>
#include <stdio.h>

#include "file_info.h"
#include "jbw/jbw.h"
#include "jbw/server.h"
#include "listen.h"
#include "options.h"
#include "verb.h"

static const char verb[] = "view";

/// The options of the command line.
typedef struct request {
    const char *path;
    const char *listen;
    const char *reward;
    double rate;
    uint64_t memory_limit; // of a snapshot, in bytes; zero: the default
    bool is_playing;
    bool is_json;
} request;

static void announce(const request *q, const jbw_server *server)
{
    if (q->is_json)
        printf("{\"url\": \"%s\", \"port\": %d}\n", jbw_server_url(server),
               jbw_server_port(server));
    else
        printf("open %s in a browser; press Ctrl+C to stop\n", jbw_server_url(server));
    fflush(stdout);
}

static jbw_status show_snapshot(const request *q, const jbw_server_options *options,
                                jbw_loaded *loaded, jbw_server **server, jbw_error *error)
{
    const jbw_load_options load = {.memory_limit = q->memory_limit};
    const jbw_status status = jbw_snapshot_read(q->path, &load, loaded, error);
    if (status) return status;
    jbw_server_options all = *options;
    all.notes = loaded->notes;
    all.note_count = loaded->note_count;
    return jbw_server_attach(loaded->world, &all, server, error);
}

static jbw_verb_status report(jbw_status status, const char *path, const jbw_error *error)
{
    const char *reason = error->text[0] ? error->text : jbw_status_text(status);
    if (status == JBW_INVALID_DATA || status == JBW_INVALID_ARGUMENT ||
        status == JBW_INVALID_EXPRESSION)
        return jbw_verb_reject(verb, "%s: %s", path, reason);
    return jbw_verb_fail(verb, "%s: %s", path, reason);
}

static jbw_verb_status view(const request *q, const jbw_server_options *options)
{
    const jbw_file_kind kind = jbw_file_kind_of(q->path);
    if (kind == JBW_FILE_OTHER)
        return jbw_verb_reject(
            verb, "%s: expected a recording or a snapshot; for worlds, see jbw serve", q->path);
    sigset_t signals;
    jbw_block_signals(&signals);
    jbw_server *server = NULL;
    jbw_loaded loaded = {0};
    jbw_error error = {0};
    const jbw_status status = kind == JBW_FILE_RECORDING
                                  ? jbw_server_play(q->path, options, &server, &error)
                                  : show_snapshot(q, options, &loaded, &server, &error);
    jbw_verb_status result = JBW_VERB_OK;
    if (status) {
        result = report(status, q->path, &error);
    } else {
        announce(q, server);
        result = jbw_wait_for_end(server, &signals, verb);
    }
    jbw_server_destroy(server);
    jbw_loaded_free(&loaded);
    return result;
}

jbw_verb_status jbw_cmd_view(int argc, char **argv)
{
    request q = {.listen = "127.0.0.1:8765", .rate = 20.0};
    const jbw_option options[] = {
        {"--listen", JBW_OPTION_TEXT, &q.listen, "HOST:PORT",
         "address to listen on; port 0 picks a free one (127.0.0.1:8765)"},
        {"--rate", JBW_OPTION_NUMBER, &q.rate, "N",
         "initial steps per second; 0 means as fast as possible (20)"},
        {"--reward", JBW_OPTION_TEXT, &q.reward, "EXPR",
         "plot the rate of this reward (the reward of the run)"},
        {"--play", JBW_OPTION_FLAG, &q.is_playing, NULL, "start playing at once instead of paused"},
        {"--json", JBW_OPTION_FLAG, &q.is_json, NULL, "print the address as JSON"},
        jbw_option_memory_limit(&q.memory_limit),
    };
    jbw_command_line line = {
        .verb = verb,
        .usage = "RECORDING|SNAPSHOT [OPTIONS]",
        .purpose = "Shows a recording or a snapshot in a browser, and prints the address to open. "
                   "A recording has a timeline, which all viewers share. The file is not changed.",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .min_arguments = 1,
        .max_arguments = 1,
        .arguments = &q.path,
    };
    const jbw_verb_status status = jbw_command_line_parse(&line, argc, argv);
    if (status) return status;
    char host[256] = "127.0.0.1";
    jbw_server_options server = {.host = host, .port = 8765, .is_paused = !q.is_playing};
    if (!jbw_parse_listen(q.listen, host, sizeof host, &server.port))
        return jbw_verb_reject(verb, "--listen: expected HOST:PORT");
    if (!(q.rate == 0.0 || (q.rate >= 1e-3 && q.rate <= 1e9)))
        return jbw_verb_reject(verb, "--rate: expected steps per second, or 0");
    server.rate = q.rate;
    server.reward = q.reward;
    return view(&q, &server);
}
