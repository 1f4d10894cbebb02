# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""What the page tells of a server that is busy or in trouble."""

import resource
import shutil

from stage import ADA, near


def test_terrain_that_is_being_made_is_told(serve, viewer):
    server = serve("--generation", "invariant", world="paper-code")
    viewer.open(server.url)
    assert viewer.page.is_hidden("#making")
    viewer.js(
        """() => {
            window.told = [];
            const box = document.getElementById('making');
            new MutationObserver(() => told.push({text: box.textContent, isHidden: box.hidden, isLoading: jbw.view.isLoading}))
                .observe(box, {attributes: true, childList: true, characterData: true, subtree: true});
        }"""
    )
    viewer.look_at(5_000_000, 3_000_000, 3)
    told = viewer.js("window.told")
    shown = [each for each in told if not each["isHidden"]]
    assert shown and all(each["text"].startswith("making ") for each in shown)
    assert all(each["isLoading"] for each in shown)
    viewer.wait("document.getElementById('making').hidden")
    # and then it is there
    found = [color for _, color in sorted(viewer.picture().getcolors(1 << 24), reverse=True)]
    paper, *items = viewer.colors()
    assert near(found[0], paper)
    assert sum(any(near(color, item) for color in found) for item in items) >= 3


def test_a_world_that_cannot_be_saved_is_told(serve, viewer, tmp_path):
    folder = tmp_path / "saves"
    folder.mkdir()
    server = serve("--autosave", str(folder / "world.jbw"), world="scent")
    viewer.open(server.url + ADA)
    assert viewer.js("() => jbw.connection.ask('save').then(() => 'saved', error => error.code)") == "saved"
    assert viewer.page.query_selector(".toast[data-key=save]") is None
    shutil.rmtree(folder)
    assert viewer.js("() => jbw.connection.ask('save').then(() => 'saved', error => error.code)") == "FAILED"
    viewer.wait("Boolean(document.querySelector('.toast[data-key=save]'))")
    assert "cannot be saved" in viewer.toast()
    assert "tries again" in viewer.toast()
    # the server tries again by itself, and the notice goes
    folder.mkdir()
    viewer.wait("!document.querySelector('.toast[data-key=save]')")
    assert (folder / "world.jbw").exists()


def test_a_recording_that_has_failed_is_told(serve, viewer, tmp_path):
    path = tmp_path / "world.jbwr"
    server = serve("--record", str(path), "--agent", "greedy", "--rate", "2000", world="scent")
    viewer.open(server.url + ADA)
    assert viewer.page.query_selector(".toast[data-key=record]") is None
    # files may not grow: the next block of the recording does not fit
    size = path.stat().st_size
    resource.prlimit(server.process.pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
    viewer.wait("Boolean(document.querySelector('.toast[data-key=record]'))")
    assert "The recording has ended" in viewer.toast()
    assert path.name in viewer.toast()
    # the world goes on without it
    before = viewer.js("jbw.clock.time")
    viewer.wait("before => jbw.clock.time > before", before)
