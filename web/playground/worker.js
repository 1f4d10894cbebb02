// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The Worker in which the world lives. The page sends {type, ...}:
//
//     open, load, life, save, like   with a number, which the reply repeats; the first three with the module
//                              that they need, {kind, module}
//     connect                  a new connection, by its number
//     message                  bytes as in docs/protocol.md, to the world
//     hidden                   whether the page is hidden
//     drawn                    a frame is on the screen; `isFollowing` says whether the camera follows an agent
//
// and gets {type: 'running'} first, then {type: 'reply'}, {type: 'message'} with the number of the connection, and {type: 'dead'} if the
// module failed.

import {Engine} from './engine.js';
import {Problem} from './memory.js';

const SLICE = 8; // milliseconds of work, then messages get their turn
const PATIENCE = 2000; // milliseconds to wait for a page that is busy

let engine = null;
let kind = ''; // of the engine's module
let isReady = false; // there is a world
let connection = 0;
let early = 0; // a connection that came before the first world
let isFollowing = false;
let isHidden = false; // the page, which draws nothing then
let isHeld = false; // until the page has drawn what it was sent
let timer = 0;
let wait = 0;

// a turn soon, but after messages that have arrived
const soon = new MessageChannel();
let isSoon = false;
soon.port1.onmessage = () => {
    isSoon = false;
    turn();
};

function turnSoon() {
    clearTimeout(timer);
    if (isSoon) return;
    isSoon = true;
    soon.port2.postMessage(0);
}

function go() {
    isHeld = false;
    clearTimeout(wait);
    turnSoon();
}

// While the camera follows an agent, the world waits for the page after each frame: else the agent would
// be somewhere else by the time the page has asked for the map around it.
function turn() {
    if (!engine || isHeld) return;
    const start = performance.now();
    const next = engine.run(start + SLICE, isFollowing && !isHidden);
    if (isFollowing && !isHidden && hasSentFrame) {
        hasSentFrame = false;
        isHeld = true;
        wait = setTimeout(go, PATIENCE);
        return;
    }
    const delay = next - performance.now();
    if (delay <= 0) turnSoon();
    else if (delay < Infinity) timer = setTimeout(turn, delay);
}

let hasSentFrame = false;
const FRAME = 137; // the type of a frame: its first two bytes

function send(bytes, isFinal) {
    if (new DataView(bytes).getUint16(0, true) === FRAME) hasSentFrame = true;
    postMessage({type: 'message', connection, bytes, isFinal}, [bytes]);
}

const tasks = {
    open: ({engine: wanted, ...world}) => begin(wanted, made => made.create(world)),
    load: ({engine: wanted, ...world}) => begin(wanted, made => made.load(world)),
    life: live,
    save: ({note}) => ({bytes: engine.save(note), time: engine.exports.time()}),
    like: () => engine.like(),
};

// the engine that there is, if it is of this kind, or a new one
function engineFor(wanted) {
    return engine && kind === wanted.kind ? engine : Engine.load(wanted.module, send);
}

// another world takes the place of this one; the page connects to it anew
async function begin(wanted, make) {
    const other = await engineFor(wanted);
    make(other);
    [engine, kind] = [other, wanted.kind];
    isReady = true;
    connection = 0;
    if (early) connect(early);
    return engine.describe();
}

// the same world, with other policies; if they need another engine, the world moves there, and the page connects anew
async function live({engine: wanted, ...life}) {
    const other = await engineFor(wanted);
    if (other !== engine) other.load({bytes: engine.save(engine.describe().note), ...life});
    other.setLife(life);
    if (other !== engine) connection = 0;
    [engine, kind] = [other, wanted.kind];
}

function connect(number) {
    early = 0;
    connection = number;
    engine.connect();
    postMessage({type: 'connected', connection});
}

async function carryOut({type, number, ...rest}) {
    if (type in tasks) {
        try {
            postMessage({type: 'reply', number, value: await tasks[type](rest)});
        } catch (error) {
            if (!(error instanceof Problem)) throw error;
            postMessage({type: 'reply', number, problem: {text: error.message, column: error.column}});
        }
    } else if (type === 'connect') {
        if (isReady) connect(rest.connection);
        else early = rest.connection;
    } else if (type === 'message') {
        if (rest.connection === connection) engine.receive(rest.bytes);
    } else if (type === 'hidden') {
        isHidden = rest.isHidden;
    } else if (type === 'drawn') {
        isFollowing = rest.isFollowing;
        if (isHeld) go();
        return;
    }
    go();
}

// one after the other, also while the module is loading
let last = Promise.resolve();
onmessage = ({data}) => {
    last = last.then(() => carryOut(data)).catch(error => postMessage({type: 'dead', text: error.message}));
};

postMessage({type: 'running'});
