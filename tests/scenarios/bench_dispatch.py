#!/usr/bin/python3
"""Measures dispatch: fedra against Kueue's own MultiKueue on real clusters, and fedra alone on simulated ones.

  bench_dispatch.py real [--jobs 200]      the same jobs through both, on the same clusters, one after the other
  bench_dispatch.py sim [--sim-jobs 2000]      where no Kueue burns the cores
  bench_dispatch.py latency                template created on a worker -> clone there
  bench_dispatch.py scale                  200 workers, 2,000 workloads: memory, idle CPU, restart

Prints Markdown tables. Numbers of different runs on shared machines differ; the ratios of one run are what counts.
"""

from __future__ import annotations

import argparse
import dataclasses
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from real import multikueue  # noqa: E402
from scenarios import objects, setup  # noqa: E402
from scenarios.fedra_process import Fedra, default_binary  # noqa: E402
from scenarios.fleet import MANAGER, Fleet  # noqa: E402
from scenarios.objects import Quota  # noqa: E402
from scenarios.observer import Arrivals  # noqa: E402
from scenarios.real_fleet import RealFleet  # noqa: E402
from scenarios.sim_fleet import SimFleet  # noqa: E402
from scenarios.waiting import eventually  # noqa: E402
from scenarios.world import TEMPLATE, World  # noqa: E402

_SUBMITTERS = 8  # parallel users
_IDLE_SECONDS = 10.0
_WARM_UP = 50  # jobs before the measurement: connections, caches, queue Active
_PATIENCE = 600.0  # MultiKueue needs minutes for its clean-up


@dataclasses.dataclass(frozen=True)
class Dispatch:
    """What one system made of the jobs."""

    system: str
    jobs: int
    seconds: float  # first submission -> last remote job
    latencies: list[float]  # per job: created on the manager -> remote job exists, seconds
    cpu_seconds: float  # of the dispatching process, submission to clean-up
    placed: dict[str, int]  # worker -> jobs

    @property
    def rate(self) -> float:
        return self.jobs / self.seconds

    @property
    def cpu_ms_per_job(self) -> float:
        return self.cpu_seconds * 1000 / self.jobs


def measure_dispatch(world: World, system: str, jobs: int, cpu: Callable[[], float]) -> Dispatch:
    """Submits the jobs, waits until each has a remote job, lets all end and waits for the clean-up."""
    cpu_before = cpu()
    arrivals = Arrivals(world.fleet, world.workers, "Job", world.ns)
    submitted = _submit_all(world, jobs)
    arrivals.wait_count(jobs, _PATIENCE)
    arrivals.close()
    seen = arrivals.times()
    _finish_all(world)
    return Dispatch(
        system=system,
        jobs=jobs,
        seconds=max(seen.values()) - min(submitted.values()),
        latencies=[seen[name] - start for name, start in submitted.items()],
        cpu_seconds=cpu() - cpu_before,
        placed=arrivals.per_cluster(),
    )


def _finish_all(world: World) -> None:
    def complete() -> bool:
        for worker in world.workers:
            world.fleet.end_pods(worker, world.ns)
        return all(objects.is_true(job, "Complete") for job in world.manager.list("Job", world.ns))

    def clean() -> bool:
        return not any(
            world.admin(worker).list(kind, world.ns)
            for worker in world.workers
            for kind in ("Job", "Workload")
        )

    eventually("all jobs complete on the manager", complete, _PATIENCE)
    eventually("workers clean", clean, _PATIENCE)


def dispatch_table(results: list[Dispatch]) -> str:
    lines = [
        "| system | jobs/s | ratio | created → remote job p50 | p99 | CPU per job | placed |",
        "|---|---|---|---|---|---|---|",
    ]
    for result in results:
        quantiles = statistics.quantiles(result.latencies, n=100)
        lines.append(
            f"| {result.system} | {result.rate:.2f} | {result.rate / results[0].rate:.1f} "
            f"| {quantiles[49]:.2f} s | {quantiles[98]:.2f} s | {result.cpu_ms_per_job:.1f} ms "
            f"| {' + '.join(str(count) for count in result.placed.values())} |"
        )
    return "\n".join(lines)


def bench_real(jobs: int, binary: Path, folder: Path) -> None:
    fleet = RealFleet(kueue_dra=False)
    try:
        fleet.start()
        results = [_multikueue(fleet, jobs, binary, folder), _fedra(fleet, jobs, binary, folder)]
    finally:
        fleet.stop()
    print(f"\n{jobs} jobs with a claim each over {len(fleet.workers)} workers, real clusters:\n")
    print(dispatch_table(results))


