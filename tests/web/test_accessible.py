# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""Pages that everybody can use: axe finds nothing to complain of, and nothing moves once it is there."""

import os

import pytest
import stage
from axe_playwright_python.sync_playwright import Axe
from playground_site import FOLDER, Site

needs_playground = pytest.mark.skipif(
    not os.path.exists(os.path.join(FOLDER, "index.html")), reason=f"no {FOLDER}: scripts/playground makes it"
)

DESK, PHONE, PHONE_ON_ITS_SIDE = (1280, 800), (390, 844), (844, 390)

# Chromium's own account of what has moved without the user's doing, as a share of the screen
WATCH_SHIFTS = """
    window.shifts = [];
    new PerformanceObserver(list => {
        for (const {value, sources, hadRecentInput} of list.getEntries())
            if (!hadRecentInput) window.shifts.push([value, ...sources.map(({node}) => node?.id || node?.nodeName)]);
    }).observe({type: 'layout-shift', buffered: true});
"""
LARGEST_SHIFT = 0.01  # a tenth of what is called good


@pytest.fixture(scope="module")
def site():
    site = Site()
    yield site
    site.stop()


@pytest.fixture
def screen(browser):
    """Pages of a size and a color scheme, closed after the test."""
    contexts = []

    def make(size, scheme="light"):
        width, height = size
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, has_touch=size != DESK
        )
        contexts.append(context)
        page = context.new_page()
        page.add_init_script(WATCH_SHIFTS)
        return stage.Viewer(page)

    yield make
    for context in contexts:
        context.close()


def complaints(viewer):
    found = Axe().run(viewer.page).response["violations"]
    return [(rule["id"], [node["target"] for node in rule["nodes"]]) for rule in found]


def assert_nothing_moved(viewer):
    shifts = viewer.js("() => shifts")
    assert sum(value for value, *_ in shifts) < LARGEST_SHIFT, shifts


@needs_playground
@pytest.mark.parametrize("size", [DESK, PHONE, PHONE_ON_ITS_SIDE])
def test_playground(site, screen, size):
    viewer = screen(size, "dark" if size == PHONE else "light")
    viewer.open(site.url)
    viewer.wait("document.querySelector('#agent-position')?.textContent !== ''")
    assert complaints(viewer) == []
    assert_nothing_moved(viewer)

    # no panel covers a tool
    covered = viewer.js(
        """() => [...document.querySelectorAll('#tools button')].filter(button => {
            const {x, y, width, height} = button.getBoundingClientRect();
            return width && !button.contains(document.elementFromPoint(x + width / 2, y + height / 2));
        }).map(button => button.id)"""
    )
    assert covered == []


@needs_playground
def test_dialogs(site, screen):
    viewer = screen(DESK)
    viewer.open(site.url)
    viewer.page.click("#setup-file")
    viewer.wait("document.querySelector('#worldfile-text').value !== ''")
    assert complaints(viewer) == []
    viewer.page.keyboard.press("Escape")
    viewer.page.click("#help-open")
    assert complaints(viewer) == []


@needs_playground
@pytest.mark.parametrize("size", [DESK, PHONE])
def test_experiments(site, screen, size):
    viewer = screen(size)
    viewer.page.goto(site.url + "experiments.html")
    viewer.wait("document.querySelectorAll('.stage button').length === 5")
    assert complaints(viewer) == []
    assert_nothing_moved(viewer)


def test_served_page(serve, screen):
    viewer = screen(DESK)
    viewer.open(serve().url + stage.ADA)
    viewer.js("() => jbw.select(1, true)")
    assert complaints(viewer) == []
    assert_nothing_moved(viewer)


def test_what_is_told_moves_nothing(serve, screen):
    viewer = screen(DESK)
    viewer.open(serve().url + stage.ADA)
    viewer.js("() => jbw.select(1, true)")
    viewer.wait("!document.getElementById('standing').hidden")
    viewer.settle()
    places = """() => ['jump', 'mine', 'agent', 'vision', 'scent-bars', 'inventory', 'plot'].map(id => {
        const {x, y} = document.getElementById(id).getBoundingClientRect();
        return [id, x, y];
    })"""
    before = viewer.js(places)

    viewer.js("() => jbw.view.making.add('a patch')")
    viewer.wait("!document.getElementById('making').hidden")
    assert viewer.js(places) == before
    viewer.js("() => jbw.view.making.delete('a patch')")
    viewer.wait("document.getElementById('making').hidden")

    # the texts that a step can change, and the longest of them
    viewer.js("""() => {
        document.getElementById('standing').hidden = true;
        document.getElementById('agent-action').textContent = 'MoveForward: another agent got it';
    }""")
    assert viewer.js(places) == before
    viewer.js("() => document.getElementById('inventory').replaceChildren()")
    assert viewer.js(places) == before
