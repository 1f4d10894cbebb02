#!/usr/bin/env python3
# SPDX-FileCopyrightText: The Jelly Bean World in C authors
# SPDX-License-Identifier: Apache-2.0

"""stage.py FOLDER JBW [--quick]: puts all pages of the site into a folder, for mkdocs.

Pages of docs/ come as they are, with links that fit the site. References, the gallery and the
outputs of tutorials are made here. What pages link to and is no page, such as an example, becomes a
page that shows it. JBW is the command `jbw` of the Python package.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path, PurePosixPath

import c_reference
import cli_reference
import gallery
import python_reference
from blocks import MARK
from notebooks import run_tutorial
from pages import fit_lists, rewrite_links, title_of

ROOT = Path(__file__).resolve().parents[2]

# pages outside docs/, and where they are in the site
ELSEWHERE = {
    "docs/site/home.md": "index.md",
    "README.md": "index.md",
    "docs": "index.md",
    "worlds": "gallery.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "tests/README.md": "tests.md",
}
LANGUAGES = {".py": "python", ".c": "c", ".h": "c", ".js": "js", ".yaml": "yaml", ".csv": "text"}
LARGEST_SHOWN = 200_000  # bytes of a file that a page shows
MOST_SHOWN = 40  # files of a folder; of larger ones only the names are listed

PLAYGROUND = re.compile(r"^<!-- playground: (\S+) -->$", re.MULTILINE)
FRAME = (
    '<iframe class="playground" src="{base}playground/{place}" loading="lazy"'
    ' title="a world that runs in this page"></iframe>'
)
INSTEAD = (
    "![the greedy agent of the paper collects jelly beans and bananas and avoids onions]"
    "({base}pictures/life.gif)\n\n*This site was built without the playground: `make playground`"
    " before `make docs` puts a world here that runs in your browser.*"
)


class Stage:
    """The folder of pages."""

    def __init__(self, out: Path, jbw: Path) -> None:
        self.out = out
        self.jbw = jbw
        self.shown: set[str] = set()  # files and folders that pages link to
        self.playground = ROOT / "build" / "playground"

    def place_of(self, path: str) -> str:
        """Where in the site a path of the repository is."""
        if path in ELSEWHERE:
            return ELSEWHERE[path]
        if path.startswith("docs/") and not path.startswith("docs/results"):
            return path.removeprefix("docs/")
        if header := re.fullmatch(r"include/jbw/(\w+)\.h", path):
            return f"reference/c/{header[1]}.md"
        if not (ROOT / path).exists():
            raise SystemExit(f"docs: a page links to {path}, which does not exist")
        self.shown.add(path)
        return f"source/{path}/index.md" if (ROOT / path).is_dir() else f"source/{path}.md"

    def title_of(self, path: str) -> str:
        """The title of a page of the repository, or nothing."""
        file = ROOT / path
        return title_of(file.read_text("utf-8")) if file.suffix == ".md" and file.is_file() else ""

    def fit(self, source: str, target: str) -> str:
        """The text of a page of the repository, as the site shows it."""
        text = (ROOT / source).read_text("utf-8")
        if not source.startswith("docs/tutorials/"):  # those still have to be run
            text = without_marks(text)
        text = rewrite_links(text, PurePosixPath(source), self.place_of, self.title_of, target)
        return self.with_playground(fit_lists(text), target)

    def with_playground(self, text: str, target: str) -> str:
        """The text with the playground where it wants one, or with a picture."""
        base = "../" * target.count("/")

        def replace(match: re.Match[str]) -> str:
            if not self.has_playground():
                return INSTEAD.format(base=base)
            # pages are folders in the site, so one more step up, except from the front page
            up = base if target == "index.md" else base + "../"
            return FRAME.format(base=up, place=match[1].replace("&", "&amp;"))

        return PLAYGROUND.sub(replace, text)

    def has_playground(self) -> bool:
        return (self.playground / "index.html").exists()

    def write(self, target: str, text: str) -> None:
        file = self.out / target
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")

    def pages(self) -> None:
        """All pages that people wrote."""
        for source in sorted(ROOT.glob("docs/*.md")):
            self.write(source.name, self.fit(f"docs/{source.name}", source.name))
        for source_name, target in ELSEWHERE.items():
            if source_name.endswith(".md") and source_name != "README.md":
                self.write(target, self.fit(source_name, target))
        front = self.out / "index.md"
        front.write_text(
            "---\nhide: [navigation, toc]\n---\n\n" + front.read_text("utf-8"), "utf-8"
        )

    def tutorials(self, run: bool) -> None:
        """The tutorials with their outputs, and notebooks to download."""
        for source in sorted(ROOT.glob("docs/tutorials/*.md")):
            target = f"tutorials/{source.name}"
            text = self.fit(f"docs/{target}", target)
            if source.stem == "index" or not run:
                self.write(target, without_marks(text))
                continue
            with tempfile.TemporaryDirectory() as folder:
                text, notebook, pictures = run_tutorial(
                    source, text, Path(folder), str(self.jbw.parent)
                )
            link = f"[:material-download: Notebook]({source.stem}.ipynb){{ .notebook download }}"
            title, _, rest = text.partition("\n")
            self.write(target, f"{title}\n\n{link}\n{rest}")
            self.write(f"tutorials/{source.stem}.ipynb", notebook)
            for name, picture in pictures.items():
                (self.out / "tutorials" / name).write_bytes(picture)

    def references(self) -> None:
        """What is made from docstrings, headers and the tool."""
        reference = self.out / "reference"
        python_reference.write(ROOT / "python" / "jbw", reference / "python")
        c_reference.write(ROOT / "include" / "jbw", reference / "c")
        cli_reference.write(self.jbw, reference / "cli.md")

    def worlds(self) -> None:
        """The gallery. Pictures are kept between builds, in a folder beside the pages."""
        kept = self.out.parent / "gallery"
        link = " · [Open in the playground](playground/index.html#world={name}&seed=7)"
        seeded = link if self.has_playground() else ""
        gallery.write(self.jbw, ROOT / "worlds", self.out / "gallery.md", kept, seeded)
        shutil.copytree(kept, self.out / "gallery")
        self.shown.update(f"worlds/{path.name}" for path in (ROOT / "worlds").glob("*.yaml"))

    def sources(self) -> None:
        """The files that pages link to, and lists of the folders."""
        for path in sorted(self.shown):
            if (ROOT / path).is_dir():
                self.list_folder(path)
        for path in sorted(self.shown):
            if not (ROOT / path).is_dir():
                self.show_file(path)

    def list_folder(self, path: str) -> None:
        listed = subprocess.run(
            ["git", "-C", ROOT, "ls-files", path], check=True, capture_output=True, text=True
        )
        lines = [f"# `{path}`", ""]
        names = listed.stdout.split("\n")[:-1]
        for name in names:
            inside = PurePosixPath(name).relative_to(path)
            is_small = (ROOT / name).stat().st_size <= LARGEST_SHOWN
            if len(names) <= MOST_SHOWN and is_small and is_text(ROOT / name):
                self.shown.add(name)
                lines.append(f"- [`{inside}`]({inside}.md)")
            else:
                lines.append(f"- `{inside}`")
        self.write(f"source/{path}/index.md", "\n".join(lines) + "\n")

    def show_file(self, path: str) -> None:
        text = (ROOT / path).read_text("utf-8").rstrip("\n")
        language = LANGUAGES.get(Path(path).suffix, "text")
        unsearched = "---\nsearch: {exclude: true}\n---\n\n"
        page = f"{unsearched}# `{path}`\n\n````{language}\n{text}\n````\n"
        self.write(f"source/{path}.md", page)

    def files(self) -> None:
        """Pictures, styles, and the playground if it was built."""
        code = shutil.ignore_patterns("*.py")
        shutil.copytree(ROOT / "docs" / "pictures", self.out / "pictures", ignore=code)
        shutil.copy(ROOT / "docs" / "site" / "style.css", self.out / "style.css")
        shutil.copy(ROOT / "web" / "icon.svg", self.out / "icon.svg")
        if self.has_playground():
            shutil.copytree(self.playground, self.out / "playground")


def without_marks(text: str) -> str:
    """The text without what is said to those who run its code."""
    return "\n".join(line for line in text.split("\n") if not MARK.match(line))


def is_text(path: Path) -> bool:
    try:
        path.read_text("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("jbw", type=Path)
    parser.add_argument("--quick", action="store_true", help="without running the tutorials")
    options = parser.parse_args()
    out = options.folder / "pages"
    shutil.rmtree(out, ignore_errors=True)
    stage = Stage(out, options.jbw.absolute())
    stage.pages()
    stage.tutorials(run=not options.quick)
    stage.references()
    stage.worlds()
    stage.sources()
    stage.files()
    return 0


if __name__ == "__main__":
    sys.exit(main())
