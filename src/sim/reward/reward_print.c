// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Rewards as text in normal form: a printed text that is compiled again prints as the same text.
// Parentheses are never needed because combinations are never nested. The text is nested no deeper
// than the one that was compiled.

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "sim/reward/reward.h"

// counts everything, stores what fits
typedef struct writer {
    char *out;
    size_t capacity;
    size_t length;
    const jbw_reward *reward;
    const uint64_t *time; // NULL: print schedules; otherwise what they come to at this time
} writer;

static void write_text(writer *w, const char *text)
{
    const size_t length = strlen(text);
    if (w->length < w->capacity) {
        const size_t room = w->capacity - w->length;
        memcpy(w->out + w->length, text, length < room ? length : room);
    }
    w->length += length;
}

static void write_number(writer *w, double value)
{
    char text[JBW_DOUBLE_TEXT_SIZE];
    jbw_format_double(value, text);
    write_text(w, text);
}

static void write_whole(writer *w, uint64_t value)
{
    char text[JBW_DOUBLE_TEXT_SIZE];
    snprintf(text, sizeof text, "%" PRIu64, value);
    write_text(w, text);
}

static void write_node(writer *w, const jbw_reward_node *node);

static void write_part(writer *w, const jbw_reward_node *node, uint32_t index)
{
    write_node(w, jbw_reward_part_at(w->reward, node, index));
}

// what a number comes to at the writer's time; NaN if it changes and there is no such time
static double value_of(const writer *w, const jbw_reward_node *node)
{
    if (!node->changing) return node->value;
    return w->time ? jbw_changing_at(node->changing, *w->time) + 0.0 : NAN;
}

static void write_changing(writer *w, const jbw_changing_number *n)
{
    static const char *const names[] = {[JBW_CHANGING_WAVE] = "Wave[",
                                        [JBW_CHANGING_SQUARE] = "Square[",
                                        [JBW_CHANGING_STEPS] = "Steps[",
                                        [JBW_CHANGING_DRIFT] = "Drift["};
    write_text(w, names[n->kind]);
    for (uint32_t i = 0; i < n->stage_count; i++) {
        write_text(w, i == 0 ? "(" : ", (");
        write_whole(w, n->stages[i].begin);
        write_text(w, ", ");
        write_number(w, n->stages[i].value);
        write_text(w, ")");
    }
    if (n->kind == JBW_CHANGING_DRIFT) {
        write_whole(w, n->seed);
        write_text(w, ", ");
    }
    if (n->kind != JBW_CHANGING_STEPS) {
        write_whole(w, n->steps);
        write_text(w, ", ");
        write_number(w, n->low);
        write_text(w, ", ");
        write_number(w, n->high);
    }
    write_text(w, "]");
}

static void write_value(writer *w, const jbw_reward_node *node, double value)
{
    if (isnan(value))
        write_changing(w, node->changing);
    else
        write_number(w, value);
}

// Action and Explore
static void write_paying(writer *w, const char *name, const jbw_reward_node *node)
{
    const double value = value_of(w, node);
    write_text(w, name);
    if (value == 1.0) return;
    write_text(w, "[");
    write_value(w, node, value);
    write_text(w, "]");
}

static void write_collect(writer *w, const jbw_reward_node *node)
{
    double value = value_of(w, node);
    const bool is_avoided = value < 0.0;
    if (is_avoided) value = -value;
    write_text(w, is_avoided ? "Avoid[" : "Collect[");
    write_text(w, node->item);
    if (value != 1.0) {
        write_text(w, ", ");
        write_value(w, node, value);
    }
    write_text(w, "]");
}

static void write_custom(writer *w, const jbw_reward_node *node)
{
    write_text(w, node->custom->name);
    for (int i = 0; i < node->custom->argument_count; i++) {
        write_text(w, i == 0 ? "[" : ", ");
        write_number(w, node->arguments[i]);
    }
    if (node->custom->argument_count > 0) write_text(w, "]");
}

static void write_scaled(writer *w, const jbw_reward_node *node, uint32_t index, double factor)
{
    write_text(w, "Scaled[");
    write_part(w, node, index);
    write_text(w, ", ");
    write_value(w, node, factor);
    write_text(w, "]");
}

