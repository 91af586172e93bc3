#!/usr/bin/python3
"""make site: the documentation as a site that needs no network, in build/site/html. Needs Debian's mkdocs-material.

The pages keep their places in the repository, so that their links hold; README.md becomes the first page. Files of the
repository that they link to are copied. Fails on a page that mkdocs.yml does not name, on every warning of mkdocs, on a
link that leads nowhere, on a block of code that is none on the page, and on anything that a browser would fetch from
elsewhere.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from scripts.check_links import links  # noqa: E402

_SITE = ROOT / "build/site"
_PAGES, _HTML = _SITE / "pages", _SITE / "html"
_START = ROOT / "README.md"
# A browser loads what these name without being asked.
_LOADED = {"script": "src", "link": "href", "img": "src", "iframe": "src", "source": "src"}
# Not loaded, although it is a <link>.
_NAMED_ONLY = {"canonical", "alternate", "prev", "next", "license"}


# A fence as Markdown has it, with what stands before it.
_FENCE = re.compile(r"^( *)(```+)", re.MULTILINE)
# What becomes of a block of code that is not seen as one: code in a line, which begins with the language.
_LOST_BLOCK = re.compile(r"<code>(sh|yaml|json|text|cpp)?\n")


def main() -> int:
    _lay_out()
    result = subprocess.run(
        ["mkdocs", "build", "--strict", "--quiet", "--clean"], cwd=ROOT, env=_environment()
    )
    if result.returncode != 0:
        return 1
    files = sorted(_HTML.rglob("*.html"))
    problems = [problem for file in files for problem in _problems(file)]
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
    if problems:
        return 1
    print(f"{_HTML / 'index.html'}: {len(files)} pages; its search needs a server:")
    print(f"  python3 -m http.server --bind 127.0.0.1 --directory {_HTML}")
    return 0


def _environment() -> dict[str, str]:
    # click, which mkdocs uses, refuses the plain C locale.
    return {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": "/nonexistent"}


def _lay_out() -> None:
    shutil.rmtree(_SITE, ignore_errors=True)
    named = set(
        re.findall(r"^ *- (?:[^:\n]*: )?(\S+\.md)$", (ROOT / "mkdocs.yml").read_text(), re.M)
    )
    sources = {_START if name == "index.md" else ROOT / name for name in named}
    missing = {path for path in (ROOT / "docs").rglob("*.md")} - sources
    if missing:
        raise SystemExit(f"mkdocs.yml does not name {sorted(map(str, missing))}")
    for source in sorted(sources):
        target = _PAGES / ("index.md" if source == _START else source.relative_to(ROOT))
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(_with_links(source, sources))


def _with_links(source: Path, sources: set[Path]) -> str:
    """Links to files lead to copies of them; what is no page and no file, to nothing: its text stays."""
    text = source.read_text()
    for fence in _FENCE.finditer(text):
        # GitHub takes three blanks in a list of numbers, where python-markdown ends the list.
        if len(fence[1]) % 4:
            line = text.count("\n", 0, fence.start()) + 1
            raise SystemExit(
                f"error: {source.relative_to(ROOT)}:{line}: a block in a list is indented by four blanks"
            )
    parts, at = [], 0
    for match in links(text):
        start, end = match.span(1)
        parts.append(text[at:start])
        parts.append(_target(source, match[1], sources))
        at = end
    text = "".join([*parts, text[at:]])
    return re.sub(r"\[((?:[^\]\[]|\[[^\]]*\])*)\]\(\)", r"\1", text)


def _target(source: Path, target: str, sources: set[Path]) -> str:
    if re.match(r"[a-z]+:", target) or target.startswith("#"):
        return target
    name, _, heading = target.partition("#")
    path = (source.parent / name).resolve()
    if path == _START:
        return target.replace("README.md", "index.md")
    if path in sources:
        return target
    if path.suffix == ".md" or not path.is_file():
        return ""
    copy = _PAGES / path.relative_to(ROOT)
    copy.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(path, copy)
    return name


class _Page(HTMLParser):
    """What a page names, and what it can be asked for."""

    def __init__(self, text: str):
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.ids |= {values[name] for name in ("id", "name") if name in values}
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        if tag in _LOADED and not _NAMED_ONLY & set(values.get("rel", "").split()):
            loaded = values.get(_LOADED[tag], "")
            if loaded:
                self.loaded.append(loaded)


@cache
def _page(file: Path) -> _Page:
    return _Page(file.read_text())


def _problems(file: Path) -> Iterator[str]:
    page, name = _page(file), file.relative_to(_HTML)
    for lost in _LOST_BLOCK.finditer(text := file.read_text()):
        if not text[: lost.start()].endswith(("<pre>", "</span>")):
            yield f"{name}: no block of code: {text[lost.end() :].partition(chr(10))[0]}"
    for target in page.loaded:
        if re.match(r"([a-z]+:)?//", target):
            yield f"{name}: fetches {target}"
    for target in page.links + page.loaded:
        # 404.html is shown at any address, so its own links are from the root.
        if re.match(r"([a-z]+:|//)", target) or (name == Path("404.html")):
            continue
        path, _, heading = unquote(target).partition("#")
        to = (file.parent / path).resolve() if path else file
        if to.is_dir():
            to /= "index.html"
        if not to.is_file():
            yield f"{name}: {target} leads nowhere"
        elif heading and to.suffix == ".html" and heading not in _page(to).ids:
            yield f"{name}: {target}: no such heading"
    for style in _HTML.rglob("*.css") if name == Path("index.html") else ():
        for url in re.findall(
            r"(?:url\(|@import )['\"]?((?:https?:)?//[^'\")]+)", style.read_text()
        ):
            yield f"{style.relative_to(_HTML)}: fetches {url}"


if __name__ == "__main__":
    sys.exit(main())
