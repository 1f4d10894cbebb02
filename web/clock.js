// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The world's time and speed, from the frames of two subscriptions.

import {$, number, say, short} from './dom.js';

export class Clock {
    constructor() {
        this.time = 0;
        this.speed = 0; // steps per second
        this.newest = null; // the frame to show next, or null
        this.times = {near: 0, all: 0}; // the latest time of each subscription
    }

    reset(time) {
        this.time = time;
        this.times = {near: 0, all: 0};
    }

    /// Reads the time of a frame of one of the two subscriptions, 'near' or 'all'. The newer one
    /// counts. But if the time of one of them goes back, so did the world: a recording was rewound,
    /// or another world has taken its place. True if it went back.
    read(frame, source) {
        const isBack = frame.time < this.times[source];
        this.times[source] = frame.time;
        if (frame.time >= this.time || isBack) {
            this.time = frame.time;
            this.speed = frame.steps_per_second;
            this.newest = frame;
        }
        return isBack;
    }

    show(isPaused, isRecording, isWaiting) {
        say($('time'), number(this.time));
        say($('speed'), isPaused ? '–' : short(this.speed));
        $('link').dataset.state = isPaused ? 'paused' : isWaiting ? 'waiting' : 'live';
        say($('link-text'), isPaused ? 'paused' : isRecording ? 'recording' : isWaiting ? 'waiting' : 'live');
    }
}
