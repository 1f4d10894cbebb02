// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The shapes of items: the signed distance of a point to the edge of each, negative inside, and what is drawn on it.
// The point (x, y) is in a cell, from -0.5 to 0.5, y up. The middle of every shape is inside and unmarked, so that the
// middle of a cell always has the item's own color.

const {abs, atan2, cos, floor, max, min, sin, sqrt} = Math;

const hypot = (x, y) => sqrt(x * x + y * y); // much faster than that of Math

const disc = (x, y, middleX, middleY, radius) => hypot(x - middleX, y - middleY) - radius;

// with its middle at (0, middleY)
function box(x, y, middleY, halfWidth, halfHeight, round) {
    const overX = abs(x) - halfWidth + round;
    const overY = abs(y - middleY) - halfHeight + round;
    return hypot(max(overX, 0), max(overY, 0)) + min(max(overX, overY), 0) - round;
}

function stick(x, y, fromX, fromY, toX, toY, radius) {
    const alongX = toX - fromX;
    const alongY = toY - fromY;
    const part = ((x - fromX) * alongX + (y - fromY) * alongY) / (alongX * alongX + alongY * alongY);
    const within = min(1, max(0, part));
    return hypot(x - fromX - within * alongX, y - fromY - within * alongY) - radius;
}

// a smooth union
function melt(a, b, width) {
    const h = max(width - abs(a - b), 0) / width;
    return min(a, b) - h * h * width * 0.25;
}

const turnedX = (x, y, angle) => cos(angle) * x - sin(angle) * y;
const turnedY = (x, y, angle) => sin(angle) * x + cos(angle) * y;

// a regular polygon with one corner up; deeper > 0 pulls the sides in, for a star
function polygon(x, y, corners, radius, deeper) {
    const part = 2 * Math.PI / corners;
    const turn = atan2(x, y) + 0.5 * part;
    const within = abs(turn - part * floor(turn / part) - 0.5 * part);
    const far = hypot(x, y);
    const inner = radius * cos(0.5 * part) * (1 - deeper);
    const sideX = inner * sin(0.5 * part);
    const sideY = inner * cos(0.5 * part) - radius;
    return (-far * sin(within) * sideY + (far * cos(within) - radius) * sideX) / hypot(sideX, sideY);
}

function bean(x, y) { // bent
    const u = turnedX(x, y, -0.6);
    return 0.85 * stick(u, turnedY(x, y, -0.6) + 1.2 * u * u - 0.03, -0.18, 0, 0.18, 0, 0.2);
}

function banana(x, y) { // one disc minus another
    const u = turnedX(x, y, 0.5);
    const v = turnedY(x, y, 0.5);
    return max(disc(u, v, 0, 0.2, 0.36), -disc(u, v, 0, 0.44, 0.3));
}

function tree(x, y) { // leaves over a trunk
    const leaves = melt(melt(disc(x, y, 0, 0.14, 0.29), disc(x, y, -0.2, -0.02, 0.2), 0.06), disc(x, y, 0.2, -0.02, 0.2), 0.06);
    return min(leaves, box(x, y, -0.32, 0.06, 0.14, 0.02));
}

function truffle(x, y) { // a lump
    const angle = atan2(y, x);
    return 0.9 * (hypot(x, y) - 0.32 - 0.03 * sin(5 * angle + 0.6) - 0.02 * sin(8 * angle));
}

