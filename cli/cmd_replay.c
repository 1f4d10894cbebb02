// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "bounds.h"
#include "jbw/jbw.h"
#include "options.h"
#include "progress.h"
#include "relearn.h"
#include "verb.h"

static const char verb[] = "replay";

/// The options of the command line.
typedef struct request {
    const char *path;
    uint64_t to; // UINT64_MAX is the end
    bool is_verified;
    bool relearns;
    const char *save;
    const char *map;
    bool is_forced;
    jbw_load_options load;
} request;

// ---- replaying ----

// replays every operation from the start and checks every hash
static jbw_status verify(jbw_recording *recording, uint64_t to, uint64_t *count, jbw_error *error)
{
    enum { OPERATIONS_BETWEEN_UPDATES = 1024 };
    const jbw_recording_info info = jbw_recording_get_info(recording);
    jbw_progress progress;
    jbw_progress_begin(&progress, "replaying", info.operation_count);
    jbw_status status = JBW_OK;
    const bool is_end = to == UINT64_MAX;
    if (!is_end && (to < info.first_time || to > info.last_time)) {
        snprintf(error->text, sizeof error->text,
                 "covers times %" PRIu64 " to %" PRIu64 ", not %" PRIu64, info.first_time,
                 info.last_time, to);
        status = JBW_NOT_FOUND;
    }
    while (!status && (is_end || jbw_world_time(jbw_recording_world(recording)) < to)) {
        status = jbw_recording_next(recording, NULL, error);
        if (!status && ++*count % OPERATIONS_BETWEEN_UPDATES == 0)
            jbw_progress_update(&progress, *count);
    }
    jbw_progress_end(&progress);
    return status == JBW_NOT_FOUND && is_end ? JBW_OK : status;
}

static void print_summary(const request *q, jbw_recording *recording, uint64_t count,
                          double seconds)
{
    const jbw_recording_info info = jbw_recording_get_info(recording);
    const jbw_world *world = jbw_recording_world(recording);
    const jbw_world_stats stats = jbw_world_get_stats(world);
    printf("%s, seed %" PRIu64 "\n", q->path, jbw_world_seed(world));
    printf("  recorded       time %" PRIu64 " to %" PRIu64 ", %" PRIu64 " operations, %" PRIu64
           " snapshots, %" PRIu64 " hashes\n",
           info.first_time, info.last_time, info.operation_count, info.snapshot_count,
           info.hash_count);
    if (info.torn_size > 0)
        printf("  torn           %" PRIu64 " bytes after byte %" PRIu64 " are incomplete\n",
               info.torn_size, info.size);
    if (q->is_verified && q->to == UINT64_MAX)
        printf("  verified       %" PRIu64 " operations, %" PRIu64 " hashes match\n", count,
               info.hash_count);
    else if (q->is_verified)
        printf("  verified       %" PRIu64 " operations, all hashes up to there match\n", count);
    printf("  took           %.1f s\n", seconds);
    printf("  time           %" PRIu64 "\n", jbw_world_time(world));
    printf("  agents         %zu\n", jbw_world_agents(world, NULL, 0));
    printf("  map            %" PRIu64 " patches, %" PRIu64 " final, %.1f MB\n", stats.patch_count,
           stats.final_patch_count, (double)stats.map_bytes / 1e6);
    printf("  hash           %016" PRIx64 "\n", jbw_world_hash(world));
}

// ---- results ----

static bool save(jbw_recording *recording, const char *path)
{
    size_t count;
    const jbw_note *notes = jbw_recording_notes(recording, &count);
    jbw_error error = {0};
    if (jbw_snapshot_write(jbw_recording_world(recording), notes, count, path, &error)) {
        jbw_verb_fail(verb, "%s", error.text);
        return false;
    }
    printf("  saved          %s\n", path);
    return true;
}

