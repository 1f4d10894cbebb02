# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""The playground: the same page, with the simulator in a Worker."""

import json
import os
import pathlib
import shutil
import subprocess

import pytest
import stage
from playground_site import FOLDER, Site

pytestmark = pytest.mark.skipif(
    not os.path.exists(os.path.join(FOLDER, "index.html")), reason=f"no {FOLDER}: scripts/playground makes it"
)


@pytest.fixture(scope="module")
def site():
    site = Site()
    yield site
    site.stop()


@pytest.fixture
def play(site, viewer):
    """Opens the playground with a link. Nothing may be asked of another place than its folder."""
    asked = []
    viewer.page.on("request", lambda request: asked.append(request.url))

    def start(link=""):
        viewer.page.goto("about:blank")
        viewer.open(site.url + link)
        return viewer

    yield start
    elsewhere = [url for url in asked if not url.startswith((site.url, "about:", "blob:"))]
    assert elsewhere == []


def pause(viewer):
    viewer.js("() => jbw.connection.ask('pause')")


def step_to(viewer, time):
    """Takes steps up to a time that the world has not reached yet, and pauses it."""
    viewer.js(
        """async time => {
            let {time: now} = await jbw.connection.ask('pause');
            while (now < time)
                ({time: now} = await jbw.connection.ask('step', {count: Math.min(1000, time - now)}));
        }""",
        time,
    )


def hash_of(viewer):
    """The first 53 bits or so: numbers of the page are doubles."""
    return float(viewer.js("() => jbw.connection.ask('get_hash').then(({hash}) => hash)"))


def inspect(path):
    return json.loads(stage.run("inspect", path, "--json", text=True).stdout)


def save(viewer, path):
    with viewer.page.expect_download() as download:
        viewer.page.click("#setup-save")
    download.value.save_as(path)
    return download.value.suggested_filename


def ready(viewer, number):
    """Another world is there."""
    viewer.wait(
        "number => jbw.world.startsWith(`${number} `) && Boolean(jbw.connection.welcome && jbw.view.subscription)",
        number,
    )
    viewer.settle()


def test_the_same_bits_as_the_tool(play, tmp_path):
    viewer = play("#world=scent&seed=7&reward=Collect[JellyBean]&rate=2")
    viewer.wait("jbw.time > 0")  # it lives by itself
    step_to(viewer, 20000)
    name = save(viewer, tmp_path / "page.jbw")
    assert name == "scent-7-20000.jbw"
    reward = ("--agent", "greedy", "--reward", "Collect[JellyBean]")
    stage.run("run", "scent", "--seed", "7", *reward, "--steps", "20000", "--save", tmp_path / "tool.jbw")
    there, here = inspect(tmp_path / "tool.jbw"), inspect(tmp_path / "page.jbw")
    assert (here["time"], here["hash"]) == (20000, there["hash"])
    assert float(int(here["hash"], 16)) == hash_of(viewer)


def test_pick_a_world(play):
    viewer = play("#world=scent&seed=7")
    assert "scent beats vision" in viewer.text("#setup-about")
    names = viewer.js("() => [...document.getElementById('setup-world').options].map(option => option.value)")
    assert {"paper", "paper-code", "scent", "walk"} <= set(names)
    assert viewer.js("jbw.connection.welcome.seed") == 7
    items = viewer.text("#items")
    viewer.page.select_option("#setup-world", "paper-code")
    ready(viewer, 2)
    assert viewer.text("#items") != items
    assert "world=paper-code" in viewer.page.url
    viewer.wait("jbw.time > 0")

    # another seed, typed, and one that is none
    viewer.page.fill("#setup-seed", "123")
    viewer.page.press("#setup-seed", "Enter")
    ready(viewer, 3)
    assert viewer.js("jbw.connection.welcome.seed") == 123
    viewer.page.fill("#setup-seed", "minus one")
    viewer.page.press("#setup-seed", "Enter")
    assert "whole number" in viewer.toast()
    assert viewer.page.input_value("#setup-seed") == "123"

    # more agents
    viewer.page.fill("#setup-agents", "12")
    viewer.page.press("#setup-agents", "Enter")
    ready(viewer, 4)
    viewer.wait("document.getElementById('agent-count').textContent === '12'")


