"""The tables of cases and of attacks in README.md: every scenario and every test that it names must exist."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path

from scenarios import shown_by

PAGE = Path(__file__).parent / "README.md"
_HEADINGS = ("## Cases", "## Attacks")


def problems(scenarios: Collection[str]) -> list[str]:
    """One line each."""
    rows = [row for heading in _HEADINGS for row in _rows(heading)]
    return [problem for row in rows for problem in _problems_of(row, scenarios)]


def _rows(heading: str) -> list[str]:
    """Second columns, below the heading and the two lines of a table's head."""
    _, found, behind = PAGE.read_text().partition(f"\n{heading}\n")
    part, _, _ = behind.partition("\n## ")
    lines = [line for line in part.splitlines() if line.startswith("|")]
    assert found and len(lines) > 2, f"{PAGE} has no table below {heading}"
    return [line.strip("|").split("|")[1] for line in lines[2:]]


def _problems_of(row: str, scenarios: Collection[str]) -> Iterator[str]:
    if not shown_by.names_something(row):
        yield f"nothing is named in {row!r}"
    yield from shown_by.problems(row, scenarios)
