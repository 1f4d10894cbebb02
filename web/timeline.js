// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// A recording's time: scrub, and jump to where something happened.

import {$, agentName, make, number, speak, toast} from './dom.js';

const MOST_MARKS = 200;
const PARTS = 100;
const NAMES = {1: 'collected', 2: 'stuck'};

export class Timeline {
    constructor(app) {
        this.app = app;
        this.isRecording = false;
        this.isScrubbing = false;
        this.wanted = null; // the newest place asked for while a jump is under way
        this.isSeeking = false;
        this.isMarking = false;
        const scrub = $('scrub');
        scrub.oninput = () => {
            this.isScrubbing = true;
            this.seek(Number(scrub.value));
        };
        scrub.onchange = () => { this.isScrubbing = false; };
        $('event-on').onclick = () => this.jump(1);
        $('event-back').onclick = () => this.jump(-1);
        $('event-kind').onchange = () => this.#mark();
    }

    async setWorld() {
        const {connection} = this.app;
        const timeline = await connection.ask('get_timeline').catch(() => null);
        this.isRecording = timeline !== null && timeline.is_recording;
        $('timeline').hidden = !this.isRecording;
        $('transport').classList.toggle('is-recording', this.isRecording);
        if (!this.isRecording) return;
        this.first = timeline.first_time;
        this.last = timeline.last_time;
        Object.assign($('scrub'), {min: this.first, max: this.last});
        document.title = `${timeline.name} · Jelly Bean World`;
        this.show(this.app.time);
        this.#mark();
    }

    show(time) {
        if (!this.isRecording || this.isScrubbing) return;
        $('scrub').value = time;
        $('scrub').setAttribute('aria-valuetext', `step ${number(time)} of ${number(this.last)}`);
    }

    /// Goes to a time. While one jump is under way only the newest wish is kept.
    async seek(time) {
        this.wanted = time;
        if (this.isSeeking) return;
        this.isSeeking = true;
        while (this.wanted !== null) {
            const next = this.wanted;
            this.wanted = null;
            if (!await this.app.request('CONTROL', 'seek', {time: next})) break;
        }
        this.isSeeking = false;
        this.app.afterJump();
    }

    get #kinds() {
        return Number($('event-kind').value);
    }

    // The chosen agent's events if there is one, else everybody's.
    #ask(from, to, most, isBackward = false) {
        return this.app.connection.ask('find_events', {
            from, to, kinds: this.#kinds, agent: this.app.chosen ?? 0, is_backward: isBackward, most,
        });
    }

    async jump(by) {
        if (!this.isRecording) return;
        const {time} = this.app;
        try {
            const {events} = by > 0 ? await this.#ask(time + 1, this.last, 1)
                : await this.#ask(this.first, Math.max(this.first, time - 1), 1, true);
            if (events.length === 0) {
                toast(by > 0 ? 'Nothing more of this kind happens.' : 'Nothing of this kind happened before.');
                return;
            }
            const [event] = events;
            await this.seek(event.time);
            const what = event.kind === 1 ? `collected ${this.app.connection.welcome.items[event.item].name}` : NAMES[event.kind];
            const text = `Step ${number(event.time)}: ${agentName(event.agent)} ${what}`;
            speak(text);
            toast(text);
            this.app.show(event);
        } catch (error) {
            this.app.explain(error);
        }
    }

    // thin lines below the rail
    async #mark() {
        if (this.isMarking) return;
        this.isMarking = true;
        const span = Math.max(1, this.last - this.first);
        // where there are many, one for each part of the rail is enough
        let {events} = await this.#ask(this.first, this.last, MOST_MARKS).catch(() => ({events: []}));
        if (events.length === MOST_MARKS) {
            const part = span / PARTS;
            const answers = await Promise.all(Array.from({length: PARTS}, (_, i) =>
                this.#ask(Math.ceil(this.first + i * part), Math.floor(this.first + (i + 1) * part), 1)
                    .catch(() => ({events: []}))));
            events = answers.flatMap(answer => answer.events);
        }
        $('event-marks').replaceChildren(...events.map(event => {
            const mark = make('i');
            mark.style.left = `${100 * (event.time - this.first) / span}%`;
            return mark;
        }));
        this.isMarking = false;
    }
}
