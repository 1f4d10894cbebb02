// SPDX-FileCopyrightText: The Jelly Bean World in C authors
// SPDX-License-Identifier: Apache-2.0

// Mouse, touch and wheel on the map. One pointer drags, two pinch, and one that does not move
// clicks.

const CLICK_PIXELS = 5;

export function listenToPointers(canvas, camera, {onMove, onClick, onHover}) {
    const pointers = new Map();
    let travelled = 0;

    const at = event => {
        const box = canvas.getBoundingClientRect();
        const density = canvas.width / box.width;
        return {x: (event.clientX - box.left) * density, y: (event.clientY - box.top) * density};
    };

    canvas.addEventListener('pointerdown', event => {
        if (event.button !== 0) return;
        canvas.setPointerCapture(event.pointerId);
        pointers.set(event.pointerId, at(event));
        if (pointers.size === 1) travelled = 0;
        canvas.classList.add('is-dragging');
    });

    canvas.addEventListener('pointermove', event => {
        const now = at(event);
        const before = pointers.get(event.pointerId);
        if (!before) {
            onHover(now);
            return;
        }
        travelled += Math.hypot(now.x - before.x, now.y - before.y);
        if (travelled < CLICK_PIXELS * devicePixelRatio) return;
        if (pointers.size === 1) {
            camera.pan(now.x - before.x, now.y - before.y);
        } else {
            const other = [...pointers].find(([id]) => id !== event.pointerId)[1];
            const grown = Math.hypot(now.x - other.x, now.y - other.y) /
                Math.max(1, Math.hypot(before.x - other.x, before.y - other.y));
            camera.zoomAt(grown, (now.x + other.x) / 2, (now.y + other.y) / 2);
            camera.pan((now.x - before.x) / 2, (now.y - before.y) / 2);
        }
        pointers.set(event.pointerId, now);
        onMove('drag');
    });

    const release = event => {
        if (!pointers.delete(event.pointerId)) return;
        if (pointers.size === 0) canvas.classList.remove('is-dragging');
        if (event.type === 'pointerup' && pointers.size === 0 && travelled < CLICK_PIXELS * devicePixelRatio)
            onClick(at(event));
    };
    canvas.addEventListener('pointerup', release);
    canvas.addEventListener('pointercancel', release);
    canvas.addEventListener('pointerleave', () => onHover(null));

    canvas.addEventListener('wheel', event => {
        event.preventDefault();
        const {x, y} = at(event);
        // convert lines and pages to pixels
        const pixels = event.deltaY * [1, 24, 400][event.deltaMode];
        camera.zoomAt(Math.exp(-Math.max(-240, Math.min(240, pixels)) / 400), x, y);
        onMove('zoom');
    }, {passive: false});
}
