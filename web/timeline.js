// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The timeline of a recording: scrubbing, and jumping to events.

import {$, agentName, make, number, speak, toast} from './dom.js';

const MOST_MARKS = 200; // shown individually
const PARTS = 100; // of the timeline, if there are more
const NAMES = {1: 'collected', 2: 'stuck'};

export class Timeline {
    constructor(app) {
        this.app = app;
        this.isRecording = false;
        this.isScrubbing = false;
        this.wanted = null; // the latest time requested while a jump is in progress
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

    /// Jumps to a time. While one jump is in progress, only the latest request is kept.
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

    // the events of the selected agent, or of all agents
    #ask(from, to, most, isBackward = false) {
        return this.app.connection.ask('find_events', {
            from, to, kinds: this.#kinds, agent: this.app.selected ?? 0, is_backward: isBackward, most,
        });
    }

    async jump(by) {
        if (!this.isRecording) return;
        const {time} = this.app;
        try {
            const {events} = by > 0 ? await this.#ask(time + 1, this.last, 1)
                : await this.#ask(this.first, Math.max(this.first, time - 1), 1, true);
            if (events.length === 0) {
                toast(by > 0 ? 'There are no later events of this kind.' : 'There are no earlier events of this kind.');
                return;
            }
            const [event] = events;
            await this.seek(event.time);
            const what = event.kind === 1 ? `collected ${this.app.connection.welcome.items[event.item].name}` : NAMES[event.kind];
            const text = `Step ${number(event.time)}: ${agentName(event.agent)} ${what}`;
            speak(text);
            toast(text);
            this.app.select(event.agent, true);
        } catch (error) {
            this.app.explain(error);
        }
    }

    // thin lines below the slider
    async #mark() {
        if (this.isMarking) return;
        this.isMarking = true;
        const span = Math.max(1, this.last - this.first);
        // if there are many, one mark per part of the timeline is enough
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
