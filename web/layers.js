// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The layers that can be shown over the map.

import {$, toast} from './dom.js';

export class Layers {
    constructor(app) {
        this.app = app;
        this.shown = {grid: false, trails: true, heat: false, sight: true, scent: false};
        $('layers-open').onclick = () => this.togglePanel();
        for (const box of document.querySelectorAll('[data-layer]'))
            box.onchange = () => this.set(box.dataset.layer, box.checked);
        $('scent-mode').onchange = () => this.#setScentMode();
        this.#setScentMode();
    }

    get isPanelOpen() {
        return !$('layers').hidden;
    }

    togglePanel() {
        const isOpen = this.isPanelOpen;
        $('layers').hidden = isOpen;
        $('layers-open').setAttribute('aria-expanded', String(!isOpen));
    }

    toggle(name) {
        this.set(name, !this.shown[name]);
    }

    set(name, isOn) {
        this.shown[name] = isOn;
        document.querySelector(`[data-layer="${name}"]`).checked = isOn;
        if (name === 'scent' && isOn && this.app.connection.welcome?.scent_dimensions === 0)
            toast('This world has no scent.');
        this.app.invalidate();
    }

    #setScentMode() {
        this.app.scent.mode = $('scent-mode').value;
        this.app.scent.lastAsked = 0;
    }
}
