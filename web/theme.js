// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Light and dark: as in the address, as chosen before, or as the system prefers.

import {$} from './dom.js';
import {THEMES} from './palette.js';
import {parameter, setting, storeSetting} from './settings.js';

export function currentTheme() {
    return THEMES[document.documentElement.dataset.theme];
}

/// Sets the theme and calls `onChange` whenever it changes.
export function setUpTheme(onChange) {
    const system = matchMedia('(prefers-color-scheme: dark)');
    const systemTheme = () => system.matches ? 'dark' : 'light';
    const set = theme => {
        document.documentElement.dataset.theme = theme;
        onChange();
    };
    const wanted = parameter('theme') ?? setting('theme');
    set(wanted in THEMES ? wanted : systemTheme());
    system.addEventListener('change', () => { if (!setting('theme')) set(systemTheme()); });
    $('theme').onclick = () => {
        const theme = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
        storeSetting('theme', theme);
        set(theme);
    };
}
