// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The panel that makes worlds: which one, its seed, its agents and what they live for; saving, loading and links.

import {$, dismiss, make, say, speak, toast} from '../dom.js';
import {Reward, guessReward} from '../reward.js';
import {Editor} from './editor.js';
import {download, pickFile} from './files.js';
import {parseAgents, parseSeed, readLink, writeLink} from './link.js';

const ADDRESS_MS = 700; // between two looks at whether the address is out of date

export class Panel {
    constructor(app, world) {
        this.app = app;
        this.world = world;
        this.settings = null;
        $('setup-world').onchange = () => this.#choose($('setup-world').value || null);
        $('setup-generation').onchange = () => this.#begin({generation: $('setup-generation').value});
        $('setup-seed').onchange = () => this.#beginTyped('seed', parseSeed, 'a whole number from 0 to 2^64 − 1');
        $('setup-agents').onchange = () => this.#beginTyped('agents', parseAgents, 'a number from 1 to 256');
        $('setup-dice').onclick = () => this.#begin({seed: String(Math.floor(Math.random() * 1e6))});
        $('setup-again').onclick = () => this.#begin({});
        $('setup-policy').onchange = () => this.#live({policy: $('setup-policy').value});
        $('setup-reward').onchange = () => this.#live({reward: $('setup-reward').value.trim()});
        $('setup-save').onclick = () => this.#save();
        $('setup-load').onclick = () => this.#load();
        this.editor = new Editor(world, made => this.#make(made));
        $('setup-file').onclick = () => this.editor.open(this.settings?.world);
        $('setup-link').onclick = () => this.#copyLink();
        app.connection.addEventListener('open', () => this.#welcome());
        addEventListener('hashchange', () => this.#follow());
        setInterval(() => this.#writeAddress(), ADDRESS_MS);
        if (matchMedia('(max-width: 720px), (max-height: 560px)').matches) $('setup').open = false;
    }

    /// Begins with the world that the address names.
    async start() {
        const worlds = await this.world.list();
        $('setup-world').replaceChildren(...worlds.map(({name}) => make('option', {value: name, textContent: name})));
        await this.#openLink(location.hash, true);
    }

    // ---- worlds ----

    async #openLink(hash, isFirst = false) {
        const {settings, wrong, guess} = this.world.read(hash);
        if (wrong.length > 0) toast(`The link is wrong here: ${wrong.join(', ')}.`, {kind: 'warn', key: 'link'});
        if (await this.#open(settings, {isLink: true, hash: isFirst ? hash : null})) return;
        await this.#open({...settings, reward: guess}, {isLink: true, problem: $('setup-say').textContent});
    }

    // a reward that the world understands: the current one, if it does
    #rewardFor(name) {
        const {items} = this.world.find(name);
        if (!items) return {};
        try {
            new Reward(this.settings.reward, items);
            return {};
        } catch {
            return {reward: guessReward(items)};
        }
    }

    // true if it worked; otherwise says why not
    async #open(settings, how = {}) {
        $('setup').setAttribute('aria-busy', 'true');
        try {
            await (how.hash == null ? this.world.open(settings) : this.world.openFirst(how.hash, settings));
        } catch (error) {
            this.#tell(error);
            return false;
        } finally {
            $('setup').removeAttribute('aria-busy');
        }
        this.#enter(settings, how);
        return true;
    }

    // another world is there
    #enter(settings, {problem = '', isLink = false} = {}) {
        const isFirst = this.settings === null;
        this.settings = settings;
        this.isNew = true;
        this.#show(problem);
        this.#writeAddress(true);
        if (isFirst) return; // the page is about to connect
        if (!isLink) history.replaceState(null, '', writeLink(location.hash, {x: null, y: null, agent: null}));
        this.app.navigation.forget();
        this.app.connection.reopen(this.app.connection.token);
    }

    async #begin(changes) {
        dismiss('link');
        const settings = {...this.settings, ...changes};
        const isThere = await this.#open(settings);
        if (isThere) speak(`${settings.world ?? 'your world'}, seed ${settings.seed}`);
        else this.#show($('setup-say').textContent);
        return isThere;
    }

