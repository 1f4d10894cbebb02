// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A run: one agent in a world, acting under a reward. It can be saved and resumed.
#ifndef JBW_CLI_RUN_H
#define JBW_CLI_RUN_H

#include "jbw/jbw.h"
#include "options.h"
#include "run_log.h"
#include "verb.h"
#include "world_source.h"

/// The options of the command line.
typedef struct jbw_run_request {
    const char *world; // NULL if it comes from a snapshot
    const char *agent; // NULL: greedy, or the saved one
    const char *reward;
    const char *csv;
    const char *plot;
    const char *map;
    const char *load;
    const char *save;
    const char *record;
    uint64_t seed;
    uint64_t steps;
    uint64_t window; // zero: derived from the steps, or the saved one
    uint64_t every;  // the same
    uint64_t save_every;
    bool is_forced; // existing files may be replaced
    int generation_threads;
    int memory_budget;     // of a world that is loaded without being named; zero: the default
    uint64_t memory_limit; // of loading, in bytes; zero: the default
    jbw_settings settings;
    jbw_settings agent_settings;
} jbw_run_request;

/// A run. All zero is none.
typedef struct jbw_run {
    jbw_world_source source;
    jbw_world *world; // the source's
    jbw_reward *reward;
    jbw_policy *policy;
    jbw_agent_id agent;
    char *world_name;
    char *reward_text;
    jbw_run_log log;
    uint64_t steps; // taken by this process
    double seconds;

    jbw_recorder *recorder;
    bool has_recording_failed; // and the failure was reported
} jbw_run;

/// Starts a run, or resumes a saved one. Errors are reported on stderr.
jbw_verb_status jbw_run_open(jbw_run *run, const jbw_run_request *request);
void jbw_run_close(jbw_run *run);

/// Takes one step.
jbw_status jbw_run_step(jbw_run *run);

/// Saves the run and its world. False, after reporting why, on failure: the old file is then still
/// there.
bool jbw_run_save(jbw_run *run, const char *path);

/// Starts recording, or resumes the run's recording.
jbw_verb_status jbw_run_record(jbw_run *run, const jbw_run_request *request);

/// Prints a summary.
void jbw_run_print(const jbw_run *run, bool is_interrupted);

/// Writes the plot and the map that were asked for. False, after reporting why, if one of them
/// fails.
bool jbw_run_draw(const jbw_run *run, const jbw_run_request *request);

#endif
