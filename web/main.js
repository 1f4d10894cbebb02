// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Brings everything together: the connection feeds panels and renderer, people move the camera, and
// a frame is drawn whenever something has changed.

import {AgentPanel} from './agent_panel.js';
import {Camera, FARTHEST} from './camera.js';
import {CellPanel} from './cell_panel.js';
import {Connection, Refusal} from './connection.js';
import {Controls} from './controls.js';
import {$, agentName, dismiss, number, place, say, short, speak, toast} from './dom.js';
import {Drive} from './drive.js';
import {listenToPointers} from './input.js';
import {Legend} from './legend.js';
import {NO_MARKS} from './marks.js';
import {THEMES} from './palette.js';
import {Renderer} from './renderer.js';
import {ScentOverlay, showSight} from './senses.js';
import {endFrame, measured, stats} from './stats.js';
import {Timeline} from './timeline.js';
import {Trails} from './trails.js';
import {View, detailOf} from './view.js';

const ALL_RATE = 4; // frames per second of the list of all agents
const DELIVER_MS = 6; // of each frame drawn, for what has come from the server
const KEPT_SETTINGS = 'jbw-page';

class App {
    constructor() {
        this.canvas = $('map');
        this.renderer = new Renderer(this.canvas);
        this.camera = new Camera();
        this.connection = new Connection(this.#address(), this.#token());
        this.view = new View(this.connection, this.renderer, this.camera, frame => this.#receive(frame));
        this.trails = new Trails(this.renderer);
        this.scent = new ScentOverlay(this.connection, this.renderer, this.camera, () => this.invalidate());
        this.agentPanel = new AgentPanel(this, seen => this.#observe(seen));
        this.cellPanel = new CellPanel(this);
        this.controls = new Controls(this);
        this.timeline = new Timeline(this);
        this.drive = new Drive(this);
        this.legend = new Legend(this);
        this.overlays = {grid: false, trails: true, heat: false, sight: true, scent: false};
        this.time = 0;
        this.clocks = {near: 0, all: 0};
        this.chosen = null; // an agent
        this.isFollowing = false;
        this.marks = NO_MARKS; // the agents of the newest frame
        this.allMarks = NO_MARKS; // all agents, a little older
        this.own = new Set();
        this.world = ''; // which one it is, to notice another
        this.hover = null;
        this.isDirty = true;
        this.#setUpTheme();
        this.#setUpPage();
        this.#setUpKeys();
        this.#setUpConnection();
        requestAnimationFrame(now => this.#frame(now));
    }

    // --- where the server is, and who we are ---

    #address() {
        const url = new URL('ws', location.href);
        url.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
        url.hash = url.search = '';
        return url.href;
    }

    // behind the '#', so that it is not sent along with the page, nor kept in logs
    #token() {
        return new URLSearchParams(location.hash.slice(1)).get('token') ?? '';
    }

    // what the server says pays, unless the address says something else
    #findReward() {
        const wanted = new URLSearchParams(location.hash.slice(1)).get('reward');
        if (wanted) this.agentPanel.suggest(wanted);
        else fetch('reward').then(answer => answer.ok ? answer.text() : '').then(text => this.agentPanel.suggest(text.trim())).catch(() => {});
    }

    // --- the connection ---

    #setUpConnection() {
        const {connection} = this;
        connection.addEventListener('open', ({detail}) => this.#welcome(detail));
        connection.addEventListener('lost', ({detail}) => {
            this.view.reset();
            $('link').dataset.state = 'lost';
            say($('link-text'), 'reconnecting');
            if (detail.wasOpen) {
                toast('The server is gone. Trying to reach it again…', {kind: 'warn', key: 'lost'});
                speak('connection lost');
            }
        });
        connection.addEventListener('refused', ({detail}) => {
            if (detail.code === 'BAD_TOKEN') {
                // better to watch than to see nothing
                toast('Nobody has this token, so you are watching only.', {kind: 'bad', key: 'token',
                    action: {name: 'Enter another', run: () => this.#askForToken()}});
                connection.reopen('');
            } else {
                this.explain(detail);
            }
        });
        connection.open();
    }

    #welcome(welcome) {
        const world = `${welcome.seed} ${welcome.patch_size} ${welcome.items.map(item => item.name)}`;
        const isOther = world !== this.world || welcome.time < this.time;
        dismiss('lost');
        if (this.connection.token) dismiss('token');
        if (isOther || !this.renderer.items) {
            this.world = world;
            this.renderer.setWorld(welcome);
            this.trails.reset();
        }
        Object.assign(this.camera, {patchSize: welcome.patch_size, patchesMost: welcome.subscription_patches_most});
        this.camera.setZoom(this.camera.zoom);
        this.time = welcome.time;
        this.clocks = {near: 0, all: 0};
        this.own = new Set(welcome.agents.map(agent => agent.agent));
        this.view.reset();
        this.scent.reset();
        this.legend.setWorld(welcome);
        this.controls.setWorld(welcome);
        this.drive.setWorld(welcome);
        this.agentPanel.setWorld(welcome);
        this.#findReward();
        this.cellPanel.redraw();
        this.timeline.setWorld(welcome);
        $('token-open').dataset.has = String(this.connection.token !== '');
        say($('about'), `${welcome.server}${welcome.name ? `; you are ${welcome.name}` : ''}; seed ${welcome.seed}`);
        this.#showClock(welcome.is_paused);
        this.connection.subscribe({topic: 0, rate_most: ALL_RATE}, frame => this.#receiveAll(frame));
        this.invalidate();
    }

    // the patches and agents around the camera
    #receive(frame) {
        this.#readClock(frame, 'near');
        this.marks = frame.agents;
        this.trails.add(frame.agents, frame.time, this.camera.patchSize);
        this.hasNewAgents = true;
        if (this.isFollowing) {
            const at = frame.agents.indexOf(this.chosen);
            if (at >= 0) this.camera.moveTo(frame.agents.x(at) + 0.5, frame.agents.y(at) + 0.5);
        }
        this.invalidate();
    }

    get all() {
        return this.allMarks.list;
    }

    // everybody, for finding one's way
    #receiveAll(frame) {
        this.#readClock(frame, 'all');
        this.allMarks = frame.agents;
        say($('agent-count'), short(frame.agent_count));
        if (!this.hasLooked && frame.agents.length > 0) {
            this.hasLooked = true;
            if (!this.#restorePlace()) this.#lookAround();
            // who is alone is whom everybody came for
            if (frame.agents.length === 1 && this.chosen === null)
                this.choose(frame.agents.agent(0), !location.hash.includes('x='));
        }
    }

    // Two subscriptions tell the time, and the newer one counts; but if one of them goes back, so did
    // the world: it was wound back, or another one has taken its place.
    #readClock(frame, source) {
        const isBack = frame.time < this.clocks[source];
        this.clocks[source] = frame.time;
        if (isBack && source === 'near') this.view.forgetOthers();
        if (frame.time < this.time && !isBack) return;
        this.time = frame.time;
        this.speed = frame.steps_per_second;
        this.clock = frame; // to be shown with the next picture
    }

    #drawClock() {
        const {clock} = this;
        this.clock = null;
        this.controls.show(clock.is_paused, clock.rate);
        this.timeline.show(this.time);
        this.#showClock(clock.is_paused);
    }

    #showClock(isPaused) {
        say($('time'), number(this.time));
        say($('speed'), isPaused ? '–' : short(this.speed ?? 0));
        $('link').dataset.state = isPaused ? 'paused' : 'live';
        say($('link-text'), isPaused ? 'paused' : this.timeline.isRecording ? 'recording' : 'live');
    }

