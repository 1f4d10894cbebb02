// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// What the server is busy or in trouble with.

import {$, dismiss, number, say, toast} from './dom.js';
import {host} from './host.js';

const HEALTH_MS = 5000; // between two looks at the server's health

/// Tells that the server has yet to generate patches that are in view: they stay hatched until then.
export function showMaking(count) {
    $('making').hidden = count === 0;
    if (count > 0) say($('making'), `making ${number(count)} ${count === 1 ? 'patch' : 'patches'}…`);
}

// what is wrong by the server's health: for each kind of trouble a sentence, or an empty one
function troubles(health) {
    return {
        save: health.save_failures > 0 ? `The world cannot be saved: ${health.save_error}. The server goes on, and tries again.` : '',
        record: health.record_error ? `The recording has ended: ${health.record_error}. The world goes on without it.` : '',
    };
}

/// Tells for as long as the server cannot save the world, or has lost its recording. `isConnected` says whether to
/// ask it.
export function watchHealth(isConnected) {
    if (!host.isServer) return;
    let shown = {save: '', record: ''};
    const look = async () => {
        let found;
        try {
            found = troubles(await host.askHealth());
        } catch {
            return; // lost just now, which is told elsewhere
        }
        for (const [key, text] of Object.entries(found)) {
            if (text === shown[key]) continue;
            if (text) toast(text, {kind: 'bad', key});
            else dismiss(key);
        }
        shown = found;
    };
    setInterval(() => !document.hidden && isConnected() && look(), HEALTH_MS);
}
