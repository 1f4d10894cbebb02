// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

#include "sim/map/presence.h"

#include "sim/model/season.h"

void jbw_presence_set(jbw_presence *presence, const jbw_model *model, uint64_t time)
{
    *presence = (jbw_presence){.until = UINT64_MAX};
    for (int t = 0; t < model->type_count; t++) {
        const jbw_season *season = &model->items[t].season;
        const uint8_t content = (uint8_t)(t + 1);
        const uint64_t change = jbw_season_next_change(season, time);
        if (change < presence->until) presence->until = change;
        if (jbw_season_was_on(season, time, 0))
            presence->shown[content] = content;
        else
            presence->hidden[presence->hidden_count++] = content;
    }
}

void jbw_presence_hide(const jbw_presence *presence, uint8_t *cells, size_t count)
{
    for (int i = 0; i < presence->hidden_count; i++) {
        const uint8_t hidden = presence->hidden[i];
        for (size_t k = 0; k < count; k++) cells[k] = cells[k] == hidden ? 0 : cells[k];
    }
}