// Curriculum and Cyclical
static void write_stages(writer *w, const char *name, const jbw_reward_node *node)
{
    uint64_t end = 0;
    write_text(w, name);
    for (uint32_t i = 0; i < node->part_count; i++) {
        write_text(w, i == 0 ? "[(" : ", (");
        write_part(w, node, i);
        write_text(w, ", ");
        write_whole(w, w->reward->parts[node->part + i].end - end);
        write_text(w, ")");
        end = w->reward->parts[node->part + i].end;
    }
    write_text(w, "]");
}

static void write_gradual(writer *w, const jbw_reward_node *node)
{
    write_text(w, "Gradual[");
    write_part(w, node, 0);
    write_text(w, ", ");
    write_part(w, node, 1);
    write_text(w, ", ");
    write_whole(w, node->steps);
    write_text(w, "]");
}

static void write_random(writer *w, const jbw_reward_node *node)
{
    write_text(w, "Random[");
    write_whole(w, node->steps);
    write_text(w, ", ");
    write_whole(w, node->seed);
    for (uint32_t i = 0; i < node->part_count; i++) {
        write_text(w, ", ");
        write_part(w, node, i);
    }
    write_text(w, "]");
}

// what a schedule comes to at the writer's time
static void write_resolved(writer *w, const jbw_reward_node *node)
{
    if (node->kind != JBW_REWARD_GRADUAL) {
        write_node(w, jbw_reward_choose(w->reward, node, *w->time));
        return;
    }
    const double weight = jbw_reward_weight(node, *w->time);
    if (weight <= 0.0) {
        write_part(w, node, 0);
    } else if (weight >= 1.0) {
        write_part(w, node, 1);
    } else {
        write_scaled(w, node, 0, 1.0 - weight);
        write_text(w, " & ");
        write_scaled(w, node, 1, weight);
    }
}

static void write_node(writer *w, const jbw_reward_node *node)
{
    if (w->time && node->kind >= JBW_REWARD_CURRICULUM) {
        write_resolved(w, node);
        return;
    }
    switch (node->kind) {
    case JBW_REWARD_ZERO: write_text(w, "Zero"); break;
    case JBW_REWARD_ACTION: write_paying(w, "Action", node); break;
    case JBW_REWARD_COLLECT:
    case JBW_REWARD_COLLECT_KIND: write_collect(w, node); break;
    case JBW_REWARD_EXPLORE: write_paying(w, "Explore", node); break;
    case JBW_REWARD_CUSTOM: write_custom(w, node); break;
    case JBW_REWARD_COMBINED:
        for (uint32_t i = 0; i < node->part_count; i++) {
            if (i > 0) write_text(w, " & ");
            write_part(w, node, i);
        }
        break;
    case JBW_REWARD_SCALED: write_scaled(w, node, 0, value_of(w, node)); break;
    case JBW_REWARD_TEAM:
        write_text(w, "Team[");
        write_part(w, node, 0);
        write_text(w, "]");
        break;
    case JBW_REWARD_CURRICULUM: write_stages(w, "Curriculum", node); break;
    case JBW_REWARD_CYCLICAL: write_stages(w, "Cyclical", node); break;
    case JBW_REWARD_GRADUAL: write_gradual(w, node); break;
    case JBW_REWARD_RANDOM: write_random(w, node); break;
    }
}

static size_t print(const jbw_reward *reward, const uint64_t *time, char *out, size_t capacity)
{
    writer w = {.out = out, .capacity = capacity, .reward = reward, .time = time};
    write_node(&w, &reward->nodes[0]);
    if (capacity > 0) out[w.length < capacity ? w.length : capacity - 1] = '\0';
    return w.length;
}

size_t jbw_reward_print(const jbw_reward *reward, char *out, size_t capacity)
{
    return print(reward, NULL, out, capacity);
}

size_t jbw_reward_print_at(const jbw_reward *reward, uint64_t time, char *out, size_t capacity)
{
    return print(reward, &time, out, capacity);
}