def bench_sim(jobs: int, binary: Path, folder: Path) -> None:
    """Jobs are made and watched inside of the simulation, so that this script costs nothing."""
    fleet = SimFleet(kueue_dra=False)
    try:
        fleet.start_furnished()
        accesses = {cluster: fleet.fedra_access(cluster) for cluster in fleet.clusters}
        fedra = Fedra(binary, folder / "sim", accesses, {"logging": {"level": "info"}})
        fedra.start()
        fleet.load(jobs=_WARM_UP, prefix="warm-up-", waitFinished=True)
        before = fedra.cpu_seconds()
        measured = fleet.load(jobs=jobs, prefix="load-", waitFinished=True, timeoutSeconds=600)
        fedra_cpu = fedra.cpu_seconds() - before
        assert measured["finished"] == jobs, measured
        fedra.stop()
    finally:
        fleet.stop()
    latency = measured["latencyMs"]
    print(
        f"\n{jobs} jobs with a claim each over {len(fleet.workers)} workers, simulated clusters:\n"
    )
    print("| jobs/s | created → remote job p50 | p99 | CPU of fedra per job |\n|---|---|---|---|")
    print(
        f"| {measured['dispatchPerSecond']:.0f} | {latency['p50']:.0f} ms | {latency['p99']:.0f} ms "
        f"| {fedra_cpu * 1000 / jobs:.2f} ms |"
    )


def _multikueue(fleet: RealFleet, jobs: int, binary: Path, folder: Path) -> Dispatch:
    """CPU is that of the manager's Kueue process, its core scheduler included: they are one program."""
    accesses = {worker: fleet.admin_access(worker) for worker in fleet.workers}
    multikueue.connect_workers(fleet.admin(MANAGER), accesses)
    world = World(fleet, "bench-multikueue", binary, folder / "multikueue")
    world.open(multikueue.check("bench-multikueue", list(fleet.workers)))
    world.add_template_everywhere()
    _share_quota(world, jobs)
    world.wait_check_active()
    result = measure_dispatch(world, "MultiKueue", jobs, lambda: fleet.kueue_cpu_seconds(MANAGER))
    world.abandon()
    return result


def _fedra(fleet: RealFleet, jobs: int, binary: Path, folder: Path) -> Dispatch:
    world = World(fleet, "bench-fedra", binary, folder / "fedra")
    world.open()
    world.add_template_everywhere()
    _share_quota(world, jobs)
    fedra = world.start_fedra({"logging": {"level": "info"}}, watchdog=False)
    result = measure_dispatch(world, "fedra", jobs, fedra.cpu_seconds)
    world.abandon()
    return result


def _share_quota(world: World, jobs: int) -> None:
    """Enough for all on either worker, so that quota is never what a dispatcher waits for."""
    for worker in world.workers:
        world.set_quota(worker, Quota(cpu=str(jobs + 10), devices=str(jobs + 10)))


@dataclasses.dataclass(frozen=True)
class Footprint:
    """One fedra with a large fleet at rest."""

    workers: int
    workloads: int
    memory: int  # resident bytes with everything running
    idle_cpu: float  # share of one core while nothing happens
    ready_seconds: float  # from kill -9 and start to /readyz
    memory_restarted: int  # resident bytes after that

    def table(self) -> str:
        return (
            "| workers | workloads | memory | idle CPU | ready after restart | memory then |\n"
            "|---|---|---|---|---|---|\n"
            f"| {self.workers} | {self.workloads} | {self.memory / 1e6:.0f} MB | {self.idle_cpu * 100:.1f} % "
            f"| {self.ready_seconds:.1f} s | {self.memory_restarted / 1e6:.0f} MB |"
        )


def bench_latency(samples: int, binary: Path, folder: Path) -> None:
    """Template created on a worker -> clone there, one at a time; the create call itself is included."""
    fleet = SimFleet(kueue_dra=False)
    try:
        fleet.start()
        latencies = _template_latencies(fleet, samples, binary, folder)
    finally:
        fleet.stop()
    quantiles = statistics.quantiles(latencies, n=100)
    print(f"\ntemplate created on a worker → clone there, simulated clusters, {samples} times:\n")
    print("| p50 | p99 | max |\n|---|---|---|")
    print(
        f"| {quantiles[49] * 1e3:.0f} ms | {quantiles[98] * 1e3:.0f} ms | {max(latencies) * 1e3:.0f} ms |"
    )