static jbw_region region_of_agents(const jbw_world *world)
{
    enum { MARGIN = 64, MAX_SIDE = 1024, MAX_AGENTS = 256 };
    jbw_agent_id ids[MAX_AGENTS];
    size_t count = jbw_world_agents(world, ids, MAX_AGENTS);
    if (count > MAX_AGENTS) count = MAX_AGENTS;
    jbw_bounds bounds = {0};
    for (size_t i = 0; i < count; i++) {
        jbw_agent_state state;
        if (!jbw_agent_get_state(world, ids[i], &state)) jbw_bounds_add(&bounds, state.position);
    }
    return jbw_bounds_region(&bounds, MARGIN, MAX_SIDE);
}

static bool draw(jbw_recording *recording, const char *path)
{
    jbw_world *world = jbw_recording_world(recording);
    jbw_error error = {0};
    if (jbw_picture_write_png(world, region_of_agents(world), NULL, path, &error)) {
        jbw_verb_fail(verb, "--map: %s", error.text);
        return false;
    }
    printf("  map picture    %s\n", path);
    return true;
}

static jbw_verb_status replay(jbw_recording *recording, const request *q)
{
    jbw_error error = {0};
    uint64_t count = 0;
    const double start = jbw_progress_now();
    const jbw_status status = q->is_verified ? verify(recording, q->to, &count, &error)
                                             : jbw_recording_seek(recording, q->to, &error);
    const double seconds = jbw_progress_now() - start;
    const char *reason = error.text[0] ? error.text : jbw_status_text(status);
    if (status == JBW_NOT_FOUND) return jbw_verb_reject(verb, "%s: %s", q->path, reason);
    if (status) return jbw_verb_fail(verb, "%s: %s", q->path, reason);
    print_summary(q, recording, count, seconds);
    bool is_good = true;
    if (q->save && !save(recording, q->save)) is_good = false;
    if (q->map && !draw(recording, q->map)) is_good = false;
    return is_good ? JBW_VERB_OK : JBW_VERB_FAILED;
}

jbw_verb_status jbw_cmd_replay(int argc, char **argv)
{
    request q = {.to = UINT64_MAX};
    const jbw_option options[] = {
        {"--to", JBW_OPTION_UINT64, &q.to, "TIME", "stop right after the step that reaches TIME"},
        {"--verify", JBW_OPTION_FLAG, &q.is_verified, NULL,
         "replay every operation from the start and check every hash"},
        {"--relearn", JBW_OPTION_FLAG, &q.relearns, NULL,
         "train the policy of a recorded run again, and compare its actions and the hashes of its "
         "weights"},
        {"--save", JBW_OPTION_TEXT, &q.save, "FILE", "save a snapshot of the world"},
        {"--map", JBW_OPTION_TEXT, &q.map, "F.png",
         "draw the world around its agents to a PNG file"},
        {"--force", JBW_OPTION_FLAG, &q.is_forced, NULL, "let --save replace an existing file"},
        jbw_option_memory_limit(&q.load.memory_limit),
    };
    jbw_command_line line = {
        .verb = verb,
        .usage = "RECORDING [OPTIONS]",
        .purpose = "Replays a recording to its end or to a given time, and describes the world "
                   "there. Starts from the nearest snapshot unless --verify is given. Exits with 1 "
                   "if a hash does not match.",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .min_arguments = 1,
        .max_arguments = 1,
        .arguments = &q.path,
    };
    jbw_verb_status result = jbw_command_line_parse(&line, argc, argv);
    if (result) return result;
    if (q.relearns && (q.save || q.map || q.is_verified))
        return jbw_verb_reject(verb, "--relearn goes with none of --verify, --save and --map");
    if (q.save && !q.is_forced && access(q.save, F_OK) == 0)
        return jbw_verb_reject(verb, "--save: %s already exists; --force replaces it", q.save);
    jbw_recording *recording;
    jbw_error error = {0};
    const jbw_status status = jbw_recording_open(q.path, &q.load, &recording, &error);
    if (status == JBW_OUT_OF_MEMORY || status == JBW_READ_FAILED)
        return jbw_verb_fail(verb, "%s", error.text);
    if (status) return jbw_verb_reject(verb, "%s", error.text);
    result = q.relearns ? jbw_relearn(recording, q.path, q.to) : replay(recording, &q);
    jbw_recording_close(recording);
    return result;
}