    // another world, with the terrain that it has unless the user wants another
    #choose(name) {
        const {[this.settings.generation]: isPossible, isInvariant} = this.world.find(name);
        const generation = isPossible ? this.settings.generation : isInvariant ? 'invariant' : 'frontier';
        return this.#begin({world: name, generation, ...this.#rewardFor(name)});
    }

    // a world of a world file; true if it is there
    async #make(made) {
        const before = this.world.own;
        this.world.own = made;
        const generation = made.isInvariant ? 'invariant' : 'frontier';
        const isThere = await this.#begin({world: null, generation, ...this.#rewardFor(null)});
        if (!isThere) this.world.own = before;
        return isThere;
    }

    #beginTyped(name, parse, allowed) {
        const value = parse($(`setup-${name}`).value);
        if (value !== null) {
            this.#begin({[name]: value});
            return;
        }
        toast(`Enter ${allowed}.`, {kind: 'warn'});
        this.#show();
    }

    #welcome() {
        const {app, settings} = this;
        if (!settings) return;
        if (this.isNew) app.connection.ask('set_rate', {rate: settings.rate}).catch(() => {});
        this.isNew = false;
        if (settings.policy === 'drive') app.drive.addAgent();
    }

    // ---- life ----

    async #live(changes) {
        const settings = {...this.settings, ...changes};
        let isOtherEngine = false;
        const isOtherDriver = (settings.policy === 'drive') !== (this.settings.policy === 'drive');
        try {
            isOtherEngine = await this.world.setLife(settings);
        } catch (error) {
            this.#tell(error);
            if (changes.policy) $('setup-policy').value = this.settings.policy;
            return;
        }
        this.settings = settings;
        this.#show();
        this.#writeAddress(true);
        this.app.agentPanel.hasTyped = false;
        this.app.agentPanel.suggest(settings.reward);
        this.app.agentPanel.refresh();
        this.isNew = isOtherEngine; // which does not know the rate
        if (isOtherDriver || isOtherEngine) this.app.connection.reopen(this.app.connection.token);
    }

    #tell({message, column}) {
        const text = column > 0 ? `At character ${column}: ${message}.` : `${message}.`;
        say($('setup-say'), text);
        $('setup-reward').setAttribute('aria-invalid', String(column > 0));
    }

    // ---- the panel ----

    #show(problem = '') {
        const {settings} = this;
        const shipped = this.world.find(settings.world);
        const select = $('setup-world');
        select.querySelector('[value=""]')?.remove();
        if (this.world.own) select.prepend(make('option', {value: '', textContent: this.world.own.text ? 'your world file' : 'from a file'}));
        select.value = settings.world ?? '';
        say($('setup-about'), shipped.about.replaceAll('`', ''));
        for (const option of $('setup-generation').options) option.disabled = !shipped[option.value];
        for (const name of ['seed', 'generation', 'agents', 'policy', 'reward']) $(`setup-${name}`).value = settings[name];
        say($('setup-say'), problem);
        $('setup-reward').setAttribute('aria-invalid', String(problem !== ''));
    }

    // ---- links ----

    // the view: where the camera is, unless it follows an agent; what the address says until it is there
    #view() {
        const {camera, navigation} = this.app;
        if (!navigation.hasLooked) return {};
        const isPlace = !navigation.isFollowing;
        return {
            x: isPlace ? Math.floor(camera.x) : null, y: isPlace ? Math.floor(camera.y) : null,
            zoom: Number((camera.zoom / devicePixelRatio).toPrecision(3)),
        };
    }

    #writeAddress(isOther = false) {
        if (!this.settings) return;
        const {world, seed, generation, agents, policy, reward} = this.settings;
        if (!isOther && this.app.connection.welcome && this.app.controls.wasShown) this.settings.rate = this.app.controls.rate;
        const view = isOther ? {} : this.#view();
        const hash = writeLink(location.hash, {world, seed, generation, agents, policy, reward, rate: this.settings.rate, ...view});
        if (hash === location.hash) return;
        history.replaceState(null, '', hash);
        this.address = location.hash;
    }

    // somebody has changed the address
    #follow() {
        if (location.hash === this.address) return;
        const names = [...(this.settings.world === null && !location.hash.includes('world=') ? [] : ['world']), 'seed', 'generation', 'agents', 'policy', 'reward'];
        const {wrong, ...settings} = readLink(location.hash, this.world.shipped);
        if (wrong.length > 0 || names.some(name => settings[name] !== null && settings[name] !== this.settings[name]))
            this.#openLink(location.hash);
    }

    async #copyLink() {
        if (!this.settings.world) {
            toast('A link cannot hold this world: save it, and send the file.', {kind: 'warn'});
            return;
        }
        this.#writeAddress();
        try {
            await navigator.clipboard.writeText(location.href);
            toast('The link is in the clipboard. It begins this world anew; to share it as it is now, save it.');
        } catch {
            toast('Copy the address of this page: it is the link.');
        }
    }

    // ---- files ----

    async #save() {
        try {
            const {bytes, time} = await this.world.save();
            download(`${this.settings.world ?? 'world'}-${this.settings.seed}-${time}.jbw`, bytes);
        } catch (error) {
            this.#tell(error);
        }
    }

    async #load() {
        const bytes = await pickFile();
        if (!bytes) return;
        try {
            const {note, reward, seed, isInvariant} = await this.world.load(bytes);
            const known = readLink(note, this.world.shipped);
            delete known.wrong;
            const told = {seed, generation: isInvariant ? 'invariant' : 'frontier', reward: reward || this.settings.reward};
            const foreign = {...this.settings, ...(note ? known : {}), world: null};
            const settings = {...(new URLSearchParams(note.replace(/^#/, '')).has('world') ? known : foreign), ...told};
            if (settings.world === null) await this.world.keep(settings.generation, 'A world that was loaded from a file.');
            this.world.settings = settings;
            this.#enter(settings);
        } catch (error) {
            toast(`This file cannot be loaded: ${error.message}.`, {kind: 'bad'});
        }
    }
}
