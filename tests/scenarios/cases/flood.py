"""The API is flooded by those who may use it, and no job waits longer for that."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import re
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from scenarios import flood
from scenarios.fedra_process import Fedra
from scenarios.observer import Arrivals
from scenarios.registry import scenario
from scenarios.waiting import SLOWNESS
from scenarios.world import World

_CONNECTIONS = 10_000
_ROUNDS, _JOBS = (
    3,
    100,
)  # of each sort, and in each; so that of each sort there are enough for a p99
_PACE = 0.02  # seconds between two jobs
# The flood and its answers take processor time of the same cores: what is allowed for that, of two of them.
_TIMES, _MORE = 3.0, 0.15  # times as long, and so many seconds
_EXPECTED = {
    "wrong token": "400",
    "token of another question": "400",
    "nothing matches": "200",
    "unknown job": "404",
    "unknown filter": "400",
    "1 MiB": "200",
    "1 MiB and a byte": "413",
    "too long": "414",
    "no HTTP": "400",
}
# Of a crowd: the connection has made room for others, or there are too many questions at a time.
_CROWDED = {"cut", "503"}


@dataclasses.dataclass
class _Seen:
    """What was measured, with the flood or without."""

    dispatched: list[float] = dataclasses.field(default_factory=list)  # seconds, of each job
    looks: dict[float, float] = dataclasses.field(default_factory=dict)  # bucket -> looks so far

    def p99(self) -> tuple[float, float]:
        """Of dispatching (created -> clone on a worker) and of looks, in seconds."""
        return statistics.quantiles(self.dispatched, n=100)[98], _quantile(self.looks, 0.99)


# The API is the same whatever the fleet is, and real clusters dispatch too unevenly to compare.
@scenario("api-flood", fleets=("sim",), kueue_dra=(False,))
def a_flood_delays_no_job(world: World) -> None:
    """10,000 connections, slow readers, wrong tokens and manifests of 1 MiB: each gets a Status, and no job waits for that."""
    with tempfile.TemporaryDirectory(prefix="fedra-api-") as folder:
        path = Path(folder) / "s"
        fedra = world.start_fedra(
            settings={"api": {"socket": str(path)}, "logging": {"level": "info"}}, watchdog=False
        )
        world.submit("warm").wait_running_on(world.worker1)
        calm, flooded, answers = _Seen(), _Seen(), []
        arrivals = Arrivals(world.fleet, world.workers, "Workload", world.ns)
        try:
            for index in range(_ROUNDS):  # by turns: the machine is not the same all the time
                _measure(world, fedra, arrivals, calm, f"calm-{index}")
                with _flood(path, world.ns) as told:
                    _measure(world, fedra, arrivals, flooded, f"flooded-{index}")
                answers.append(told)
        finally:
            arrivals.close()
        _note(world, calm, flooded, answers)
        for told in answers:
            _assert_answered(told)
        _assert_some_answered(answers)
        for quiet, loud in zip(calm.p99(), flooded.p99()):
            assert loud <= (_TIMES * quiet + _MORE) * SLOWNESS, f"{quiet:.3f} s and {loud:.3f} s"
        assert fedra.bare("status", "jobs", "--server", f"unix:{path}").code == 0


def _measure(world: World, fedra: Fedra, arrivals: Arrivals, seen: _Seen, prefix: str) -> None:
    before = _looks(fedra)
    known = len(arrivals.times())
    submitted = {}
    for index in range(_JOBS):
        name = f"{prefix}-{index}"
        submitted[name] = time.monotonic()
        world.submit(name)
        time.sleep(_PACE)  # the load that is measured
    arrivals.wait_count(known + _JOBS, world.fleet.patience * 3 * SLOWNESS)
    for name, when in arrivals.times().items():
        found = re.match(r"job-(.+)-[0-9a-f]{5}$", name)
        if found is not None and found[1] in submitted:
            seen.dispatched.append(when - submitted.pop(found[1]))
    assert not submitted, submitted
    for bucket, count in _looks(fedra).items():
        seen.looks[bucket] = seen.looks.get(bucket, 0.0) + count - before[bucket]


@contextlib.contextmanager
def _flood(path: Path, namespace: str) -> Iterator[dict[str, Any]]:
    """While it lasts the daemon is flooded. What was answered is there afterwards."""
    told: dict[str, Any] = {}
    command = [sys.executable, flood.__file__, str(path), str(_CONNECTIONS), namespace]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as clients:
        assert clients.stdin is not None and clients.stdout is not None
        try:
            assert clients.stdout.readline() == b"ready\n", "no flood"
            yield told
            clients.stdin.close()
            told.update(json.loads(clients.stdout.read()))
        finally:
            clients.kill()
    # It ends by itself when its input does, also when this process was killed.


def _assert_answered(told: dict[str, Any]) -> None:
    """As many clients as it says. Each question as it should be; in the crowd also with 503, or not at all."""
    opened = told["opened"]
    assert opened == _CONNECTIONS, f"no flood: {opened} connections; raise ulimit -Hn"
    assert not told["wrong"], told["wrong"]
    assert told["alone"] == _EXPECTED, told["alone"]
    for kind, found in told["answers"].items():
        assert found.keys() <= {_EXPECTED[kind], *_CROWDED}, (kind, found)


def _assert_some_answered(answers: list[dict[str, Any]]) -> None:
    """Who asks in a crowd may have to ask again, and gets an answer then."""
    for kind, expected in _EXPECTED.items():
        found = [told["answers"].get(kind, {}) for told in answers]
        assert any(expected in each for each in found), (kind, found)


def _note(world: World, calm: _Seen, flooded: _Seen, answers: list[dict[str, Any]]) -> None:
    opened = min(each["opened"] for each in answers)
    asked = sum(sum(kind.values()) for each in answers for kind in each["answers"].values())
    for what, quiet, loud in zip(("dispatch", "look"), calm.p99(), flooded.p99()):
        world.note(f"p99 of a {what} {quiet * 1e3:.0f} ms, flooded {loud * 1e3:.0f} ms")
    world.note(f"{_ROUNDS} times {opened} connections, {asked} questions")
    seconds, kind = max(each["slowest"] for each in answers)
    world.note(f"slowest answer {seconds:.1f} s ({kind})")


def _looks(fedra: Fedra) -> dict[float, float]:
    """Upper bound in seconds -> how many looks at a workload took at most that, since the start."""
    pattern = r'^fedra_reconcile_duration_seconds_bucket\{le="([^"]+)"\} (\d+)'
    return {
        float(bound.replace("+Inf", "inf")): float(count)
        for bound, count in re.findall(pattern, fedra.page("/metrics"), re.M)
    }


def _quantile(buckets: dict[float, float], part: float) -> float:
    """As Prometheus' histogram_quantile: between the bounds of the bucket it is in a straight line."""
    bounds = sorted(buckets)
    wanted = part * buckets[bounds[-1]]
    lower, below = 0.0, 0.0
    for bound in bounds:
        if buckets[bound] >= wanted and bound != float("inf"):
            share = (wanted - below) / (buckets[bound] - below) if buckets[bound] > below else 1.0
            return lower + (bound - lower) * share
        lower, below = min(bound, 1e9), buckets[bound]
    return bounds[-2]
