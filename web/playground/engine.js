// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The module jbw.wasm, with its texts and bytes. Runs in the Worker, and under node in tests.

const utf8 = new TextDecoder();
const toUtf8 = new TextEncoder();

// the C library asks for more of a system than there is; nothing that the simulator does needs it
function withoutSystem(module) {
    const refused = 52; // "not supported"
    const names = WebAssembly.Module.imports(module).filter(entry => entry.module === 'wasi_snapshot_preview1');
    return Object.fromEntries(names.map(({name}) => [name, name === 'proc_exit' ? code => {
        throw new Error(`the simulator has stopped (${code})`);
    } : () => refused]));
}

/// Why the engine refused something. `column` counts from one; zero if the place is unknown.
export class Problem extends Error {
    constructor(text, column = 0) {
        super(text);
        this.column = column;
    }
}

export class Engine {
    /// Begins a compiled module. `onSend` gets each message to the page, as an ArrayBuffer, and whether the connection is
    /// over.
    static async load(module, onSend) {
        const engine = new Engine();
        const {exports} = await WebAssembly.instantiate(module, {
            wasi_snapshot_preview1: withoutSystem(module),
            host: {
                now: () => performance.now(),
                send: (at, size, isFinal) => onSend(engine.#copy(at, size), Boolean(isFinal)),
            },
        });
        exports._initialize?.();
        engine.exports = exports;
        return engine;
    }

    #copy(at, size) {
        return this.exports.memory.buffer.slice(at, at + size);
    }

    #text(at) {
        const bytes = new Uint8Array(this.exports.memory.buffer);
        return utf8.decode(bytes.subarray(at, bytes.indexOf(0, at)));
    }

    // calls `use` with the addresses of copies of these bytes and texts
    #lend(things, use) {
        const held = things.map(thing => {
            const bytes = typeof thing === 'string' ? toUtf8.encode(`${thing}\0`) : new Uint8Array(thing);
            const at = this.exports.allocate(bytes.length);
            if (at === 0) throw new Problem('out of memory');
            new Uint8Array(this.exports.memory.buffer, at, bytes.length).set(bytes);
            return {at, size: bytes.length};
        });
        try {
            return use(...held);
        } finally {
            for (const {at} of held) this.exports.release(at);
        }
    }

    #check(status) {
        if (status !== 0) throw new Problem(this.#text(this.exports.problem_text()), this.exports.problem_column());
    }

    /// A new world like the one in `like`. `seed` is a BigInt.
    create({like, seed, agents, policy, reward, isDriven}) {
        this.#lend([like, policy, reward], (world, name, text) =>
            this.#check(this.exports.create(world.at, world.size, seed, agents, name.at, text.at)));
        if (isDriven) this.setLife({policy, reward, isDriven});
    }

    /// Continues a saved world.
    load({bytes, policy, reward}) {
        this.#lend([bytes, policy, reward], (snapshot, name, text) =>
            this.#check(this.exports.load(snapshot.at, snapshot.size, name.at, text.at)));
    }

    setLife({policy, reward, isDriven}) {
        this.#lend([policy, reward], (name, text) => this.#check(this.exports.set_life(name.at, text.at, isDriven)));
    }

    /// The world as the bytes of a snapshot, with a note of the page's own.
    save(note) {
        const size = this.#lend([note], text => this.exports.save(text.at));
        if (size === 0) throw new Problem(this.#text(this.exports.problem_text()) || 'out of memory');
        return this.#copy(this.exports.saved_bytes(), size);
    }

    /// What is known of the world, besides what messages say.
    describe() {
        const {note, reward, seed, is_invariant: isInvariant} = this.exports;
        return {
            note: this.#text(note()), reward: this.#text(reward()), seed: String(BigInt.asUintN(64, seed())),
            isInvariant: Boolean(isInvariant()),
        };
    }

    connect() {
        this.exports.connect();
    }

    receive(bytes) {
        this.#lend([bytes], ({at, size}) => this.exports.receive(at, size));
    }

    /// Lets the world live until a time of performance.now(), or until nothing is to be done. Returns when to call
    /// again, or Infinity. With `stopsAtFrame` it also returns when a frame was sent.
    run(until, stopsAtFrame) {
        const next = this.exports.run(until, stopsAtFrame);
        return next < 0 ? Infinity : next;
    }
}
