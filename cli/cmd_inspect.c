// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "describe.h"
#include "file_info.h"
#include "jbw/jbw.h"
#include "options.h"
#include "verb.h"
#include "world_source.h"

static const char verb[] = "inspect";

static jbw_verb_status fail(const char *text, jbw_status status)
{
    if (status == JBW_OUT_OF_MEMORY || status == JBW_READ_FAILED)
        return jbw_verb_fail(verb, "%s", text);
    return jbw_verb_reject(verb, "%s", text);
}

// ---- worlds ----

static void describe_items(jbw_description *d, const jbw_model *model)
{
    const int count = jbw_model_item_type_count(model);
    if (d->is_json)
        jbw_describe_open(d, "items", '[');
    else
        printf("  items          ");
    for (int t = 0; t < count; t++) {
        const char *name = jbw_model_item_name(model, t);
        if (d->is_json)
            jbw_describe_text(d, NULL, name);
        else
            printf("%s%s", t > 0 ? ", " : "", name);
    }
    if (d->is_json)
        jbw_describe_close(d, ']');
    else
        printf("\n");
}

static void describe_model(jbw_description *d, const jbw_model *model)
{
    jbw_describe_number(d, "patch_size", (uint64_t)jbw_model_patch_size(model));
    jbw_describe_number(d, "colors", (uint64_t)jbw_model_color_dimensions(model));
    jbw_describe_number(d, "scents", (uint64_t)jbw_model_scent_dimensions(model));
    jbw_describe_number(d, "vision_range", (uint64_t)(jbw_model_vision_side(model) - 1) / 2);
    jbw_describe_number(d, "actions", (uint64_t)jbw_model_action_count(model));
    describe_items(d, model);
}

static const char *const directions[] = {"up", "right", "down", "left"};

static void print_agent(const jbw_world *world, jbw_agent_id id, const jbw_agent_state *state)
{
    const jbw_model *model = jbw_world_model(world);
    const uint64_t *inventory = jbw_agent_inventory(world, id);
    char name[32];
    snprintf(name, sizeof name, "agent %" PRIu32, id.index1);
    printf("  %-14s at (%" PRId64 ", %" PRId64 "), facing %s%s%s", name, state->position.x,
           state->position.y, directions[state->direction], state->is_active ? "" : ", inactive",
           state->has_request ? ", action pending" : "");
    const char *separator = "; ";
    for (int t = 0; t < jbw_model_item_type_count(model); t++) {
        if (inventory[t] == 0) continue;
        printf("%s%s %" PRIu64, separator, jbw_model_item_name(model, t), inventory[t]);
        separator = ", ";
    }
    printf("\n");
}

static void print_agent_json(jbw_description *d, const jbw_world *world, jbw_agent_id id,
                             const jbw_agent_state *state)
{
    const jbw_model *model = jbw_world_model(world);
    const uint64_t *inventory = jbw_agent_inventory(world, id);
    jbw_describe_open(d, NULL, '{');
    jbw_describe_number(d, "index", id.index1);
    jbw_describe_number(d, "generation", id.generation);
    jbw_describe_signed(d, "x", state->position.x);
    jbw_describe_signed(d, "y", state->position.y);
    jbw_describe_text(d, "direction", directions[state->direction]);
    jbw_describe_flag(d, "active", state->is_active);
    if (state->has_request) jbw_describe_signed(d, "request", state->request);
    jbw_describe_open(d, "inventory", '{');
    for (int t = 0; t < jbw_model_item_type_count(model); t++)
        if (inventory[t] > 0) jbw_describe_number(d, jbw_model_item_name(model, t), inventory[t]);
    jbw_describe_close(d, '}');
    jbw_describe_close(d, '}');
}

static bool describe_agents(jbw_description *d, const jbw_world *world)
{
    enum { MAX_SHOWN = 20 };
    const size_t count = jbw_world_agents(world, NULL, 0);
    jbw_agent_id *ids = calloc(count + 1, sizeof *ids);
    if (!ids) return false;
    jbw_world_agents(world, ids, count);
    if (d->is_json)
        jbw_describe_open(d, "agents", '[');
    else
        jbw_describe_number(d, "agents", count);
    for (size_t i = 0; i < count; i++) {
        jbw_agent_state state;
        if (jbw_agent_get_state(world, ids[i], &state)) continue;
        if (d->is_json)
            print_agent_json(d, world, ids[i], &state);
        else if (i < MAX_SHOWN)
            print_agent(world, ids[i], &state);
        else if (i == MAX_SHOWN)
            printf("  %-14s %zu more\n", "", count - i);
    }
    if (d->is_json) jbw_describe_close(d, ']');
    free(ids);
    return true;
}

static bool describe_world(jbw_description *d, const jbw_world *world)
{
    const jbw_world_stats stats = jbw_world_get_stats(world);
    char hash[20];
    snprintf(hash, sizeof hash, "%016" PRIx64, jbw_world_hash(world));
    jbw_describe_number(d, "seed", jbw_world_seed(world));
    jbw_describe_number(d, "time", jbw_world_time(world));
    jbw_describe_text(d, "hash", hash);
    jbw_describe_number(d, "patches", stats.patch_count);
    jbw_describe_number(d, "final_patches", stats.final_patch_count);
    jbw_describe_number(d, "map_bytes", stats.map_bytes);
    describe_model(d, jbw_world_model(world));
    return describe_agents(d, world);
}

