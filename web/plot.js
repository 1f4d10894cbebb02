// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// A small plot of the selected agent's reward rate over time.
//
// Frames may skip any number of steps, but the inventory does not forget: the reward for items
// between two frames is the number gained of each, times its reward. Of actions and exploration
// only the latest step is known; it stands for the steps that were skipped.

import {pencil} from './dom.js';

const KEPT = 600; // points
const WINDOW = 100; // least number of steps to average over

// with as many digits as the distance between labels needs
function label(rate, span) {
    const digits = Math.min(4, Math.max(0, 1 - Math.floor(Math.log10(span))));
    return rate === 0 ? '0' : rate.toFixed(digits).replace('-', '−');
}

export class RewardPlot {
    constructor(canvas) {
        this.canvas = canvas;
        this.reset();
    }

    reset() {
        this.points = []; // {time, total}
        this.total = 0;
        this.inventory = null;
        this.isEstimate = false;
    }

    /// `did` describes the latest step: whether the agent acted, and whether it got farther from
    /// its start.
    add(time, inventory, did, reward) {
        if (!inventory.length) return;
        const last = this.points.at(-1);
        if (last && time < last.time) this.reset(); // the world went back in time
        if (last && time === last.time) return;
        if (this.inventory) {
            const steps = time - last.time;
            const pays = reward.at(time - 1);
            inventory.forEach((count, type) => {
                const gained = count - this.inventory[type];
                if (gained > 0) this.total += gained * pays.items[type];
            });
            this.total += steps * ((did.acted ? pays.action : 0) + (did.explored ? pays.explore : 0));
            if (steps > 1 && (pays.action || pays.explore)) this.isEstimate = true;
        }
        this.inventory = inventory;
        this.points.push({time, total: this.total});
        // halve the resolution when full, so that the plot always starts at the beginning
        if (this.points.length > KEPT)
            this.points = this.points.filter((_, i) => i % 2 === 0 || i === this.points.length - 1);
    }

    // [{time, rate}]: the mean over a window before each point
    #rates() {
        const {points} = this;
        const span = points.length > 1 ? points.at(-1).time - points[0].time : 0;
        const window = Math.max(WINDOW, span / 20);
        const rates = [];
        let first = 0;
        for (let i = 1; i < points.length; i++) {
            while (first + 1 < i && points[i].time - points[first + 1].time >= window) first++;
            const steps = points[i].time - points[first].time;
            if (steps >= Math.min(window, span) / 2)
                rates.push({time: points[i].time, rate: (points[i].total - points[first].total) / steps});
        }
        return rates;
    }

    get rate() {
        return this.#rates().at(-1)?.rate;
    }

    draw() {
        const {canvas} = this;
        const width = Math.round(canvas.clientWidth * devicePixelRatio);
        const height = Math.round(canvas.clientHeight * devicePixelRatio);
        if (width === 0) return;
        if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, {width, height});
        const style = getComputedStyle(document.documentElement);
        const context = pencil(canvas);
        const unit = devicePixelRatio;
        context.clearRect(0, 0, width, height);
        const rates = this.#rates();
        const bottom = height - 14 * unit;
        const top = 6 * unit;
        const left = 34 * unit;
        const values = rates.map(point => point.rate);
        const least = Math.min(0, ...values);
        const most = Math.max(least + 0.01, 1.1 * Math.max(0, ...values));
        const y = rate => bottom - (rate - least) / (most - least) * (bottom - top);

        context.font = `${10 * unit}px system-ui, sans-serif`;
        context.fillStyle = style.getPropertyValue('--quiet');
        context.strokeStyle = style.getPropertyValue('--line');
        context.lineWidth = unit;
        context.textAlign = 'right';
        context.textBaseline = 'middle';
        for (const rate of [least, (least + most) / 2, most]) {
            context.fillText(label(rate, most - least), left - 5 * unit, y(rate));
            context.beginPath();
            context.moveTo(left, y(rate));
            context.lineTo(width, y(rate));
            context.stroke();
        }
        if (rates.length < 2) return;
        const from = rates[0].time;
        const span = Math.max(1, rates.at(-1).time - from);
        context.textBaseline = 'bottom';
        context.textAlign = 'left';
        context.fillText(`${Math.round(from)}`, left, height);
        context.textAlign = 'right';
        context.fillText(`${Math.round(rates.at(-1).time)} steps`, width, height);
        context.strokeStyle = style.getPropertyValue('--plot');
        context.lineWidth = 1.8 * unit;
        context.lineJoin = 'round';
        context.beginPath();
        for (const {time, rate} of rates)
            context.lineTo(left + (time - from) / span * (width - left), y(rate));
        context.stroke();
    }
}
