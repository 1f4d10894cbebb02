// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// `jbw serve` is killed twice while twenty clients act. Each time it restarts from its latest
/// save, and the clients reconnect to the same agents; none is there twice.
#include "support/served.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/files.h"
#include "support/waiting.h"

enum { CLIENTS = 20, KILLS = 2, SAVE_EVERY = 25, STEPS = 120 };

// ---- the server process ----

typedef struct process {
    const char *tool;
    char world[PATH_SIZE];
    char tokens[PATH_SIZE];
    char save[PATH_SIZE];
    pid_t pid;
    int port;
    int output; // its standard output
} process;

// the port, from the first line of the output
static int read_port(int fd)
{
    char line[256];
    size_t have = 0;
    while (have < sizeof line - 1 && read(fd, line + have, 1) == 1 && line[have] != '\n') have++;
    line[have] = 0;
    const char *at = strstr(line, "127.0.0.1:");
    if (!at) {
        fail_msg("the server printed '%s'", line);
        return 0;
    }
    return (int)strtol(at + strlen("127.0.0.1:"), NULL, 10);
}

static void start(process *p, const char *what)
{
    int output[2];
    assert_int_equal(pipe(output), 0);
    char listen[64];
    snprintf(listen, sizeof listen, "127.0.0.1:%d", p->port);
    char every[16];
    snprintf(every, sizeof every, "%d", SAVE_EVERY);
    p->pid = fork();
    assert_true(p->pid >= 0);
    if (p->pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL); // a failing test leaves no server behind
        dup2(output[1], STDOUT_FILENO);
        close(output[0]);
        close(output[1]);
        execl(p->tool, p->tool, "serve", what, "--listen", listen, "--tokens", p->tokens,
              "--autosave", p->save, "--every", every, (char *)NULL);
        _exit(127);
    }
    close(output[1]);
    p->output = output[0];
    p->port = read_port(p->output);
}

