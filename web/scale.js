// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The scale bar, and the cell under the pointer.

import {$, number, place, say} from './dom.js';

const LONGEST = 130; // pixels

/// `pixel` is where the pointer is.
export function drawScale(camera, pixel) {
    const cell = camera.zoom / devicePixelRatio;
    const longest = LONGEST / cell;
    const power = 10 ** Math.floor(Math.log10(longest));
    const cells = [5, 2, 1].map(digit => digit * power).find(value => value <= longest);
    $('scale-bar').style.width = `${Math.max(4, cells * cell)}px`;
    say($('scale-text'), cells < 1 ? 'less than a cell' : `${number(cells)} ${cells === 1 ? 'cell' : 'cells'}`);
    const {x, y} = camera.toWorld(pixel.x, pixel.y);
    say($('pointer'), place({x: Math.floor(x), y: Math.floor(y)}));
}
