// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Everything that makes a world, as the part of an address behind the '#':
//
//     #world=scent&seed=7&generation=invariant&agents=3&policy=random&reward=Collect[Onion]&rate=100
//
// Other parts of it, such as theme, x, y and zoom, belong to the page and are kept.

export const AGENTS_MOST = 256;
export const POLICIES = ['greedy', 'random', 'forward', 'oracle', 'ppo', 'drive'];
const SEED_MOST = 2n ** 64n - 1n;

/// A seed that was typed, as digits, or null if it is none.
export function parseSeed(text) {
    const digits = String(text ?? '').trim();
    return /^\d{1,20}$/.test(digits) && BigInt(digits) <= SEED_MOST ? String(BigInt(digits)) : null;
}

/// A number of agents that was typed, or null.
export function parseAgents(text) {
    const count = Number(String(text ?? '').trim() || NaN);
    return Number.isInteger(count) && count >= 1 && count <= AGENTS_MOST ? count : null;
}

/// The settings in an address. What it does not name, or names wrongly, has its default; `wrong` lists the latter.
export function readLink(hash, worlds) {
    const given = new URLSearchParams(hash.replace(/^#/, ''));
    const wrong = [];
    const take = (name, read, otherwise) => {
        if (!given.has(name)) return otherwise;
        const value = read(given.get(name));
        if (value !== null) return value;
        wrong.push(`${name}=${given.get(name)}`);
        return otherwise;
    };
    const among = names => text => names.includes(text) ? text : null;
    const positive = text => Number(text) >= 0 && text !== '' ? Number(text) : null;
    const world = take('world', among(worlds.map(({name}) => name)), 'paper-code');
    const isInvariant = worlds.find(({name}) => name === world)?.isInvariant;
    return {
        world,
        seed: take('seed', parseSeed, '0'),
        generation: take('generation', among(['frontier', 'invariant']), isInvariant ? 'invariant' : 'frontier'),
        agents: take('agents', parseAgents, 1),
        policy: take('policy', among(POLICIES), 'greedy'),
        reward: given.get('reward'),
        rate: take('rate', positive, 20),
        wrong,
    };
}

/// The part of an address that holds these settings, and what the address held besides them. A value of null leaves
/// its name out.
export function writeLink(hash, settings) {
    const all = new URLSearchParams(hash.replace(/^#/, ''));
    for (const [name, value] of Object.entries(settings)) {
        all.delete(name);
        if (value !== null) all.append(name, value);
    }
    // brackets and commas need no escape, and rewards read better without
    return `#${all}`.replaceAll('%5B', '[').replaceAll('%5D', ']').replaceAll('%2C', ',');
}