static void finish(process *p, int with_signal)
{
    int status;
    kill(p->pid, with_signal);
    assert_true(waitpid(p->pid, &status, 0) == p->pid);
    close(p->output);
    if (with_signal == SIGTERM) assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

// ---- the clients ----

typedef struct player {
    pthread_t thread;
    char url[64];
    jbw_agent_id agent;
    atomic_bool is_there;
    atomic_bool may_go;
    atomic_int resumptions;
    atomic_ulong last_time;
    atomic_bool is_over;
    atomic_int status; // the error that stopped it, or zero
    char error[480];
} player;

static void count_resumptions(uint64_t time, void *user)
{
    player *p = user;
    p->last_time = time;
    p->resumptions++;
}

static void *play(void *user)
{
    player *p = user;
    const jbw_client_options options = {
        .token = SERVED_ALL, .on_resume = count_resumptions, .resume_user = p};
    jbw_client *client;
    jbw_error error = {0};
    jbw_status status = jbw_client_connect(p->url, &options, &client, &error);
    if (!status) status = jbw_client_add_agent(client, NULL, &p->agent);
    snprintf(p->error, sizeof p->error, "%s", error.text);
    p->status = (int)status;
    p->is_there = true;
    while (!p->may_go) pause_for(1);
    for (int i = 0; !status && !p->is_over; i++) {
        jbw_client_observation o = {0};
        status = jbw_client_act_and_observe(client, p->agent, i % 3, &o);
        if (!status) p->last_time = o.time;
    }
    if (status && client) snprintf(p->error, sizeof p->error, "%s", jbw_client_error(client)->text);
    p->status = (int)status;
    // leave the agent behind
    jbw_client_close(client);
    return NULL;
}

static void check(const player *players)
{
    for (int i = 0; i < CLIENTS; i++)
        if (players[i].status) fail_msg("client %d: %s", i, players[i].error);
}

// until every client has reconnected that often and the world has that age
static void wait_for(player *players, int resumptions, unsigned long steps)
{
    for (int i = 0; i < CLIENTS; i++) {
        int tries = 0;
        while (players[i].resumptions < resumptions || players[i].last_time < steps) {
            check(players);
            if (++tries > 60000)
                fail_msg("client %d is stuck at %lu after %d reconnects", i,
                         (unsigned long)players[i].last_time, (int)players[i].resumptions);
            pause_for(1);
        }
    }
}

// the time of the world in a snapshot
static uint64_t saved_time(const char *path)
{
    jbw_loaded loaded = {0};
    jbw_error error = {0};
    if (jbw_snapshot_read(path, NULL, &loaded, &error)) fail_msg("%s", error.text);
    const uint64_t time = jbw_world_time(loaded.world);
    jbw_loaded_free(&loaded);
    return time;
}

static int compare_ids(const void *a, const void *b)
{
    const uint32_t x = ((const jbw_agent_id *)a)->index1;
    const uint32_t y = ((const jbw_agent_id *)b)->index1;
    return (x > y) - (x < y);
}

static void check_agents(jbw_client *control, const player *players)
{
    jbw_agent_id expected[CLIENTS];
    jbw_agent_id found[2 * CLIENTS];
    size_t count;
    for (int i = 0; i < CLIENTS; i++) expected[i] = players[i].agent;
    qsort(expected, CLIENTS, sizeof *expected, compare_ids);
    assert_int_equal(jbw_client_all_agents(control, found, 2 * CLIENTS, &count), JBW_OK);
    assert_int_equal(count, CLIENTS);
    qsort(found, count, sizeof *found, compare_ids);
    assert_memory_equal(found, expected, sizeof expected);
}

static const char *tool;

static void test_killed_server_resumes(void **state)
{
    (void)state;
    process p = {.tool = tool};
    temporary_folder folder;
    assert_true(temporary_folder_create(&folder));
    temporary_path(&folder, "world.yaml", p.world);
    temporary_path(&folder, "tokens", p.tokens);
    temporary_path(&folder, "saved.jbw", p.save);
    const char *tokens = "all " SERVED_ALL " all 100\n";
    assert_true(file_write(p.world, served_text(), strlen(served_text())));
    assert_true(file_write(p.tokens, tokens, strlen(tokens)));
    start(&p, p.world);

    static player players[CLIENTS];
    char url[64];
    snprintf(url, sizeof url, "ws://127.0.0.1:%d", p.port);
    for (int i = 0; i < CLIENTS; i++) {
        memcpy(players[i].url, url, sizeof url);
        assert_int_equal(pthread_create(&players[i].thread, NULL, play, &players[i]), 0);
    }
    for (int i = 0; i < CLIENTS; i++)
        while (!players[i].is_there) pause_for(1);
    check(players);

    // all agents are saved, so none may get lost
    jbw_client *control;
    jbw_error error = {0};
    const jbw_client_options options = {.token = SERVED_ALL};
    assert_int_equal(jbw_client_connect(url, &options, &control, &error), JBW_OK);
    assert_int_equal(jbw_client_save(control, NULL), JBW_OK);
    for (int i = 0; i < CLIENTS; i++) players[i].may_go = true;

    for (int kills = 1; kills <= KILLS; kills++) {
        wait_for(players, kills - 1, (unsigned long)kills * STEPS);
        finish(&p, SIGKILL);
        const uint64_t saved = saved_time(p.save);
        start(&p, p.save);
        wait_for(players, kills, (unsigned long)kills * STEPS);
        uint64_t time;
        assert_int_equal(jbw_client_get_time(control, &time), JBW_OK);
        const uint64_t resumed = jbw_client_get_info(control).started_time;
        assert_true(resumed == saved);
        check_agents(control, players);
    }
    wait_for(players, KILLS, (KILLS + 1) * STEPS);
    for (int i = 0; i < CLIENTS; i++) players[i].is_over = true;
    for (int i = 0; i < CLIENTS; i++) pthread_join(players[i].thread, NULL);
    check(players);
    check_agents(control, players);
    jbw_client_stats stats;
    assert_int_equal(jbw_client_get_stats(control, &stats), JBW_OK);
    assert_int_equal(stats.agent_count, CLIENTS);
    assert_int_equal(stats.active_count, 0);
    jbw_client_close(control);
    finish(&p, SIGTERM);
    temporary_folder_clear(&folder); // the killed servers may have left unfinished files
    assert_true(temporary_folder_remove(&folder));
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: %s PATH-OF-JBW\n", argv[0]);
        return 2;
    }
    tool = argv[1];
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_killed_server_resumes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
