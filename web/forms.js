// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The shapes of a world's items as textures, one layer per shape: computing a shape for every pixel of every frame takes
// half a second where there is no graphics card.

import {deleteTexture, makeTexture} from './gl.js';
import {SHAPES} from './palette.js';
import {sampleShape} from './shapes.js';

// sides of the texture's levels, in texels
const USUAL = [64, 32, 16, 8];
const FINE = [256, 128];

const COUNT = Object.keys(SHAPES).length;

export class Forms {
    /// `kinds` are the numbers of the shapes that are needed.
    constructor(gl, kinds) {
        this.gl = gl;
        this.kinds = new Set(kinds);
        this.usual = this.#make(USUAL);
        this.fine = null; // made when somebody looks that close
    }

    #make(sides) {
        const {gl} = this;
        const texture = makeTexture(gl, true, gl.TEXTURE_2D_ARRAY);
        gl.texParameteri(gl.TEXTURE_2D_ARRAY, gl.TEXTURE_MIN_FILTER, gl.LINEAR_MIPMAP_NEAREST);
        gl.texStorage3D(gl.TEXTURE_2D_ARRAY, sides.length, gl.RG16F, sides[0], sides[0], COUNT);
        sides.forEach((side, level) => {
            for (const kind of this.kinds)
                gl.texSubImage3D(gl.TEXTURE_2D_ARRAY, level, 0, 0, kind, side, side, 1, gl.RG, gl.FLOAT, sampleShape(kind, side));
        });
        return texture;
    }

    /// Binds the texture for cells of so many pixels, and returns the level to read.
    bind(zoom) {
        const isFine = zoom > Math.SQRT2 * USUAL[0];
        const sides = isFine ? FINE : USUAL;
        if (isFine) this.fine ??= this.#make(FINE);
        this.gl.bindTexture(this.gl.TEXTURE_2D_ARRAY, isFine ? this.fine : this.usual);
        return Math.min(sides.length - 1, Math.max(0, Math.round(Math.log2(sides[0] / zoom))));
    }

    delete() {
        deleteTexture(this.gl, this.usual);
        if (this.fine) deleteTexture(this.gl, this.fine);
    }
}
