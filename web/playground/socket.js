// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// A connection to the world in the Worker, in the shape of a WebSocket.

let latest = 0;

export class WorkerSocket {
    constructor(worker) {
        this.worker = worker;
        this.number = ++latest;
        this.readyState = WebSocket.CONNECTING;
        this.onopen = this.onmessage = this.onclose = this.onerror = () => {};
        this.listen = ({data}) => this.#take(data);
        worker.addEventListener('message', this.listen);
        worker.postMessage({type: 'connect', connection: this.number});
    }

    #take({type, connection, bytes, isFinal}) {
        if (connection !== this.number) return;
        if (type === 'connected') {
            this.readyState = WebSocket.OPEN;
            this.onopen();
        } else if (type === 'message') {
            this.onmessage({data: bytes});
            if (isFinal) this.close();
        }
    }

    send(bytes) {
        this.worker.postMessage({type: 'message', connection: this.number, bytes});
    }

    close() {
        if (this.readyState === WebSocket.CLOSED) return;
        this.readyState = WebSocket.CLOSED;
        this.worker.removeEventListener('message', this.listen);
        this.onclose();
    }
}
