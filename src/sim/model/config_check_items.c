// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Finds everything that is wrong with kinds and item types.

#include <string.h>

#include "base/text.h"
#include "sim/model/config_checker.h"
#include "sim/model/regrowth.h"
#include "sim/model/scent_response.h"

// ---- kinds ----

static void check_kind_name(jbw_checker *c, const char *where, size_t index)
{
    const char *name = c->config->kinds[index].name;
    if (!jbw_is_name(name))
        jbw_checker_report(c, 0, where,
                           "found '%.60s', expected a name of at most 100 letters, digits and '_'",
                           name);
    if (jbw_config_item_index(c->config, name) >= 0)
        jbw_checker_report(c, 0, where, "'%s' is also the name of an item, expected another name",
                           name);
    if (jbw_config_kind_index(c->config, name) != (int)index)
        jbw_checker_report(c, 0, where, "the kind '%s' is listed twice", name);
}

static void check_members(jbw_checker *c, const char *where, const jbw_kind *kind)
{
    if (kind->member_count < 1 || kind->member_count > JBW_MAX_ITEM_NAMES) {
        jbw_checker_report(c, 0, where, "found %zu members, expected 1 to %d items or kinds",
                           kind->member_count, JBW_MAX_ITEM_NAMES);
        return;
    }
    for (size_t i = 0; i < kind->member_count; i++) {
        const jbw_checker_path place = jbw_checker_path_of("%s.%zu", where, i);
        jbw_checker_set(c, place.text, kind->members[i]);
        for (size_t j = 0; j < i; j++) {
            if (strcmp(kind->members[i], kind->members[j]) != 0) continue;
            jbw_checker_report(c, 0, place.text, "'%s' is listed twice", kind->members[i]);
            break;
        }
    }
}

void jbw_checker_kinds(jbw_checker *c)
{
    const jbw_config *config = c->config;
    const jbw_status status = c->status;
    c->status = JBW_OK;
    bool is_cyclic[JBW_MAX_KINDS] = {false};
    for (size_t k = 0; k < config->kind_count; k++) {
        const jbw_checker_path where = jbw_checker_path_of("kinds.%s", config->kinds[k].name);
        check_kind_name(c, where.text, k);
        check_members(c, where.text, &config->kinds[k]);
    }
    if (!jbw_kinds_build(config, &c->arena, &c->kinds, is_cyclic)) c->status = JBW_OUT_OF_MEMORY;
    for (size_t k = 0; k < config->kind_count; k++)
        if (is_cyclic[k])
            jbw_checker_report(c, 0, jbw_checker_path_of("kinds.%s", config->kinds[k].name).text,
                               "the kind '%s' contains itself", config->kinds[k].name);
    c->has_kinds = c->status == JBW_OK;
    if (c->status == JBW_OK) c->status = status;
}

// ---- items ----

// false if the entry is not usable
static bool check_interaction(jbw_checker *c, const char *item, const jbw_interaction *interaction,
                              jbw_coupling *out)
{
    const jbw_config *config = c->config;
    const jbw_checker_path where =
        jbw_checker_path_of("items.%s.interactions.%s", item, interaction->item);
    jbw_error error = {0};
    const jbw_status status =
        jbw_config_compile_coupling(config, interaction->expression, &c->arena, out, &error);
    if (status == JBW_OUT_OF_MEMORY) {
        c->status = status;
        return false;
    }
    if (status) {
        jbw_checker_report(c, error.line == 1 ? error.column : 0, where.text, "%s", error.text);
        return false;
    }
    if (out->reach > config->patch_size) {
        jbw_checker_report(
            c, 0, where.text,
            "its reach is %d cells, expected at most %d: items interact at most across "
            "neighboring patches",
            out->reach, config->patch_size);
        return false;
    }
    return true;
}

// what the entries mean, once each of them is known to be good
static void place_couplings(jbw_checker *c, size_t index, const jbw_coupling *couplings)
{
    const jbw_config *config = c->config;
    const jbw_item_type *item = &config->items[index];
    int entries[JBW_MAX_ITEM_TYPES];
    jbw_interaction_rivals rivals;
    if (!c->has_kinds) {
        c->has_couplings = false;
    } else if (!jbw_kinds_interactions(config, &c->kinds, item, entries, &rivals)) {
        jbw_checker_report(c, 0,
                           jbw_checker_path_of("items.%s.interactions.%s", item->name,
                                               item->interactions[rivals.second].item)
                               .text,
                           "'%s' is also of kind '%s', expected an entry of its own",
                           config->items[rivals.type].name, item->interactions[rivals.first].item);
        c->has_couplings = false;
    } else {
        for (size_t t = 0; t < config->item_count; t++)
            if (entries[t] >= 0)
                c->couplings[index * config->item_count + t] = couplings[entries[t]];
    }
}

