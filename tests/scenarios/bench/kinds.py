"""What a job of each kind costs fedra beside a batch/v1 Job, and what kinds cost at rest, used or not."""

from __future__ import annotations

import dataclasses
import enum
from pathlib import Path

from scenarios import objects
from scenarios.bench.dispatch import bench_real_kinds
from scenarios.bench.loads import end_jobs
from scenarios.bench.scale import idle_share
from scenarios.bench.submit import submit_each
from scenarios.external_kinds import EXTERNAL_KINDS
from scenarios.fedra_process import Fedra
from scenarios.job_kinds import JOB_KINDS, LEADER_WORKER_SET, POD, STATEFUL_SET, JobKind
from scenarios.modes import ORIGIN, copies_of
from scenarios.objects import Quota
from scenarios.observer import Arrivals
from scenarios.resources import RESOURCES, Object
from scenarios.rows.stage import grant_pods
from scenarios.sim_fleet import SimFleet
from scenarios.waiting import eventually
from scenarios.world import QUEUE, World

_JOB = JobKind(
    "Job",
    lambda pod: {"parallelism": 1, "completions": 1, "template": pod},
    lambda status: status.get("active", 0) > 0,
)
_OURS = copies_of(ORIGIN)
_KINDS = (_JOB, *JOB_KINDS)

_WARM_UP = 10  # jobs before the measurement
_PATIENCE = 300.0


# Beside batch/v1 Job: all that fedra can run, and two of an administrator's own.
_ALL_KINDS = (*JOB_KINDS, POD, STATEFUL_SET, LEADER_WORKER_SET, *EXTERNAL_KINDS)
_ALL_SETTINGS: Object = {
    "kueue": {"pods": True},
    "kinds": [kind.entry for kind in EXTERNAL_KINDS],
}


class _AtRest(enum.Enum):
    NOT_SERVED = "Job alone; no API server has the others"
    UNUSED = f"Job and the {len(JOB_KINDS)} built-in ones, served, none used"
    ALL_UNUSED = f"Job and {len(_ALL_KINDS)} others, pods and added ones among them, none used"
    USED = f"Job and the {len(JOB_KINDS)} built-in ones, a job of each of these runs"


@dataclasses.dataclass(frozen=True)
class _Rest:
    """What fedra costs while nothing happens."""

    memory: int  # resident bytes
    idle: float  # share of one core
    watches: int  # of fedra, on all clusters


@dataclasses.dataclass(frozen=True)
class _Cost:
    kind: str
    cpu_ms: float  # of fedra per job, submission to clean-up
    rate: float  # jobs per second, first submission -> last copy on a worker


def bench_kinds(jobs: int, workers: int, real_jobs: int, binary: Path, folder: Path) -> None:
    """`real_jobs`: of each of two kinds through MultiKueue and fedra on real clusters; 0: that is left out."""
    _bench_costs(jobs, binary, folder)
    _bench_rest(workers, binary, folder)
    if real_jobs > 0:
        bench_real_kinds(real_jobs, binary, folder)
    else:
        print("\nAgainst MultiKueue on real clusters: left out")


def _bench_costs(jobs: int, binary: Path, folder: Path) -> None:
    fleet = SimFleet(kueue_dra=False)
    try:
        fleet.start()
        print(
            f"\n{jobs} jobs of each kind over {len(fleet.workers)} workers, simulated clusters:\n"
        )
        print("| kind | CPU of fedra per job | compared with a Job | jobs/s |\n|---|---|---|---|")
        of_job: float | None = None
        for kind in _KINDS:
            cost = _cost_of(fleet, kind, jobs, binary, folder)
            of_job = of_job or cost.cpu_ms
            print(
                f"| {cost.kind} | {cost.cpu_ms:.2f} ms | {cost.cpu_ms / of_job:.2f} | {cost.rate:.0f} |",
                flush=True,
            )
    finally:
        fleet.stop()


def _bench_rest(workers: int, binary: Path, folder: Path) -> None:
    print(f"\nWhat kinds cost at rest, {workers} workers, simulated clusters:\n")
    print("| kinds | memory | idle CPU | watches |\n|---|---|---|---|")
    rests: dict[_AtRest, _Rest] = {}
    for state in _AtRest:
        rest = rests[state] = _at_rest(state, workers, binary, folder)
        print(
            f"| {state.value} | {rest.memory / 1e6:.0f} MB | {rest.idle * 100:.1f} % | {rest.watches} |",
            flush=True,
        )
    # A kind is watched everywhere as soon as the manager serves it.
    watched, without = rests[_AtRest.UNUSED], rests[_AtRest.NOT_SERVED]
    bytes_each = (watched.memory - without.memory) / (len(JOB_KINDS) * workers)
    print(
        f"\nMemory per watched kind and worker, while there are no jobs: {bytes_each / 1e3:.0f} kB "
        f"({len(JOB_KINDS)} kinds, {workers} workers)"
    )


def _cost_of(fleet: SimFleet, kind: JobKind, jobs: int, binary: Path, folder: Path) -> _Cost:
    world = World(fleet, f"bench-{kind.label}", binary, folder / kind.label)
    world.open()
    ample = Quota(cpu="100000", memory="100Ti")
    world.manager.apply(objects.cluster_queue(world.ns, ample, world.check))
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
    for needed in kind.needed(world.ns):
        for cluster in world.fleet.clusters:
            world.admin(cluster).apply(needed)
    arrivals = Arrivals(world.fleet, world.workers, kind.kind, world.ns)
    names = [f"{prefix}-{index}" for index in range(jobs)]
    submitted = submit_each(
        names, lambda name: world.submit_object(kind, kind.make(world.ns, name, QUEUE))
    )
    arrivals.wait_count(jobs, _PATIENCE)
    arrivals.close()
    seconds = max(arrivals.times().values()) - min(submitted.values())
    if not kind.ends:
        _delete(world, kind, names)

    def ended() -> bool:
        if kind.ends:
            end_jobs(world, kind)
        return not any(
            world.admin(worker).list(each, world.ns, _OURS)
            for worker in world.workers
            for each in (kind.kind, "Workload")
        )

    eventually(f"all of {kind.kind} have ended", ended, _PATIENCE)
    if kind.ends:
        _delete(world, kind, names)
    return seconds


def _delete(world: World, kind: JobKind, names: list[str]) -> None:
    for name in names:
        world.manager.delete(kind.kind, world.ns, name)


def _at_rest(state: _AtRest, workers: int, binary: Path, folder: Path) -> _Rest:
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
        settings = {"logging": {"level": "info"}}
        if state is _AtRest.ALL_UNUSED:
            grant_pods(world)
            settings |= _ALL_SETTINGS
        own = fleet.watches_open()
        fedra = world.start_fedra(settings, watchdog=False)
        for worker in world.workers:
            world.wait_worker_state(worker, "Connected")
        if state is _AtRest.USED:
            for kind in JOB_KINDS:
                world.submit_kind(kind, f"train-{kind.label}")
            eventually("all have a copy", lambda: _has_copies(world), _PATIENCE)
        idle_share(fedra)  # in this interval everything is still listed and judged
        idle = idle_share(fedra)
        rest = _Rest(fedra.resident_bytes(), idle, fleet.watches_open() - own)
        world.abandon()
    finally:
        fleet.stop()
    return rest


def _has_copies(world: World) -> bool:
    found = {
        kind.kind
        for kind in JOB_KINDS
        if any(world.admin(worker).list(kind.kind, world.ns, _OURS) for worker in world.workers)
    }
    return len(found) == len(JOB_KINDS)
