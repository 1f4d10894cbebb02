// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// What the server is busy or in trouble with.

import {$, dismiss, number, say, toast} from './dom.js';

const HEALTH_MS = 5000; // between two looks at the server's health

/// Tells that the server has yet to generate patches that are in view: they stay hatched until then.
export function showMaking(count) {
    $('making').hidden = count === 0;
    if (count > 0) say($('making'), `making ${number(count)} ${count === 1 ? 'patch' : 'patches'}…`);
}

/// Tells for as long as the server cannot save the world. `isConnected` says whether to ask it.
export function watchHealth(isConnected) {
    let shown = '';
    const look = async () => {
        let error = shown;
        try {
            const health = await (await fetch('healthz')).json();
            error = health.save_failures > 0 ? health.save_error : '';
        } catch {
            // lost just now, which is told elsewhere
        }
        if (error !== shown) {
            shown = error;
            dismiss('save');
            if (error) toast(`The world cannot be saved: ${error}. The server goes on, and tries again.`, {kind: 'bad', key: 'save'});
        }
    };
    setInterval(() => !document.hidden && isConnected() && look(), HEALTH_MS);
}
