// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// What is behind the page in the playground: a Worker in which the world lives. This file takes the place of
// web/host.js.

import {toast} from './dom.js';
import {World} from './playground/world.js';
import {Panel} from './playground/panel.js';
import {WorkerSocket} from './playground/socket.js';

const world = new World();

const BEGIN_MS = 300; // after which the page no longer waits for the world to begin

export const host = {
    isServer: false,
    token: 'playground', // any token is that of the one user
    openSocket: () => new WorkerSocket(world.worker),
    askHealth: async () => ({}),
    askWhatIsShown: async () => ({shows: 'world', tokens: true}),
    askReward: async () => world.settings.reward ?? '',

    /// Asks for the world before the page is made: the browser cannot start the Worker while the page waits for WebGL.
    begin: () => Promise.race([
        world.begin(location.hash).catch(() => {}), // the panel will tell
        new Promise(resolve => setTimeout(resolve, BEGIN_MS)),
    ]),

    /// Changes whenever another world takes the place of this one.
    get world() {
        return world.number;
    },

    start(app) {
        const panel = new Panel(app, world);
        const tell = () => world.worker.postMessage({type: 'hidden', isHidden: document.hidden});
        document.addEventListener('visibilitychange', tell);
        tell();
        world.onDead = text => toast(`The world has stopped: ${text}. Reload the page to begin again.`, {kind: 'bad', key: 'dead'});
        panel.start().catch(error => toast(`The world cannot begin: ${error.message}.`, {kind: 'bad', key: 'dead'}));
    },

    /// A frame has been drawn.
    drawn(app) {
        world.worker.postMessage({type: 'drawn', isFollowing: app.navigation.isFollowing});
    },
};
