// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "commands.h"
#include "file_kind.h"
#include "jbw/jbw.h"
#include "jbw/server.h"
#include "listen.h"
#include "options.h"

/// What the command line asks for.
typedef struct request {
    const char *world;
    const char *listen;
    const char *tokens;
    const char *rate;
    uint64_t seed;
    uint64_t turn_timeout;
    uint64_t every;
    uint64_t clients;
    double frame_rate;
    int generation_threads;
    bool resumes;
    bool is_json;
    jbw_texts origins;
    jbw_settings settings;
    jbw_server_options server;
} request;

/// A world that is to be served, with what came along.
typedef struct source {
    jbw_config *config;
    jbw_model *model;
    jbw_world *world;
    jbw_loaded loaded;
    jbw_buffer world_file;
    jbw_tokens tokens;
    char host[256];
} source;

static int fail(const char *what, const char *why, int code)
{
    fprintf(stderr, "jbw serve: %s: %s\n", what, why);
    return code;
}

// ---- the world ----

static int open_snapshot(source *s, request *q, const char *path)
{
    jbw_error error = {0};
    jbw_load_options options = {0};
    const int code = jbw_take_memory_budget("serve", &q->settings, &options.memory_budget);
    if (code >= 0) return code;
    if (q->settings.count > 0 && path == q->world)
        return fail("--set", "a snapshot cannot be changed", JBW_EXIT_USAGE);
    const jbw_status status = jbw_snapshot_read(path, &options, &s->loaded, &error);
    if (status) return fail(path, error.text, JBW_EXIT_USAGE);
    s->model = s->loaded.model;
    s->world = s->loaded.world;
    s->loaded.model = NULL;
    s->loaded.world = NULL;
    q->server.notes = s->loaded.notes;
    q->server.note_count = s->loaded.note_count;
    return -1;
}

static int open_world_file(source *s, request *q)
{
    const int code = jbw_load_world(q->world, &q->settings, &s->config);
    if (code >= 0) return code;
    jbw_error error = {0};
    if (jbw_model_create(s->config, &s->model, &error))
        return fail(q->world, error.text, JBW_EXIT_FAILED);
    jbw_status status = jbw_world_create(s->model, q->seed, &s->world);
    if (status) return fail(q->world, jbw_status_text(status), JBW_EXIT_FAILED);
    // for clients that ask for it; a zero ends it
    if (!jbw_world_file_print(s->config, false, &s->world_file) &&
        jbw_buffer_append(&s->world_file, "", 1))
        q->server.world_file = (const char *)s->world_file.bytes;
    return -1;
}

static int open_world(source *s, request *q)
{
    if (q->resumes && q->server.save_path && access(q->server.save_path, F_OK) == 0)
        return open_snapshot(s, q, q->server.save_path);
    if (jbw_file_kind_of(q->world) != JBW_FILE_SNAPSHOT) return open_world_file(s, q);
    return open_snapshot(s, q, q->world);
}

static int start_threads(source *s, const request *q)
{
    const jbw_status status = jbw_world_set_generation_threads(s->world, q->generation_threads);
    return status ? fail("--generation-threads", jbw_status_text(status), JBW_EXIT_FAILED) : -1;
}

// ---- options ----

static int read_listen(source *s, request *q)
{
    q->server.port = 8765;
    s->host[0] = '\0';
    if (!jbw_parse_listen(q->listen, s->host, sizeof s->host, &q->server.port))
        return fail("--listen", "expected HOST:PORT", JBW_EXIT_USAGE);
    q->server.host = s->host[0] != '\0' ? s->host : NULL;
    return -1;
}

