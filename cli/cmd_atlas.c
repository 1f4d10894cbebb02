// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "atlas_verbs.h"
#include "jbw/jbw.h"

static const double megabyte = 1048576.0;

// ---- what the verbs share ----

volatile sig_atomic_t jbw_atlas_verb_is_interrupted;

static void interrupt(int signal_number)
{
    jbw_atlas_verb_is_interrupted = 1;
    signal(signal_number, SIG_DFL); // the patch under way may take long: a second one ends it
}

void jbw_atlas_verb_watch_interrupts(void)
{
    signal(SIGINT, interrupt);
    signal(SIGTERM, interrupt);
}

jbw_verb_status jbw_atlas_verb_open(const jbw_atlas_request *request, const char *verb,
                                    uint64_t limit, jbw_atlas **out)
{
    *out = NULL;
    const char *path = jbw_atlas_request_path(request);
    if (!path)
        return jbw_verb_reject(verb, "which folder? Name it with --atlas DIR, or set JBW_ATLAS");
    jbw_error error;
    const jbw_atlas_options options = {.is_read_only = request->is_read_only, .limit = limit};
    if (!jbw_atlas_open(path, &options, out, &error)) return JBW_VERB_OK;
    return jbw_verb_fail(verb, "%s", error.text);
}

// ---- info ----

// of one world, but for two of them
typedef struct summary {
    uint64_t world_count; // of all
    uint64_t seed_count;
    uint64_t first_seed;
    uint64_t last_seed;
    uint64_t file_count;
    uint64_t damaged_file_count;
    uint64_t patch_count;
    uint64_t damaged_patch_count;
    uint64_t patch_bytes;
    uint64_t bytes;
    uint64_t all_bytes;
} summary;

static bool print_world(void *user, const jbw_atlas_world *world)
{
    const summary *s = user;
    printf("\nworld %s\n", world->name);
    if (world->model) {
        printf("  patch size   %d\n  items        ", jbw_model_patch_size(world->model));
        const int count = jbw_model_item_type_count(world->model);
        for (int i = 0; i < count; i++)
            printf("%s%s", i > 0 ? ", " : "", jbw_model_item_name(world->model, i));
        printf("\n");
    } else {
        printf("  of another version of the algorithm, or damaged\n");
    }
    printf("  seeds        %" PRIu64, s->seed_count);
    if (s->seed_count == 1) printf(": %" PRIu64, s->first_seed);
    if (s->seed_count > 1) printf(", from %" PRIu64 " to %" PRIu64, s->first_seed, s->last_seed);
    printf("\n  files        %" PRIu64 ", %.1f MB", s->file_count, (double)s->bytes / megabyte);
    if (s->damaged_file_count > 0) printf("; damaged: %" PRIu64, s->damaged_file_count);
    printf("\n");
    if (world->model) {
        printf("  patches      %" PRIu64, s->patch_count);
        if (s->patch_count > 0)
            printf(", %.0f bytes each", (double)s->patch_bytes / (double)s->patch_count);
        if (s->damaged_patch_count > 0) printf("; damaged: %" PRIu64, s->damaged_patch_count);
        printf("\n");
    }
    return true;
}

static bool sum_world(void *user, const jbw_atlas_world *world)
{
    (void)world;
    summary *s = user;
    *s = (summary){.world_count = s->world_count + 1, .all_bytes = s->all_bytes};
    return true;
}

static bool sum_file(void *user, const jbw_atlas_file *file)
{
    summary *s = user;
    if (s->seed_count == 0) s->first_seed = file->seed;
    if (s->seed_count == 0 || s->last_seed != file->seed) s->seed_count++;
    s->last_seed = file->seed;
    s->file_count++;
    s->damaged_file_count += !file->is_good;
    s->bytes += file->bytes;
    s->all_bytes += file->bytes;
    return true;
}

static bool sum_patch(void *user, const jbw_atlas_patch *patch)
{
    summary *s = user;
    if (patch->cells) {
        s->patch_count++;
        s->patch_bytes += patch->bytes;
    } else {
        s->damaged_patch_count++;
    }
    return true;
}

