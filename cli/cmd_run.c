// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "progress.h"
#include "run.h"
#include "verb.h"

static const char verb[] = "run";

static volatile sig_atomic_t is_interrupted;

static void interrupt(int signal_number)
{
    is_interrupted = 1;
    signal(signal_number, SIG_DFL); // the step under way may take long: a second one ends it
}

// ---- stepping ----

static void show_progress(const jbw_run *run, jbw_progress *progress)
{
    if (!progress->is_shown) return;
    char in_force[80];
    jbw_reward_print_at(run->reward, jbw_world_time(run->world), in_force, sizeof in_force);
    snprintf(progress->note, sizeof progress->note, "%.0f steps/s, reward rate %.4f, %s",
             jbw_progress_rate(progress, run->steps), jbw_run_log_rate(&run->log), in_force);
    jbw_progress_update(progress, run->steps);
}

// reports at once if recording has failed; the run continues without it
static void check_recording(jbw_run *run)
{
    jbw_error error;
    if (!run->recorder || run->has_recording_failed) return;
    if (jbw_recorder_status(run->recorder, &error) == JBW_OK) return;
    run->has_recording_failed = true;
    jbw_verb_fail(verb, "recording stopped before time %" PRIu64 ": %s", jbw_world_time(run->world),
                  error.text);
}

static jbw_verb_status run_steps(jbw_run *run, const jbw_run_request *q)
{
    // learners take some milliseconds for a step
    enum { STEPS_BETWEEN_MARKS = 8192 };
    const bool is_learner = jbw_policy_is_learner(run->policy);
    const uint64_t steps_between_checks = is_learner ? 16 : 1024;
    signal(SIGINT, interrupt);
    signal(SIGTERM, interrupt);
    jbw_progress progress;
    jbw_progress_begin(&progress, "running", q->steps);
    const double start = jbw_progress_now();
    jbw_status status = JBW_OK;
    while (run->steps < q->steps && !status && !is_interrupted) {
        status = jbw_run_step(run);
        if (run->steps % steps_between_checks == 1) {
            show_progress(run, &progress);
            check_recording(run);
        }
        if (is_learner && run->steps % STEPS_BETWEEN_MARKS == 0) jbw_run_mark_weights(run);
        if (q->save_every > 0 && run->steps % q->save_every == 0 && !status)
            jbw_run_save(run, q->save);
    }
    run->seconds = jbw_progress_now() - start;
    jbw_progress_end(&progress);
    return status ? jbw_verb_fail(verb, "step: %s", jbw_status_text(status)) : JBW_VERB_OK;
}

// ---- finishing ----

static bool close_csv(jbw_run *run, const char *path)
{
    FILE *csv = run->log.csv;
    if (!csv) return true;
    run->log.csv = NULL;
    const bool is_bad = ferror(csv) != 0;
    if (fclose(csv) == 0 && !is_bad) return true;
    jbw_verb_fail(verb, "%s: cannot be written", path);
    return false;
}

static bool close_recording(jbw_run *run, const char *path)
{
    if (!run->recorder) return true;
    jbw_error error;
    if (jbw_policy_is_learner(run->policy)) jbw_run_mark_weights(run);
    check_recording(run);
    const jbw_status status = jbw_recorder_close(run->recorder, &error);
    run->recorder = NULL;
    if (status && !run->has_recording_failed)
        jbw_verb_fail(verb, "the recording is incomplete: %s", error.text);
    printf("  recorded       %s%s\n", path, status ? ", incomplete" : "");
    return status == JBW_OK;
}

static bool save(jbw_run *run, const char *path)
{
    if (!jbw_run_save(run, path)) return false;
    printf("  saved          %s\n", path);
    return true;
}

static jbw_verb_status finish(jbw_run *run, const jbw_run_request *q)
{
    bool is_good = true;
    jbw_run_print(run, is_interrupted != 0);
    if (q->save && !save(run, q->save)) is_good = false;
    if (!close_recording(run, q->record)) is_good = false;
    if (!close_csv(run, q->csv)) is_good = false;
    if (!jbw_run_draw(run, q)) is_good = false;
    return is_good ? JBW_VERB_OK : JBW_VERB_FAILED;
}

// ---- the command line ----

