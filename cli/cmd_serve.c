// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "file_info.h"
#include "jbw/jbw.h"
#include "jbw/server.h"
#include "listen.h"
#include "options.h"
#include "verb.h"
#include "world_source.h"

static const char verb[] = "serve";

/// The options of the command line.
typedef struct request {
    const char *world;
    const char *listen;
    const char *tokens;
    const char *rate;
    uint64_t seed;
    uint64_t turn_timeout;
    uint64_t every;
    uint64_t clients;
    uint64_t client_memory; // in megabytes
    double frame_rate;
    double save_timeout;
    int generation_threads;
    bool resumes;
    bool is_json;
    jbw_texts origins;
    jbw_settings settings;
    jbw_server_options server;
} request;

/// A world to be served, and what the server's options point to.
typedef struct source {
    jbw_world_source world;
    jbw_buffer world_file;
    jbw_tokens tokens;
    char host[256];
} source;

// ---- the world ----

static jbw_verb_status open_snapshot(source *s, request *q, const char *path)
{
    int memory_budget = 0;
    jbw_verb_status status = jbw_settings_take_memory_budget(&q->settings, verb, &memory_budget);
    if (status) return status;
    if (q->settings.count > 0 && path == q->world)
        return jbw_verb_reject(verb, "--set: a snapshot cannot be changed");
    status = jbw_world_source_load(&s->world, verb, path, memory_budget);
    q->server.notes = s->world.loaded.notes;
    q->server.note_count = s->world.loaded.note_count;
    return status;
}

static jbw_verb_status open_world_file(source *s, request *q)
{
    jbw_verb_status status = jbw_world_source_read(&s->world, q->world, &q->settings);
    if (!status) status = jbw_world_source_create(&s->world, verb, q->seed);
    if (status) return status;
    // for clients that ask for it; it ends in a zero
    if (!jbw_world_file_print(s->world.config, false, &s->world_file) &&
        jbw_buffer_append(&s->world_file, "", 1))
        q->server.world_file = (const char *)s->world_file.bytes;
    return JBW_VERB_OK;
}

static jbw_verb_status open_world(source *s, request *q)
{
    if (q->resumes && q->server.save_path && access(q->server.save_path, F_OK) == 0)
        return open_snapshot(s, q, q->server.save_path);
    if (jbw_file_kind_of(q->world) != JBW_FILE_SNAPSHOT) return open_world_file(s, q);
    return open_snapshot(s, q, q->world);
}

// ---- options ----

static jbw_verb_status read_listen(source *s, request *q)
{
    q->server.port = 8765;
    s->host[0] = '\0';
    if (!jbw_parse_listen(q->listen, s->host, sizeof s->host, &q->server.port))
        return jbw_verb_reject(verb, "--listen: expected HOST:PORT");
    q->server.host = s->host[0] != '\0' ? s->host : NULL;
    return JBW_VERB_OK;
}

static jbw_verb_status read_tokens(source *s, request *q)
{
    if (!q->tokens) return JBW_VERB_OK;
    jbw_error error = {0};
    const jbw_status status = jbw_tokens_read(q->tokens, &s->tokens, &error);
    if (status == JBW_INVALID_DATA) {
        fprintf(stderr, "%s:%d: error: %s\n", q->tokens, error.line, error.text);
        return JBW_VERB_BAD_INPUT;
    }
    if (status) return jbw_verb_reject(verb, "--tokens: %s", error.text);
    q->server.tokens = s->tokens.tokens;
    q->server.token_count = s->tokens.count;
    return JBW_VERB_OK;
}

