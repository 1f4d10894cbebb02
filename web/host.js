// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// What is behind the page: here, the server that it came from. In the playground, where the world runs
// in the page itself, playground/host.js takes the place of this file.

import {parameter, socketAddress} from './settings.js';

async function askHealth() {
    return (await fetch('healthz')).json();
}

export const host = {
    isServer: true,
    token: parameter('token') ?? '',

    /// A new connection: a WebSocket, or something of its shape.
    openSocket: () => new WebSocket(socketAddress(), 'jbw'),

    /// What the server is in trouble with; see notices.js.
    askHealth,

    /// What is shown: a 'world' of the server's own, a 'view' of a program's world, or a 'recording'; and whether the
    /// server knows any tokens.
    async askWhatIsShown() {
        try {
            const {shows, tokens} = await askHealth();
            return {shows, tokens};
        } catch {
            return {shows: 'world', tokens: true}; // lost just now
        }
    },

    /// The reward that agents live for; empty if there is none.
    async askReward() {
        const answer = await fetch('reward');
        return answer.ok ? (await answer.text()).trim() : '';
    },

    /// Differs between worlds that the page may show one after the other.
    world: '',

    /// Resolves when the page can be made.
    begin: async () => {},

    /// Called once, when all parts of the page are there.
    start() {},

    /// Called whenever the page has dealt with what has arrived, and drawn it.
    drawn() {},
};
