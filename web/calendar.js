// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// When the items of each type are there: their seasons, and what is said about them.

import {number} from './dom.js';

export class Calendar {
    constructor() {
        this.items = []; // by item type: {period, from, to}, in steps
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
        return this.items.some(item => item.period > 0);
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
    describe(type, time) {
        if (!this.hasSeason(type)) return '';
        const season = this.isInSeason(type, time) ? 'in season' : 'out of season';
        return `${season} until step ${number(this.nextChange(type, time))}`;
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
