"""docs/conformance.md, made of the table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from pathlib import Path

from scenarios import shown_by
from scenarios.conformance.entry import Answer, Entry
from scenarios.conformance.table import TABLE
from scenarios.modes import MODES

PAGE = Path(__file__).parents[3] / "docs/conformance.md"
TABLE_FILE = Path(__file__).parent / "table.py"
_TESTED = ("yes", "part")

_HEAD = """# Conformance

What Kueue's own tests ask of MultiKueue (kubernetes-sigs/kueue at ff69552e, v0.20-devel), and which test shows the same of
fedra, in each [mode](kueue-setup.md#beside-multikueue) of `kueue.mode`. I-... are Kueue's integration tests, E-... its
end-to-end tests; the names are ours.

- **yes**: shown in this mode. A word in `code` is a scenario, a path a unit test. A scenario is played by
  `tests/scenarios/run.py --only NAME`, in the columns multikueue and dispatcher with `--mode multikueue` or `--mode dispatcher`
  before it (one whose name begins with multikueue or dispatcher sets its mode up itself). `make test` plays those that simulated
  clusters can play (in mode multikueue, one kind of jobs for all kinds that share its code);
  real clusters play theirs in `make test-real`, `make test-real-kinds` and `make test-real-modes`.
- **part**: some of it is; the rest is named.
- **-**: does not apply, or is done otherwise on purpose.

This page is made from `tests/scenarios/conformance` by `make docs`; `make test` fails when it names a test that does not
exist, or a scenario that is not played in that mode.
"""


def render() -> str:
    parts = [_HEAD, *_counts()]
    for heading, entries in TABLE.items():
        parts.append(f"\n## {heading}\n")
        parts.append(f"| case | asks | {' | '.join(MODES)} |\n|---|---|---|---|---|")
        parts += [_line(entry) for entry in entries]
    return "\n".join(parts) + "\n"


def is_current() -> bool:
    return PAGE.exists() and PAGE.read_text() == render()


def write() -> None:
    PAGE.write_text(render())


def problems(scenarios: Mapping[str, Collection[str]]) -> list[str]:
    """Names that are there twice, and tests that do not exist, or not in that mode; one line each.

    `scenarios`: of each mode.
    """
    counted = Counter(entry.name for entry in _entries())
    found = [f"{name} is there {count} times" for name, count in counted.items() if count > 1]
    for entry in _entries():
        for mode, answer in zip(MODES, entry.answers()):
            known = (
                scenarios[mode]
                if answer.mark in _TESTED
                else frozenset().union(*scenarios.values())
            )
            found += [f"{entry.name}, {mode}: {each}" for each in _problems_of(answer, known)]
    return found


def _problems_of(answer: Answer, scenarios: Collection[str]) -> list[str]:
    if answer.mark in _TESTED and not shown_by.names_something(answer.text):
        return [f"nothing is named in {answer.text!r}"]
    return list(shown_by.problems(answer.text, scenarios))


def _entries() -> list[Entry]:
    return [entry for entries in TABLE.values() for entry in entries]


def _counts() -> list[str]:
    lines = ["\n| | yes | part | - |\n|---|---|---|---|"]
    for index, mode in enumerate(MODES):
        marks = Counter(entry.answers()[index].mark for entry in _entries())
        counts = [str(marks[mark]) for mark in ("yes", "part", "-")]
        lines.append(f"| {mode} | {' | '.join(counts)} |")
    return lines


def _line(entry: Entry) -> str:
    cells = [entry.name, entry.asks, *(_cell(answer) for answer in entry.answers())]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _cell(answer: Answer) -> str:
    mark = f"**{answer.mark}**" if answer.mark in _TESTED else answer.mark
    return f"{mark}: {answer.text}" if answer.text else mark
