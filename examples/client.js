// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// An agent in a served world, in plain JavaScript without any library:
//
//     jbw serve paper-code --listen 127.0.0.1:8765 --tokens FILE
//     node examples/client.js ws://127.0.0.1:8765 TOKEN [STEPS]
//
// Node has WebSocket since version 22; before, use node --experimental-websocket. The same code
// works in a browser. docs/protocol.md specifies the bytes; this file follows it from top to
// bottom.

// ---- encoding and decoding fields, all little-endian ----

class Writer {
    bytes = [];
    number(size, set) {
        const view = new DataView(new ArrayBuffer(size));
        set(view);
        for (let i = 0; i < size; i++) this.bytes.push(view.getUint8(i));
        return this;
    }
    u8(value) { return this.number(1, (v) => v.setUint8(0, value)); }
    bool(value) { return this.u8(value ? 1 : 0); }
    u16(value) { return this.number(2, (v) => v.setUint16(0, value, true)); }
    u32(value) { return this.number(4, (v) => v.setUint32(0, value, true)); }
    agent(value) { return this.number(8, (v) => v.setBigUint64(0, value, true)); }
    i64(value) { return this.number(8, (v) => v.setBigInt64(0, BigInt(value), true)); }
    position([x, y]) { return this.i64(x).i64(y); }
    text(value) {
        const utf8 = new TextEncoder().encode(value);
        this.u16(utf8.length);
        this.bytes.push(...utf8);
        return this;
    }
}

class Reader {
    constructor(buffer) {
        this.view = new DataView(buffer);
        this.at = 0;
    }
    skip(size) {
        this.at += size;
        return this.at - size;
    }
    u8() { return this.view.getUint8(this.skip(1)); }
    bool() { return this.u8() === 1; }
    u16() { return this.view.getUint16(this.skip(2), true); }
    u32() { return this.view.getUint32(this.skip(4), true); }
    i32() { return this.view.getInt32(this.skip(4), true); }
    f32() { return this.view.getFloat32(this.skip(4), true); }
    f64() { return this.view.getFloat64(this.skip(8), true); }
    // times and coordinates beyond 2^53 lose precision
    u64() { return Number(this.view.getBigUint64(this.skip(8), true)); }
    i64() { return Number(this.view.getBigInt64(this.skip(8), true)); }
    agent() { return this.view.getBigUint64(this.skip(8), true); } // opaque
    position() { return [this.i64(), this.i64()]; }
    bytes() {
        const size = this.u32();
        return new Uint8Array(this.view.buffer, this.skip(size), size);
    }
    text() {
        const size = this.u16();
        return new TextDecoder().decode(new Uint8Array(this.view.buffer, this.skip(size), size));
    }
    list(read) { return Array.from({ length: this.u32() }, () => read.call(this)); }
    f32s() { return Float32Array.from(this.list(this.f32)); }
    // one bit per number, then the numbers that are not zero
    sparse() {
        const list = new Float32Array(this.u32());
        const bits = this.skip(Math.ceil(list.length / 8));
        for (let i = 0; i < list.length; i++)
            if ((this.view.getUint8(bits + (i >> 3)) >> (i & 7)) & 1) list[i] = this.f32();
        return list;
    }
    u64s() { return this.list(this.u64); }
}

// ---- the messages this client needs ----

const HELLO = 1, GOODBYE = 2, ADD_AGENT = 5, REMOVE_AGENT = 6, ACT = 8;
const WELCOME = 128, OK = 129, ERROR = 130, OBSERVED = 133, AGENTS = 134;
const WANT_VISION = 1, WANT_SCENT = 2;

const answers = {
    [WELCOME]: (r) => ({
        version: r.u16(), server: r.text(), name: r.text(), permissions: r.u8(), agentsMost: r.u32(),
        time: r.u64(), startedTime: r.u64(), seed: r.agent(), isPaused: r.bool(), rate: r.f64(),
        turnTimeout: r.u32(), patchSize: r.u32(), visionSide: r.u32(), colors: r.u32(),
        scents: r.u32(), messageMost: r.u32(), regionCellsMost: r.u32(), smellCellsMost: r.u32(),
        listMost: r.u32(), subscriptionsMost: r.u32(), subscriptionPatchesMost: r.u32(),
        stepCountMost: r.u32(), explorePlacesMost: r.u32(), frameRateMost: r.f32(),
        fieldOfView: r.f32s(),
        items: r.list(() => ({ name: r.text(), color: r.f32s(), blocks: r.bool() })),
        actions: r.list(() => ({ name: r.text(), kind: r.u8(), item: r.i32() })),
        agents: r.list(() => agentInfo(r)),
    }),
    [OK]: (r) => ({ time: r.u64() }),
    [ERROR]: (r) => ({ code: r.u16(), isFinal: r.bool(), text: r.text() }),
    [OBSERVED]: (r) => ({ time: r.u64(), observations: r.list(() => observation(r)) }),
    [AGENTS]: (r) => ({ time: r.u64(), total: r.u32(), agents: r.list(() => agentInfo(r)) }),
};

