// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// What the page calls to read a world file: a module of its own, which is loaded when it is needed.
// There is one world at a time. Texts and bytes go through memory that the page allocates here.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "jbw/agent.h"
#include "jbw/io.h"
#include "playground/export.h"

static jbw_config *current;
static jbw_buffer report; // a line for each problem: line, tab, column, tab, text
static jbw_buffer encoded;

JBW_EXPORT("allocate") void *jbw_export_allocate(size_t size);
void *jbw_export_allocate(size_t size)
{
    return malloc(size ? size : 1);
}

JBW_EXPORT("release") void jbw_export_release(void *memory);
void jbw_export_release(void *memory)
{
    free(memory);
}

// ---- reading ----

/// Whether world files have to be JSON.
JBW_EXPORT("is_json") bool jbw_export_is_json(void);
bool jbw_export_is_json(void)
{
#ifdef JBW_WORLDFILE_JSON
    return true;
#else
    return false;
#endif
}

static void note(const jbw_diagnostic *diagnostic, void *user)
{
    (void)user;
    char place[40];
    snprintf(place, sizeof place, "%d\t%d\t", diagnostic->line, diagnostic->column);
    (void)(jbw_buffer_append(&report, place, strlen(place)) &&
           jbw_buffer_append(&report, diagnostic->text, strlen(diagnostic->text)) &&
           jbw_buffer_append(&report, "\n", 1));
}

/// Reads a world file. Zero if it is a good one, which then takes the place of the one before.
JBW_EXPORT("read") int jbw_export_read(const char *text, size_t length);
int jbw_export_read(const char *text, size_t length)
{
    const jbw_world_file_options options = {.report = note};
    jbw_config *config;
    jbw_error error = {0};
    report.size = 0;
    const jbw_status status =
        jbw_world_file_parse(text, length, "the world file", &options, &config, &error);
    if (status && report.size == 0) note(&(jbw_diagnostic){.text = error.text}, NULL);
    (void)jbw_buffer_append(&report, "", 1);
    if (status) return (int)status;
    jbw_config_free(current);
    current = config;
    return 0;
}

JBW_EXPORT("report") const char *jbw_export_report(void);
const char *jbw_export_report(void)
{
    return report.size > 0 ? (const char *)report.bytes : "";
}

// ---- the world that was read ----

JBW_EXPORT("is_invariant") bool jbw_export_is_invariant(void);
bool jbw_export_is_invariant(void)
{
    return current && current->generation == JBW_GENERATION_INVARIANT;
}

JBW_EXPORT("item_name") const char *jbw_export_item_name(size_t index);
const char *jbw_export_item_name(size_t index)
{
    return current && index < current->item_count ? current->items[index].name : NULL;
}

/// The size of the world's bytes, as src/playground/exports.c takes them; zero if there is no memory.
JBW_EXPORT("encode") size_t jbw_export_encode(bool is_invariant);
size_t jbw_export_encode(bool is_invariant)
{
    if (!current) return 0;
    jbw_config changed = *current;
    changed.generation = is_invariant ? JBW_GENERATION_INVARIANT : JBW_GENERATION_FRONTIER;
    jbw_model *model = NULL;
    jbw_world *world = NULL;
    encoded.size = 0;
    jbw_status status = jbw_model_create(&changed, &model, NULL);
    if (!status) status = jbw_world_create(model, 0, &world);
    if (!status) status = jbw_world_encode(world, &encoded);
    jbw_world_destroy(world);
    jbw_model_destroy(model);
    return status ? 0 : encoded.size;
}

JBW_EXPORT("encoded_bytes") const uint8_t *jbw_export_encoded_bytes(void);
const uint8_t *jbw_export_encoded_bytes(void)
{
    return encoded.bytes;
}

// ---- examples ----

/// The text of a shipped world, or NULL.
JBW_EXPORT("shipped_text") const char *jbw_export_shipped_text(const char *name);
const char *jbw_export_shipped_text(const char *name)
{
    return jbw_shipped_world_text(name);
}