static void describe_notes(jbw_description *d, const jbw_note *notes, size_t count)
{
    if (d->is_json) jbw_describe_open(d, "notes", '{');
    for (size_t i = 0; i < count; i++)
        jbw_describe_bytes(d, notes[i].name, notes[i].bytes, notes[i].size);
    if (d->is_json) jbw_describe_close(d, '}');
}

static void describe_kind(jbw_description *d, const char *kind, const char *path)
{
    if (!d->is_json) {
        printf("%s: %s\n", path, kind);
        return;
    }
    jbw_describe_text(d, "kind", kind);
    jbw_describe_text(d, "path", path);
}

static void describe_file(jbw_description *d, const char *kind, const char *path)
{
    describe_kind(d, kind, path);
    jbw_describe_number(d, "version", jbw_file_version(path));
    jbw_describe_number(d, "bytes", jbw_file_size(path));
}

// ---- files ----

static jbw_verb_status inspect_snapshot(const char *path, const jbw_load_options *options,
                                        bool is_json)
{
    jbw_loaded loaded;
    jbw_error error = {0};
    const jbw_status status = jbw_snapshot_read(path, options, &loaded, &error);
    if (status) return fail(error.text, status);
    jbw_description d;
    jbw_describe_begin(&d, is_json);
    describe_file(&d, "snapshot", path);
    const bool is_good = describe_world(&d, loaded.world);
    describe_notes(&d, loaded.notes, loaded.note_count);
    jbw_describe_end(&d);
    jbw_loaded_free(&loaded);
    return is_good ? JBW_VERB_OK : fail(jbw_status_text(JBW_OUT_OF_MEMORY), JBW_OUT_OF_MEMORY);
}

static jbw_verb_status inspect_recording(const char *path, const jbw_load_options *options,
                                         bool is_json)
{
    jbw_recording *recording;
    jbw_error error = {0};
    const jbw_status status = jbw_recording_open(path, options, &recording, &error);
    if (status) return fail(error.text, status);
    const jbw_recording_info info = jbw_recording_get_info(recording);
    jbw_description d;
    jbw_describe_begin(&d, is_json);
    describe_file(&d, "recording", path);
    jbw_describe_number(&d, "good_bytes", info.size);
    jbw_describe_number(&d, "torn_bytes", info.torn_size);
    jbw_describe_number(&d, "first_time", info.first_time);
    jbw_describe_number(&d, "last_time", info.last_time);
    jbw_describe_number(&d, "operations", info.operation_count);
    jbw_describe_number(&d, "snapshots", info.snapshot_count);
    jbw_describe_number(&d, "hashes", info.hash_count);
    if (!is_json) printf("at its start:\n");
    const bool is_good = describe_world(&d, jbw_recording_world(recording));
    size_t count;
    const jbw_note *notes = jbw_recording_notes(recording, &count);
    describe_notes(&d, notes, count);
    jbw_describe_end(&d);
    jbw_recording_close(recording);
    return is_good ? JBW_VERB_OK : fail(jbw_status_text(JBW_OUT_OF_MEMORY), JBW_OUT_OF_MEMORY);
}

static jbw_verb_status inspect_world_file(const char *path, bool is_json)
{
    static const jbw_settings no_settings;
    jbw_world_source source = {0};
    const jbw_verb_status status = jbw_world_source_read(&source, path, &no_settings);
    if (!status) {
        jbw_description d;
        jbw_describe_begin(&d, is_json);
        describe_kind(&d, "world file", path);
        describe_model(&d, source.model);
        jbw_describe_end(&d);
    }
    jbw_world_source_close(&source);
    return status;
}

jbw_verb_status jbw_cmd_inspect(int argc, char **argv)
{
    const char *path = NULL;
    bool is_json = false;
    jbw_load_options load = {0};
    const jbw_option options[] = {
        {"--json", JBW_OPTION_FLAG, &is_json, NULL, "print a JSON object"},
        jbw_option_memory_limit(&load.memory_limit),
    };
    jbw_command_line line = {
        .verb = verb,
        .usage = "FILE [OPTIONS]",
        .purpose = "Describes a snapshot, a recording or a world file.",
        .options = options,
        .option_count = sizeof options / sizeof *options,
        .min_arguments = 1,
        .max_arguments = 1,
        .arguments = &path,
    };
    const jbw_verb_status status = jbw_command_line_parse(&line, argc, argv);
    if (status) return status;
    switch (jbw_file_kind_of(path)) {
    case JBW_FILE_SNAPSHOT: return inspect_snapshot(path, &load, is_json);
    case JBW_FILE_RECORDING: return inspect_recording(path, &load, is_json);
    case JBW_FILE_OTHER: break;
    }
    return inspect_world_file(path, is_json);
}
