// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Connects everything: the connection feeds the panels and the renderer, the user moves the camera,
// and a frame is drawn whenever something has changed.

import {AgentPanel} from './agent_panel.js';
import {Calendar} from './calendar.js';
import {Camera} from './camera.js';
import {CellPanel} from './cell_panel.js';
import {Clock} from './clock.js';
import {Connection} from './connection.js';
import {Controls} from './controls.js';
import {$, dismiss, say, short, toast} from './dom.js';
import {Drive} from './drive.js';
import {host} from './host.js';
import {listenToPointers} from './input.js';
import {setUpKeyboard} from './keyboard.js';
import {Layers} from './layers.js';
import {Legend} from './legend.js';
import {Bubbles} from './bubbles.js';
import {Features} from './features.js';
import {NO_MARKS} from './marks.js';
import {Navigation} from './navigation.js';
import {showMaking, watchHealth} from './notices.js';
import {Renderer} from './renderer.js';
import {drawScale} from './scale.js';
import {ScentOverlay, showSight} from './senses.js';
import {Session} from './session.js';
import {parameter} from './settings.js';
import {endFrame, measured, stats} from './stats.js';
import {currentTheme, setUpTheme} from './theme.js';
import {Timeline} from './timeline.js';
import {Trails} from './trails.js';
import {View, detailOf} from './view.js';
import {Waiting} from './waiting.js';

const ALL_RATE = 4; // frames per second of the list of all agents
const DELIVER_MS = 6; // of each drawn frame, for messages
const ICONS_MS = 500; // after which icons no longer wait for the first whole picture

class App {
    constructor() {
        this.canvas = $('map');
        this.renderer = new Renderer(this.canvas);
        this.camera = new Camera();
        this.connection = new Connection(host.openSocket, host.token);
        this.session = new Session(this.connection, {
            onWelcome: welcome => this.#welcome(welcome),
            onKnown: welcome => {
                this.controls.setWorld(welcome);
                this.waiting.show();
                this.#showClock(this.controls.isPaused);
            },
            onLost: () => this.view.reset(),
        });
        this.view = new View(this.connection, this.renderer, this.camera, frame => this.#receive(frame));
        this.trails = new Trails(this.renderer);
        this.scent = new ScentOverlay(this.connection, this.renderer, this.camera, () => this.invalidate());
        this.clock = new Clock();
        this.calendar = new Calendar();
        this.agentPanel = new AgentPanel(this, seen => this.#observe(seen));
        this.cellPanel = new CellPanel(this);
        this.controls = new Controls(this);
        this.timeline = new Timeline(this);
        this.drive = new Drive(this);
        this.legend = new Legend(this);
        this.layers = new Layers(this);
        this.navigation = new Navigation(this);
        this.waiting = new Waiting(this);
        this.bubbles = new Bubbles();
        this.features = new Features();
        this.marks = NO_MARKS; // the agents of the newest frame
        this.allMarks = NO_MARKS; // all agents, a little older
        this.isAhead = false; // the agent that the camera follows has left the newest frame, and `marks` are older
        this.own = new Set();
        this.world = ''; // identifies the world, to notice another
        this.hover = null;
        this.isDirty = true;
        this.hasMap = false; // a part of the map has arrived
        this.mapSince = null; // when that was
        this.hasPicture = false; // all of it that is in sight was drawn
        setUpTheme(() => this.#redraw());
        setUpKeyboard(this);
        this.#setUpPage();
        watchHealth(() => this.connection.welcome);
        host.start(this);
        this.connection.open();
        this.renderer.prepare();
        requestAnimationFrame(now => this.#frame(now));
    }

    // --- what the parts need of each other ---

    get time() {
        return this.clock.time;
    }

    get all() {
        return this.allMarks.list;
    }

    get theme() {
        return currentTheme();
    }

    get selected() {
        return this.navigation.selected;
    }

    select(agent, follows = false) {
        this.navigation.select(agent, follows);
    }

    /// Sends a request that needs a permission; see Session.
    request(permission, name, fields) {
        return this.session.request(permission, name, fields);
    }

    explain(error) {
        this.session.explain(error);
    }

    icon(type) {
        return this.legend.icon(type);
    }

    /// The world is at another time now: what was seen before is out of date.
    afterJump() {
        this.trails.reset();
        this.agentPanel.plot.reset();
        this.invalidate();
    }

    invalidate() {
        this.isDirty = true;
        this.isScaleDirty = true;
    }

    // --- what comes from the world ---

    #welcome(welcome) {
        const world = `${host.world} ${welcome.seed} ${welcome.patch_size} ${welcome.items.map(item => item.name)}`;
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
        this.clock.reset(welcome.time);
        this.own = new Set(welcome.agents.map(agent => agent.agent));
        this.view.reset();
        this.bubbles.reset();
        Promise.all([this.calendar.ask(this.connection), this.features.ask(this.connection)]).then(() => {
            if (this.connection.welcome !== welcome) return;
            this.renderer.setBodies(this.features.colors);
            this.view.start(this.calendar.hasUnseen, this.features.wants);
            this.agentPanel.setFeatures(this.features);
        }).catch(() => {}); // the connection was lost
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

    // the reward in the address, or else the server's
    #findReward() {
        const wanted = parameter('reward');
        if (wanted) this.agentPanel.suggest(wanted);
        else host.askReward().then(text => this.agentPanel.suggest(text)).catch(() => {});
    }

    // the patches and agents around the camera
    #receive(frame) {
        if (this.clock.read(frame, 'near')) this.view.forgetOthers();
        // while the map around a fast agent is on its way, the old picture stays as it was
        const at = marks => marks.indexOf(this.selected);
        this.isAhead = !host.isServer && this.navigation.isFollowing && at(frame.agents) < 0 && at(this.marks) >= 0;
        if (!this.isAhead) {
            this.marks = frame.agents;
            this.bodies = frame.bodies;
        }
        this.bubbles.add(frame.agents, frame.said, frame.time);
        this.trails.add(frame.agents, frame.time, this.camera.patchSize);
        this.hasNewAgents = true;
        this.navigation.followMarks(frame.agents);
        this.invalidate();
    }

    // all agents, wherever they are
    #receiveAll(frame) {
        this.clock.read(frame, 'all');
        this.allMarks = frame.agents;
        say($('agent-count'), short(frame.agent_count));
        this.waiting.read(frame.agents, frame.agent_count);
        this.#showClock(frame.is_paused);
        this.navigation.start(frame.agents);
    }

    #showClock(isPaused) {
        this.clock.show(isPaused, this.timeline.isRecording, this.waiting.isWaiting);
    }

