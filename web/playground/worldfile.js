// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// World files: the module that reads them, which is loaded when it is first needed.

import {Memory, Problem} from './memory.js';

export class WorldFiles {
    /// `compile` resolves to the compiled module.
    static async begin(compile) {
        const files = new WorldFiles();
        files.memory = await Memory.begin(await compile());
        return files;
    }

    /// Whether files have to be JSON: the parser of YAML was not there when the playground was made.
    get isJson() {
        return Boolean(this.memory.exports.is_json());
    }

    /// The text of a shipped world; empty if there is none of this name.
    shippedText(name) {
        const at = this.memory.lend([name], text => this.memory.exports.shipped_text(text.at));
        return at === 0 ? '' : this.memory.text(at);
    }

    /// What is wrong with a text, as `jbw check` says it: a list of {line, column, text}, empty for a good one.
    check(text) {
        const {read, report} = this.memory.exports;
        const status = this.memory.lend([text], ({at, size}) => read(at, size - 1));
        if (status === 0) return [];
        return this.memory.text(report()).split('\n').filter(Boolean).map(entry => {
            const [line, column, ...rest] = entry.split('\t');
            return {line: Number(line), column: Number(column), text: rest.join('\t')};
        });
    }

    /// The world of the last good text, in the form of the shipped ones.
    world() {
        const {exports} = this.memory;
        const items = [];
        for (let at; (at = exports.item_name(items.length)) !== 0;) items.push(this.memory.text(at));
        const bytes = isInvariant => {
            const size = exports.encode(isInvariant);
            if (size === 0) throw new Problem('out of memory');
            return new Uint8Array(this.memory.copy(exports.encoded_bytes(), size));
        };
        return {items, isInvariant: Boolean(exports.is_invariant()), frontier: bytes(false), invariant: bytes(true)};
    }
}