static jbw_verb_status read_options(source *s, request *q)
{
    jbw_server_options *o = &q->server;
    if (strcmp(q->rate, "max") != 0 && (!jbw_parse_double(q->rate, strlen(q->rate), &o->rate) ||
                                        !(o->rate >= 1e-3) || o->rate > 1e9))
        return jbw_verb_reject(verb, "--rate: expected steps per second, or max");
    if (q->turn_timeout > UINT32_MAX) return jbw_verb_reject(verb, "--turn-timeout: too long");
    if (o->deactivates && q->turn_timeout == 0)
        return jbw_verb_reject(verb, "--deactivate needs --turn-timeout");
    if (!o->cert != !o->key) return jbw_verb_reject(verb, "--cert and --key need each other");
    if ((q->every > 0 || q->resumes) && !o->save_path)
        return jbw_verb_reject(verb, "--every and --resume need --autosave");
    if (q->clients < 1 || q->clients > 60000)
        return jbw_verb_reject(verb, "--clients: expected 1 to 60000");
    if (q->client_memory < 1 || q->client_memory > 1 << 20)
        return jbw_verb_reject(verb, "--client-memory: expected 1 to 1048576 megabytes");
    if (!(q->frame_rate >= 0.01 && q->frame_rate <= 1000.0))
        return jbw_verb_reject(verb, "--frame-rate: expected 0.01 to 1000");
    if (!(q->save_timeout >= 0.0 && q->save_timeout <= 1e6))
        return jbw_verb_reject(verb, "--save-timeout: expected 0 to 1000000");
    o->save_timeout = q->save_timeout > 0.0 ? q->save_timeout : -1.0;
    o->turn_timeout = (uint32_t)q->turn_timeout;
    o->save_every = q->every;
    o->clients_most = (uint32_t)q->clients;
    o->client_memory = (size_t)q->client_memory << 20;
    o->frame_rate = q->frame_rate;
    o->origins = q->origins.texts;
    o->origin_count = q->origins.count;
    const jbw_verb_status status = read_listen(s, q);
    return status ? status : read_tokens(s, q);
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

static jbw_verb_status serve(source *s, const request *q)
{
    sigset_t signals;
    jbw_block_signals(&signals);
    jbw_allow_descriptors(q->server.clients_most);
    jbw_server *server;
    jbw_error error = {0};
    const uint64_t time = jbw_world_time(s->world.world);
    const jbw_status status = jbw_server_create(s->world.world, &q->server, &server, &error);
    if (status == JBW_INVALID_ARGUMENT || status == JBW_INVALID_EXPRESSION)
        return jbw_verb_reject(verb, "%s: %s", q->listen, error.text);
    if (status) return jbw_verb_fail(verb, "%s: %s", q->listen, error.text);
    s->world.world = NULL; // the server's now
    announce(q, server, time);
    jbw_verb_status result = jbw_wait_for_end(server, &signals, verb);
    const jbw_status stopped = jbw_server_stop(server, &error);
    if (stopped) result = jbw_verb_fail(verb, "stopping: %s", error.text);
    const jbw_server_stats stats = jbw_server_get_stats(server);
    if (!q->is_json)
        printf("stopped at time %" PRIu64 ", %" PRIu64 " steps, hash %016" PRIx64 "\n", stats.time,
               stats.step_count, jbw_world_hash(jbw_server_world(server)));
    // a disk that hangs must not keep the program from ending
    if (stopped != JBW_TIMED_OUT) jbw_server_destroy(server);
    return result;
}

static void close_source(source *s)
{
    jbw_world_source_close(&s->world);
    jbw_buffer_free(&s->world_file);
    jbw_tokens_free(&s->tokens);
}

jbw_verb_status jbw_cmd_serve(int argc, char **argv)
{
    request q = {.listen = "127.0.0.1:8765",
                 .rate = "max",
                 .clients = 1000,
                 .client_memory = 256,
                 .frame_rate = 30.0,
                 .save_timeout = 60.0,
                 .generation_threads = jbw_default_generation_threads()};
    jbw_server_options *o = &q.server;
    const jbw_option options[] = {
        {"--listen", JBW_OPTION_TEXT, &q.listen, "HOST:PORT",
         "address to listen on; port 0 picks a free one (127.0.0.1:8765)"},
        {"--tokens", JBW_OPTION_TEXT, &q.tokens, "FILE",
         "access tokens, one per line: NAME SECRET PERMISSIONS [AGENTS]; clients without a token "
         "may "
         "only watch"},
        {"--cert", JBW_OPTION_TEXT, &o->cert, "FILE", "serve over TLS with this certificate"},
        {"--key", JBW_OPTION_TEXT, &o->key, "FILE", "the key of the certificate"},
        {"--origin", JBW_OPTION_TEXTS, &q.origins, "ORIGIN",
         "let pages of another site connect, such as https://example.org; repeatable"},
        {"--rate", JBW_OPTION_TEXT, &q.rate, "N", "maximum steps per second, or max (max)"},
        {"--paused", JBW_OPTION_FLAG, &o->is_paused, NULL, "start paused"},
        {"--turn-timeout", JBW_OPTION_UINT64, &q.turn_timeout, "MS",
         "step after MS milliseconds even if some agents have not acted; 0 means never (0)"},
        {"--deactivate", JBW_OPTION_FLAG, &o->deactivates, NULL,
         "deactivate agents that did not act in time"},
        {"--autosave", JBW_OPTION_TEXT, &o->save_path, "FILE",
         "save the world to FILE on exit and when a client asks for it"},
        {"--every", JBW_OPTION_UINT64, &q.every, "N", "also save it every N steps"},
        {"--save-timeout", JBW_OPTION_NUMBER, &q.save_timeout, "S",
         "at the end, try for S seconds if saving fails; 0 means once (60)"},
        {"--resume", JBW_OPTION_FLAG, &q.resumes, NULL,
         "load the world from the --autosave file if it exists"},
        {"--reward", JBW_OPTION_TEXT, &o->reward, "EXPR",
         "plot the rate of this reward in the browser"},
        {"--record", JBW_OPTION_TEXT, &o->record_path, "FILE", "record everything that happens"},
        {"--seed", JBW_OPTION_UINT64, &q.seed, "S", "seed of a new world (0)"},
        {"--clients", JBW_OPTION_UINT64, &q.clients, "N", "maximum number of connections (1000)"},
        {"--client-memory", JBW_OPTION_UINT64, &q.client_memory, "MB",
         "megabytes that all connections together may take; those that take most are dropped "
         "(256)"},
        {"--frame-rate", JBW_OPTION_NUMBER, &q.frame_rate, "N",
         "frames per second for viewers (30)"},
        {"--json", JBW_OPTION_FLAG, &q.is_json, NULL, "print the address as JSON"},
        jbw_option_set(&q.settings),
        jbw_option_generation(&q.settings),
        jbw_option_memory_budget(&q.settings),
        jbw_option_generation_threads(&q.generation_threads),
    };
    jbw_command_line line = {
        .verb = verb,
        .usage = "WORLD|SNAPSHOT [OPTIONS]",
        .purpose = "Serves a world: programs act in it, programs and browsers watch it. Prints its "
                   "address when it is ready. An interrupt stops it, after saving.",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .min_arguments = 1,
        .max_arguments = 1,
        .arguments = &q.world,
    };
    jbw_verb_status status = jbw_command_line_parse(&line, argc, argv);
    if (status) return status;
    source s = {0};
    status = read_options(&s, &q);
    if (!status) status = open_world(&s, &q);
    if (!status) status = jbw_start_generation_threads(s.world.world, verb, q.generation_threads);
    if (!status) status = serve(&s, &q);
    close_source(&s);
    return status;
}
