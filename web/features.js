// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// What agents of the world may be, say and write: their bodies, their voice, and items that carry a text.

import {flags} from './messages.js';

const NONE = {symbols: 0, voice_range: 0, carries_text: new Uint8Array(), bodies: []};

// red, green and blue from 0 to 1; a single dimension is a shade of gray
const rgb = color => [0, 1, 2].map(i => color[color.length === 1 ? 0 : i] ?? 0);

export class Features {
    constructor() {
        this.reset();
    }

    reset() {
        Object.assign(this, NONE);
        this.colors = []; // of bodies; empty if all agents are alike
    }

    async ask(connection) {
        this.reset();
        Object.assign(this, await connection.ask('get_features'));
        if (this.bodies.length > 1) this.colors = this.bodies.map(body => rgb(body.color));
    }

    /// What frames have to bring along.
    get wants() {
        const hasTexts = this.carries_text.some(value => value === 1);
        return this.symbols > 0 || this.bodies.length > 1 || hasTexts ? flags.WANT_WORDS : 0;
    }

    /// The name of a body, or an empty text if all agents are alike.
    nameOf(body) {
        if (this.bodies.length < 2) return '';
        return this.bodies[body]?.name || 'the usual one';
    }
}
