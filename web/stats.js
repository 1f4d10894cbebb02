// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The page's own statistics, available as `window.jbwStats`: script time per frame, for drawing and
// messages together, and what the longest frame consisted of.

const KEPT = 1024;

const times = new Float64Array(KEPT);
const parts = {}; // name -> milliseconds since the latest frame
let count = 0; // of frames, ever
let busy = 0; // milliseconds since the latest frame
let started = performance.now();
let largest = {ms: 0};

/// Runs a function and adds its time to a named part of the frame.
export function measured(part, work) {
    const begin = performance.now();
    try {
        return work();
    } finally {
        const spent = performance.now() - begin;
        busy += spent;
        parts[part] = (parts[part] ?? 0) + spent;
    }
}

/// Ends a frame: what was measured since the previous one belongs to it. Frames without anything
/// new to draw do not count.
export function endFrame() {
    times[count++ % KEPT] = busy;
    if (busy > largest.ms) largest = {ms: busy, ...parts};
    busy = 0;
    for (const part in parts) parts[part] = 0;
}

function summary() {
    const kept = Array.from(times.subarray(0, Math.min(count, KEPT))).sort((a, b) => a - b);
    const at = part => kept.length ? kept[Math.min(kept.length - 1, Math.floor(part * kept.length))] : 0;
    return {
        frames: count,
        framesPerSecond: 1000 * count / (performance.now() - started),
        medianScriptMs: at(0.5),
        p99ScriptMs: at(0.99),
        largestScriptMs: kept.length ? kept[kept.length - 1] : 0,
        largestFrame: {...largest},
    };
}

function reset() {
    count = 0;
    busy = 0;
    largest = {ms: 0};
    for (const part in parts) parts[part] = 0;
    started = performance.now();
}

/// Other modules add counters of their own, such as the number of tiles.
export const stats = {summary, reset, counters: {}};
window.jbwStats = stats;