def test_go_to_any_place(play):
    viewer = play("#world=scent&seed=3&generation=invariant")
    viewer.page.fill("#jump-to", "1000000000, -2000000000")
    viewer.page.press("#jump-to", "Enter")
    viewer.page.wait_for_timeout(200)
    viewer.settle()
    rows = viewer.cells(1000000000, -2000000000, 40, 40)
    assert len({item for row in rows for item in row}) > 2
    x, y = stage.find(rows, 1000000000, -2000000000, 1)[0]
    viewer.look_at(x, y, 24)
    assert stage.near(viewer.picture().getpixel(viewer.pixel_of(x, y)), viewer.colors()[1])


def test_drive(play):
    viewer = play("#world=scent&seed=7&policy=drive")
    viewer.wait("Boolean(jbw.drive.isOn && jbw.agentPanel.observation)")
    time = viewer.js("jbw.time")
    viewer.page.wait_for_timeout(300)
    assert viewer.js("jbw.time") == time  # the world waits
    viewer.page.keyboard.press("ArrowUp")
    viewer.wait("time => jbw.time === time + 1", time)
    viewer.page.click("#pad [data-key=ArrowLeft]")
    viewer.wait("time => jbw.time === time + 2", time)
    # a policy takes over, and gives back
    viewer.page.select_option("#setup-policy", "random")
    viewer.wait("time => jbw.time > time + 10", time)
    assert viewer.page.is_hidden("#pad")
    viewer.page.select_option("#setup-policy", "drive")
    viewer.wait("jbw.drive.isOn && !document.getElementById('pad').hidden")


def test_rewards_and_their_errors(play):
    viewer = play("#world=scent&seed=7")
    viewer.page.fill("#setup-reward", "Collect[Jelly]")
    viewer.page.press("#setup-reward", "Enter")
    viewer.wait("document.getElementById('setup-say').textContent !== ''")
    said = viewer.text("#setup-say")
    assert said.startswith("At character 9: unknown item 'Jelly'")
    assert viewer.page.get_attribute("#setup-reward", "aria-invalid") == "true"
    viewer.page.fill("#setup-reward", "Collect[Onion]")
    viewer.page.press("#setup-reward", "Enter")
    viewer.wait("document.getElementById('setup-say').textContent === ''")
    viewer.wait("location.hash.includes('Collect[Onion]')")
    # the agent looks for onions now, and the plot counts them
    viewer.js("() => jbw.connection.ask('set_rate', {rate: 0})")
    viewer.wait("jbw.agentPanel.plot.total > 0")


def test_edit(play):
    viewer = play("#world=scent&seed=7&rate=1")
    pause(viewer)
    viewer.js("() => jbw.select(null)")
    viewer.look_at(0, 0, 30)
    (x, y) = stage.find(viewer.cells(-3, -3, 7, 7), -3, -3, 0)[0]
    viewer.page.click(".can-place >> nth=0")
    viewer.page.mouse.click(*viewer.pixel_of(x, y))
    viewer.wait(
        "([x, y]) => jbw.connection.ask('read_region', {region: {x, y, width: 1, height: 1}}).then(a => a.items[0] === 1)",
        [x, y],
    )


def test_a_link_holds_all_of_it(play):
    viewer = play("#world=walk&seed=1&rate=0.01")
    viewer.page.select_option("#setup-world", "scent")
    ready(viewer, 2)
    viewer.page.fill("#setup-seed", "18446744073709551615")
    viewer.page.press("#setup-seed", "Enter")
    ready(viewer, 3)
    viewer.page.select_option("#setup-generation", "invariant")
    ready(viewer, 4)
    viewer.page.fill("#setup-agents", "3")
    viewer.page.press("#setup-agents", "Enter")
    ready(viewer, 5)
    viewer.js("() => jbw.connection.ask('set_rate', {rate: 0.02})")
    viewer.look_at(12, -7, 20)
    viewer.wait("location.hash.includes('x=12&y=-7&zoom=20') && location.hash.includes('rate=0.02')")
    link = viewer.page.url.partition("#")[2]
    step_to(viewer, 400)
    first = hash_of(viewer)
    other = play("#" + link)
    assert other.js("[Math.floor(jbw.camera.x), Math.floor(jbw.camera.y)]") == [12, -7]
    other.wait("jbw.controls.rate === 0.02")
    step_to(other, 400)
    assert hash_of(other) == first
    # a link that is wrong says so, and the rest of it counts
    wrong = play("#world=atlantis&seed=4&agents=many")
    assert "world=atlantis, agents=many" in wrong.toast()
    assert wrong.js("jbw.connection.welcome.seed") == 4


