// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Navigation: where the camera looks, which agent is selected, and whether the camera follows it.

import {FARTHEST} from './camera.js';
import {$, agentName, speak, toast} from './dom.js';
import {parameter} from './settings.js';

const AGENT_PIXELS = 8; // within which a click hits an agent
const FIRST_SIDE = 64; // cells to show around a single agent

export class Navigation {
    constructor(app) {
        this.app = app;
        this.selected = null; // an agent
        this.isFollowing = false;
        this.hasLooked = false; // the camera has been placed, by us or by the user
        this.wanted = null; // the number of an agent to follow as soon as it is there
        addEventListener('hashchange', () => this.#restoreView());
        $('fit').onclick = () => this.fitAgents();
        $('zoom-in').onclick = () => this.zoom(1.6);
        $('zoom-out').onclick = () => this.zoom(1 / 1.6);
        $('follow').onclick = () => this.setFollow(!this.isFollowing);
        $('agent-close').onclick = () => this.select(null);
        $('jump').onsubmit = event => {
            event.preventDefault();
            this.#jump($('jump-to').value);
        };
    }

    /// Another world is to be shown: the camera is placed anew.
    forget() {
        this.select(null);
        this.hasLooked = false;
    }

    /// Places the camera when the first agents are known.
    start(marks) {
        if (!this.hasLooked && marks.length > 0) {
            this.hasLooked = true;
            if (!this.#restoreView() && !this.isFollowing) this.fitAgents();
            // a single agent is what everyone came to see
            if (marks.length === 1 && this.selected === null && this.wanted === null)
                this.select(marks.agent(0), parameter('x') === null);
        }
        this.#findWanted();
    }

    // the view that the address names: #x=..&y=..&zoom=..&agent=..
    #restoreView() {
        const {camera} = this.app;
        const agent = parameter('agent');
        const zoom = parameter('zoom');
        const x = parameter('x');
        if (zoom !== null) camera.setZoom(Number(zoom) * devicePixelRatio || 16);
        if (x !== null) camera.moveTo(Number(x) + 0.5 || 0, Number(parameter('y')) + 0.5 || 0);
        if (x !== null || zoom !== null) this.moved('jump');
        this.wanted = agent === null ? null : Number(agent);
        this.#findWanted();
        return x !== null || zoom !== null || agent !== null;
    }

    // the agent that the address names may come later
    #findWanted() {
        if (this.wanted === null) return;
        const mark = this.#byNumber(this.wanted);
        if (mark) this.select(mark.agent, true);
    }

    // a number is that of one agent at most: the world gives it to another only when that one has left
    #byNumber(wanted) {
        return this.app.all.find(mark => mark.agent % 4294967296 === wanted);
    }

    /// Call this when the camera was moved by 'drag', 'zoom' or 'jump'. Moving it elsewhere ends
    /// following.
    moved(how) {
        if (how === 'drag' || how === 'jump') {
            this.setFollow(false);
            this.wanted = null;
        }
        this.hasLooked = true;
        this.app.invalidate();
    }

    zoom(factor) {
        const {camera, canvas} = this.app;
        camera.zoomAt(factor, canvas.width / 2, canvas.height / 2);
        this.moved('zoom');
    }

    pan(x, y) {
        const {camera, canvas} = this.app;
        const step = 0.12 * Math.min(canvas.width, canvas.height);
        camera.pan(x * step, y * step);
        this.moved('drag');
    }

    /// Shows all agents.
    fitAgents() {
        const {all, camera} = this.app;
        const range = values => [values.reduce((a, b) => Math.min(a, b)), values.reduce((a, b) => Math.max(a, b)) + 1];
        if (all.length === 0) {
            camera.fit({x: -FIRST_SIDE / 2, y: -FIRST_SIDE / 2, width: FIRST_SIDE, height: FIRST_SIDE});
        } else {
            const [left, right] = range(all.map(mark => mark.position.x));
            const [bottom, top] = range(all.map(mark => mark.position.y));
            const margin = Math.max(0, FIRST_SIDE - Math.max(right - left, top - bottom)) / 2;
            camera.fit({x: left - margin, y: bottom - margin, width: right - left + 2 * margin,
                height: top - bottom + 2 * margin});
        }
        this.moved('jump');
    }

    /// Selects an agent, or none.
    select(agent, follows = false) {
        this.selected = agent;
        this.wanted = null;
        this.app.agentPanel.show(agent);
        this.setFollow(follows);
        this.app.hasNewAgents = true;
        if (agent !== null) speak(`${agentName(agent)} selected`);
        this.app.invalidate();
    }

    /// Selects the next agent (1) or the previous one (-1).
    selectNext(by) {
        const {all} = this.app;
        if (all.length === 0) return;
        const at = all.findIndex(mark => mark.agent === this.selected);
        const next = at < 0 ? (by > 0 ? 0 : all.length - 1) : (at + by + all.length) % all.length;
        this.select(all[next].agent, true);
    }

    setFollow(isOn) {
        this.isFollowing = isOn && this.selected !== null;
        this.app.view.aim = null;
        $('follow').setAttribute('aria-pressed', String(this.isFollowing));
        if (!this.isFollowing) return;
        const mark = [...this.app.marks.list, ...this.app.all].find(candidate => candidate.agent === this.selected);
        if (mark) this.app.camera.moveTo(mark.position.x + 0.5, mark.position.y + 0.5);
        this.app.invalidate();
    }

    /// Keeps the selected agent in the middle, as new marks or a new observation arrive.
    followMarks(marks) {
        if (!this.isFollowing) return;
        const at = marks.indexOf(this.selected);
        if (at >= 0) this.app.view.moveTo(marks.x(at) + 0.5, marks.y(at) + 0.5);
    }

    followObservation(seen) {
        if (this.isFollowing && (this.app.isAhead || this.app.marks.indexOf(this.selected) < 0))
            this.app.view.moveTo(seen.position.x + 0.5, seen.position.y + 0.5);
    }

    #jump(text) {
        const {camera} = this.app;
        const numbers = text.replaceAll('−', '-').match(/-?\d+(\.\d+)?/g)?.map(Number) ?? [];
        if (numbers.length === 1) {
            const mark = this.#byNumber(numbers[0]);
            if (mark) this.select(mark.agent, true);
            else toast(`There is no agent ${numbers[0]}.`);
        } else if (numbers.length === 2 && numbers.every(value => Math.abs(value) <= FARTHEST)) {
            camera.moveTo(numbers[0] + 0.5, numbers[1] + 0.5);
            if (camera.zoom < 4) camera.setZoom(12 * devicePixelRatio);
            this.moved('jump');
        } else {
            toast('Enter two numbers, such as 120, −45, or the number of an agent.');
        }
    }

    /// Handles a click on the map: places an item, or selects an agent or a cell.
    click(pixel) {
        const {camera, cellPanel, legend, marks} = this.app;
        const {x, y} = camera.toWorld(pixel.x, pixel.y);
        const cell = {x: Math.floor(x), y: Math.floor(y)};
        if (legend.brush >= 0) {
            legend.paint(cell);
            return;
        }
        // an agent is as large as it is drawn
        const reach = Math.max(0.5, AGENT_PIXELS * devicePixelRatio / camera.zoom);
        const near = marks.list
            .map(mark => ({mark, far: Math.max(Math.abs(mark.position.x + 0.5 - x), Math.abs(mark.position.y + 0.5 - y))}))
            .filter(({far}) => far <= reach)
            .sort((a, b) => a.far - b.far)[0];
        if (near) this.select(near.mark.agent, this.isFollowing);
        cellPanel.select(near ? {...near.mark.position} : cell);
    }
}
