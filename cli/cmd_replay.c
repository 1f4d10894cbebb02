// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "commands.h"
#include "jbw/jbw.h"
#include "options.h"
#include "progress.h"

/// What the command line asks for.
typedef struct request {
    const char *path;
    uint64_t to; // UINT64_MAX is the end
    bool is_verified;
    const char *save;
    const char *map;
    bool is_forced;
} request;

static int fail(const char *what, const char *why)
{
    fprintf(stderr, "jbw replay: %s: %s\n", what, why);
    return JBW_EXIT_FAILED;
}

// ---- replaying ----

// every operation from the beginning, with every hash on the way
static jbw_status verify(jbw_recording *recording, uint64_t to, uint64_t *count, jbw_error *error)
{
    enum { OPERATIONS_BETWEEN_LOOKS = 1024 };
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
        if (!status && ++*count % OPERATIONS_BETWEEN_LOOKS == 0)
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
        printf("  torn           %" PRIu64 " bytes behind byte %" PRIu64 " are not good\n",
               info.torn_size, info.size);
    if (q->is_verified && q->to == UINT64_MAX)
        printf("  verified       %" PRIu64 " operations, %" PRIu64 " hashes agree\n", count,
               info.hash_count);
    else if (q->is_verified)
        printf("  verified       %" PRIu64 " operations, all hashes on the way agree\n", count);
    printf("  took           %.1f s\n", seconds);
    printf("  time           %" PRIu64 "\n", jbw_world_time(world));
    printf("  agents         %zu\n", jbw_world_agents(world, NULL, 0));
    printf("  map            %" PRIu64 " patches, %" PRIu64 " final, %.1f MB\n", stats.patch_count,
           stats.final_patch_count, (double)stats.map_bytes / 1e6);
    printf("  hash           %016" PRIx64 "\n", jbw_world_hash(world));
}

// ---- what is written ----

static bool save(jbw_recording *recording, const char *path)
{
    size_t count;
    const jbw_note *notes = jbw_recording_notes(recording, &count);
    jbw_error error = {0};
    if (jbw_snapshot_write(jbw_recording_world(recording), notes, count, path, &error)) {
        fprintf(stderr, "jbw replay: %s\n", error.text);
        return false;
    }
    printf("  saved          %s\n", path);
    return true;
}

// the square around the agents, at most so large that it can be looked at
static jbw_region region_of_agents(const jbw_world *world)
{
    enum { MARGIN = 64, MOST = 1024, MOST_AGENTS = 256 };
    jbw_agent_id ids[MOST_AGENTS];
    size_t count = jbw_world_agents(world, ids, MOST_AGENTS);
    if (count > MOST_AGENTS) count = MOST_AGENTS;
    jbw_position low = {0, 0};
    jbw_position high = {0, 0};
    for (size_t i = 0; i < count; i++) {
        jbw_agent_state state;
        if (jbw_agent_get_state(world, ids[i], &state)) continue;
        const jbw_position p = state.position;
        if (i == 0) low = high = p;
        if (p.x < low.x) low.x = p.x;
        if (p.y < low.y) low.y = p.y;
        if (p.x > high.x) high.x = p.x;
        if (p.y > high.y) high.y = p.y;
    }
    int64_t width = high.x - low.x + 2 * MARGIN;
    int64_t height = high.y - low.y + 2 * MARGIN;
    if (width > MOST) width = MOST;
    if (height > MOST) height = MOST;
    return (jbw_region){(low.x + high.x - width) / 2, (low.y + high.y - height) / 2, width, height};
}

static bool draw(jbw_recording *recording, const char *path)
{
    const jbw_world *world = jbw_recording_world(recording);
    jbw_error error = {0};
    if (jbw_picture_write_png(world, region_of_agents(world), NULL, path, &error)) {
        fail(path, error.text);
        return false;
    }
    printf("  map picture    %s\n", path);
    return true;
}

static int replay(jbw_recording *recording, const request *q)
{
    jbw_error error = {0};
    uint64_t count = 0;
    const double start = jbw_progress_now();
    const jbw_status status = q->is_verified ? verify(recording, q->to, &count, &error)
                                             : jbw_recording_seek(recording, q->to, &error);
    const double seconds = jbw_progress_now() - start;
    if (status) {
        fail(q->path, error.text[0] ? error.text : jbw_status_text(status));
        return status == JBW_NOT_FOUND ? JBW_EXIT_USAGE : JBW_EXIT_FAILED;
    }
    print_summary(q, recording, count, seconds);
    bool is_good = true;
    if (q->save && !save(recording, q->save)) is_good = false;
    if (q->map && !draw(recording, q->map)) is_good = false;
    return is_good ? JBW_EXIT_GOOD : JBW_EXIT_FAILED;
}

int jbw_cmd_replay(int argc, char **argv)
{
    request q = {.to = UINT64_MAX};
    const jbw_option options[] = {
        {"--to", JBW_OPTION_SEED, &q.to, "TIME", "stop right after the step that leads there"},
        {"--verify", JBW_OPTION_FLAG, &q.is_verified, NULL,
         "replay every operation from the beginning, and check every hash"},
        {"--save", JBW_OPTION_TEXT, &q.save, "FILE", "write a snapshot of the world there"},
        {"--map", JBW_OPTION_TEXT, &q.map, "F.png", "draw the world around its agents"},
        {"--force", JBW_OPTION_FLAG, &q.is_forced, NULL, "replace what --save finds in its place"},
    };
    jbw_command_line line = {
        .verb = "replay",
        .usage = "RECORDING [OPTIONS]",
        .purpose = "Replays what jbw run --record has recorded, to its end or to a time, and tells "
                   "of the world\nthere. By default it begins at the nearest snapshot. Exits with "
                   "1 if a hash does not agree.",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .least_arguments = 1,
        .most_arguments = 1,
        .arguments = &q.path,
    };
    int code = jbw_command_line_parse(&line, argc, argv);
    if (code >= 0) return code;
    if (q.save && !q.is_forced && access(q.save, F_OK) == 0) {
        fprintf(stderr, "jbw replay: --save: %s exists already; --force replaces it\n", q.save);
        return JBW_EXIT_USAGE;
    }
    jbw_recording *recording;
    jbw_error error = {0};
    const jbw_status status = jbw_recording_open(q.path, NULL, &recording, &error);
    if (status) {
        fprintf(stderr, "jbw replay: %s\n", error.text);
        return status == JBW_OUT_OF_MEMORY || status == JBW_READ_FAILED ? JBW_EXIT_FAILED
                                                                        : JBW_EXIT_USAGE;
    }
    code = replay(recording, &q);
    jbw_recording_close(recording);
    return code;
}
