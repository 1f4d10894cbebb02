// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Begins what takes longest before the page has loaded: the Worker, the simulator, the shipped worlds. It is the first
// thing in the page, and no module, since modules wait for the whole page. The page's own script finds in `jbwStart` what
// this one has begun.

{
    const folder = document.currentScript.src;
    const here = name => new URL(name, folder).href;

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

    const worker = new Worker(here('worker.js'), {type: 'module'});
    const started = {
        compile, worker,
        module: compile('jbw.wasm'),
        worlds: fetchWorlds(),
        isRunning: new Promise(resolve => worker.addEventListener('message', resolve, {once: true})),
        failure: new Promise(resolve => worker.addEventListener('error', resolve)), // of the Worker, whenever it happens
    };
    // the page tells about these when it is there
    for (const promise of [started.module, started.worlds]) promise.catch(() => {});
    globalThis.jbwStart = started;
}