static void check_interactions(jbw_checker *c, size_t index)
{
    const jbw_item_type *item = &c->config->items[index];
    const size_t count = item->interaction_count;
    for (size_t i = 0; i < count; i++) {
        if (item->interactions[i].item) continue;
        jbw_checker_report(c, 0, jbw_checker_path_of("items.%s.interactions", item->name).text,
                           "interaction %zu has no item", i);
        return;
    }
    jbw_coupling *couplings = jbw_arena_alloc(&c->arena, count, sizeof *couplings);
    if (!couplings) {
        c->status = JBW_OUT_OF_MEMORY;
        return;
    }
    bool is_good = true;
    for (size_t i = 0; i < count && c->status != JBW_OUT_OF_MEMORY; i++) {
        const jbw_interaction *interaction = &item->interactions[i];
        const jbw_checker_path where =
            jbw_checker_path_of("items.%s.interactions.%s", item->name, interaction->item);
        jbw_checker_set(c, where.text, interaction->item);
        for (size_t j = 0; j < i; j++) {
            if (strcmp(item->interactions[j].item, interaction->item) != 0) continue;
            jbw_checker_report(c, 0, where.text, "'%s' is listed twice", interaction->item);
            is_good = false;
            break;
        }
        if (!check_interaction(c, item->name, interaction, &couplings[i])) is_good = false;
    }
    // more names than that are not all known
    if (!is_good || count > JBW_MAX_ITEM_NAMES)
        c->has_couplings = false;
    else if (c->couplings)
        place_couplings(c, index, couplings);
}

static void check_counts(jbw_checker *c, const char *item, const char *key,
                         const jbw_item_count *counts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!counts[i].item) {
            jbw_checker_report(c, 0, jbw_checker_path_of("items.%s.%s", item, key).text,
                               "entry %zu has no item", i);
            return;
        }
        const jbw_checker_path where =
            jbw_checker_path_of("items.%s.%s.%s", item, key, counts[i].item);
        jbw_checker_set(c, where.text, counts[i].item);
        if (counts[i].count < 1 || counts[i].count > UINT32_MAX)
            jbw_checker_report(c, 0, where.text,
                               "found %llu, expected a whole number from 1 to %lu",
                               (unsigned long long)counts[i].count, (unsigned long)UINT32_MAX);
        for (size_t j = 0; j < i; j++) {
            if (strcmp(counts[j].item, counts[i].item) != 0) continue;
            jbw_checker_report(c, 0, where.text, "'%s' is listed twice", counts[i].item);
            break;
        }
    }
}

// they have to fit around the agent
static void check_drops(jbw_checker *c, const jbw_item_type *item)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < item->drop_count && sum <= JBW_MAX_DROPS; i++)
        sum += item->drops[i].count <= JBW_MAX_DROPS ? item->drops[i].count : JBW_MAX_DROPS + 1;
    if (sum > JBW_MAX_DROPS)
        jbw_checker_report(c, 0, jbw_checker_path_of("items.%s.drops", item->name).text,
                           "these are more than %d items, expected no more than there is room for",
                           JBW_MAX_DROPS);
}

bool jbw_config_has_scent(const double *scent, int dimensions)
{
    for (int i = 0; scent && i < dimensions; i++)
        if (scent[i] != 0.0) return true;
    return false;
}

// Scent remembers only a few beginnings and ends of a season: what it costs to smell grows with them.
static void check_season_lasts(jbw_checker *c, const char *where, const jbw_season *season)
{
    enum { SHARE = 8 };
    int reach;
    int memory;
    if (!jbw_scent_response_extent(c->config->scent_decay, c->config->scent_diffusion, &reach,
                                   &memory))
        return;
    const uint64_t least = ((uint64_t)memory + SHARE - 1) / SHARE;
    const uint64_t lasts = (season->to + season->period - season->from) % season->period;
    const uint64_t pauses = season->period - lasts;
    if (lasts < least || pauses < least)
        jbw_checker_report(
            c, 0, where,
            "it lasts %llu steps and pauses for %llu, expected at least %llu each: an eighth of "
            "the %d steps for which scent lasts",
            (unsigned long long)lasts, (unsigned long long)pauses, (unsigned long long)least,
            memory);
}

