// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "commands.h"
#include "file_kind.h"
#include "jbw/jbw.h"
#include "jbw/server.h"
#include "listen.h"
#include "options.h"

/// What the command line asks for.
typedef struct request {
    const char *path;
    const char *listen;
    const char *reward;
    double rate;
    bool is_playing;
    bool is_json;
} request;

static int fail(const char *what, const char *why, int code)
{
    fprintf(stderr, "jbw view: %s: %s\n", what, why);
    return code;
}

static void announce(const request *q, const jbw_server *server)
{
    if (q->is_json)
        printf("{\"url\": \"%s\", \"port\": %d}\n", jbw_server_url(server),
               jbw_server_port(server));
    else
        printf("open %s in a browser; an interrupt ends this\n", jbw_server_url(server));
    fflush(stdout);
}

// until a signal comes, or playing has failed
static int wait_for_end(jbw_server *server, const sigset_t *signals)
{
    const struct timespec pause = {.tv_sec = 1};
    for (;;) {
        if (sigtimedwait(signals, NULL, &pause) > 0) return JBW_EXIT_GOOD;
        jbw_error error = {0};
        if (jbw_server_status(server, &error)) return fail("failed", error.text, JBW_EXIT_FAILED);
    }
}

static jbw_status show(const jbw_loaded *loaded, const jbw_server_options *options,
                       jbw_server **server, jbw_error *error)
{
    jbw_server_options all = *options;
    all.notes = loaded->notes;
    all.note_count = loaded->note_count;
    return jbw_server_attach(loaded->world, &all, server, error);
}

static int view(const request *q, const jbw_server_options *options)
{
    sigset_t signals;
    jbw_hold_signals(&signals);
    jbw_server *server = NULL;
    jbw_loaded loaded = {0};
    jbw_error error = {0};
    jbw_status status;
    int code = JBW_EXIT_FAILED;
    switch (jbw_file_kind_of(q->path)) {
    case JBW_FILE_RECORDING: status = jbw_server_play(q->path, options, &server, &error); break;
    case JBW_FILE_SNAPSHOT:
        status = jbw_snapshot_read(q->path, NULL, &loaded, &error);
        if (!status) status = show(&loaded, options, &server, &error);
        break;
    default:
        return fail(q->path, "expected a recording or a snapshot; see jbw serve for worlds",
                    JBW_EXIT_USAGE);
    }
    if (status) {
        if (status == JBW_INVALID_DATA || status == JBW_INVALID_ARGUMENT ||
            status == JBW_INVALID_EXPRESSION)
            code = JBW_EXIT_USAGE;
        fail(q->path, error.text[0] ? error.text : jbw_status_text(status), code);
    } else {
        announce(q, server);
        code = wait_for_end(server, &signals);
    }
    jbw_server_destroy(server);
    jbw_loaded_free(&loaded);
    return code;
}

int jbw_cmd_view(int argc, char **argv)
{
    request q = {.listen = "127.0.0.1:8765", .rate = 20.0};
    const jbw_option options[] = {
        {"--listen", JBW_OPTION_TEXT, &q.listen, "HOST:PORT",
         "where to listen; port 0 is any that is free (127.0.0.1:8765)"},
        {"--rate", JBW_OPTION_NUMBER, &q.rate, "N",
         "steps per second to begin with, 0 is as fast as possible (20)"},
        {"--reward", JBW_OPTION_TEXT, &q.reward, "EXPR",
         "plot the rate of this reward (that of the run)"},
        {"--play", JBW_OPTION_FLAG, &q.is_playing, NULL, "begin at once, instead of paused"},
        {"--json", JBW_OPTION_FLAG, &q.is_json, NULL, "tell the address as JSON"},
    };
    jbw_command_line line = {
        .verb = "view",
        .usage = "RECORDING|SNAPSHOT [OPTIONS]",
        .purpose = "Shows what was recorded or saved in a browser: says which address to open. "
                   "A recording has a\ntimeline, on which everybody who looks on can go to and "
                   "fro. The file is only read.",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .least_arguments = 1,
        .most_arguments = 1,
        .arguments = &q.path,
    };
    const int code = jbw_command_line_parse(&line, argc, argv);
    if (code >= 0) return code;
    char host[256] = "127.0.0.1";
    jbw_server_options server = {.host = host, .port = 8765, .is_paused = !q.is_playing};
    if (!jbw_parse_listen(q.listen, host, sizeof host, &server.port))
        return fail("--listen", "expected HOST:PORT", JBW_EXIT_USAGE);
    if (!(q.rate == 0.0 || (q.rate >= 1e-3 && q.rate <= 1e9)))
        return fail("--rate", "expected steps per second, or 0", JBW_EXIT_USAGE);
    server.rate = q.rate;
    server.reward = q.reward;
    return view(&q, &server);
}
