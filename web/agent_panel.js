// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The panel of the selected agent: where it is, what it did, sees, smells, carries and gains.

import {$, agentName, make, number, pencil, place, say} from './dom.js';
import {host} from './host.js';
import {RewardPlot} from './plot.js';
import {Reward, guessReward} from './reward.js';
import {flags} from './messages.js';

const DIRECTIONS = ['↑ up', '→ right', '↓ down', '← left'];
const OUTCOMES = ['', '', 'blocked by an item', 'blocked by an agent', 'another agent got it', 'nothing there',
    'cannot be collected', 'lacks items', 'cell occupied', 'edge of the world', 'not able'];
const SCENT_COLORS = ['#d55e00', '#009e73', '#0072b2', '#cc79a7', '#e69f00', '#56b4e9'];
const RATE = 30;
const utf8 = new TextDecoder();

// "server:greedy" is the policy of an agent that the server lets act
function ownerText(owner) {
    if (!owner.startsWith('server:')) return owner || 'none';
    return `${host.isServer ? 'the server, ' : ''}policy ${owner.slice('server:'.length)}`;
}

export class AgentPanel {
    /// `onObserved` is called with each observation of the selected agent, and with null if there
    /// is none.
    constructor(app, onObserved) {
        this.app = app;
        this.onObserved = onObserved;
        this.agent = null;
        this.subscription = 0;
        this.observation = null;
        this.plot = new RewardPlot($('plot'));
        this.reward = null; // the latest valid one
        this.start = null; // where the agent was added
        this.wanted = ''; // the reward from the server or the address
        $('reward-text').oninput = () => this.#setReward($('reward-text').value);
        this.lastPlot = 0;
        this.scentMost = 0;
    }

    setWorld(welcome) {
        this.welcome = welcome;
        const names = welcome.items.map(item => item.name);
        if (this.itemNames?.join() !== names.join()) {
            this.itemNames = names;
            this.reward = new Reward('Zero', names);
            this.suggest(this.wanted);
        }
        const side = welcome.vision_side;
        Object.assign($('vision'), {width: side, height: side});
        $('scent-title').hidden = $('scent-bars').hidden = welcome.scent_dimensions === 0;
        const bars = $('scent-bars');
        bars.replaceChildren();
        this.bars = Array.from({length: welcome.scent_dimensions}, (_, i) => {
            const fill = make('i');
            fill.style.background = SCENT_COLORS[i % SCENT_COLORS.length];
            const value = make('span');
            bars.append(make('span', {textContent: `${i + 1}`}), make('div', {className: 'bar'}, fill), value);
            return {fill, value};
        });
        if (this.agent !== null) this.show(this.agent);
    }

    /// Shows what agents of this world can be, say and read.
    setFeatures(features) {
        const show = (name, isShown) => $(`agent-${name}`).hidden = $(`agent-${name}-label`).hidden = !isShown;
        show('body', features.bodies.length > 1);
        show('said', features.symbols > 0);
        show('heard', features.symbols > 0);
        show('note', features.carries_text.some(value => value === 1));
        if (this.agent !== null && features.wants) this.show(this.agent); // with the words
    }

    /// Shows an agent, or none.
    show(agent) {
        const {connection} = this.app;
        if (this.subscription) connection.unsubscribe(this.subscription);
        this.subscription = 0;
        if (agent !== this.agent) {
            this.plot.reset();
            this.scentMost = 0;
            this.observation = null;
            this.owner = null;
            this.start = null;
        }
        this.agent = agent;
        $('agent').hidden = agent === null;
        if (agent === null) {
            this.onObserved(null);
            return;
        }
        say($('agent-name'), agentName(agent));
        if (!connection.welcome) return;
        this.subscription = connection.subscribe({
            topic: 2, agent, rate_most: RATE,
            wants: flags.WANT_VISION | flags.WANT_SCENT | flags.WANT_INVENTORY | flags.WANT_SEEN | this.app.features.wants,
        }, frame => this.#receive(frame));
        this.#askForOwner();
    }

    /// The agent may have another owner or policy now.
    refresh() {
        if (this.agent !== null) this.#askForOwner();
    }

    /// Plots a reward, unless the user has typed one. Without a text it makes a guess.
    suggest(text) {
        this.wanted = text;
        if (!this.itemNames || this.hasTyped) return;
        $('reward-text').value = text || guessReward(this.itemNames);
        this.#setReward($('reward-text').value);
        this.hasTyped = false;
    }

    #setReward(text) {
        this.hasTyped = true;
        let problem = '';
        try {
            this.reward = new Reward(text, this.itemNames);
            this.plot.reset();
        } catch (error) {
            problem = `At character ${error.at + 1}: ${error.message}.`;
        }
        say($('reward-say'), problem);
        $('reward-text').setAttribute('aria-invalid', String(problem !== ''));
    }

