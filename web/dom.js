// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Helpers for all panels.

export const $ = id => document.getElementById(id);

export function make(tag, properties = {}, ...children) {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
}

/// Sets the text only if it differs: most frames change little.
export function say(element, text) {
    if (element.textContent !== text) element.textContent = text;
}

/// Announces something to users of screen readers.
export function speak(text) {
    say($('spoken'), text);
}

const grouped = new Intl.NumberFormat('en', {maximumFractionDigits: 0});
const compact = new Intl.NumberFormat('en', {notation: 'compact', maximumSignificantDigits: 3});

export const number = value => grouped.format(value).replaceAll(',', '\u2009');
export const short = value => Math.abs(value) < 1e4 ? number(value) : compact.format(value);
export const place = ({x, y}) => `${number(x)}, ${number(y)}`.replaceAll('-', '−');

/// What draws on a small canvas. It stays out of the graphics card, whose preparation would take longer.
export function pencil(canvas) {
    return canvas.getContext('2d', {willReadFrequently: true});
}

/// Agents are named by the index in their id, and by its generation if the index was reused.
export function agentName(agent) {
    const index = agent % 4294967296;
    const generation = Math.floor(agent / 4294967296);
    return generation > 1 ? `Agent ${index} (${generation}th)` : `Agent ${index}`;
}

/// Shows a message that disappears by itself. One with a key replaces the previous one with that
/// key, and stays until it is dismissed.
export function toast(text, {kind = 'info', key = null, action = null} = {}) {
    if (key) dismiss(key);
    const box = make('div', {className: 'toast'}, make('span', {textContent: text}));
    box.dataset.kind = kind;
    if (key) box.dataset.key = key;
    if (action) {
        const button = make('button', {type: 'button', textContent: action.name});
        button.onclick = () => {
            box.remove();
            action.run();
        };
        box.append(button);
    }
    const boxes = $('toasts');
    while (boxes.childElementCount >= 3) boxes.firstElementChild.remove();
    boxes.append(box);
    if (!key) setTimeout(() => box.remove(), 6000);
}

export function dismiss(key) {
    for (const box of document.querySelectorAll(`.toast[data-key="${key}"]`)) box.remove();
}
