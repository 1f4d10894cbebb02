// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "listen.h"

#include <stdint.h>
#include <string.h>
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

jbw_verb_status jbw_wait_for_end(jbw_server *server, const sigset_t *signals, const char *verb)
{
    const struct timespec pause = {.tv_sec = 1};
    for (;;) {
        if (sigtimedwait(signals, NULL, &pause) > 0) return JBW_VERB_OK;
        jbw_error error = {0};
        if (jbw_server_status(server, &error)) return jbw_verb_fail(verb, "failed: %s", error.text);
    }
}
