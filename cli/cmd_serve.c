// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "atlas_option.h"
#include "base/text.h"
#include "file_info.h"
#include "jbw/jbw.h"
#include "jbw/server.h"
#include "listen.h"
#include "options.h"
#include "served_agents.h"
#include "verb.h"
#include "world_source.h"

static const char verb[] = "serve";

/// With agents of its own and no --rate, steps per second that a person can follow.
static const double watchable_rate = 20.0;

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
    jbw_atlas_request atlas;
    bool resumes;
    bool is_json;
    jbw_texts origins;
    jbw_texts agents;
    jbw_settings agent_settings;
    jbw_settings settings;
    jbw_server_options server;
} request;

/// A world to be served, and what the server's options point to.
typedef struct source {
    jbw_world_source world;
    jbw_buffer world_file;
    jbw_tokens tokens;
    jbw_served_agents agents;
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

static jbw_verb_status open_agents(source *s, request *q)
{
    jbw_server_options *o = &q->server;
    const jbw_verb_status status = jbw_served_agents_open(&s->agents, verb, &s->world, &q->agents,
                                                          &q->agent_settings, o->reward);
    if (status || s->agents.count == 0) return status;
    o->residents = s->agents.list;
    o->resident_count = s->agents.count;
    o->reward = s->agents.reward_text; // so the page plots what they live for
    if (!q->rate) o->rate = watchable_rate;
    return JBW_VERB_OK;
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
    if (q->rate && strcmp(q->rate, "max") != 0 &&
        (!jbw_parse_double(q->rate, strlen(q->rate), &o->rate) || !(o->rate >= 1e-3) ||
         o->rate > 1e9))
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

// who acts here, or how to bring someone who does
static void tell_of_agents(const source *s, const request *q)
{
    char names[500];
    char rate[40] = "as fast as they can";
    if (s->agents.count > 0) {
        jbw_served_agents_print(&s->agents, names, sizeof names);
        if (q->server.rate > 0.0)
            snprintf(rate, sizeof rate, "at most %g steps per second", q->server.rate);
        printf("agents: %s; %s (--rate)\n", names, rate);
    } else if (q->tokens) {
        printf("the world waits for agents: a program with a token brings one "
               "(docs/clients.md), or --agent greedy\n");
    } else {
        printf(
            "the world waits for agents: --agent greedy puts one in; with --tokens FILE programs "
            "can bring theirs\n");
    }
}

static void announce(const source *s, const request *q, const jbw_server *server, uint64_t time)
{
    if (q->is_json) {
        printf("{\"url\": \"%s\", \"port\": %d, \"time\": %" PRIu64 "}\n", jbw_server_url(server),
               jbw_server_port(server), time);
    } else {
        printf("ready: %s at time %" PRIu64 "\n", jbw_server_url(server), time);
        tell_of_agents(s, q);
    }
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
    announce(s, q, server, time);
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
    jbw_served_agents_close(&s->agents);
    jbw_world_source_close(&s->world);
    jbw_buffer_free(&s->world_file);
    jbw_tokens_free(&s->tokens);
}

jbw_verb_status jbw_cmd_serve(int argc, char **argv)
{
    request q = {.listen = "127.0.0.1:8765",
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
        {"--agent", JBW_OPTION_TEXTS, &q.agents, "NAME",
         "put an agent into the world that acts by itself: greedy, random, forward, oracle, ppo or "
         "dqn, "
         "which learn; repeatable. A resumed world has its agents already: name them again, or "
         "not"},
        {"--agent-set", JBW_OPTION_SET, &q.agent_settings, "KEY=VALUE",
         "a setting of those agents that have it, as of jbw run; repeatable"},
        {"--rate", JBW_OPTION_TEXT, &q.rate, "N",
         "maximum steps per second, or max (20 with --agent, else max)"},
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
         "plot the rate of this reward in the browser; agents of --agent live for it (Collect of "
         "the "
         "first item type)"},
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
        jbw_option_atlas(&q.atlas),
        jbw_option_atlas_read_only(&q.atlas),
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
    if (!status) status = jbw_atlas_request_attach(&q.atlas, verb, s.world.world);
    if (!status) status = open_agents(&s, &q);
    if (!status) status = jbw_start_generation_threads(s.world.world, verb, q.generation_threads);
    if (!status) status = serve(&s, &q);
    close_source(&s);
    return status;
}