    #observe(seen) {
        if (!seen || !this.connection.welcome) {
            this.renderer.sight.area = null;
        } else {
            const {vision_side: side, field_of_view: field} = this.connection.welcome;
            showSight(this.renderer, seen, side, seen.seen?.length ? seen.seen : field);
            if (this.isFollowing && this.marks.indexOf(this.chosen) < 0)
                this.camera.moveTo(seen.position.x + 0.5, seen.position.y + 0.5);
        }
        this.invalidate();
    }

    /// Asks for something that needs a permission. False, with an explanation, if it is refused.
    async request(permission, name, fields) {
        try {
            if (this.connection.welcome && !this.connection.may(permission)) {
                this.#explainPermission(permission);
                return false;
            }
            await this.connection.ask(name, fields);
            return true;
        } catch (error) {
            this.explain(error);
            return false;
        }
    }

    #explainPermission(permission) {
        const what = {CONTROL: 'pause, step or change the rate', EDIT: 'place or remove items', ACT: 'have agents'};
        const why = this.connection.token ? 'your token does not permit' : 'it takes a token';
        toast(`You are watching: ${why} to ${what[permission] ?? 'do that'}.`, {kind: 'warn',
            action: {name: 'Enter a token', run: () => this.#askForToken()}});
    }

    /// Says kindly what went wrong.
    explain(error) {
        if (error instanceof Refusal && error.code === 'NOT_PERMITTED') this.#explainPermission('');
        else if (error instanceof Refusal) toast(`The server says: ${error.message}.`.replace(/\.\.$/, '.'), {kind: 'warn'});
        else if (this.connection.welcome) toast(`That did not work: ${error.message}.`, {kind: 'bad'});
    }

    // --- the camera ---

    #lookAround() {
        if (this.all.length === 0) {
            this.camera.fit({x: -32, y: -32, width: 64, height: 64});
        } else {
            const xs = this.all.map(mark => mark.position.x);
            const ys = this.all.map(mark => mark.position.y);
            const x = xs.reduce((a, b) => Math.min(a, b));
            const y = ys.reduce((a, b) => Math.min(a, b));
            const width = xs.reduce((a, b) => Math.max(a, b)) - x + 1;
            const height = ys.reduce((a, b) => Math.max(a, b)) - y + 1;
            const air = Math.max(0, 64 - Math.max(width, height)) / 2;
            this.camera.fit({x: x - air, y: y - air, width: width + 2 * air, height: height + 2 * air});
        }
        this.moved('jump');
    }

    // #x=..&y=..&zoom=.. names a view
    #restorePlace() {
        const wanted = new URLSearchParams(location.hash.slice(1));
        const agent = wanted.get('agent');
        if (agent) this.choose(Number(agent) + 4294967296 * Number(wanted.get('generation') ?? 1), true);
        if (!wanted.has('x') && !wanted.has('zoom')) return Boolean(agent);
        if (wanted.has('zoom')) this.camera.setZoom(Number(wanted.get('zoom')) * devicePixelRatio || 16);
        if (wanted.has('x')) this.camera.moveTo(Number(wanted.get('x')) + 0.5 || 0, Number(wanted.get('y')) + 0.5 || 0);
        this.moved('jump');
        return true;
    }

    /// The camera has moved; what people do themselves ends following.
    moved(how) {
        if (how === 'drag' || how === 'jump') this.setFollow(false);
        this.hasLooked = true;
        this.invalidate();
    }

    setFollow(isOn) {
        this.isFollowing = isOn && this.chosen !== null;
        $('follow').setAttribute('aria-pressed', String(this.isFollowing));
        if (!this.isFollowing) return;
        const mark = [...this.marks.list, ...this.all].find(candidate => candidate.agent === this.chosen);
        if (mark) this.camera.moveTo(mark.position.x + 0.5, mark.position.y + 0.5);
        this.invalidate();
    }

    choose(agent, follows = false) {
        this.chosen = agent;
        this.agentPanel.choose(agent);
        this.setFollow(follows);
        this.hasNewAgents = true;
        if (agent !== null) speak(`${agentName(agent)} chosen`);
        this.invalidate();
    }

    /// Shows where an event happened.
    show(event) {
        this.choose(event.agent, true);
    }

    /// The world is at another time now: what was seen before is no longer true.
    afterJump() {
        this.trails.reset();
        this.agentPanel.plot.reset();
        this.invalidate();
    }

    #chooseNext(by) {
        if (this.all.length === 0) return;
        const at = this.all.findIndex(mark => mark.agent === this.chosen);
        const next = at < 0 ? (by > 0 ? 0 : this.all.length - 1) : (at + by + this.all.length) % this.all.length;
        this.choose(this.all[next].agent, true);
    }

    #jump(text) {
        const numbers = text.replaceAll('−', '-').match(/-?\d+(\.\d+)?/g)?.map(Number) ?? [];
        if (numbers.length === 1) {
            const mark = this.all.find(candidate => candidate.agent % 4294967296 === numbers[0]);
            if (mark) this.choose(mark.agent, true);
            else toast(`There is no agent ${numbers[0]}.`);
        } else if (numbers.length === 2 && numbers.every(value => Math.abs(value) <= FARTHEST)) {
            this.camera.moveTo(numbers[0] + 0.5, numbers[1] + 0.5);
            if (this.camera.zoom < 4) this.camera.setZoom(12 * devicePixelRatio);
            this.moved('jump');
        } else {
            toast('Say two numbers, such as 120, −45, or the number of an agent.');
        }
    }

    #click(pixel) {
        const {x, y} = this.camera.toWorld(pixel.x, pixel.y);
        const cell = {x: Math.floor(x), y: Math.floor(y)};
        if (this.legend.brush >= 0) {
            this.legend.paint(cell);
            return;
        }
        // an agent is as large as it is drawn
        const reach = Math.max(0.5, 8 * devicePixelRatio / this.camera.zoom);
        const near = this.marks.list
            .map(mark => ({mark, far: Math.max(Math.abs(mark.position.x + 0.5 - x), Math.abs(mark.position.y + 0.5 - y))}))
            .filter(({far}) => far <= reach)
            .sort((a, b) => a.far - b.far)[0];
        if (near) this.choose(near.mark.agent, this.isFollowing);
        this.cellPanel.choose(near ? {...near.mark.position} : cell);
    }

    // --- the page ---

    get theme() {
        return THEMES[document.documentElement.dataset.theme];
    }

    icon(type) {
        return this.legend.icon(type);
    }

    #setUpTheme() {
        const system = matchMedia('(prefers-color-scheme: dark)');
        const chosen = new URLSearchParams(location.hash.slice(1)).get('theme') ?? this.#setting('theme');
        const set = theme => {
            document.documentElement.dataset.theme = theme;
            if (this.connection.welcome) {
                this.legend.setWorld(this.connection.welcome);
                this.agentPanel.redraw();
                this.cellPanel.redraw();
            }
            this.invalidate();
        };
        set(chosen in THEMES ? chosen : system.matches ? 'dark' : 'light');
        system.addEventListener('change', () => { if (!this.#setting('theme')) set(system.matches ? 'dark' : 'light'); });
        $('theme').onclick = () => {
            const theme = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
            this.#keepSetting('theme', theme);
            set(theme);
        };
    }

    #setting(name) {
        try {
            return JSON.parse(localStorage.getItem(KEPT_SETTINGS) ?? '{}')[name];
        } catch {
            return undefined; // a browser may refuse to keep anything
        }
    }

    #keepSetting(name, value) {
        try {
            const settings = JSON.parse(localStorage.getItem(KEPT_SETTINGS) ?? '{}');
            localStorage.setItem(KEPT_SETTINGS, JSON.stringify({...settings, [name]: value}));
        } catch {
            // then it is forgotten with the page
        }
    }

    #setUpPage() {
        const resize = () => {
            const width = Math.max(1, Math.round(this.canvas.clientWidth * devicePixelRatio));
            const height = Math.max(1, Math.round(this.canvas.clientHeight * devicePixelRatio));
            Object.assign(this.canvas, {width, height});
            this.camera.resize(width, height);
            this.invalidate();
        };
        new ResizeObserver(resize).observe(this.canvas);
        resize();

        listenToPointers(this.canvas, this.camera, {
            onMove: how => this.moved(how),
            onClick: pixel => this.#click(pixel),
            onHover: pixel => {
                this.hover = pixel;
                this.isScaleDirty = true;
            },
        });
        $('zoom-in').onclick = () => this.#zoom(1.6);
        $('zoom-out').onclick = () => this.#zoom(1 / 1.6);
        $('fit').onclick = () => this.#lookAround();
        $('follow').onclick = () => this.setFollow(!this.isFollowing);
        $('agent-close').onclick = () => this.choose(null);
        $('jump').onsubmit = event => {
            event.preventDefault();
            this.#jump($('jump-to').value);
        };
        $('layers-open').onclick = () => this.#toggleLayers();
        for (const box of document.querySelectorAll('[data-layer]'))
            box.onchange = () => this.#setLayer(box.dataset.layer, box.checked);
        $('scent-mode').onchange = () => {
            this.scent.mode = $('scent-mode').value;
            this.scent.lastAsked = 0;
        };
        this.scent.mode = $('scent-mode').value;
        $('screenshot').onclick = () => this.#screenshot();
        $('help-open').onclick = () => $('help').showModal();
        $('token-open').onclick = () => this.#askForToken();
        $('token').addEventListener('close', () => {
            if ($('token').returnValue !== 'ok') return;
            this.connection.reopen($('token-text').value.trim());
            $('token-text').value = '';
        });
    }

    #toggleLayers() {
        const isOpen = !$('layers').hidden;
        $('layers').hidden = isOpen;
        $('layers-open').setAttribute('aria-expanded', String(!isOpen));
    }

    #setLayer(name, isOn) {
        this.overlays[name] = isOn;
        document.querySelector(`[data-layer="${name}"]`).checked = isOn;
        if (name === 'scent' && isOn && this.connection.welcome?.scent_dimensions === 0) toast('Nothing smells in this world.');
        this.invalidate();
    }

    #zoom(factor) {
        this.camera.zoomAt(factor, this.canvas.width / 2, this.canvas.height / 2);
        this.moved('zoom');
    }

    #askForToken() {
        $('token').returnValue = '';
        $('token').showModal();
        $('token-text').focus();
    }

    // the picture is gone once the browser has shown it, so it is drawn again first
    #screenshot() {
        this.renderer.draw(this.#scene());
        this.canvas.toBlob(blob => {
            const link = document.createElement('a');
            link.href = URL.createObjectURL(blob);
            link.download = `jbw-${this.time}.png`;
            link.click();
            setTimeout(() => URL.revokeObjectURL(link.href), 10000);
        }, 'image/png');
    }

    #setUpKeys() {
        const step = () => 0.12 * Math.min(this.canvas.width, this.canvas.height);
        const pan = (x, y) => {
            this.camera.pan(x * step(), y * step());
            this.moved('drag');
        };
        const layer = name => () => this.#setLayer(name, !this.overlays[name]);
        const keys = {
            ArrowLeft: () => pan(1, 0), ArrowRight: () => pan(-1, 0), ArrowUp: () => pan(0, 1), ArrowDown: () => pan(0, -1),
            '+': () => this.#zoom(1.35), '=': () => this.#zoom(1.35), '-': () => this.#zoom(1 / 1.35), '_': () => this.#zoom(1 / 1.35),
            0: () => this.#lookAround(),
            n: () => this.#chooseNext(1), p: () => this.#chooseNext(-1),
            f: () => this.setFollow(!this.isFollowing),
            g: layer('grid'), t: layer('trails'), h: layer('heat'), v: layer('sight'), s: layer('scent'),
            ' ': () => this.controls.togglePause(), '.': () => this.controls.step(),
            '[': () => this.timeline.isRecording ? this.timeline.jump(-1) : this.controls.nudge(-1),
            ']': () => this.timeline.isRecording ? this.timeline.jump(1) : this.controls.nudge(1),
            c: () => this.#screenshot(), j: () => $('jump-to').focus(), '?': () => $('help').showModal(),
            d: () => this.drive.set(true),
            Enter: () => this.#click({x: this.canvas.width / 2, y: this.canvas.height / 2}),
            Escape: () => this.#leave(),
        };
        document.addEventListener('keydown', event => {
            if (event.ctrlKey || event.altKey || event.metaKey || document.querySelector('dialog[open]')) return;
            const {target} = event;
            const isTyping = target.matches('input, select, textarea');
            if (isTyping) {
                if (event.key === 'Escape') this.canvas.focus();
                return;
            }
            // buttons keep the keys that press them
            if (target.matches('button, summary') && (event.key === ' ' || event.key === 'Enter')) return;
            const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
            if (this.drive.press(event)) event.preventDefault();
            else if (Object.hasOwn(keys, key)) {
                event.preventDefault();
                keys[key]();
            }
        });
    }

    // one thing at a time
    #leave() {
        if (this.legend.brush >= 0) this.legend.take(-1);
        else if (!$('layers').hidden) this.#toggleLayers();
        else if (this.cellPanel.cell) this.cellPanel.choose(null);
        else if (this.chosen !== null) this.choose(null);
    }

    // --- drawing ---

    invalidate() {
        this.isDirty = true;
        this.isScaleDirty = true;
    }

    #fillAgents() {
        const {anchor} = this.renderer;
        const {marks} = this;
        const data = this.renderer.agentData(marks.length);
        let at = 0;
        const put = (i, agent) => {
            data[at++] = marks.x(i) - anchor.x;
            data[at++] = marks.y(i) - anchor.y;
            data[at++] = marks.direction(i);
            data[at++] = (marks.isActive(i) ? 1 : 0) + (this.own.has(agent) ? 2 : 0) + (agent === this.chosen ? 4 : 0);
        };
        // the chosen one comes last, above all others
        let chosen = -1;
        for (let i = 0; i < marks.length; i++) {
            const agent = marks.agent(i);
            if (agent === this.chosen) chosen = i;
            else put(i, agent);
        }
        if (chosen >= 0) put(chosen, this.chosen);
        this.renderer.setAgents(marks.length);
        stats.counters.agents = marks.length;
    }

    #scene() {
        return {
            camera: this.camera, theme: this.theme, overlays: this.overlays, detail: detailOf(this.camera),
            isLoading: this.view.isLoading,
            cell: this.cellPanel.cell, trailNow: this.trails.now ?? 0,
            trailMemory: Math.max(60, (this.trails.now ?? 0) - this.trails.oldest + 1),
        };
    }

    // how long a round number of cells is, and where the pointer is
    #drawScale() {
        this.isScaleDirty = false;
        const cell = this.camera.zoom / devicePixelRatio;
        const longest = 130 / cell;
        const power = 10 ** Math.floor(Math.log10(longest));
        const cells = [5, 2, 1].map(digit => digit * power).find(value => value <= longest);
        $('scale-bar').style.width = `${Math.max(4, cells * cell)}px`;
        say($('scale-text'), cells < 1 ? 'less than a cell' : `${number(cells)} ${cells === 1 ? 'cell' : 'cells'}`);
        const pixel = this.hover ?? {x: this.canvas.width / 2, y: this.canvas.height / 2};
        const {x, y} = this.camera.toWorld(pixel.x, pixel.y);
        say($('pointer'), place({x: Math.floor(x), y: Math.floor(y)}));
    }

    #frame(now) {
        requestAnimationFrame(later => this.#frame(later));
        measured('messages', () => this.connection.deliver(DELIVER_MS));
        if (this.renderer.items) {
            measured('tiles', () => {
                this.view.update(now);
                if (this.view.upload()) this.invalidate();
            });
            measured('panels', () => {
                if (this.clock) this.#drawClock();
                if (this.overlays.scent) this.scent.update(now);
                this.cellPanel.update(now);
                this.agentPanel.draw(now);
                if (this.isScaleDirty) this.#drawScale();
            });
            if (this.trails.isDirty && this.overlays.heat) this.isDirty = true;
        }
        const isDrawn = Boolean(this.renderer.items) && this.isDirty;
        if (isDrawn) {
            this.isDirty = false;
            measured('agents', () => {
                const hasMoved = this.renderer.keepAnchor(this.camera);
                this.trails.upload(hasMoved, this.overlays.heat);
                if (this.hasNewAgents || hasMoved) this.#fillAgents();
                this.hasNewAgents = false;
            });
            measured('map', () => this.renderer.draw(this.#scene()));
        }
        stats.counters.bytes = this.connection.bytes;
        if (isDrawn) endFrame();
    }
}

try {
    // for tests, and for people who like to look inside
    window.jbw = new App();
} catch (error) {
    toast(`The map cannot be drawn: ${error.message}.`, {kind: 'bad', key: 'fatal'});
}
