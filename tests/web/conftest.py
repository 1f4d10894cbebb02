# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

import pytest
import stage
from playwright.sync_api import sync_playwright


@pytest.fixture(scope="session")
def files(tmp_path_factory):
    """A snapshot and a recording of the same run, and a token file."""
    folder = tmp_path_factory.mktemp("jbw")
    (folder / "tokens").write_text(stage.TOKENS)
    stage.run(
        "run", "paper-code", "--seed", "7", "--steps", "3000", "--agent", "greedy",
        "--reward", "Collect[JellyBean]", "--save", folder / "life.snap", "--record", folder / "life.rec",
    )  # fmt: skip
    return folder


@pytest.fixture(scope="session")
def browser():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=stage.CHROMIUM, args=stage.FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def programs():
    """Programs that a test starts are stopped after it."""
    started = []
    yield started
    for program in reversed(started):
        program.stop()


@pytest.fixture
def serve(programs, files):
    def start(*arguments, world=None, tokens=True, **options):
        known = ("--tokens", str(files / "tokens")) if tokens else ()
        server = stage.Program("serve", world or str(files / "life.snap"), *known, *arguments, **options)
        programs.append(server)
        return server

    return start


@pytest.fixture
def view(programs):
    def start(path, *arguments):
        server = stage.Program("view", str(path), *arguments)
        programs.append(server)
        return server

    return start


@pytest.fixture
def crowd(programs):
    def start(server, count=12, spread=60):
        people = stage.Crowd(server, count, spread)
        programs.append(people)
        return people

    return start


@pytest.fixture
def viewer(browser):
    """A page. The test fails if the page has logged a problem."""
    context = browser.new_context(viewport={"width": 900, "height": 620}, color_scheme="light")
    viewer = stage.Viewer(context.new_page())
    yield viewer
    problems = list(viewer.problems)
    context.close()
    assert problems == []
