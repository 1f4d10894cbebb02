# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""What the map shows, and navigating it."""

import itertools

import pytest
import stage
from PIL import Image
from stage import find, near


def check_cells(viewer, around, reach):
    """Items and empty cells have the right color in the middle of their cell."""
    x, y = around[0] - reach, around[1] - reach
    rows = viewer.cells(x, y, 2 * reach + 1, 2 * reach + 1)
    colors = viewer.colors()
    picture = viewer.picture()
    checked = set()
    for item, color in enumerate(colors):
        for cell in find(rows, x, y, item)[:12]:
            place = viewer.pixel_of(*cell)
            if not (2 <= place[0] < picture.width - 2 and 2 <= place[1] < picture.height - 2):
                continue
            assert near(picture.getpixel(place), color), (cell, item, picture.getpixel(place), color)
            checked.add(item)
    return checked


@pytest.fixture
def still(serve, viewer):
    """A paused world without overlays."""
    viewer.open(serve("--paused").url)
    viewer.js(
        "() => { jbw.select(null); for (const name in jbw.layers.shown) jbw.layers.shown[name] = false; jbw.marks = []; "
        "jbw.renderer.agents.count = 0; jbw.invalidate(); }"
    )
    return viewer


def test_items_have_their_colors(still):
    still.look_at(0, 0, 24)
    assert len(check_cells(still, (0, 0), 12)) >= 3
    still.look_at(-20, 15, 7)
    assert len(check_cells(still, (-20, 15), 30)) >= 3


def test_colors_are_right_after_pan_and_zoom(still):
    page = still.page
    still.look_at(3, 4, 20)
    before = still.js("() => jbw.camera.toWorld(500, 300)")
    page.mouse.move(500, 300)
    page.mouse.down()
    page.mouse.move(400, 350, steps=4)
    page.mouse.up()
    after = still.js("() => jbw.camera.toWorld(400, 350)")
    assert abs(before["x"] - after["x"]) < 0.3 and abs(before["y"] - after["y"]) < 0.3
    still.settle()
    middle = still.js("() => [Math.floor(jbw.camera.x), Math.floor(jbw.camera.y)]")
    assert len(check_cells(still, middle, 12)) >= 2

    # the cell under the wheel stays there
    before = still.js("() => jbw.camera.toWorld(360, 200)")
    page.mouse.move(360, 200)
    page.mouse.wheel(0, 300)
    still.wait("jbw.camera.zoom < 19")
    after = still.js("() => jbw.camera.toWorld(360, 200)")
    assert abs(before["x"] - after["x"]) < 0.01 and abs(before["y"] - after["y"]) < 0.01
    page.wait_for_timeout(200)
    still.settle()
    middle = still.js("() => [Math.floor(jbw.camera.x), Math.floor(jbw.camera.y)]")
    assert len(check_cells(still, middle, 20)) >= 2


def test_one_cell_and_thousands_of_patches(still):
    """From one cell on the screen to thousands of patches."""
    rows = still.cells(-30, -30, 61, 61)
    cell = find(rows, -30, -30, 3)[0]  # an onion
    still.look_at(*cell, 10000)
    zoom = still.js("jbw.camera.zoom")
    assert zoom == 620  # as high as the screen
    assert near(still.picture().getpixel((450, 310)), still.colors()[3])

    still.look_at(0, 0, 0.0001)
    cells = still.js("jbw.camera.cells")
    patches = cells["width"] * cells["height"] / 64**2
    assert patches > 2000
    assert still.js("jbw.renderer.tiles.length") > 1  # another level of detail


def test_shapes_are_those_of_pictures_and_icons(still, files):
    """The map reads shapes from textures, at several levels; `jbw render` and the legend compute them."""
    rows = still.cells(-30, -30, 61, 61)
    paper = still.colors()[0]
    for item in (1, 2, 3):  # a bean, a banana, an onion
        x, y = find(rows, -30, -30, item, margin=10)[0]
        for zoom in (24, 48, 200):
            place = f"{x},{y},1,1"
            stage.run(
                "render", files / "life.snap", "--region", place, "--scale", str(zoom), "--out", files / "cell.png"
            )
            with Image.open(files / "cell.png") as picture:
                wanted = picture.convert("RGB")
            still.look_at(x, y, zoom)
            left, top = 450 - zoom // 2, 310 - zoom // 2
            found = still.picture().crop((left, top, left + zoom, top + zoom))
            within = range(2, zoom - 2)  # the map has lines between cells
            ground = wanted.getpixel((2, 2))
            inside = [
                (i, j) for i, j in itertools.product(within, within) if not near(wanted.getpixel((i, j)), ground, 40)
            ]
            others = [(i, j) for i, j in itertools.product(within, within) if near(found.getpixel((i, j)), paper, 40)]
            assert len(inside) > 0.1 * zoom**2
            both = set(inside) & set(others)
            assert len(both) < 0.03 * zoom**2, (item, zoom, len(both))
            assert abs(len(inside) + len(others) - (zoom - 4) ** 2) < 0.05 * zoom**2, (item, zoom)
            if zoom == 48:
                icon = still.js("type => [...jbw.legend.pictures[type].data]", item - 1)
                far = 0
                for i, j in itertools.product(within, within):
                    *color, alpha = icon[4 * (48 * j + i) : 4 * (48 * j + i) + 4]
                    shown = [p + (c - p) * alpha / 255 for p, c in zip(paper, color, strict=True)]
                    far += not near(found.getpixel((i, j)), shown, 24)
                assert far < 40, item  # at corners, which textures round


