// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Icons of items, for legends: as on the map (paint_item in shaders.js), but not drawn by WebGL, since reading a picture
// back from there waits for all that is being drawn.

import {SHAPES, itemColor} from './palette.js';
import {sampleShape, smoothstep} from './shapes.js';

/// Of icons, in pixels.
export const ICON_SIDE = 48;

const SIDE = ICON_SIDE;
const PIXEL = 1 / SIDE;
const RIM = 0.5 * PIXEL + 0.022;

const mix = (a, b, part) => a + (b - a) * part;

/// The icon of an item of this color and shape, to be seen on something like the color `paper`.
export function makeIcon(values, kind, paper) {
    const color = itemColor(values).map(byte => byte / 255);
    const isDark = 0.34 * (paper[0] + paper[1] + paper[2]) <= 0.4;
    const rim = color.map(value => isDark ? value + 0.35 : 0.55 * value);
    const points = sampleShape(kind, SIDE);
    const image = new ImageData(SIDE, SIDE);
    for (let at = 0; at < SIDE * SIDE; at++) {
        const [edge, mark] = points.subarray(2 * at, 2 * at + 2);
        const onRim = kind === SHAPES.bricks ? 0 : 0.9 * smoothstep(-RIM - PIXEL, -RIM, edge);
        const [column, row] = [at % SIDE, SIDE - 1 - Math.floor(at / SIDE)]; // shapes have the lowest row first
        const pixel = 4 * (SIDE * row + column);
        for (let c = 0; c < 3; c++) {
            const marked = mark > 0 ? mix(color[c], 0.25 * color[c], mark) : mix(color[c], mix(color[c], 1, 0.7), -mark);
            image.data[pixel + c] = 255 * mix(marked, rim[c], onRim);
        }
        image.data[pixel + 3] = 255 * (1 - smoothstep(-0.5 * PIXEL, 0.5 * PIXEL, edge));
    }
    return image;
}
