"""How long a job waits after what it lacked has appeared."""

from __future__ import annotations

import statistics
import time
from pathlib import Path

from scenarios import objects, setup
from scenarios.fleet import Fleet
from scenarios.observer import Arrivals
from scenarios.sim_fleet import SimFleet
from scenarios.world import World

_PATIENCE = 60.0


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
