// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Subscribes to the visible part of the map, with a margin so that a little panning needs no new
// subscription, and uploads the patches that arrive to the renderer's tiles, a few at a time so
// that no frame takes long.

import {combinePlanes} from './calendar.js';
import {host} from './host.js';
import {flags} from './messages.js';
import {patchKey} from './renderer.js';
import {stats} from './stats.js';

const MARGIN = 0.3; // of the view, on each side
const UPLOAD_MS = 4; // per frame
const RATE = 30; // frames per second
const BEING_MADE = 3; // the state of a patch that follows later
const MOVE_MS = 60; // between two subscriptions
const AIM_MS = 15; // the same while an agent is faster than the camera
const FIRST_FRAMES = 20; // within which a new region is complete, however large it is

/// The level of detail: a texel covers a square of 2^detail cells, at least one pixel wide.
export function detailOf(camera) {
    const most = Math.ceil(Math.log2(camera.patchSize));
    return Math.min(most, Math.max(0, Math.ceil(-Math.log2(camera.zoom) - 1e-9)));
}

export class View {
    constructor(connection, renderer, camera, onFrame) {
        this.connection = connection;
        this.renderer = renderer;
        this.camera = camera;
        this.onFrame = onFrame;
        this.reset();
    }

    /// Forgets everything, after the connection was lost.
    reset() {
        this.subscription = 0;
        this.coming = 0; // the next subscription, until its first frame arrives
        this.patches = null; // the subscribed region, in patches
        this.detail = 0;
        this.framesToGo = 0; // until all patches of a new region have arrived
        this.making = new Set(); // patches that the server has yet to generate
        this.queue = new Map(); // patch -> its newest version that has not been uploaded
        this.lastMove = 0;
        this.isReady = false;
        this.aim = null; // where the camera goes as soon as the map there has arrived
    }

    /// Moves the camera to a place that may be far from what is shown. If the world waits for the page, what is shown
    /// stays until the map there has arrived.
    moveTo(x, y) {
        const p = this.patches;
        const size = this.camera.patchSize;
        const {x: left, y: bottom, width, height} = this.camera.cellsAround({x, y});
        const isShown = p && left + width > p.left * size && left < (p.right + 1) * size && bottom + height > p.bottom * size &&
            bottom < (p.top + 1) * size;
        this.aim = host.isServer || isShown || !p ? null : {x, y};
        if (!this.aim) this.camera.moveTo(x, y);
    }

    /// Begins, once it is known whether there are items that agents cannot see, and what else frames bring along.
    start(hasUnseen, wants) {
        this.renderer.setUnseen(hasUnseen);
        this.wants = wants;
        this.isReady = true;
    }

    get isLoading() {
        return this.queue.size > 0 || this.coming !== 0 || this.framesToGo > 0 || this.making.size > 0;
    }

    /// Subscribes to another region if the camera needs it. Cheap enough for every frame.
    update(now) {
        if (!this.connection.welcome || !this.isReady) return;
        const {camera} = this;
        const detail = detailOf(camera);
        const size = camera.patchSize;
        const cells = camera.cellsAround(this.aim ?? camera);
        const need = {
            left: Math.floor(cells.x / size), bottom: Math.floor(cells.y / size),
            right: Math.floor((cells.x + cells.width - 1) / size),
            top: Math.floor((cells.y + cells.height - 1) / size),
        };
        const p = this.patches;
        const isEnough = p && detail === this.detail && need.left >= p.left && need.right <= p.right &&
            need.bottom >= p.bottom && need.top <= p.top;
        // but not at every notch of the wheel
        if (isEnough || now - this.lastMove < (this.aim ? AIM_MS : MOVE_MS) || (this.aim && this.coming)) return;
        this.lastMove = now;

        const wide = need.right - need.left + 1;
        const high = need.top - need.bottom + 1;
        let marginX = Math.ceil(MARGIN * wide);
        let marginY = Math.ceil(MARGIN * high);
        const most = this.connection.welcome.subscription_patches_most;
        while ((wide + 2 * marginX) * (high + 2 * marginY) > most && marginX + marginY > 0) {
            marginX = Math.max(0, marginX - 1);
            marginY = Math.max(0, marginY - 1);
        }
        this.patches = {
            left: need.left - marginX, right: need.right + marginX,
            bottom: need.bottom - marginY, top: need.top + marginY,
        };
        this.detail = detail;
        this.#subscribe();
    }

    #subscribe() {
        const {left, right, bottom, top} = this.patches;
        const size = this.camera.patchSize;
        // only the newest subscription matters; the current one stays until its first frame arrives
        if (this.coming) this.connection.unsubscribe(this.coming);
        this.queue.clear();
        const detail = this.detail;
        this.coming = this.connection.subscribe({
            topic: 1,
            region: {x: left * size, y: bottom * size, width: (right - left + 1) * size,
                height: (top - bottom + 1) * size},
            detail,
            wants: this.wants | (detail === 0 && this.renderer.hasUnseen ? flags.WANT_UNSEEN : 0),
            rate_most: RATE,
        }, (frame, number) => this.#receive(frame, number, detail));
    }

    #receive(frame, number, detail) {
        if (number === this.coming) {
            if (this.subscription) this.connection.unsubscribe(this.subscription);
            this.subscription = number;
            this.coming = 0;
            this.framesToGo = FIRST_FRAMES;
            this.making.clear();
            if (this.aim) this.camera.moveTo(this.aim.x, this.aim.y);
            this.aim = null;
        }
        if (number !== this.subscription) return;
        // while the world keeps changing, some patches are always left
        this.framesToGo = frame.patches_left === 0 ? 0 : Math.max(0, this.framesToGo - 1);
        for (const patch of frame.patches) {
            const key = patchKey(patch.position.x, patch.position.y);
            if (patch.state === BEING_MADE) {
                this.making.add(key);
            } else {
                this.making.delete(key);
                this.queue.set(key, {patch, detail});
            }
        }
        this.onFrame(frame);
    }

    /// The world went back in time: drops the tiles that are not subscribed, which may no longer
    /// exist.
    forgetOthers() {
        if (!this.patches) return;
        const {left, right, bottom, top} = this.patches;
        this.renderer.tiles.forEach((layer, detail) => {
            for (const [key, {patchX, patchY}] of layer?.atlas.tiles ?? []) {
                const isWatched = detail === this.detail && patchX >= left && patchX <= right && patchY >= bottom && patchY <= top;
                if (!isWatched) layer.atlas.remove(key);
            }
        });
    }

    #texels(items, detail) {
        if (detail > 0 || !this.renderer.hasUnseen) return items;
        return combinePlanes(items, this.camera.patchSize ** 2);
    }

    /// Uploads tiles for a few milliseconds. True if there were any.
    upload() {
        if (this.queue.size === 0) return false;
        const end = performance.now() + UPLOAD_MS;
        let done = 0;
        for (const [key, {patch, detail}] of this.queue) {
            this.queue.delete(key);
            const atlas = this.renderer.level(detail);
            if (patch.state === 0) atlas.remove(key);
            else atlas.put(key, patch.position.x, patch.position.y, patch.state, this.#texels(patch.items, detail));
            if (++done % 8 === 0 && performance.now() > end) break;
        }
        stats.counters.tiles = this.renderer.tiles.reduce((sum, layer) => sum + (layer?.atlas.tiles.size ?? 0), 0);
        return true;
    }
}
