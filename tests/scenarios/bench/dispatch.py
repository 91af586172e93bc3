"""How fast jobs reach a worker, and what that costs."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from real import multikueue
from scenarios import objects
from scenarios.bench import bare_copy, server_counts
from scenarios.bench.loads import JOBS, OTHER_LOADS, Load
from scenarios.bench.server_counts import Work
from scenarios.bench.stages import ADMITTED, CLONE, JOB, QUOTA, Stages
from scenarios.event_stream import EventStream, SocketConnection
from scenarios.fedra_process import Fedra
from scenarios.fleet import MANAGER
from scenarios.objects import Quota
from scenarios.observer import Arrivals
from scenarios.real_fleet import RealFleet
from scenarios.resources import Object
from scenarios.sim_fleet import SimFleet
from scenarios.waiting import eventually
from scenarios.world import World

_WARM_UP = 50  # jobs before the measurement: connections, caches, queue Active
# How the worlds of the systems begin (Load.world).
_WORLDS = ("bench-multikueue", "bench-before", "bench-fedra", "bench-bare")
_MULTIKUEUE, _BEFORE, _FEDRA, _BARE = _WORLDS
_BARE_COPY = "bare copy"
_REST_SECONDS = 20.0  # what goes on by itself is counted for so long
_PATIENCE = 600.0  # MultiKueue needs minutes for its clean-up
# Seconds between two looks whether it is done: they keep the servers busy, although they are not counted.
_INTERVAL = 2.0


@dataclasses.dataclass(frozen=True)
class Dispatch:
    """What one system made of the jobs."""

    system: str
    jobs: int
    seconds: float  # first submission -> last remote job
    latencies: list[float]  # per job: created on the manager -> remote job exists, seconds
    cpu_seconds: float  # of the dispatching process, submission to clean-up
    placed: dict[str, int]  # worker -> jobs
    stages: Stages  # closed
    work: Work  # of all servers, submission to clean-up

    @property
    def rate(self) -> float:
        return self.jobs / self.seconds

    @property
    def cpu_ms_per_job(self) -> float:
        return self.cpu_seconds * 1000 / self.jobs


def measure_dispatch(
    fleet: RealFleet, world: World, system: str, load: Load, jobs: int, cpu: Callable[[], float]
) -> Dispatch:
    """Submits the jobs, waits until each has a remote job, lets all end and waits for the clean-up."""
    stages = Stages(fleet, load.kind, world.ns)
    before, cpu_before = server_counts.read(fleet), cpu()
    arrivals = Arrivals(fleet, world.workers, load.kind, world.ns)
    submitted = load.submit_all(world, jobs)
    arrivals.wait_count(jobs, _PATIENCE)
    arrivals.close()
    seen = arrivals.times()
    _finish_all(world, load)
    cpu_after, after = cpu(), server_counts.read(fleet)
    stages.close()
    return Dispatch(
        system=system,
        jobs=jobs,
        seconds=max(seen.values()) - min(submitted.values()),
        latencies=[seen[name] - start for name, start in submitted.items()],
        cpu_seconds=cpu_after - cpu_before,
        placed=arrivals.per_cluster(),
        stages=stages,
        work=Work(before, after),
    )


def _finish_all(world: World, load: Load) -> None:
    def complete() -> bool:
        load.end(world)
        return all(
            objects.is_true(each, "Finished") for each in world.manager.list("Workload", world.ns)
        )

    def clean() -> bool:
        return not any(
            world.admin(worker).list(kind, world.ns)
            for worker in world.workers
            for kind in (load.kind, "Workload")
        )

    _seldom("all jobs complete on the manager", complete)
    _seldom("workers clean", clean)


def _seldom(what: str, look: Callable[[], bool]) -> None:
    def look_and_rest() -> bool:
        if look():
            return True
        time.sleep(_INTERVAL)
        return False

    eventually(what, look_and_rest, _PATIENCE)


def dispatch_table(results: list[Dispatch]) -> str:
    """The ratio is to the first one."""
    ceiling = next((each.rate for each in results if each.system == _BARE_COPY), None)
    lines = [
        "| system | jobs/s | ratio | share of the bare copy | created → remote job p50 | p99 "
        "| quota reserved → clone p50, p99 | clone admitted → job p50, p99 | CPU per job | placed |",
        "|---" * 10 + "|",
    ]
    for result in results:
        quantiles = statistics.quantiles(result.latencies, n=100)
        lines.append(
            f"| {result.system} | {result.rate:.2f} | {result.rate / results[0].rate:.1f} "
            f"| {'–' if ceiling is None else f'{result.rate / ceiling:.2f}'} "
            f"| {quantiles[49]:.2f} s | {quantiles[98]:.2f} s "
            f"| {_step(result, QUOTA, CLONE)} | {_step(result, ADMITTED, JOB)} "
            f"| {result.cpu_ms_per_job:.1f} ms "
            f"| {' + '.join(str(count) for count in result.placed.values())} |"
        )
    return "\n".join(lines)


def _step(result: Dispatch, first: str, second: str) -> str:
    seconds = result.stages.between(first, second)
    if len(seconds) < 2:
        return "–"
    quantiles = statistics.quantiles(seconds, n=100)
    return f"{quantiles[49] * 1e3:.0f} ms, {quantiles[98] * 1e3:.0f} ms"


def bench_real(jobs: int, before: Path | None, binary: Path, folder: Path) -> None:
    """`before`: another fedra, which is measured in the same run."""
    fleet = RealFleet(kueue_dra=False, kueue_metrics=True)
    bench = _RealBench(fleet, jobs, binary, folder)
    systems = [bench.multikueue]
    if before is not None:
        systems.append(lambda load: bench.fedra(load, _BEFORE, "fedra before", before))
    bench.run((JOBS,), [*systems, bench.fedra, bench.bare_copy])


def bench_real_kinds(jobs: int, binary: Path, folder: Path) -> None:
    """JobSets and RayJobs, each through both systems, one after the other on the same clusters."""
    fleet = RealFleet(kueue_dra=False, kueue_metrics=True, other_kinds=True)
    bench = _RealBench(fleet, jobs, binary, folder)
    bench.run(OTHER_LOADS, [bench.multikueue, bench.fedra])


def bench_sim(jobs: int, watchers: int, http1: bool, binary: Path, folder: Path) -> None:
    """Jobs are made and watched inside of the simulation, so that this script costs nothing.

    `watchers`: streams of the API that are open meanwhile, as of dashboards; this script reads them.
    """
    fleet = SimFleet(kueue_dra=False, http1=http1)
    try:
        fleet.start_furnished()
        accesses = {cluster: fleet.fedra_access(cluster) for cluster in fleet.clusters}
        socket = folder / "s"
        settings: Object = {"logging": {"level": "info"}, "api": {"socket": str(socket)}}
        fedra = Fedra(binary, folder / "sim", accesses, settings)
        fedra.start()
        fleet.load(jobs=_WARM_UP, prefix="warm-up-", waitFinished=True)
        with contextlib.ExitStack() as opened:
            streams = [
                opened.enter_context(EventStream(SocketConnection(socket, _PATIENCE)))
                for _ in range(watchers)
            ]
            assert all(stream.status == 200 for stream in streams), [each.body for each in streams]
            before = fedra.cpu_seconds()
            measured = fleet.load(jobs=jobs, prefix="load-", waitFinished=True, timeoutSeconds=600)
            fedra_cpu = fedra.cpu_seconds() - before
            events = sum(len(stream.data("changed")) for stream in streams)
            assert not any(stream.has_ended for stream in streams), "a stream has ended"
        assert measured["finished"] == jobs, measured
        fedra.stop()
    finally:
        fleet.stop()
    latency = measured["latencyMs"]
    print(
        f"\n{jobs} jobs with a claim each over {len(fleet.workers)} workers, simulated clusters:\n"
    )
    print("| jobs/s | created → remote job p50 | p99 | CPU of fedra per job | streams, events |")
    print("|---|---|---|---|---|")
    print(
        f"| {measured['dispatchPerSecond']:.0f} | {latency['p50']:.0f} ms | {latency['p99']:.0f} ms "
        f"| {fedra_cpu * 1000 / jobs:.2f} ms | {watchers}, {events} |"
    )


class _RealBench:
    """So many jobs of each load through one system after the other."""

    def __init__(self, fleet: RealFleet, jobs: int, binary: Path, folder: Path):
        self._fleet, self._jobs, self._binary, self._folder = fleet, jobs, binary, folder

    def run(self, loads: Sequence[Load], systems: Sequence[Callable[[Load], Dispatch]]) -> None:
        """Starts the fleet and ends it; `systems` are methods of this class."""
        fleet = self._fleet
        try:
            fleet.start()
            accesses = {worker: fleet.admin_access(worker) for worker in fleet.workers}
            # Part of what goes on at rest: it stays connected while the others are measured.
            multikueue.connect_workers(fleet.admin(MANAGER), accesses)
            fleet.announce([load.world(system) for load in loads for system in _WORLDS])
            idle = server_counts.read(fleet)
            time.sleep(_REST_SECONDS)  # what is measured
            rest = Work(idle, server_counts.read(fleet))
            for load in loads:
                self._run_load(load, systems, rest)
        finally:
            fleet.stop()

    def multikueue(self, load: Load) -> Dispatch:
        """CPU is that of the manager's Kueue process, its core scheduler included: they are one program."""
        name = load.world(_MULTIKUEUE)
        world = self._open(name, load, multikueue.check(name, list(self._fleet.workers)))
        world.wait_check_active()
        cpu = functools.partial(self._fleet.kueue_cpu_seconds, MANAGER)
        return self._measure(world, "MultiKueue", load, cpu)

    def fedra(
        self,
        load: Load,
        name: str = _FEDRA,
        system: str = "fedra",
        binary: Path | None = None,
    ) -> Dispatch:
        world = self._open(load.world(name), load, binary=binary)
        fedra = world.start_fedra({"logging": {"level": "info"}}, watchdog=False)
        return self._measure(world, system, load, fedra.cpu_seconds)

    def bare_copy(self, load: Load) -> Dispatch:
        """CPU is that of this process, which watches and submits as well. It copies batch/v1 Jobs alone."""
        name = load.world(_BARE)
        world = self._open(name, load, bare_copy.check(name))
        copier = bare_copy.BareCopier(self._fleet, world.ns, world.check)
        try:
            world.wait_check_active()
            return self._measure(world, _BARE_COPY, load, copier.cpu_seconds)
        finally:
            copier.close()  # says what has failed there, which is why nothing went on

    def _run_load(
        self, load: Load, systems: Sequence[Callable[[Load], Dispatch]], rest: Work
    ) -> None:
        results: list[Dispatch] = []
        try:
            for system in systems:
                results.append(system(load))
        finally:
            # Also of a run that fails at a later one.
            if results:
                over = f"{len(self._fleet.workers)} workers, real clusters"
                print(f"\n{self._jobs} {load.kind}s with a claim each over {over}:\n")
                print(dispatch_table(results))
                works = {each.system: (each.work, each.jobs) for each in results}
                print(f"\n{server_counts.work_table(works, rest, load.kind)}", flush=True)

    def _open(
        self,
        name: str,
        load: Load,
        check: Sequence[Object] | None = None,
        binary: Path | None = None,
    ) -> World:
        """With quota for all on either worker, so that this is never what a dispatcher waits for."""
        world = World(self._fleet, name, binary or self._binary, self._folder / name)
        world.open(check)
        world.add_template_everywhere()
        ample = str(load.cpu * self._jobs + 10)
        quota = Quota(cpu=ample, devices=ample)
        world.manager.apply(objects.cluster_queue(world.ns, quota, world.check))
        for worker in world.workers:
            world.set_quota(worker, quota)
        return world

    def _measure(self, world: World, system: str, load: Load, cpu: Callable[[], float]) -> Dispatch:
        result = measure_dispatch(self._fleet, world, system, load, self._jobs, cpu)
        world.abandon()
        # Else the next one is measured beside this clean-up.
        for cluster in self._fleet.clusters:
            client = self._fleet.admin(cluster)
            eventually(
                f"the namespace of {system} is gone from {cluster}",
                lambda: client.find("Namespace", None, world.ns) is None,
                _PATIENCE,
            )
        return result
