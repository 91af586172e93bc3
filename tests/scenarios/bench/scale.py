"""What one fedra costs with a large fleet, and how soon it is back after a crash."""

from __future__ import annotations

import dataclasses
import time
from pathlib import Path

from scenarios import objects
from scenarios.bench.loads import JOBS
from scenarios.fedra_process import Fedra
from scenarios.objects import Quota
from scenarios.sim_fleet import SimFleet
from scenarios.waiting import eventually
from scenarios.world import World

_IDLE_SECONDS = 10.0
_PATIENCE = 600.0


@dataclasses.dataclass(frozen=True)
class Footprint:
    """One fedra with a large fleet at rest."""

    workers: int
    workloads: int
    memory: int  # resident bytes with everything running
    idle_cpu: float  # share of one core while nothing happens
    ready_seconds: float  # from kill -9 and start to /readyz
    memory_restarted: int  # resident bytes after that
    descriptors: int  # of fedra, then
    fleet_memory: int  # resident bytes of all simulated clusters

    def table(self) -> str:
        return (
            "| workers | workloads | memory | idle CPU | ready after restart | memory then | descriptors | the clusters' memory |\n"
            "|---|---|---|---|---|---|---|---|\n"
            f"| {self.workers} | {self.workloads} | {self.memory / 1e6:.0f} MB | {self.idle_cpu * 100:.1f} % "
            f"| {self.ready_seconds:.1f} s | {self.memory_restarted / 1e6:.0f} MB | {self.descriptors} "
            f"| {self.fleet_memory / 1e6:.0f} MB |"
        )


def bench_scale(workers: int, workloads: int, http1: bool, binary: Path, folder: Path) -> None:
    """Every workload runs on some worker; then nothing happens, and then fedra is killed and started again."""
    fleet = SimFleet(
        kueue_dra=False,
        workers=tuple(f"worker-{index:03}" for index in range(workers)),
        http1=http1,
    )
    try:
        fleet.start()
        world = World(fleet, "bench-scale", binary, folder / "scale")
        world.open()
        world.manager.apply(objects.cluster_queue(world.ns, Quota(cpu=str(workloads)), world.check))
        world.add_template_everywhere()
        fedra = world.start_fedra({"logging": {"level": "info"}}, watchdog=False)
        JOBS.submit_all(world, workloads)
        eventually("all admitted on the manager", lambda: _admitted(world) == workloads, _PATIENCE)
        memory = fedra.resident_bytes()
        idle = idle_share(fedra)
        started = time.monotonic()
        fedra.restart()
        ready = time.monotonic() - started
        footprint = Footprint(
            workers,
            workloads,
            memory,
            idle,
            ready,
            fedra.resident_bytes(),
            fedra.open_descriptors(),
            fleet.resident_bytes(),
        )
        world.abandon()
    finally:
        fleet.stop()
    print(f"\nA fleet at rest, simulated clusters, HTTP/{'1.1' if http1 else '2'}:\n")
    print(footprint.table())


def _admitted(world: World) -> int:
    return sum(
        objects.is_true(each, "Admitted") for each in world.manager.list("Workload", world.ns)
    )


def idle_share(fedra: Fedra, seconds: float = _IDLE_SECONDS) -> float:
    """Of one core, while nothing happens."""
    before, begun = fedra.cpu_seconds(), time.monotonic()
    time.sleep(seconds)  # the interval that is measured
    return (fedra.cpu_seconds() - before) / (time.monotonic() - begun)
