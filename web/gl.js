// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The few helpers that WebGL asks everybody to write.

function compile(gl, kind, source) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, `#version 300 es\n${source}`);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS) && !gl.isContextLost())
        throw new Error(gl.getShaderInfoLog(shader));
    return shader;
}

/// A program and the places of its uniforms.
export function makeProgram(gl, vertex, fragment) {
    const program = gl.createProgram();
    gl.attachShader(program, compile(gl, gl.VERTEX_SHADER, vertex));
    gl.attachShader(program, compile(gl, gl.FRAGMENT_SHADER, fragment));
    gl.linkProgram(program);
    if (!gl.getProgramParameter(program, gl.LINK_STATUS) && !gl.isContextLost())
        throw new Error(gl.getProgramInfoLog(program));
    const uniforms = {};
    const count = gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS);
    for (let i = 0; i < count; i++) {
        const {name} = gl.getActiveUniform(program, i);
        uniforms[name] = gl.getUniformLocation(program, name);
    }
    return {program, uniforms};
}

/// A vertex array whose instances each have the float vectors of these sizes, from one buffer.
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

/// A texture without smoothing, unless asked for; its storage comes later.
export function makeTexture(gl, isSmooth = false) {
    const texture = gl.createTexture();
    const filter = isSmooth ? gl.LINEAR : gl.NEAREST;
    gl.bindTexture(gl.TEXTURE_2D, texture);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, filter);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, filter);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_S, gl.CLAMP_TO_EDGE);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_WRAP_T, gl.CLAMP_TO_EDGE);
    return texture;
}
