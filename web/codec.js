// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Encodes and decodes messages, as in docs/protocol.md, from the table in messages.js.
//
//     u16 type | u32 request | the fields in order, little-endian
//
// Integers become numbers: times and cells are exact up to 2^53, far beyond what the page can show.
// An agent's id becomes one number, so that it can be a key.

import {MARK_SIZE, Marks} from './marks.js';
import {messages, records} from './messages.js';

const TWO_32 = 4294967296;

const utf8 = new TextDecoder();
const toUtf8 = new TextEncoder();

export const agentKey = (index1, generation) => generation * TWO_32 + index1;

// --- reading ---

class Reader {
    constructor(buffer) {
        this.view = new DataView(buffer);
        this.buffer = buffer;
        this.at = 0;
    }

    skip(size) {
        const at = this.at;
        this.at += size;
        return at;
    }

    u64() {
        const at = this.skip(8);
        return this.view.getUint32(at + 4, true) * TWO_32 + this.view.getUint32(at, true);
    }

    i64() {
        const at = this.skip(8);
        return this.view.getInt32(at + 4, true) * TWO_32 + this.view.getUint32(at, true);
    }
}

const readers = {
    bool: r => r.view.getUint8(r.skip(1)) === 1,
    u8: r => r.view.getUint8(r.skip(1)),
    u16: r => r.view.getUint16(r.skip(2), true),
    u32: r => r.view.getUint32(r.skip(4), true),
    i32: r => r.view.getInt32(r.skip(4), true),
    u64: r => r.u64(),
    f32: r => r.view.getFloat32(r.skip(4), true),
    f64: r => r.view.getFloat64(r.skip(8), true),
    agent: r => {
        const at = r.skip(8);
        return agentKey(r.view.getUint32(at, true), r.view.getUint32(at + 4, true));
    },
    position: r => ({x: r.i64(), y: r.i64()}),
    region: r => ({x: r.i64(), y: r.i64(), width: readers.u32(r), height: readers.u32(r)}),
    text: r => {
        const length = readers.u16(r);
        return utf8.decode(new Uint8Array(r.buffer, r.skip(length), length));
    },
    // a view into the message, not a copy
    bytes: r => {
        const count = readers.u32(r);
        return new Uint8Array(r.buffer, r.skip(count), count);
    },
    f32s: r => {
        const count = readers.u32(r);
        const at = r.skip(4 * count);
        // floats in a message are not aligned
        return new Float32Array(r.buffer.slice(at, at + 4 * count));
    },
    // one bit per number, then the numbers that are not zero
    sparse: r => {
        const list = new Float32Array(readers.u32(r));
        const bits = new Uint8Array(r.buffer, r.skip(Math.ceil(list.length / 8)));
        for (let i = 0; i < list.length; i++)
            if (bits[i >> 3] >> (i & 7) & 1) list[i] = readers.f32(r);
        return list;
    },
    u64s: r => Array.from({length: readers.u32(r)}, () => r.u64()),
    agents: r => Array.from({length: readers.u32(r)}, () => readers.agent(r)),
};

const recordReaders = {};

function readMarks(r) {
    const count = readers.u32(r);
    return new Marks(r.view, r.skip(count * MARK_SIZE), count);
}

function readerOf(type) {
    if (typeof type === 'string') return readers[type];
    if (type[0] === 'agent_mark') return readMarks;
    const record = recordReaders[type[0]];
    return r => {
        const list = new Array(readers.u32(r));
        for (let i = 0; i < list.length; i++) list[i] = record(r);
        return list;
    };
}

function readerOfFields(fields) {
    const names = fields.map(field => field[1]);
    const functions = fields.map(field => readerOf(field[0]));
    return r => {
        const object = {};
        for (let i = 0; i < names.length; i++) object[names[i]] = functions[i](r);
        return object;
    };
}

for (const name of Object.keys(records)) recordReaders[name] = readerOfFields(records[name]);

// the name of a message among fields stands for its fields
const flat = fields => fields.flatMap(
    field => typeof field === 'string' ? flat(messages[field][1]) : [field]);

