// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "listen.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "base/text.h"

bool jbw_parse_listen(const char *text, char *host, size_t host_size, int *port)
{
    const bool has_brackets = text[0] == '[';
    if (has_brackets) text++;
    const size_t length = strcspn(text, has_brackets ? "]" : ":");
    const char *rest = text + length + (has_brackets && text[length] != '\0');
    int64_t number = *port;
    const bool is_good = length < host_size && (*rest == '\0' || *rest == ':') &&
                         (*rest == '\0' || jbw_parse_int64(rest + 1, strlen(rest + 1), &number)) &&
                         number >= 0 && number < 65536;
    if (!is_good) return false;
    if (length > 0) {
        memcpy(host, text, length);
        host[length] = '\0';
    }
    *port = (int)number;
    return true;
}

void jbw_block_signals(sigset_t *signals)
{
    sigemptyset(signals);
    sigaddset(signals, SIGINT);
    sigaddset(signals, SIGTERM);
    sigprocmask(SIG_BLOCK, signals, NULL);
    signal(SIGPIPE, SIG_IGN);
}

void jbw_allow_descriptors(uint32_t clients)
{
    enum { OTHERS = 512 };
    const rlim_t wanted = (rlim_t)clients + clients / 4 + OTHERS;
    struct rlimit limit;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) return;
    limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
    setrlimit(RLIMIT_NOFILE, &limit);
}

// tells when saving begins to fail, why, and when it works again
static void report_saves(const jbw_server_stats *stats, const char *verb, uint32_t *failures)
{
    if (stats->save_failures > 0 && stats->save_failures != *failures)
        fprintf(stderr, "jbw %s: saving failed %" PRIu32 " time%s: %s; the world goes on\n", verb,
                stats->save_failures, stats->save_failures == 1 ? "" : "s", stats->save_error);
    if (stats->save_failures == 0 && *failures > 0)
        fprintf(stderr, "jbw %s: saved again at time %" PRIu64 "\n", verb, stats->saved_time);
    *failures = stats->save_failures;
}

jbw_verb_status jbw_wait_for_end(jbw_server *server, const sigset_t *signals, const char *verb)
{
    const struct timespec pause = {.tv_sec = 1};
    uint32_t failures = 0;
    bool is_recording = true;
    for (;;) {
        if (sigtimedwait(signals, NULL, &pause) > 0) {
            // the next one ends the program at once, even if it still tries to save
            sigprocmask(SIG_UNBLOCK, signals, NULL);
            return JBW_VERB_OK;
        }
        const jbw_server_stats stats = jbw_server_get_stats(server);
        report_saves(&stats, verb, &failures);
        if (is_recording && stats.record_error[0]) {
            fprintf(stderr, "jbw %s: recording failed: %s; the world goes on without it\n", verb,
                    stats.record_error);
            is_recording = false;
        }
        jbw_error error = {0};
        if (jbw_server_status(server, &error)) return jbw_verb_fail(verb, "failed: %s", error.text);
    }
}