static int read_tokens(source *s, request *q)
{
    if (!q->tokens) return -1;
    jbw_error error = {0};
    const jbw_status status = jbw_tokens_read(q->tokens, &s->tokens, &error);
    if (status == JBW_INVALID_DATA) {
        fprintf(stderr, "%s:%d: error: %s\n", q->tokens, error.line, error.text);
        return JBW_EXIT_USAGE;
    }
    if (status) return fail("--tokens", error.text, JBW_EXIT_USAGE);
    q->server.tokens = s->tokens.tokens;
    q->server.token_count = s->tokens.count;
    return -1;
}

static int read_options(source *s, request *q)
{
    jbw_server_options *o = &q->server;
    if (strcmp(q->rate, "max") != 0 && (!jbw_parse_double(q->rate, strlen(q->rate), &o->rate) ||
                                        !(o->rate >= 1e-3) || o->rate > 1e9))
        return fail("--rate", "expected steps per second, or max", JBW_EXIT_USAGE);
    if (q->turn_timeout > UINT32_MAX) return fail("--turn-timeout", "too long", JBW_EXIT_USAGE);
    if (o->deactivates && q->turn_timeout == 0)
        return fail("--deactivate", "needs --turn-timeout", JBW_EXIT_USAGE);
    if (!o->cert != !o->key) return fail("--cert, --key", "need each other", JBW_EXIT_USAGE);
    if ((q->every > 0 || q->resumes) && !o->save_path)
        return fail("--every, --resume", "need --autosave", JBW_EXIT_USAGE);
    if (q->clients < 1 || q->clients > 60000)
        return fail("--clients", "expected 1 to 60000", JBW_EXIT_USAGE);
    if (!(q->frame_rate >= 0.01 && q->frame_rate <= 1000.0))
        return fail("--frame-rate", "expected 0.01 to 1000", JBW_EXIT_USAGE);
    o->turn_timeout = (uint32_t)q->turn_timeout;
    o->save_every = q->every;
    o->clients_most = (uint32_t)q->clients;
    o->frame_rate = q->frame_rate;
    o->origins = q->origins.texts;
    o->origin_count = q->origins.count;
    const int code = read_listen(s, q);
    return code >= 0 ? code : read_tokens(s, q);
}

// ---- serving ----

static void announce(const request *q, const jbw_server *server, uint64_t time)
{
    if (q->is_json)
        printf("{\"url\": \"%s\", \"port\": %d, \"time\": %" PRIu64 "}\n", jbw_server_url(server),
               jbw_server_port(server), time);
    else
        printf("ready: %s at time %" PRIu64 "\n", jbw_server_url(server), time);
    fflush(stdout);
}

// until a signal comes, or the world's thread has failed
static int wait_for_end(jbw_server *server, const sigset_t *signals)
{
    const struct timespec pause = {.tv_sec = 1};
    for (;;) {
        if (sigtimedwait(signals, NULL, &pause) > 0) return JBW_EXIT_GOOD;
        jbw_error error = {0};
        if (jbw_server_status(server, &error)) return fail("failed", error.text, JBW_EXIT_FAILED);
    }
}

static int serve(source *s, const request *q)
{
    sigset_t signals;
    jbw_hold_signals(&signals);
    jbw_server *server;
    jbw_error error = {0};
    const uint64_t time = jbw_world_time(s->world);
    const jbw_status status = jbw_server_create(s->world, &q->server, &server, &error);
    if (status)
        return fail(q->listen, error.text,
                    status == JBW_INVALID_ARGUMENT || status == JBW_INVALID_EXPRESSION
                        ? JBW_EXIT_USAGE
                        : JBW_EXIT_FAILED);
    s->world = NULL;
    announce(q, server, time);
    int code = wait_for_end(server, &signals);
    if (jbw_server_stop(server, &error)) code = fail("at the end", error.text, JBW_EXIT_FAILED);
    const jbw_server_stats stats = jbw_server_get_stats(server);
    if (!q->is_json)
        printf("stopped at time %" PRIu64 ", %" PRIu64 " steps, hash %016" PRIx64 "\n", stats.time,
               stats.step_count, jbw_world_hash(jbw_server_world(server)));
    jbw_server_destroy(server);
    return code;
}

