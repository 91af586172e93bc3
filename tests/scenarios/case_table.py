"""The table of cases in README.md: every scenario and every test that it names must exist."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from pathlib import Path

_REPOSITORY = Path(__file__).parents[2]
PAGE = Path(__file__).parent / "README.md"
_HEADING = "## Cases"
# `scenario`, or `folder/file` with the "titles" of tests in it.
_NAMED = re.compile(r'`([^`]+)`((?: "[^"]+",?)*)')


def problems(scenarios: Collection[str]) -> list[str]:
    """One line each."""
    return [problem for row in _rows() for problem in _problems_of(row, scenarios)]


def _rows() -> list[str]:
    """Second columns, below the heading and the two lines of a table's head."""
    _, _, part = PAGE.read_text().partition(_HEADING)
    lines = [line for line in part.splitlines() if line.startswith("|")]
    return [line.strip("|").split("|")[1] for line in lines[2:]]


def _problems_of(row: str, scenarios: Collection[str]) -> Iterator[str]:
    named = _NAMED.findall(row)
    if not named:
        yield f"nothing is named in {row!r}"
    for name, titles in named:
        if "/" not in name:
            if name not in scenarios:
                yield f"no scenario is called {name}"
            continue
        file = _REPOSITORY / name
        if not file.exists():
            yield f"{name} does not exist"
            continue
        text = file.read_text()
        for title in re.findall(r'"([^"]+)"', titles):
            if f'"{title}"' not in text:
                yield f'{name} has no test "{title}"'
