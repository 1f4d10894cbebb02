// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Where agents went, as far as this page has seen it: the latest steps of all agents in one ring
// buffer, and how often each cell was entered, as a heat map.

import {TRAIL_STEPS, patchKey} from './renderer.js';
import {TRAILS} from './palette.js';

const KEPT = TRAIL_STEPS;
const FLOATS = 8;
const FARTHEST_STEP = 16; // cells; a longer step leaves a gap
const HEAT_TILES = 512;

export class Trails {
    constructor(renderer) {
        this.renderer = renderer;
        this.ends = new Float64Array(4 * KEPT); // exact positions, for when the anchor moves
        this.data = renderer.trails.records.data;
        this.reset();
    }

    reset() {
        this.last = new Map(); // agent -> its last cell
        this.next = 0; // position in the ring
        this.count = 0;
        this.total = 0; // steps so far
        this.sent = 0; // of these, uploaded
        this.base = null; // times are relative to this, to fit single precision
        this.oldest = 0;
        this.heat = new Map(); // patch -> {x, y, counts, isDirty, used: time of the latest visit}
        this.isDirty = false;
        this.now = 0;
        this.renderer.heat?.atlas.clear();
    }

    /// Adds the agents of a frame. An agent that is not in it may reappear elsewhere.
    add(marks, time, patchSize) {
        if (this.base !== null && time < this.base + this.now) this.reset(); // the world went back in time
        this.base ??= time;
        for (let i = 0; i < marks.length; i++) {
            const x = marks.x(i);
            const y = marks.y(i);
            const agent = marks.agent(i);
            const last = this.last.get(agent);
            if (!last) {
                this.last.set(agent, {x, y, time});
                continue;
            }
            last.time = time;
            if (last.x === x && last.y === y) continue;
            if (Math.abs(last.x - x) + Math.abs(last.y - y) <= FARTHEST_STEP)
                this.#addStep(agent, last, x, y, time);
            last.x = x;
            last.y = y;
            this.#addVisit(x, y, patchSize, time);
        }
        this.now = time - this.base;
        // forget agents that have been gone for long
        if (this.last.size > 4 * marks.length + 1000)
            for (const [agent, last] of this.last) if (last.time < time - 1000) this.last.delete(agent);
    }

    #addStep(agent, last, x, y, time) {
        const i = this.next;
        const {ends, data} = this;
        ends[4 * i] = last.x;
        ends[4 * i + 1] = last.y;
        ends[4 * i + 2] = x;
        ends[4 * i + 3] = y;
        const tint = TRAILS[agent % TRAILS.length];
        for (let k = 0; k < 3; k++) data[FLOATS * i + 4 + k] = tint[k];
        data[FLOATS * i + 7] = time - this.base;
        this.#anchor(i);
        this.next = (i + 1) % KEPT;
        this.count = Math.min(this.count + 1, KEPT);
        this.total++;
    }

    #anchor(i) {
        const {anchor} = this.renderer;
        for (let k = 0; k < 4; k++)
            this.data[FLOATS * i + k] = this.ends[4 * i + k] - (k % 2 === 0 ? anchor.x : anchor.y);
    }

    #addVisit(x, y, patchSize, time) {
        const patchX = Math.floor(x / patchSize);
        const patchY = Math.floor(y / patchSize);
        const key = patchKey(patchX, patchY);
        let tile = this.heat.get(key);
        if (!tile) {
            if (this.heat.size >= HEAT_TILES) this.#forgetOldest();
            tile = {x: patchX, y: patchY, counts: new Uint16Array(patchSize * patchSize)};
            this.heat.set(key, tile);
        }
        tile.used = time;
        const cell = (y - patchY * patchSize) * patchSize + (x - patchX * patchSize);
        if (tile.counts[cell] < 65535) tile.counts[cell]++;
        tile.isDirty = true;
        this.isDirty = true;
    }

    #forgetOldest() {
        let oldest = null;
        for (const [key, tile] of this.heat) if (oldest === null || tile.used < this.heat.get(oldest).used) oldest = key;
        this.heat.delete(oldest);
    }

    /// Uploads new steps, or all of them if the anchor has moved.
    upload(hasMoved, wantsHeat) {
        const {trails, heat} = this.renderer;
        if (hasMoved) for (let i = 0; i < this.count; i++) this.#anchor(i);
        const fresh = this.total - this.sent;
        if (hasMoved || fresh >= KEPT) {
            trails.records.send(0, this.count);
        } else if (fresh > 0) {
            const first = (this.next - fresh + KEPT) % KEPT;
            const whole = Math.min(fresh, KEPT - first);
            trails.records.send(first, whole);
            trails.records.send(0, fresh - whole);
        }
        this.sent = this.total;
        trails.count = this.count;
        const oldest = this.count < KEPT ? 0 : this.next;
        this.oldest = this.count ? this.data[FLOATS * oldest + 7] : 0;
        if (wantsHeat && this.isDirty) this.#uploadHeat(heat.atlas);
    }

    // on a logarithmic scale, so that one visit is visible beside a thousand
    #uploadHeat(atlas) {
        const begin = performance.now();
        this.isDirty = false;
        for (const [key, tile] of this.heat) {
            if (!tile.isDirty) continue;
            if (performance.now() - begin > 3) {
                this.isDirty = true;
                return;
            }
            const levels = new Uint8Array(tile.counts.length);
            for (let i = 0; i < levels.length; i++)
                if (tile.counts[i]) levels[i] = Math.min(255, 40 + 27 * Math.log2(tile.counts[i]));
            atlas.put(key, tile.x, tile.y, 2, levels);
            tile.isDirty = false;
        }
    }
}
