"""docs/workloads.md, made of the table."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from scenarios.rows.diagnoses import Diagnosis
from scenarios.rows.published import names
from scenarios.rows.row import Case, Row, State
from scenarios.rows.table import LIMITS, OVERVIEW, SECTIONS, Section

PAGE = Path(__file__).parents[3] / "docs/workloads.md"

_HEAD = """# Workloads

The workloads that fedra must place correctly, each as a scenario of that name (`tests/scenarios/run.py --only S1`) that
sets up two workers, submits the workload and compares three things: where fedra sends it, what `fedra why` says of each
worker (and `fedra check` before it is submitted), and what the scheduler of each worker does with such pods:
where the table says Yes they start, where it says No they do not. The same scenarios run on simulated clusters (`make test`) and on
real control planes (`make test-real`; what is no Job: `make test-real-kinds`), where kube-scheduler decides; Kueue's own DRA support
is off unless a section says otherwise, because with it most of these shapes are refused before fedra sees them.

Each runs as its article publishes it, with its kind, names and fields; what a user adds is the label
`kueue.x-k8s.io/queue-name`, and the namespace (the scenario's). Of a Job and of Kubeflow's kinds the scenario also writes
`managedBy`, and suspends the Job, as `deploy/managed-by-policy.yaml` and Kueue's webhooks do. The remarks say what still differs, and why. Pods that are no group, and the replicas of a
Deployment, are jobs of their own ([kinds.md](kinds.md#pods)): the table has the verdict on the first of them. A worker that
the pods go to is printed in **bold**. This page is made from the scenarios by `make docs`.
"""


def render() -> str:
    return "\n".join([_HEAD, *(line for each in SECTIONS for line in _section(each))]) + "\n"


def is_current() -> bool:
    return PAGE.exists() and PAGE.read_text() == render()


def write() -> None:
    PAGE.write_text(render())


def _section(section: Section) -> list[str]:
    lines = [f"\n## {section.heading}\n"]
    lines.append(section.source.format(overview=_listed(OVERVIEW), limits=_listed(LIMITS)) + "\n")
    lines.append("| row | workload | worker 1 | worker 2 |\n|---|---|---|---|")
    lines += [
        _line(row, index, case) for row in section.rows for index, case in enumerate(row.cases)
    ]
    lines.append("\nHow they run, what a verdict must understand, and what differs:\n")
    lines += [_remark(row) for row in section.rows]
    if section.diagnoses:
        lines.append("\nWhat cannot work as printed, and what `fedra check` says of it:\n")
        lines += [_diagnosis(each) for each in section.diagnoses]
    return lines


def _listed(rows: Mapping[str, Row]) -> str:
    return ", ".join(f"{words} ({row.name})" for words, row in rows.items())


def _line(row: Row, index: int, case: Case) -> str:
    first = index == 0
    cells = [
        row.name if first else "",
        row.title if first else "",
        _cell(case.worker1, case.goes_to == "worker1", case.spread[0]),
        _cell(case.worker2, case.goes_to == "worker2", case.spread[1]),
    ]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _cell(state: State, chosen: bool, pods: int) -> str:
    alternatives = [f"alternative {index + 1}" for index in state.alternatives]
    verdict = ", ".join([state.verdict, *alternatives, *state.reasons])
    text = f"{state.what} → {f'**{verdict}**' if chosen or pods else verdict}"
    if pods:
        text += f", {pods} of the pods"
    return f"{text} ({state.but})" if state.but else text


def _remark(row: Row) -> str:
    kind = (
        names(row.workload)
        if row.workload
        else "Job" + (f" of {row.pods} pods" if row.pods > 1 else "")
    )
    return f"- {row.name}, {kind}: {row.forces}" + (f"; here: {row.note}" if row.note else "")


def _diagnosis(diagnosis: Diagnosis) -> str:
    where = [
        f"{each.what} → {', '.join([each.verdict, *each.reasons])}" for each in diagnosis.states
    ]
    text = f"- {diagnosis.name}, {diagnosis.title}: {diagnosis.answer}"
    return f"{text}; {'; '.join(where)}" if where else text
