// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Which part of the world is visible: the point in the middle, and the width of a cell in device
// pixels. Cell (x, y) covers [x, x + 1) times [y, y + 1); y grows up, pixels grow down.

/// Beyond this, fractions of cells are not exact in a double.
export const FARTHEST = 1e13;

const clamp = (value, least, most) => Math.min(most, Math.max(least, value));

export class Camera {
    constructor() {
        this.x = 0.5;
        this.y = 0.5;
        this.zoom = 16;
        this.width = 1; // of the screen, in device pixels
        this.height = 1;
        this.patchSize = 64;
        this.patchesMost = 4096; // in one subscription
    }

    get leastZoom() {
        // the subscription includes a margin around the view: see View
        const patches = this.width * this.height / (0.4 * this.patchesMost);
        return Math.max(Math.sqrt(patches), 2) / this.patchSize;
    }

    get mostZoom() {
        return Math.min(this.width, this.height);
    }

    resize(width, height) {
        this.width = width;
        this.height = height;
        this.setZoom(this.zoom);
    }

    setZoom(zoom) {
        this.zoom = clamp(zoom, this.leastZoom, this.mostZoom);
    }

    moveTo(x, y) {
        this.x = clamp(x, -FARTHEST, FARTHEST);
        this.y = clamp(y, -FARTHEST, FARTHEST);
    }

    pan(pixelsRight, pixelsDown) {
        this.moveTo(this.x - pixelsRight / this.zoom, this.y + pixelsDown / this.zoom);
    }

    /// Zooms, keeping the world's point under a pixel in place.
    zoomAt(factor, pixelX, pixelY) {
        const before = this.toWorld(pixelX, pixelY);
        this.setZoom(this.zoom * factor);
        const after = this.toWorld(pixelX, pixelY);
        this.moveTo(this.x + before.x - after.x, this.y + before.y - after.y);
    }

    toWorld(pixelX, pixelY) {
        return {
            x: this.x + (pixelX - this.width / 2) / this.zoom,
            y: this.y - (pixelY - this.height / 2) / this.zoom,
        };
    }

    toPixel(x, y) {
        return {
            x: (x - this.x) * this.zoom + this.width / 2,
            y: (this.y - y) * this.zoom + this.height / 2,
        };
    }

    /// The cells that are visible, at least in part.
    get cells() {
        return this.cellsAround(this);
    }

    /// The same if another point were in the middle.
    cellsAround({x, y}) {
        const left = Math.floor(x - this.width / 2 / this.zoom);
        const bottom = Math.floor(y - this.height / 2 / this.zoom);
        const right = Math.floor(x + this.width / 2 / this.zoom);
        const top = Math.floor(y + this.height / 2 / this.zoom);
        return {x: left, y: bottom, width: right - left + 1, height: top - bottom + 1};
    }

    /// Shows a whole region, with a margin.
    fit(region) {
        this.moveTo(region.x + region.width / 2, region.y + region.height / 2);
        this.setZoom(0.85 * Math.min(this.width / region.width, this.height / region.height));
    }
}