def test_save_and_load(play, tmp_path):
    viewer = play("#world=scent&seed=7&agents=2&rate=2")
    step_to(viewer, 3000)
    save(viewer, tmp_path / "saved.jbw")
    step_to(viewer, 5000)
    later = hash_of(viewer)

    other = play("#world=walk&seed=1")
    load(other, tmp_path / "saved.jbw")
    ready(other, 2)
    assert other.page.input_value("#setup-world") == "scent"
    assert other.js("jbw.time") >= 3000
    step_to(other, 5000)
    assert hash_of(other) == later
    # the tool goes on with the same file
    assert inspect(tmp_path / "saved.jbw")["time"] == 3000

    (tmp_path / "text.jbw").write_text("hello")
    load(other, tmp_path / "text.jbw")
    assert "not a snapshot" in other.toast()
    assert hash_of(other) == later


def load(viewer, path):
    with viewer.page.expect_file_chooser() as chooser:
        viewer.page.click("#setup-load")
    chooser.value.set_files(path)


def edit_world(viewer, text):
    """Types a world file, and returns what the page says about it."""
    viewer.page.fill("#worldfile-text", text)
    viewer.wait(
        "document.getElementById('worldfile-say').dataset.text === document.getElementById('worldfile-text').value"
    )
    return viewer.text("#worldfile-say")


def check(path, text):
    """What `jbw check` says about a world file: the places and texts of its problems."""
    path.write_text(text, "utf-8")
    done = subprocess.run([stage.JBW, "check", path], capture_output=True, text=True, timeout=60)
    lines = [line.removeprefix(f"{path}:") for line in done.stderr.splitlines() if line.startswith(f"{path}:")]
    return [line.replace(": error: ", ": ", 1) for line in lines]


def test_a_world_file(play, tmp_path):
    viewer = play("#world=scent&seed=7&rate=1")
    viewer.page.click("#setup-file")
    viewer.page.wait_for_selector("#worldfile[open]")
    shown = viewer.page.input_value("#worldfile-text")
    assert shown == (pathlib.Path(__file__).parents[2] / "worlds" / "scent.yaml").read_text("utf-8")
    if "JSON" in viewer.text("#worldfile-hint"):
        pytest.skip("this playground was built without a reader of YAML")

    # what is wrong, as the tool says it
    wrong = [
        shown.replace("decay:", "decy:"),
        shown.replace("Onion:", "Onion: [1, 2"),
        shown.replace("patch_size: ", "patch_size: many #"),
        "items:\n  Ä: {color: [1, 0], nonsense: 3}\n",
        "",
    ]
    for text in wrong:
        said = edit_world(viewer, text).splitlines()
        assert said == check(tmp_path / "world.yaml", text), text
        assert said != []
    viewer.page.click("#worldfile-use")
    assert viewer.page.is_visible("#worldfile")  # not until it is right
    assert viewer.js("jbw.world.startsWith('1 ')")

    # a problem leads to its place
    edit_world(viewer, shown.replace("Onion:", "Onin:", 1))
    viewer.page.click("#worldfile-say button >> nth=0")
    line = viewer.js(
        "() => { const {value, selectionStart} = document.activeElement; return value.slice(0, selectionStart).split('\\n').length; }"
    )
    assert viewer.text("#worldfile-say").startswith(f"{line}:")

    # a good one becomes a world, with the bits of the tool's
    text = shown.replace("JellyBean", "Plum")
    assert edit_world(viewer, text) == "This is a valid world."
    viewer.page.click("#worldfile-use")
    ready(viewer, 2)
    assert "Plum" in viewer.text("#items")
    viewer.page.fill("#setup-seed", "11")
    viewer.page.press("#setup-seed", "Enter")
    ready(viewer, 3)
    step_to(viewer, 500)
    (tmp_path / "plum.yaml").write_text(text, "utf-8")
    reward = viewer.page.input_value("#setup-reward")
    options = (
        "--seed",
        "11",
        "--agent",
        "greedy",
        "--reward",
        reward,
        "--steps",
        "500",
        "--save",
        tmp_path / "tool.jbw",
    )
    stage.run("run", tmp_path / "plum.yaml", *options)
    assert float(int(inspect(tmp_path / "tool.jbw")["hash"], 16)) == hash_of(viewer)

    # saved, loaded and begun again
    save(viewer, tmp_path / "own.jbw")
    viewer.page.select_option("#setup-world", "walk")
    ready(viewer, 4)
    load(viewer, tmp_path / "own.jbw")
    ready(viewer, 5)
    assert viewer.js("jbw.time") >= 500 and "Plum" in viewer.text("#items")
    viewer.page.click("#setup-again")
    ready(viewer, 6)
    assert "Plum" in viewer.text("#items")
    assert viewer.js("jbw.connection.welcome.seed") == 11


