// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The user's side of the connection: its status, tokens and permissions, and explanations of what
// went wrong.

import {Refusal} from './connection.js';
import {$, say, speak, toast} from './dom.js';

const NEEDED_FOR = {CONTROL: 'pause, step or change the rate', EDIT: 'place or remove items', ACT: 'have agents'};

export class Session {
    /// `onWelcome` is called with each welcome, `onLost` when the connection breaks.
    constructor(connection, onWelcome, onLost) {
        this.connection = connection;
        this.onLost = onLost;
        connection.addEventListener('open', ({detail}) => onWelcome(detail));
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

    #explainPermission(permission) {
        const why = this.connection.token ? 'your token does not permit you' : 'you need a token';
        toast(`You are watching: ${why} to ${NEEDED_FOR[permission] ?? 'do that'}.`,
            {kind: 'warn', action: this.#enterToken('Enter a token')});
    }

    /// Tells the user what went wrong.
    explain(error) {
        if (error instanceof Refusal && error.code === 'NOT_PERMITTED') this.#explainPermission('');
        else if (error instanceof Refusal) toast(`The server says: ${error.message}.`.replace(/\.\.$/, '.'), {kind: 'warn'});
        else if (this.connection.welcome) toast(`Request failed: ${error.message}.`, {kind: 'bad'});
    }
}
