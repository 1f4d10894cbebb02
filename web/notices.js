// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// What the server is busy or in trouble with.

import {$, number, say} from './dom.js';

/// Tells that the server has yet to generate patches that are in view: they stay hatched until then.
export function showMaking(count) {
    $('making').hidden = count === 0;
    if (count > 0) say($('making'), `making ${number(count)} ${count === 1 ? 'patch' : 'patches'}…`);
}
