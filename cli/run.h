// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A run: one agent that lives in a world under a reward. It can be begun, saved and gone on with.
#ifndef JBW_CLI_RUN_H
#define JBW_CLI_RUN_H

#include "jbw/jbw.h"
#include "options.h"
#include "run_log.h"

/// What the command line asks for.
typedef struct jbw_run_request {
    const char *world; // NULL if it comes from a snapshot
    const char *agent; // NULL means greedy, or what was saved
    const char *reward;
    const char *csv;
    const char *plot;
    const char *map;
    const char *load;
    const char *save;
    const char *record;
    uint64_t seed;
    uint64_t steps;
    uint64_t window; // zero means by the steps, or what was saved
    uint64_t every;  // the same
    uint64_t save_every;
    bool is_forced; // files may be replaced
    int generation_threads;
    int memory_budget; // of a world that is loaded without being named; zero means as usual
    jbw_settings settings;
} jbw_run_request;

/// A run. All zero is none.
typedef struct jbw_run {
    jbw_config *config; // of a world that was begun
    jbw_model *model;   // the same
    jbw_loaded loaded;  // or of one that was gone on with
    jbw_world *world;
    jbw_reward *reward;
    jbw_policy *policy;
    jbw_agent_id agent;
    float *vision;
    char *world_name;
    char *reward_text;
    jbw_run_log log;
    uint64_t steps; // taken by this process
    double seconds;

    jbw_recorder *recorder;
    bool has_recording_failed; // and that was said
    bool has_save_failed;      // the latest one
} jbw_run;

/// Begins a run, or goes on with a saved one. -1, or the exit code, after saying what is wrong.
int jbw_run_open(jbw_run *run, const jbw_run_request *request);
void jbw_run_close(jbw_run *run);

/// One step of the agent.
jbw_status jbw_run_step(jbw_run *run);

/// Saves it, world and all; false, after saying why, if that fails: then the old file is there.
bool jbw_run_save(jbw_run *run, const char *path);

/// Begins to record it, or goes on with its recording. -1, or the exit code.
int jbw_run_record(jbw_run *run, const jbw_run_request *request);

/// Tells what became of it, and draws what was asked for. False if that fails.
void jbw_run_print(const jbw_run *run, bool is_interrupted);
bool jbw_run_draw(const jbw_run *run, const jbw_run_request *request);

#endif
