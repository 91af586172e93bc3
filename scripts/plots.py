#!/usr/bin/python3
"""Draws docs/pictures/scale-*.svg from the runs in tests/data/scale; --check says which pictures have fallen behind.

  plots.py [--check] [RUN.json FOLDER]     with a run and a folder: draws that run there, as of one that is not to be kept

A run is the document that `make bench-scale` writes; to keep one, copy it to tests/data/scale/DATE.json. Of rows of one
size the youngest run's counts. Beside fedra's numbers stand those that others have published, on other machines, of what
comes nearest: the pictures say which, and PUBLISHED has the sources.
"""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from scripts.svg_chart import Chart, Series, svg  # noqa: E402

RUNS, PICTURES = ROOT / "tests/data/scale", ROOT / "docs/pictures"
_PREFIX = "scale-"

Row = dict[str, Any]  # tests/scenarios/bench/size_row.py has the fields


@dataclasses.dataclass(frozen=True)
class Published:
    """What a project says of itself."""

    picture: str
    label: str
    points: list[tuple[float, float]]  # clusters, value


_KUBEFLEET = "https://kubefleet.dev/blog/2026/ (Performance and Scalability Report, Q1 2026)"
_KARMADA = "https://karmada.io/blog/2022/10/26/test-report/"
_ARGO_CD = "https://cnoe.io/blog/argo-cd-application-scalability"
_MULTIKUEUE = "https://github.com/kubernetes-sigs/kueue, issue 8564 and pull request 13936"
_SOURCES = {
    "KubeFleet": _KUBEFLEET,
    "Karmada": _KARMADA,
    "Argo CD": _ARGO_CD,
    "MultiKueue": _MULTIKUEUE,
}

PUBLISHED = (
    Published("memory", "KubeFleet, hub agent at rest: 234 MB", [(1000, 234e6)]),
    Published(
        "memory", "KubeFleet, the same while it processes all placements again: 8 GB", [(1000, 8e9)]
    ),
    Published(
        "ready",
        "KubeFleet, restart until 1,000 placements are processed again, p90: 11 min 15 s",
        [(1000, 675)],
    ),
    Published(
        "ready", "Argo CD, 9 shards synchronize 50,000 applications: 21 min", [(500, 21 * 60)]
    ),
    Published(
        "rate", "MultiKueue, clients tuned to 1,000 requests a second: 97 to 102", [(3, 100)]
    ),
    Published("rate", "MultiKueue, defaults of 0.19: 1.31", [(3, 1.31)]),
    Published("rate", "Argo CD, 50,000 applications in 21 min: 40", [(500, 50_000 / (21 * 60))]),
    Published("verdict", "Karmada, scheduling, p50: 12 ms", [(100, 0.012)]),
    Published("verdict", "Karmada, the same, p99: 32 ms", [(100, 0.032)]),
)


@dataclasses.dataclass(frozen=True)
class Picture:
    name: str
    title: str
    y_label: str
    show: Callable[[float], str]
    # Label -> the field of a row; a path for one of several, as "per_job.looks".
    fields: dict[str, str]
    by_workloads: bool = (
        True  # a series for each number of workloads; else the greatest of each number of workers
    )


def _bytes(value: float) -> str:
    return f"{value / 1e9:g} GB" if value >= 1e9 else f"{value / 1e6:g} MB"


def _seconds(value: float) -> str:
    return f"{value:,g} s" if value >= 1 else f"{value * 1e3:g} ms"


PICTURES_OF = (
    Picture(
        "memory",
        "Memory of the daemon",
        "resident memory after a restart",
        _bytes,
        {"fedra": "memory_restarted"},
    ),
    Picture(
        "ready",
        "After kill -9",
        "time from the start",
        _seconds,
        {"ready": "ready", "the first dispatch": "first_dispatch"},
    ),
    Picture(
        "rate",
        "Jobs that reach a worker",
        "jobs per second",
        lambda value: f"{value:g}",
        {"fedra": "dispatch_rate"},
    ),
    Picture(
        "verdict",
        "Judging one job for all workers, while others write",
        "time",
        _seconds,
        {"p50": "verdict_p50", "p99": "verdict_p99"},
    ),
    Picture(
        "growth",
        "Operations of one job, from its submission to its dispatch or end",
        "how many",
        lambda value: f"{value:g}",
        {
            "looks": "per_job.looks",
            "judgements": "per_job.judgements",
            "requests": "per_job.requests",
            "transactions": "per_job.transactions",
        },
        by_workloads=False,
    ),
)


