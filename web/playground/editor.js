// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The window in which world files are typed or pasted.

import {$, make, say, toast} from '../dom.js';
import {WorldFiles} from './worldfile.js';

const CHECK_MS = 250; // after the last key

export class Editor {
    /// `onMake` gets a world in the form of the shipped ones, and resolves to whether it is there now.
    constructor(world, onMake) {
        this.world = world;
        this.onMake = onMake;
        this.text = $('worldfile-text');
        this.text.oninput = () => {
            clearTimeout(this.timer);
            this.timer = setTimeout(() => this.#check(), CHECK_MS);
        };
        $('worldfile-use').onclick = () => this.#use();
    }

    /// Shows the file of a world by its name; null is the user's own.
    async open(name) {
        try {
            this.files ??= await WorldFiles.begin(() => globalThis.jbwStart.compile('worldfile.wasm'));
        } catch (error) {
            toast(`World files cannot be read: ${error.message}.`, {kind: 'bad'});
            return;
        }
        const {isJson} = this.files;
        if (isJson) say($('worldfile-hint'), 'This playground was built without a reader of YAML: world files have to be JSON here.');
        const known = name ? !isJson && this.files.shippedText(name) : this.world.own?.text;
        if (known) this.text.value = known;
        $('worldfile').showModal();
        this.text.focus();
        this.text.setSelectionRange(0, 0);
        this.text.scrollTop = 0;
        this.#check();
    }

    // shows what is wrong; true if nothing is
    #check() {
        clearTimeout(this.timer);
        const problems = this.files.check(this.text.value);
        this.text.setAttribute('aria-invalid', String(problems.length > 0));
        const entries = problems.map(problem => {
            const place = problem.line > 0 ? `${problem.line}:${problem.column}: ` : '';
            const entry = make('button', {type: 'button', textContent: place + problem.text});
            entry.onclick = () => this.#goTo(problem);
            return entry;
        });
        const good = make('span', {className: 'good', textContent: 'This is a valid world.'});
        $('worldfile-say').replaceChildren(...(entries.length > 0 ? entries : [good]));
        $('worldfile-say').dataset.text = this.text.value; // what it is about
        return problems.length === 0;
    }

    // columns count characters, not the halves of some that JavaScript counts
    #goTo({line, column}) {
        const lines = this.text.value.split('\n');
        const before = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0);
        const at = before + [...(lines[line - 1] ?? '')].slice(0, column - 1).join('').length;
        this.text.focus();
        this.text.setSelectionRange(at, at + 1);
        this.text.scrollTop = (line - 4) * this.text.scrollHeight / Math.max(1, lines.length);
    }

    async #use() {
        if (!this.#check()) {
            this.text.focus();
            return;
        }
        const made = {about: 'The world of your world file.', text: this.text.value, ...this.files.world()};
        if (await this.onMake(made)) $('worldfile').close();
        else $('worldfile-say').replaceChildren(make('span', {textContent: $('setup-say').textContent}));
    }
}
