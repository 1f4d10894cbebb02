// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Draws what the camera sees, from back to front: the background, patches, overlays, agents. Each
// takes one draw call, however much there is to see, and what has not changed is not rebuilt.

import {Atlas} from './atlas.js';
import {Forms} from './forms.js';
import {Program, Records, makeInstances, makeTexture} from './gl.js';
import {NEAR, PROGRAMS} from './shaders.js';
import {SELECTED, OWN, chooseShapes, itemColor, makeHeatRamp} from './palette.js';
import {stats} from './stats.js';

const LEAST_AGENT = 14; // smallest size of an agent, in CSS pixels
const FIRST_PROGRAMS = ['backdrop', 'nearCells', 'agents', 'sheet', 'frame', 'trails'];

/// Number of trail segments that are kept, of all agents together.
export const TRAIL_STEPS = 16384;

const SPAN = 2 ** 26;
const modulo = value => value - Math.floor(value / SPAN) * SPAN;

/// The key of a patch in a Map, cheaper than a string. Only patches 2^26 apart share a key, and
/// they are never visible together.
export const patchKey = (x, y) => modulo(x) * SPAN + modulo(y);

export class Renderer {
    constructor(canvas) {
        const gl = canvas.getContext('webgl2', {alpha: false, antialias: false});
        if (!gl) throw new Error('this browser has no WebGL2');
        this.canvas = canvas;
        this.gl = gl;
        this.programs = {}; // by name, as far as they have been needed
        for (const name of FIRST_PROGRAMS) this.#program(name); // are compiled while the world begins
        this.empty = gl.createVertexArray();
        this.agents = {records: new Records(gl, 1, 1024), count: 0};
        this.bodyColors = [];
        this.trails = {records: new Records(gl, 2, TRAIL_STEPS), count: 0};
        this.tiles = []; // by detail: {atlas, instances, ...}
        this.heat = null;
        this.palette = makeTexture(gl);
        this.ramp = makeTexture(gl, true);
        gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, 256, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, makeHeatRamp());
        this.scent = {texture: makeTexture(gl, true), area: null};
        this.sight = {texture: makeTexture(gl), area: null};
        this.anchor = {x: 0, y: 0}; // in cells; uploaded positions are relative to it
        this.patchSize = 64;
        this.hasUnseen = false; // tiles also have what agents cannot see
    }

    /// Waits for what the first picture needs. Call it when there is nothing else to do.
    prepare() {
        for (const name of FIRST_PROGRAMS) this.#program(name).use();
    }

    /// Discards everything and prepares for a world.
    setWorld(welcome) {
        const {gl} = this;
        for (const layer of [...this.tiles, this.heat]) this.#deleteLayer(layer);
        this.patchSize = welcome.patch_size;
        this.tiles = [];
        this.heat = this.#makeLayer(this.patchSize, 'level');
        this.items = welcome.items;
        this.shapes = chooseShapes(welcome.items);
        this.forms?.delete();
        this.forms = new Forms(gl, this.shapes);
        const bytes = new Uint8Array(4 * 256);
        welcome.items.forEach((item, i) => {
            bytes.set([...itemColor(item.color), this.shapes[i]], 4 * (i + 1));
        });
        gl.bindTexture(gl.TEXTURE_2D, this.palette);
        gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, 256, 1, 0, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
        this.scent.area = null;
        this.sight.area = null;
        this.trails.count = 0;
        this.agents.count = 0;
    }

    /// The tiles of a level of detail. Each texel covers 2^detail cells along each side.
    level(detail) {
        if (!this.tiles[detail]) {
            const side = Math.ceil(this.patchSize / 2 ** detail);
            const cells = this.hasUnseen ? 'looks' : 'index';
            this.tiles[detail] = this.#makeLayer(side, detail === 0 ? cells : 'color');
        }
        return this.tiles[detail].atlas;
    }

    /// Whether tiles will also have what agents cannot see, put together by `combinePlanes`.
    setUnseen(hasUnseen) {
        if (hasUnseen === this.hasUnseen) return;
        this.hasUnseen = hasUnseen;
        this.#deleteLayer(this.tiles[0]);
        delete this.tiles[0];
    }

    #makeLayer(side, format) {
        return {
            atlas: new Atlas(this.gl, side, format),
            ...makeInstances(this.gl, [2, 2, 1]),
            count: 0, isWhole: false, built: '', data: new Float32Array(0),
        };
    }

    #deleteLayer(layer) {
        if (!layer) return;
        layer.atlas.delete();
        this.gl.deleteBuffer(layer.buffer);
        this.gl.deleteVertexArray(layer.array);
    }

    /// Keeps the anchor near the camera. True if it moved: uploaded positions must be uploaded
    /// again.
    keepAnchor(camera) {
        const unit = 16384;
        if (Math.abs(camera.x - this.anchor.x) < unit && Math.abs(camera.y - this.anchor.y) < unit)
            return false;
        this.anchor = {x: Math.round(camera.x / unit) * unit, y: Math.round(camera.y / unit) * unit};
        return true;
    }

    /// Uploads agents: position relative to the anchor, direction, flags and color. `own` is the set of
    /// the user's agents, `bodies` has the body of each mark, or nothing.
    setAgents(marks, own, selected, bodies) {
        const {agents, anchor} = this;
        if (marks.length > agents.records.capacity) {
            agents.records.delete();
            agents.records = new Records(this.gl, 1, 2 * marks.length);
        }
        const {data} = agents.records;
        let at = 0;
        const put = (i, agent) => {
            data[at++] = marks.x(i) - anchor.x;
            data[at++] = marks.y(i) - anchor.y;
            data[at++] = marks.direction(i);
            data[at++] = (marks.isActive(i) ? 1 : 0) + (own.has(agent) ? 2 : 0) + (agent === selected ? 4 : 0) +
                (this.bodyColors[bodies?.[i]] ?? 0);
        };
        // the selected agent comes last, above all others
        let last = -1;
        for (let i = 0; i < marks.length; i++) {
            const agent = marks.agent(i);
            if (agent === selected) last = i;
            else put(i, agent);
        }
        if (last >= 0) put(last, selected);
        agents.records.send(0, marks.length);
        agents.count = marks.length;
        stats.counters.agents = marks.length;
    }

    /// Sets the image of a sheet, or hides it if there is no area.
    setPicture(sheet, area, width, height, bytes) {
        const {gl} = this;
        sheet.area = area;
        if (!area) return;
        gl.bindTexture(gl.TEXTURE_2D, sheet.texture);
        gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, width, height, 0, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
    }

    draw(scene) {
        const {gl, canvas} = this;
        const {camera} = scene;
        gl.bindFramebuffer(gl.FRAMEBUFFER, null);
        gl.viewport(0, 0, canvas.width, canvas.height);
        gl.disable(gl.BLEND);
        const layer = this.tiles[scene.detail];
        if (layer) this.#fillInstances(layer, camera);
        if (!layer?.isWhole) this.#drawBelow(scene);
        if (layer) this.#drawTiles(scene, scene.detail);

        gl.enable(gl.BLEND);
        gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
        if (scene.overlays.scent) this.#drawSheet(camera, this.scent, 0.85);
        if (scene.overlays.heat) this.#drawHeat(scene);
        if (scene.overlays.sight && this.sight.area) {
            this.#drawSheet(camera, this.sight, 1);
            this.#drawFrame(camera, this.sight.area, 2, SELECTED);
        }
        if (scene.overlays.trails) this.#drawTrails(scene);
        this.#drawAgents(scene);
        if (scene.cell)
            this.#drawFrame(camera, {x: scene.cell.x, y: scene.cell.y, width: 1, height: 1}, 2.5, SELECTED);
        gl.bindVertexArray(null);
    }

    #program(name) {
        this.programs[name] ??= new Program(this.gl, PROGRAMS[name]);
        return this.programs[name];
    }

    // the background, and tiles of other levels while the right ones are loading
    #drawBelow(scene) {
        this.#drawBackdrop(scene.camera, scene.theme);
        for (let detail = this.tiles.length - 1; detail >= 0 && scene.isLoading; detail--)
            if (this.tiles[detail] && detail !== scene.detail) this.#drawTiles(scene, detail);
    }

    #use(name, camera) {
        const {gl} = this;
        const uniforms = this.#program(name).use();
        if (uniforms.view)
            gl.uniform4f(uniforms.view, this.anchor.x - camera.x, this.anchor.y - camera.y,
                2 * camera.zoom / camera.width, 2 * camera.zoom / camera.height);
        if (uniforms.zoom) gl.uniform1f(uniforms.zoom, camera.zoom);
        return uniforms;
    }

    #drawBackdrop(camera, theme) {
        const {gl} = this;
        const uniforms = this.#use('backdrop', camera);
        const stripe = 7 * devicePixelRatio;
        const within = value => value - Math.floor(value / (2 * stripe)) * 2 * stripe;
        gl.uniform2f(uniforms.shift, within(camera.x * camera.zoom), within(camera.y * camera.zoom));
        gl.uniform1f(uniforms.stripe, stripe);
        gl.uniform3fv(uniforms['hatch[0]'], theme.hatch.flat());
        gl.bindVertexArray(this.empty);
        gl.drawArrays(gl.TRIANGLES, 0, 3);
    }

    // the visible tiles as instances; rebuilt only when the tiles or the view have changed
    #fillInstances(layer, camera) {
        const {gl, patchSize, anchor} = this;
        const cells = camera.cells;
        const left = Math.floor(cells.x / patchSize);
        const bottom = Math.floor(cells.y / patchSize);
        const right = Math.floor((cells.x + cells.width - 1) / patchSize);
        const top = Math.floor((cells.y + cells.height - 1) / patchSize);
        const built = `${left} ${bottom} ${right} ${top} ${layer.atlas.version} ${anchor.x} ${anchor.y}`;
        if (layer.built === built) return;
        layer.built = built;

        const most = Math.min((right - left + 1) * (top - bottom + 1), layer.atlas.tiles.size);
        if (layer.data.length < 5 * most) layer.data = new Float32Array(5 * most * 1.5 | 0);
        let count = 0;
        const add = tile => {
            layer.data[5 * count] = tile.patchX * patchSize - anchor.x;
            layer.data[5 * count + 1] = tile.patchY * patchSize - anchor.y;
            layer.data[5 * count + 2] = tile.x;
            layer.data[5 * count + 3] = tile.y;
            layer.data[5 * count + 4] = tile.state;
            count++;
        };
        if ((right - left + 1) * (top - bottom + 1) <= layer.atlas.tiles.size) {
            for (let y = bottom; y <= top; y++)
                for (let x = left; x <= right; x++) {
                    const key = patchKey(x, y);
                    const tile = layer.atlas.get(key);
                    if (!tile) continue;
                    layer.atlas.touch(key, tile);
                    add(tile);
                }
        } else {
            for (const tile of layer.atlas.tiles.values())
                if (tile.patchX >= left && tile.patchX <= right &&
                    tile.patchY >= bottom && tile.patchY <= top) add(tile);
        }
        layer.count = count;
        layer.isWhole = count === (right - left + 1) * (top - bottom + 1); // tiles are everywhere in view
        gl.bindBuffer(gl.ARRAY_BUFFER, layer.buffer);
        gl.bufferData(gl.ARRAY_BUFFER, layer.data.subarray(0, 5 * count), gl.DYNAMIC_DRAW);
    }

    #cellsProgram(isNear) {
        if (this.hasUnseen) return isNear ? 'nearLooks' : 'farLooks';
        return isNear ? 'nearCells' : 'farCells';
    }

    #drawTiles(scene, detail) {
        const {gl, patchSize} = this;
        const {camera, theme} = scene;
        const layer = this.tiles[detail];
        this.#fillInstances(layer, camera);
        if (detail === scene.detail) stats.counters.tilesDrawn = layer.count;
        if (layer.count === 0) return;
        const uniforms = this.#use(detail > 0 ? 'blocks' : this.#cellsProgram(camera.zoom > NEAR), camera);
        gl.uniform1f(uniforms.patch_size, patchSize);
        gl.uniform3fv(uniforms.paper, theme.paper);
        gl.uniform3fv(uniforms.sampled, theme.sampled);
        gl.uniform3fv(uniforms.line, theme.line);
        gl.uniform1f(uniforms.grid, scene.overlays.grid ? 1 : 0);
        gl.uniform1i(uniforms.tiles, 0);
        gl.activeTexture(gl.TEXTURE0);
        gl.bindTexture(gl.TEXTURE_2D, layer.atlas.texture);
        if (detail === 0) {
            gl.uniform1i(uniforms.palette, 1);
            gl.activeTexture(gl.TEXTURE1);
            gl.bindTexture(gl.TEXTURE_2D, this.palette);
            if (uniforms.forms) {
                gl.uniform1i(uniforms.forms, 2);
                gl.activeTexture(gl.TEXTURE2);
                gl.uniform1f(uniforms.form_level, this.forms.bind(camera.zoom));
            }
            gl.activeTexture(gl.TEXTURE0);
        } else {
            gl.uniform1f(uniforms.block, 2 ** detail);
            gl.uniform1i(uniforms.tile_side, layer.atlas.tileSide);
        }
        gl.bindVertexArray(layer.array);
        gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, layer.count);
    }

    #drawHeat(scene) {
        const {gl, heat} = this;
        this.#fillInstances(heat, scene.camera);
        if (heat.count === 0) return;
        const uniforms = this.#use('heat', scene.camera);
        gl.uniform1f(uniforms.patch_size, this.patchSize);
        gl.uniform1i(uniforms.tiles, 0);
        gl.uniform1i(uniforms.ramp, 1);
        gl.activeTexture(gl.TEXTURE1);
        gl.bindTexture(gl.TEXTURE_2D, this.ramp);
        gl.activeTexture(gl.TEXTURE0);
        gl.bindTexture(gl.TEXTURE_2D, heat.atlas.texture);
        gl.bindVertexArray(heat.array);
        gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, heat.count);
    }

    #setArea(uniforms, area) {
        this.gl.uniform4f(uniforms.area, area.x - this.anchor.x, area.y - this.anchor.y,
            area.width, area.height);
    }

    #drawSheet(camera, sheet, opacity) {
        const {gl} = this;
        if (!sheet.area) return;
        const uniforms = this.#use('sheet', camera);
        this.#setArea(uniforms, sheet.area);
        gl.uniform1f(uniforms.opacity, opacity);
        gl.uniform1i(uniforms.picture, 0);
        gl.bindTexture(gl.TEXTURE_2D, sheet.texture);
        gl.bindVertexArray(this.empty);
        gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    }

    #drawFrame(camera, area, width, tint) {
        const {gl} = this;
        const uniforms = this.#use('frame', camera);
        // from far away a frame would be all border
        const grown = Math.max(0, 7 * devicePixelRatio / camera.zoom - area.width) / 2;
        this.#setArea(uniforms, {x: area.x - grown, y: area.y - grown,
            width: area.width + 2 * grown, height: area.height + 2 * grown});
        gl.uniform1f(uniforms.width, width * devicePixelRatio);
        gl.uniform3fv(uniforms.tint, tint);
        gl.bindVertexArray(this.empty);
        gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    }

    #drawTrails(scene) {
        const {gl, trails} = this;
        if (trails.count === 0) return;
        const uniforms = this.#use('trails', scene.camera);
        gl.uniform1f(uniforms.now, scene.trailNow);
        gl.uniform1f(uniforms.memory, scene.trailMemory);
        gl.bindVertexArray(this.empty);
        trails.records.draw(uniforms.records, trails.count);
    }

    /// The colors of bodies, each three numbers from 0 to 1; none if all agents are alike.
    setBodies(colors) {
        // beside the flags, a number has room for 6 bits of each color
        this.bodyColors = colors.map(color => 8 + 16 * color.reduceRight(
            (bits, value) => 64 * bits + Math.round(63 * Math.min(1, Math.max(0, value))), 0));
    }

    #drawAgents(scene) {
        const {gl, agents} = this;
        if (agents.count === 0) return;
        const {theme} = scene;
        const uniforms = this.#use('agents', scene.camera);
        gl.uniform1f(uniforms.least, LEAST_AGENT * devicePixelRatio);
        gl.uniform3fv(uniforms.ink, theme.ink);
        gl.uniform3fv(uniforms.rim, theme.rim);
        gl.uniform3fv(uniforms.own, OWN);
        gl.uniform3fv(uniforms.selected, SELECTED);
        gl.bindVertexArray(this.empty);
        agents.records.draw(uniforms.records, agents.count);
    }
}
