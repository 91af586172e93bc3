"""How long the people of a large fleet wait: for commands, for a template that appears, each for its turn."""

from __future__ import annotations

import contextlib
import dataclasses
import sqlite3
import statistics
import subprocess
import threading
import time

from scenarios import objects, setup
from scenarios.bench.limit import Limit
from scenarios.bench.nodes import NAMESPACE
from scenarios.bench.stock import QUEUE, first_waiting
from scenarios.fedra_process import Fedra
from scenarios.fleet import MANAGER
from scenarios.observer import Arrivals
from scenarios.resources import Object
from scenarios.sim_fleet import SimFleet

_ASKED = 5  # times, each command; the median counts
_JOB_UID = "kueue.x-k8s.io/job-uid"
_RUN_FOR = "sim.fedra.dev/run-for"

# What the queues compete for: a few devices of one worker.
_CONTESTED = "contested.example.com"
_CONTESTED_DEVICES = 4


def command_seconds(fedra: Fedra, limit: Limit) -> dict[str, float | None]:
    """The median of each; None: it took longer than a command of these tests may."""
    commands = {
        "status": ("status",),
        "status jobs": ("status", "jobs"),
        "status jobs, a page": ("status", "jobs", "--limit", "100"),
        "why": ("why", first_waiting()),
    }
    found: dict[str, float | None] = {
        name: _median_seconds(fedra, command, limit) for name, command in commands.items()
    }
    found["--watch, first event"] = _first_event_seconds(fedra, limit)
    return found


def _median_seconds(fedra: Fedra, command: tuple[str, ...], limit: Limit) -> float | None:
    times = []
    for _ in range(_ASKED):
        limit.check(f"fedra {' '.join(command)}")
        begun = time.monotonic()
        try:
            output = fedra.cli(*command)
        except subprocess.TimeoutExpired:
            return None
        times.append(time.monotonic() - begun)
        assert output.code == 0, f"fedra {' '.join(command)}: {output.stderr}"
    return statistics.median(times)


def _first_event_seconds(fedra: Fedra, limit: Limit) -> float:
    """From the start of the command to its first line."""
    times = []
    for _ in range(_ASKED):
        begun = time.monotonic()
        process = fedra.begin("status", "--watch", "-o", "json")
        try:
            limit.wait("the first event", lambda: b"\n" in process.log.read_bytes())
            times.append(time.monotonic() - begun)
        finally:
            process.kill()
    return statistics.median(times)


def template_to_clone(fleet: SimFleet, fedra: Fedra, samples: int, limit: Limit) -> list[float]:
    """Seconds from the creation of a template on the first worker, the call included, to the clone there; one at a time."""
    worker = fleet.workers[0]
    manager, client = fleet.admin(MANAGER), fleet.admin(worker)
    arrivals = Arrivals(fleet, [worker], "Workload", NAMESPACE)
    seconds = []
    try:
        for index in range(samples):
            template = f"late-{index}"
            job = manager.create(objects.job(NAMESPACE, template, QUEUE, template=template))
            workload = limit.wait(f"{template} is blocked", lambda: _blocked(fleet, job))
            begun = time.monotonic()
            client.create(objects.claim_template(NAMESPACE, template, setup.GPU_CLASS))
            arrived = limit.wait(f"{template} is there", lambda: arrivals.times().get(workload))
            seconds.append(arrived - begun)
    finally:
        arrivals.close()
    return seconds


def _blocked(fleet: SimFleet, job: Object) -> str | None:
    """The name of the job's Workload, once no worker can run it."""
    labels = f"{_JOB_UID}={job['metadata']['uid']}"
    for workload in fleet.admin(MANAGER).list("Workload", NAMESPACE, labels):
        checks = workload.get("status", {}).get("admissionChecks", [])
        if any("no worker eligible" in check.get("message", "") for check in checks):
            return str(workload["metadata"]["name"])
    return None


@dataclasses.dataclass(frozen=True)
class Fairness:
    """Medians of how long a job of each queue has waited to be dispatched, in seconds."""

    slowest: float
    fastest: float

    @property
    def ratio(self) -> float:
        return self.slowest / self.fastest


def fairness(fleet: SimFleet, fedra: Fedra, queues: int, jobs: int, limit: Limit) -> Fairness:
    """Behind `open_queues`. Each queue's user submits so many jobs at once, all for a few devices of one worker; they end as soon as they run.

    Jobs of one second are in the order of their names (docs/ordering.md), and these alternate between the queues.
    """
    names = _tenants(queues)
    submitted: dict[str, dict[str, float]] = {name: {} for name in names}

    def submit(queue: str) -> None:
        for index in range(jobs):
            name = f"fair-{index:04}-{queue}"
            job = objects.job(NAMESPACE, name, queue, template=_CONTESTED)
            job["metadata"]["annotations"] = {_RUN_FOR: "0s"}
            submitted[queue][name] = time.time()
            fleet.admin(MANAGER).create(job)

    users = [threading.Thread(target=submit, args=(name,)) for name in names]
    for user in users:
        user.start()
    for user in users:
        user.join()

    def begun() -> dict[str, float] | None:
        found = _first_attempts(fedra)
        if len(found) == queues * jobs:
            return found
        time.sleep(0.5)  # the store has the times, so looking seldom makes them no worse
        return None

    started = limit.wait("every queue's jobs are dispatched", begun)
    medians = [
        statistics.median(started[job] - at for job, at in mine.items())
        for mine in submitted.values()
    ]
    return Fairness(max(medians), min(medians))


def _tenants(queues: int) -> list[str]:
    return [f"tenant-{index}" for index in range(queues)]


def open_queues(fleet: SimFleet, queues: int, limit: Limit) -> None:
    """For `fairness`; every worker must answer."""
    names = _tenants(queues)
    manager, first = fleet.admin(MANAGER), fleet.admin(fleet.workers[0])
    spec = manager.get("ClusterQueue", None, QUEUE)["spec"]
    for name in names:
        queue = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ClusterQueue", "spec": spec}
        manager.create({**queue, "metadata": {"name": name}})
        manager.create(objects.local_queue(NAMESPACE, name, name))
        for worker in fleet.workers:
            limit.check("the queues are there")
            fleet.admin(worker).create(objects.local_queue(NAMESPACE, name, QUEUE))
    first.create(objects.device_class(_CONTESTED, driver=_CONTESTED))
    (made,) = objects.resource_slices("node-000", _CONTESTED_DEVICES)
    made["metadata"]["name"] = "contested"
    made["spec"]["driver"] = _CONTESTED
    made["spec"]["pool"]["name"] = _CONTESTED
    first.create(made)
    first.create(objects.claim_template(NAMESPACE, _CONTESTED, _CONTESTED))


def _first_attempts(fedra: Fedra) -> dict[str, float]:
    """Job -> when its first attempt began, in seconds since 1970; of the competing jobs that have one, in fedra's store."""
    query = (
        "SELECT job_name, min(started_at) FROM workloads JOIN attempts USING (uid) "
        "WHERE job_ns = ? AND job_name >= 'fair-' AND job_name < 'fair.' GROUP BY job_name"
    )
    with contextlib.closing(sqlite3.connect(f"file:{fedra.store}?mode=ro", uri=True)) as reader:
        return {name: at / 1000 for name, at in reader.execute(query, (NAMESPACE,))}
