// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Small things that every panel needs.

export const $ = id => document.getElementById(id);

export function make(tag, properties = {}, ...children) {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
}

/// Sets text only if it is another one: most frames change little.
export function say(element, text) {
    if (element.textContent !== text) element.textContent = text;
}

/// Told to those who listen instead of looking.
export function speak(text) {
    say($('spoken'), text);
}

const grouped = new Intl.NumberFormat('en', {maximumFractionDigits: 0});
const compact = new Intl.NumberFormat('en', {notation: 'compact', maximumSignificantDigits: 3});

export const number = value => grouped.format(value).replaceAll(',', '\u2009');
export const short = value => Math.abs(value) < 1e4 ? number(value) : compact.format(value);
export const place = ({x, y}) => `${number(x)}, ${number(y)}`.replaceAll('-', '−');

/// Agents are named by their place, and by which of its agents they are if it has had several.
export function agentName(agent) {
    const index = agent % 4294967296;
    const generation = Math.floor(agent / 4294967296);
    return generation > 1 ? `Agent ${index} (${generation}th)` : `Agent ${index}`;
}

/// A message that goes away by itself; one with a key replaces the one before it, and stays until it
/// is taken back.
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
