// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Driving one of your own agents with the keyboard, or with the buttons that appear meanwhile.

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
        for (const button of this.#buttons) button.onclick = () => this.press({key: button.dataset.key});
    }

    get #buttons() {
        return $('pad').querySelectorAll('[data-key]');
    }

    // the action of a key in this world, or -1
    #actionOf(key) {
        const {actions} = this.app.connection.welcome;
        const found = KEYS[key].map(kind => actions.findIndex(action => action.kind === kind)).filter(action => action >= 0);
        return found[0] ?? -1;
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
        $('pad').hidden = !isOn;
        document.body.classList.toggle('is-driving', isOn);
        if (!isOn) return;
        for (const button of this.#buttons) button.hidden = this.#actionOf(button.dataset.key) < 0;
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
        const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
        if (!Object.hasOwn(KEYS, key) || !this.app.connection.welcome) return false;
        const action = this.#actionOf(key);
        if (action < 0) toast('This world has no such action.');
        else this.app.request('ACT', 'act', {agent: this.app.selected, action, waits: false});
        return true;
    }
}