static void close_source(source *s)
{
    jbw_world_destroy(s->world);
    jbw_model_destroy(s->model);
    jbw_loaded_free(&s->loaded);
    jbw_config_free(s->config);
    jbw_buffer_free(&s->world_file);
    jbw_tokens_free(&s->tokens);
}

int jbw_cmd_serve(int argc, char **argv)
{
    request q = {.listen = "127.0.0.1:8765",
                 .rate = "max",
                 .clients = 1000,
                 .frame_rate = 30.0,
                 .generation_threads = jbw_default_generation_threads()};
    jbw_server_options *o = &q.server;
    const jbw_option options[] = {
        {"--listen", JBW_OPTION_TEXT, &q.listen, "HOST:PORT",
         "where to listen; port 0 is any that is free (127.0.0.1:8765)"},
        {"--tokens", JBW_OPTION_TEXT, &q.tokens, "FILE",
         "who may do what, a line each: NAME SECRET PERMISSIONS [AGENTS]; others may watch"},
        {"--cert", JBW_OPTION_TEXT, &o->cert, "FILE", "serve over TLS with this certificate"},
        {"--key", JBW_OPTION_TEXT, &o->key, "FILE", "and its key"},
        {"--origin", JBW_OPTION_TEXTS, &q.origins, "ORIGIN",
         "let pages of another site connect, such as https://example.org; any number of times"},
        {"--rate", JBW_OPTION_TEXT, &q.rate, "N", "steps per second at most, or max (max)"},
        {"--paused", JBW_OPTION_FLAG, &o->is_paused, NULL, "begin paused"},
        {"--turn-timeout", JBW_OPTION_SEED, &q.turn_timeout, "MS",
         "go on without who has not asked for so long; 0 is never (0)"},
        {"--deactivate", JBW_OPTION_FLAG, &o->deactivates, NULL, "and make those inactive"},
        {"--autosave", JBW_OPTION_TEXT, &o->save_path, "FILE",
         "save the world there at the end, and when asked to"},
        {"--every", JBW_OPTION_SEED, &q.every, "N", "and every N steps"},
        {"--resume", JBW_OPTION_FLAG, &q.resumes, NULL,
         "go on with what is in that file, if it is there"},
        {"--reward", JBW_OPTION_TEXT, &o->reward, "EXPR",
         "plot the rate of this reward in the page"},
        {"--record", JBW_OPTION_TEXT, &o->record_path, "FILE", "record everything that happens"},
        {"--seed", JBW_OPTION_SEED, &q.seed, "S", "the seed of a new world (0)"},
        {"--clients", JBW_OPTION_SEED, &q.clients, "N", "connections at most (1000)"},
        {"--frame-rate", JBW_OPTION_NUMBER, &q.frame_rate, "N",
         "pictures per second for viewers (30)"},
        {"--json", JBW_OPTION_FLAG, &q.is_json, NULL, "tell the address as JSON"},
        jbw_option_set(&q.settings),
        jbw_option_generation(&q.settings),
        jbw_option_memory_budget(&q.settings),
        jbw_option_generation_threads(&q.generation_threads),
    };
    jbw_command_line line = {
        .verb = "serve",
        .usage = "WORLD|SNAPSHOT [OPTIONS]",
        .purpose =
            "Serves a world: programs act in it, browsers and programs watch it. Says where when\n"
            "it is ready; an interrupt ends it, after saving.\n",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .least_arguments = 1,
        .most_arguments = 1,
        .arguments = &q.world,
    };
    int code = jbw_command_line_parse(&line, argc, argv);
    if (code >= 0) return code;
    source s = {0};
    code = read_options(&s, &q);
    if (code < 0) code = open_world(&s, &q);
    if (code < 0) code = start_threads(&s, &q);
    if (code < 0) code = serve(&s, &q);
    close_source(&s);
    return code;
}
