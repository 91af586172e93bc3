"""Workers whose API server lies: endless or monstrous answers cost neither memory nor the others' time."""

from __future__ import annotations

import dataclasses
import functools
import re
import time

from scenarios.cases.devices import DEVICES, stage, submit
from scenarios.registry import scenario
from scenarios.sim_fleet import SimFleet
from scenarios.waiting import SLOWNESS
from scenarios.world import IMPATIENT, World

_WATCHED = 3.0  # seconds, in which processor time is counted
_LISTS = ("/deviceclasses?limit", "/resourceslices?limit")
_WATCHES = ("/deviceclasses?watch", "/resourceslices?watch")
_OURS = ("/workloads?limit", "/jobs?limit")  # what fedra writes there


@dataclasses.dataclass(frozen=True)
class _Row:
    answer: str  # of tests/sim/http/hostile.cc
    # What `fedra status` says of the worker, as a pattern. Empty: its lists seem to be in order.
    trouble: str
    paths: tuple[str, ...] = _LISTS
    memory: float = 150e6  # bytes
    cores: float = 0.4  # while it lasts
    name: str = ""  # of the scenario; empty: the answer's
    http_version: str = "2"


_ROWS = [
    _Row("endless-list", "has pages of more than the 500 objects that were asked for"),
    _Row(
        "endless-list",
        "has pages of more than the 500 objects that were asked for",
        _OURS,
        name="endless-workloads",
    ),
    _Row("endless-pages", "is longer than"),
    _Row("endless-field", "", cores=1.2),
    _Row("endless-headers", "the headers of the answer are larger than", http_version="1.1"),
    # libcurl gives up the connection, and all that is on it: what is said of the worker changes.
    _Row("endless-headers", "", name="endless-headers-http2"),
    _Row("slow-list", "are still being listed"),
    _Row("huge-element", "an element is too large"),
    _Row("nested", "nested too deeply"),
    _Row("gzip", "not a Kubernetes list"),
    _Row("redirect", "cannot be watched"),
    _Row("wrong-types", ""),
    _Row("wrong-types", "", _OURS, name="wrong-types-workloads"),
    _Row("control-characters", ""),
    _Row("control-characters", "", _OURS, name="control-characters-workloads"),
    _Row("huge-version", ""),
    _Row("endless-event", "is larger than", _WATCHES),
    _Row(
        "event-flood",
        "is longer than|more arrives than can be read",
        _WATCHES,
        memory=300e6,
    ),
    _Row("event-storm", "", _WATCHES, memory=300e6, cores=1.2),
]


def _serves_the_others(row: _Row, world: World) -> None:
    assert isinstance(world.fleet, SimFleet)
    for worker in world.workers:
        stage(world, worker, 1)
    for path in row.paths:
        world.fleet.answer_hostile(world.worker1, row.answer, path)
    protocol = {world.worker1: {"httpVersion": row.http_version}}
    fedra = world.start_fedra({**DEVICES, **IMPATIENT}, ignore_quota=True, workers=protocol)
    world.close_queue(world.worker1)
    job = submit(world, "train")
    job.wait_running_on(world.worker2)
    if row.trouble:
        look = functools.partial(fedra.cluster_trouble, world.worker1)
        world.eventually(f"status says {row.trouble!r}", lambda: re.search(row.trouble, look()))
    if row.trouble and row.paths == _LISTS:
        verdict = world.verdicts(job)[world.worker1]
        assert (verdict.outcome, verdict.reasons) == ("Unknown", ["StaleData"]), verdict
    before, begun = fedra.cpu_seconds(), time.monotonic()
    world.eventually("it lasts", lambda: time.monotonic() - begun >= _WATCHED)
    cores = (fedra.cpu_seconds() - before) / (time.monotonic() - begun)
    memory = fedra.resident_bytes()
    world.note(f"{memory / 1e6:.0f} MB, {cores:.2f} cores")
    assert SLOWNESS > 1 or memory < row.memory, f"{memory / 1e6:.0f} MB"
    assert SLOWNESS > 1 or cores < row.cores, f"{cores:.2f} cores"
    assert fedra.page("/livez") == "ok"
    for output in (fedra.cli("status"), fedra.cli("why", job.key)):
        assert "\x1b" not in output.stdout, output.stdout
    job.finish(world.worker2)


# A real API server does not lie.
for _row in _ROWS:
    _body = functools.partial(_serves_the_others, _row)
    _body.__doc__ = f"A worker that answers with {_row.answer}: bounded memory and time, the other worker serves."
    scenario(f"hostile-{_row.name or _row.answer}", fleets=("sim",), kueue_dra=(False,))(_body)
