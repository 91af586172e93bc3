"""docs/workloads.md, made of the table."""

from __future__ import annotations

from pathlib import Path

from scenarios.rows.row import Case, Row, State
from scenarios.rows.table import TABLE

PAGE = Path(__file__).parents[3] / "docs/workloads.md"

_HEAD = """# Workloads

The jobs that fedra must place correctly, each as a scenario of that name (`tests/scenarios/run.py --only S1`) that
sets up two workers, submits the job and compares three things: where fedra sends it, what `fedra why` says of each
worker (and `fedra check` before the job is submitted), and what the scheduler of each worker does with such pods:
where the table says Yes they start, where it says No they do not. The same scenarios run on simulated clusters (`make test`) and on real control planes
(`make test-real`), where kube-scheduler decides; Kueue's own DRA support is off, because with it most of these
shapes are refused before fedra sees them.

The claims are those of the originals; other kinds of workload became Jobs (see the remarks). A worker that the job
goes to is printed in **bold**. This page is made from the scenarios by `make docs`.
"""


def render() -> str:
    parts = [_HEAD]
    for heading, rows in TABLE.items():
        parts.append(f"\n## {heading}\n")
        parts.append("| row | workload | worker 1 | worker 2 |\n|---|---|---|---|")
        parts += [_line(row, index, case) for row in rows for index, case in enumerate(row.cases)]
        parts.append("\nWhat a verdict must understand, and remarks:\n")
        parts += [_remark(row) for row in rows]
    return "\n".join(parts) + "\n"


def is_current() -> bool:
    return PAGE.exists() and PAGE.read_text() == render()


def write() -> None:
    PAGE.write_text(render())


def _line(row: Row, index: int, case: Case) -> str:
    first = index == 0
    cells = [
        row.name if first else "",
        row.title if first else "",
        _cell(case.worker1, case.goes_to == "worker1"),
        _cell(case.worker2, case.goes_to == "worker2"),
    ]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _cell(state: State, chosen: bool) -> str:
    alternatives = [f"alternative {index + 1}" for index in state.alternatives]
    verdict = ", ".join([state.verdict, *alternatives, *state.reasons])
    text = f"{state.what} → {f'**{verdict}**' if chosen else verdict}"
    return f"{text} ({state.but})" if state.but else text


def _remark(row: Row) -> str:
    return f"- {row.name}: {row.forces}" + (f"; here: {row.note}" if row.note else "")