static jbw_verb_status reject_usage(const char *problem)
{
    return jbw_verb_reject(verb, "%s; see jbw run --help", problem);
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat first;
    struct stat second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

// A saved run may have taken days, and is quickly overwritten: ask for --force.
static jbw_verb_status check_file(const char *path, const char *loaded, const char *option)
{
    struct stat status;
    if (!path || stat(path, &status) != 0 || !S_ISREG(status.st_mode)) return JBW_VERB_OK;
    if (loaded && is_same_file(path, loaded)) return JBW_VERB_OK;
    return jbw_verb_reject(verb, "%s: %s already exists; --force replaces it", option, path);
}

static jbw_verb_status check_request(const jbw_run_request *q)
{
    if (!q->world && !q->load) return reject_usage("expected WORLD, or --load FILE");
    if (!q->world && q->settings.count > 0)
        return reject_usage("--set and --generation need a WORLD");
    if (q->save_every > 0 && !q->save) return reject_usage("--save-every needs --save FILE");
    if (q->window > JBW_RUN_MAX_WINDOW)
        return jbw_verb_reject(verb, "--window: expected at most %d", JBW_RUN_MAX_WINDOW);
    if (q->record && ((q->save && strcmp(q->save, q->record) == 0) ||
                      (q->load && is_same_file(q->load, q->record))))
        return reject_usage("--record needs a different file than --save and --load");
    if (q->is_forced) return JBW_VERB_OK;
    const jbw_verb_status status = check_file(q->save, q->load, "--save");
    if (status || q->load) return status; // a resumed run appends to its recording
    return check_file(q->record, NULL, "--record");
}

jbw_verb_status jbw_cmd_run(int argc, char **argv)
{
    static jbw_run_request q;
    q.steps = 1000000;
    q.generation_threads = jbw_default_generation_threads();
    const jbw_option options[] = {
        {"--agent", JBW_OPTION_TEXT, &q.agent, "NAME",
         "policy: greedy, random, forward, oracle, or ppo or dqn, which learn (greedy)"},
        {"--agent-set", JBW_OPTION_SET, &q.agent_settings, "KEY=VALUE",
         "a setting of the policy, such as learning_rate=1e-4; docs/policies.md lists them; "
         "repeatable"},
        {"--reward", JBW_OPTION_TEXT, &q.reward, "EXPR",
         "reward, such as 'Collect[JellyBean] & Avoid[Onion]' (Collect of the first item type)"},
        {"--steps", JBW_OPTION_UINT64, &q.steps, "N", "number of steps (1000000)"},
        {"--seed", JBW_OPTION_UINT64, &q.seed, "S", "seed of the world and the agent (0)"},
        {"--window", JBW_OPTION_UINT64, &q.window, "N",
         "number of steps that the reward rate is averaged over (a tenth of the steps, at most "
         "100000)"},
        {"--every", JBW_OPTION_UINT64, &q.every, "N",
         "steps between the rows of --csv (1/2000 of the steps)"},
        {"--csv", JBW_OPTION_TEXT, &q.csv, "FILE",
         "write the reward rate over time; with --load, rows are appended to an existing file"},
        {"--plot", JBW_OPTION_TEXT, &q.plot, "FILE", "plot the reward rate to a PNG file"},
        {"--map", JBW_OPTION_TEXT, &q.map, "FILE",
         "draw the map and the agent's path to a PNG file"},
        {"--save", JBW_OPTION_TEXT, &q.save, "FILE", "save the run at its end, for --load"},
        {"--save-every", JBW_OPTION_UINT64, &q.save_every, "N", "also save it every N steps"},
        {"--load", JBW_OPTION_TEXT, &q.load, "FILE", "resume a saved run exactly where it stopped"},
        {"--record", JBW_OPTION_TEXT, &q.record, "FILE",
         "record everything that happens; with --load, append to a recording that ends there"},
        {"--force", JBW_OPTION_FLAG, &q.is_forced, NULL,
         "let --save and --record replace existing files"},
        jbw_option_set(&q.settings),
        jbw_option_generation(&q.settings),
        jbw_option_memory_budget(&q.settings),
        jbw_option_memory_limit(&q.memory_limit),
        jbw_option_generation_threads(&q.generation_threads),
        jbw_option_atlas(&q.atlas),
        jbw_option_atlas_read_only(&q.atlas),
    };
    jbw_command_line line = {
        .verb = verb,
        .usage = "WORLD [OPTIONS], or jbw run --load FILE [OPTIONS]",
        .purpose = "Runs an agent in a world under a reward, and reports how it did. An interrupt "
                   "ends the run early, with everything it produced until then. A saved run "
                   "resumes with its world, agent, reward and statistics.",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .max_arguments = 1,
        .arguments = &q.world,
    };
    jbw_verb_status status = jbw_command_line_parse(&line, argc, argv);
    if (!status && !q.world)
        status = jbw_settings_take_memory_budget(&q.settings, verb, &q.memory_budget);
    if (!status) status = check_request(&q);
    if (status) return status;

    static jbw_run run;
    status = jbw_run_open(&run, &q);
    if (!status && q.record) status = jbw_run_record(&run, &q);
    if (!status) {
        const jbw_verb_status stepped = run_steps(&run, &q);
        const jbw_verb_status finished = finish(&run, &q); // also after a failure
        status = stepped ? stepped : finished;
    }
    jbw_run_close(&run);
    return status;
}
