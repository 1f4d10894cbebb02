// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The page's side of the Worker: the shipped worlds, what the current one was made of, and requests for another.

import {Problem} from './engine.js';
import {writeLink} from './link.js';

const start = globalThis.jbwStart; // see start.js

function fromBase64(text) {
    return Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
}

export class World {
    constructor() {
        this.worker = start.worker;
        this.worker.addEventListener('message', ({data}) => this.#take(data));
        this.worker.addEventListener('error', event => this.onDead(event.message ?? 'the Worker cannot start'));
        this.shipped = []; // {name, about, items, isInvariant, frontier, invariant}
        this.settings = {}; // see link.js
        this.number = 0; // of the current world
        this.onDead = () => {};
        this.waiting = new Map(); // number of a request -> {resolve, reject}
        this.nextRequest = 1;
    }

    /// The list of shipped worlds.
    async list() {
        this.shipped = await start.worlds;
        return this.shipped;
    }

    find(name) {
        return this.shipped.find(world => world.name === name);
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

    // "drive" is greedy for all agents but the first
    #life({policy, reward}) {
        const isDriven = policy === 'drive';
        return {policy: isDriven ? 'greedy' : policy, reward: reward ?? '', isDriven};
    }

    /// Begins a new world. Throws a Problem, and leaves the old one, if that is not possible.
    async open(settings) {
        const like = fromBase64(this.find(settings.world)[settings.generation]);
        await this.#ask('open', {
            module: await start.module, like, seed: BigInt(settings.seed), agents: settings.agents, ...this.#life(settings),
        });
        this.settings = settings;
        this.number++;
    }

    /// Continues a saved world. Returns what it says about itself: see Engine.describe.
    async load(bytes) {
        const told = await this.#ask('load', {module: await start.module, bytes, ...this.#life(this.settings)});
        this.number++;
        return told;
    }

    /// Gives all agents another policy and reward.
    async setLife(settings) {
        await this.#ask('life', this.#life(settings));
        this.settings = settings;
    }

    /// The current world as the bytes of a file.
    save() {
        return this.#ask('save', {note: writeLink('', this.settings)});
    }
}
