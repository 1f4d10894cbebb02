// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

/// Seasons: when items of a type are there for agents. Seasons have always run, so times before
/// zero, which scent remembers, are given by how long ago they were.
///
///     period          |.................................|..........
///     in season            from |=========| to
#ifndef JBW_SIM_MODEL_SEASON_H
#define JBW_SIM_MODEL_SEASON_H

#include "jbw/config.h"

/// How many steps before `time` the season last began or ended (`boundary` is `from` or `to`): 0 if it
/// does at `time`. It did so one period earlier, too, and so on.
static inline uint64_t jbw_season_age(const jbw_season *season, uint64_t boundary, uint64_t time)
{
    return (time % season->period + (season->period - boundary % season->period)) % season->period;
}

/// Whether it is in season `age` steps before `time`. Always, if there are no seasons.
static inline bool jbw_season_was_on(const jbw_season *season, uint64_t time, uint64_t age)
{
    if (season->period == 0) return true;
    const uint64_t phase =
        (time % season->period + (season->period - age % season->period)) % season->period;
    if (season->from < season->to) return season->from <= phase && phase < season->to;
    return season->from <= phase || phase < season->to;
}

/// The first time after `time` at which the season begins or ends.
static inline uint64_t jbw_season_next_change(const jbw_season *season, uint64_t time)
{
    if (season->period == 0) return UINT64_MAX;
    const uint64_t begun = jbw_season_age(season, season->from, time);
    const uint64_t ended = jbw_season_age(season, season->to, time);
    return time + season->period - (begun > ended ? begun : ended);
}

#endif
