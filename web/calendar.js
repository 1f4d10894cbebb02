// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// When the items of each type are there: their seasons, how they grow back, and what is said about it.

import {number} from './dom.js';

// a number of steps, which does not break at the end of a line
const steps = value => number(value).replaceAll('\u2009', '\u202f');

export class Calendar {
    constructor() {
        this.items = []; // by item type: {period, from, to, regrowth, least, most}, in steps
    }

    /// Asks the server. An older one knows no seasons.
    async ask(connection) {
        this.items = [];
        try {
            this.items = (await connection.ask('get_calendar')).items;
        } catch {
            // nothing ever changes by itself there
        }
    }

    /// True if there may be items that agents cannot see now.
    get hasUnseen() {
        return this.items.some(item => item.period > 0 || item.regrowth > 0);
    }

    hasSeason(type) {
        return (this.items[type]?.period ?? 0) > 0;
    }

    isInSeason(type, time) {
        if (!this.hasSeason(type)) return true;
        const {period, from, to} = this.items[type];
        const phase = time % period;
        return from < to ? from <= phase && phase < to : from <= phase || phase < to;
    }

    /// The first time after `time` at which the season of a type begins or ends.
    nextChange(type, time) {
        const {period, from, to} = this.items[type];
        const ahead = boundary => period - (time - boundary % period + period) % period;
        return time + Math.min(ahead(from), ahead(to));
    }

    /// Such as "in season until step 50 000"; empty if a type has no seasons.
    describeSeason(type, time) {
        if (!this.hasSeason(type)) return '';
        const season = this.isInSeason(type, time) ? 'in season' : 'out of season';
        return `${season} until step ${steps(this.nextChange(type, time))}`;
    }

    /// Such as "grows back after 500 steps"; empty if items of a type do not grow back.
    describeRegrowth(type) {
        const {regrowth = 0, least = 0, most = 0} = this.items[type] ?? {};
        return ['', `grows back after ${steps(least)} steps`, `grows back after ${steps(least)} to ${steps(most)} steps`,
            `grows back after about ${steps(least)} steps`][regrowth];
    }
}

const HIDDEN = 1;
const GROWING = 2;

/// Puts the planes of a patch (items, hidden items, growing items; one byte per cell and plane)
/// together, for the map: the item type plus one, and 256 times how it looks.
export function combinePlanes(bytes, cells) {
    const combined = new Uint16Array(cells);
    const looks = [0, HIDDEN, GROWING];
    for (let plane = bytes.length / cells - 1; plane >= 0; plane--) // what agents see covers the rest
        for (let i = 0; i < cells; i++) {
            const item = bytes[plane * cells + i];
            if (item > 0) combined[i] = 256 * looks[plane] + item;
        }
    return combined;
}