def main() -> int:
    parser = argparse.ArgumentParser(description="Draws what was measured.")
    parser.add_argument("--check", action="store_true", help="write nothing")
    parser.add_argument("run", nargs="?", type=Path)
    parser.add_argument("folder", nargs="?", type=Path)
    arguments = parser.parse_args()
    if arguments.run is not None:
        if arguments.folder is None or arguments.check:
            parser.error("a run takes a folder to draw into, and no --check")
        drawn = pictures([json.loads(arguments.run.read_text())])
        arguments.folder.mkdir(parents=True, exist_ok=True)
        _write(arguments.folder, drawn)
        return 0
    drawn = pictures([json.loads(file.read_text()) for file in sorted(RUNS.glob("*.json"))])
    if not arguments.check:
        _write(PICTURES, drawn)
        return 0
    there = {file.name: file.read_text() for file in PICTURES.glob(f"{_PREFIX}*.svg")}
    stale = sorted(name for name in {*drawn, *there} if drawn.get(name) != there.get(name))
    for name in stale:
        print(f"error: docs/pictures/{name} is not what `make plots` draws", file=sys.stderr)
    return 1 if stale else 0


def pictures(runs: list[dict[str, Any]]) -> dict[str, str]:
    """File name -> its text; nothing that no run has measured is drawn."""
    rows: dict[tuple[int, int], tuple[Row, str]] = {}
    for run in sorted(runs, key=lambda each: each["date"]):
        for row in run["rows"]:
            rows[row["workers"], row["workloads"]] = (row, _origin(run))
    drawn = {}
    for picture in PICTURES_OF:
        measured = _series(picture, [row for row, _ in rows.values()])
        if not measured:
            continue
        published = [
            Series(each.label, each.points, is_measured=False)
            for each in PUBLISHED
            if each.picture == picture.name
        ]
        # The sources of what is shown, and which runs it is of.
        named = [name for name in _SOURCES if any(name in each.label for each in published)]
        origins = sorted({origin for _, origin in rows.values()})
        notes = [
            *(f"Measured: {origin}" for origin in origins),
            *(f"{name}: {_SOURCES[name]}" for name in named),
        ]
        if published:
            notes.insert(len(origins), "Published by others, on other machines and of other work:")
        chart = Chart(
            picture.title,
            "workers (clusters)",
            picture.y_label,
            picture.show,
            [*measured, *published],
            notes,
        )
        drawn[f"{_PREFIX}{picture.name}.svg"] = svg(chart)
    return drawn


def _series(picture: Picture, rows: list[Row]) -> list[Series]:
    found = []
    for label, field in picture.fields.items():
        for workloads in _workloads(picture, rows):
            points = [
                (float(row["workers"]), float(value))
                for row in _of(rows, workloads)
                if (value := _value(row, field))
            ]
            name = "fedra" if label == "fedra" else f"fedra, {label}"
            if points:
                found.append(
                    Series(name + (f", {workloads:,} workloads" if workloads else ""), points)
                )
    return found


def _workloads(picture: Picture, rows: list[Row]) -> list[int | None]:
    if not picture.by_workloads:
        return [None]
    return list(sorted({row["workloads"] for row in rows}))


def _of(rows: list[Row], workloads: int | None) -> list[Row]:
    """With so many workloads; None: of each number of workers the row with the most."""
    if workloads is not None:
        return [row for row in rows if row["workloads"] == workloads]
    largest: dict[int, Row] = {}
    for row in sorted(rows, key=lambda each: int(each["workloads"])):
        largest[row["workers"]] = row
    return list(largest.values())


def _value(row: Row, field: str) -> float | None:
    """None: not measured. A logarithmic axis has no 0."""
    value: Any = row
    for name in field.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value if value else None


def _origin(run: dict[str, Any]) -> str:
    machine = run["machine"]
    return f"{run['date'][:10]}, {run['fedra']}, {machine['cores']} cores of {machine['processor']}"


def _write(folder: Path, drawn: dict[str, str]) -> None:
    for name, text in drawn.items():
        (folder / name).write_text(text)
        print(folder / name)


if __name__ == "__main__":
    sys.exit(main())
