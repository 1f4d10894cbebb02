// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Begins what takes longest before the page has loaded: the Worker, the simulator, the shipped worlds. The page's own
// script comes after this one and finds them in `jbwStart`.

const here = name => new URL(name, import.meta.url).href;

/// Compiles a module of this folder, if possible while it arrives.
async function compile(name) {
    try {
        return await WebAssembly.compileStreaming(fetch(here(name)));
    } catch {
        // a web server that does not say what the file is
        const answer = await fetch(here(name));
        if (!answer.ok) throw new Error(`${name} cannot be loaded`);
        return WebAssembly.compile(await answer.arrayBuffer());
    }
}

async function fetchWorlds() {
    return (await fetch(here('worlds.json'))).json();
}

globalThis.jbwStart = {compile, module: compile('jbw.wasm'), worlds: fetchWorlds(), worker: new Worker(here('worker.js'), {type: 'module'})};