def test_many_tiles_need_a_larger_texture(still):
    """Tiles stay as they are when their texture grows."""
    values = still.js(
        """() => {
            const {gl, tiles} = jbw.renderer;
            const atlas = new (tiles[0].atlas.constructor)(gl, 64, 'index');
            const sides = [atlas.side];
            for (let i = 0; i < 1100; i++) atlas.put(i, i, 0, 2, new Uint8Array(64 * 64).fill(i % 251));
            sides.push(atlas.side);
            const target = gl.createFramebuffer();
            gl.bindFramebuffer(gl.FRAMEBUFFER, target);
            gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, atlas.texture, 0);
            const found = [];
            for (const {x, y} of atlas.tiles.values())
                for (const at of [0, 63]) {
                    const pixel = new Uint32Array(4);
                    gl.readPixels(x + at, y + at, 1, 1, gl.RGBA_INTEGER, gl.UNSIGNED_INT, pixel);
                    found.push(pixel[0]);
                }
            gl.bindFramebuffer(gl.FRAMEBUFFER, null);
            gl.deleteFramebuffer(target);
            atlas.delete();
            return {sides, found, error: gl.getError()};
        }"""
    )
    assert values["sides"] == [1024, 4096]
    assert values["found"] == [i % 251 for i in range(1100) for _ in range(2)]
    assert values["error"] == 0


def test_far_out_colors_are_means(still):
    """From far away, pixels show the mean color of a square of cells."""
    still.look_at(0, 0, 0.25)
    assert still.js("jbw.view.detail") == 2
    picture = still.picture()
    paper = still.colors()[0]
    pixels = [picture.getpixel((450 + dx, 310 + dy)) for dx in range(-8, 8) for dy in range(-8, 8)]
    assert any(not near(pixel, paper, 8) for pixel in pixels)
    # the expected color of a square of 4 x 4 cells
    rows = still.cells(0, 0, 4, 4)
    items = [item for row in rows for item in row if item]
    colors = still.colors()
    share = len(items) / 16
    mean = [sum(colors[item][c] for item in items) / len(items) for c in range(3)] if items else paper
    wanted = [p + (m - p) * share**0.45 for p, m in zip(paper, mean, strict=True)]
    x, y = still.pixel_of(1.5, 1.5)
    assert near(picture.getpixel((x, y)), wanted, 8) or near(picture.getpixel((x, y - 1)), wanted, 8)


def test_unfinished_patches_are_pale_and_the_void_is_hatched(still):
    states = still.js(
        """() => jbw.connection.ask('read_region', {region: {x: -1000, y: 0, width: 2000, height: 1}, wants_states: true})
            .then(answer => [...answer.states])"""
    )
    theme = still.js(
        "() => ({sampled: jbw.theme.sampled.map(v => 255 * v), hatch: jbw.theme.hatch.map(c => c.map(v => 255 * v))})"
    )
    sampled = states.index(1) - 1000
    row = still.cells(sampled, 0, 64, 1)[0]
    empty = sampled + row.index(0)
    still.look_at(empty, 0, 20)
    assert near(still.picture().getpixel(still.pixel_of(empty, 0)), theme["sampled"])
    missing = -1000 if states[0] == 0 else 999
    still.look_at(missing, 0, 20)
    picture = still.picture()
    pixels = {picture.getpixel((x, 300)) for x in range(300, 360)}
    assert all(near(pixel, theme["hatch"][0], 12) or near(pixel, theme["hatch"][1], 12) for pixel in pixels)
    assert len(pixels) > 1


def test_keys_move_the_map(still):
    page = still.page
    still.look_at(0, 0, 20)
    page.focus("#map")
    page.keyboard.press("ArrowRight")
    assert still.js("jbw.camera.x") > 2
    page.keyboard.press("ArrowUp")
    assert still.js("jbw.camera.y") > 2
    page.keyboard.press("+")
    assert still.js("jbw.camera.zoom") == pytest.approx(27)
    page.keyboard.press("-")
    page.keyboard.press("j")
    page.keyboard.type("-123, 456")
    page.keyboard.press("Enter")
    assert still.js("[jbw.camera.x, jbw.camera.y]") == [-122.5, 456.5]
    page.fill("#jump-to", "nonsense")
    page.press("#jump-to", "Enter")
    assert "two numbers" in still.toast()
    # Escape leaves the text field
    page.press("#jump-to", "Escape")
    page.keyboard.press("g")
    assert still.js("jbw.layers.shown.grid") is True


