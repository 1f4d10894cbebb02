// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Pause, step and rate. Everyone sees these controls; users without the permission are told why
// they cannot use them.

import {$, number, say} from './dom.js';

const DECADES = 5; // of the slider: 1 to 100,000 steps per second, then unlimited

const TITLES = {play: 'Pause or resume (space)', step: 'One step (.)', rate: 'Maximum steps per second'};

const toRate = value => value >= 100 ? 0 : 10 ** (value / 99 * DECADES);
const toValue = rate => rate <= 0 ? 100 : Math.max(0, Math.min(99, Math.log10(rate) / DECADES * 99));

function rateText(rate) {
    if (rate === 0) return 'unlimited';
    return rate < 10 ? `${rate.toFixed(1)} steps / s` : `${number(rate)} steps / s`;
}

export class Controls {
    constructor(app) {
        this.app = app;
        this.isPaused = false;
        this.rate = 0;
        this.isSliding = false;
        $('play').onclick = () => this.togglePause();
        $('step').onclick = () => this.step();
        const slider = $('rate');
        slider.oninput = () => {
            this.isSliding = true;
            say($('rate-text'), rateText(this.#rounded(slider.value)));
        };
        slider.onchange = () => {
            this.isSliding = false;
            this.setRate(this.#rounded(slider.value));
        };
    }

    // to two digits
    #rounded(value) {
        const rate = toRate(Number(value));
        return rate === 0 ? 0 : Number(rate.toPrecision(2));
    }

    setWorld(welcome) {
        const why = this.app.session.whyNot('CONTROL');
        for (const [id, title] of Object.entries(TITLES)) {
            $(id).setAttribute('aria-disabled', String(why !== ''));
            $(id).title = why || title;
        }
        say($('control-hint'), this.app.session.hint());
        $('control-hint').hidden = why === '';
        this.show(welcome.is_paused, welcome.rate);
    }

    /// Shows the state of the world.
    show(isPaused, rate) {
        const play = $('play');
        if (isPaused !== this.isPaused || !play.dataset.paused) {
            this.isPaused = isPaused;
            play.dataset.paused = String(isPaused);
            play.setAttribute('aria-label', isPaused ? 'Resume' : 'Pause');
        }
        if (!this.isSliding && rate !== this.rate || !this.wasShown) {
            this.wasShown = true;
            this.rate = rate;
            $('rate').value = toValue(rate);
            say($('rate-text'), rateText(rate));
            $('rate').setAttribute('aria-valuetext', rateText(rate));
        }
    }

    togglePause() {
        this.app.request('CONTROL', this.isPaused ? 'resume' : 'pause');
    }

    step() {
        const {app} = this;
        if (!this.isPaused) app.request('CONTROL', 'pause');
        app.request('CONTROL', 'step', {count: 1});
    }

    setRate(rate) {
        this.app.request('CONTROL', 'set_rate', {rate}).then(isDone => {
            if (!isDone) this.wasShown = false; // reset the slider
        });
    }

    /// One step slower (-1) or faster (1).
    nudge(by) {
        const value = Math.max(0, Math.min(100, Math.round(toValue(this.rate)) + 8 * by));
        this.setRate(this.#rounded(value));
    }
}
