"""What API servers and Kueue have counted of themselves: the work that a dispatcher's writes cause, theirs included.

What this process has asked for by the fleet's own clients is no part of it: to submit, to end pods, to look whether all is
done, to watch when.
"""

from __future__ import annotations

import dataclasses
import time

from scenarios.counters import Counters, quantile
from scenarios.fleet import MANAGER
from scenarios.real_fleet import RealFleet
from scenarios.resources import RESOURCES

_REQUESTS, _EVENTS = "requests", "watch events"

# What is counted per job: name -> (of the API server, else of Kueue; family; labels that do not count).
_WATCHES = ('verb="WATCH"', 'verb="CONNECT"')
_FAMILIES = {
    _REQUESTS: (True, "apiserver_request_total", _WATCHES),
    _EVENTS: (True, "apiserver_watch_events_total", ()),
    "webhook calls": (True, "apiserver_admission_webhook_request_total", ()),
    "reconciles of Kueue": (False, "controller_runtime_reconcile_total", ()),
}

_DURATION = "apiserver_request_duration_seconds"


@dataclasses.dataclass(frozen=True)
class _Call:
    name: str
    on_manager: bool
    labels: tuple[str, ...]


def _calls(kind: str) -> list[_Call]:
    """Of a dispatcher of such jobs, and of nobody else there: Kueue writes by server-side apply (APPLY) and PUT."""
    job = RESOURCES[kind].plural
    return [
        _Call("POST clone", False, ('verb="POST"', 'resource="workloads"', 'subresource=""')),
        _Call("POST job", False, ('verb="POST"', f'resource="{job}"', 'subresource=""')),
        _Call(
            "PATCH the Workload's status",
            True,
            ('verb="PATCH"', 'resource="workloads"', 'subresource="status"'),
        ),
    ]


@dataclasses.dataclass(frozen=True)
class Reading:
    """Of one moment."""

    at: float  # time.monotonic
    own: dict[str, dict[str, int]]  # by cluster, and then as _FAMILIES
    api_servers: dict[str, Counters]
    kueues: dict[str, Counters]

    def total(self, name: str, on_manager: bool) -> float:
        of_server, family, without = _FAMILIES[name]
        pages = self.api_servers if of_server else self.kueues
        return sum(
            page.total(family, without) - self.own[cluster].get(name, 0)
            for cluster, page in pages.items()
            if (cluster == MANAGER) == on_manager
        )


def read(fleet: RealFleet) -> Reading:
    clients = {name: fleet.admin(name) for name in fleet.clusters}
    return Reading(
        time.monotonic(),
        {name: {_REQUESTS: each.requests, _EVENTS: each.events} for name, each in clients.items()},
        {name: Counters(fleet.api_server_metrics(name)) for name in fleet.clusters},
        {name: Counters(fleet.kueue_metrics(name)) for name in fleet.clusters},
    )


@dataclasses.dataclass(frozen=True)
class Work:
    """Between two readings."""

    before: Reading
    after: Reading

    def each(self, name: str, on_manager: bool, rest: Work, jobs: int) -> float:
        """For one of so many jobs, without what goes on at rest."""
        idle = rest.rate(name, on_manager) * (self.after.at - self.before.at)
        return max(0.0, self._count(name, on_manager) - idle) / jobs

    def rate(self, name: str, on_manager: bool) -> float:
        """A second."""
        return self._count(name, on_manager) / (self.after.at - self.before.at)

    def duration(self, call: _Call, part: float) -> float | None:
        """Seconds inside of the API server, webhooks included; None: there was no such call."""
        before, after = (
            [
                page
                for cluster, page in each.api_servers.items()
                if (cluster == MANAGER) == call.on_manager
            ]
            for each in (self.before, self.after)
        )
        return quantile(before, after, _DURATION, part, call.labels)

    def _count(self, name: str, on_manager: bool) -> float:
        return self.after.total(name, on_manager) - self.before.total(name, on_manager)


def work_table(systems: dict[str, tuple[Work, int]], rest: Work, kind: str) -> str:
    """`systems`: what was done, and for how many jobs, which are of that kind. Manager + workers."""
    lines = [
        f"| per job, manager + workers | {' | '.join(systems)} | at rest, a second |",
        "|---" * (len(systems) + 2) + "|",
    ]
    for name in _FAMILIES:
        cells = [
            " + ".join(f"{work.each(name, on, rest, jobs):.1f}" for on in (True, False))
            for work, jobs in systems.values()
        ]
        idle = " + ".join(f"{rest.rate(name, on):.1f}" for on in (True, False))
        lines.append(f"| {name} | {' | '.join(cells)} | {idle} |")
    for call in _calls(kind):
        cells = [
            ", ".join(_milliseconds(work.duration(call, part)) for part in (0.5, 0.99))
            for work, _ in systems.values()
        ]
        lines.append(f"| {call.name}, p50, p99 | {' | '.join(cells)} | |")
    return "\n".join(lines)


def _milliseconds(seconds: float | None) -> str:
    return "–" if seconds is None else f"{seconds * 1e3:.0f} ms"
