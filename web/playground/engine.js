// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The simulator's module, jbw.wasm or learners.wasm. Runs in the Worker, and under node in tests.

import {Memory, Problem} from './memory.js';

export class Engine {
    /// Begins a compiled module. `onSend` gets each message to the page, as an ArrayBuffer, and whether the connection is
    /// over.
    static async load(module, onSend) {
        const engine = new Engine();
        engine.memory = await Memory.begin(module, {
            now: () => performance.now(),
            send: (at, size, isFinal) => onSend(engine.memory.copy(at, size), Boolean(isFinal)),
        });
        engine.exports = engine.memory.exports;
        return engine;
    }

    #check(status) {
        const {problem_text: text, problem_column: column} = this.exports;
        if (status !== 0) throw new Problem(this.memory.text(text()), column());
    }

    // bytes that the module has written, or a Problem if there are none
    #bytes(size, at) {
        if (size === 0) throw new Problem(this.memory.text(this.exports.problem_text()) || 'out of memory');
        return this.memory.copy(at(), size);
    }

    /// A new world like the one in `like`. `seed` is a BigInt.
    create({like, seed, agents, policy, reward, isDriven}) {
        this.memory.lend([like, policy, reward], (world, name, text) =>
            this.#check(this.exports.create(world.at, world.size, seed, agents, name.at, text.at)));
        if (isDriven) this.setLife({policy, reward, isDriven});
    }

    /// Continues a saved world.
    load({bytes, policy, reward}) {
        this.memory.lend([bytes, policy, reward], (snapshot, name, text) =>
            this.#check(this.exports.load(snapshot.at, snapshot.size, name.at, text.at)));
    }

    setLife({policy, reward, isDriven}) {
        this.memory.lend([policy, reward], (name, text) => this.#check(this.exports.set_life(name.at, text.at, isDriven)));
    }

    /// The world as the bytes of a snapshot, with a note of the page's own.
    save(note) {
        const size = this.memory.lend([note], text => this.exports.save(text.at));
        return this.#bytes(size, this.exports.saved_bytes);
    }

    /// The world as bytes that another can be like.
    like() {
        return this.#bytes(this.exports.encode(), this.exports.encoded_bytes);
    }

    /// What is known of the world, besides what messages say.
    describe() {
        const {note, reward, seed, is_invariant: isInvariant} = this.exports;
        const {memory} = this;
        return {
            note: memory.text(note()), reward: memory.text(reward()), seed: String(BigInt.asUintN(64, seed())),
            isInvariant: Boolean(isInvariant()),
        };
    }

    connect() {
        this.exports.connect();
    }

    receive(bytes) {
        this.memory.lend([bytes], ({at, size}) => this.exports.receive(at, size));
    }

    /// Lets the world live until a time of performance.now(), or until nothing is to be done. Returns when to call
    /// again, or Infinity. With `stopsAtFrame` it also returns when a frame was sent.
    run(until, stopsAtFrame) {
        const next = this.exports.run(until, stopsAtFrame);
        return next < 0 ? Infinity : next;
    }
}