    // the latest step of an agent, as far as rewards depend on it
    #didOf(seen) {
        const far = ({x, y}) => (x - this.start.x) ** 2 + (y - this.start.y) ** 2;
        const isStep = seen.result_time === this.time;
        return {
            acted: isStep && seen.action >= 0 && this.welcome.actions[seen.action]?.name !== 'NoOp',
            explored: isStep && this.start !== null && far(seen.position) > far(seen.position_before),
        };
    }

    #askForOwner() {
        const agent = this.agent;
        this.app.connection.ask('get_agents', {agents: [agent]}).then(({agents}) => {
            if (agent !== this.agent || agents.length === 0) return;
            const {owner, is_yours: isYours, start} = agents[0];
            this.start = start;
            this.isYours = isYours;
            say($('agent-owner'), isYours ? `you${owner ? ` (${owner})` : ''}` : ownerText(owner));
            $('own-agent').hidden = !isYours || !this.app.connection.may('ACT');
        }).catch(() => {});
    }

    #receive(frame) {
        const [seen] = frame.observations;
        if (!seen) {
            say($('agent-action'), 'the agent is gone');
            return;
        }
        this.observation = seen;
        this.words = frame.words?.[0] ?? null;
        this.time = frame.time;
        this.plot.add(frame.time, seen.inventory, this.#didOf(seen), this.reward);
        this.isFresh = true;
        this.onObserved(seen);
    }

    /// Shows the newest observation.
    draw(now) {
        if (!this.isFresh || this.agent === null) return;
        this.isFresh = false;
        const seen = this.observation;
        say($('agent-position'), `${place(seen.position)}  ${DIRECTIONS[seen.direction]}${seen.is_active ? '' : ', inactive'}`);
        say($('agent-action'), this.#actionText(seen));
        this.#drawVision(seen.vision);
        this.#drawScent(seen.scent);
        this.#drawInventory(seen.inventory);
        if (this.words) this.#drawWords(this.words);
        if (now - this.lastPlot > 200) {
            this.lastPlot = now;
            this.plot.draw();
            const rate = this.plot.rate;
            say($('reward-rate'), rate === undefined ? '' : `${this.plot.isEstimate ? 'about ' : ''}${rate.toFixed(3)} per step`);
        }
    }

    #actionText(seen) {
        const {actions, items} = this.welcome;
        if (seen.action < 0) return 'none';
        let text = actions[seen.action]?.name ?? `action ${seen.action}`;
        if (OUTCOMES[seen.outcome]) text += `: ${OUTCOMES[seen.outcome]}`;
        if (seen.collected >= 0) text += `, got ${items[seen.collected].name}`;
        if (seen.dropped >= 0) text += `, dropped ${items[seen.dropped].name}`;
        return text;
    }

    #drawVision(vision) {
        const side = this.welcome.vision_side;
        const dimensions = this.welcome.color_dimensions;
        if (vision.length === 0) return;
        const image = new ImageData(side, side);
        for (let i = 0; i < side * side; i++) {
            const red = vision[i * dimensions];
            image.data[4 * i] = 255 * red;
            image.data[4 * i + 1] = 255 * (dimensions > 1 ? vision[i * dimensions + 1] : red);
            image.data[4 * i + 2] = 255 * (dimensions > 2 ? vision[i * dimensions + 2] : dimensions > 1 ? 0 : red);
            image.data[4 * i + 3] = 255;
        }
        pencil($('vision')).putImageData(image, 0, 0);
    }

    #drawScent(scent) {
        for (const value of scent) this.scentMost = Math.max(this.scentMost, Math.abs(value));
        this.bars.forEach(({fill, value}, i) => {
            fill.style.width = `${100 * Math.max(0, scent[i] ?? 0) / (this.scentMost || 1)}%`;
            say(value, (scent[i] ?? 0).toFixed(2));
        });
    }

    // what it heard: such as "1, 3 (twice)"
    #drawWords({body, said, heard, text}) {
        const times = count => count === 1 ? '' : count === 2 ? ' (twice)' : ` (${count} times)`;
        const symbols = Array.from(heard, (count, i) => count > 0 ? `${i + 1}${times(count)}` : '').filter(Boolean);
        say($('agent-body'), this.app.features.nameOf(body));
        say($('agent-said'), said > 0 ? `${said}` : 'nothing');
        say($('agent-heard'), symbols.length ? symbols.join(', ') : 'nothing');
        say($('agent-note'), text.length ? utf8.decode(text) : 'nothing');
    }

    #drawInventory(inventory) {
        const text = inventory.join(' ');
        if (text === this.inventoryText) return;
        this.inventoryText = text;
        const entries = inventory.map((count, type) => ({count, type})).filter(({count}) => count > 0);
        $('inventory').replaceChildren(...entries.map(({count, type}) => {
            const name = this.welcome.items[type].name;
            const entry = make('li', {title: name}, this.app.icon(type), number(count));
            entry.setAttribute('aria-label', `${count} ${name}`);
            return entry;
        }));
        if (entries.length === 0) $('inventory').append(make('li', {className: 'is-none', textContent: 'nothing yet'}));
    }

    redraw() {
        this.inventoryText = null;
        this.isFresh = this.observation !== null;
        this.lastPlot = 0;
    }
}
