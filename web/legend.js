// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The item types and their icons. Users who may edit select one to place it.

import {$, make} from './dom.js';

export class Legend {
    constructor(app) {
        this.app = app;
        this.brush = -1; // the item type to place, or -1
        this.icons = [];
    }

    setWorld(welcome) {
        const isEditor = this.app.connection.may('EDIT');
        this.icons = welcome.items.map((_, type) => this.app.renderer.drawIcon(type, this.app.theme));
        $('items').replaceChildren(...welcome.items.map((item, type) => {
            if (!isEditor) return make('li', {className: 'entry'}, this.icon(type), item.name);
            const button = make('button', {type: 'button', className: 'entry can-place'}, this.icon(type), item.name);
            button.setAttribute('aria-pressed', 'false');
            button.onclick = () => this.take(this.brush === type ? -1 : type);
            return make('li', {}, button);
        }));
        this.take(-1);
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

    /// Places the selected item in an empty cell, or removes the item in the cell.
    async paint(cell) {
        const {connection} = this.app;
        try {
            const {items} = await connection.ask('read_region', {region: {...cell, width: 1, height: 1}});
            if (items[0] === 0) await connection.ask('place_item', {item_type: this.brush, position: cell});
            else await connection.ask('remove_item', {position: cell});
        } catch (error) {
            this.app.explain(error);
        }
    }
}
