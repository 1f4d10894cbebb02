// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The agents of a frame, read in place: a frame may have a thousand of them, thirty times per
// second, and most are only drawn. Objects are created on demand.

import {records} from './messages.js';

const TWO_32 = 4294967296;
const SIZES = {agent: 8, position: 16, u8: 1, bool: 1, i32: 4};

// the offset of each field of a mark
const at = {};
let size = 0;
for (const [type, name] of records.agent_mark) {
    at[name] = size;
    size += SIZES[type];
}
export const MARK_SIZE = size;

export class Marks {
    #list = null;

    constructor(view, start, length) {
        this.view = view;
        this.start = start;
        this.length = length;
        if (start + length * MARK_SIZE > view.byteLength) throw new RangeError('truncated message');
    }

    agent(i) {
        const from = this.start + i * MARK_SIZE + at.agent;
        return this.view.getUint32(from + 4, true) * TWO_32 + this.view.getUint32(from, true);
    }

    x(i) {
        const from = this.start + i * MARK_SIZE + at.position;
        return this.view.getInt32(from + 4, true) * TWO_32 + this.view.getUint32(from, true);
    }

    y(i) {
        const from = this.start + i * MARK_SIZE + at.position + 8;
        return this.view.getInt32(from + 4, true) * TWO_32 + this.view.getUint32(from, true);
    }

    direction(i) {
        return this.view.getUint8(this.start + i * MARK_SIZE + at.direction);
    }

    isActive(i) {
        return this.view.getUint8(this.start + i * MARK_SIZE + at.is_active) === 1;
    }

    hasActive() {
        for (let i = 0; i < this.length; i++) if (this.isActive(i)) return true;
        return false;
    }

    get(i) {
        const from = this.start + i * MARK_SIZE;
        return {
            agent: this.agent(i),
            position: {x: this.x(i), y: this.y(i)},
            direction: this.direction(i),
            is_active: this.isActive(i),
            action: this.view.getInt32(from + at.action, true),
            collected: this.view.getInt32(from + at.collected, true),
        };
    }

    /// The index of an agent, or -1.
    indexOf(agent) {
        for (let i = 0; i < this.length; i++) if (this.agent(i) === agent) return i;
        return -1;
    }

    /// All agents as objects, created once.
    get list() {
        this.#list ??= Array.from({length: this.length}, (_, i) => this.get(i));
        return this.#list;
    }
}

export const NO_MARKS = new Marks(new DataView(new ArrayBuffer(0)), 0, 0);
