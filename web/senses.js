// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Overlays: the scent of the visible cells, and the field of vision of the selected agent.

import {makeHeatRamp} from './palette.js';

const SCENT_EVERY = 250; // milliseconds between requests
const MOST_CELLS = 40000; // in one request

const ramp = makeHeatRamp();

/// The pixels of a region's scent, with premultiplied alpha. With the mode 'color', the first three
/// dimensions are red, green and blue; with 'strength', the norm is shown on the heat ramp.
/// `largest` is the value with full intensity.
export function scentPixels(scent, dimensions, mode, largest) {
    const count = scent.length / Math.max(1, dimensions);
    const bytes = new Uint8Array(4 * count);
    const scale = largest > 0 ? 1 / largest : 0;
    for (let i = 0; i < count; i++) {
        const at = i * dimensions;
        if (mode === 'color') {
            const red = Math.max(0, scent[at]) * scale;
            const green = dimensions > 1 ? Math.max(0, scent[at + 1]) * scale : red;
            const blue = dimensions > 2 ? Math.max(0, scent[at + 2]) * scale : dimensions > 1 ? 0 : red;
            const most = Math.min(1, Math.max(red, green, blue));
            const alpha = Math.sqrt(most);
            const lift = most > 0 ? 255 * alpha / Math.max(red, green, blue) : 0;
            bytes.set([red * lift, green * lift, blue * lift, 255 * alpha], 4 * i);
        } else {
            let sum = 0;
            for (let d = 0; d < dimensions; d++) sum += scent[at + d] * scent[at + d];
            const level = Math.min(1, Math.sqrt(Math.sqrt(sum) * scale));
            const alpha = Math.min(1, 1.4 * level);
            const color = 4 * Math.round(255 * level);
            bytes.set([ramp[color] * alpha, ramp[color + 1] * alpha, ramp[color + 2] * alpha, 255 * alpha], 4 * i);
        }
    }
    return bytes;
}

export class ScentOverlay {
    constructor(connection, renderer, camera, onChange) {
        this.connection = connection;
        this.renderer = renderer;
        this.camera = camera;
        this.onChange = onChange;
        this.mode = 'color';
        this.reset();
    }

    reset() {
        this.isAsking = false;
        this.lastAsked = 0;
        this.largest = 0;
        this.renderer.scent.area = null;
    }

    // the stride with which the whole screen fits into one answer, and the region
    #plan() {
        const {welcome} = this.connection;
        const cells = this.camera.cells;
        const most = Math.min(welcome.smell_cells_most, MOST_CELLS);
        const stride = Math.max(1, Math.ceil(Math.sqrt((cells.width + 2) * (cells.height + 2) / most)));
        const x = Math.floor(cells.x / stride) * stride;
        const y = Math.floor(cells.y / stride) * stride;
        const width = Math.ceil((cells.x + cells.width - x) / stride) * stride;
        const height = Math.ceil((cells.y + cells.height - y) / stride) * stride;
        return {stride, region: {x, y, width, height}};
    }

    update(now) {
        const {connection} = this;
        if (this.isAsking || now - this.lastAsked < SCENT_EVERY || !connection.welcome) return;
        const dimensions = connection.welcome.scent_dimensions;
        if (dimensions === 0) return;
        this.isAsking = true;
        this.lastAsked = now;
        const {stride, region} = this.#plan();
        connection.ask('smell', {region, stride}).then(({scent}) => {
            const wide = Math.ceil(region.width / stride);
            const high = Math.ceil(region.height / stride);
            let most = 0;
            for (const value of scent) most = Math.max(most, value);
            // decreases slowly, to avoid flicker
            this.largest = Math.max(most, 0.9 * this.largest, 1e-6);
            const bytes = scentPixels(scent, dimensions, this.mode, this.largest);
            // with a stride, a sample is of the cell in the lower left corner of its square
            const shift = stride > 1 ? (1 - stride) / 2 : 0;
            const area = {x: region.x + shift, y: region.y + shift, width: wide * stride, height: high * stride};
            this.renderer.setPicture(this.renderer.scent, area, wide, high, bytes);
            this.onChange();
        }).catch(() => {}).finally(() => { this.isAsking = false; });
    }
}

/// The position, relative to an agent, of the cell that is `ahead` and `right` of it.
export function turn(direction, ahead, right) {
    switch (direction) {
    case 0: return [right, ahead];
    case 1: return [ahead, -right];
    case 2: return [-right, -ahead];
    default: return [-ahead, right];
    }
}

/// Shows how much an agent sees of each cell around it, by darkening the rest.
export function showSight(renderer, agent, side, seen) {
    const range = (side - 1) / 2;
    const bytes = new Uint8Array(4 * side * side);
    for (let row = 0; row < side; row++) {
        for (let column = 0; column < side; column++) {
            const [dx, dy] = turn(agent.direction, range - row, column - range);
            const alpha = Math.round(255 * 0.7 * (1 - seen[row * side + column]));
            bytes.set([alpha * 0.05, alpha * 0.06, alpha * 0.1, alpha], 4 * ((dy + range) * side + dx + range));
        }
    }
    const {x, y} = agent.position;
    renderer.setPicture(renderer.sight, {x: x - range, y: y - range, width: side, height: side}, side, side, bytes);
}
