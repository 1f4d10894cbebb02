// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Colors and shapes. Items keep the colors of the world, as agents see them; shapes tell them apart
// for people with color blindness. Overlays and agents use colors that remain distinct with all
// common kinds of color blindness.

/// As numbered in shapes.js, and in the textures of forms.js.
export const SHAPES = {
    disc: 0, bean: 1, banana: 2, onion: 3, bricks: 4, tree: 5, truffle: 6, diamond: 7,
    triangle: 8, hexagon: 9, star: 10, plus: 11, drop: 12, square: 13, boulder: 14,
};

const WELL_KNOWN = [
    [/bean/i, 'bean'], [/banana/i, 'banana'], [/onion/i, 'onion'], [/wall|brick|fence/i, 'bricks'],
    [/tree|forest|bush/i, 'tree'], [/truffle|mushroom/i, 'truffle'],
    [/rock|stone|boulder|metal/i, 'boulder'], [/wood|log|plank/i, 'square'], [/water|rain|oil/i, 'drop'],
];
const OTHERS = ['disc', 'diamond', 'triangle', 'hexagon', 'star', 'plus', 'drop', 'square'];
const OTHER_WALLS = ['bricks', 'boulder', 'square'];

/// The shape of each item type: a matching one if its name is well known, else one that is still
/// free.
export function chooseShapes(items) {
    const taken = new Set();
    const shapes = items.map(item => {
        const known = WELL_KNOWN.find(([pattern]) => pattern.test(item.name));
        if (!known || taken.has(known[1])) return null;
        taken.add(known[1]);
        return known[1];
    });
    let next = 0;
    items.forEach((item, i) => {
        if (shapes[i]) return;
        const choices = item.blocks ? OTHER_WALLS : OTHERS;
        shapes[i] = choices.find(shape => !taken.has(shape)) ?? choices[next++ % choices.length];
        taken.add(shapes[i]);
    });
    return shapes.map(name => SHAPES[name]);
}

const toByte = value => Math.round(255 * Math.min(1, Math.max(0, value)));

/// The first three dimensions are red, green and blue; a single one is a shade of gray.
export function itemColor(values) {
    if (values.length === 1) return [toByte(values[0]), toByte(values[0]), toByte(values[0])];
    return [toByte(values[0] ?? 0), toByte(values[1] ?? 0), toByte(values[2] ?? 0)];
}

export const css = ([red, green, blue]) => `rgb(${red} ${green} ${blue})`;

const rgb = hex => [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16) / 255);

/// Colors of the map besides items.
export const THEMES = {
    light: {
        paper: rgb('#faf9f5'), sampled: rgb('#dedee2'), hatch: [rgb('#b0b2b8'), rgb('#a0a2a9')],
        line: rgb('#464c5c'), ink: rgb('#15181f'), rim: rgb('#ffffff'),
    },
    dark: {
        paper: rgb('#20242c'), sampled: rgb('#2f343e'), hatch: [rgb('#14171c'), rgb('#191d23')],
        line: rgb('#aeb6c6'), ink: rgb('#f3f5f9'), rim: rgb('#0b0d11'),
    },
};

export const OWN = rgb('#3b9cff');
export const SELECTED = rgb('#ff8c1a');

/// Colors of trails, used in turn: the palette of Okabe and Ito without black and yellow.
export const TRAILS = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#56b4e9', '#e69f00'].map(rgb);

const HEAT_STOPS = ['#15204c', '#1f5a8c', '#2c9a94', '#c8c25a', '#fff6b0'].map(rgb);

/// From dark blue to pale yellow, brighter all the way: 256 colors of 4 bytes.
export function makeHeatRamp() {
    const bytes = new Uint8Array(4 * 256);
    for (let i = 0; i < 256; i++) {
        const at = i / 255 * (HEAT_STOPS.length - 1);
        const first = Math.min(Math.floor(at), HEAT_STOPS.length - 2);
        for (let c = 0; c < 3; c++) {
            const [from, to] = [HEAT_STOPS[first][c], HEAT_STOPS[first + 1][c]];
            bytes[4 * i + c] = toByte(from + (to - from) * (at - first));
        }
        bytes[4 * i + 3] = 255;
    }
    return bytes;
}
