// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// A world without agents takes no steps: tells so, and how to bring one.

import {$, say} from './dom.js';
import {host} from './host.js';
import {socketAddress} from './settings.js';

function program(address, hasTokens) {
    const start = hasTokens ? '' : '# jbw serve WORLD --tokens FILE\n';
    return `${start}url = "${address}"\nworld = jbw.connect(url, token="...")\nagent = world.add_agent()\nagent.act("MoveForward")`;
}

export class Waiting {
    constructor(app) {
        this.app = app;
        this.isWaiting = false; // for an agent that acts
        this.agents = null; // the latest list of all agents, {marks, count}
        $('waiting-play').querySelector('button').onclick = () => app.drive.addAgent();
    }

    /// Reads the list of all agents.
    read(marks, count) {
        this.agents = {marks, count};
        this.show();
    }

    /// Tells what is known; call this when the session knows more.
    show() {
        const {session, connection} = this.app;
        if (!this.agents) return;
        const {marks, count} = this.agents;
        const {shows} = session;
        const isEmpty = count === 0 && (shows === 'world' || shows === 'view');
        const isStill = shows === 'world' && count > 0 && marks.length === count && !marks.hasActive();
        this.isWaiting = shows === 'world' && (isEmpty || isStill);
        $('standing').hidden = !isStill;
        if (isStill) say($('standing'), `${count === 1 ? 'The agent is' : 'All agents are'} inactive: the world waits.`);
        $('waiting').hidden = !isEmpty;
        if (isEmpty) this.#explain(shows === 'world', connection.may('ACT'), session.hasTokens);
    }

    #explain(isServed, mayAct, hasTokens) {
        say($('waiting-title'), isServed ? 'This world waits for agents' : 'No agent is here yet');
        say($('waiting-text'), isServed ? 'It takes no steps until one acts.' : 'The program that shows this world adds them: world.add_agent().');
        $('waiting-how').hidden = !isServed || !host.isServer;
        $('waiting-play').hidden = !mayAct;
        const address = socketAddress().replace(/\/ws$/, '');
        if (isServed) say($('waiting-program'), program(address, hasTokens));
    }
}
