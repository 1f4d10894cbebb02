// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// What agents say: a bubble with the symbol beside each, which fades.

import {$, make} from './dom.js';

const FADE_MS = 1500;
const MOST = 64; // bubbles at a time
const LEAST_ZOOM = 4; // pixels of a cell; from farther away there are none

export class Bubbles {
    #shown = new Map(); // agent -> {element, x, y, fading}

    reset() {
        for (const {element} of this.#shown.values()) element.remove();
        this.#shown.clear();
    }

    /// Takes what agents of a frame have said: `said` has a symbol for each, or 0. Frames may show the same step twice.
    add(marks, said, time) {
        if (!said || time === this.time) return;
        this.time = time;
        for (let i = 0; i < marks.length; i++) if (said[i] > 0) this.#show(marks.agent(i), said[i], marks.x(i), marks.y(i));
    }

    #show(agent, symbol, x, y) {
        let bubble = this.#shown.get(agent);
        if (!bubble) {
            if (this.#shown.size >= MOST) return;
            bubble = {element: make('span', {className: 'bubble'})};
            $('bubbles').append(bubble.element);
            this.#shown.set(agent, bubble);
            bubble.fading = bubble.element.animate([{opacity: 1}, {opacity: 1, offset: 0.4}, {opacity: 0}], FADE_MS);
            bubble.fading.onfinish = () => {
                bubble.element.remove();
                if (this.#shown.get(agent) === bubble) this.#shown.delete(agent);
            };
        }
        bubble.fading.currentTime = 0;
        bubble.element.textContent = symbol;
        Object.assign(bubble, {x, y});
    }

    /// Moves the bubbles to where the camera sees their cells.
    place(camera) {
        if (this.#shown.size === 0) return;
        $('bubbles').hidden = camera.zoom < LEAST_ZOOM * devicePixelRatio;
        for (const {element, x, y} of this.#shown.values()) {
            const at = camera.toPixel(x + 0.85, y + 0.85);
            element.style.translate = `${at.x / devicePixelRatio}px ${at.y / devicePixelRatio}px`;
        }
    }
}
