// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The item types and their icons. Users who may edit select one to place it.

import {$, make, pencil, say} from './dom.js';
import {ICON_SIDE, makeIcon} from './icons.js';
import {flags} from './messages.js';

export class Legend {
    constructor(app) {
        this.app = app;
        this.brush = -1; // the item type to place, or -1
        this.pictures = null; // of the icons, as soon as one is drawn
        this.blank = []; // icons that are to be drawn: {type, canvas}
    }

    setWorld(welcome) {
        const isEditor = this.app.connection.may('EDIT');
        this.pictures = null;
        this.blank = [];
        this.seasons = welcome.items.map(() => make('small', {className: 'quiet season'}));
        this.told = ''; // what the seasons say now
        $('items').replaceChildren(...welcome.items.map((item, type) => {
            const name = make('span', {className: 'name'}, item.name, this.seasons[type]);
            if (!isEditor) return make('li', {className: 'entry'}, this.icon(type), name);
            const button = make('button', {type: 'button', className: 'entry can-place'}, this.icon(type), name);
            button.setAttribute('aria-pressed', 'false');
            button.onclick = () => this.take(this.brush === type ? -1 : type);
            return make('li', {}, button);
        }));
        $('legend').classList.remove('is-empty');
        this.take(-1);
    }

    /// Says which items are in season. Cheap enough for every frame.
    showSeasons(calendar, time) {
        if (!calendar.hasUnseen) return;
        const texts = this.seasons.map((_, type) =>
            [calendar.describeSeason(type, time), calendar.describeRegrowth(type)].filter(Boolean).join('; '));
        if (texts.join() === this.told) return;
        this.told = texts.join();
        texts.forEach((text, type) => {
            say(this.seasons[type], text);
            this.seasons[type].closest('.entry').classList.toggle('is-out', !calendar.isInSeason(type, time));
        });
    }

    /// A new copy of an item's icon, since an element can be in only one place. It is drawn after the map.
    icon(type) {
        const canvas = make('canvas', {width: ICON_SIDE, height: ICON_SIDE});
        canvas.setAttribute('aria-hidden', 'true');
        this.blank.push({type, canvas});
        return canvas;
    }

    /// Draws the icons that are still blank. Cheap enough for every frame.
    drawIcons() {
        if (this.blank.length === 0) return;
        const {connection, renderer, theme} = this.app;
        this.pictures ??= connection.welcome?.items.map((item, type) => makeIcon(item.color, renderer.shapes[type], theme.paper));
        if (!this.pictures) return;
        for (const {type, canvas} of this.blank) pencil(canvas).putImageData(this.pictures[type], 0, 0);
        this.blank = [];
    }

    take(type) {
        this.brush = type;
        document.querySelectorAll('#items .can-place').forEach((button, i) =>
            button.setAttribute('aria-pressed', String(i === type)));
        $('edit-hint').hidden = type < 0;
        $('map').classList.toggle('is-editing', type >= 0);
    }

    // items that are out of season are in the way as well
    async #isFree(cell) {
        const {connection, calendar} = this.app;
        const region = {...cell, width: 1, height: 1};
        if (!calendar.hasUnseen) return (await connection.ask('read_region', {region})).items[0] === 0;
        const {items, hidden} = await connection.ask('read_planes', {region, planes: flags.PLANE_ITEMS | flags.PLANE_HIDDEN});
        return items[0] === 0 && hidden[0] === 0;
    }

    /// Places the selected item in an empty cell, or removes the item in the cell.
    async paint(cell) {
        const {connection} = this.app;
        try {
            const isFree = await this.#isFree(cell);
            if (isFree) await connection.ask('place_item', {item_type: this.brush, position: cell});
            else await connection.ask('remove_item', {position: cell});
        } catch (error) {
            this.app.explain(error);
        }
    }
}