def test_two_fingers_zoom(still):
    still.look_at(0, 0, 20)
    still.js(
        """() => {
            const at = (type, id, x, y) => jbw.canvas.dispatchEvent(new PointerEvent(type,
                {pointerId: id, pointerType: 'touch', clientX: x, clientY: y, button: 0, bubbles: true}));
            jbw.canvas.setPointerCapture = () => {};
            at('pointerdown', 11, 400, 300); at('pointerdown', 12, 500, 300);
            for (let i = 1; i <= 10; i++) { at('pointermove', 11, 400 - 5 * i, 300); at('pointermove', 12, 500 + 5 * i, 300); }
            at('pointerup', 11, 350, 300); at('pointerup', 12, 550, 300);
        }"""
    )
    assert still.js("jbw.camera.zoom") == pytest.approx(40, rel=0.1)


def test_grid_shows_patches(still):
    still.look_at(0, 0, 10)
    x, y = still.pixel_of(0, 20)
    edge = (x - 5, y)  # between the patches left and right of the origin
    plain = still.picture().getpixel(edge)
    still.page.click("#layers-open")
    still.page.check("[data-layer=grid]")
    still.settle()
    picture = still.picture()
    darker = [sum(picture.getpixel((edge[0] + dx, y))) for dx in (-1, 0, 1)]
    assert min(darker) < sum(plain) - 60


def test_dark_and_light(still):
    still.look_at(0, 0, 20)
    rows = still.cells(-5, -5, 11, 11)
    cell = find(rows, -5, -5, 0)[0]
    light = still.picture().getpixel(still.pixel_of(*cell))
    still.page.click("#theme")
    still.settle()
    dark = still.picture().getpixel(still.pixel_of(*cell))
    assert sum(light) > 600 and sum(dark) < 150
    assert len(check_cells(still, (0, 0), 10)) >= 2


def test_screenshot(still):
    with still.page.expect_download() as download:
        still.page.click("#screenshot")
    assert download.value.suggested_filename.endswith(".png")
    with Image.open(download.value.path()) as picture:
        assert picture.size == (900, 620)


def test_everything_has_a_name(still):
    """Screen readers need a name for every control."""
    nameless = still.js(
        """() => [...document.querySelectorAll('button, input, select, canvas, [role]')]
            .filter(element => !element.closest('[aria-hidden=true]'))
            .filter(element => !(element.getAttribute('aria-label') || element.textContent.trim() ||
                element.closest('label') || ['toasts', 'spoken'].includes(element.id)))
            .map(element => element.outerHTML.slice(0, 80))"""
    )
    assert nameless == []
    # every button can be reached with the Tab key
    still.page.focus("#map")
    reached = set()
    for _ in range(40):
        still.page.keyboard.press("Tab")
        reached.add(still.js("document.activeElement.id"))
    assert {
        "zoom-in",
        "zoom-out",
        "fit",
        "layers-open",
        "screenshot",
        "theme",
        "help-open",
        "play",
        "step",
        "rate",
    } <= reached


def test_on_a_phone_what_is_chosen_stays_in_sight(browser, view, files):
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True)
    phone = stage.Viewer(context.new_page())
    phone.open(view(files / "life.snap").url)
    phone.wait("jbw.selected !== null && !document.getElementById('agent').hidden")
    phone.wait("jbw.navigation.isFollowing && jbw.marks.length > 0")
    agent = phone.js("jbw.marks.list[0].position")
    x, y = phone.pixel_of(agent["x"], agent["y"])
    assert phone.js("([x, y]) => document.elementFromPoint(x, y).id", [x, y]) == "map"
    # nothing overflows, and panels do not overlap
    assert phone.js("document.documentElement.scrollWidth") == 390
    boxes = phone.js(
        """() => ['world', 'agent', 'legend', 'transport', 'scale'].map(id => {
            const {top, bottom, left, right} = document.getElementById(id).getBoundingClientRect();
            return [top, bottom, left, right]; })"""
    )
    for (_, bottom, left, right), (top, *_) in itertools.pairwise(boxes):
        assert bottom <= top
        assert 0 <= left < right <= 390
    # what the agent sees, and all items of this world, fit
    assert phone.js(
        "(id => document.getElementById(id).scrollWidth <= document.getElementById(id).clientWidth)('legend')"
    )
    panel, vision = (phone.page.locator(id).bounding_box() for id in ("#agent", "#vision"))
    assert vision["y"] + vision["height"] <= panel["y"] + panel["height"]
    context.close()
    assert phone.problems == []