def _template_latencies(fleet: Fleet, samples: int, binary: Path, folder: Path) -> list[float]:
    world = World(fleet, "bench-latency", binary, folder / "latency")
    world.open()
    world.start_fedra({"logging": {"level": "info"}}, watchdog=False)
    arrivals = Arrivals(fleet, world.workers, "Workload", world.ns)
    latencies = []
    for index in range(samples):
        template = f"template-{index}"
        world.submit(f"train-{index}", template=template).wait_message("no worker eligible")
        started = time.monotonic()
        world.admin(world.worker1).create(
            objects.claim_template(world.ns, template, setup.GPU_CLASS)
        )
        arrivals.wait_count(index + 1, _PATIENCE)
        latencies.append(max(arrivals.times().values()) - started)
    arrivals.close()
    world.abandon()
    return latencies


def bench_scale(workers: int, workloads: int, binary: Path, folder: Path) -> None:
    """Every workload runs on some worker; then nothing happens, and then fedra is killed and started again."""
    fleet = SimFleet(
        kueue_dra=False, workers=tuple(f"worker-{index:03}" for index in range(workers))
    )
    try:
        fleet.start()
        world = World(fleet, "bench-scale", binary, folder / "scale")
        world.open()
        world.manager.apply(objects.cluster_queue(world.ns, Quota(cpu=str(workloads)), world.check))
        world.add_template_everywhere()
        fedra = world.start_fedra({"logging": {"level": "info"}}, watchdog=False)
        _submit_all(world, workloads)
        eventually("all admitted on the manager", lambda: _admitted(world) == workloads, _PATIENCE)
        memory = fedra.resident_bytes()
        idle = _idle_share(fedra)
        started = time.monotonic()
        fedra.restart()
        ready = time.monotonic() - started
        footprint = Footprint(workers, workloads, memory, idle, ready, fedra.resident_bytes())
        world.abandon()
    finally:
        fleet.stop()
    print("\nA fleet at rest, simulated clusters:\n")
    print(footprint.table())


def _submit_all(world: World, jobs: int) -> dict[str, float]:
    """Creates the jobs from several threads; returns when each was submitted."""
    submitted: dict[str, float] = {}

    def submit(index: int) -> None:
        name = f"train-{index}"
        submitted[name] = time.monotonic()
        world.submit(name, template=TEMPLATE)

    with ThreadPoolExecutor(_SUBMITTERS) as pool:
        list(pool.map(submit, range(jobs)))
    return submitted


def _admitted(world: World) -> int:
    return sum(
        objects.is_true(each, "Admitted") for each in world.manager.list("Workload", world.ns)
    )


def _idle_share(fedra: Fedra) -> float:
    before = fedra.cpu_seconds()
    time.sleep(_IDLE_SECONDS)  # the interval that is measured
    return (fedra.cpu_seconds() - before) / _IDLE_SECONDS


def main() -> int:
    arguments = _parse()
    with tempfile.TemporaryDirectory(prefix="fedra-bench-") as name:
        folder = Path(name)
        for part in _PARTS if arguments.part == "all" else (arguments.part,):
            _run_part(part, arguments, folder)
    return 0


_PARTS = ("real", "sim", "latency", "scale")


def _parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Measures dispatch.")
    parser.add_argument("part", choices=(*_PARTS, "all"))
    parser.add_argument(
        "--jobs", type=int, default=200, help="through each system on real clusters"
    )
    parser.add_argument("--sim-jobs", type=int, default=2000)
    parser.add_argument("--samples", type=int, default=200, help="of the latency")
    parser.add_argument("--workers", type=int, default=200, help="of the fleet at rest")
    parser.add_argument("--workloads", type=int, default=2000, help="of the fleet at rest")
    parser.add_argument("--fedra", type=Path, default=default_binary(), metavar="PATH")
    return parser.parse_args()


def _run_part(part: str, arguments: argparse.Namespace, folder: Path) -> None:
    if part == "real":
        bench_real(arguments.jobs, arguments.fedra, folder)
    elif part == "sim":
        bench_sim(arguments.sim_jobs, arguments.fedra, folder)
    elif part == "latency":
        bench_latency(arguments.samples, arguments.fedra, folder)
    elif part == "scale":
        bench_scale(arguments.workers, arguments.workloads, arguments.fedra, folder)


if __name__ == "__main__":
    sys.exit(main())
