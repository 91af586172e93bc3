"""What a job of each kind costs fedra beside a batch/v1 Job, and what kinds cost that nobody uses."""

from __future__ import annotations

import dataclasses
import enum
from pathlib import Path

from scenarios.bench.scale import idle_share
from scenarios.bench.submit import submit_each
from scenarios.fedra_process import Fedra
from scenarios.job_kinds import JOB_KINDS, JobKind
from scenarios.modes import ORIGIN, copies_of
from scenarios.objects import Quota
from scenarios.observer import Arrivals
from scenarios.resources import RESOURCES
from scenarios.sim_fleet import SimFleet
from scenarios.waiting import eventually
from scenarios.world import World

_JOB = JobKind(
    "Job",
    lambda pod: {"parallelism": 1, "completions": 1, "template": pod},
    lambda status: status.get("active", 0) > 0,
)
_OURS = copies_of(ORIGIN)
_KINDS = (_JOB, *JOB_KINDS)

_WARM_UP = 10  # jobs before the measurement
_PATIENCE = 300.0


class _AtRest(enum.Enum):
    NOT_SERVED = "no API server has them"
    UNUSED = "served, none used"
    USED = f"one job of each of the {len(JOB_KINDS)} runs"


@dataclasses.dataclass(frozen=True)
class _Cost:
    kind: str
    cpu_ms: float  # of fedra per job, submission to clean-up
    rate: float  # jobs per second, first submission -> last copy on a worker


def bench_kinds(jobs: int, workers: int, binary: Path, folder: Path) -> None:
    fleet = SimFleet(kueue_dra=False)
    try:
        fleet.start()
        costs = [_cost_of(fleet, kind, jobs, binary, folder) for kind in _KINDS]
    finally:
        fleet.stop()
    print(f"\n{jobs} jobs of each kind over {len(fleet.workers)} workers, simulated clusters:\n")
    print("| kind | CPU of fedra per job | compared with a Job | jobs/s |\n|---|---|---|---|")
    for each in costs:
        ratio = each.cpu_ms / costs[0].cpu_ms
        print(f"| {each.kind} | {each.cpu_ms:.2f} ms | {ratio:.2f} | {each.rate:.0f} |")
    print(f"\nWhat these kinds cost at rest, {workers} workers, simulated clusters:\n")
    print("| kinds | memory | idle CPU |\n|---|---|---|")
    for state in _AtRest:
        print(f"| {state.value} | {_at_rest(state, workers, binary, folder)} |")


def _cost_of(fleet: SimFleet, kind: JobKind, jobs: int, binary: Path, folder: Path) -> _Cost:
    world = World(fleet, f"bench-{kind.label}", binary, folder / kind.label)
    world.open()
    ample = Quota(cpu="100000", memory="100Ti")
    for worker in world.workers:
        world.set_quota(worker, ample)
    fedra = _started(world, kind)
    _run(world, kind, "warm", _WARM_UP)
    before = fedra.cpu_seconds()
    seconds = _run(world, kind, "train", jobs)
    cost = _Cost(kind.kind, (fedra.cpu_seconds() - before) * 1000 / jobs, jobs / seconds)
    world.abandon()
    return cost


def _started(world: World, kind: JobKind) -> Fedra:
    return world.start_fedra({"logging": {"level": "info"}, **kind.settings}, watchdog=False)


def _run(world: World, kind: JobKind, prefix: str, jobs: int) -> float:
    """Until every job has run and nothing is left of it; returns how long it took that all had a copy."""
    arrivals = Arrivals(world.fleet, world.workers, kind.kind, world.ns)
    names = [f"{prefix}-{index}" for index in range(jobs)]
    submitted = submit_each(names, lambda name: world.submit_kind(kind, name))
    arrivals.wait_count(jobs, _PATIENCE)
    arrivals.close()
    seconds = max(arrivals.times().values()) - min(submitted.values())

    def ended() -> bool:
        for name in names:
            if kind.ends:
                for worker in world.workers:
                    world.fleet.end_job(worker, kind, world.ns, name, "Succeeded")
            else:
                world.manager.delete(kind.kind, world.ns, name)
        return not any(
            world.admin(worker).list(each, world.ns, _OURS)
            for worker in world.workers
            for each in (kind.kind, "Workload")
        )

    eventually(f"all of {kind.kind} have ended", ended, _PATIENCE)
    for name in names:
        world.manager.delete(kind.kind, world.ns, name)
    return seconds


def _at_rest(state: _AtRest, workers: int, binary: Path, folder: Path) -> str:
    """Memory and idle CPU, as cells of a table."""
    names = tuple(f"worker-{index:03}" for index in range(workers))
    fleet = SimFleet(kueue_dra=False, workers=names)
    try:
        fleet.start()
        if state is _AtRest.NOT_SERVED:
            for version in {RESOURCES[kind.kind].api_version for kind in JOB_KINDS}:
                for cluster in fleet.clusters:
                    fleet.forget_api(cluster, version)
        world = World(fleet, "bench-rest", binary, folder / state.name)
        world.open()
        fedra = _started(world, _JOB)
        if state is _AtRest.USED:
            for kind in JOB_KINDS:
                world.submit_kind(kind, f"train-{kind.label}")
            eventually("all have a copy", lambda: _has_copies(world), _PATIENCE)
        memory = fedra.resident_bytes()
        idle = idle_share(fedra)
        world.abandon()
    finally:
        fleet.stop()
    return f"{memory / 1e6:.0f} MB | {idle * 100:.1f} %"


def _has_copies(world: World) -> bool:
    found = {
        kind.kind
        for kind in JOB_KINDS
        if any(world.admin(worker).list(kind.kind, world.ns, _OURS) for worker in world.workers)
    }
    return len(found) == len(JOB_KINDS)