// by the numbers of SHAPES in palette.js
const DISTANCES = [
    (x, y) => disc(x, y, 0, 0, 0.36),
    bean,
    banana,
    (x, y) => melt(disc(x, y, 0, -0.07, 0.31), stick(x, y, 0, 0.2, 0, 0.4, 0.035), 0.22), // an onion: a bulb and its tip
    (x, y) => box(x, y, 0, 0.5, 0.5, 0) - 0.01, // bricks fill the cell
    tree,
    truffle,
    (x, y) => (abs(x) + abs(y) - 0.42) * Math.SQRT1_2,
    (x, y) => polygon(x, y + 0.07, 3, 0.44, 0),
    (x, y) => polygon(x, y, 6, 0.40, 0),
    (x, y) => polygon(x, y, 5, 0.44, 0.42),
    (x, y) => min(box(x, y, 0, 0.38, 0.14, 0.03), box(x, y, 0, 0.14, 0.38, 0.03)),
    (x, y) => melt(disc(x, y, 0, -0.12, 0.26), stick(x, y, 0, 0.1, 0, 0.36, 0.02), 0.3),
    (x, y) => box(x, y, 0, 0.36, 0.36, 0.08),
    (x, y) => polygon(turnedX(x, y, 0.3), turnedY(x, y, 0.3), 7, 0.49, 0),
];

export function smoothstep(from, to, value) {
    const part = min(1, max(0, (value - from) / (to - from)));
    return part * part * (3 - 2 * part);
}

// 1 within a line or spot, 0 outside, over a soft edge
const within = (distance, soft) => 1 - smoothstep(0, soft, distance);

const MARKS = {
    // the highlight of the bean
    1: (x, y, soft) => -0.8 * within(stick(turnedX(x, y, -0.6), turnedY(x, y, -0.6), -0.13, 0.1, -0.02, 0.13, 0.025), 2 * soft),
    // along the banana
    2: (x, y, soft) => {
        const u = turnedX(x, y, 0.5);
        return abs(u) < 0.05 ? 0 : 0.35 * within(abs(disc(u, turnedY(x, y, 0.5), 0, 0.3, 0.34)) - 0.008, soft);
    },
    // the onion's skins
    3: (x, y, soft) => {
        const skin = (radius, bend) => abs(abs(x) - radius * cos(bend * (y + 0.07)));
        return y > 0.22 ? 0 : 0.38 * within(min(skin(0.13, 1.9), skin(0.235, 2.2)) - 0.01, soft);
    },
    // mortar; the middle row is shifted, so that a brick is in the middle
    4: (x, y, soft) => {
        const v = (y + 0.5) * 3;
        const u = x * 1.5 + (floor(v) === 1 ? 0.5 : 0);
        const fromJoint = value => 0.5 - abs(value - floor(value) - 0.5);
        return -0.55 * within(min(fromJoint(u) / 1.5, fromJoint(v) / 3) - 0.018, soft);
    },
    // the trunk is darker, and leaves have a shadow
    5: (x, y, soft) => {
        if (y < -0.19) return abs(x) <= 0.07 ? 0.6 : 0;
        return 0.3 * within(min(abs(disc(x, y, -0.13, 0.21, 0.09)), abs(disc(x, y, 0.2, 0.03, 0.08))) - 0.008, soft);
    },
    // warts
    6: (x, y, soft) => -0.4 * within(min(disc(x, y, 0.15, 0.13, 0.04), disc(x, y, -0.16, 0.08, 0.03),
        disc(x, y, -0.06, -0.18, 0.04), disc(x, y, 0.19, -0.1, 0.025)), soft),
    // the grain of wood
    13: (x, y, soft) => 0.35 * within(min(abs(y - 0.16), abs(y + 0.16)) - 0.012, soft),
    // a facet
    14: (x, y, soft) => -0.3 * within(stick(x, y, -0.22, 0.1, 0, 0.26, 0.02), soft),
};

/// A shape as a square of side x side points, lowest row first, two numbers each: the distance to its edge, and what is
/// drawn there: 0 nothing, up to 1 darker, down to -1 lighter.
export function sampleShape(kind, side) {
    const values = new Float32Array(2 * side * side);
    const soft = max(1 / side, 0.015);
    const distance = DISTANCES[kind];
    const mark = MARKS[kind];
    for (let row = 0, at = 0; row < side; row++)
        for (let column = 0; column < side; column++) {
            const x = (column + 0.5) / side - 0.5;
            const y = (row + 0.5) / side - 0.5;
            values[at++] = distance(x, y);
            values[at++] = mark?.(x, y, soft) ?? 0;
        }
    return values;
}
