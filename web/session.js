// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The user's side of the connection: its status, tokens and permissions, and explanations of what
// went wrong.

import {Refusal} from './connection.js';
import {$, say, speak, toast} from './dom.js';
import {host} from './host.js';

const NEEDED_FOR = {CONTROL: 'pause, step or change the rate', EDIT: 'place or remove items', ACT: 'have agents'};

export class Session {
    /// `onWelcome` is called with each welcome, `onKnown` when `shows` and `hasTokens` are known soon
    /// after it, `onLost` when the connection breaks.
    constructor(connection, {onWelcome, onKnown, onLost}) {
        this.connection = connection;
        this.onLost = onLost;
        this.shows = null;
        this.hasTokens = true;
        connection.addEventListener('open', ({detail}) => {
            onWelcome(detail);
            host.askWhatIsShown().then(({shows, tokens}) => {
                Object.assign(this, {shows, hasTokens: tokens});
                if (connection.welcome) onKnown(connection.welcome);
            });
        });
        connection.addEventListener('lost', ({detail}) => this.#lose(detail.wasOpen));
        connection.addEventListener('refused', ({detail}) => this.#refuse(detail));
        $('token-open').onclick = () => this.#askForToken();
        $('token').addEventListener('close', () => {
            if ($('token').returnValue !== 'ok') return;
            connection.reopen($('token-text').value.trim());
            $('token-text').value = '';
        });
    }

    #lose(wasOpen) {
        this.onLost();
        $('link').dataset.state = 'lost';
        say($('link-text'), 'reconnecting');
        if (!wasOpen) return;
        toast('Connection lost. Reconnecting…', {kind: 'warn', key: 'lost'});
        speak('connection lost');
    }

    #refuse(refusal) {
        if (refusal.code !== 'BAD_TOKEN') {
            this.explain(refusal);
            return;
        }
        toast('Unknown token: you can only watch.', {kind: 'bad', key: 'token', action: this.#enterToken('Enter another')});
        this.connection.reopen('');
    }

    #enterToken(name) {
        return {name, run: () => this.#askForToken()};
    }

    #askForToken() {
        $('token').returnValue = '';
        $('token').showModal();
        $('token-text').focus();
    }

    /// Sends a request that needs a permission. False, with an explanation, if it is refused.
    async request(permission, name, fields) {
        try {
            if (this.connection.welcome && !this.connection.may(permission)) {
                this.#explainPermission(permission);
                return false;
            }
            await this.connection.ask(name, fields);
            return true;
        } catch (error) {
            this.explain(error);
            return false;
        }
    }

    /// Why the user may not do something; empty if they may.
    whyNot(permission) {
        const need = NEEDED_FOR[permission] ?? 'do that';
        if (this.connection.may(permission)) return '';
        if (this.shows === 'view') return `You are watching: only the program that shows this world can ${need}.`;
        if (this.shows === 'recording') return `You are watching a recording: nobody can ${need}.`;
        if (!this.hasTokens) return `You are watching: to ${need}, the server has to be started with --tokens.`;
        return `You are watching: ${this.connection.token ? 'your token does not permit you' : 'you need a token'} to ${need}.`;
    }

    /// The same about time, in a few words; empty if the user may pause and step.
    hint() {
        if (this.connection.may('CONTROL')) return '';
        if (this.shows === 'view') return 'Only its program can pause or step this world.';
        if (!this.hasTokens) return 'Pausing and stepping need a server with --tokens.';
        return this.connection.token ? 'Your token does not permit pausing or stepping.' : 'Pausing and stepping need a token.';
    }

    #explainPermission(permission) {
        const action = this.shows !== 'view' && this.hasTokens ? this.#enterToken('Enter a token') : null;
        toast(this.whyNot(permission), {kind: 'warn', action});
    }

    /// Tells the user what went wrong.
    explain(error) {
        if (error instanceof Refusal && error.code === 'NOT_PERMITTED') this.#explainPermission('');
        else if (error instanceof Refusal) toast(`${host.isServer ? 'The server says' : 'Not possible'}: ${error.message}.`.replace(/\.\.$/, '.'), {kind: 'warn'});
        else if (this.connection.welcome) toast(`Request failed: ${error.message}.`, {kind: 'bad'});
    }
}
