// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Driving one of your own agents with the keyboard.

import {$, agentName, speak, toast} from './dom.js';

// the kinds of actions of each key; the first one that the world allows is used
const KEYS = {
    ArrowUp: [1], w: [1],
    ArrowDown: [2, 7], s: [2, 7],
    ArrowLeft: [5, 3], ArrowRight: [6, 4],
    a: [3, 5], d: [4, 6],
    e: [8], q: [9], x: [0],
};

export class Drive {
    constructor(app) {
        this.app = app;
        this.isOn = false;
        $('drive').onclick = () => this.set(!this.isOn);
        $('add-agent').onclick = () => this.addAgent();
    }

    setWorld() {
        const {connection} = this.app;
        $('mine').hidden = !connection.may('ACT');
        this.set(false);
    }

    async addAgent() {
        const {app} = this;
        const own = app.connection.welcome?.agents ?? [];
        // prefer an agent that already exists
        if (own.length > 0) {
            app.select(own[0].agent, true);
            this.set(true);
            return;
        }
        try {
            const {agents} = await app.connection.ask('add_agent');
            app.connection.welcome.agents.push(agents[0]);
            app.select(agents[0].agent, true);
            this.set(true);
        } catch (error) {
            app.explain(error);
        }
    }

    async set(isOn) {
        const {app} = this;
        if (isOn && (app.selected === null || !app.connection.may('ACT'))) return;
        this.isOn = isOn;
        $('drive').setAttribute('aria-pressed', String(isOn));
        $('drive').textContent = isOn ? 'Driving: Esc to stop' : 'Drive with the keyboard';
        if (!isOn) return;
        $('map').focus();
        app.navigation.setFollow(true);
        speak(`Driving ${agentName(app.selected)}`);
        toast('Driving: ↑ forward, ← → turn, ↓ back; Esc to stop.');
        await app.request('ACT', 'set_active', {agent: app.selected, is_active: true});
    }

    /// Handles a key. True if it was used.
    press(event) {
        if (!this.isOn) return false;
        if (event.key === 'Escape') {
            this.set(false);
            return true;
        }
        const kinds = KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
        if (!kinds) return false;
        const {actions} = this.app.connection.welcome;
        for (const kind of kinds) {
            const action = actions.findIndex(candidate => candidate.kind === kind);
            if (action < 0) continue;
            this.app.request('ACT', 'act', {agent: this.app.selected, action, waits: false});
            return true;
        }
        toast('This world has no such action.');
        return true;
    }
}
