"""A burst: many jobs at once that want devices, on many workers. Does it stand still, and what does it cost."""

from __future__ import annotations

import contextlib
import dataclasses
import sqlite3
import threading
import time
from pathlib import Path

from scenarios import setup
from scenarios.fedra_process import Fedra
from scenarios.fleet import MANAGER
from scenarios.resources import Object
from scenarios.sim_fleet import SimFleet
from scenarios.waiting import eventually

_STUCK_SHARE = 10  # per cent of the jobs name a template that no cluster has, and wait for ever
_INTERVAL = 0.5  # seconds between two looks at the daemon
_PATIENCE = 300.0  # until everything is ready


@dataclasses.dataclass
class _Worst:
    """What was seen while the jobs were on their way."""

    memory: int = 0  # resident bytes
    log: int = 0  # bytes of SQLite's write-ahead log
    heartbeat: float = 0.0  # seconds

    def look(self, fedra: Fedra) -> None:
        self.memory = max(self.memory, fedra.resident_bytes())
        log = fedra.store.with_name(fedra.store.name + "-wal")
        self.log = max(self.log, log.stat().st_size if log.exists() else 0)
        self.heartbeat = max(self.heartbeat, _heartbeat_age(fedra.store))


def bench_burst(workers: int, jobs: int, limit: int, binary: Path, folder: Path) -> None:
    """`limit`: seconds after which it is told how far it has come."""
    names = tuple(f"worker-{index:03}" for index in range(workers))
    fleet = SimFleet(kueue_dra=False, workers=names)
    try:
        fleet.start_furnished()
        for worker in names:
            setup.install_worker(fleet.admin(worker))
        fedra = _start(fleet, binary, folder / "burst")
        _measure(fleet, fedra, jobs, limit)
        fedra.kill()
    finally:
        fleet.stop()


def _start(fleet: SimFleet, binary: Path, folder: Path) -> Fedra:
    accesses = {cluster: fleet.fedra_access(cluster) for cluster in fleet.clusters}
    settings = {"logging": {"level": "warn"}, "verification": {"devices": "Enforce"}}
    fedra = Fedra(binary, folder, accesses, settings)
    fedra.start(ready=False)
    eventually("fedra is ready", lambda: fedra.page("/readyz").strip() == "ok", _PATIENCE)
    eventually("the check is Active", lambda: _is_active(fleet), _PATIENCE)
    return fedra


def _is_active(fleet: SimFleet) -> bool:
    queue = fleet.admin(MANAGER).get("ClusterQueue", None, "gpu")
    conditions = queue.get("status", {}).get("conditions", [])
    return any(each["type"] == "Active" and each["status"] == "True" for each in conditions)


def _measure(fleet: SimFleet, fedra: Fedra, jobs: int, limit: int) -> None:
    counted, stored = fedra.counters(), _stored(fedra.store)
    cpu, cpu_of_simulation = fedra.cpu_seconds(), fleet.cpu_seconds()
    stuck = jobs * _STUCK_SHARE // 100
    result: Object = {}

    def submit() -> None:
        fleet.load(jobs=stuck, prefix="stuck-", template="uncopied", timeoutSeconds=0)
        moving = {"jobs": jobs - stuck, "prefix": "train-", "runFor": "forever"}
        result.update(fleet.load(**moving, timeoutSeconds=limit))

    begun = time.monotonic()
    submitter = threading.Thread(target=submit)
    submitter.start()
    worst = _Worst()
    while submitter.is_alive():
        worst.look(fedra)
        time.sleep(_INTERVAL)
    submitter.join()
    seconds = time.monotonic() - begun
    cpu, cpu_of_simulation = fedra.cpu_seconds() - cpu, fleet.cpu_seconds() - cpu_of_simulation
    per_job = fedra.counters().since(counted, jobs)
    eventually("every job is stored", lambda: _rows(fedra.store) == jobs, _PATIENCE)
    dispatched = result["dispatched"]
    heads = ["workers", "jobs", "dispatched", "after", "jobs/s", "p50", "p99"]
    heads += ["CPU per job", "of the simulation", "memory", "WAL", "heartbeat", "jobs created"]
    heads += ["store per job"]
    heads += [f"{name} per job" for name in per_job]
    latency = result["latencyMs"] or {"p50": 0.0, "p99": 0.0}
    cells = [
        str(len(fleet.workers)),
        f"{jobs}, {stuck} of them nowhere",
        str(dispatched),
        f"{seconds:.0f} s",
        f"{result['dispatchPerSecond']:.1f}",
        f"{latency['p50'] / 1000:.1f} s",
        f"{latency['p99'] / 1000:.1f} s",
        f"{cpu * 1000 / jobs:.1f} ms",
        f"{cpu_of_simulation * 1000 / jobs:.1f} ms",
        f"{worst.memory / 1e6:.0f} MB",
        f"{worst.log / 1e6:.0f} MB",
        f"{worst.heartbeat:.1f} s",
        f"in {result['createSeconds']:.1f} s",
        f"{(_stored(fedra.store) - stored) / jobs / 1e3:.1f} kB",
        *(f"{count:.1f}" for count in per_job.values()),
    ]
    print(f"\n| {' | '.join(heads)} |\n|{'---|' * len(heads)}\n| {' | '.join(cells)} |", flush=True)


def _rows(store: Path) -> int:
    with contextlib.closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as reader:
        row = reader.execute("SELECT count(*) FROM workloads").fetchone()
    return int(row[0])


def _stored(store: Path) -> int:
    """Bytes of the pages that hold something."""
    with contextlib.closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as database:
        sizes = [f"pragma {name}" for name in ("page_count", "freelist_count", "page_size")]
        pages, free, size = (int(database.execute(each).fetchone()[0]) for each in sizes)
    return (pages - free) * size


def _heartbeat_age(store: Path) -> float:
    with contextlib.closing(sqlite3.connect(f"file:{store}?mode=ro", uri=True)) as reader:
        row = reader.execute("SELECT at FROM heartbeat").fetchone()
    return 0.0 if row is None else time.time() - row[0] / 1000
