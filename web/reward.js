// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The reward language of docs/rewards.md, as far as the page needs it: compiles a text to the
// reward of each item, each action and each exploring step at a given time.

/// A syntax error in a reward; `at` is its position, from 0.
export class RewardError extends Error {
    constructor(text, at) {
        super(text);
        this.at = at;
    }
}

// --- parsing ---

const TOKEN = /\s*(?:([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)|([\p{L}_][\p{L}\p{N}_.-]*)|([[\](),&∧]))/uy;
const DEEPEST = 64;

class Parser {
    constructor(text, items) {
        this.text = text;
        this.items = items; // names by type
        this.depth = 0;
        TOKEN.lastIndex = 0;
        this.next();
    }

    next() {
        const from = TOKEN.lastIndex;
        const found = TOKEN.exec(this.text);
        this.at = found ? TOKEN.lastIndex - found[0].trimStart().length : from;
        if (!found && this.text.slice(from).trim() !== '') {
            this.at = from + this.text.slice(from).search(/\S/);
            this.fail(`unexpected “${this.text[this.at]}”`);
        }
        this.number = found?.[1];
        this.name = found?.[2];
        this.mark = found?.[3]?.replace('∧', '&');
        this.isEnd = !found;
    }

    fail(text, at = this.at) {
        throw new RewardError(text, at);
    }

    expect(mark) {
        if (this.mark !== mark) this.fail(`expected “${mark}”`);
        this.next();
    }

    has(mark) {
        if (this.mark !== mark) return false;
        this.next();
        return true;
    }

    value(what) {
        if (this.number === undefined) this.fail(`expected ${what}`);
        const value = Number(this.number);
        if (Math.abs(value) > 1e9) this.fail('too large');
        this.next();
        return value;
    }

    // a number, or one that changes with time: a function of the time
    amount() {
        const {name, at} = this;
        if (name === undefined) {
            const value = this.value('a number');
            return () => value;
        }
        const read = Object.hasOwn(changing, name) ? changing[name] : this.fail(`there is no function of time ${name}: ${Object.keys(changing).join(', ')}`, at);
        this.next();
        return this.inside(() => read(this));
    }

    whole(what, least, most) {
        const {at, number} = this;
        if (number === undefined) this.fail(`expected ${what}`);
        const value = Number(number);
        if (!Number.isInteger(value) || value < least || value > most) this.fail(`${what} must be an integer of at least ${least}`, at);
        this.next();
        // exactly as written: integers of the language can be larger than those of JavaScript
        return /^\+?\d+$/.test(number) ? BigInt(number) : BigInt(value);
    }

    steps() {
        return this.whole('a number of steps', 1, 2 ** 62);
    }

    item() {
        const {name, at} = this;
        const type = this.items.indexOf(name);
        if (name === undefined) this.fail('expected the name of an item');
        if (type < 0) this.fail(`there is no item ${name}: this world has ${this.items.join(', ')}`, at);
        this.next();
        return type;
    }

    sum() {
        const terms = [this.term()];
        while (this.has('&')) terms.push(this.term());
        return terms.length === 1 ? terms[0] : {kind: 'sum', terms};
    }

    term() {
        if (++this.depth > DEEPEST) this.fail('nested too deeply');
        let term;
        if (this.has('(')) {
            term = this.sum();
            this.expect(')');
        } else {
            const {name, at} = this;
            if (name === undefined) this.fail('expected a reward, such as Collect[JellyBean]');
            const read = Object.hasOwn(kinds, name) ? kinds[name] : this.fail(`there is no reward ${name}: ${Object.keys(kinds).join(', ')}`, at);
            this.next();
            term = read(this);
        }
        this.depth--;
        return term;
    }

    // (reward, steps), ...
    parts() {
        const parts = [];
        do {
            this.expect('(');
            const term = this.sum();
            this.expect(',');
            parts.push({term, steps: this.steps()});
            this.expect(')');
        } while (this.has(','));
        return parts;
    }

    inside(read) {
        this.expect('[');
        const result = read();
        this.expect(']');
        return result;
    }
}

const one = () => 1;
const valueAfter = p => p.has(',') ? p.amount() : one;
const optional = (p, kind) => ({kind, pays: p.mark === '[' ? p.inside(() => p.amount()) : one});
const list = p => {
    const terms = [p.sum()];
    while (p.has(',')) terms.push(p.sum());
    return terms;
};

const kinds = {
    Collect: p => p.inside(() => ({kind: 'collect', item: p.item(), pays: valueAfter(p)})),
    Avoid: p => p.inside(() => {
        const item = p.item();
        const pays = valueAfter(p);
        return {kind: 'collect', item, pays: time => -pays(time)};
    }),
    Action: p => optional(p, 'action'),
    Explore: p => optional(p, 'explore'),
    Zero: () => ({kind: 'sum', terms: []}),
    Combined: p => p.inside(() => ({kind: 'sum', terms: list(p)})),
    Fixed: p => p.inside(() => p.sum()),
    Team: p => p.inside(() => p.sum()), // pages show what an agent earns by itself
    Scaled: p => p.inside(() => {
        const term = p.sum();
        p.expect(',');
        return {kind: 'scaled', term, by: p.amount()};
    }),
    Curriculum: p => p.inside(() => ({kind: 'turns', parts: p.parts(), isCycle: false})),
    Cyclical: p => p.inside(() => ({kind: 'turns', parts: p.parts(), isCycle: true})),
    Gradual: p => p.inside(() => {
        const from = p.sum();
        p.expect(',');
        const to = p.sum();
        p.expect(',');
        return {kind: 'gradual', from, to, steps: p.steps()};
    }),
    Random: p => p.inside(() => {
        const steps = p.steps();
        p.expect(',');
        const seed = p.whole('a seed', 0, 2 ** 63);
        p.expect(',');
        return {kind: 'random', steps, seed, terms: list(p)};
    }),
};

// --- the reward at a time ---

const MASK = (1n << 64n) - 1n;

function mix(word) {
    let z = word & MASK;
    z = (z ^ z >> 30n) * 0xbf58476d1ce4e5b9n & MASK;
    z = (z ^ z >> 27n) * 0x94d049bb133111ebn & MASK;
    return z ^ z >> 31n;
}

const absorb = (name, word) => mix((name ^ word) + 0x9e3779b97f4a7c15n);

// a stream of random words, bit for bit as in docs/rewards.md
function stream(seed, block, purpose) {
    const both = absorb(absorb(0n, seed), block);
    const name = absorb(absorb(absorb(absorb(0n, both), 0n), 0n), purpose);
    return {name, step: absorb(name, 1n) | 1n};
}

function draw(seed, block, alternatives) {
    const {name, step} = stream(seed, block, 4n);
    const count = BigInt(alternatives);
    for (let i = 1n; ; i++) {
        const product = (mix(name + i * step) >> 32n) * count;
        if ((product & 0xffffffffn) >= (1n << 32n) % count) return Number(product >> 32n);
    }
}

// --- numbers that change ---

const between = (low, high, weight) => low * (1 - weight) + high * weight;
const phase = (time, period) => Number(time % period) / Number(period);

function knot(seed, index) {
    const {name, step} = stream(seed, index, 8n);
    return Number(mix(name + step) >> 11n) * 2 ** -53;
}

// steps, low, high
function range(p) {
    const steps = p.steps();
    p.expect(',');
    const low = p.value('a number');
    p.expect(',');
    return {steps, low, high: p.value('a number')};
}

function stages(p) {
    const values = [];
    do {
        p.expect('(');
        const {at} = p;
        const begin = p.whole('a time', 0, 2 ** 62);
        if (values.length === 0 && begin !== 0n) p.fail('the first time must be 0', at);
        if (values.length > 0 && begin <= values.at(-1).begin) p.fail('expected a later time than before', at);
        p.expect(',');
        values.push({begin, value: p.value('a number')});
        p.expect(')');
    } while (p.has(','));
    return values;
}

const changing = {
    Wave: p => {
        const {steps, low, high} = range(p);
        return time => between(low, high, 0.5 + 0.5 * Math.sin(2 * Math.PI * phase(time, steps)));
    },
    Square: p => {
        const {steps, low, high} = range(p);
        return time => 2n * (time % steps) < steps ? low : high;
    },
    Steps: p => {
        const values = stages(p);
        return time => values.findLast(stage => stage.begin <= time).value;
    },
    Drift: p => {
        const seed = p.whole('a seed', 0, 2 ** 63);
        p.expect(',');
        const {steps, low, high} = range(p);
        return time => {
            const u = phase(time, steps);
            const index = time / steps;
            const weight = u * u * (3 - 2 * u);
            return between(low, high, between(knot(seed, index), knot(seed, index + 1n & MASK), weight));
        };
    },
};

function turnAt(parts, isCycle, time) {
    const total = parts.reduce((sum, part) => sum + part.steps, 0n);
    let left = isCycle ? time % total : time;
    for (const part of parts) {
        if (left < part.steps) return part.term;
        left -= part.steps;
    }
    return parts.at(-1).term;
}

function add(term, time, scale, out) {
    switch (term.kind) {
    case 'collect': out.items[term.item] += scale * term.pays(time); break;
    case 'action': out.action += scale * term.pays(time); break;
    case 'explore': out.explore += scale * term.pays(time); break;
    case 'sum': for (const part of term.terms) add(part, time, scale, out); break;
    case 'scaled': add(term.term, time, scale * term.by(time), out); break;
    case 'turns': add(turnAt(term.parts, term.isCycle, time), time, scale, out); break;
    case 'random': add(term.terms[draw(term.seed, time / term.steps, term.terms.length)], time, scale, out); break;
    case 'gradual': {
        const weight = time >= term.steps ? 1 : Number(time) / Number(term.steps);
        add(term.from, time, scale * (1 - weight), out);
        add(term.to, time, scale * weight, out);
        break;
    }
    }
}

/// A compiled reward. The constructor throws a RewardError.
export class Reward {
    constructor(text, items) {
        const parser = new Parser(text, items);
        this.text = text;
        this.itemCount = items.length;
        this.term = parser.sum();
        if (!parser.isEnd) parser.fail('expected “&” or the end');
    }

    /// The rewards of the step that starts at `time`: {items: by type, action, explore}.
    at(time) {
        const out = {items: new Array(this.itemCount).fill(0), action: 0, explore: 0};
        add(this.term, BigInt(time), 1, out);
        return out;
    }
}

/// A reward that suits a world with these items.
export function guessReward(itemNames) {
    const find = pattern => itemNames.find(name => pattern.test(name));
    const onion = find(/onion/i);
    return `Collect[${find(/bean/i) ?? itemNames[0]}]${onion ? ` & Avoid[${onion}]` : ''}`;
}
