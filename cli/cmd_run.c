// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "commands.h"
#include "progress.h"
#include "run.h"

static volatile sig_atomic_t is_interrupted;

static void interrupt(int signal_number)
{
    (void)signal_number;
    is_interrupted = 1;
}

static int fail(const char *what, const char *why)
{
    fprintf(stderr, "jbw run: %s: %s\n", what, why);
    return JBW_EXIT_FAILED;
}

// ---- living ----

static void show_progress(const jbw_run *run, jbw_progress *progress)
{
    if (!progress->is_shown) return;
    char in_force[80];
    jbw_reward_print_at(run->reward, jbw_world_time(run->world), in_force, sizeof in_force);
    snprintf(progress->note, sizeof progress->note, "%.0f steps/s, reward rate %.4f, %s",
             jbw_progress_rate(progress, run->steps), jbw_run_log_rate(&run->log), in_force);
    jbw_progress_update(progress, run->steps);
}

// says so at once if the recording has failed; the run goes on without it
static void watch_recording(jbw_run *run)
{
    jbw_error error;
    if (!run->recorder || run->has_recording_failed) return;
    if (jbw_recorder_status(run->recorder, &error) == JBW_OK) return;
    run->has_recording_failed = true;
    fprintf(stderr, "jbw run: recording has stopped before time %" PRIu64 ": %s\n",
            jbw_world_time(run->world), error.text);
}

static int live(jbw_run *run, const jbw_run_request *q)
{
    enum { STEPS_BETWEEN_LOOKS = 1024 };
    signal(SIGINT, interrupt);
    signal(SIGTERM, interrupt);
    jbw_progress progress;
    jbw_progress_begin(&progress, "running", q->steps);
    const double start = jbw_progress_now();
    jbw_status status = JBW_OK;
    while (run->steps < q->steps && !status && !is_interrupted) {
        status = jbw_run_step(run);
        if (run->steps % STEPS_BETWEEN_LOOKS == 1) {
            show_progress(run, &progress);
            watch_recording(run);
        }
        if (q->save_every > 0 && run->steps % q->save_every == 0 && !status)
            jbw_run_save(run, q->save);
    }
    run->seconds = jbw_progress_now() - start;
    jbw_progress_end(&progress);
    return status ? fail("step", jbw_status_text(status)) : JBW_EXIT_GOOD;
}

// ---- finishing ----

static bool close_csv(jbw_run *run, const char *path)
{
    FILE *csv = run->log.csv;
    if (!csv) return true;
    run->log.csv = NULL;
    const bool is_bad = ferror(csv) != 0;
    if (fclose(csv) == 0 && !is_bad) return true;
    fail(path, "cannot be written");
    return false;
}

static bool close_recording(jbw_run *run, const char *path)
{
    if (!run->recorder) return true;
    jbw_error error;
    watch_recording(run);
    const jbw_status status = jbw_recorder_close(run->recorder, &error);
    run->recorder = NULL;
    if (status && !run->has_recording_failed)
        fprintf(stderr, "jbw run: the recording is not complete: %s\n", error.text);
    printf("  recorded       %s%s\n", path, status ? ", not to the end" : "");
    return status == JBW_OK;
}

static bool save(jbw_run *run, const char *path)
{
    // it may just have been done
    const bool is_good = jbw_run_save(run, path);
    if (is_good) printf("  saved          %s\n", path);
    return is_good;
}

static int finish(jbw_run *run, const jbw_run_request *q)
{
    bool is_good = true;
    jbw_run_print(run, is_interrupted != 0);
    if (q->save && !save(run, q->save)) is_good = false;
    if (!close_recording(run, q->record)) is_good = false;
    if (!close_csv(run, q->csv)) is_good = false;
    if (!jbw_run_draw(run, q)) is_good = false;
    return is_good ? JBW_EXIT_GOOD : JBW_EXIT_FAILED;
}

// ---- the command line ----

static int fail_usage(const char *what)
{
    fprintf(stderr, "jbw run: %s; see jbw run --help\n", what);
    return JBW_EXIT_USAGE;
}