static jbw_verb_status info(int argc, char **argv)
{
    static const char verb[] = "atlas info";
    jbw_atlas_request request = {.is_read_only = true};
    const jbw_option options[] = {jbw_option_atlas(&request)};
    jbw_command_line line = {
        .verb = verb,
        .usage = "[--atlas DIR]",
        .purpose = "Says what an atlas holds: worlds, seeds, patches and bytes.",
        .options = options,
        .option_count = sizeof options / sizeof *options,
    };
    jbw_verb_status status = jbw_command_line_parse(&line, argc, argv);
    jbw_atlas *atlas;
    if (!status) status = jbw_atlas_verb_open(&request, verb, 0, &atlas);
    if (status) return status;
    summary s = {0};
    const jbw_atlas_visitor visitor = {.user = &s,
                                       .on_world = sum_world,
                                       .on_file = sum_file,
                                       .on_patch = sum_patch,
                                       .on_world_end = print_world};
    printf("%s\n", jbw_atlas_path(atlas));
    const jbw_status visited = jbw_atlas_visit(atlas, &visitor);
    if (!visited)
        printf("%s%" PRIu64 " worlds, %.1f MB\n", s.world_count > 0 ? "\nin all " : "",
               s.world_count, (double)s.all_bytes / megabyte);
    jbw_atlas_close(atlas);
    return visited ? jbw_verb_fail(verb, "%s", jbw_status_text(visited)) : JBW_VERB_OK;
}

// ---- prune ----

static jbw_verb_status prune(int argc, char **argv)
{
    static const char verb[] = "atlas prune";
    jbw_atlas_request request = {0};
    uint64_t limit = JBW_ATLAS_DEFAULT_LIMIT >> 20;
    const jbw_option options[] = {
        {"--limit", JBW_OPTION_UINT64, &limit, "MB",
         "megabytes that may be left; 0 drops everything (4096)"},
        jbw_option_atlas(&request),
    };
    jbw_command_line line = {
        .verb = verb,
        .usage = "[--limit MB] [--atlas DIR]",
        .purpose =
            "Drops what was not used for longest until an atlas fits into a limit, and what "
            "programs that were killed left unfinished. Other programs may use it meanwhile.",
        .options = options,
        .option_count = sizeof options / sizeof *options,
    };
    jbw_verb_status status = jbw_command_line_parse(&line, argc, argv);
    jbw_atlas *atlas;
    if (!status && limit > UINT64_MAX >> 20)
        status =
            jbw_verb_reject(verb, "--limit: found %" PRIu64 ", expected fewer megabytes", limit);
    if (!status) status = jbw_atlas_verb_open(&request, verb, 0, &atlas);
    if (status) return status;
    jbw_atlas_pruned pruned;
    const jbw_status result = jbw_atlas_prune(atlas, limit << 20, &pruned);
    if (!result)
        printf("dropped %" PRIu64 " files, %.1f MB; %" PRIu64 " files, %.1f MB are left\n",
               pruned.file_count, (double)pruned.bytes / megabyte, pruned.left_file_count,
               (double)pruned.left_bytes / megabyte);
    jbw_atlas_close(atlas);
    return result ? jbw_verb_fail(verb, "%s", jbw_status_text(result)) : JBW_VERB_OK;
}

// ---- all ----

static const struct {
    const char *name;
    jbw_verb_status (*run)(int argc, char **argv);
} verbs[] = {
    {"build", jbw_cmd_atlas_build},
    {"info", info},
    {"prune", prune},
    {"verify", jbw_cmd_atlas_verify},
};

jbw_verb_status jbw_cmd_atlas(int argc, char **argv)
{
    for (size_t i = 0; argc > 0 && i < sizeof verbs / sizeof *verbs; i++)
        if (strcmp(argv[0], verbs[i].name) == 0) return verbs[i].run(argc - 1, argv + 1);
    if (argc > 0 && strcmp(argv[0], "--help") == 0) {
        printf("usage: jbw atlas build|info|verify|prune [ARGUMENTS]\n"
               "\n"
               "An atlas is a folder that keeps the patches of invariant worlds, so that they are "
               "made\n"
               "only once. It fills as worlds explore: jbw run, render, serve and bench take "
               "--atlas DIR,\n"
               "or look at the variable JBW_ATLAS. Results do not depend on it.\n"
               "\n"
               "  jbw atlas build WORLD --seeds 0-19 --region -2000,-2000,4000,4000\n"
               "                       make patches in advance\n"
               "  jbw atlas info       say what it holds\n"
               "  jbw atlas verify     make a sample again and compare\n"
               "  jbw atlas prune      drop what was not used for longest\n");
        return JBW_VERB_HELPED;
    }
    return jbw_verb_reject("atlas", "expected build, info, verify or prune; see jbw atlas --help");
}
