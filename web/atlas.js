// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Many small square tiles in one texture, one per patch. It begins small and grows up to a limit. Then the least recently
// used tile is replaced, so memory does not grow however far the user travels.

import {deleteTexture, makeTexture} from './gl.js';

// internal format, pixel format, type of a texel and largest side of the texture, which has at most 16 MB
const FORMATS = {
    index: gl => [gl.R8UI, gl.RED_INTEGER, gl.UNSIGNED_BYTE, 4096],
    looks: gl => [gl.R16UI, gl.RED_INTEGER, gl.UNSIGNED_SHORT, 2048],
    level: gl => [gl.R8, gl.RED, gl.UNSIGNED_BYTE, 2048],
    color: gl => [gl.RGBA8, gl.RGBA, gl.UNSIGNED_BYTE, 2048],
};

const FIRST_SIDE = 1024; // of the texture: browsers fill it with zeros, which takes 80 ms for 16 MB in software

export class Atlas {
    constructor(gl, tileSide, format) {
        const [storage, pixels, texel, sideMost] = FORMATS[format](gl);
        this.gl = gl;
        this.tileSide = tileSide;
        this.pixels = pixels;
        this.texel = texel;
        this.storage = storage;
        this.sideMost = sideMost;
        this.side = Math.min(sideMost, FIRST_SIDE);
        this.tiles = new Map(); // patch key -> tile, least recently used first
        this.free = [];
        this.used = 0;
        this.version = 0; // grows when a tile is added, removed or changes its state
        this.texture = this.#makeTexture();
    }

    #makeTexture() {
        const {gl} = this;
        const texture = makeTexture(gl);
        gl.texStorage2D(gl.TEXTURE_2D, 1, this.storage, this.side, this.side);
        return texture;
    }

    get #capacity() {
        return Math.floor(this.side / this.tileSide) ** 2;
    }

    // a larger texture with the same tiles in the same places
    #grow() {
        const {gl, texture: old, side: before} = this;
        this.side *= 2;
        this.texture = this.#makeTexture();
        const source = gl.createFramebuffer();
        gl.bindFramebuffer(gl.FRAMEBUFFER, source);
        gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, old, 0);
        gl.copyTexSubImage2D(gl.TEXTURE_2D, 0, 0, 0, 0, 0, before, before);
        gl.bindFramebuffer(gl.FRAMEBUFFER, null);
        gl.deleteFramebuffer(source);
        deleteTexture(gl, old);
    }

    get(key) {
        return this.tiles.get(key);
    }

    /// Marks a tile as used now.
    touch(key, tile) {
        this.tiles.delete(key);
        this.tiles.set(key, tile);
    }

    /// Uploads a tile: (tileSide x tileSide), lowest row first.
    put(key, patchX, patchY, state, data) {
        const {gl} = this;
        let tile = this.tiles.get(key);
        if (!tile) {
            tile = {patchX, patchY, state, ...this.#place()};
            this.version++;
        } else if (tile.state !== state) {
            tile.state = state;
            this.version++;
        }
        this.touch(key, tile);
        gl.bindTexture(gl.TEXTURE_2D, this.texture);
        gl.texSubImage2D(gl.TEXTURE_2D, 0, tile.x, tile.y, this.tileSide, this.tileSide,
            this.pixels, this.texel, data);
        return tile;
    }

    remove(key) {
        const tile = this.tiles.get(key);
        if (!tile) return;
        this.tiles.delete(key);
        this.free.push({x: tile.x, y: tile.y});
        this.version++;
    }

    clear() {
        this.tiles.clear();
        this.free = [];
        this.used = 0;
        this.version++;
    }

    delete() {
        deleteTexture(this.gl, this.texture);
    }

    #place() {
        if (this.free.length > 0) return this.free.pop();
        while (this.used === this.#capacity && this.side < this.sideMost) this.#grow();
        if (this.used < this.#capacity) {
            // squares that grow by a column and a row, so that places stay when the texture grows
            const slot = this.used++;
            const side = Math.floor(Math.sqrt(slot));
            const rest = slot - side * side;
            const [column, row] = rest <= side ? [side, rest] : [rest - side - 1, side];
            return {x: column * this.tileSide, y: row * this.tileSide};
        }
        const [key, {x, y}] = this.tiles.entries().next().value;
        this.tiles.delete(key);
        return {x, y};
    }
}