def test_watch_an_agent_learn(play, tmp_path):
    viewer = play("#world=scent&seed=7&reward=Collect[JellyBean]&policy=ppo&rate=2")
    viewer.wait("jbw.time > 0")
    step_to(viewer, 1100)  # two updates
    save(viewer, tmp_path / "page.jbw")
    learner = ("--agent", "ppo", "--agent-set", "preset=tiny", "--reward", "Collect[JellyBean]")
    stage.run("run", "scent", "--seed", "7", *learner, "--steps", "1100", "--save", tmp_path / "tool.jbw")
    there, here = inspect(tmp_path / "tool.jbw"), inspect(tmp_path / "page.jbw")
    assert here["hash"] == there["hash"]
    # it lives on from a file, also in a page that has not seen a learner yet
    step_to(viewer, 1600)
    later = hash_of(viewer)
    other = play("#world=walk&seed=1")
    load(other, tmp_path / "page.jbw")
    ready(other, 2)
    assert other.page.input_value("#setup-policy") == "ppo"
    step_to(other, 1600)
    assert hash_of(other) == later


def test_another_mind_for_the_same_world(play):
    viewer = play("#world=scent&seed=7&rate=200")
    viewer.wait("jbw.time > 20")
    time = viewer.js("jbw.time")
    viewer.page.select_option("#setup-policy", "ppo")
    viewer.wait("location.hash.includes('policy=ppo') && Boolean(jbw.connection.welcome)")
    viewer.wait("time => jbw.time > time + 20", time)
    assert viewer.js("jbw.world.startsWith('1 ')")  # it is the same
    viewer.wait("jbw.controls.rate === 200")
    viewer.page.select_option("#setup-policy", "greedy")
    viewer.wait("time => jbw.time > time + 60", time)


def test_the_module_is_small():
    size = os.path.getsize(os.path.join(FOLDER, "playground", "jbw.wasm"))
    if shutil.which("wasm-opt"):
        assert size <= 320_000


def test_a_fast_agent_stays_in_view(play):
    """The world waits for the page: otherwise the agent is elsewhere by the time the map around it has come."""
    viewer = play("#world=walk&seed=1&policy=forward&rate=0")
    viewer.js(
        """() => {
            window.seen = {there: 0, gone: 0};
            const follow = jbw.navigation.followMarks.bind(jbw.navigation);
            jbw.navigation.followMarks = marks => {
                if (jbw.navigation.isFollowing && jbw.camera.y > 100) seen[marks.indexOf(jbw.selected) >= 0 ? 'there' : 'gone']++;
                follow(marks);
            };
        }"""
    )
    viewer.wait("seen.there >= 6")
    seen = viewer.js("seen")
    # a third of the frames have the agent in them; without the waiting it is one in thirty
    assert seen["gone"] <= 8 * seen["there"], seen


def test_no_server_is_spoken_of(play):
    viewer = play("#world=scent&seed=7")
    viewer.js("() => document.querySelectorAll('dialog').forEach(dialog => dialog.id === 'help' && dialog.showModal())")
    shown = viewer.js("() => document.body.innerText")
    assert "server" not in shown.lower() and "token" not in shown.lower()
    assert viewer.page.is_hidden("#token-open")
