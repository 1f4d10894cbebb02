// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The keyboard.

import {$} from './dom.js';

// closes one thing at a time
function leave({cellPanel, layers, legend, navigation}) {
    if (legend.brush >= 0) legend.take(-1);
    else if (layers.isPanelOpen) layers.togglePanel();
    else if (cellPanel.cell) cellPanel.select(null);
    else if (navigation.selected !== null) navigation.select(null);
}

export function setUpKeyboard(app) {
    const {canvas, controls, drive, layers, navigation, timeline} = app;
    const keys = {
        ArrowLeft: () => navigation.pan(1, 0), ArrowRight: () => navigation.pan(-1, 0),
        ArrowUp: () => navigation.pan(0, 1), ArrowDown: () => navigation.pan(0, -1),
        '+': () => navigation.zoom(1.35), '=': () => navigation.zoom(1.35),
        '-': () => navigation.zoom(1 / 1.35), '_': () => navigation.zoom(1 / 1.35),
        0: () => navigation.fitAgents(),
        n: () => navigation.selectNext(1), p: () => navigation.selectNext(-1),
        f: () => navigation.setFollow(!navigation.isFollowing),
        g: () => layers.toggle('grid'), t: () => layers.toggle('trails'), h: () => layers.toggle('heat'),
        v: () => layers.toggle('sight'), s: () => layers.toggle('scent'),
        ' ': () => controls.togglePause(), '.': () => controls.step(),
        '[': () => timeline.isRecording ? timeline.jump(-1) : controls.nudge(-1),
        ']': () => timeline.isRecording ? timeline.jump(1) : controls.nudge(1),
        c: () => app.saveScreenshot(), j: () => $('jump-to').focus(), '?': () => $('help').showModal(),
        d: () => drive.set(true),
        Enter: () => navigation.click({x: canvas.width / 2, y: canvas.height / 2}),
        Escape: () => leave(app),
    };
    document.addEventListener('keydown', event => {
        if (event.ctrlKey || event.altKey || event.metaKey || document.querySelector('dialog[open]')) return;
        const {target} = event;
        if (target.matches('input, select, textarea')) {
            if (event.key === 'Escape') canvas.focus();
            return;
        }
        // buttons keep the keys that press them
        if (target.matches('button, summary') && (event.key === ' ' || event.key === 'Enter')) return;
        const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
        if (drive.press(event)) event.preventDefault();
        else if (Object.hasOwn(keys, key)) {
            event.preventDefault();
            keys[key]();
        }
    });
}
