// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// The page of experiments: each has the playground in it, which begins when it is asked to. One runs at a time.

function element(tag, properties) {
    return Object.assign(document.createElement(tag), properties);
}

const stages = [];

for (const section of document.querySelectorAll('section')) {
    const address = section.querySelector('.full a').href;
    const title = section.querySelector('h2').textContent;
    const stage = section.querySelector('.stage');
    const offer = () => {
        const button = element('button', {type: 'button', textContent: 'Start'});
        button.setAttribute('aria-label', `Start: ${title}`);
        button.onclick = () => {
            for (const other of stages) if (other.stage.querySelector('iframe')) other.offer();
            const frame = element('iframe', {src: address, title});
            stage.replaceChildren(frame);
            frame.focus();
        };
        stage.replaceChildren(button);
    };
    stages.push({stage, offer});
    offer();
}
