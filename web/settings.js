// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Parameters in the page's address, and settings that the browser remembers.

const STORAGE_KEY = 'jbw-page';

/// A parameter after the '#' of the address, such as #theme=dark, or null. That part of an address
/// is neither sent to the server nor written to its logs.
export function parameter(name) {
    return new URLSearchParams(location.hash.slice(1)).get(name);
}

/// The address of the WebSocket that belongs to this page.
export function socketAddress() {
    const url = new URL('ws', location.href);
    url.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';
    url.hash = url.search = '';
    return url.href;
}

/// A stored setting, or undefined.
export function setting(name) {
    try {
        return JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '{}')[name];
    } catch {
        return undefined; // the browser may refuse to store anything
    }
}

export function storeSetting(name, value) {
    try {
        const settings = JSON.parse(localStorage.getItem(STORAGE_KEY) ?? '{}');
        localStorage.setItem(STORAGE_KEY, JSON.stringify({...settings, [name]: value}));
    } catch {
        // the setting lasts as long as the page
    }
}