const messageReaders = {};
for (const name of Object.keys(messages)) {
    const [number, fields] = messages[name];
    messageReaders[number] = {name, read: readerOfFields(flat(fields))};
}

/// Whether a message is a frame. Many of these may arrive while others are being processed.
export function isFrame(buffer) {
    const type = new DataView(buffer).getUint16(0, true);
    return type === messages.frame[0] || type === messages.scene[0];
}

/// Returns {name, request, fields}; throws a RangeError if the message is truncated.
export function decode(buffer) {
    const r = new Reader(buffer);
    const type = readers.u16(r);
    const request = readers.u32(r);
    const message = messageReaders[type];
    if (!message) return {name: 'unknown', request, fields: {}};
    return {name: message.name, request, fields: message.read(r)};
}

// --- writing ---

class Writer {
    constructor() {
        this.view = new DataView(new ArrayBuffer(256));
        this.at = 0;
    }

    room(size) {
        const at = this.at;
        this.at += size;
        if (this.at > this.view.byteLength) {
            const larger = new Uint8Array(2 * this.at);
            larger.set(new Uint8Array(this.view.buffer));
            this.view = new DataView(larger.buffer);
        }
        return at;
    }

    bytes(bytes) {
        const at = this.room(bytes.length);
        new Uint8Array(this.view.buffer).set(bytes, at);
    }
}

// reserve the space first: that may replace the buffer
const writeNumber = (method, size) => (w, v) => {
    const at = w.room(size);
    w.view[method](at, v, true);
};

const writers = {
    bool: (w, v) => writers.u8(w, v ? 1 : 0),
    u8: writeNumber('setUint8', 1),
    u16: writeNumber('setUint16', 2),
    u32: writeNumber('setUint32', 4),
    i32: writeNumber('setInt32', 4),
    u64: (w, v) => writeU64(w, BigInt(v)),
    i64: (w, v) => writeI64(w, BigInt(v)),
    f32: writeNumber('setFloat32', 4),
    f64: writeNumber('setFloat64', 8),
    agent: (w, v) => {
        writers.u32(w, v % TWO_32);
        writers.u32(w, Math.floor(v / TWO_32));
    },
    position: (w, v) => {
        writers.i64(w, v.x);
        writers.i64(w, v.y);
    },
    region: (w, v) => {
        writers.position(w, v);
        writers.u32(w, v.width);
        writers.u32(w, v.height);
    },
    text: (w, v) => {
        const bytes = toUtf8.encode(v);
        writers.u16(w, bytes.length);
        w.bytes(bytes);
    },
    bytes: (w, v) => {
        writers.u32(w, v.length);
        w.bytes(v);
    },
    f32s: (w, v) => writeAll(w, 'f32', v),
    u64s: (w, v) => writeAll(w, 'u64', v),
    agents: (w, v) => writeAll(w, 'agent', v),
};

const writeU64 = writeNumber('setBigUint64', 8);
const writeI64 = writeNumber('setBigInt64', 8);

function writeAll(w, type, values) {
    writers.u32(w, values.length);
    for (const value of values) writers[type](w, value);
}

// values of omitted fields
const defaults = {
    bool: false, text: '', position: {x: 0, y: 0}, region: {x: 0, y: 0, width: 0, height: 0},
    bytes: [], f32s: [], u64s: [], agents: [],
};

function writeFields(w, fields, object) {
    for (const [type, name] of fields) {
        const value = object[name];
        if (typeof type === 'string') {
            writers[type](w, value ?? defaults[type] ?? 0);
        } else {
            writers.u32(w, value?.length ?? 0);
            for (const record of value ?? []) writeFields(w, records[type[0]], record);
        }
    }
}

/// The bytes of a message. Omitted fields are zero.
export function encode(name, request, fields = {}) {
    const w = new Writer();
    const [number, table] = messages[name];
    writers.u16(w, number);
    writers.u32(w, request);
    writeFields(w, flat(table), fields);
    return w.view.buffer.slice(0, w.at);
}
