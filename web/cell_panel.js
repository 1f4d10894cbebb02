// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The panel of a cell: what is in it, what is written on it, since when, and how it smells there.

import {$, agentName, make, number, place, say, speak} from './dom.js';

const STATES = ['not generated yet', 'may still change', 'final'];
const utf8 = new TextDecoder();
const EVERY = 400; // milliseconds between requests

export class CellPanel {
    constructor(app) {
        this.app = app;
        this.cell = null;
        this.lastAsked = 0;
        $('cell-close').onclick = () => this.select(null);
    }

    select(cell) {
        this.cell = cell;
        $('cell').hidden = cell === null;
        this.isSpoken = false;
        this.lastAsked = 0;
        if (cell) say($('cell-name'), `Cell ${place(cell)}`);
        this.app.invalidate();
    }

    /// Refreshes the panel now and then, while it is open.
    update(now) {
        const {connection} = this.app;
        if (!this.cell || now - this.lastAsked < EVERY || !connection.welcome) return;
        this.lastAsked = now;
        const cell = this.cell;
        connection.ask('explain', {position: cell}).then(answer => {
            if (cell === this.cell) this.#show(answer);
        }).catch(error => say($('cell-item'), error.message));
    }

    // what grows back in a cell, and how long that takes
    #describeGrowth(growing, left) {
        const {name} = this.app.connection.welcome.items[growing];
        return left > 0 ? `${name} is back in ${number(left)} ${left === 1 ? 'step' : 'steps'}`
            : `${name} is back as soon as the cell is empty`;
    }

    #show({state, item, is_hidden: isHidden, growing, due, since, is_generated: isGenerated, is_since_known: isKnown, scent, agents, time, text}) {
        const {items, patch_size: size} = this.app.connection.welcome;
        const name = item < 0 ? 'nothing' : items[item].name;
        const season = isHidden ? `, ${this.app.calendar.describeSeason(item, time)}` : '';
        $('cell-growing').hidden = $('cell-growing-label').hidden = growing < 0;
        if (growing >= 0) say($('cell-growing'), this.#describeGrowth(growing, due - time));
        $('cell-text').hidden = $('cell-text-label').hidden = text.length === 0;
        if (text.length > 0) say($('cell-text'), utf8.decode(text));
        if (this.shown !== `${item}${season}`) {
            this.shown = `${item}${season}`;
            $('cell-item').replaceChildren(item < 0 ? 'nothing'
                : make('span', {className: isHidden ? 'swatch is-out' : 'swatch'}, this.app.icon(item), `${name}${season}`));
        }
        say($('cell-since'), state === 0 ? '–' : isGenerated ? 'always'
            : isKnown ? `step ${number(since)}, ${number(time - since)} ago` : `before step ${number(since)}`);
        const patch = {x: Math.floor(this.cell.x / size), y: Math.floor(this.cell.y / size)};
        say($('cell-patch'), `${place(patch)}: ${STATES[state]}`);
        say($('cell-agents'), agents.length ? agents.map(agentName).join(', ') : 'none');
        say($('cell-scent'), scent.length ? Array.from(scent, value => value.toFixed(2)).join('  ') : '–');
        if (!this.isSpoken) speak(`Cell ${place(this.cell)}: ${name}${season}`);
        this.isSpoken = true;
    }

    redraw() {
        this.shown = null;
    }
}
