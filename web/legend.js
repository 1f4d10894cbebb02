// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The item types and their icons. Users who may edit select one to place it.

import {$, make, say} from './dom.js';
import {flags} from './messages.js';

export class Legend {
    constructor(app) {
        this.app = app;
        this.brush = -1; // the item type to place, or -1
        this.icons = [];
    }

    setWorld(welcome) {
        const isEditor = this.app.connection.may('EDIT');
        this.icons = welcome.items.map((_, type) => this.app.renderer.drawIcon(type, this.app.theme));
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

    /// A new copy of an item's icon, since an element can be in only one place.
    icon(type) {
        const from = this.icons[type];
        const copy = make('canvas', {width: from.width, height: from.height});
        copy.getContext('2d').drawImage(from, 0, 0);
        copy.setAttribute('aria-hidden', 'true');
        return copy;
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
