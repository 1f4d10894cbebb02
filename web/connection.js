// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The connection to the server: says hello, matches answers with requests, dispatches frames, and
// reconnects by itself.

import {decode, encode, isFrame} from './codec.js';
import {errors, flags, version} from './messages.js';
import {measured} from './stats.js';

const FIRST_DELAY = 250; // milliseconds until the first attempt to reconnect; doubles up to the last
const LAST_DELAY = 4000;
const DEAD_AFTER = 10000; // milliseconds without a message
const INBOX_MOST = 64; // frames waiting to be processed, such as while the page is hidden

/// The server's refusal of a request; `code` is the name of the error, such as NOT_PERMITTED.
export class Refusal extends Error {
    constructor(fields) {
        super(fields.text);
        this.code = errors[fields.code] ?? 'FAILED';
        this.isFinal = fields.is_final;
    }
}

export class Connection extends EventTarget {
    /// `openSocket` makes a WebSocket, or something of its shape.
    constructor(openSocket, token) {
        super();
        this.openSocket = openSocket;
        this.token = token;
        this.welcome = null; // the server's welcome, while connected
        this.socket = null;
        this.nextRequest = 1;
        this.pending = new Map(); // request -> {resolve, reject}
        this.frames = new Map(); // request of a subscription -> function
        this.inbox = []; // frames waiting to be processed
        this.delay = FIRST_DELAY;
        this.bytes = 0;
        this.timer = 0;
        this.lastHeard = 0;
        setInterval(() => this.#checkAlive(), 2500);
    }

    open() {
        clearTimeout(this.timer);
        const socket = this.openSocket();
        socket.binaryType = 'arraybuffer';
        this.socket = socket;
        socket.onopen = () => this.#sayHello(socket);
        socket.onmessage = event => this.#take(event.data);
        socket.onclose = () => this.#lose(socket);
        socket.onerror = () => {}; // onclose follows
    }

    /// Reconnects with another token.
    reopen(token) {
        this.token = token;
        this.delay = FIRST_DELAY;
        const old = this.socket;
        this.socket = null;
        this.#forget();
        old?.close();
        this.open();
    }

    may(permission) {
        return this.welcome !== null &&
            (this.welcome.permissions & flags[`PERMISSION_${permission}`]) !== 0;
    }

    /// Sends a request. The promise resolves to the fields of the answer, or rejects with a
    /// Refusal.
    ask(name, fields) {
        if (!this.socket || this.socket.readyState !== WebSocket.OPEN)
            return Promise.reject(new Error('not connected'));
        const request = this.nextRequest++;
        const answer = new Promise((resolve, reject) => {
            this.pending.set(request, {resolve, reject});
        });
        answer.request = request;
        this.socket.send(encode(name, request, fields));
        return answer;
    }

    /// Subscribes to frames, which are passed to `onFrame`. Returns the number of the subscription.
    subscribe(fields, onFrame, onRefused = () => {}) {
        const answer = this.ask('subscribe', fields);
        answer.catch(error => {
            this.frames.delete(answer.request);
            onRefused(error);
        });
        if (answer.request) this.frames.set(answer.request, onFrame);
        return answer.request ?? 0;
    }

    unsubscribe(subscription) {
        if (!this.frames.delete(subscription)) return;
        this.ask('unsubscribe', {subscription}).catch(() => {});
    }

    #sayHello(socket) {
        if (socket !== this.socket) return;
        this.lastHeard = performance.now();
        this.ask('hello', {
            version_least: version,
            version_most: version,
            token: this.token,
            client: 'jbw page',
        }).then(welcome => {
            this.welcome = welcome;
            this.delay = FIRST_DELAY;
            this.dispatchEvent(new CustomEvent('open', {detail: welcome}));
        }, error => {
            if (error instanceof Refusal)
                this.dispatchEvent(new CustomEvent('refused', {detail: error}));
        });
    }

    // answers are processed at once, frames when there is time, however many arrive together
    #take(data) {
        this.bytes += data.byteLength;
        this.lastHeard = performance.now();
        if (isFrame(data)) this.inbox.push(data);
        else measured('messages', () => this.#receive(data));
        if (this.inbox.length > INBOX_MOST) measured('messages', () => this.#receive(this.inbox.shift()));
    }

    /// Processes waiting frames for some milliseconds; at least one.
    deliver(budget) {
        const end = performance.now() + budget;
        while (this.inbox.length > 0) {
            this.#receive(this.inbox.shift());
            if (performance.now() > end) return;
        }
    }

    #receive(data) {
        const {name, request, fields} = decode(data);
        if (name === 'frame' || name === 'scene') {
            this.frames.get(request)?.(fields, request);
            return;
        }
        const waiting = this.pending.get(request);
        this.pending.delete(request);
        if (name === 'error') {
            const refusal = new Refusal(fields);
            if (waiting) waiting.reject(refusal);
            else this.dispatchEvent(new CustomEvent('refused', {detail: refusal}));
        } else {
            waiting?.resolve(fields);
        }
    }

    #forget() {
        for (const {reject} of this.pending.values()) reject(new Error('connection lost'));
        this.pending.clear();
        this.frames.clear();
        this.inbox.length = 0;
        this.welcome = null;
    }

    #lose(socket) {
        if (socket !== this.socket) return;
        this.socket = null;
        const wasOpen = this.welcome !== null;
        this.#forget();
        this.dispatchEvent(new CustomEvent('lost', {detail: {wasOpen, delay: this.delay}}));
        this.timer = setTimeout(() => this.open(), this.delay);
        this.delay = Math.min(2 * this.delay, LAST_DELAY);
    }

    // a server that vanished without closing the connection leaves a socket that looks open
    #checkAlive() {
        if (!this.welcome) return;
        const silence = performance.now() - this.lastHeard;
        if (silence > DEAD_AFTER) this.socket.close();
        else if (silence > 2000) this.ask('ping', {cookie: 0}).catch(() => {});
    }
}