    // what the selected agent perceives
    #observe(seen) {
        if (!seen || !this.connection.welcome) {
            this.renderer.sight.area = null;
        } else {
            const {vision_side: side, field_of_view: field} = this.connection.welcome;
            showSight(this.renderer, seen, side, seen.seen?.length ? seen.seen : field);
            this.navigation.followObservation(seen);
        }
        this.invalidate();
    }

    // --- the page ---

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
        // on a phone, panels stand on what is at the foot of the page
        const foot = () => document.body.style.setProperty('--foot', `${$('foot').offsetHeight}px`);
        new ResizeObserver(foot).observe($('foot'));

        listenToPointers(this.canvas, this.camera, {
            onMove: how => this.navigation.moved(how),
            onClick: pixel => this.navigation.click(pixel),
            onHover: pixel => {
                this.hover = pixel;
                this.isScaleDirty = true;
            },
        });
        $('screenshot').onclick = () => this.saveScreenshot();
        $('help-open').onclick = () => $('help').showModal();
    }

    #redraw() {
        if (this.connection.welcome) {
            this.legend.setWorld(this.connection.welcome);
            this.agentPanel.redraw();
            this.cellPanel.redraw();
        }
        this.invalidate();
    }

    /// Downloads a picture of the map. Once the browser has shown a frame it is gone, so it is
    /// drawn again.
    saveScreenshot() {
        this.renderer.draw(this.#scene());
        this.canvas.toBlob(blob => {
            const link = document.createElement('a');
            link.href = URL.createObjectURL(blob);
            link.download = `jbw-${this.time}.png`;
            link.click();
            setTimeout(() => URL.revokeObjectURL(link.href), 10000);
        }, 'image/png');
    }

    // --- drawing ---

    #scene() {
        const now = this.trails.now ?? 0;
        return {
            camera: this.camera, theme: this.theme, overlays: this.layers.shown, detail: detailOf(this.camera),
            isLoading: this.view.isLoading, cell: this.cellPanel.cell,
            trailNow: now, trailMemory: Math.max(60, now - this.trails.oldest + 1),
        };
    }

    #drawPanels(now) {
        const frame = this.clock.newest;
        if (frame) {
            this.clock.newest = null;
            this.controls.show(frame.is_paused, frame.rate);
            this.timeline.show(this.time);
            this.#showClock(frame.is_paused);
        }
        showMaking(this.view.making.size);
        this.legend.showSeasons(this.calendar, this.time);
        if (this.layers.shown.scent) this.scent.update(now);
        this.cellPanel.update(now);
        this.agentPanel.draw(now);
        if (this.#mayDrawIcons(now)) this.legend.drawIcons();
        if (this.isScaleDirty) drawScale(this.camera, this.hover ?? {x: this.canvas.width / 2, y: this.canvas.height / 2});
        this.isScaleDirty = false;
    }

    #frame(now) {
        requestAnimationFrame(later => this.#frame(later));
        this.#work(now);
        host.drawn(this);
    }

    #work(now) {
        measured('messages', () => this.connection.deliver(DELIVER_MS));
        stats.counters.bytes = this.connection.bytes;
        if (!this.renderer.items) return;
        measured('tiles', () => {
            this.view.update(now);
            if (this.view.upload()) this.invalidate();
        });
        this.hasMap ||= this.view.subscription !== 0;
        if (!this.hasMap) return; // the first picture is not to wait for one of the background
        if (this.trails.isDirty && this.layers.shown.heat) this.isDirty = true;
        const isDrawn = this.isDirty;
        if (isDrawn) this.#drawMap();
        measured('panels', () => this.#drawPanels(now)); // while the map is being drawn
        if (isDrawn) endFrame();
    }

    // Icons wait for the first whole picture of the map, but not for long.
    #mayDrawIcons(now) {
        const hadPicture = this.hasPicture;
        this.mapSince ??= now;
        this.hasPicture ||= !this.view.isLoading || now > this.mapSince + ICONS_MS;
        return hadPicture;
    }

    #drawMap() {
        this.isDirty = false;
        measured('agents', () => {
            const hasMoved = this.renderer.keepAnchor(this.camera);
            this.trails.upload(hasMoved, this.layers.shown.heat);
            if (this.hasNewAgents || hasMoved) this.renderer.setAgents(this.marks, this.own, this.selected, this.bodies);
            this.hasNewAgents = false;
        });
        this.bubbles.place(this.camera);
        measured('map', () => this.renderer.draw(this.#scene()));
    }
}

const explain = error => toast(`The map cannot be drawn: ${error.message}.`, {kind: 'bad', key: 'fatal'});

host.begin().then(() => {
    window.jbw = new App(); // for tests, and for the curious
}).catch(explain);
