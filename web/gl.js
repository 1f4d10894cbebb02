// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Helpers for WebGL.

import {stats} from './stats.js';

function compile(gl, kind, source) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, `#version 300 es\n${source}`);
    gl.compileShader(shader);
    return shader;
}

/// A program and the locations of its uniforms. It is compiled while the page goes on: only its first use waits.
export class Program {
    constructor(gl, {vertex, fragment}) {
        this.gl = gl;
        this.shaders = [compile(gl, gl.VERTEX_SHADER, vertex), compile(gl, gl.FRAGMENT_SHADER, fragment)];
        this.program = gl.createProgram();
        for (const shader of this.shaders) gl.attachShader(this.program, shader);
        gl.linkProgram(this.program);
    }

    /// Makes it the current program, and returns the locations of its uniforms.
    use() {
        this.gl.useProgram(this.program);
        this.uniforms ??= this.#finish();
        return this.uniforms;
    }

    #finish() {
        const {gl, program} = this;
        if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost()) {
            const logs = this.shaders.map(shader => gl.getShaderInfoLog(shader));
            throw new Error([...logs, gl.getProgramInfoLog(program)].filter(Boolean).join(' '));
        }
        const uniforms = {};
        const count = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS);
        for (let i = 0; i < count; i++) {
            const {name} = gl.getActiveUniform(program, i);
            uniforms[name] = gl.getUniformLocation(program, name);
        }
        return uniforms;
    }
}

/// A vertex array with one buffer, whose instances have float vectors of these sizes.
export function makeInstances(gl, sizes) {
    const array = gl.createVertexArray();
    const buffer = gl.createBuffer();
    const stride = 4 * sizes.reduce((sum, size) => sum + size, 0);
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    let offset = 0;
    sizes.forEach((size, i) => {
        gl.enableVertexAttribArray(i);
        gl.vertexAttribPointer(i, size, gl.FLOAT, false, stride, offset);
        gl.vertexAttribDivisor(i, 1);
        offset += 4 * size;
    });
    gl.bindVertexArray(null);
    return {array, buffer, stride};
}

/// A texture without storage; not interpolated, unless smooth.
export function makeTexture(gl, isSmooth = false, target = gl.TEXTURE_2D) {
    const texture = gl.createTexture();
    stats.counters.textures = (stats.counters.textures ?? 0) + 1;
    const filter = isSmooth ? gl.LINEAR : gl.NEAREST;
    gl.bindTexture(target, texture);
    gl.texParameteri(target, gl.TEXTURE_MIN_FILTER, filter);
    gl.texParameteri(target, gl.TEXTURE_MAG_FILTER, filter);
    gl.texParameteri(target, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(target, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    return texture;
}

export function deleteTexture(gl, texture) {
    gl.deleteTexture(texture);
    stats.counters.textures--;
}

const RECORDS_WIDE = 256; // texels

/// Many small records of four or eight floats each, in a texture from which the vertex shader reads
/// them by index. Instances would do as well, but with software rendering each instance costs as
/// much as a draw call.
export class Records {
    constructor(gl, texels, capacity) {
        this.gl = gl;
        this.texels = texels; // per record, of four floats each
        this.rows = Math.ceil(capacity * texels / RECORDS_WIDE);
        this.data = new Float32Array(4 * RECORDS_WIDE * this.rows);
        this.capacity = Math.floor(RECORDS_WIDE * this.rows / texels);
        this.texture = makeTexture(gl);
        gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA32F, RECORDS_WIDE, this.rows);
    }

    /// Uploads records from `data`.
    send(first, count) {
        if (count === 0) return;
        const {gl} = this;
        const from = Math.floor(first * this.texels / RECORDS_WIDE);
        const to = Math.floor(((first + count) * this.texels - 1) / RECORDS_WIDE);
        gl.bindTexture(gl.TEXTURE_2D, this.texture);
        gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, from, RECORDS_WIDE, to - from + 1, gl.RGBA, gl.FLOAT,
            this.data, 4 * RECORDS_WIDE * from);
    }

    /// Draws a rectangle for each of the first `count` records.
    draw(location, count) {
        const {gl} = this;
        gl.activeTexture(gl.TEXTURE0);
        gl.bindTexture(gl.TEXTURE_2D, this.texture);
        gl.uniform1i(location, 0);
        gl.drawArrays(gl.TRIANGLES, 0, 6 * count);
    }

    delete() {
        deleteTexture(this.gl, this.texture);
    }
}
