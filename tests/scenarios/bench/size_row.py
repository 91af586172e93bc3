"""What is measured of one size of a fleet, and how it is printed."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable

# Of one job, or of one write of others: name of counters.COUNTED -> how many. With "served": requests that the API servers
# have answered, lists and watches among them.
Counts = dict[str, float]


@dataclasses.dataclass
class Row:
    """None: it was not measured. Seconds, bytes, shares of one core."""

    workers: int
    workloads: int
    load_before: float  # of the machine, when the size was begun: other work disturbs
    # What the jobs came to.
    waiting: int = 0
    running: int = 0
    finished: int = 0
    wanted: int = 0  # of running and finished
    # The first start, on an empty store and without jobs.
    connected_first: float | None = None
    # The jobs' way to the workers.
    dispatch_rate: float | None = None
    dispatch_rates: list[float] = dataclasses.field(default_factory=list)  # of each thousand
    per_job: Counts = dataclasses.field(default_factory=dict)
    cpu_per_job: float | None = None
    simulation_cpu_per_job: float | None = None
    # One job after the other: until it is on a worker, before and after some are slow or dead.
    slow: int = 0  # workers
    dead: int = 0
    paced_p50: float | None = None
    paced_p99: float | None = None
    paced_bad_p50: float | None = None
    paced_bad_p99: float | None = None
    # At rest.
    memory: int | None = None
    memory_peak: int | None = None  # until then
    idle_cpu: float | None = None
    metrics_page: int | None = None  # bytes of one scrape
    # After kill -9, from the start.
    ready: float | None = None
    connected: float | None = None  # until every worker is
    first_dispatch: float | None = None  # of a job that was submitted while it was away
    looked: float | None = None  # until every Workload has been looked at
    restart_cpu: float | None = None  # until then, or until that was not waited for any more
    per_workload: Counts = dataclasses.field(default_factory=dict)  # the same
    served_per_worker: float | None = None  # requests that the API servers have answered, the same
    memory_restarted: int | None = None
    descriptors: int | None = None
    threads: int | None = None
    # While others write to the workers.
    churn_rates: dict[str, float] = dataclasses.field(default_factory=dict)  # writes a second
    churn_cpu: float | None = None
    churn_driver_cpu: float | None = None
    churn_simulation_cpu: float | None = None
    per_write: Counts = dataclasses.field(default_factory=dict)
    verdict_p50: float | None = None
    verdict_p99: float | None = None
    # What people wait for.
    clone_p50: float | None = None
    clone_p99: float | None = None
    fair_slowest: float | None = None
    fair_fastest: float | None = None
    commands: dict[str, float | None] = dataclasses.field(default_factory=dict)
    # All clusters together.
    simulation_memory: int | None = None
    restless: list[str] = dataclasses.field(default_factory=list)  # when it did not come to rest
    spent: float = 0.0
    cut_off: str = ""  # what was waited for when the time was over
    failed: str = ""


def _cell(form: Callable[[float], str]) -> Callable[[float | None], str]:
    return lambda value: "–" if value is None else form(value)


_SECONDS = _cell(lambda value: f"{value:.1f} s")
_MILLISECONDS = _cell(lambda value: f"{value * 1e3:.1f} ms")
_MEGABYTES = _cell(lambda value: f"{value / 1e6:.0f} MB")
_KILOBYTES = _cell(lambda value: f"{value / 1e3:.0f} kB")
_CORE = _cell(lambda value: f"{value * 100:.1f} %")
_RATE = _cell(lambda value: f"{value:.0f}")

_COLUMNS: dict[str, Callable[[Row], str]] = {
    "workers": lambda row: f"{row.workers:,}",
    "workloads": lambda row: f"{row.workloads:,}",
    "waiting, running, finished": lambda row: f"{row.waiting:,}, {row.running:,}, {row.finished:,}",
    "ready": lambda row: _SECONDS(row.ready),
    "connected": lambda row: _SECONDS(row.connected),
    "first dispatch": lambda row: _SECONDS(row.first_dispatch),
    "memory, peak, after a restart": lambda row: ", ".join(
        map(_MEGABYTES, (row.memory, row.memory_peak, row.memory_restarted))
    ),
    "a scrape": lambda row: _KILOBYTES(row.metrics_page),
    "idle": lambda row: _CORE(row.idle_cpu),
    "under churn": lambda row: _CORE(row.churn_cpu),
    "verdict p50, p99": lambda row: f"{_MILLISECONDS(row.verdict_p50)}, {_MILLISECONDS(row.verdict_p99)}",
    "jobs/s, the first, the last thousand": lambda row: ", ".join(
        map(_RATE, (row.dispatch_rate, *_ends(row.dispatch_rates)))
    ),
    "job → worker p50, p99": lambda row: f"{_MILLISECONDS(row.paced_p50)}, {_MILLISECONDS(row.paced_p99)}",
    "the same with slow, dead workers": lambda row: (
        f"{_MILLISECONDS(row.paced_bad_p50)}, {_MILLISECONDS(row.paced_bad_p99)} with {row.slow}, {row.dead}"
    ),
    "template → clone p50, p99": lambda row: f"{_MILLISECONDS(row.clone_p50)}, {_MILLISECONDS(row.clone_p99)}",
    "slowest queue, fastest": lambda row: f"{_SECONDS(row.fair_slowest)}, {_SECONDS(row.fair_fastest)}",
    "commands": lambda row: ", ".join(
        f"{name} {_cell(lambda value: f'{value:.2f} s')(seconds)}"
        for name, seconds in row.commands.items()
    )
    or "–",
    "the clusters' memory": lambda row: _MEGABYTES(row.simulation_memory),
    "": lambda row: _remark(row),
}

_COUNT_COLUMNS: dict[str, Callable[[Row], str]] = {
    "workers": _COLUMNS["workers"],
    "workloads": _COLUMNS["workloads"],
    "a job dispatched": lambda row: _counts(row.per_job),
    "CPU": lambda row: _MILLISECONDS(row.cpu_per_job),
    "of the simulation": lambda row: _MILLISECONDS(row.simulation_cpu_per_job),
    "a workload after a restart": lambda row: _counts(row.per_workload),
    "requests served per worker": lambda row: _cell(lambda value: f"{value:.1f}")(
        row.served_per_worker
    ),
    "CPU of all": lambda row: _SECONDS(row.restart_cpu),
    "a write of others": lambda row: _counts(row.per_write),
    "writes a second": lambda row: ", ".join(
        f"{kind} {rate:.0f}" for kind, rate in row.churn_rates.items()
    )
    or "–",
    "CPU of the simulation, of who writes": lambda row: f"{_CORE(row.churn_simulation_cpu)}, {_CORE(row.churn_driver_cpu)}",
}


def heads() -> str:
    return _heads(_COLUMNS)


def line(row: Row) -> str:
    return _line(_COLUMNS, row)


def count_table(rows: list[Row]) -> str:
    """What grows with the size: operations, not seconds."""
    return "\n".join([_heads(_COUNT_COLUMNS), *(_line(_COUNT_COLUMNS, row) for row in rows)])


def memory_table(rows: list[Row]) -> str:
    """What one more worker takes: between sizes that differ in workers alone. Empty: there are no two such sizes."""
    lines = []
    for first, second in itertools.pairwise(sorted(rows, key=lambda r: (r.workloads, r.workers))):
        more = second.workers - first.workers
        if first.workloads != second.workloads or more == 0:
            continue
        slopes = (
            _slope(first.memory, second.memory, more),
            _slope(first.memory_restarted, second.memory_restarted, more),
            _slope(first.simulation_memory, second.simulation_memory, more),
        )
        cells = " | ".join(_cell(lambda value: f"{value / 1e6:.2f} MB")(each) for each in slopes)
        sizes = f"{first.workers:,} → {second.workers:,}"
        lines.append(f"| {sizes} | {first.workloads:,} | {cells} |")
    if not lines:
        return ""
    heads = "| workers | workloads | memory for each more | after a restart | of the simulation |"
    return "\n".join([heads, "|---|---|---|---|---|", *lines])


def _slope(first: int | None, second: int | None, more: int) -> float | None:
    return None if first is None or second is None else (second - first) / more


def _heads(columns: dict[str, Callable[[Row], str]]) -> str:
    return f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}"


def _line(columns: dict[str, Callable[[Row], str]], row: Row) -> str:
    return f"| {' | '.join(cell(row) for cell in columns.values())} |"


def _counts(counts: Counts) -> str:
    return ", ".join(f"{count:.1f} {name}" for name, count in counts.items()) or "–"


def _ends(rates: list[float]) -> tuple[float | None, float | None]:
    return (rates[0], rates[-1]) if rates else (None, None)


def _remark(row: Row) -> str:
    parts = []
    if row.failed:
        parts.append(f"**failed**: {row.failed}")
    if row.cut_off:
        parts.append(f"cut off after {row.spent:.0f} s, waiting for: {row.cut_off}")
    if row.restless:
        parts.append(f"no rest {' and '.join(row.restless)}")
    if row.running + row.finished < row.wanted:
        parts.append(f"{row.running + row.finished:,} of {row.wanted:,} jobs dispatched")
    return "; ".join(parts).replace("|", "/").replace("\n", " ")
