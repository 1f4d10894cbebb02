// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "io/worldfile/world_check.h"

#include <string.h>

#include "io/worldfile/yaml_path.h"

typedef struct tracer {
    jbw_yaml_node *root;
    jbw_problems *problems;
} tracer;

// in "items.Wall.interactions.Tre" the name is wrong, not its value
static bool is_unknown_item(const tracer *t, const char *path, const jbw_yaml_target *target)
{
    static const char *const lists[] = {".interactions.",  ".requires.", ".costs.",
                                        ".requires_ever.", ".drops.",    "agent.tools."};
    const jbw_yaml_pair *items = jbw_yaml_find(t->root, "items", 5);
    const jbw_yaml_pair *kinds = jbw_yaml_find(t->root, "kinds", 5);
    if (!items || !target->key) return false;
    const size_t name_length = target->key->length;
    const size_t path_length = strlen(path);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        const size_t length = strlen(lists[i]);
        if (path_length < length + name_length) continue;
        if (strncmp(path + path_length - name_length - length, lists[i], length) == 0)
            return !jbw_yaml_find(items->value, target->key->text, name_length) &&
                   !(kinds && jbw_yaml_find(kinds->value, target->key->text, name_length));
    }
    return false;
}

static void trace(const jbw_problem *problem, void *user)
{
    const tracer *t = user;
    const jbw_yaml_target target = jbw_yaml_follow(t->root, problem->path);
    if (target.is_faulty) return; // a consequence of a problem that was already reported

    // the place of the value, or that of its key if the value is a mapping, empty or not at fault
    const jbw_yaml_node *node = target.node;
    jbw_source_place place = node->place;
    const bool is_key_better = node->kind == JBW_YAML_MAPPING || node->kind == JBW_YAML_NULL;
    if (target.key && (is_key_better || (target.is_complete && problem->column == 0 &&
                                         is_unknown_item(t, problem->path, &target))))
        place = target.key->place;
    else if (target.is_complete && problem->column > 0 && node->is_verbatim)
        place.column += problem->column - 1 + (node->is_quoted ? 1 : 0);

    if (target.is_complete)
        jbw_problems_add(t->problems, place, "%s", problem->text);
    else
        jbw_problems_add(t->problems, place, "%s: %s", problem->path, problem->text);
}

void jbw_world_check(const jbw_config *config, jbw_yaml_node *root, jbw_problems *problems)
{
    // without items or kinds, every mention of one would be wrong
    if (jbw_yaml_follow(root, "items").is_faulty || jbw_yaml_follow(root, "kinds").is_faulty)
        return;
    tracer t = {.root = root, .problems = problems};
    if (jbw_config_check(config, trace, &t) == JBW_OUT_OF_MEMORY)
        jbw_problems_add_out_of_memory(problems);
}
