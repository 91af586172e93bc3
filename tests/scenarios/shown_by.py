"""Tests as tables name them: `scenario`, or `folder/file` with the "titles" of tests in it."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from pathlib import Path

_REPOSITORY = Path(__file__).parents[2]
_NAMED = re.compile(r'`([^`]+)`((?: "[^"]+",?)*)')
# A title that is longer than a line is written as several strings.
_BROKEN_TITLE = re.compile(r'"\s*\n\s*"')


def names_something(text: str) -> bool:
    return _NAMED.search(text) is not None


def problems(text: str, scenarios: Collection[str]) -> Iterator[str]:
    """What it names that does not exist."""
    for name, titles in _NAMED.findall(text):
        if "/" not in name:
            if name not in scenarios:
                yield f"no scenario is called {name}"
            continue
        file = _REPOSITORY / name
        if not file.exists():
            yield f"{name} does not exist"
            continue
        source = _BROKEN_TITLE.sub("", file.read_text())
        for title in re.findall(r'"([^"]+)"', titles):
            if f'"{title}"' not in source:
                yield f'{name} has no test "{title}"'
