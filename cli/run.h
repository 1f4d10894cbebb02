// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// A run: one agent in a world, acting under a reward. It can be saved and resumed.
#ifndef JBW_CLI_RUN_H
#define JBW_CLI_RUN_H

#include "atlas_option.h"
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
    jbw_atlas_request atlas;
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

    uint64_t updates; // of a learner, when its weights were last marked in the recording
    jbw_recorder *recorder;
    bool has_recording_failed; // and the failure was reported
} jbw_run;

/// Starts a run, or resumes a saved one. Errors are reported on stderr.
jbw_verb_status jbw_run_open(jbw_run *run, const jbw_run_request *request);
void jbw_run_close(jbw_run *run);

/// The notes and marks that a run keeps in its snapshots and recordings; docs/recordings.md lists
/// them.
#define JBW_RUN_NOTE_WORLD "run.world"
#define JBW_RUN_NOTE_AGENT "run.agent"
#define JBW_RUN_NOTE_SETTINGS "run.settings"
#define JBW_RUN_NOTE_REWARD "run.reward"
#define JBW_RUN_NOTE_SEED "run.seed"
#define JBW_RUN_NOTE_POLICY "run.policy"
#define JBW_RUN_NOTE_LOG "run.log"
#define JBW_RUN_MARK_WEIGHTS "run.weights"

/// Writes all settings of a policy as "name=value" separated by spaces; false if it has none or
/// they do not fit. And reads them again, cutting the text into pieces; returns their number.
bool jbw_run_print_settings(const jbw_policy *policy, char *out, size_t capacity);
size_t jbw_run_read_settings(char *text, jbw_policy_setting *out, size_t capacity);

/// Marks the weights of a learner in the recording, if it has learnt since they were marked.
void jbw_run_mark_weights(jbw_run *run);

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
