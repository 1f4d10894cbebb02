# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""The reward plot: the page's reward language against the library's."""

import pytest
import stage

REWARDS = [
    "Collect[JellyBean] & Avoid[Onion]",
    "Collect[JellyBean, 2.5] ∧ Avoid[Onion, -1e-3] & Action[-0.01] & Explore[0.1]",
    "(Zero & (Combined[Collect[Banana], Avoid[Wall, 3], Zero]))",
    "Scaled[Collect[JellyBean] & Scaled[Avoid[Onion], 2], -0.5]",
    "Fixed[Collect[JellyBean]]",
    "Cyclical[(Collect[JellyBean] & Avoid[Onion], 100), (Avoid[JellyBean] & Collect[Onion], 1e2)]",
    "Curriculum[(Avoid[Onion], 100), (Collect[JellyBean] & Avoid[Onion], 1)]",
    "Gradual[Collect[JellyBean], Collect[Banana] & Action, 1000]",
    "Avoid[Onion, 0.5] & Random[50, 7, Collect[JellyBean], Collect[Banana], Zero]",
    "Random[1, 9223372036854775807, Collect[JellyBean], Collect[Banana], Collect[Onion], Collect[Wall], Zero]",
    "Gradual[Explore[0.1], Zero, 500000] & Cyclical[(Collect[JellyBean], 2e5), (Scaled[Collect[Banana], 2], 1e5)]",
    "Collect[JellyBean, Wave[100, -1, 1]] & Avoid[Onion, Square[99, 0.5, 2]] & Action[Wave[1e6, -0.01, 0]]",
    "Scaled[Collect[Banana, Steps[(0, 1), (50, -1), (1000, 3)]], Drift[7, 100, -1, 1]] & Explore[Drift[0, 1, 0, 1]]",
]
TIMES = [0, 1, 49, 50, 99, 100, 150, 199, 200, 999, 1000, 123_456, 499_999, 2**40 + 17]


@pytest.fixture(scope="module")
def page(browser, files):
    """A page for compiling rewards; the world does not matter."""
    server = stage.Program("view", str(files / "life.snap"))
    context = browser.new_context()
    viewer = stage.Viewer(context.new_page())
    viewer.open(server.url)
    yield viewer
    context.close()
    server.stop()


def pays(page, text, times):
    return page.js(
        """async ([text, times]) => {
            const {Reward} = await import('./reward.js');
            const reward = new Reward(text, jbw.connection.welcome.items.map(item => item.name));
            return times.map(time => reward.at(time));
        }""",
        [text, times],
    )


@pytest.mark.parametrize("text", REWARDS)
def test_the_page_reads_rewards_as_the_library_does(page, text):
    jbw = pytest.importorskip("jbw", reason="the Python package is not there to compare with")
    world = jbw.World("paper-code")
    reward = jbw.Reward(world.model, text)
    for time, found in zip(TIMES, pays(page, text, TIMES), strict=True):
        wanted = [reward.of_collecting(item, time) for item in world.item_names]
        assert found["items"] == pytest.approx(wanted, abs=1e-12), time
        # the library resolves schedules in the text of the current reward
        (plain,) = pays(page, reward.at(time), [0])
        assert [found["action"], found["explore"]] == pytest.approx([plain["action"], plain["explore"]], abs=1e-12)


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        ("", 1, "expected a reward"),
        ("Collect[JellyBeen]", 9, "no item JellyBeen"),
        ("Collect[JellyBean", 18, "expected “]”"),
        ("Grab[Onion]", 1, "no reward Grab"),
        ("Collect[Onion] Collect[Onion]", 16, "or the end"),
        ("Collect[Onion] & ?", 18, "unexpected “?”"),
        ("Cyclical[(Zero, 0)]", 17, "must be an integer"),
        ("Collect[Onion, 1e10]", 16, "too large"),
        ("Collect[Onion, Weave[9, 0, 1]]", 16, "no function of time Weave"),
        ("Collect[Onion, Steps[(5, 1)]]", 23, "the first time must be 0"),
        ("(" * 80 + "Zero" + ")" * 80, 65, "nested too deeply"),
    ],
)
def test_mistakes_are_told_where_they_are(page, text, where, what):
    page.js(
        "() => { document.getElementById('agent').hidden = false; document.getElementById('reward-box').open = true; }"
    )
    page.page.fill("#reward-text", "Collect[Banana]")
    assert page.text("#reward-say") == ""
    page.page.fill("#reward-text", text)
    assert page.text("#reward-say").startswith(f"At character {where}: ")
    assert what in page.text("#reward-say")
    assert page.page.get_attribute("#reward-text", "aria-invalid") == "true"
    # the previous reward stays in use
    assert page.js("jbw.agentPanel.reward.text") == "Collect[Banana]"


def test_the_reward_of_a_run_is_plotted_and_another_can_be_typed(files, view, viewer):
    viewer.open(view(files / "life.rec").url)
    viewer.wait("jbw.selected !== null && jbw.agentPanel.plot.points.length > 0")
    viewer.wait("document.getElementById('reward-text').value === 'Collect[JellyBean]'")
    # rewards for items are exact, however many steps are skipped
    viewer.page.focus("#rate")
    viewer.page.keyboard.press("End")
    viewer.page.focus("#map")
    viewer.page.keyboard.press(" ")
    viewer.wait("jbw.time === 3000 && jbw.agentPanel.time === 3000")
    beans = "jbw.agentPanel.observation.inventory[jbw.connection.welcome.items.findIndex(item => item.name === 'JellyBean')]"
    assert viewer.js(beans) > 0
    assert viewer.js("jbw.agentPanel.plot.total") == viewer.js(beans)
    # without skipped steps, actions are exact, too
    viewer.js("document.getElementById('reward-box').open = true")
    viewer.page.fill("#reward-text", "Action[2] & Explore[0.5]")
    if not viewer.js("document.getElementById('link').dataset.state === 'paused'"):
        viewer.page.focus("#map")
        viewer.page.keyboard.press(" ")
        viewer.wait("document.getElementById('link').dataset.state === 'paused'")
    viewer.js("() => jbw.timeline.seek(100)")
    viewer.wait("jbw.time === 100 && jbw.agentPanel.time === 100")
    expected = 0
    viewer.page.focus("#map")
    for time in range(101, 109):
        viewer.page.keyboard.press(".")
        viewer.wait(f"jbw.agentPanel.time === {time}")
        expected += viewer.js(
            """() => { const {observation: seen, start} = jbw.agentPanel;
                const far = place => Math.hypot(place.x - start.x, place.y - start.y);
                return 2 + (far(seen.position) > far(seen.position_before) ? 0.5 : 0); }"""
        )
    assert viewer.js("jbw.agentPanel.plot.total") == expected
    assert not viewer.js("jbw.agentPanel.plot.isEstimate")


def test_a_reward_in_the_address_or_of_the_server(serve, viewer):
    server = serve("--reward", "Collect[Banana]")
    viewer.open(server.url)
    viewer.wait("document.getElementById('reward-text').value === 'Collect[Banana]'")
    viewer.page.goto("about:blank")
    viewer.open(f"{server.url}#reward=Avoid[Onion]")
    viewer.wait("document.getElementById('reward-text').value === 'Avoid[Onion]'")
