#!/usr/bin/python3
"""Measures dispatch: fedra against Kueue's own MultiKueue on real clusters, and fedra alone on simulated ones.

  bench_dispatch.py real [--jobs 200]      the same jobs through both, on the same clusters, one after the other
  bench_dispatch.py sim [--jobs 2000]      where no Kueue burns the cores
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
from scenarios import objects  # noqa: E402
from scenarios.fedra_process import default_binary  # noqa: E402
from scenarios.fleet import MANAGER, Fleet  # noqa: E402
from scenarios.objects import Quota  # noqa: E402
from scenarios.observer import Arrivals  # noqa: E402
from scenarios.real_fleet import RealFleet  # noqa: E402
from scenarios.waiting import eventually  # noqa: E402
from scenarios.world import TEMPLATE, World  # noqa: E402

_SUBMITTERS = 8  # parallel users
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
    submitted: dict[str, float] = {}

    def submit(index: int) -> None:
        name = f"train-{index}"
        submitted[name] = time.monotonic()
        world.submit(name, template=TEMPLATE)

    with ThreadPoolExecutor(_SUBMITTERS) as pool:
        list(pool.map(submit, range(jobs)))
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


def _fedra(fleet: Fleet, jobs: int, binary: Path, folder: Path) -> Dispatch:
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


def main() -> int:
    parser = argparse.ArgumentParser(description="Measures dispatch.")
    parser.add_argument("part", choices=("real",))
    parser.add_argument("--jobs", type=int)
    parser.add_argument("--fedra", type=Path, default=default_binary(), metavar="PATH")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fedra-bench-") as folder:
        bench_real(arguments.jobs or 200, arguments.fedra, Path(folder))
    return 0


if __name__ == "__main__":
    sys.exit(main())