function agentInfo(r) {
    return {
        agent: r.agent(), owner: r.text(), isYours: r.bool(), isDriven: r.bool(),
        isActive: r.bool(), position: r.position(), direction: r.u8(), start: r.position(),
        request: r.i32(), inventory: r.u64s(),
    };
}

function observation(r) {
    return {
        agent: r.agent(), position: r.position(), direction: r.u8(), isActive: r.bool(),
        resultTime: r.u64(), action: r.i32(), outcome: r.u8(), moved: r.bool(),
        itemOutcome: r.u8(), collected: r.i32(), dropped: r.i32(), positionBefore: r.position(),
        vision: r.sparse(), scent: r.f32s(), items: r.bytes(), inventory: r.u64s(),
        seen: r.f32s(),
    };
}

// ---- the connection: each request is a promise ----

class Connection {
    #waiting = new Map();
    #last = 0;

    static open(url) {
        const socket = new WebSocket(new URL("/ws", url));
        socket.binaryType = "arraybuffer";
        return new Promise((resolve, reject) => {
            socket.onopen = () => resolve(new Connection(socket));
            socket.onerror = () => reject(new Error(`cannot connect to ${url}`));
        });
    }

    constructor(socket) {
        this.socket = socket;
        socket.onmessage = (event) => this.#receive(event.data);
        socket.onclose = (event) => {
            for (const { reject } of this.#waiting.values())
                reject(new Error(event.reason || "the server closed the connection"));
            this.#waiting.clear();
        };
    }

    // sends a message; `fill` writes its fields
    ask(type, fill = () => {}) {
        const request = ++this.#last;
        const writer = new Writer().u16(type).u32(request);
        fill(writer);
        this.socket.send(Uint8Array.from(writer.bytes));
        return new Promise((resolve, reject) => this.#waiting.set(request, { resolve, reject }));
    }

    #receive(buffer) {
        const reader = new Reader(buffer);
        const type = reader.u16();
        const request = reader.u32();
        const waiting = this.#waiting.get(request);
        if (!waiting || !answers[type]) return; // a frame, or a message unknown to this client
        this.#waiting.delete(request);
        const answer = answers[type](reader);
        if (type === ERROR) waiting.reject(new Error(answer.text));
        else waiting.resolve(answer);
    }
}

// ---- an agent that walks ahead, turns when blocked, and counts what it collects ----

async function live(connection, welcome, steps) {
    const number = (name) => welcome.actions.findIndex((action) => action.name === name);
    const forward = number("MoveForward");
    const left = number("TurnLeft");
    const added = await connection.ask(ADD_AGENT, (w) => w.bool(false).position([0, 0]).u8(0).bool(false));
    const agent = added.agents[0].agent;

    const collected = new Map();
    let seen;
    for (let step = 0, action = forward; step < steps; step++) {
        const answer = await connection.ask(ACT, (w) =>
            w.agent(agent).u32(action).bool(true).u8(WANT_VISION | WANT_SCENT));
        seen = answer.observations[0];
        if (seen.collected >= 0) {
            const name = welcome.items[seen.collected].name;
            collected.set(name, (collected.get(name) ?? 0) + 1);
        }
        action = seen.outcome === 1 ? forward : left; // 1: done
    }
    await connection.ask(REMOVE_AGENT, (w) => w.agent(agent));
    return { seen, collected };
}

async function main([url, token, steps = "100"]) {
    if (!url || !token) throw new Error("usage: client.js URL TOKEN [STEPS]");
    const connection = await Connection.open(url);
    const welcome = await connection.ask(HELLO, (w) => w.u16(1).u16(1).text(token).text("client.js"));
    console.log(`${welcome.server}: seed ${welcome.seed}, time ${welcome.time}, ` +
        `items ${welcome.items.map((item) => item.name).join(" ")}`);
    const { seen, collected } = await live(connection, welcome, Number(steps));
    const bag = [...collected].map(([name, count]) => `${count} ${name}`).join(", ") || "nothing";
    console.log(`after ${steps} steps at (${seen.position.join(", ")}), saw ${seen.vision.length} numbers, collected ${bag}`);
    await connection.ask(GOODBYE);
}

main(process.argv.slice(2)).catch((error) => {
    console.error(error.message);
    process.exitCode = 1;
});