static bool is_same_file(const char *a, const char *b)
{
    struct stat first;
    struct stat second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

// A save takes long to make and is quickly overwritten: that must be meant.
static int check_file(const char *path, const char *loaded, const char *option)
{
    struct stat status;
    if (!path || stat(path, &status) != 0 || !S_ISREG(status.st_mode)) return -1;
    if (loaded && is_same_file(path, loaded)) return -1;
    fprintf(stderr, "jbw run: %s: %s exists already; --force replaces it\n", option, path);
    return JBW_EXIT_USAGE;
}

static int check_request(const jbw_run_request *q)
{
    if (!q->world && !q->load) return fail_usage("expected WORLD, or --load FILE");
    if (!q->world && q->settings.count > 0)
        return fail_usage("--set changes a WORLD, but none is given");
    if (q->save_every > 0 && !q->save) return fail_usage("--save-every needs --save FILE");
    if (q->window > JBW_RUN_MOST_WINDOW) {
        fprintf(stderr, "jbw run: --window: expected at most %d\n", JBW_RUN_MOST_WINDOW);
        return JBW_EXIT_USAGE;
    }
    if (q->record && ((q->save && strcmp(q->save, q->record) == 0) ||
                      (q->load && is_same_file(q->load, q->record))))
        return fail_usage("--record needs a file of its own");
    if (q->is_forced) return -1;
    const int code = check_file(q->save, q->load, "--save");
    if (code >= 0 || q->load) return code; // a loaded run goes on with its recording
    return check_file(q->record, NULL, "--record");
}

int jbw_cmd_run(int argc, char **argv)
{
    static jbw_run_request q;
    q.steps = 1000000;
    q.generation_threads = jbw_default_generation_threads();
    const jbw_option options[] = {
        {"--agent", JBW_OPTION_TEXT, &q.agent, "NAME", "greedy, random or forward (greedy)"},
        {"--reward", JBW_OPTION_TEXT, &q.reward, "EXPR",
         "such as 'Collect[JellyBean] & Avoid[Onion]'; by default collecting the first item"},
        {"--steps", JBW_OPTION_SEED, &q.steps, "N", "how many steps (1000000)"},
        {"--seed", JBW_OPTION_SEED, &q.seed, "S", "the seed of world and agent (0)"},
        {"--window", JBW_OPTION_SEED, &q.window, "N",
         "steps that the reward rate is taken over (a tenth of the steps, at most 100000)"},
        {"--every", JBW_OPTION_SEED, &q.every, "N",
         "steps between the rows of --csv (a 2000th of the steps)"},
        {"--csv", JBW_OPTION_TEXT, &q.csv, "FILE", "write the reward rate as it goes"},
        {"--plot", JBW_OPTION_TEXT, &q.plot, "FILE", "draw it into a PNG file"},
        {"--map", JBW_OPTION_TEXT, &q.map, "FILE", "draw map and path into a PNG file"},
        {"--save", JBW_OPTION_TEXT, &q.save, "FILE", "save the run at its end, to be gone on with"},
        {"--save-every", JBW_OPTION_SEED, &q.save_every, "N", "save it every N steps as well"},
        {"--load", JBW_OPTION_TEXT, &q.load, "FILE", "go on with a saved run, exactly as it was"},
        {"--record", JBW_OPTION_TEXT, &q.record, "FILE",
         "record everything that happens; with --load, go on with a recording that ends there"},
        {"--force", JBW_OPTION_FLAG, &q.is_forced, NULL,
         "replace what --save and --record find in their place"},
        jbw_option_set(&q.settings),
        jbw_option_generation(&q.settings),
        jbw_option_memory_budget(&q.settings),
        jbw_option_generation_threads(&q.generation_threads),
    };
    jbw_command_line line = {
        .verb = "run",
        .usage = "WORLD [OPTIONS], or jbw run --load FILE [OPTIONS]",
        .purpose = "Lets an agent live in a world under a reward, and tells how it fared. An\n"
                   "interrupt ends the run early, with everything that was learned until then.\n"
                   "What was saved goes on with its world, agent, reward and statistics.\n",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .least_arguments = 0,
        .most_arguments = 1,
        .arguments = &q.world,
    };
    int code = jbw_command_line_parse(&line, argc, argv);
    if (code < 0 && !q.world)
        code = jbw_take_memory_budget(line.verb, &q.settings, &q.memory_budget);
    if (code < 0) code = check_request(&q);
    if (code >= 0) return code;

    static jbw_run run;
    int result = jbw_run_open(&run, &q);
    if (result < 0 && q.record) result = jbw_run_record(&run, &q);
    if (result < 0) {
        result = live(&run, &q);
        const int finished = finish(&run, &q);
        if (result == JBW_EXIT_GOOD) result = finished;
    }
    jbw_run_close(&run);
    return result;
}
