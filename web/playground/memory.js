// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// A module of WebAssembly that runs, and the texts and bytes in its memory.

const utf8 = new TextDecoder();
const toUtf8 = new TextEncoder();

// the C library asks for more of a system than there is; nothing that the modules do needs it
function withoutSystem(module) {
    const refused = 8; // "bad file descriptor": there are no files
    const names = WebAssembly.Module.imports(module).filter(entry => entry.module === 'wasi_snapshot_preview1');
    return Object.fromEntries(names.map(({name}) => [name, name === 'proc_exit' ? code => {
        throw new Error(`the simulator has stopped (${code})`);
    } : () => refused]));
}

/// Why a module refused something. `column` counts from one; zero if the place is unknown.
export class Problem extends Error {
    constructor(text, column = 0) {
        super(text);
        this.column = column;
    }
}

export class Memory {
    /// Begins a compiled module. `host` has the functions that it asks for.
    static async begin(module, host = {}) {
        const memory = new Memory();
        const {exports} = await WebAssembly.instantiate(module, {wasi_snapshot_preview1: withoutSystem(module), host});
        exports._initialize?.();
        memory.exports = exports;
        return memory;
    }

    copy(at, size) {
        return this.exports.memory.buffer.slice(at, at + size);
    }

    /// The text at an address that ends in a zero.
    text(at) {
        const bytes = new Uint8Array(this.exports.memory.buffer);
        return utf8.decode(bytes.subarray(at, bytes.indexOf(0, at)));
    }

    /// Calls `use` with the addresses of copies of these bytes and texts.
    lend(things, use) {
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
}
