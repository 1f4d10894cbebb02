// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include <stdio.h>

#include "atlas_option.h"
#include "file_info.h"
#include "jbw/jbw.h"
#include "options.h"
#include "prepare.h"
#include "recorded_reward.h"
#include "verb.h"
#include "world_source.h"

enum {
    AROUND_WIDTH = 41, // cells around an agent
    AROUND_HEIGHT = 31,
    NO_SCALE = -2147483647, // --scale was not given
};

static const char verb[] = "render";

/// Where the world comes from.
typedef struct source {
    jbw_world_source world;
    jbw_recording *recording; // if it is there, it owns the world
} source;

static jbw_world *world_of(source *s)
{
    return s->recording ? jbw_recording_world(s->recording) : s->world.world;
}

static jbw_verb_status open_world_file(source *s, const char *name, const jbw_settings *settings,
                                       uint64_t seed)
{
    const jbw_verb_status status = jbw_world_source_read(&s->world, name, settings);
    return status ? status : jbw_world_source_create(&s->world, verb, seed);
}

static jbw_verb_status open_recording(source *s, const char *path, uint64_t time, int memory_budget)
{
    const jbw_load_options options = {.memory_limit = s->world.memory_limit,
                                      .memory_budget = memory_budget};
    jbw_error error = {0};
    jbw_status status = jbw_recording_open(path, &options, &s->recording, &error);
    if (!status) status = jbw_recording_seek(s->recording, time, &error);
    if (!status) return JBW_VERB_OK;
    if (status == JBW_OUT_OF_MEMORY) return jbw_verb_fail(verb, "%s", jbw_status_text(status));
    return jbw_verb_reject(verb, "%s", error.text[0] ? error.text : jbw_status_text(status));
}

/// The options of the command line.
typedef struct request {
    jbw_atlas_request atlas;
    const char *name;
    jbw_file_kind kind;
    const char *out;
    const char *reward;
    uint64_t seed;
    uint64_t time; // UINT64_MAX: as it is, or the end of a recording
    int agent;     // counted from one; zero for none
    bool skips_generation;
    bool generates;
    bool is_plain;
    int threads;
    jbw_region region; // empty: around the agent
    jbw_picture_options picture;
} request;

// a world with a history: its seed and most of its settings are fixed
static jbw_verb_status open_saved(source *s, const request *q, jbw_settings *settings)
{
    int memory_budget = 0;
    const jbw_verb_status status = jbw_settings_take_memory_budget(settings, verb, &memory_budget);
    if (status) return status;
    const bool is_snapshot = q->kind == JBW_FILE_SNAPSHOT;
    if (q->seed != 0 || settings->count > 0)
        return jbw_verb_reject(verb, "--seed and --set are for world files, but %s is a %s",
                               q->name, is_snapshot ? "snapshot" : "recording");
    return is_snapshot ? jbw_world_source_load(&s->world, verb, q->name, memory_budget)
                       : open_recording(s, q->name, q->time, memory_budget);
}

// --- drawing ------------------------------------------------------------------------------------

static jbw_verb_status say(jbw_status status, const jbw_error *error)
{
    const char *text = error->text[0] ? error->text : jbw_status_text(status);
    return status == JBW_INVALID_ARGUMENT ? jbw_verb_reject(verb, "%s", text)
                                          : jbw_verb_fail(verb, "%s", text);
}

// A single frame of a film knows where the agent was before.
static jbw_verb_status draw_recorded(jbw_recording *recording, const request *q)
{
    jbw_reward *reward = NULL;
    const jbw_verb_status result =
        jbw_recording_reward(recording, verb, q->name, q->reward, &reward);
    if (result) return result;
    const uint64_t time = jbw_world_time(jbw_recording_world(recording));
    const jbw_film_options options = {.from = time,
                                      .to = time,
                                      .has_end = true,
                                      .agent = q->agent,
                                      .region = q->region,
                                      .reward = reward,
                                      .picture = q->picture};
    jbw_film *film;
    jbw_error error = {0};
    jbw_status status = jbw_film_create(recording, &options, &film, &error);
    if (!status) status = jbw_film_write_png(film, q->out, &error);
    jbw_film_destroy(film);
    jbw_reward_destroy(reward);
    return status ? say(status, &error) : JBW_VERB_OK;
}

// the agent that is wanted, and if there is no region yet one around it
static jbw_verb_status find_agent(const jbw_world *world, request *q)
{
    enum { MAX_AGENTS = 4096 };
    static jbw_agent_id agents[MAX_AGENTS];
    const size_t count = jbw_world_agents(world, agents, MAX_AGENTS);
    const size_t index = (size_t)q->agent - 1;
    if (index >= count || index >= MAX_AGENTS)
        return jbw_verb_reject(verb, "--agent %d: there are %zu agents", q->agent, count);
    q->picture.agent = agents[index];
    jbw_agent_state state = {0};
    jbw_agent_get_state(world, q->picture.agent, &state);
    if (q->region.width == 0)
        q->region = (jbw_region){state.position.x - AROUND_WIDTH / 2,
                                 state.position.y - AROUND_HEIGHT / 2, AROUND_WIDTH, AROUND_HEIGHT};
    return JBW_VERB_OK;
}

static jbw_verb_status draw(source *s, request *q)
{
    jbw_world *world = world_of(s);
    jbw_error error = {0};
    const bool is_saved = q->kind != JBW_FILE_OTHER;
    const bool generates = (q->generates || !is_saved) && !q->skips_generation;
    const jbw_verb_status found = q->agent > 0 ? find_agent(world, q) : JBW_VERB_OK;
    if (found) return found;
    jbw_status status = generates ? jbw_prepare_region(world, q->region) : JBW_OK;
    if (status == JBW_OUT_OF_MEMORY)
        return jbw_verb_fail(verb, "a region of %lld x %lld cells does not fit into memory",
                             (long long)q->region.width, (long long)q->region.height);
    if (!status && s->recording && q->agent > 0 && !generates)
        return draw_recorded(s->recording, q);
    if (!status) status = jbw_picture_write_png(world, q->region, &q->picture, q->out, &error);
    return status ? say(status, &error) : JBW_VERB_OK;
}

