"""The table of cases in README.md: every scenario and every test that it names must exist."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

from scenarios import shown_by

PAGE = Path(__file__).parent / "README.md"
_HEADING = "## Cases"


def problems(scenarios: Collection[str]) -> list[str]:
    """One line each."""
    return [problem for row in _rows() for problem in _problems_of(row, scenarios)]


def _rows() -> list[str]:
    """Second columns, below the heading and the two lines of a table's head."""
    _, _, part = PAGE.read_text().partition(_HEADING)
    lines = [line for line in part.splitlines() if line.startswith("|")]
    return [line.strip("|").split("|")[1] for line in lines[2:]]


def _problems_of(row: str, scenarios: Collection[str]) -> Iterator[str]:
    if not shown_by.names_something(row):
        yield f"nothing is named in {row!r}"
    yield from shown_by.problems(row, scenarios)
