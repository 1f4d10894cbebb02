// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The page's side of the Worker: the worlds that can be made, what the current one was made of, and requests for another.

import {Problem} from './memory.js';
import {guessReward} from '../reward.js';
import {readLink, writeLink} from './link.js';

const start = globalThis.jbwStart; // see start.js

function fromBase64(text) {
    return Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
}

const LEARNERS = ['ppo'];

export class World {
    constructor() {
        this.worker = start.worker;
        this.worker.addEventListener('message', ({data}) => this.#take(data));
        start.failure.then(event => this.onDead(event.message ?? 'the Worker cannot start'));
        this.shipped = []; // {name, about, items, isInvariant, frontier, invariant}
        this.own = null; // the same, of a world file or of a world that was loaded; `text` is the world file
        this.settings = {}; // see link.js
        this.number = 0; // of the current world
        this.kind = 'jbw'; // of the simulator: 'learners' has all that 'jbw' has, and is larger
        this.onDead = () => {};
        this.first = null; // see begin
        this.waiting = new Map(); // number of a request -> {resolve, reject}
        this.nextRequest = 1;
    }

    /// The list of shipped worlds.
    async list() {
        this.shipped = await start.worlds;
        return this.shipped;
    }

    /// A world by its name; null names the user's own.
    find(name) {
        return name === null ? this.own : this.shipped.find(world => world.name === name);
    }

    #take({type, number, value, problem, text}) {
        if (type === 'dead') this.onDead(text);
        if (type !== 'reply') return;
        const {resolve, reject} = this.waiting.get(number);
        this.waiting.delete(number);
        if (problem) reject(new Problem(problem.text, problem.column));
        else resolve(value);
    }

    #ask(type, fields) {
        return new Promise((resolve, reject) => {
            const number = this.nextRequest++;
            this.waiting.set(number, {resolve, reject});
            this.worker.postMessage({type, number, ...fields});
        });
    }

    // the simulator that a policy needs; once there, the one with learners stays
    async #engine(policy) {
        const kind = LEARNERS.includes(policy) ? 'learners' : this.kind;
        if (kind === 'learners') this.learners ??= start.compile('learners.wasm');
        const module = await (kind === 'learners' ? this.learners : start.module);
        return {kind, module};
    }

    // "drive" is greedy for all agents but the first
    #life({policy, reward}) {
        const isDriven = policy === 'drive';
        const names = {drive: 'greedy', ppo: 'ppo preset=tiny'};
        return {policy: names[policy] ?? policy, reward: reward ?? '', isDriven};
    }

    /// The settings in an address; what is wrong with it; a reward that fits the world.
    read(hash) {
        const {wrong, ...settings} = readLink(hash, this.shipped);
        const guess = guessReward(this.find(settings.world).items);
        settings.reward ??= guess;
        return {settings, wrong, guess};
    }

    /// Begins the world that the address names, while the page is still loading; `openFirst` takes it over. Resolves when
    /// the Worker has been asked, and runs.
    begin(hash) {
        this.first = this.#begin(hash);
        return this.first;
    }

    async #begin(hash) {
        await this.list();
        const {settings} = this.read(hash);
        const opening = this.#openWith(await this.#engine(settings.policy), settings);
        opening.catch(() => {}); // the panel will tell
        await Promise.race([start.isRunning, start.failure]);
        return {hash, opening};
    }

    /// Opens the world that was begun, or another if the address has changed since.
    async openFirst(hash, settings) {
        const first = await this.first;
        if (first.hash === hash) await first.opening;
        else await this.open(settings);
    }

    /// Begins a new world. Throws a Problem, and leaves the old one, if that is not possible.
    async open(settings) {
        await this.#openWith(await this.#engine(settings.policy), settings);
    }

    async #openWith(engine, settings) {
        const bytes = this.find(settings.world)[settings.generation];
        const like = typeof bytes === 'string' ? fromBase64(bytes) : bytes;
        await this.#ask('open', {engine, like, seed: BigInt(settings.seed), agents: settings.agents, ...this.#life(settings)});
        this.kind = engine.kind;
        this.settings = settings;
        this.number++;
    }

    /// Continues a saved world. Returns what it says about itself: see Engine.describe.
    async load(bytes) {
        const life = this.#life(this.settings);
        let told;
        try {
            told = await this.#ask('load', {engine: await this.#engine(), bytes, ...life});
        } catch (error) {
            if (this.kind === 'learners' || !/policy '(ppo|dqn)'/.test(error.message)) throw error;
            told = await this.#ask('load', {engine: await this.#engine('ppo'), bytes, ...life});
            this.kind = 'learners';
        }
        this.number++;
        return told;
    }

    /// Makes the world that was loaded the user's own, so that others like it can begin.
    async keep(generation, about) {
        this.own = {about, items: null, [generation]: await this.#ask('like', {})};
    }

    /// Gives all agents another policy and reward. True if the page has to connect again.
    async setLife(settings) {
        const engine = await this.#engine(settings.policy);
        const isOther = engine.kind !== this.kind;
        await this.#ask('life', {engine, ...this.#life(settings)});
        this.kind = engine.kind;
        this.settings = settings;
        return isOther;
    }

    /// The current world as the bytes of a file, and its time.
    save() {
        return this.#ask('save', {note: writeLink('', this.settings)});
    }
}