static jbw_verb_status check_request(request *q, bool has_scale)
{
    jbw_error error;
    const bool is_saved = q->kind != JBW_FILE_OTHER;
    const bool has_region = q->region.width != 0 || q->region.height != 0;
    if (!has_region && is_saved && q->agent == 0) q->agent = 1;
    const char *missing = !has_region && !is_saved ? "--region X,Y,W,H"
                          : !q->out                ? "--out F.png"
                                                   : NULL;
    if (missing) return jbw_verb_reject(verb, "expected %s; see jbw render --help", missing);
    if (q->agent < 0 || (q->agent > 0 && !is_saved))
        return jbw_verb_reject(verb, "--agent: expected a snapshot or a recording, and 1 or more");
    if (q->reward && q->kind != JBW_FILE_RECORDING)
        return jbw_verb_reject(verb, "--reward is for recordings");
    const jbw_region region =
        has_region ? q->region : (jbw_region){0, 0, AROUND_WIDTH, AROUND_HEIGHT};
    if (!has_scale) q->picture.scale = jbw_picture_scale(region);
    q->picture.show_panel = q->agent > 0 && !q->is_plain;
    if (jbw_picture_check(region, &q->picture, &error))
        return jbw_verb_reject(verb, "%s", error.text);
    if (!jbw_is_folder_writable(q->out))
        return jbw_verb_fail(verb, "the folder of %s is missing or not writable", q->out);
    return JBW_VERB_OK;
}

jbw_verb_status jbw_cmd_render(int argc, char **argv)
{
    static jbw_settings settings;
    request q = {.time = UINT64_MAX,
                 .threads = jbw_default_generation_threads(),
                 .picture = {.scale = NO_SCALE}};
    source s = {0};
    const jbw_option options[] = {
        {"--region", JBW_OPTION_REGION, &q.region, "X,Y,W,H",
         "the cells to draw: lowest x and y, width, height (around the agent)"},
        {"--out", JBW_OPTION_TEXT, &q.out, "F.png", "the PNG file to write"},
        {"--seed", JBW_OPTION_UINT64, &q.seed, "S", "seed of the world (0)"},
        {"--scale", JBW_OPTION_INT, &q.picture.scale, "N",
         "pixels per cell; icons appear from 10 (for a side of about 1000 pixels, at most 24)"},
        {"--legend", JBW_OPTION_FLAG, &q.picture.show_legend, NULL,
         "explain the icons below the map"},
        {"--agent", JBW_OPTION_INT, &q.agent, "N",
         "highlight this agent of a snapshot or recording, counted from 1, and show what it sees, "
         "smells, carries and gains beside the map (1 without --region)"},
        {"--plain", JBW_OPTION_FLAG, &q.is_plain, NULL,
         "highlight the agent, but show the map alone"},
        {"--time", JBW_OPTION_UINT64, &q.time, "T",
         "the time in a recording (its end); of a world or a snapshot, how it is at that time if "
         "nobody touches it until then (as it is)"},
        {"--reward", JBW_OPTION_TEXT, &q.reward, "TEXT",
         "the reward to plot (that of the run, if the recording has it)"},
        {"--grid", JBW_OPTION_FLAG, &q.picture.show_grid, NULL, "draw lines between patches"},
        {"--no-generate", JBW_OPTION_FLAG, &q.skips_generation, NULL,
         "draw the world as it is, without making the region final first"},
        {"--generate", JBW_OPTION_FLAG, &q.generates, NULL,
         "make the region final first, even in a snapshot or recording"},
        jbw_option_set(&settings),
        jbw_option_generation(&settings),
        jbw_option_memory_budget(&settings),
        jbw_option_memory_limit(&s.world.memory_limit),
        jbw_option_generation_threads(&q.threads),
        jbw_option_atlas(&q.atlas),
        jbw_option_atlas_read_only(&q.atlas),
    };
    jbw_command_line line = {
        .verb = verb,
        .usage = "WORLD|SNAPSHOT|RECORDING --out F.png [OPTIONS]",
        .purpose =
            "Draws a region of a world. Of a WORLD, a file or a shipped world (see jbw "
            "worlds), every patch in the region is made final first, row by row. A snapshot or a "
            "recording is drawn as it is, with its first agent unless --region is given. Positive "
            "y is up.",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .min_arguments = 1,
        .max_arguments = 1,
        .arguments = &q.name,
    };
    jbw_verb_status status = jbw_command_line_parse(&line, argc, argv);
    if (status) return status;
    q.kind = jbw_file_kind_of(q.name);
    status = check_request(&q, q.picture.scale != NO_SCALE);
    if (status) return status;

    status = q.kind != JBW_FILE_OTHER ? open_saved(&s, &q, &settings)
                                      : open_world_file(&s, q.name, &settings, q.seed);
    if (!status) status = jbw_atlas_request_attach(&q.atlas, verb, world_of(&s));
    if (!status) status = jbw_start_generation_threads(world_of(&s), verb, q.threads);
    if (!status && !s.recording && q.time != UINT64_MAX)
        status = jbw_prepare_time(s.world.world, verb, q.time);
    if (!status) status = draw(&s, &q);
    jbw_recording_close(s.recording);
    jbw_world_source_close(&s.world);
    return status;
}