static void check_season(jbw_checker *c, const jbw_item_type *item)
{
    const jbw_season *season = &item->season;
    const jbw_checker_path where = jbw_checker_path_of("items.%s.season", item->name);
    if (season->period == 0 && season->from == 0 && season->to == 0) return;
    if (season->period < 2 || season->period > JBW_MAX_TIME) {
        jbw_checker_report(c, 0, jbw_checker_path_of("%s.period", where.text).text,
                           "found %llu, expected a whole number from 2 to 2^62",
                           (unsigned long long)season->period);
    } else if (season->from >= season->period) {
        jbw_checker_report(c, 0, jbw_checker_path_of("%s.from", where.text).text,
                           "found %llu, expected less than the period, which is %llu",
                           (unsigned long long)season->from, (unsigned long long)season->period);
    } else if (season->to > season->period) {
        jbw_checker_report(c, 0, jbw_checker_path_of("%s.to", where.text).text,
                           "found %llu, expected at most the period, which is %llu",
                           (unsigned long long)season->to, (unsigned long long)season->period);
    } else if (season->from == season->to % season->period) {
        jbw_checker_report(c, 0, where.text, "it is %s in season, expected a season and a pause",
                           season->from == season->to ? "never" : "always");
    } else if (c->has_good_map && jbw_config_has_scent(item->scent, c->config->scent_dimensions)) {
        check_season_lasts(c, where.text, season);
    }
}

static void check_regrowth(jbw_checker *c, const jbw_item_type *item)
{
    const jbw_checker_path where = jbw_checker_path_of("items.%s.regrows", item->name);
    jbw_regrowth law;
    jbw_error error = {0};
    const jbw_status status = jbw_regrowth_compile(item->regrows, &c->arena, &law, &error);
    if (status == JBW_OUT_OF_MEMORY)
        c->status = status;
    else if (status)
        jbw_checker_report(c, error.line == 1 ? error.column : 0, where.text, "%s", error.text);
    else if (item->regrows && item->is_uncollectable)
        jbw_checker_report(c, 0, where.text, "items that cannot be collected do not grow back");
}

void jbw_checker_item_type(jbw_checker *c, size_t index)
{
    const jbw_config *config = c->config;
    const jbw_item_type *item = &config->items[index];
    const jbw_checker_path where = jbw_checker_path_of("items.%s", item->name);
    if (!jbw_is_name(item->name))
        jbw_checker_report(
            c, 0, where.text,
            "found '%.60s', expected an item name of at most 100 letters, digits and '_'",
            item->name);
    for (size_t i = 0; i < index; i++)
        if (strcmp(config->items[i].name, item->name) == 0) {
            jbw_checker_report(c, 0, where.text, "the item '%s' is listed twice", item->name);
            break;
        }

    jbw_checker_vector(c, jbw_checker_path_of("%s.color", where.text).text, item->color,
                       config->color_dimensions);
    jbw_checker_vector(c, jbw_checker_path_of("%s.scent", where.text).text, item->scent,
                       config->scent_dimensions);
    jbw_checker_number(c, jbw_checker_path_of("%s.occlusion", where.text).text, item->occlusion,
                       0.0, 1.0, "a number from 0 to 1");

    jbw_intensity intensity;
    jbw_error error = {0};
    const jbw_status status =
        jbw_config_compile_intensity(config, item->intensity, &c->arena, &intensity, &error);
    if (status == JBW_OUT_OF_MEMORY) {
        c->status = status;
        return;
    }
    if (status)
        jbw_checker_report(c, error.line == 1 ? error.column : 0,
                           jbw_checker_path_of("%s.intensity", where.text).text, "%s", error.text);

    check_interactions(c, index);
    check_counts(c, item->name, "requires", item->requirements, item->requirement_count);
    check_counts(c, item->name, "costs", item->costs, item->cost_count);
    check_counts(c, item->name, "requires_ever", item->ever_requirements,
                 item->ever_requirement_count);
    check_counts(c, item->name, "drops", item->drops, item->drop_count);
    check_drops(c, item);
    check_season(c, item);
    check_regrowth(c, item);
}
